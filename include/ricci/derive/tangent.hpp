// Forward-mode differentiation of a program: beside every equation that depends on the names asked
// for, the equation of its directional derivative.
#pragma once

#include <cstdint>

#include <ricci/derive/matrices.hpp>
#include <ricci/derive/rules.hpp>
#include <ricci/derive/strong_zeros.hpp>
#include <ricci/derive/tangent_terms.hpp>
#include <ricci/derive/tidy.hpp>
#include <ricci/ir/mistake.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::derive {

/// The derivative of expressions along a direction of some tensors, linear in that direction. A
/// derived product reads in the order of the original: Q = X W gives d/dt Q = d/dt X W + X d/dt W.
template <class Program = ir::program>
class forward_mode : matrix_derivatives<Program> {
    using shared = matrix_derivatives<Program>;
    using factors = typename shared::factors;
    using shared::active_, shared::change_of_factor, shared::child, shared::cut_parts,
        shared::derived_, shared::dimensions_, shared::find_wrt, shared::finished,
        shared::has_poles, shared::intern_inputs, shared::is_active, shared::is_apply,
        shared::logarithms_, shared::mark_active, shared::p_, shared::partials_of,
        shared::prime_all, shared::slope_below, shared::slope_of_size, shared::start_equation,
        shared::sum_primed, shared::through_inverse, shared::value_of, shared::whole_, shared::wrt_;

public:
    constexpr explicit forward_mode(const ir::program_view& source) : shared(source), zeros_(p_) {}

    /// Takes "d/dt X" for every X of `wrt`, gives "d/dt Y" for every output Y. `value`: a tensor
    /// that is an output too.
    constexpr derived run(const text_view* wrt, std::int32_t wrt_count, text_view value) {
        derived out;
        out.mistake = find_wrt(wrt, wrt_count);
        if (out.mistake) return out;
        choose_parameter();
        cut_parts();
        const buffer<ref> outputs = find_outputs();
        bool any = false;
        for (ref output : outputs) any = any || (active_[output] && !is_direction(output));
        if (!any) {
            out.mistake = no_dependence();
            return out;
        }
        for (ir::name_symbol& n : p_.names) n.kept = false;
        const buffer<equation> source = p_.equations;
        p_.equations.clear();
        for (const equation& q : source) {
            if (q.claim) continue;
            p_.equations.push(q);
            bool output = false;
            for (ref name : outputs) output = output || name == q.name;
            if (is_direction(q.name) || (!active_[q.name] && !output)) continue;
            const ref tangent = define_tangent(q);
            p_.names[tangent].kept = output;
        }
        if (const ref name = p_.find(value); name != none) p_.names[name].kept = true;
        out.program = finished();
        p_.equations = source;
        intern_inputs(out.program);
        // A direction may be given for what the outputs do not depend on.
        for (ref name : wrt_) ir::intern_name_of(out.program, p_, p_.intern_tangent(along_, name));
        return out;
    }

    /// The tangent of every equation by those of the tensors it reads, as far as `mentioned` speaks
    /// of their tangents: what claims about tangents are compared with.
    constexpr derived one_step(const ir::program_view& mentioned, text_view along) {
        along_ << along;
        one_step_ = true;
        logarithms_.stay_in_equations();
        for (const ir::name_symbol& n : mentioned.names) {
            const ref of = n.kind == ir::name_kind::tangent &&
                                   ir::parts_of_tangent(mentioned.text(n.text)).along == along
                               ? p_.find(mentioned.name(n.of))
                               : none;
            if (of != none) wrt_.push(of);
        }
        mark_active();
        const buffer<equation> source = p_.equations;
        p_.equations.clear();
        for (const equation& q : source)
            if (!q.claim && is_active(q.body) && !holds_tangent(q)) define_tangent(q);
        derived out;
        out.program = finished(true);
        return out;
    }

