// The order of a program's equations: what one reads is defined before it.
#pragma once

#include <cstdint>

#include <ricci/ir/mistake.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::ir {

/// Puts definitions before their uses, keeping the written order where it allows; claims go last.
constexpr mistake order_equations(program& p, detail::text_view text) {
    const std::int32_t count = p.equations.size();
    detail::buffer<equation> ordered;
    detail::buffer<bool> done, defined;  // of an equation, and of a name that one defines
    done.resize(count, false);
    defined.resize(p.names.size(), true);
    for (const equation& e : p.equations)
        if (!e.claim) defined[e.name] = false;
    // What each equation reads of what others define.
    detail::buffer<ref> reads;
    detail::buffer<std::int32_t> first_read;
    for (const equation& e : p.equations) {
        first_read.push(reads.size());
        for_each_node(p, e.body, [&](ref n) {
            const node& x = p.nodes[n];
            if (x.kind == op::tensor && !defined[x.name]) reads.push(x.name);
        });
    }
    first_read.push(reads.size());
    const auto ready = [&](std::int32_t e) {
        for (std::int32_t k = first_read[e]; k < first_read[e + 1]; ++k)
            if (!defined[reads[k]]) return false;
        return true;
    };
    for (bool progress = true; progress;) {
        progress = false;
        for (std::int32_t e = 0; e < count; ++e) {
            if (done[e] || p.equations[e].claim || !ready(e)) continue;
            ordered.push(p.equations[e]);
            done[e] = progress = true;
            defined[p.equations[e].name] = true;
        }
    }
    for (std::int32_t e = 0; e < p.equations.size(); ++e) {
        const equation& left = p.equations[e];
        if (left.claim) {
            ordered.push(left);
        } else if (!done[e]) {
            detail::text_builder sentence;
            sentence << p.name(left.name)
                     << " is defined by itself, directly or through other equations";
            return make_mistake(mistake_kind::cycle, text, left.source.begin, left.source.end,
                                sentence);
        }
    }
    p.equations = static_cast<detail::buffer<equation>&&>(ordered);
    return {};
}

}  // namespace ricci::ir
