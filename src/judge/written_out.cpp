// softmax_j(x_j) = exp(x_j) / \sum_k exp(x_k), and its logarithm.
#include "src/judge/written_out.hpp"

#include <ricci/ir/primes.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::judge {
namespace {

/// \sum_k \exp(x_k) for a reduction over j of x_j.
ir::ref sum_of_exponentials(ir::program& p, const ir::node& x) {
    const ir::ref body = p.links[x.children.first];
    ir::index_set taken;
    for (ir::ref i = 0; i < p.indices.size(); ++i) taken.add(i);
    ir::index_map renamed;
    detail::buffer<ir::ref> over;
    for (std::int32_t k = 0; k < x.indices.count; ++k) {
        const ir::ref index = p.links[x.indices.first + k];
        const ir::ref fresh = ir::with_more_primes(p, index, taken);
        taken.add(fresh);
        renamed.set(index, fresh);
        over.push(fresh);
    }
    const ir::ref copy = ir::rename_indices(p, ir::freshen_bound(p, body), renamed);
    const ir::range indices = p.add_links(over);
    return p.reduce(ir::reduction::sum, indices, p.apply(ir::function::exp, copy));
}

bool is_softmax(const ir::node& x) {
    return x.kind == ir::op::reduce &&
           x.detail == static_cast<std::uint8_t>(ir::reduction::softmax);
}

ir::ref written_out(ir::program& p, ir::ref n) {
    const ir::node whole = p.nodes[n];
    if (whole.kind == ir::op::apply &&
        whole.detail == static_cast<std::uint8_t>(ir::function::log)) {
        const ir::ref inside = p.links[whole.children.first];
        if (is_softmax(p.nodes[inside])) {  // the logarithm of a quotient
            const ir::ref below = ir::rebuild_children(
                p, inside, [&](ir::ref child) { return written_out(p, child); });
            const ir::node x = p.nodes[below];
            const ir::ref sum = sum_of_exponentials(p, x);
            const ir::ref minus =
                p.make(ir::op::multiply, p.number(-1), p.apply(ir::function::log, sum));
            return p.make(ir::op::add, p.links[x.children.first], minus);
        }
    }
    const ir::ref inside =
        ir::rebuild_children(p, n, [&](ir::ref child) { return written_out(p, child); });
    const ir::node x = p.nodes[inside];
    if (x.kind != ir::op::reduce) return inside;
    const auto kind = static_cast<ir::reduction>(x.detail);
    const bool soft = is_softmax(x);
    if (!soft && kind != ir::reduction::logsumexp) return inside;
    const ir::ref sum = sum_of_exponentials(p, x);
    if (!soft) return p.apply(ir::function::log, sum);
    return p.make(ir::op::divide, p.apply(ir::function::exp, p.links[x.children.first]), sum);
}

}  // namespace

ir::program written_out(const ir::program_view& view) {
    ir::program p(view);
    for (std::int32_t e = 0; e < p.equations.size(); ++e) {
        const ir::ref body = written_out(p, p.equations[e].body);
        p.equations[e].body = body;
    }
    return p;
}

}  // namespace ricci::judge
