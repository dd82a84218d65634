// What says how far an index of a derived equation runs, where the tensor that said it has gone: a
// factor of 1 that reads one with an axis at the index, such as (X^{i0})^{0}.
#pragma once

#include <cstdint>

#include <ricci/derive/tidy.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::derive {

/// Whether a node is x^0: its value is 1 whatever x is, which stands there for its shape.
template <class Program>
constexpr bool is_witness(const Program& p, const ir::node& x) {
    if (x.kind != op::power) return false;
    const ir::node& exponent = p.nodes[p.links[x.children.first + 1]];
    return exponent.kind == op::number && exponent.value == 0;
}

/// The positions of a use of a tensor, with place 0 wherever an index is not in `scope`.
constexpr ir::range within(ir::program& p, ir::range use, const ir::index_set& scope) {
    detail::buffer<ir::position> list;
    for (std::int32_t k = 0; k < use.count; ++k) {
        bool inside = p.positions[use.first + k].kind != ir::position_kind::gathered;
        ir::for_each_index(p, {use.first + k, 1},
                           [&](ir::ref i) { inside = inside && scope.has(i); });
        list.push(inside ? p.positions[use.first + k] : ir::fixed_position(0));
    }
    const ir::range out{p.positions.size(), list.size()};
    p.positions.append(list.data(), list.size());
    return out;
}

/// Adds to `factors` what gives the extent of each index in `summed` that they do not give, from the
/// tensors of `source`: the expression that was differentiated, where something has to give it.
constexpr void add_witnesses(ir::program& p, detail::buffer<ir::ref>& factors, ir::ref source,
                             const ir::index_set& summed, const ir::index_set& scope) {
    for (ir::ref i = 0; i < summed.end(); ++i) {
        if (!summed.has(i)) continue;
        bool shown = false;
        for (ir::ref f : factors) shown = shown || shows_extent(p, f, i);
        if (shown) continue;
        ir::ref use = ir::none;
        ir::for_each_node(p, source, [&](ir::ref n) {
            if (p.nodes[n].kind == ir::op::tensor && shows_extent(p, n, i)) use = n;
        });
        if (use == ir::none) continue;  // the caller gives it, or positions that stand here as well
        const ir::node x = p.nodes[use];
        const ir::ref read = p.tensor(x.name, within(p, x.positions, scope));
        factors.push(p.make(ir::op::power, read, p.number(0)));
    }
}

/// The product of factors that is summed over `path` and every index that `left` does not have, with
/// what gives the extents that no tensor and no axis of `left` gives. `source`: the right side of the equation that was differentiated.
constexpr ir::ref witnessed_product(ir::program& p, detail::buffer<ir::ref>& all, ir::range left,
                                    const detail::buffer<ir::ref>& path, ir::ref source) {
    const ir::ref product = product_of(p, all);
    ir::index_set summed = ir::free_indices(p, product);
    for (ir::ref i : path) summed.add(i);
    ir::index_set scope = summed;
    for (std::int32_t k = 0; k < left.count; ++k) {
        // an axis of (ha) does not say how long h and a are
        const bool plain = p.positions[left.first + k].kind == ir::position_kind::index;
        ir::for_each_index(p, {left.first + k, 1}, [&](ir::ref i) {
            scope.add(i);
            if (plain) summed.remove(i);
            else summed.add(i);
        });
    }
    detail::buffer<ref> factors;  // what has cancelled shows no extent
    factors.push(product);
    add_witnesses(p, factors, source, summed, scope);
    return factors.size() == 1 ? product : product_of(p, factors);
}

}  // namespace ricci::derive
