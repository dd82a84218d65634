// Where a tensor is read, as a condition on an index of its own: what scatters a gradient.
#pragma once

#include <cstdint>

#include <ricci/derive/rules.hpp>
#include <ricci/ir/program.hpp>

namespace ricci::derive {

/// The place of (ha) on its axis: h n_a + a. `extent_of(index)`, here and below: how far an index
/// runs, as an expression.
template <class Program, class ExtentOf>
constexpr ref merged_place(Program& p, const ir::position& q, ExtentOf&& extent_of) {
    expression_builder b(p);
    ref place = ir::none;
    for (std::int32_t t = 0; t < q.terms.count; ++t) {
        const ref index = p.affine_terms[q.terms.first + t].index;
        const ref here = p.position_of(index);
        place = place == ir::none ? here : b.plus(b.times(place, extent_of(index)), here);
    }
    return place;
}

/// The place of 2i+1 or i-j on its axis, which starts where an index with a minus is largest.
template <class Program, class ExtentOf>
constexpr ref affine_place(Program& p, const ir::position& q, ExtentOf&& extent_of) {
    expression_builder b(p);
    detail::buffer<ref> sum;
    if (q.offset != 0 || q.terms.count == 0) sum.push(b.number(q.offset));
    for (std::int32_t t = 0; t < q.terms.count; ++t) {
        const ir::affine_term term = p.affine_terms[q.terms.first + t];
        const ref here = p.position_of(term.index);
        sum.push(term.coefficient == 1 ? here : b.times(b.number(term.coefficient), here));
        if (term.coefficient >= 0) continue;
        const ref reach = b.minus(extent_of(term.index), b.number(1));
        sum.push(term.coefficient == -1 ? reach : b.times(b.number(-term.coefficient), reach));
    }
    return sum.size() == 1 ? sum[0] : p.make(op::add, 0, sum.data(), sum.size());
}

/// 1 where the index of `axis` is the place that `q` reads, 0 elsewhere.
template <class Program, class ExtentOf>
constexpr ref is_at(Program& p, const ir::position& q, const ir::position& axis,
                    ExtentOf&& extent_of) {
    if (q.kind == ir::position_kind::index) {
        ir::node n = ir::blank_node(op::delta);
        n.positions = {p.positions.size(), 2};
        p.positions.push(q);
        p.positions.push(axis);
        return p.nodes.push(n);
    }
    const ref place = q.kind == ir::position_kind::merged ? merged_place(p, q, extent_of)
                                                          : affine_place(p, q, extent_of);
    return expression_builder(p).compare(ir::comparison::equal, p.position_of(axis.index), place);
}

}  // namespace ricci::derive
