// The value of a program, element by element, in the numbers in which claims are tried.
// What judges claims is made of templates from here on: a file without claims reads them, and the
// compiler builds nothing of them.
#pragma once

#include <cstdint>

#include <ricci/derive/number_functions.hpp>
#include <ricci/derive/number_matrices.hpp>
#include <ricci/ir/extrema.hpp>
#include <ricci/ir/rewrite.hpp>
#include <ricci/ir/shapes.hpp>

namespace ricci::derive {

/// Evaluates a program whose equations are in order. `work` counts the nodes that are visited;
/// beyond `most` everything is unknown.
template <class Program = ir::program_view, class Shapes = ir::shape_table, class Number = number>
class evaluation {
    // Before its callers, where clang looks for it while it evaluates constants.
    /// Every combination of the indices; those that the reduction `binder` binds have its extents.
    template <class Body>
    constexpr void loop(const detail::buffer<ir::ref>& over, ir::ref binder, std::int32_t k,
                        const Body& body) {
        if (gave_up()) return;
        if (k == over.size()) return body();
        const ir::ref i = over[k];
        const std::int64_t before = at_[i], extent = extents_[i];
        const std::int64_t n = binder == ir::none ? shapes_.index_extent(equation_, i)
                                                  : shapes_.bound_extent(equation_, binder, i);
        extents_[i] = n;
        for (at_[i] = 0; at_[i] < n; ++at_[i]) loop(over, binder, k + 1, body);
        at_[i] = before;
        extents_[i] = extent;
    }

public:
    constexpr evaluation(const ir::program_view& p, const Shapes& shapes, std::int64_t most)
        : p_(p), shapes_(shapes), most_(most) {
        first_.resize(p.names.size(), ir::none);
        at_.resize(p.indices.size(), 0);
        extents_.resize(p.indices.size(), 0);
    }
    constexpr bool gave_up() const { return work_ > most_; }
    constexpr std::int64_t work() const { return work_; }
    constexpr std::int64_t count(ir::ref name) const {
        std::int64_t all = 1;
        for (std::int32_t k = 0; k < shapes_.rank(name); ++k) all *= shapes_.extent(name, k);
        return all;
    }
    /// The values of an input, in the order of its axes, the last fastest.
    template <class Draw>
    constexpr void set_input(ir::ref name, const Draw& draw) {
        first_[name] = values_.size();
        const std::int64_t all = count(name);
        for (std::int64_t k = 0; k < all; ++k) values_.push(draw(k));
    }
    /// Computes all tensors that the equations define, in their order.
    constexpr void run() {
        for (ir::ref e = 0; e < p_.equations.size() && !gave_up(); ++e) compute(e);
    }
    /// The value number `k` of a tensor.
    constexpr Number value(ir::ref name, std::int64_t k) const {
        return first_[name] == ir::none ? Number::unknown()
                                        : values_[first_[name] + static_cast<std::int32_t>(k)];
    }

private:
    constexpr void compute(ir::ref e) {
        const ir::equation q = p_.equations[e];
        const std::int32_t first = values_.size();
        values_.resize(first + static_cast<std::int32_t>(count(q.name)), Number::whole(0));
        equation_ = e;
        detail::buffer<ir::ref> free;
        ir::index_set seen;
        ir::for_each_index(p_, q.positions, [&](ir::ref i) {
            if (!seen.has(i)) free.push(i);
            seen.add(i);
        });
        loop(free, ir::none, 0, [&] {
            const std::int64_t place = place_of(q.name, q.positions, {});
            if (place >= 0) values_[first + static_cast<std::int32_t>(place)] = evaluate(q.body);
        });
        first_[q.name] = first;
    }

    /// Where a use of a tensor reads or writes; -1 outside of it.
    constexpr std::int64_t place_of(ir::ref name, ir::range at, ir::range children) {
        std::int64_t place = 0;
        for (std::int32_t k = 0; k < at.count; ++k) {
            const ir::position q = p_.at(at, k);
            std::int64_t here = at_position(q);
            if (q.kind == ir::position_kind::gathered) {
                const Number read = evaluate(p_.links[children.first + q.offset]);
                here = read.is_whole() ? static_cast<std::int64_t>(read.re) : -1;
            }
            const std::int64_t n = shapes_.extent(name, k);
            if (here < 0 || here >= n) return -1;
            place = place * n + here;
        }
        return place;
    }
    constexpr std::int64_t at_position(const ir::position& q) const {
        if (q.kind == ir::position_kind::index) return at_[q.index];
        std::int64_t place = q.kind == ir::position_kind::merged ? 0 : q.offset;
        for (std::int32_t t = 0; t < q.terms.count; ++t) {
            const ir::affine_term& term = p_.affine_terms[q.terms.first + t];
            if (q.kind == ir::position_kind::merged) {
                place = place * extents_[term.index] + at_[term.index];
                continue;
            }
            place += term.coefficient * at_[term.index];
            if (term.coefficient < 0) place -= term.coefficient * (extents_[term.index] - 1);
        }
        return place;
    }

