// What a claim speaks of, all of it defined: the derivatives in it beside the program's equations.
#pragma once

#include <cstdint>

#include <ricci/derive/gradient.hpp>
#include <ricci/derive/jacobian.hpp>
#include <ricci/derive/tangent.hpp>
#include <ricci/ir/compact.hpp>

namespace ricci::derive {

/// The part of "dL/dW" between the d and the slash.
template <class Program>
constexpr text_view loss_of(const Program& p, ref derivative) {
    return ir::parts_of_derivative(p.name(derivative)).numerator;
}

/// The one step of the chain rule that gives a derivative of first order, for every tensor.
template <class Source, class Mentioned>
constexpr derived steps_of(const Source& source, const Mentioned& mentioned, ir::name_kind kind,
                           text_view spelling) {
    if (kind == ir::name_kind::tangent)
        return forward_mode(source).one_step(mentioned, ir::parts_of_tangent(spelling).along);
    gradient_request request;
    request.loss = ir::parts_of_derivative(spelling).numerator;
    request.one_step = true;
    return gradient(source, request);
}

/// Adds to a program the equations of every derivative that an equation in it speaks of and nothing
/// defines. Where nothing defines L either, L depends on the program through the tensors whose
/// derivatives the claim has, of these on the last ones, and through all outputs if it has none.
template <class Program = ir::program>
class claim_context {
public:
    constexpr claim_context(Program& p, const ir::equation& claim) : p_(p), claim_(claim) {}

    constexpr void run() {
        mentioned_.resize(p_.names.size(), false);
        mention(claim_.body);
        on_the_right_ = mentioned_;
        mentioned_[claim_.name] = true;
        // each derivation may bring names of its own, which are defined with it
        const std::int32_t names = mentioned_.size();
        for (ref n = 0; n < names; ++n)
            if (mentioned_[n] && p_.definition(n) == none) define(n);
    }

private:
    /// The names in an expression, and in what defines those that the claim's text abbreviates.
    constexpr void mention(ref body) {
        ir::for_each_node(p_, body, [&](ref n) {
            const ir::node& x = p_.nodes[n];
            if (x.kind != op::tensor || mentioned_[x.name]) return;
            mentioned_[x.name] = true;
            if (p_.names[x.name].kind != ir::name_kind::plain) return;
            if (const ref e = p_.definition(x.name);
                e != none && reads_derivative(p_.equations[e].body))
                mention(p_.equations[e].body);
        });
    }
    constexpr bool reads_derivative(ref body) const {
        bool found = false;
        ir::for_each_node(p_, body, [&](ref n) {
            const ir::node& x = p_.nodes[n];
            found =
                found || (x.kind == op::tensor && p_.names[x.name].kind != ir::name_kind::plain);
        });
        return found;
    }
    constexpr void define(ref name) {
        detail::text_builder spelling;  // a copy: the program's text moves as it grows
        spelling << p_.name(name);
        if (p_.names[name].kind == ir::name_kind::tangent) return define_tangents(spelling);
        if (p_.names[name].kind != ir::name_kind::cotangent) return;
        const ref numerator = p_.find(ir::parts_of_derivative(spelling).numerator);
        // d(dy/dt)/dt of a y that is defined: dy/dt is an equation like others, once it is derived
        if (numerator != none && p_.definition(numerator) == none && is_of_defined(numerator))
            define(numerator);
        if (p_.names[name].numerator_rank > 0 ||
            (numerator != none && p_.definition(numerator) != none))
            define_jacobian(name);
        else define_cotangents(spelling);
    }
    /// Whether it is a derivative, perhaps of a derivative, of a tensor that is defined.
    constexpr bool is_of_defined(ref name) const {
        if (p_.names[name].kind != ir::name_kind::cotangent) return false;
        const ref above = p_.find(loss_of(p_, name));
        return above != none && (p_.definition(above) != none || is_of_defined(above));
    }
    constexpr void add(const ir::program_view& steps, ir::name_kind kind) {
        ir::importer copy(p_, steps);
        for (const ir::equation& e : steps.equations) {
            if (steps.names[e.name].kind != kind) {
                const ref known = p_.find(steps.name(e.name));
                if (known != none && p_.definition(known) != none) continue;
            }
            const ir::equation q = copy.import(e);
            p_.names[q.name].kept = false;
            if (p_.definition(q.name) == none) p_.equations.push(q);
        }
    }

    // Gradients -----------------------------------------------------------------------------------

