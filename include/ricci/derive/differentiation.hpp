// What both modes of differentiation work with: the source, which names depend on those asked for,
// and the equation in hand. All that derives is made of templates over the program: a file that
// derives nothing reads them, and the compiler builds nothing of them.
#pragma once

#include <cstdint>

#include <ricci/derive/logarithms.hpp>
#include <ricci/derive/parts.hpp>
#include <ricci/derive/rules.hpp>
#include <ricci/derive/said_axes.hpp>
#include <ricci/derive/squares.hpp>
#include <ricci/derive/tidy.hpp>
#include <ricci/derive/written_tables.hpp>
#include <ricci/detail/nearest.hpp>
#include <ricci/ir/compact.hpp>
#include <ricci/ir/letters_beside_names.hpp>
#include <ricci/ir/extrema.hpp>
#include <ricci/ir/mistake.hpp>
#include <ricci/ir/primes.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::derive {

using detail::text_view;
using ir::equation;
using ir::reduction;

/// What a derivation gives.
struct derived {
    ir::program program;
    ir::mistake mistake;
};

/// What reverse mode is asked for: names in canonical spelling.
struct gradient_request {
    text_view of;
    const text_view* wrt = nullptr;
    std::int32_t wrt_count = 0;
    bool with_value = false;  // `of` is an output too
    text_view loss = "L";
    /// Instead of `of` and `wrt`: the cotangent of every tensor by those of the tensors that its
    /// own uses define, one step of the chain rule for each.
    bool one_step = false;
    /// `of` is the loss, whatever its rank, and its shape is needed: for derivatives of tensors.
    bool jacobian = false;
};

/// Whether a tensor is the derivative of a loss, and whether an equation has one.
template <class Program>
constexpr bool is_derivative_of(const Program& p, ref name, text_view loss) {
    return p.names[name].kind == ir::name_kind::cotangent &&
           ir::parts_of_derivative(p.name(name)).numerator == loss;
}
template <class Program>
constexpr bool holds_derivative_of(const Program& p, const equation& q, text_view loss) {
    bool found = is_derivative_of(p, q.name, loss);
    ir::for_each_node(p, q.body, [&](ref n) {
        const ir::node& x = p.nodes[n];
        found = found || (x.kind == op::tensor && is_derivative_of(p, x.name, loss));
    });
    return found;
}

/// The program that is differentiated, to which derived equations are added.
template <class Program = ir::program>
class differentiation {
protected:
    using factors = buffer<ref>;

    constexpr explicit differentiation(const ir::program_view& source)
        : p_(source), source_equations_(source.equations.size()) {
        for (const equation& q : p_.equations)
            ir::for_each_said(p_, q, [&](ref i) { stated_.push({q.name, i}); });
        dimensions_.run();
        source_names_ = p_.names.size();
        p_.known_letters = p_.indices.size();
    }

    // Names ---------------------------------------------------------------------------------------

    constexpr ir::mistake unknown(text_view name, text_view words, bool defined) const {
        detail::text_builder sentence;
        sentence << "the program" << words << name;
        detail::nearest near(name);
        for (ref n = 0; n < p_.names.size(); ++n)
            if (!defined || p_.definition(n) != none) near.offer(p_.name(n));
        if (near.found()) sentence << "; did you mean " << near.best << "?";
        return ir::make_mistake(ir::mistake_kind::unknown_name, sentence);
    }
    constexpr ir::mistake find_wrt(const text_view* wrt, std::int32_t count) {
        for (std::int32_t k = 0; k < count; ++k) {
            const ref name = p_.find(wrt[k]);
            if (name == none) return unknown(wrt[k], " has no tensor ", false);
            wrt_.push(name);
        }
        return {};
    }
    /// Gives long expressions parts with equations of their own; all that depends is marked then.
    constexpr void cut_parts() {
        mark_active();
        part_cutter(p_, active_).run();
        source_equations_ = p_.equations.size();
        active_.clear();
        mark_active();
    }
    /// A name is active when it depends on one of the names asked for.
    constexpr void mark_active() {
        for (ref n = 0; n < p_.names.size(); ++n) active_.push(false);
        for (ref n : wrt_) active_[n] = true;
        for (ref e = 0; e < source_equations_; ++e)
            if (!p_.equations[e].claim && is_active(p_.equations[e].body))
                active_[p_.equations[e].name] = true;
    }
    constexpr bool is_active(ref n) const {
        const ir::node& x = p_.nodes[n];
        if (x.kind == op::tensor) return x.name < active_.size() && active_[x.name];
        if (ir::gives_place(x)) return false;  // it moves in steps
        if (ir::is_power_of_zero(p_, x)) return false;
        for (std::int32_t k = 0; k < x.children.count; ++k)
            if (is_active(p_.links[x.children.first + k])) return true;
        return false;
    }
    /// What the source takes may be bound although the derived equations do not read it: for its
    /// shape.
    constexpr void intern_inputs(ir::program& out) const {
        detail::buffer<bool> seen;  // or defined
        seen.resize(p_.names.size(), false);
        for (const ir::equation& e : p_.equations)
            if (!e.claim) seen[e.name] = true;
        for (ref e = 0; e < source_equations_; ++e)
            ir::for_each_node(p_, p_.equations[e].body, [&](ref n) {
                const ir::node& x = p_.nodes[n];
                if (x.kind != op::tensor || seen[x.name]) return;
                seen[x.name] = true;
                ir::intern_name_of(out, p_, x.name);
            });
    }