    /// The tangent of the tensor `of` alone, where the tensors `directions` move along `along`, and
    /// so do the directions in which they move already.
    constexpr derived of_one(ref of, text_view along, const buffer<ref>& directions) {
        derived out;
        along_ << along;
        wrt_ = directions;
        cut_parts();
        if (!active_[of]) {
            out.mistake = no_dependence();
            return out;
        }
        for (ir::name_symbol& n : p_.names) n.kept = false;
        const buffer<equation> source = p_.equations;
        p_.equations.clear();
        for (const equation& q : source) {
            if (q.claim) continue;
            p_.equations.push(q);
            if (is_active(q.body) && p_.definition(p_.intern_tangent(along_, q.name)) == none)
                define_tangent(q);
        }
        p_.names[p_.intern_tangent(along_, of)].kept = true;
        out.program = finished();
        return out;
    }

private:
    // Names ---------------------------------------------------------------------------------------

    /// Where the source holds tangents along t itself, these are along another parameter, t'.
    constexpr void choose_parameter() {
        along_ << 't';
        for (bool taken = true; taken;) {
            taken = false;
            for (const equation& q : p_.equations) taken = taken || (!q.claim && holds_tangent(q));
            if (taken) along_ << '\'';
        }
    }
    constexpr bool is_along(ref name) const {
        return p_.names[name].kind == ir::name_kind::tangent &&
               ir::parts_of_tangent(p_.name(name)).along == along_.view();
    }
    constexpr bool holds_tangent(const equation& q) const {
        bool found = is_along(q.name);
        ir::for_each_node(p_, q.body, [&](ref n) {
            const ir::node& x = p_.nodes[n];
            found = found || (x.kind == op::tensor && is_along(x.name));
        });
        return found;
    }
    constexpr buffer<ref> find_outputs() const {
        buffer<ref> outputs;
        for (const equation& q : p_.equations) {
            bool output = !q.claim && !p_.names[q.name].shape_only && !ir::is_of_places(p_, q.name);
            if (output && !p_.names[q.name].kept)
                for (const equation& other : p_.equations)
                    output = output && (other.claim || !ir::uses_name(p_, other.body, q.name));
            if (output) outputs.push(q.name);
        }
        return outputs;
    }
    constexpr bool is_direction(ref name) const {
        for (ref given : wrt_)
            if (given == name) return true;
        return false;
    }
    constexpr ir::mistake no_dependence() const {
        detail::text_builder sentence;
        sentence << "no output depends on ";
        for (std::int32_t k = 0; k < wrt_.size(); ++k)
            sentence << (k > 0 ? ", " : "") << p_.name(wrt_[k]);
        sentence << ", so there is no derivative along a direction";
        return ir::make_mistake(ir::mistake_kind::unknown_name, sentence);
    }

    // Equations -----------------------------------------------------------------------------------

    constexpr ref define_tangent(const equation& q) {
        const ref name = p_.intern_tangent(along_, q.name);
        start_equation(q);
        derived_.push(name);
        ref body = tangent(q.body);
        ir::index_set merged;
        for (std::int32_t k = 0; k < q.positions.count; ++k)
            if (p_.positions[q.positions.first + k].kind == ir::position_kind::merged)
                ir::add_indices(p_, {q.positions.first + k, 1}, merged);
        if (body == none && !merged.empty()) {
            p_.equations.push(zero_equation(
                p_, name, q.positions.count,
                [&](ref n, std::int32_t axis) { return dimensions_.axis_of(n, axis); }));
            return name;
        }
        if (body != none && !one_step_) find_support(name, q, body);
        if (body == none) body = p_.number(0);
        body = prime_shadowed(p_, body, q.positions);
        body = neighbour_letters(p_, body, q.positions).run();
        p_.equations.push({name, q.positions, body, false, {}});
        return name;
    }

