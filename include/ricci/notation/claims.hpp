// Chained equalities: A = B = C claims that C is B.
#pragma once

#include <ricci/ir/mistake.hpp>
#include <ricci/ir/print.hpp>
#include <ricci/ir/prove.hpp>

namespace ricci::notation {

/// Proves the claims of a program about the tensors it defines. Claims about derivatives need the
/// derivation and are not settled here.
constexpr ir::mistake check_claims(const ir::program& p, detail::text_view text) {
    for (const ir::equation& e : p.equations) {
        if (!e.claim || p.names[e.name].kind != ir::name_kind::plain || ir::states(p, p, e)) continue;
        const ir::ref defined = p.definition(e.name);
        detail::text_builder s;
        if (defined == ir::none) {
            s << "nothing defines " << p.name(e.name) << ", so nothing can be claimed of it";
        } else {
            ir::program scratch(p.view());
            ir::normaliser normal(scratch);
            const ir::ref left = normal.to_node(normal.normalise(scratch.equations[defined].body));
            const ir::ref right = normal.to_node(normal.normalise(e.body));
            s << "this is not what " << p.name(e.name) << " is: in normal form it is ";
            ir::latex_printer(scratch, s).expression(right);
            s << ", and by its definition ";
            ir::latex_printer(scratch, s).expression(left);
        }
        const ir::source_span at = p.nodes[e.body].source;
        return ir::make_mistake(ir::mistake_kind::claim, text, at.begin, at.end, s);
    }
    return {};
}

}  // namespace ricci::notation
