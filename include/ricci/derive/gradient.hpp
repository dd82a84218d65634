// Reverse-mode differentiation of a program, by rules for each kind of node, to a program.
#pragma once

#include <cstdint>

#include <ricci/derive/contributions.hpp>
#include <ricci/derive/differentiation.hpp>
#include <ricci/derive/places.hpp>
#include <ricci/derive/rules.hpp>
#include <ricci/derive/strong_zeros.hpp>
#include <ricci/derive/tidy.hpp>
#include <ricci/ir/compact.hpp>
#include <ricci/ir/mistake.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::derive {

/// Walks the equations from last to first. The cotangent of an expression is kept as a list of
/// factors with the place of the expression's own factor, so that a derived product reads in the
/// order of the original: Q = X W gives dL/dW = X dL/dQ.
template <class Program = ir::program>
class reverse_mode : contributions<Program> {
    using shared = contributions<Program>;
    using factors = typename shared::factors;
    using shared::active_, shared::child, shared::contribute, shared::cotangent_exists,
        shared::cotangent_name, shared::cut_parts, shared::define_cotangent, shared::dimensions_,
        shared::find_names, shared::finished, shared::guards_, shared::has_poles,
        shared::intern_inputs, shared::is_active, shared::is_apply, shared::is_norm,
        shared::logarithms_, shared::loss_, shared::no_dependence, shared::of_, shared::p_,
        shared::partials_of, shared::path_, shared::prime_all, shared::request_,
        shared::slope_below, shared::slope_of_size, shared::source_equations_,
        shared::start_equation, shared::sum_primed, shared::through_factor, shared::through_inverse,
        shared::value_of, shared::whole_, shared::wrt_, shared::zeros_;

public:
    constexpr reverse_mode(const ir::program_view& source, const gradient_request& request)
        : shared(source, request) {}

    /// `finish(program, axis_of)` has the last word on all that has been derived.
    template <class Finish>
    constexpr derived run(const Finish& finish) {
        derived out;
        if (request_.one_step) return one_step();
        out.mistake = find_names();
        if (out.mistake) return out;
        cut_parts();
        for (ir::name_symbol& n : p_.names)  // beside the value stands what was kept with it
            n.kept = n.kept && request_.with_value && n.kind == ir::name_kind::plain;
        for (ref e = source_equations_; e-- > 0;) {
            const equation q = p_.equations[e];
            if (q.claim || !active_[q.name]) continue;
            if (q.name != of_) define_cotangent(q.name);
            if (!cotangent_exists(q.name)) continue;
            propagate_from(q);
        }
        for (ref name : wrt_) {
            if (p_.definition(cotangent_name(name)) == none) define_cotangent(name);
            if (p_.definition(cotangent_name(name)) == none && !out.mistake)
                out.mistake = no_dependence(name);
            p_.names[cotangent_name(name)].kept = true;
        }
        if (request_.with_value) p_.names[of_].kept = true;
        if (out.mistake) return out;
        finish(p_, [&](ref name, std::int32_t axis) { return dimensions_.axis_of(name, axis); });
        out.program = finished();
        intern_inputs(out.program);
        return out;
    }

private:
    constexpr void propagate_from(const equation& q) {
        start_equation(q);
        guards_.clear();
        zeros_.add_support(cotangent_name(q.name), q.positions, guards_);
        factors cotangent = guards_;
        cotangent.push(p_.tensor(cotangent_name(q.name), q.positions));
        propagate(q.body, cotangent);
    }
    /// An equation about derivatives of the same loss is no part of what is differentiated.
    constexpr derived one_step() {
        derived out;
        loss_ << request_.loss;
        logarithms_.stay_in_equations();
        for (std::int32_t n = 0; n < p_.names.size(); ++n) active_.push(true);
        for (ref e = source_equations_; e-- > 0;)
            if (!p_.equations[e].claim && !holds_derivative_of(p_, p_.equations[e], loss_.view()))
                propagate_from(equation(p_.equations[e]));
        const std::int32_t names = active_.size();
        for (ref n = 0; n < names; ++n) define_cotangent(n);
        out.program = finished(true);
        return out;
    }

    // Propagation ---------------------------------------------------------------------------------

