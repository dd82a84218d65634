// Recognising what has a stable form: the written-out softmax, log-sum-exp,
// and logarithm of a determinant.
#pragma once

#include <cstdint>

#include <ricci/ir/normal.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::notation {

using ir::none;
using ir::ref;

constexpr bool is_apply(const ir::node& n, ir::function f) {
    return n.kind == ir::op::apply && n.detail == static_cast<std::uint8_t>(f);
}
constexpr bool is_reduce(const ir::node& n, ir::reduction r) {
    return n.kind == ir::op::reduce && n.detail == static_cast<std::uint8_t>(r);
}

/// Finds for each bound index of `other` that `found` lacks the index of x that it stands for, so
/// that the two are equal.
constexpr bool stands_for(ir::program& p, ref x, ref other, ir::range bound,
                          const ir::index_set& candidates, detail::buffer<ref>& found) {
    if (found.size() == bound.count) {
        ir::index_map renamed;
        for (std::int32_t k = 0; k < bound.count; ++k)
            renamed.set(p.links[bound.first + k], found[k]);
        return ir::normaliser(p).equal(x, ir::rename_indices(p, other, renamed));
    }
    for (ref j = 0, last = candidates.end(); j < last; ++j) {
        bool free = candidates.has(j);
        for (const ref taken : found) free = free && taken != j;
        if (!free) continue;
        found.push(j);
        if (stands_for(p, x, other, bound, candidates, found)) return true;
        found.shrink(found.size() - 1);
    }
    return false;
}

/// \frac{\exp(x)}{\sum_{j'} \exp(x with j' for j)} is softmax over j of x, and so for several
/// indices; none otherwise.
constexpr ref as_softmax(ir::program& p, const ir::node& quotient) {
    constexpr std::int32_t most = 3;
    const ir::node numerator = p.nodes[p.links[quotient.children.first]];
    const ir::node denominator = p.nodes[p.links[quotient.children.first + 1]];
    if (!is_apply(numerator, ir::function::exp) || !is_reduce(denominator, ir::reduction::sum))
        return none;
    const ir::node inside = p.nodes[p.links[denominator.children.first]];
    const ir::range bound = denominator.indices;
    if (!is_apply(inside, ir::function::exp) || bound.count > most) return none;
    const ref x = p.links[numerator.children.first];
    const ref other = p.links[inside.children.first];
    const ir::index_set all = ir::free_indices(p, x), below = ir::free_indices(p, other);
    for (std::int32_t k = 0; k < bound.count; ++k) {
        const ref b = p.links[bound.first + k];
        if (!below.has(b) || all.has(b)) return none;
    }
    // only a summed index of the denominator may stand for j: not a diagonal, not a constant
    ir::index_set candidates;
    for (ref j = 0, last = all.end(); j < last; ++j)
        if (all.has(j) && !below.has(j)) candidates.add(j);
    detail::buffer<ref> found;
    if (!stands_for(p, x, other, bound, candidates, found)) return none;
    const ir::range over = p.add_links(found);
    return p.reduce(ir::reduction::softmax, over, x, quotient.source);
}

/// \log \sum_j \exp(x) is logsumexp over j of x; none otherwise.
constexpr ref as_logsumexp(ir::program& p, const ir::node& logarithm) {
    const ir::node sum = p.nodes[p.links[logarithm.children.first]];
    if (!is_reduce(sum, ir::reduction::sum)) return none;
    const ir::node inside = p.nodes[p.links[sum.children.first]];
    if (!is_apply(inside, ir::function::exp)) return none;
    return p.reduce(ir::reduction::logsumexp, sum.indices, p.links[inside.children.first],
                    logarithm.source);
}

/// \log \det_{ij}(K) is computed without the determinant, which may be beyond all numbers; none
/// elsewhere.
constexpr ref as_log_of_determinant(ir::program& p, const ir::node& logarithm) {
    const ir::node determinant = p.nodes[p.links[logarithm.children.first]];
    if (!is_reduce(determinant, ir::reduction::determinant)) return none;
    return p.reduce(ir::reduction::log_of_determinant, determinant.indices,
                    p.links[determinant.children.first], logarithm.source);
}

/// A copy of an expression with every stable form in place of what was written out.
constexpr ref recognise(ir::program& p, ref n) {
    const ref inside = ir::rebuild_children(p, n, [&](ref child) { return recognise(p, child); });
    const ir::node x = p.nodes[inside];
    ref found = none;
    if (x.kind == ir::op::divide) found = as_softmax(p, x);
    if (is_apply(x, ir::function::log)) {
        found = as_logsumexp(p, x);
        if (found == none) found = as_log_of_determinant(p, x);
    }
    return found == none ? inside : found;
}

}  // namespace ricci::notation
