// The claims that a program makes about itself: chained equalities, and derivatives.
#pragma once

#include <cstdint>

#include <ricci/derive/judge.hpp>
#include <ricci/ir/mistake.hpp>

namespace ricci::derive {

/// What is claimed of derivatives before `last` as definitions, and the derivation of those that it
/// speaks of without: derivatives of second order are derived from those of first order.
template <class Program>
constexpr ir::program with_claims_before(const Program& p, const ir::equation& last) {
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

/// What is to be said of the claim number `e` of a program's equations.
template <class Program>
constexpr judgement judge_claim(const Program& p, std::int32_t e,
                                const effort& most = default_effort()) {
    ir::program alone;
    ir::importer copy(alone, p);
    const ir::equation claim = copy.import(p.equations[e]);
    alone.equations.push(claim);
    bool second_order = false;
    for (const ir::name_symbol& n : p.names)
        second_order = second_order || (n.of != none && p.names[n.of].kind != ir::name_kind::plain);
    if (!second_order) return judge(p, alone, most);
    const auto before = with_claims_before(p, p.equations[e]);
    return judge(before, alone, most);
}

/// The words of a judgement with both sides in normal form.
constexpr detail::text_builder words_of(const judgement& j) {
    detail::text_builder out;
    out << j.words.view();
    if (j.sides.size() > 0) out << "; " << j.sides.view();
    return out;
}

/// The first claim of a program that is not proved, as a mistake in its text.
template <class Program>
constexpr ir::mistake check_claims(const Program& p, text_view text) {
    for (std::int32_t e = 0; e < p.equations.size(); ++e) {
        if (!p.equations[e].claim) continue;
        const judgement j = judge_claim(p, e);
        if (j.verdict == verdict::proved) continue;
        const ir::source_span at = p.nodes[p.equations[e].body].source;
        return ir::make_mistake(ir::mistake_kind::claim, text, at.begin, at.end, words_of(j));
    }
    return {};
}

}  // namespace ricci::derive