    constexpr Number evaluate(ir::ref n) {
        if (++work_ > most_) return Number::unknown();
        const ir::node& x = p_.nodes[n];
        switch (x.kind) {
            case ir::op::number:
                return written(p_, x);
            case ir::op::imaginary_unit:
                return Number::imaginary_unit();
            case ir::op::tensor: {
                const std::int64_t place = place_of(x.name, x.positions, x.children);
                return place < 0 ? Number::unknown() : value(x.name, place);
            }
            case ir::op::add: {
                Number total = evaluate(p_.child(x, 0));
                for (std::int32_t k = 1; k < x.children.count; ++k)
                    total = total + evaluate(p_.child(x, k));
                return total;
            }
            case ir::op::multiply:
                return product(x);
            case ir::op::divide: {
                const Number above = evaluate(p_.child(x, 0));
                if (above.is_zero() && is_condition(p_.child(x, 0))) return above;
                return above / evaluate(p_.child(x, 1));
            }
            case ir::op::power: {
                const Number exponent = evaluate(p_.child(x, 1));
                if (exponent.is_zero()) return Number::whole(1);
                return power(evaluate(p_.child(x, 0)), exponent);
            }
            case ir::op::apply:
                return value_of(static_cast<ir::function>(x.detail), evaluate(p_.child(x, 0)),
                                x.children.count > 1 ? evaluate(p_.child(x, 1)) : Number::whole(0));
            case ir::op::reduce:
                return reduce(n);
            case ir::op::delta: {
                const bool equal =
                    at_position(p_.at(x.positions, 0)) == at_position(p_.at(x.positions, 1));
                return Number::whole(equal ? 1 : 0);
            }
            case ir::op::position:
                return Number::whole(at_position(p_.at(x.positions, 0)));
            case ir::op::compare:
                return compare(x);
            case ir::op::choose:
                for (std::int32_t k = 0; k + 1 < x.children.count; k += 2) {
                    const Number condition = evaluate(p_.child(x, k + 1));
                    if (sign_of(condition) == 2) return Number::unknown();
                    if (sign_of(condition) != 0) return evaluate(p_.child(x, k));
                }
                return evaluate(p_.child(x, x.children.count - 1));
            default:
                return Number::unknown();
        }
    }
    /// A factor that says where the others count: what it excludes is not looked at.
    constexpr bool is_condition(ir::ref n) const {
        const ir::node& x = p_.nodes[n];
        if (x.kind == ir::op::multiply) {
            for (std::int32_t k = 0; k < x.children.count; ++k)
                if (is_condition(p_.child(x, k))) return true;
            return false;
        }
        return x.kind == ir::op::delta || x.kind == ir::op::compare ||
               (x.kind == ir::op::apply &&
                x.detail == static_cast<std::uint8_t>(ir::function::logical_not));
    }
    constexpr Number product(const ir::node& x) {
        Number all = Number::whole(1);
        for (std::int32_t pass = 0; pass < 2; ++pass)
            for (std::int32_t k = 0; k < x.children.count; ++k) {
                const ir::ref factor = p_.child(x, k);
                if (is_condition(factor) != (pass == 0)) continue;
                const Number value = evaluate(factor);
                if (pass == 0 && value.is_zero()) return value;
                all = all * value;
            }
        return all;
    }
    constexpr Number compare(const ir::node& x) {
        const Number a = evaluate(p_.child(x, 0));
        const auto c = static_cast<ir::comparison>(x.detail);
        const int first = sign_of(a);
        const auto truth = [](bool holds) { return Number::whole(holds ? 1 : 0); };
        if (c == ir::comparison::logical_and && first == 0) return truth(false);
        if (c == ir::comparison::logical_or && (first == 1 || first == -1)) return truth(true);
        const Number b = evaluate(p_.child(x, 1));
        const int second = sign_of(b);
        if (c == ir::comparison::logical_and || c == ir::comparison::logical_or) {
            if (first == 2 || second == 2) return Number::unknown();
            return truth(second != 0);
        }
        const int order = order_of(a, b);
        if (order == 2) return Number::unknown();
        switch (c) {
            case ir::comparison::less:
                return truth(order < 0);
            case ir::comparison::less_equal:
                return truth(order <= 0);
            case ir::comparison::equal:
                return truth(order == 0);
            default:
                return truth(order != 0);
        }
    }
    static constexpr int order_of(const Number& a, const Number& b) {
        const bool finite = a.is_finite() && b.is_finite();
        if (finite) return sign_of(a - b);
        if (!a.is_known || !b.is_known) return 2;
        return a.re < b.re ? -1 : a.re > b.re ? 1 : 0;
    }
    constexpr Number reduce(ir::ref n) {
        const ir::node x = p_.nodes[n];
        detail::buffer<ir::ref> over;
        for (std::int32_t k = 0; k < x.indices.count; ++k) over.push(p_.reduced(x, k));
        const auto kind = static_cast<ir::reduction>(x.detail);
        if (ir::is_of_matrix(kind)) return of_matrix(n, x, kind);
        const ir::ref body = p_.child(x, 0);
        const bool soft = kind == ir::reduction::softmax || kind == ir::reduction::logsumexp;
        if (ir::gives_place(kind)) return place(n, over[0], body, kind == ir::reduction::argmax);
        const Number here = kind == ir::reduction::softmax ? evaluate(body) : Number::whole(0);
        detail::buffer<Number> row;  // for the exponentials, which need the greatest value first
        Number total = Number::whole(0), most = total, least = total;
        std::int64_t count = 0;
        loop(over, ir::binds(x) ? n : ir::none, 0, [&] {
            const Number value = evaluate(body);
            total = total + value;
            most = count == 0 ? value : extremum_of(most, value, true);
            least = count == 0 ? value : extremum_of(least, value, false);
            if (soft) row.push(value);
            ++count;
        });
        switch (kind) {
            case ir::reduction::sum:
                return total;
            case ir::reduction::mean:
                return total / Number::whole(count);
            case ir::reduction::maximum:
                return most;
            case ir::reduction::minimum:
                return least;
            default:
                break;
        }
        if (!most.is_known) return most;
        if (!most.is_finite())  // a row that is masked everywhere
            return kind == ir::reduction::softmax ? Number::whole(0) : most;
        // any number near the greatest keeps the exponentials small: a whole one is exact
        const Number base = Number::whole(static_cast<std::int64_t>(most.re));
        Number weights = Number::whole(0);
        for (const Number& value : row) weights = weights + exponential(value - base);
        if (kind == ir::reduction::logsumexp) return base + logarithm(weights);
        return exponential(here - base) / weights;
    }
    /// The first place of the largest or the smallest value.
    constexpr Number place(ir::ref n, ir::ref index, ir::ref body, bool largest) {
        detail::buffer<ir::ref> over;
        over.push(index);
        Number best = Number::unknown(), found = Number::whole(0);
        std::int64_t count = 0;
        bool known = true;
        loop(over, n, 0, [&] {
            const Number value = evaluate(body);
            const int order = count == 0 ? 0 : order_of(value, best);
            known = known && order != 2;
            if (count == 0 || order == (largest ? 1 : -1)) best = value;
            if (order == (largest ? 1 : -1)) found = Number::whole(count);
            ++count;
        });
        return known ? found : Number::unknown();
    }
    /// A function of the matrix over its two indices, at their current values where it keeps them.
    constexpr Number of_matrix(ir::ref n, const ir::node& x, ir::reduction kind) {
        const ir::ref i = p_.reduced(x, 0), j = p_.reduced(x, 1);
        const std::int64_t row = at_[i], column = at_[j];
        detail::buffer<ir::ref> over;
        over.push(i);
        over.push(j);
        matrix_of<Number> all;
        loop(over, ir::binds(x) ? n : ir::none, 0,
             [&] { all.elements.push(evaluate(p_.child(x, 0))); });
        while (all.n * all.n < all.elements.size()) ++all.n;
        if (gave_up() || all.n * all.n != all.elements.size()) return Number::unknown();
        work_ += std::int64_t{all.n} * all.n * all.n;
        switch (kind) {
            case ir::reduction::inverse:  // its element (j, i)
                return all.inverse(static_cast<std::int32_t>(column),
                                   static_cast<std::int32_t>(row));
            case ir::reduction::cholesky:
                return all.cholesky(static_cast<std::int32_t>(row),
                                    static_cast<std::int32_t>(column));
            case ir::reduction::determinant:
                return all.determinant();
            default:
                break;
        }
        const Number value = all.determinant();
        if (kind == ir::reduction::log_of_determinant) return logarithm(value);
        return logarithm(value_of(ir::function::absolute, value, Number::whole(0)));
    }

    Program p_;
    const Shapes& shapes_;
    std::int64_t most_;
    std::int64_t work_ = 0;
    ir::ref equation_ = 0;
    detail::buffer<std::int32_t>
        first_;  // by name: where its values begin; none until it is computed
    detail::buffer<Number> values_;
    detail::buffer<std::int64_t> at_;       // by index: its current value
    detail::buffer<std::int64_t> extents_;  // by index: how far it runs there
};

}  // namespace ricci::derive