    constexpr bool is_of(ref name, text_view loss) const {
        return p_.names[name].kind == ir::name_kind::cotangent &&
               p_.names[name].numerator_rank == 0 && loss_of(p_, name) == loss;
    }
    constexpr void define_cotangents(text_view spelling) {
        const text_view loss = ir::parts_of_derivative(spelling).numerator;
        Program source(p_.view());
        // derivatives of this loss that are defined say how it depends on the program
        bool free = false;
        for (ref n = 0; n < on_the_right_.size(); ++n)
            free = free || (on_the_right_[n] && is_of(n, loss));
        for (ref n = 0; n < p_.names.size(); ++n)
            free = free && !(is_of(n, loss) && p_.definition(n) != none);
        if (free) drop_beyond(source, loss);
        add(steps_of(source, source, ir::name_kind::cotangent, spelling).program,
            ir::name_kind::cotangent);
    }
    /// Leaves in `source` only the equations that something in the claim depends on.
    constexpr void drop_beyond(ir::program& source, text_view loss) const {
        buffer<bool> needed;
        needed.resize(source.names.size(), false);
        for (ref n = 0; n < mentioned_.size(); ++n)
            if (mentioned_[n] && is_of(n, loss)) needed[p_.names[n].of] = true;
        for (bool more = true; more;) {
            more = false;
            for (const ir::equation& e : source.equations) {
                if (e.claim || !needed[e.name]) continue;
                ir::for_each_node(source, e.body, [&](ref n) {
                    const ir::node& x = source.nodes[n];
                    if (x.kind != op::tensor || needed[x.name]) return;
                    needed[x.name] = more = true;
                });
            }
        }
        for (ir::equation& e : source.equations)
            if (!needed[e.name]) e.claim = true;
    }

    // Jacobians -----------------------------------------------------------------------------------

    constexpr void define_jacobian(ref name) {
        detail::text_builder of, by;
        of << loss_of(p_, name);
        by << p_.name(p_.names[name].of);
        const ref above = p_.find(of);
        const ref e = above == none ? none : p_.definition(above);
        if (e == none || p_.equations[e].positions.count != p_.names[name].numerator_rank) return;
        const text_view wrt[] = {by};
        const derived d = jacobian(p_.view(), of, wrt, 1);
        if (d.mistake) return define_zero(name);
        add(d.program, ir::name_kind::cotangent);
    }
    /// The derivative of what does not depend on the tensor.
    constexpr void define_zero(ref name) {
        const ir::range at = positions_of(name);
        buffer<ir::position> list;
        ir::index_set taken;
        for (ref i = 0; i < p_.indices.size(); ++i) taken.add(i);
        for (std::int32_t k = 0; k < at.count; ++k) {
            const ref fresh = with_more_primes(p_, p_.intern_index("p"), taken);
            taken.add(fresh);
            list.push(ir::index_position(fresh));
        }
        const ir::range left{p_.positions.size(), list.size()};
        p_.positions.append(list.data(), list.size());
        p_.equations.push({name, left, p_.number(0), false, {}});
    }
    constexpr ir::range positions_of(ref name) const {
        if (claim_.name == name) return claim_.positions;
        for (const ir::node& x : p_.nodes)
            if (x.kind == op::tensor && x.name == name) return x.positions;
        return {};
    }

    // Tangents ------------------------------------------------------------------------------------

    /// Every input moves that a tensor depends on whose tangent stands on the right.
    constexpr void define_tangents(text_view spelling) {
        const text_view along = ir::parts_of_tangent(spelling).along;
        Program moving(p_.view());
        buffer<bool> needed;
        needed.resize(p_.names.size(), false);
        for (ref n = 0; n < on_the_right_.size(); ++n)
            if (on_the_right_[n] && p_.names[n].kind == ir::name_kind::tangent)
                needed[p_.names[n].of] = true;
        for (std::int32_t e = p_.equations.size(); e-- > 0;) {
            if (p_.equations[e].claim || !needed[p_.equations[e].name]) continue;
            ir::for_each_node(p_, p_.equations[e].body, [&](ref n) {
                const ir::node& x = p_.nodes[n];
                if (x.kind == op::tensor) needed[x.name] = true;
            });
        }
        for (ref n = 0; n < needed.size(); ++n)
            if (needed[n]) moving.intern_tangent(along, n);
        for (ref n = 0; n < mentioned_.size(); ++n)  // those on the left are said by the derivation
            if (mentioned_[n] && !on_the_right_[n] && p_.names[n].kind == ir::name_kind::tangent)
                moving.names[n].kind = ir::name_kind::plain;
        add(steps_of(p_.view(), moving, ir::name_kind::tangent, spelling).program,
            ir::name_kind::tangent);
    }

    Program& p_;
    ir::equation claim_;
    buffer<bool> mentioned_;
    buffer<bool> on_the_right_;
};

}  // namespace ricci::derive
