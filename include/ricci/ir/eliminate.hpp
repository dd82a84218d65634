// Eliminating Kronecker deltas: sum_j delta^{ij} x^j is x^i, so that a delta is never stored.
#pragma once

#include <cstdint>

#include <ricci/ir/primes.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::ir {

/// The indices of a delta between two plain indices; false for a delta at other positions.
template <class Program>
constexpr bool plain_delta(const Program& p, const node& x, ref& a, ref& b) {
    if (x.kind != op::delta) return false;
    const position &first = p.positions[x.positions.first],
                   &second = p.positions[x.positions.first + 1];
    if (first.kind != position_kind::index || second.kind != position_kind::index) return false;
    a = first.index;
    b = second.index;
    return true;
}

/// A sum over `over` of a product, with every delta that one of the summed indices is in used up.
class delta_sum {
public:
    constexpr delta_sum(program& p, const node& sum) : p_(p), source_(sum.source) {
        for (std::int32_t k = 0; k < sum.indices.count; ++k)
            over_.push(p.links[sum.indices.first + k]);
        const ref body = p.links[sum.children.first];
        const node product = p.nodes[body];
        if (product.kind != op::multiply) factors_.push(body);
        else factors_.append(p.links.data() + product.children.first, product.children.count);
    }
    /// The sum without those deltas, or none when there is none to use.
    constexpr ref run() {
        bool changed = false;
        while (use_one()) changed = true;
        if (!changed) return none;
        const ref body = factors_.empty() ? p_.number(1)
                         : factors_.size() == 1
                             ? factors_[0]
                             : p_.make(op::multiply, 0, factors_.data(), factors_.size(), source_);
        if (over_.empty()) return body;
        const range list = p_.add_links(over_);
        return p_.reduce(reduction::sum, list, body, source_);
    }

private:
    constexpr bool use_one() {
        for (std::int32_t k = 0; k < factors_.size(); ++k) {
            ref a = none, b = none;
            if (!plain_delta(p_, p_.nodes[factors_[k]], a, b)) continue;
            const bool first = is_summed(a);
            if (a != b && ((!first && !is_summed(b)) || in_softmax(a) || in_softmax(b))) continue;
            drop(factors_, k);
            if (a == b) return true;
            const ref gone = first ? a : b, stays = first ? b : a;
            index_map renamed;
            renamed.set(gone, stays);
            rename_counts(p_, factors_, over_, renamed);
            for (std::int32_t i = 0; i < over_.size(); ++i)
                if (over_[i] == gone) drop(over_, i);
            for (ref& f : factors_) f = rename_indices(p_, f, renamed);
            return true;
        }
        return false;
    }
    constexpr bool in_softmax(ref index) const {
        for (ref f : factors_)
            if (has_softmax_over(p_, f, index)) return true;
        return false;
    }
    constexpr bool is_summed(ref index) const {
        for (ref i : over_)
            if (i == index) return true;
        return false;
    }
    static constexpr void drop(detail::buffer<ref>& list, std::int32_t at) {
        for (std::int32_t k = at; k + 1 < list.size(); ++k) list[k] = list[k + 1];
        list.shrink(list.size() - 1);
    }

    program& p_;
    source_span source_;
    detail::buffer<ref> over_;
    detail::buffer<ref> factors_;
};

/// A copy of an expression without the deltas that a sum uses up.
constexpr ref eliminate_deltas(program& p, ref n) {
    const ref inside =
        rebuild_children(p, n, [&](ref child) { return eliminate_deltas(p, child); });
    const node x = p.nodes[inside];
    if (x.kind != op::reduce || x.detail != static_cast<std::uint8_t>(reduction::sum))
        return inside;
    const ref without = delta_sum(p, x).run();
    return without == none ? inside : without;
}

}  // namespace ricci::ir
