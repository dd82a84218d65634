// Logarithms of what exponentials are made of: \log \operatorname{softmax}(S) changes as S less its
// log-sum-exp, also where the softmax itself has become 0.
#pragma once

#include <cstdint>

#include <ricci/derive/places.hpp>
#include <ricci/derive/product.hpp>
#include <ricci/derive/rules.hpp>
#include <ricci/derive/tidy.hpp>
#include <ricci/ir/primes.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::derive {

/// Which logarithms go through what they are of, and through which tensors: those that the program
/// defines, but for the ones in `asked`, whose derivatives are wanted themselves.
template <class Program>
class stable_logarithms {
public:
    constexpr stable_logarithms(Program& p, const detail::buffer<ref>& asked)
        : p_(p), asked_(asked) {}

    /// Of an exponential, a softmax, \sigma(x), 1 - \sigma(x), of products and powers of those, and
    /// of tensors that are one.
    constexpr bool goes_through(ref n, std::int32_t depth = 0) const {
        const ir::node& x = p_.nodes[n];
        if (depth > 8) return false;
        switch (x.kind) {
            case op::apply:
                return is(x, function::exp) || is(x, function::sigmoid) ||
                       (is(x, function::sqrt) && goes_through(child(n, 0), depth + 1));
            case op::reduce:
                return x.detail == static_cast<std::uint8_t>(ir::reduction::softmax);
            case op::multiply:
            case op::divide:
                for (std::int32_t k = 0; k < x.children.count; ++k)
                    if (goes_through(child(n, k), depth + 1)) return true;
                return false;
            case op::power: {
                constant e;
                return is_constant(p_, child(n, 1), e) && goes_through(child(n, 0), depth + 1);
            }
            case op::add:
                return sigmoid_below_one(n, depth) != ir::none;
            case op::tensor: {
                const ref e = definition(x);
                return e != ir::none && goes_through(p_.equations[e].body, depth + 1);
            }
            default:
                return false;
        }
    }

    /// The p of 1 - p, if p is a \sigma(x) or a tensor that is one; else none.
    constexpr ref sigmoid_below_one(ref n, std::int32_t depth = 0) const {
        const ir::node& x = p_.nodes[n];
        if (x.kind != op::add || x.children.count != 2) return ir::none;
        for (std::int32_t k = 0; k < 2; ++k) {
            const ref other = child(n, 1 - k);
            const ir::node& minus = p_.nodes[other];
            constant one, c;
            if (!is_constant(p_, child(n, k), one) || !one.is(1)) continue;
            if (minus.kind != op::multiply || minus.children.count != 2 ||
                !is_constant(p_, child(other, 0), c) || !c.is(-1))
                continue;
            if (is_sigmoid(child(other, 1), depth)) return child(other, 1);
        }
        return ir::none;
    }

    /// \log n for an n that the logarithm goes through, as an expression without it: of a softmax s
    /// of v it is v less the log-sum-exp of v. `value`: an expression for n, of which derivatives
    /// are made.
    constexpr ref of(ref n, ref value) {
        expression_builder b(p_);
        const ir::node x = p_.nodes[n];
        if (!goes_through(n)) return b.apply(function::log, n);
        if (const ref p = sigmoid_below_one(n); p != ir::none) return of_rest(p);
        constant e{1, 2};
        switch (x.kind) {
            case op::apply: {
                const ref argument = child(n, 0);
                if (is(x, function::exp)) return argument;
                if (is(x, function::sqrt)) break;
                return b.minus_of(b.apply(function::softplus, b.minus_of(argument)));
            }
            case op::power:
                is_constant(p_, child(n, 1), e);
                break;
            case op::reduce:
                return of_softmax(n, value);
            case op::tensor:
                return at_definition(n, [&](ref body, ref here) { return of(body, here); });
            default: {
                detail::buffer<ref> terms;
                for (std::int32_t k = 0; k < x.children.count; ++k) {
                    const ref each = of(child(n, k), child(n, k));
                    terms.push(x.kind == op::divide && k > 0 ? b.minus_of(each) : each);
                }
                return p_.make(op::add, 0, terms.data(), terms.size());
            }
        }
        return b.times(make_constant(p_, e), of(child(n, 0), child(n, 0)));
    }
    /// The softmax that belongs to a log-sum-exp made here, where a tensor holds it; else none.
    constexpr ref weights_of(ref logsumexp) const {
        for (const weights& w : weights_)
            if (w.logsumexp == logsumexp) return w.softmax;
        return ir::none;
    }
    constexpr void start_equation() { weights_.clear(); }
    /// Not through tensors: where the chain rule is asked for one step at a time.
    constexpr void stay_in_equations() { in_equations_ = true; }

private:
    struct weights {
        ref logsumexp;
        ref softmax;
    };