    constexpr void propagate(ref n, const factors& cotangent) {
        if (!is_active(n)) return;
        const ir::node x = p_.nodes[n];
        switch (x.kind) {
            case op::tensor:
                return contribute(x, cotangent);
            case op::add:
                return through_sum(n, cotangent);
            case op::multiply:
                return through_product(n, cotangent);
            case op::divide:
                return through_quotient(n, cotangent);
            case op::power:
            case op::apply:
                return through_function(n, cotangent);
            case op::reduce:
                return through_reduction(n, cotangent);
            case op::choose:
                return through_cases(n, cotangent);
            default:
                return;  // piecewise constant
        }
    }
    constexpr factors with(const factors& cotangent, ref factor) {
        factors out = cotangent;
        out.push(factor);
        return out;
    }
    constexpr void through_sum(ref n, const factors& cotangent) {
        const ir::node x = p_.nodes[n];
        const std::int32_t mark = guards_.size();
        const factors unmasked = zeros_.unmasked(x);
        for (std::int32_t k = 0; k < x.children.count; ++k) {
            if (unmasked.empty() || !has_poles(child(n, k))) {
                propagate(child(n, k), cotangent);
                continue;
            }
            factors all = unmasked;
            all.append(cotangent.data(), cotangent.size());
            guards_.append(unmasked.data(), unmasked.size());
            propagate(child(n, k), all);
            guards_.shrink(mark);
        }
    }
    constexpr void through_product(ref n, const factors& cotangent) {
        const std::int32_t count = p_.nodes[n].children.count;
        for (std::int32_t k = 0, alike = 1; k < count; k += alike) {
            for (alike = 1; k + alike < count; ++alike)  // x x x changes by 3 x x
                if (!ir::same_expression(p_, child(n, k), child(n, k + alike))) break;
            if (!is_active(child(n, k))) continue;
            factors all;
            if (alike > 1) all.push(p_.number(alike));
            for (std::int32_t j = 0; j < k; ++j) all.push(child(n, j));
            all.append(cotangent.data(), cotangent.size());
            for (std::int32_t j = k + 1; j < count; ++j) all.push(child(n, j));
            const std::int32_t mark = guards_.size();
            for (std::int32_t j = 0; j < count; ++j)
                if (j != k) zeros_.add_hiding(child(n, j), guards_);
            propagate(child(n, k), all);
            guards_.shrink(mark);
        }
    }
    constexpr void through_quotient(ref n, const factors& cotangent) {
        expression_builder b(p_);
        const ref a = child(n, 0), c = child(n, 1);
        propagate(a, with(cotangent, b.over(b.number(1), c)));
        if (!is_active(c)) return;
        const std::int32_t mark = guards_.size();
        zeros_.add_hiding(a, guards_);
        factors all;
        all.push(b.number(-1));
        // what the equation defines is 0 where a bracket above the stroke is false, and no more
        for (std::int32_t k = mark; n == whole_ && k < guards_.size(); ++k) all.push(guards_[k]);
        all.append(cotangent.data(), cotangent.size());
        propagate(c, with(all, b.over(value_of(n), c)));
        guards_.shrink(mark);
    }
    /// The cotangent's real part, as factors; its conditions stay outside.
    constexpr void push_real_part(factors& out, const factors& cotangent) {
        factors inside;
        for (const ref c : cotangent) (zeros_.is_condition(c) ? out : inside).push(c);
        out.push(expression_builder(p_).apply(function::real, make_product(p_, inside)));
    }
    /// Powers and functions.
    constexpr void through_function(ref n, const factors& cotangent) {
        expression_builder b(p_);
        const ir::node x = p_.nodes[n];
        constant e;
        if (x.kind == op::power && is_apply(child(n, 0), function::absolute) &&
            is_constant(p_, child(n, 1), e) && is_even(e)) {
            factors size;
            push_real_part(size, cotangent);
            return propagate(child(child(n, 0), 0), with(size, slope_of_size(child(n, 0), e)));
        }
        if (is_apply(n, function::conjugate)) {  // Re(g conj(dx)) = Re(conj(g) dx)
            factors conjugated;
            for (const ref c : cotangent)
                conjugated.push(zeros_.is_condition(c) ? c : b.apply(function::conjugate, c));
            return propagate(child(n, 0), conjugated);
        }
        const bool imaginary = is_apply(n, function::imaginary);
        if (imaginary || is_apply(n, function::real)) {  // Re(g Im(dx)) = Re(-i Re(g) dx)
            factors part;
            if (imaginary) part.push(b.times(b.number(-1), p_.imaginary_unit()));
            push_real_part(part, cotangent);
            return propagate(child(n, 0), part);
        }
        // the bracket of a norm goes where its value is a factor, which is 0 there itself
        const bool regular = is_norm(n) && has_factor(p_, cotangent, value_of(n));
        for (const auto& [c, slope] : partials_of(n).of) {
            if (c == none) continue;
            factors all = cotangent;
            for (const ref f : slope)
                if (f != none && !(regular && zeros_.is_condition(f))) all.push(f);
            propagate(c, all);
        }
    }
    constexpr void through_cases(ref n, const factors& cotangent) {
        expression_builder b(p_);
        const ir::node x = p_.nodes[n];
        for (std::int32_t k = 0; k < x.children.count; k += 2) {
            if (!is_active(child(n, k))) continue;
            factors parts;  // the same cases with 1 here and 0 elsewhere
            for (std::int32_t j = 0; j < x.children.count; ++j)
                parts.push(j % 2 == 1 && j + 1 != x.children.count ? child(n, j)
                                                                   : b.number(j == k ? 1 : 0));
            const ref here = p_.make(op::choose, 0, parts.data(), parts.size());
            guards_.push(here);
            propagate(child(n, k), with(cotangent, here));
            guards_.shrink(guards_.size() - 1);
        }
    }