    // The equation in hand ------------------------------------------------------------------------

    constexpr void start_equation(const equation& q) {
        whole_ = q.body;
        logarithms_.start_equation();
        whole_value_ = p_.tensor(q.name, q.positions);
        taken_ = {};
        ir::add_indices(p_, q.positions, taken_);
        ir::for_each_node(p_, q.body, [&](ref n) {
            const ir::node& x = p_.nodes[n];
            ir::add_indices(p_, x.positions, taken_);
            for (std::int32_t k = 0; k < x.indices.count; ++k)
                taken_.add(p_.links[x.indices.first + k]);
        });
    }
    constexpr ref child(ref n, std::int32_t k) const {
        return p_.links[p_.nodes[n].children.first + k];
    }
    /// The value of `n`: the tensor that the equation defines, where `n` is its whole right side.
    constexpr ref value_of(ref n) const { return n == whole_ ? whole_value_ : n; }

    /// Whether an expression may have an infinite slope somewhere: a quotient by what changes, a
    /// logarithm, a root.
    constexpr bool has_poles(ref n) const {
        const ir::node& x = p_.nodes[n];
        bool found = false;
        if (x.kind == op::divide) found = is_active(p_.links[x.children.first + 1]);
        if (x.kind == op::power) {
            constant e;
            found = is_active(n) && (!is_constant(p_, p_.links[x.children.first + 1], e) ||
                                     e.below != 1 || e.above < 1);
        }
        if (x.kind == op::apply) {
            const auto f = static_cast<function>(x.detail);
            found = (f == function::log || f == function::sqrt) && is_active(n);
        }
        for (std::int32_t k = 0; k < x.children.count && !found; ++k)
            found = has_poles(p_.links[x.children.first + k]);
        return found;
    }

    /// base^{e - 1}
    constexpr ref power_below(ref base, constant e) {
        e.plus({-1, 1});
        return e.is(1) ? base : p_.make(op::power, base, make_constant(p_, e));
    }
    /// The derivative of a function by its argument. relu says by its value where that is positive,
    /// which spares its argument where it is not at hand.
    constexpr ref slope_of(ref n) {
        const auto f = static_cast<function>(p_.nodes[n].detail);
        const ref x = child(n, 0);
        const bool by_value = f == function::relu && n == whole_ && p_.nodes[x].kind != op::tensor;
        return derivative(p_, f, by_value ? whole_value_ : x, value_of(n));
    }

    /// A child whose change counts in an expression as often as the product of the factors says.
    struct partial {
        ref child = none;
        ref factors[3] = {none, none, none};
    };
    struct partials {
        partial of[2];
    };
    /// By which children a power or a function changes, each mode in its own order. What is linear
    /// over the real numbers alone, as a conjugate, has rules in each.
    constexpr partials partials_of(ref n) {
        if (p_.nodes[n].kind == op::power) return partials_of_power(n);
        expression_builder b(p_);
        const auto f = static_cast<function>(p_.nodes[n].detail);
        const ref x = child(n, 0);
        if (f == function::maximum || f == function::minimum)
            return {{share_of_argument(n, 0), share_of_argument(n, 1)}};
        if (f == function::modulo) {  // a mod m = a - m floor(a / m)
            const ref m = child(n, 1), whole = b.apply(function::floor, b.over(x, m));
            return {{{x}, {m, {b.number(-1), whole, none}}}};
        }
        if (f == function::log && logarithms_.goes_through(x))
            return {{{logarithms_.of(x, value_of(x))}, {}}};
        const ref slope = slope_of(n);
        if (slope == none) return {};  // piecewise constant
        if (is_norm(n)) return {{{x, {not_zero(value_of(n)), slope, none}}, {}}};
        return {{{x, {slope, none, none}}, {}}};
    }
    constexpr partials partials_of_power(ref n) {
        const ref base = child(n, 0), exponent = child(n, 1);
        constant e;
        partials out;
        if (!is_constant(p_, exponent, e)) {
            if (is_active(base)) out.of[0] = {base, {slope_by_base(n), none, none}};
            if (is_active(exponent)) out.of[1] = {exponent, {slope_by_exponent(n), none, none}};
        } else if (const ref under = power_under_root(base, e); under != none) {
            out.of[0] = {under};
        } else if (e.is(1)) {
            out.of[0] = {base};
        } else if (!e.is(0)) {
            const ref regular = is_norm(n) ? not_zero(value_of(n)) : none;
            out.of[0] = {base, {make_constant(p_, e), regular, power_below(base, e)}};
        }
        return out;
    }

