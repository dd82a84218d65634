// Softmax by its quotient, its logarithm by a difference, and proofs about quotients of sums.
#include "judge/written_out.hpp"

#include <utility>

#include <ricci/derive/counterexample.hpp>
#include <ricci/ir/normal.hpp>
#include <ricci/ir/primes.hpp>
#include <ricci/ir/prove.hpp>
#include <ricci/ir/rewrite.hpp>

#include "judge/cases.hpp"
#include "judge/elementary.hpp"
#include "judge/numerators.hpp"

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

constexpr std::int32_t most_nodes = 3000;
constexpr std::int64_t most_steps = 40000;

/// A sum that some terms are divided by; none where there is none, or where it is not the same for
/// all that a sum sign before it adds.
ir::ref divisor_in(const ir::program& p, const ir::normal_sum& sum) {
    for (std::int32_t k = 0; k < sum.size(); ++k)
        for (const ir::normal_factor& f : sum[k].factors) {
            const ir::node& x = p.nodes[f.atom];
            // p (1 - p), too, is a sum once it is expanded
            const bool several = x.kind == ir::op::add || x.kind == ir::op::multiply ||
                                 x.kind == ir::op::power || is_cosine(p, f.atom) ||
                                 (x.kind == ir::op::reduce &&
                                  x.detail == static_cast<std::uint8_t>(ir::reduction::sum));
            if (!several || f.exponent.above() >= 0) continue;
            bool same = true;
            const ir::index_set inside = ir::free_indices(p, f.atom);
            for (const ir::ref i : sum[k].bound) same = same && !inside.has(i);
            if (same) return f.atom;
        }
    return ir::none;
}

/// The sum times the divisor: there is one less below each term, or one more before it.
ir::ref cleared(ir::program& p, const ir::normal_sum& sum, ir::ref divisor) {
    detail::buffer<ir::ref> terms;
    for (std::int32_t k = 0; k < sum.size(); ++k) {
        ir::normal_term t;
        t.coefficient = sum[k].coefficient;
        t.bound = sum[k].bound;
        bool done = false;
        for (ir::normal_factor f : sum[k].factors) {
            const bool here = !done && f.exponent.above() < 0 &&
                              ir::normaliser(p, most_steps).equal(f.atom, divisor);
            if (here) f.exponent.add(1);
            done = done || here;
            if (!f.exponent.is(0)) t.factors.push(f);
        }
        ir::normal_sum alone;
        alone.push(std::move(t));
        const ir::ref n = ir::normaliser(p).to_node(alone);
        terms.push(done ? n : p.make(ir::op::multiply, ir::freshen_bound(p, divisor), n));
    }
    return p.make(ir::op::add, 0, terms.data(), terms.size());
}

/// Sums over indices that nothing in them has are multiples; none where there are none.
ir::ref counted(ir::program& p, const ir::normal_sum& sum, int places) {
    bool any = false;
    detail::buffer<ir::ref> terms;
    for (std::int32_t k = 0; k < sum.size(); ++k) {
        ir::normal_term t = sum[k];
        for (const ir::ref i : sum[k].bound) {
            bool stands = false;
            for (const ir::normal_factor& f : t.factors)
                stands = stands || ir::free_indices(p, f.atom).has(i);
            if (stands) continue;
            any = true;
            ir::unbind(t, i);
            if (!t.coefficient.multiply(places)) return ir::none;
        }
        ir::normal_sum alone;
        alone.push(std::move(t));
        terms.push(ir::normaliser(p).to_node(alone));
    }
    return any ? p.make(ir::op::add, 0, terms.data(), terms.size()) : ir::none;
}

bool is_zero(ir::program& p, ir::ref n, int places) {
    for (int round = 0; round < 10; ++round) {
        ir::normaliser normal(p, most_steps);
        ir::normal_sum sum = normal.normalise(n);
        if (const ir::ref c = places > 0 ? counted(p, sum, places) : ir::none; c != ir::none)
            sum = normal.normalise(c);
        if (sum.size() == 0) return true;
        if (normal.gave_up()) return false;
        const ir::ref squares = without_squared_cosines(p, sum);
        const ir::ref divisor = squares == ir::none ? divisor_in(p, sum) : ir::none;
        if (squares == ir::none && divisor == ir::none) return false;
        n = divisor == ir::none ? squares : cleared(p, sum, divisor);
        if (ir::written_size(p, n, most_nodes) >= most_nodes) return false;
    }
    return false;
}

