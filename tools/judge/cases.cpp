// Cases are opened one after another, as far as a proof takes them.
#include "judge/cases.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <ricci/ir/normal.hpp>
#include <ricci/ir/rewrite.hpp>

#include "judge/brackets.hpp"
#include "judge/matched_sums.hpp"

namespace ricci::judge {
namespace {

using ir::normal_sum;
using ir::normal_term;
using ir::op;
using ir::ref;

constexpr int most_cases = 800;
constexpr std::int32_t nodes_of_a_case = 3000;
constexpr std::int64_t steps_of_a_case = 20000;

class case_proof {
public:
    case_proof(ir::program& p, const std::function<bool(ref)>& is_zero)
        : p_(p), is_zero_(is_zero) {}

    bool vanishes(ref given, sign_facts facts) {
        if (++cases_ > most_cases) return false;
        bracket_writer writer(p_, facts);
        const ref written = writer.run(given);
        if (writer.open() != ir::none) return vanishes_for_each_sign(given, writer.open(), facts);
        const bool small = ir::written_size(p_, written, nodes_of_a_case) < nodes_of_a_case;
        ir::normaliser normal(p_, small ? steps_of_a_case : 0);
        const normal_sum sum = normal.normalise(written);
        if (small && sum.size() == 0) return true;
        // sums as they are written first: a normal form has many more
        if (terms_vanish(terms_of(p_, given), false, facts)) return true;
        return !normal.gave_up() && (sums_vanish(sum, facts) || is_zero_(normal.to_node(sum)));
    }

private:
    bool vanishes_for_each_sign(ref n, ref d, const sign_facts& facts) {
        for (const int sign : {1, 0, -1}) {
            sign_facts here = facts;
            if (here.exclude(p_, d, sign)) continue;
            here.assume(p_, d, sign);
            if (!vanishes(sign == 0 ? with_zero(n, d) : n, std::move(here))) return false;
        }
        return true;
    }

    /// The expression with d = 0: a number that d is linear in is what the others make it.
    ref with_zero(ref n, ref d) {
        ir::normaliser normal(p_, steps_of_a_case);
        const normal_sum sum = normal.normalise(d);
        for (std::int32_t k = 0; k < sum.size(); ++k) {
            if (sum[k].factors.size() != 1 || !sum[k].bound.empty() ||
                !sum[k].factors[0].exponent.is(1) ||
                p_.nodes[sum[k].factors[0].atom].kind != op::tensor)
                continue;
            const ref atom = sum[k].factors[0].atom;
            normal_sum others;
            bool stands = false, fits = true;
            ir::quotient below(-sum[k].coefficient.below(), std::abs(sum[k].coefficient.above()));
            if (sum[k].coefficient.above() < 0) below.multiply(-1);
            for (std::int32_t j = 0; j < sum.size(); ++j) {
                if (j == k) continue;
                normal_term t = sum[j];
                fits = t.coefficient.multiply(below) && fits;
                for (const ir::normal_factor& f : t.factors) stands = stands || reads(f.atom, atom);
                others.push(std::move(t));
            }
            if (!stands && fits) return replaced(n, atom, normal.to_node(others), {});
        }
        return n;
    }
    bool reads(ref n, ref atom) const {
        bool any = false;
        ir::for_each_node(p_, n, [&](ref m) { any = any || ir::same_expression(p_, m, atom); });
        return any;
    }
    ref replaced(ref n, ref atom, ref by, ir::index_set bound) {
        if (ir::same_expression(p_, n, atom)) {
            bool inside = false;
            for (const ref side : {atom, by})
                ir::free_indices(p_, side).for_each(
                    [&](ref i) { inside = inside || bound.has(i); });
            return inside ? n : ir::freshen_bound(p_, by);
        }
        const ir::node x = p_.nodes[n];
        for (std::int32_t k = 0; x.kind == op::reduce && k < x.indices.count; ++k)
            bound.add(p_.links[x.indices.first + k]);
        return ir::rebuild_children(p_, n,
                                    [&](ref child) { return replaced(child, atom, by, bound); });
    }

    bool sums_vanish(const normal_sum& sum, const sign_facts& facts) {
        const std::vector<summed> terms = terms_of(p_, sum);
        return terms_vanish(terms, false, facts) || terms_vanish(terms, true, facts);
    }
    /// Terms of sums over the same indices are one sum, which is 0 where what it sums is.
    bool terms_vanish(const std::vector<summed>& terms, bool nested, const sign_facts& facts) {
        if (std::all_of(terms.begin(), terms.end(),
                        [](const summed& t) { return t.indices.empty(); }))
            return false;
        const std::vector<ref> summands = matched_sums(p_, terms, nested);
        return std::all_of(summands.begin(), summands.end(),
                           [&](ref summand) { return vanishes(summand, facts); });
    }

    ir::program& p_;
    const std::function<bool(ref)>& is_zero_;
    int cases_ = 0;
};

}  // namespace

bool vanishes_by_cases(ir::program& p, ir::ref n, const std::function<bool(ir::ref)>& is_zero,
                       const std::vector<ir::ref>& positive) {
    return case_proof(p, is_zero).vanishes(ir::freshen_bound(p, n), sign_facts(positive));
}

}  // namespace ricci::judge