    /// Which brackets make all terms of a tangent 0.
    constexpr void find_support(ref name, const equation& q, ref body) {
        std::int32_t parts = 0;
        for (const equation& other : p_.equations) parts += other.name == q.name && !other.claim;
        if (parts != 1) return;
        const bool sum = p_.nodes[body].kind == op::add;
        const std::int32_t count = sum ? p_.nodes[body].children.count : 1;
        for (std::int32_t k = 0; k < count; ++k) {
            factors found;
            zeros_.add_hiding_of_source(sum ? child(body, k) : body, found);
            const factors own = zeros_.within(found, q.positions);
            zeros_.add_term(name, p_.add_links(own), q.positions);
        }
        zeros_.end_terms();
    }
    /// The tangent of a tensor where it is read, with the brackets that make it 0.
    constexpr ref tangent_of_use(ir::node use) {
        use.name = p_.intern_tangent(along_, use.name);
        const ref t = p_.nodes.push(use);
        factors all;
        zeros_.add_support(use.name, use.positions, all);
        if (all.empty()) return t;
        all.push(t);
        return product_of(p_, all);
    }
    /// The derivative of an expression; none where it does not change.
    constexpr ref tangent(ref n) {
        if (!is_active(n)) return none;
        const ir::node x = p_.nodes[n];
        switch (x.kind) {
            case op::tensor:
                return tangent_of_use(x);
            case op::add: {
                factors terms;
                const factors unmasked = zeros_.unmasked(x);
                for (std::int32_t k = 0; k < x.children.count; ++k) {
                    ref term = tangent(child(n, k));
                    if (term != none && !unmasked.empty() && has_poles(child(n, k))) {
                        factors all = unmasked;
                        all.push(term);
                        term = product_of(p_, all);
                    }
                    terms_.add(terms, term);
                }
                return terms_.sum(terms);
            }
            case op::multiply:
                return of_product(n);
            case op::divide:
                return of_quotient(n);
            case op::power:
            case op::apply:
                return of_function(n);
            case op::reduce:
                return of_reduction(n);
            case op::choose:
                return of_cases(n);
            default:
                return none;  // piecewise constant
        }
    }
    /// Sums every term by itself, so that the sums of a derived product stay implied.
    constexpr ref summed(ir::range over, ref body) {
        factors terms, sums;
        terms_.add(terms, body);
        for (ref t : terms) sums.push(p_.reduce(reduction::sum, over, t));
        return terms_.sum(sums);
    }
    constexpr ref flat(ref a, ref b) {
        factors both;
        both.push(a);
        both.push(b);
        return product_of(p_, both);
    }
    constexpr ref of_product(ref n) {
        const std::int32_t count = p_.nodes[n].children.count;
        factors terms;
        for (std::int32_t k = 0; k < count; ++k) {
            const ref changed = tangent(child(n, k));
            if (changed == none) continue;
            terms_.add(terms, terms_.of_each(changed, [&](ref factor) {
                factors all;
                for (std::int32_t j = 0; j < count; ++j) {
                    if (j == k && p_.nodes[factor].kind == op::multiply)
                        all.append(p_.links.data() + p_.nodes[factor].children.first,
                                   p_.nodes[factor].children.count);
                    else all.push(j == k ? factor : child(n, j));
                }
                zeros_.drop_repeated(all);
                return product_of(p_, all);
            }));
        }
        return terms_.sum(terms);
    }
    constexpr ref of_quotient(ref n) {
        expression_builder b(p_);
        const ref a = tangent(child(n, 0)), c = tangent(child(n, 1));
        factors terms;
        if (a != none)
            terms_.add(terms, terms_.of_each(a, [&](ref t) {
                factors all;
                all.push(b.over(t, child(n, 1)));
                return product_of(p_, all);
            }));
        if (c != none) {
            factors slope;
            slope.push(b.number(-1));
            // what the equation defines is 0 where a bracket above the stroke is false, and no more
            if (n == whole_) zeros_.add_hiding(child(n, 0), slope);
            slope.push(b.over(value_of(n), child(n, 1)));
            terms_.add(terms, terms_.product(slope, c));
        }
        return terms_.sum(terms);
    }
    /// Powers and functions.
    constexpr ref of_function(ref n) {
        const ir::node x = p_.nodes[n];
        const auto f = static_cast<function>(x.detail);
        constant e;
        if (x.kind == op::power && is_apply(child(n, 0), function::absolute) &&
            is_constant(p_, child(n, 1), e) && is_even(e)) {
            const ref inside = tangent(child(child(n, 0), 0));
            if (inside == none) return none;
            return terms_.applied(function::real,
                                  terms_.product(slope_of_size(child(n, 0), e), inside));
        }
        if (is_apply(n, function::conjugate) || is_apply(n, function::real) ||
            is_apply(n, function::imaginary)) {
            const ref inside = tangent(child(n, 0));
            return inside == none ? none : terms_.applied(f, inside);
        }
        factors terms;
        for (const auto& [c, slope] : partials_of(n).of) {
            const ref t = c == none ? none : tangent(c);
            if (t == none) continue;
            factors all;
            for (const ref factor : slope)
                if (factor != none) all.push(factor);
            terms_.add(terms, terms_.product(all, t));
        }
        return terms_.sum(terms);
    }
    constexpr ref of_cases(ref n) {
        const ir::node x = p_.nodes[n];
        factors parts;
        bool any = false;
        for (std::int32_t j = 0; j < x.children.count; ++j) {
            const bool condition = j % 2 == 1 && j + 1 != x.children.count;
            const ref t = condition ? child(n, j) : tangent(child(n, j));
            any = any || (!condition && t != none);
            parts.push(t == none ? p_.number(0) : t);
        }
        return any ? p_.make(op::choose, 0, parts.data(), parts.size()) : none;
    }
    constexpr ref of_reduction(ref n) {
        expression_builder b(p_);
        const ir::node x = p_.nodes[n];
        const ref inside = tangent(child(n, 0));
        if (inside == none) return none;
        switch (static_cast<reduction>(x.detail)) {
            case reduction::sum:
                return summed(x.indices, inside);
            case reduction::mean:
                return p_.reduce(reduction::mean, x.indices, inside);
            case reduction::softmax: {  // y (s - sum y s)
                const ref y = value_of(n);
                const ir::index_map renamed = prime_all(x);
                const ref rows =
                    sum_primed(x, renamed, ir::rename_indices(p_, flat(y, inside), renamed));
                return flat(y, b.minus(inside, rows));
            }
            case reduction::logsumexp:
            case reduction::product:
            case reduction::maximum:
            case reduction::minimum:
            case reduction::determinant:
            case reduction::log_determinant:
            case reduction::log_of_determinant:
                return p_.reduce(reduction::sum, x.indices, terms_.product(slope_below(n), inside));
            case reduction::inverse:
                return through_inverse(n, inside);
            case reduction::cholesky:
                return change_of_factor(n, inside);
            case reduction::argmax:
            case reduction::argmin:  // whole numbers, which move in steps
            case reduction::cofactors:
            case reduction::solve:
                return none;  // in no text that was read
        }
        return none;
    }

    detail::text_builder along_;  // what the tensors move along: t, or t with primes
    bool one_step_ = false;       // brackets stay where they are written
    strong_zeros<Program> zeros_;
    tangent_terms<Program> terms_{p_, zeros_};
};

/// The equations that give d/dt Y for every output Y, from the inputs and d/dt X for every X of
/// `wrt`, with the equations of the source that they need; and the tensor `value`.
template <class Source>
constexpr derived tangent(const Source& source, const text_view* wrt, std::int32_t wrt_count,
                          text_view value = {}) {
    return forward_mode(source).run(wrt, wrt_count, value);
}

}  // namespace ricci::derive