    // Reductions ----------------------------------------------------------------------------------

    /// Goes on below a sign, whose indices are summed over whatever a use has of them.
    constexpr void propagate_below(const ir::node& x, ref body, const factors& cotangent) {
        const std::int32_t mark = path_.size();
        for (std::int32_t k = 0; k < x.indices.count; ++k)
            path_.push(p_.links[x.indices.first + k]);
        propagate(body, cotangent);
        path_.shrink(mark);
    }
    /// The cotangent of `n` as one factor, summed already over what `n` does not depend on: where
    /// it is about to be added to something, and not only multiplied, that sum is computed once.
    constexpr ref closed(const factors& cotangent, ref n) {
        const ref product = product_of(p_, cotangent);
        ir::index_set over = ir::free_indices(p_, product);
        const ir::index_set own = ir::free_indices(p_, n);
        for (ref i : path_) over.remove(i);
        factors list;
        for (ref i = 0, last = over.end(); i < last; ++i)
            if (over.has(i) && !own.has(i)) list.push(i);
        if (list.empty()) return product;
        return p_.reduce(reduction::sum, p_.add_links(list), product);
    }
    /// The same for indices of sums around as well, which are done with then.
    constexpr ref closed_over_path(const factors& cotangent, ref n) {
        const ir::index_set used = ir::free_indices(p_, product_of(p_, cotangent));
        const ir::index_set own = ir::free_indices(p_, n);
        factors rest;
        for (ref i : path_)
            if (!used.has(i) || own.has(i)) rest.push(i);
        path_ = rest;
        return closed(cotangent, n);
    }
    static constexpr factors alone(ref factor) {
        factors all;
        all.push(factor);
        return all;
    }
    constexpr void through_reduction(ref n, const factors& cotangent) {
        const ir::node x = p_.nodes[n];
        expression_builder b(p_);
        const ref body = child(n, 0);
        switch (static_cast<reduction>(x.detail)) {
            case reduction::sum:
                return propagate_below(x, body, cotangent);
            case reduction::mean: {
                const ref count = sum_primed(x, prime_all(x), p_.number(1));
                return propagate_below(x, body, with(cotangent, b.over(b.number(1), count)));
            }
            case reduction::softmax: {  // y (g - sum y g)
                const ir::index_map renamed = prime_all(x);
                const ref y = value_of(n);
                factors inside = cotangent;
                factors all = zeros_.take_conditions_of_rows(n, guards_, inside);
                factors outer = all;
                const ref g = closed(inside, n);
                const ref rows =
                    sum_primed(x, renamed, ir::rename_indices(p_, b.times(y, g), renamed));
                all.push(y);
                all.push(b.minus(g, rows));
                guards_.swap(outer);
                propagate(body, all);
                return guards_.swap(outer);
            }
            case reduction::logsumexp: {
                const ref weights = slope_below(n);
                const factors outer = path_;
                factors all;
                all.push(closed_over_path(cotangent, n));
                propagate_below(x, body, with(all, weights));
                path_ = outer;
                return;
            }
            case reduction::product:
            case reduction::maximum:
            case reduction::minimum:
            case reduction::determinant:
            case reduction::log_determinant:
            case reduction::log_of_determinant:
                return propagate_below(x, body, with(cotangent, slope_below(n)));
            case reduction::inverse:
                return propagate(body, alone(through_inverse(n, closed(cotangent, n))));
            case reduction::cholesky:
                return propagate(body, alone(through_factor(n, closed(cotangent, n))));
            case reduction::argmax:
            case reduction::argmin:
                return;  // whole numbers, which move in steps
            case reduction::cofactors:
            case reduction::solve:
                return;  // in no text that was read
        }
    }
};

/// The equations that give dL/dx for every x asked for, from the inputs and dL/d(of), with the
/// equations of the source that they need.
template <class Source>
constexpr derived gradient(const Source& source, const gradient_request& request) {
    return reverse_mode(source, request).run([](const ir::program&, const auto&) {});
}

}  // namespace ricci::derive