    // The end -------------------------------------------------------------------------------------

    /// What the kept names need of the program, or all of it, with the axes that its text has to say.
    constexpr ir::program finished(bool all = false) {
        const buffer<equation> equations = p_.equations;
        write_tables();
        ir::program out =
            axis_sayer<Program>(p_, dimensions_, source_names_, derived_, stated_).run(all);
        p_.equations = equations;
        if (ir::part_letters_from_names(out)) out = ir::compact(out);
        ir::keep_lending_letters(p_, out);
        return out;
    }

    /// Texts that were read are read so again: of those this leaves every place as it is.
    constexpr void write_tables() {
        bool any = false;
        for (const ir::affine_term& t : p_.affine_terms) any = any || t.coefficient < 0;
        if (!any) return;
        const auto extent_of = [&](ref i) { return count_over(p_, primed(i)); };
        const auto axis_of = [&](ref n, std::int32_t k) { return dimensions_.axis_of(n, k); };
        for (ref e = 0; e < p_.equations.size(); ++e) {
            const equation q = p_.equations[e];
            taken_ = ir::indices_of(p_, q);
            if (!q.claim)
                p_.equations[e].body =
                    table_writer<Program, decltype(extent_of), decltype(axis_of)>(p_, extent_of,
                                                                                  axis_of)
                        .write(q);
        }
    }

    // Singular points: what chain rules would make of 0 times infinity ---------------------------

    /// A bracket hides what it stands before where it is false, whatever that is there.
    constexpr ref not_zero(ref n) {
        expression_builder b(p_);
        return b.compare(ir::comparison::not_equal, n, b.number(0));
    }
    constexpr bool is_apply(ref n, function f) const {
        const ir::node& x = p_.nodes[n];
        return x.kind == op::apply && x.detail == static_cast<std::uint8_t>(f);
    }
    /// A root, or a power below 1, of a sum of squares: its slope is infinite at 0, where the slope
    /// of the whole is taken as 0, as that of |x| is.
    constexpr bool is_norm(ref n) const {
        constant e{1, 2};
        if (!is_apply(n, function::sqrt) &&
            (p_.nodes[n].kind != op::power || !is_constant(p_, child(n, 1), e)))
            return false;
        return e.above > 0 && e.above < e.below && squares(p_, wrt_, active_).is_sum(child(n, 0));
    }
    /// An even power of a root, as a power of what is under the root, which has no singular point;
    /// else none.
    constexpr ref power_under_root(ref base, const constant& e) {
        if (!is_even(e) || !is_apply(base, function::sqrt)) return none;
        return e.is(2) ? child(base, 0)
                       : p_.make(op::power, child(base, 0), p_.number(e.above / 2));
    }
    /// Of base^exponent by its exponent, x^n \log x: 0 at x = 0, where 0 \log 0 is 0.
    constexpr ref slope_by_exponent(ref n) {
        expression_builder b(p_);
        const ref slope = b.times(value_of(n), b.apply(function::log, child(n, 0)));
        constant c;
        const bool never = is_constant(p_, child(n, 0), c) && c.above != 0;
        return never ? slope : b.times(not_zero(child(n, 0)), slope);
    }
    /// By its base, n x^{n-1}, which is 0 for n = 0, also at x = 0. A condition of n alone would
    /// hide how this changes by n.
    constexpr ref slope_by_base(ref n) {
        expression_builder b(p_);
        const ref base = child(n, 0), exponent = child(n, 1);
        const ref lower = p_.make(op::power, base, b.minus(exponent, b.number(1)));
        const ref regular =
            b.compare(ir::comparison::logical_or, not_zero(exponent), not_zero(base));
        return b.times(regular, exponent, lower);
    }
    /// |z|^e for an even e changes by the real part of this times dz, also for complex numbers.
    constexpr ref slope_of_size(ref base, const constant& e) {
        expression_builder b(p_);
        const ref conjugate = b.apply(function::conjugate, child(base, 0));
        if (e.is(2)) return b.times(b.number(2), conjugate);
        return b.times(make_constant(p_, e), b.power(base, e.above - 2), conjugate);
    }

