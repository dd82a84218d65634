// Expressions where a loop is what a tensor says: [v = x_i] T^{va} summed over v is T^{x_i a}.
#include <utility>
#include <vector>

#include "src/plan/pool/expression.hpp"

namespace ricci::plan {

// A load or a gather, of whose axes some are read by the loop as it is.
expr graph::loaded_at(expr load, loop l, expr number) {
    const expression node = (*this)[load];
    if (has_edge(node.source) || node.arguments.size() != node.lookups.size()) return expr::none;
    access source = node.source;
    auto lookups = node.lookups;
    expr_list numbers = node.arguments;
    for (std::size_t axis = 0; axis < source.at.size(); ++axis) {
        place& p = source.at[axis];
        if (p.factor(l) == 0) continue;
        if (p.factor(l) != 1 || p.terms.size() != 1 || p.offset != 0) return expr::none;
        p = {};
        lookups.push_back({static_cast<std::int32_t>(axis)});
        numbers.push_back(number);
    }
    const expr lands = is_place(number, extent(l));
    return gather(std::move(source), std::move(lookups), std::move(numbers), {&lands, 1},
                  node.condition);
}

expr graph::at_number(expr e, loop l, expr number) {
    if (!contains((*this)[e].indices, l)) return e;
    bool has_form = true;
    const expr made = substituted(e, [&](expr part) -> expr {
        const auto& node = (*this)[part];
        if (!contains(node.indices, l)) return part;
        switch (node.kind) {
            case kind::load:
            case kind::gather: {
                bool inside = false;  // the loop is in what is looked up with
                for (const expr a : node.arguments)
                    inside = inside || contains((*this)[a].indices, l);
                const expr there = inside ? expr::none : loaded_at(part, l, number);
                has_form = has_form && there;
                return there ? there : part;
            }
            case kind::position: {
                const bool alone = node.at.terms.size() == 1 && node.at.terms[0].factor == 1 &&
                                   node.at.offset == 0 && node.at.edge == edge::none;
                has_form = has_form && alone;
                return alone ? number : part;
            }
            case kind::sum:
            case kind::fold:
                has_form = false;
                return part;
            default:
                return expr::none;
        }
    });
    return has_form ? made : expr::none;
}

}  // namespace ricci::plan
