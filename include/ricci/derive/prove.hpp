// Whether a program implies an equation, derivatives included: claims are proved here.
#pragma once

#include <cstdint>

#include <ricci/derive/gradient.hpp>
#include <ricci/derive/tangent.hpp>
#include <ricci/ir/print.hpp>
#include <ricci/ir/prove.hpp>

namespace ricci::derive {

/// The part of "dL/dW" between the d and the slash.
constexpr text_view loss_of(const ir::program& p, ref derivative) {
    return ir::parts_of_derivative(p.name(derivative)).numerator;
}

/// Proves \frac{\partial O^{ib}}{\partial V^{mn}} = ...: the gradient with a delta for the cotangent of
/// O, all steps between the two written out.
constexpr bool proves_jacobian(const ir::program_view& source, ir::program& scratch,
                               const ir::equation& claim) {
    const ir::name_symbol symbol = scratch.names[claim.name];
    detail::text_builder of_text, by_text;  // copies: the scratch program's text moves as it grows
    of_text << loss_of(scratch, claim.name);
    by_text << scratch.name(symbol.of);
    const text_view of = of_text, by = by_text;
    derived d = gradient(source, {of, &by, 1});
    if (d.mistake) return false;
    ir::importer copy(scratch, d.program);
    const std::int32_t first = scratch.equations.size();
    for (const ir::equation& e : d.program.equations) {
        const ir::equation q = copy.import(e);
        scratch.equations.push(q);
    }
    const ir::equation whole = scratch.equations[scratch.equations.size() - 1];
    const std::int32_t split = symbol.numerator_rank;
    const ir::range upper{claim.positions.first, split};
    const ir::range lower{claim.positions.first + split, claim.positions.count - split};
    ref body = whole.positions.count == lower.count ? ir::body_at(scratch, whole, lower) : none;
    if (body == none) return false;
    body = ir::inline_definitions(scratch, body, [&](const ir::equation& e) {
        return scratch.names[e.name].kind == ir::name_kind::cotangent;
    });
    const ref seeded = scratch.find(ir::cotangent_spelling("L", of));
    const auto with_deltas = [&](auto& self, ref n) -> ref {
        const ir::node x = scratch.nodes[n];
        if (x.kind != op::tensor || x.name != seeded)
            return ir::rebuild_node(scratch, n, {}, [&](ref child) { return self(self, child); });
        buffer<ref> deltas;
        for (std::int32_t k = 0; k < split; ++k) {
            ir::node delta = ir::blank_node(op::delta);
            delta.positions = {scratch.positions.size(), 2};
            const ir::position here = scratch.positions[x.positions.first + k];
            const ir::position there = scratch.positions[upper.first + k];
            scratch.positions.push(here);
            scratch.positions.push(there);
            deltas.push(scratch.nodes.push(delta));
        }
        return deltas.empty() ? scratch.number(1) : product_of(scratch, deltas);
    };
    body = with_deltas(with_deltas, body);
    const bool proved = ir::follows(scratch, body, claim.body);
    scratch.equations.shrink(first);
    return proved;
}

/// The one step of the chain rule that gives a derivative of first order, for every tensor.
constexpr derived steps_of(const ir::program_view& source, const ir::program_view& mentioned,
                           ir::name_kind kind, text_view spelling) {
    if (kind == ir::name_kind::tangent)
        return forward_mode(source).one_step(mentioned, ir::parts_of_tangent(spelling).along);
    gradient_request request;
    request.loss = ir::parts_of_derivative(spelling).numerator;
    request.one_step = true;
    return gradient(source, request);
}

/// Whether `source` implies every equation of `claims`; the first that it does not goes to `refuted`.
constexpr bool proves(const ir::program_view& source, const ir::program_view& claims,
                      ir::equation* refuted = nullptr) {
    ir::claim_set set(source, claims);
    ir::program& scratch = set.scratch();
    bool has_steps = false, has_tangents = false;
    const auto add_steps = [&](const ir::program_view& steps, ir::name_kind wanted) {
        ir::importer copy(scratch, steps);
        for (const ir::equation& e : steps.equations) {
            const ir::equation q = copy.import(e);
            if (scratch.names[q.name].kind == wanted && scratch.definition(q.name) == none)
                scratch.equations.push(q);
        }
    };
    for (std::int32_t k = 0; k < set.claims().size(); ++k) {
        const ir::equation claim = set.claims()[k];
        bool proved = set.is_stated(claim);
        const ir::name_kind kind = scratch.names[claim.name].kind;
        detail::text_builder spelling;  // a copy: the scratch program's text moves as it grows
        spelling << scratch.name(claim.name);
        if (!proved && kind == ir::name_kind::cotangent) {
            const ref numerator = scratch.find(ir::parts_of_derivative(spelling).numerator);
            if (scratch.names[claim.name].numerator_rank > 0 ||
                (numerator != none && source.definition(numerator) != none)) {
                proved = proves_jacobian(source, scratch, claim);
            } else if (!has_steps) {
                add_steps(steps_of(source, claims, kind, spelling).program, kind);
                has_steps = true;
                proved = set.is_stated(claim);
            }
        } else if (!proved && !has_tangents && kind == ir::name_kind::tangent) {
            add_steps(steps_of(source, claims, kind, spelling).program, kind);
            has_tangents = true;
            proved = set.is_stated(claim);
        }
        if (!proved) {
            if (refuted != nullptr)
                *refuted = claims.equations[k < claims.equations.size() ? k : 0];
            return false;
        }
    }
    return true;
}

/// Sums and products of tensors, for which the normal form decides equality.
constexpr bool is_polynomial(const ir::program_view& p, ref n) {
    bool polynomial = true;
    ir::for_each_node(p, n, [&](ref m) {
        const ir::node& x = p.nodes[m];
        const bool sum =
            x.kind == op::reduce && x.detail == static_cast<std::uint8_t>(reduction::sum);
        polynomial =
            polynomial && (x.kind == op::number || x.kind == op::tensor || x.kind == op::add ||
                           x.kind == op::multiply || x.kind == op::delta || sum);
    });
    return polynomial;
}

/// The right side of an equation; all of it where the left differs from that of `other`.
constexpr void print_side(const ir::program_view& p, const equation& e, const equation& other,
                          detail::text_builder& out) {
    bool alike = e.positions.count == other.positions.count;
    for (std::int32_t k = 0; alike && k < e.positions.count; ++k) {
        const ir::position &a = p.at(e.positions, k), &b = p.at(other.positions, k);
        alike = a.kind == b.kind && a.kind == ir::position_kind::index && a.index == b.index;
    }
    if (alike) ir::latex_printer(p, out).expression(e.body);
    else ir::to_latex(p, e, out);
}

/// What is claimed of derivatives before `last` as definitions, and the derivation of those that it
/// speaks of without: derivatives of second order are derived from those of first order.
constexpr ir::program with_claims_before(const ir::program_view& p, const ir::equation& last) {
    ir::program out(p);
    for (std::int32_t k = 0; k < p.equations.size() && &p.equations[k] != &last; ++k) {
        ir::equation& q = out.equations[k];
        if (p.names[q.name].kind != ir::name_kind::plain && p.definition(q.name) == none)
            q.claim = false;
    }
    const ref of = p.names[last.name].of;
    if (of == none || p.names[of].kind == ir::name_kind::plain || out.definition(of) != none)
        return out;
    const derived steps = steps_of(out, p, p.names[of].kind, p.name(of));
    ir::importer copy(out, steps.program);
    for (const ir::equation& e : steps.program.equations)
        if (const ir::equation q = copy.import(e); out.definition(q.name) == none)
            out.equations.push(q);
    return out;
}

/// Proves the claims of a program about itself: chained equalities, and derivatives.
constexpr ir::mistake check_claims(const ir::program_view& p, text_view text) {
    bool second_order = false;
    for (const ir::name_symbol& n : p.names)
        second_order = second_order || (n.of != none && p.names[n.of].kind != ir::name_kind::plain);
    for (const ir::equation& e : p.equations) {
        if (!e.claim) continue;
        ir::program alone;
        ir::importer copy(alone, p);
        const ir::equation claim = copy.import(e);
        alone.equations.push(claim);
        if (second_order ? proves(with_claims_before(p, e), alone) : proves(p, alone)) continue;
        detail::text_builder s;
        const ref defined = p.definition(e.name);
        if (defined == none && p.names[e.name].kind == ir::name_kind::plain) {
            s << "nothing defines " << p.name(e.name) << ", so nothing can be claimed of it";
        } else {
            ir::program scratch(p);
            ir::normaliser normal(scratch);
            if (defined != none && is_polynomial(p, e.body) &&
                is_polynomial(p, p.equations[defined].body))
                s << "this is not what " << p.name(e.name) << " is";
            else s << "the normal form does not show that this is " << p.name(e.name);
            if (defined != none) {
                s << ": in normal form it is ";
                ir::equation side = e;
                side.body = normal.to_node(normal.normalise(e.body));
                print_side(scratch, side, p.equations[defined], s);
                s << ", and by its definition ";
                ir::equation other = p.equations[defined];
                other.body = normal.to_node(normal.normalise(other.body));
                print_side(scratch, other, e, s);
            } else {
                s << ": it is claimed to be ";
                const ref right = normal.to_node(normal.normalise(e.body));
                ir::latex_printer(scratch, s).expression(right);
                gradient_request request;
                request.loss = loss_of(scratch, e.name);
                request.one_step = true;
                const derived steps = gradient(p, request);
                const ref name = steps.program.find(p.name(e.name));
                const ref step = name == none ? none : steps.program.definition(name);
                if (step != none && p.names[e.name].numerator_rank == 0) {
                    s << ", and the derivation gives ";
                    ir::to_latex(steps.program, steps.program.equations[step], s);
                }
            }
        }
        const ir::source_span at = p.nodes[e.body].source;
        return ir::make_mistake(ir::mistake_kind::claim, text, at.begin, at.end, s);
    }
    return {};
}

}  // namespace ricci::derive