    static constexpr bool is(const ir::node& x, function f) {
        return x.kind == op::apply && x.detail == static_cast<std::uint8_t>(f);
    }
    constexpr ref child(ref n, std::int32_t k) const {
        return p_.links[p_.nodes[n].children.first + k];
    }
    constexpr bool is_sigmoid(ref n, std::int32_t depth) const {
        const ir::node& x = p_.nodes[n];
        if (is(x, function::sigmoid)) return true;
        const ref e = x.kind == op::tensor && depth < 8 ? definition(x) : ir::none;
        return e != ir::none && is_sigmoid(p_.equations[e].body, depth + 1);
    }
    /// The only equation of a tensor, if it has an index of its own for each axis, and if what is
    /// read of it is a place with a form that the axis can take.
    constexpr ref definition(const ir::node& use) const {
        if (in_equations_) return ir::none;
        for (const ref name : asked_)
            if (name == use.name) return ir::none;
        ref found = ir::none;
        for (std::int32_t e = 0; e < p_.equations.size(); ++e) {
            if (p_.equations[e].claim || p_.equations[e].name != use.name) continue;
            if (found != ir::none) return ir::none;
            found = e;
        }
        if (found == ir::none) return ir::none;
        const ir::range left = p_.equations[found].positions;
        ir::index_set seen;
        for (std::int32_t k = 0; k < left.count; ++k) {
            const ir::position& q = p_.positions[left.first + k];
            if (q.kind != ir::position_kind::index || seen.has(q.index)) return ir::none;
            seen.add(q.index);
            if (p_.positions[use.positions.first + k].kind == ir::position_kind::merged)
                return ir::none;
        }
        return found;
    }

    constexpr ref of_softmax(ref n, ref value) {
        const ir::node x = p_.nodes[n];
        const ref body = child(n, 0);
        ir::index_set taken = ir::free_indices(p_, n);
        ir::add_indices(p_, body, taken);
        ir::index_map renamed;
        detail::buffer<ref> over;
        for (std::int32_t k = 0; k < x.indices.count; ++k) {
            const ref i = p_.links[x.indices.first + k];
            over.push(ir::with_more_primes(p_, i, taken));
            taken.add(over.back());
            renamed.set(i, over.back());
        }
        const ref inside = ir::rename_indices(p_, ir::freshen_bound(p_, body), renamed);
        const ref all = p_.reduce(ir::reduction::logsumexp, p_.add_links(over), inside);
        if (p_.nodes[value].kind == op::tensor)
            weights_.push({all, ir::rename_indices(p_, value, renamed)});
        expression_builder b(p_);  // what is read last comes first in a gradient: v as it is
        return b.plus(b.minus_of(all), body);
    }
    /// \log(1 - \sigma(x)) = -\operatorname{softplus}(x)
    constexpr ref of_rest(ref p) {
        if (p_.nodes[p].kind == op::tensor)
            return at_definition(p, [&](ref body, ref) { return of_rest(body); });
        expression_builder b(p_);
        return b.minus_of(b.apply(function::softplus, child(p, 0)));
    }
    /// What `make` gives for the definition of a tensor at the indices of the use: an axis that is
    /// read otherwise than by an index gets one of its own, and a condition.
    template <class Make>
    constexpr ref at_definition(ref use, Make make) {
        const ir::node x = p_.nodes[use];
        const ir::equation q = p_.equations[definition(x)];
        ir::index_map renamed;
        ir::index_set seen;
        detail::buffer<ir::position> list;
        detail::buffer<ref> own, conditions;
        for (std::int32_t k = 0; k < x.positions.count; ++k) {
            const ir::position at = p_.positions[x.positions.first + k];
            const ref index = p_.positions[q.positions.first + k].index;
            const bool simple = at.kind == ir::position_kind::index && !seen.has(at.index);
            const auto fresh = [&](ref like) {
                return index_like(p_, fresh_letter(p_), p_.indices[like].along);
            };
            const ir::position here = simple ? at : ir::index_position(fresh(index));
            if (here.index != index) renamed.set(index, here.index);
            list.push(here);
            seen.add(here.index);
            if (simple) continue;
            own.push(here.index);
            if (at.kind == ir::position_kind::gathered)
                conditions.push(expression_builder(p_).compare(
                    ir::comparison::equal, p_.position_of(here.index),
                    p_.links[x.children.first + at.offset]));
            else
                conditions.push(
                    is_at(p_, at, here, [&](ref i) { return count_over(p_, fresh(i)); }));
        }
        const ir::range positions{p_.positions.size(), list.size()};
        p_.positions.append(list.data(), list.size());
        const ref body = renamed.empty()
                             ? q.body
                             : ir::rename_indices(p_, ir::freshen_bound(p_, q.body), renamed);
        const ref made = make(body, own.empty() ? use : p_.tensor(x.name, positions));
        if (own.empty()) return made;
        conditions.push(made);
        return p_.reduce(ir::reduction::sum, p_.add_links(own), make_product(p_, conditions));
    }

    Program& p_;
    const detail::buffer<ref>& asked_;
    bool in_equations_ = false;
    detail::buffer<weights> weights_;  // of the equation in hand
};

}  // namespace ricci::derive
