// Letters that have two extents in one equation become two letters.
#include "src/plan/read/split_indices.hpp"

#include <vector>

#include <ricci/ir/rewrite.hpp>
#include "src/plan/read/grown_program.hpp"

namespace ricci::plan {
namespace {

/// A letter that has become another one, where it has another extent.
struct split_letter {
    ir::ref equation;
    ir::ref from;
    new_index made;
};

/// Works on one equation of a program that grows; nodes keep their numbers.
class splitter {
public:
    splitter(ir::program& p, const ir::shape_table& shapes, ir::ref equation,
             std::vector<split_letter>& made)
        : p_(p), shapes_(shapes), equation_(equation), made_(made) {}

    ir::ref run(ir::ref n) {
        const ir::node x = p_.nodes[n];
        const ir::ref inside = ir::rebuild_children(p_, n, [&](ir::ref c) { return run(c); });
        ir::index_map renamed;
        for (std::int32_t k = 0; ir::binds(x) && k < x.indices.count; ++k) {
            const ir::ref i = p_.links[x.indices.first + k];
            const auto extent = shapes_.bound_extent(equation_, n, i);
            if (extent != shapes_.index_extent(equation_, i)) renamed.set(i, fresh(i, extent));
        }
        return renamed.empty() ? inside : ir::rename_indices(p_, inside, renamed);
    }

private:
    /// The same for all that the letter is with this extent, so that equal sums stay equal.
    ir::ref fresh(ir::ref from, std::int64_t extent) {
        for (const auto& m : made_)
            if (m.equation == equation_ && m.from == from && m.made.extent == extent)
                return m.made.index;
        detail::text_builder spelling;
        spelling << p_.index(from);
        do spelling << '\'';
        while (p_.find_index(spelling) != ir::none);
        const ir::ref index = p_.intern_index(spelling);
        made_.push_back({equation_, from, {index, extent}});
        return index;
    }

    ir::program& p_;
    const ir::shape_table& shapes_;
    ir::ref equation_;
    std::vector<split_letter>& made_;
};

}  // namespace

ir::program split_indices(const ir::program_view& program, ir::shape_table& shapes) {
    ir::program p(program);
    std::vector<split_letter> made;
    for (ir::ref e = 0; e < p.equations.size(); ++e)
        if (!p.equations[e].claim)
            p.equations[e].body = splitter(p, shapes, e, made).run(p.equations[e].body);
    // Each new letter stands in one equation only.
    std::vector<new_index> indices;
    for (const split_letter& m : made) indices.push_back(m.made);
    carry_over(program, p, indices, shapes);
    return p;
}

}  // namespace ricci::plan