    /// What a log-sum-exp changes by its terms: their softmax.
    constexpr ref weights_of(ref n) {
        const ref known = logarithms_.weights_of(n);
        return known != none ? known
                             : p_.reduce(reduction::softmax, p_.nodes[n].indices, child(n, 0));
    }

    constexpr ref primed(ref index) {
        const ref fresh = with_more_primes(p_, index, taken_);
        taken_.add(fresh);
        return fresh;
    }
    /// Every index of a reduction with a prime more, to use the body once more beside itself.
    constexpr ir::index_map prime_all(const ir::node& x) {
        ir::index_map renamed;
        for (std::int32_t k = 0; k < x.indices.count; ++k) {
            const ref i = p_.links[x.indices.first + k];
            renamed.set(i, primed(i));
        }
        return renamed;
    }
    constexpr ir::range renamed_list(const ir::node& x, const ir::index_map& renamed) {
        factors over;
        for (std::int32_t k = 0; k < x.indices.count; ++k)
            over.push(renamed(p_.links[x.indices.first + k]));
        return p_.add_links(over);
    }
    constexpr ref sum_primed(const ir::node& x, const ir::index_map& renamed, ref body) {
        return p_.reduce(reduction::sum, renamed_list(x, renamed), body);
    }
    /// The product of all factors but the one here, which is its derivative by that one also where
    /// some are 0: \prod_{j' \ne j} x^{j'}.
    constexpr ref product_of_others(ref n) {
        const ir::node x = p_.nodes[n];
        const ir::index_map renamed = prime_all(x);
        expression_builder b(p_);
        ref other = none;
        for (std::int32_t k = 0; k < x.indices.count; ++k) {
            const ref i = p_.links[x.indices.first + k];
            const ref differs =
                b.compare(ir::comparison::not_equal, p_.position_of(renamed(i)), p_.position_of(i));
            other = other == none ? differs : b.compare(ir::comparison::logical_or, other, differs);
        }
        const ref body = ir::rename_indices(p_, child(n, 0), renamed);
        return p_.reduce(reduction::product, renamed_list(x, renamed),
                         b.choose(other, body, b.number(1)));
    }
    /// Of a maximum or minimum: 1 where the body is its extreme value, shared by the places where
    /// that is so.
    constexpr ref share_of_place(ref n) {
        const ir::node x = p_.nodes[n];
        const ref body = child(n, 0);
        const ir::index_map renamed = prime_all(x);
        const ref inside = p_.reduce(static_cast<reduction>(x.detail), renamed_list(x, renamed),
                                     ir::rename_indices(p_, body, renamed));
        const ref value = n == whole_ ? whole_value_ : inside;
        expression_builder b(p_);
        const ref here = b.compare(ir::comparison::equal, body, value);
        return b.over(here, sum_primed(x, renamed, ir::rename_indices(p_, here, renamed)));
    }
    /// Of max(x, y) and min(x, y): 1 where argument number k is the value, half where both are.
    constexpr partial share_of_argument(ref n, std::int32_t k) {
        expression_builder b(p_);
        if (!is_active(child(n, k))) return {};
        const ref mine = child(n, k), other = child(n, 1 - k);
        const bool larger = p_.nodes[n].detail == static_cast<std::uint8_t>(function::maximum);
        const ref wins = larger ? b.compare(ir::comparison::less, other, mine)
                                : b.compare(ir::comparison::less, mine, other);
        const ref tie = b.compare(ir::comparison::equal, mine, other);
        return {mine, {b.plus(wins, b.times(b.number(0.5), tie)), none, none}};
    }

    Program p_;
    std::int32_t source_equations_;
    factors wrt_;
    stable_logarithms<Program> logarithms_{p_, wrt_};
    buffer<bool> active_;
    dimensions<Program> dimensions_{p_};
    buffer<stated_axis<Program>> stated_;
    ref source_names_ = 0;    // how many names the source has
    buffer<ref> derived_;     // the names whose equations are derived
    ir::index_set taken_;     // the indices of the equation in hand, and those made for it
    ref whole_ = none;        // the right side of the equation in hand
    ref whole_value_ = none;  // the tensor it defines
};

}  // namespace ricci::derive
