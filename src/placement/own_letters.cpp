// Every equation and every sign gets letters of its own.
#include "src/placement/own_letters.hpp"

#include <utility>

#include <fmt/core.h>

#include <ricci/ir/rewrite.hpp>

#include "src/base/texts.hpp"

namespace ricci::mpi {
namespace {

std::string unlike_others(std::map<std::string, int>& known, const std::string& text) {
    const int count = ++known[text];
    return count == 1 ? text : unlike_others(known, fmt::format("{}~{}", text, count));
}

class copier {
public:
    copier(const ir::program_view& from, const ir::shape_table& table, lettered_program& to)
        : from_(from), table_(table), to_(to) {}

    void copy(ir::ref number) {
        const ir::equation& e = from_.equations[number];
        equation_ = number;
        letters_.clear();
        ir::equation out = e;
        out.positions = positions(e.positions);
        out.body = node(e.body);
        to_.program.equations.push(out);
    }

private:
    ir::ref letter(ir::ref i) {
        const auto found = letters_.find(i);
        if (found != letters_.end()) return found->second;
        return letters_[i] = fresh(i, table_.index_extent(equation_, i));
    }
    ir::ref fresh(ir::ref i, std::int64_t extent) {
        const std::int32_t mark = from_.indices[i].extent;
        const ir::ref made =
            to_.add_index(detail::string_of(from_.index(i)), extent, mark < 0 ? mark : 0);
        to_.origin[static_cast<std::size_t>(made)] = i;
        return made;
    }
    ir::range positions(ir::range at) {
        std::vector<ir::position> list;
        for (std::int32_t k = 0; k < at.count; ++k) {
            ir::position q = from_.positions[at.first + k];
            if (q.kind == ir::position_kind::index) q.index = letter(q.index);
            if (q.terms.count > 0) {
                const ir::range terms{to_.program.affine_terms.size(), q.terms.count};
                for (std::int32_t t = 0; t < q.terms.count; ++t) {
                    ir::affine_term term = from_.affine_terms[q.terms.first + t];
                    term.index = letter(term.index);
                    to_.program.affine_terms.push(term);
                }
                q.terms = terms;
            }
            list.push_back(q);
        }
        const ir::range out{to_.program.positions.size(), at.count};
        to_.program.positions.append(list.data(), at.count);
        return out;
    }
    ir::ref node(ir::ref n) {
        ir::node x = from_.nodes[n];
        if (x.kind == ir::op::number) return to_.program.nodes.push(x);
        std::vector<std::pair<ir::ref, ir::ref>> before;  // letters that this sign hides
        for (std::int32_t k = 0; ir::binds(x) && k < x.indices.count; ++k) {
            const ir::ref i = from_.reduced(x, k);
            const auto outside = letters_.find(i);
            before.emplace_back(i, outside == letters_.end() ? ir::none : outside->second);
            letters_[i] = fresh(i, table_.bound_extent(equation_, n, i));
        }
        std::vector<ir::ref> children, over;
        for (std::int32_t k = 0; k < x.children.count; ++k)
            children.push_back(node(from_.child(x, k)));
        for (std::int32_t k = 0; k < x.indices.count; ++k)
            over.push_back(letter(from_.reduced(x, k)));
        x.positions = positions(x.positions);
        x.children = to_.program.add_links(children.data(), x.children.count);
        x.indices = to_.program.add_links(over.data(), x.indices.count);
        for (const auto& [i, outside] : before) {
            if (outside == ir::none) letters_.erase(i);
            else letters_[i] = outside;
        }
        return to_.program.nodes.push(x);
    }

    const ir::program_view& from_;
    const ir::shape_table& table_;
    lettered_program& to_;
    ir::ref equation_ = ir::none;
    std::map<ir::ref, ir::ref> letters_;
};

}  // namespace

lettered_program::lettered_program(const ir::program_view& p, std::vector<std::int64_t> all_extents,
                                   std::vector<std::vector<std::int64_t>> all_shapes)
    : program(p), extents(std::move(all_extents)), shapes(std::move(all_shapes)) {
    for (ir::ref i = 0; i < p.indices.size(); ++i) {
        origin.push_back(i);
        letters_[detail::string_of(p.index(i))] = 1;
    }
    for (ir::ref n = 0; n < p.names.size(); ++n) names_[detail::string_of(p.name(n))] = 1;
}

ir::ref lettered_program::add_index(const std::string& letter, std::int64_t extent,
                                    std::int32_t mark) {
    const std::string text = unlike_others(letters_, letter);
    extents.push_back(extent);
    origin.push_back(ir::none);
    return program.indices.push({program.add_text(detail::view_of(text)), mark, ir::no_axis});
}

ir::ref lettered_program::add_name(const std::string& name, std::vector<std::int64_t> shape) {
    const std::string text = unlike_others(names_, name);
    shapes.push_back(std::move(shape));
    return program.add_name(detail::view_of(text));
}

lettered_program with_own_letters(const ir::program_view& p, const ir::shape_table& table) {
    lettered_program out;
    // Numbers of many digits say where these are among the characters.
    out.program.characters.append(p.characters.data, p.characters.count);
    for (ir::ref n = 0; n < p.names.size(); ++n) {
        std::vector<std::int64_t> shape;
        for (std::int32_t k = 0; k < table.rank(n); ++k) shape.push_back(table.extent(n, k));
        const ir::ref made = out.add_name(detail::string_of(p.name(n)), std::move(shape));
        out.program.names[made].in_norm = p.names[n].in_norm;
    }
    copier copy(p, table, out);
    for (ir::ref e = 0; e < p.equations.size(); ++e)
        if (ir::computes(p, p.equations[e])) copy.copy(e);
    return out;
}

}  // namespace ricci::mpi
