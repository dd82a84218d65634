// Brackets of a term that say nothing where its factors are finite: derivatives have them, for the
// points where others are not.
#pragma once

#include <cstdint>

#include <ricci/ir/normal_term.hpp>
#include <ricci/ir/program.hpp>

namespace ricci::ir {

/// Drops [a \ne 0] beside a power of a, or of all that a is a product of, or beside \log a.
template <class Normaliser>
constexpr void drop_brackets(Normaliser& normal, program& p, normal_term& t) {
    for (std::int32_t k = 0; k < t.factors.size(); ++k) {
        const node x = p.nodes[t.factors[k].atom];
        if (x.kind != op::compare || x.detail != static_cast<std::uint8_t>(comparison::not_equal))
            continue;
        const ref a = p.links[x.children.first], zero = p.links[x.children.first + 1];
        if (p.nodes[zero].kind != op::number || p.nodes[zero].value != 0) continue;
        const normal_sum parts = normal.normalise(a);
        const auto stands = [&](auto test) {
            bool found = false;
            for (std::int32_t j = 0; j < t.factors.size() && !found; ++j)
                found = j != k && test(t.factors[j].atom);
            return found;
        };
        bool all = parts.size() == 1 && !parts[0].factors.empty();
        for (std::int32_t f = 0; all && f < parts[0].factors.size(); ++f)
            all = stands([&](ref atom) { return normal.equal(atom, parts[0].factors[f].atom); });
        if (!all && !stands([&](ref atom) {
                const node y = p.nodes[atom];
                return y.kind == op::apply &&
                       y.detail == static_cast<std::uint8_t>(function::log) &&
                       normal.equal(p.links[y.children.first], a);
            }))
            continue;
        t.factors[k] = t.factors.back();
        t.factors.shrink(t.factors.size() - 1);
        k = -1;
    }
}

}  // namespace ricci::ir
