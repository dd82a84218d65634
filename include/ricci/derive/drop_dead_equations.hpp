// Dropping what the kept names do not need, of a program that was put together from others.
#pragma once

#include <cstdint>

#include <ricci/derive/dead_equations.hpp>
#include <ricci/ir/axes.hpp>

namespace ricci::derive {

/// A copy with the equations that the kept names need, directly or not, in their order.
template <class Program>
constexpr ir::program drop_dead_equations(Program& p) {
    needed_tensors<Program> needed(p);
    needed.spread();
    if (ir::says_axes(p)) {
        for (std::int32_t e = p.equations.size(); e-- > 0;) {
            const ir::equation& q = p.equations[e];
            if (q.claim || !needed.has(q.name)) continue;
            ir::for_each_said(p, q,
                              [&](ir::ref i) { needed.add_shape(p.indices[i].along.tensor); });
            needed.spread();
        }
    }
    return only_needed(p, needed);
}

}  // namespace ricci::derive
