#include "src/plan/matrices.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include <ricci/ir/rewrite.hpp>
#include <ricci/ir/solutions.hpp>
#include "src/plan/canonical.hpp"
#include "src/plan/grown_program.hpp"

namespace ricci::plan {
namespace {

class matrix_lifting {
public:
    matrix_lifting(const ir::program_view& program, const ir::shape_table& shapes)
        : p_(program), to_(program), shapes_(shapes) {}

    /// The copy; `origins` says for each of its equations which one it was or was taken from.
    ir::program rewritten(std::vector<ir::ref>& origins) {
        rewrite_equations(p_, to_, made_, origins, [&](ir::ref e, ir::ref body) {
            return lifted(e, ir::solution_writer(to_, false).write(body), true);
        });
        return std::move(to_);
    }

private:
    /// A tensor with an equation of its own, and which of the free indices stands at each axis.
    struct lifted_tensor {
        ir::ref name;
        std::vector<std::size_t> axes;
    };

    ir::ref lifted(ir::ref e, ir::ref n, bool whole) {
        if (to_.nodes[n].kind == ir::op::tensor || ir::is_power_of_zero(to_, to_.nodes[n]))
            return n;
        const ir::ref inside =
            ir::rebuild_children(to_, n, [&](ir::ref child) { return lifted(e, child, false); });
        if (!ir::is_of_matrix(to_.nodes[inside])) return inside;
        ir::node function = to_.nodes[inside];
        detail::buffer<ir::ref> operands;
        for (std::int32_t k = 0; k < function.children.count; ++k) {
            const ir::ref child = to_.links[function.children.first + k];
            operands.push(is_plain(child) ? child : defined(e, child, function.indices));
        }
        function.children = to_.add_links(operands);
        const ir::ref made = to_.nodes.push(function);
        return whole && has_plain_left_side(e) ? made : defined(e, made, {});
    }
    /// A tensor that is read at different indices, and nowhere else.
    bool is_plain(ir::ref n) const {
        const ir::node& x = to_.nodes[n];
        return x.kind == ir::op::tensor && x.children.count == 0 && are_plain(x.positions);
    }
    bool are_plain(ir::range at) const {
        for (std::int32_t k = 0; k < at.count; ++k) {
            const ir::position& q = to_.positions[at.first + k];
            if (q.kind != ir::position_kind::index) return false;
            for (std::int32_t j = 0; j < k; ++j)
                if (to_.positions[at.first + j].index == q.index) return false;
        }
        return true;
    }
    bool has_plain_left_side(ir::ref e) const { return are_plain(p_.equations[e].positions); }

    /// The expression as a tensor; its last axes are `last`, where it has these.
    ir::ref defined(ir::ref e, ir::ref body, ir::range last) {
        const canonical_form form =
            canonical(to_, body, [&](ir::ref i) { return shapes_.index_extent(e, i); });
        auto known = known_.find(form.spelling);
        if (known == known_.end()) {
            lifted_tensor made{new_name(to_), axes_of(form, last)};
            made_.push_back(
                {made.name, positions(made, form), body, false, p_.equations[e].source});
            known = known_.emplace(form.spelling, std::move(made)).first;
        }
        return to_.tensor(known->second.name, positions(known->second, form));
    }
    std::vector<std::size_t> axes_of(const canonical_form& form, ir::range last) const {
        const auto is_last = [&](std::size_t k) {
            for (std::int32_t l = 0; l < last.count; ++l)
                if (to_.links[last.first + l] == form.free[k]) return true;
            return false;
        };
        std::vector<std::size_t> axes;
        for (std::size_t k = 0; k < form.free.size(); ++k)
            if (!is_last(k)) axes.push_back(k);
        for (std::int32_t l = 0; l < last.count; ++l)
            for (std::size_t k = 0; k < form.free.size(); ++k)
                if (to_.links[last.first + l] == form.free[k]) axes.push_back(k);
        return axes;
    }
    ir::range positions(const lifted_tensor& t, const canonical_form& form) {
        const ir::range at{to_.positions.size(), static_cast<std::int32_t>(t.axes.size())};
        for (const auto k : t.axes) to_.positions.push(ir::index_position(form.free[k]));
        return at;
    }

    const ir::program_view& p_;
    ir::program to_;
    const ir::shape_table& shapes_;
    std::unordered_map<std::string, lifted_tensor> known_;
    std::vector<ir::equation> made_;
};

}  // namespace

std::optional<ir::program> lift_matrices(const ir::program_view& program, ir::shape_table& shapes,
                                         std::vector<slot>& slots, element type) {
    const auto& nodes = program.nodes;
    if (std::none_of(nodes.begin(), nodes.end(),
                     [](const ir::node& x) { return ir::is_of_matrix(x); }))
        return std::nullopt;
    std::vector<ir::ref> origins;
    ir::program result = matrix_lifting(program, shapes).rewritten(origins);
    carry_over(program, result, origins, {}, shapes, slots, type);
    return result;
}

}  // namespace ricci::plan
