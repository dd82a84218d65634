// Sums of squares: where one is 0, every square is 0 and so is what changes it. A chain rule
// through its root would multiply that 0 by infinity.
#pragma once

#include <cstdint>

#include <ricci/derive/product.hpp>
#include <ricci/derive/rules.hpp>
#include <ricci/ir/functions.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::derive {

/// Whether a power is an even whole one, 2 or more.
constexpr bool is_even(const constant& e) {
    return e.below == 1 && e.above >= 2 && constant::whole(e.above / 2);
}

/// Whether the value of `n` is a factor, so that a slope that divides by it does not any more.
template <class Program>
constexpr bool has_factor(const Program& p, ref product, ref n) {
    if (product == n || ir::same_expression(p, product, n)) return true;
    const ir::node& x = p.nodes[product];
    constant e;
    if (x.kind == op::power)
        return is_constant(p, p.links[x.children.first + 1], e) && e.above >= e.below &&
               has_factor(p, p.links[x.children.first], n);
    for (std::int32_t k = 0; x.kind == op::multiply && k < x.children.count; ++k)
        if (has_factor(p, p.links[x.children.first + k], n)) return true;
    return x.kind == op::divide && has_factor(p, p.links[x.children.first], n);
}
template <class Program>
constexpr bool has_factor(const Program& p, const detail::buffer<ref>& list, ref n) {
    for (const ref f : list)
        if (has_factor(p, f, n)) return true;
    return false;
}

/// Looks through expressions of real numbers, and through the tensors that the program defines but
/// for those that are asked about, `wrt`.
template <class Program>
class squares {
public:
    constexpr squares(const Program& p, const detail::buffer<ref>& wrt,
                      const detail::buffer<bool>& active)
        : p_(p), wrt_(wrt), active_(active) {}

    /// Nothing is promised of a "no". What does not change may be a factor of the whole.
    constexpr bool is_sum(ref n) { return is_sum(n, true); }

private:
    constexpr ref child(const ir::node& x, std::int32_t k) const {
        return p_.links[x.children.first + k];
    }
    static constexpr bool is(const ir::node& x, ir::function f) {
        return x.kind == op::apply && x.detail == static_cast<std::uint8_t>(f);
    }
    constexpr bool is_fixed(ref n) const {
        const ir::node& x = p_.nodes[n];
        if (x.kind == op::tensor && x.name < active_.size() && active_[x.name]) return false;
        for (std::int32_t k = 0; k < x.children.count; ++k)
            if (!is_fixed(child(x, k))) return false;
        return true;
    }
    template <class Test>
    constexpr bool all_children(const ir::node& x, Test test) {
        for (std::int32_t k = 0; k < x.children.count; ++k)
            if (!test(child(x, k))) return false;
        return x.children.count > 0;
    }
    /// Whether the equations of a tensor that the program defines all pass.
    template <class Test>
    constexpr bool all_definitions(ref name, Test test) {
        for (const ref asked : wrt_)
            if (asked == name) return false;
        if (depth_ > 8) return false;
        bool any = false, all = true;
        ++depth_;
        for (std::int32_t k = 0; k < p_.equations.size() && all; ++k) {
            const ir::equation& e = p_.equations[k];
            if (e.claim || e.name != name) continue;
            any = true;
            all = test(e.body);
        }
        --depth_;
        return any && all;
    }

    /// `alone`: what is true of the sign of a fixed factor is true of all that it stands before.
    constexpr bool is_sum(ref n, bool alone) {
        const ir::node x = p_.nodes[n];
        constant c;
        switch (x.kind) {
            case op::add:
                return all_children(x, [&](ref k) { return is_sum(k, false); });
            case op::reduce:
                return (x.detail == static_cast<std::uint8_t>(ir::reduction::sum) ||
                        x.detail == static_cast<std::uint8_t>(ir::reduction::mean)) &&
                       is_sum(child(x, 0), false);
            case op::divide:
                return is_factor(child(x, 1), alone) && is_sum(child(x, 0), alone);
            case op::multiply:
                return is_product(x, alone);
            case op::power:
                return is_constant(p_, child(x, 1), c) && is_even(c);
            case op::tensor:
                return all_definitions(x.name, [&](ref body) { return is_sum(body, alone); });
            default:
                return false;
        }
    }
    constexpr bool is_factor(ref n, bool alone) {
        return is_fixed(n) && (alone || is_nonnegative(n));
    }
    /// Of fixed factors, squares, and others that stand there twice.
    constexpr bool is_product(const ir::node& x, bool alone) {
        detail::buffer<ref> single;
        bool any = false;
        for (std::int32_t k = 0; k < x.children.count; ++k) {
            const ref n = child(x, k);
            if (is_factor(n, alone)) continue;
            if (is_sum(n, alone)) {
                any = true;
                continue;
            }
            bool twice = false;
            for (std::int32_t j = 0; j < single.size() && !twice; ++j) {
                if (!ir::same_expression(p_, single[j], n)) continue;
                single[j] = single.back();
                single.shrink(single.size() - 1);
                twice = any = true;
            }
            if (!twice) single.push(n);
        }
        return any && single.empty();
    }
    constexpr bool is_nonnegative(ref n) {
        const ir::node x = p_.nodes[n];
        constant c;
        switch (x.kind) {
            case op::number:
                return x.value >= 0;
            case op::compare:
            case op::delta:
                return true;
            case op::add:
            case op::multiply:
            case op::divide:
                return all_children(x, [&](ref k) { return is_nonnegative(k); });
            case op::power:
                return is_constant(p_, child(x, 1), c) && is_even(c);
            case op::apply:
                return is(x, function::absolute) || is(x, function::exp) || is(x, function::sqrt) ||
                       is(x, function::sigmoid) || is(x, function::relu) ||
                       is(x, function::softplus);
            case op::reduce:
                return x.detail == static_cast<std::uint8_t>(ir::reduction::softmax) ||
                       (!ir::is_of_matrix(x) && is_nonnegative(child(x, 0)));
            case op::tensor:
                return all_definitions(x.name, [&](ref body) { return is_nonnegative(body); });
            default:
                return false;
        }
    }

    const Program& p_;
    const detail::buffer<ref>& wrt_;
    const detail::buffer<bool>& active_;
    std::int32_t depth_ = 0;
};

}  // namespace ricci::derive