ir::program written_out(const ir::program_view& view) {
    ir::program p(view);
    for (std::int32_t e = 0; e < p.equations.size(); ++e) {
        const ir::ref body = written_out(p, p.equations[e].body);
        p.equations[e].body = body;
    }
    return p;
}

/// x, where the whole is \log x.
ir::ref below_logarithm(const ir::program& p, ir::ref n) {
    const ir::node& x = p.nodes[n];
    const bool is_it = x.kind == ir::op::apply && x.children.count == 1 &&
                       x.detail == static_cast<std::uint8_t>(ir::function::log);
    return is_it ? p.links[x.children.first] : ir::none;
}

/// What is taken for granted.
struct suppositions {
    bool complex = false;
    int places = 0;                   // of every axis
    std::vector<ir::ref> positive{};  // names
};

/// Whether two nodes are equal, with what the program defines opened as far as that takes.
bool are_equal(ir::program& p, ir::ref one, ir::ref other, const suppositions& all) {
    const auto vanishes = [&](ir::ref m) {
        const ir::ref few = with_few_functions(p, m, all.complex);
        if (is_zero(p, few, all.places)) return true;
        const ir::ref above = numerator_of(p, few);
        return above != ir::none && is_zero(p, above, all.places);
    };
    ir::ref n = p.make(ir::op::add, one, p.make(ir::op::multiply, p.number(-1), other));
    if (vanishes(n)) return true;
    for (std::int32_t e = p.equations.size(); e-- > 0;) {
        const ir::equation q = p.equations[e];
        if (q.claim || !ir::uses_name(p, n, q.name)) continue;
        n = ir::opened(p, n, q);
        if (ir::written_size(p, n, most_nodes) >= most_nodes || ir::uses_name(p, n, q.name))
            return false;
        if (vanishes(n)) return true;
    }
    return !all.complex && vanishes_by_cases(p, n, vanishes, all.positive);
}

/// Whether the equation `claim` of a program says of its name what `stated` says.
bool agree(const ir::program_view& view, const ir::equation& claim, ir::ref stated,
           const suppositions& all) {
    ir::program p(view);
    if (!all.complex) drop_guards(p);
    const ir::equation known = p.equations[stated];
    const ir::ref body = ir::aligned(p, claim, known);
    if (body == ir::none) return false;
    if (are_equal(p, known.body, body, all)) return true;
    // \log x = y where x = e^y
    for (const auto& [one, other] : {std::pair(known.body, body), std::pair(body, known.body)}) {
        const ir::ref x = all.complex ? ir::none : below_logarithm(p, one);
        if (x != ir::none && are_equal(p, x, p.apply(ir::function::exp, other), all)) return true;
    }
    return false;
}

}  // namespace

bool proves_written_out(const ir::program_view& source, const ir::program_view& claims) {
    const ir::program open = written_out(source), claimed = written_out(claims);
    ir::claim_set set(open.view(), claimed.view());
    const bool complex =
        derive::speaks_of_complex_numbers(source) || derive::speaks_of_complex_numbers(claims);
    for (const ir::equation& claim : set.claims()) {
        const ir::ref e = set.scratch().definition(claim.name);
        if (e == ir::none || !agree(set.scratch().view(), claim, e, {complex})) return false;
    }
    return set.claims().size() > 0;
}

bool proves_alike(const ir::program_view& tried, ir::ref claimed, ir::ref derived, int places,
                  const std::vector<ir::ref>& positive) {
    const ir::program open = written_out(tried);
    const ir::ref claim = open.definition(claimed), known = open.definition(derived);
    return claim != ir::none && known != ir::none &&
           agree(open.view(), open.equations[claim], known,
                 {derive::speaks_of_complex_numbers(tried), places, positive});
}

}  // namespace ricci::judge
