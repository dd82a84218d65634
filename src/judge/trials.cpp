// Draws under one assumption after another, until the sides are equal in all of them.
#include "src/judge/trials.hpp"

#include <algorithm>
#include <set>

#include <ricci/derive/counterexample.hpp>
#include <ricci/derive/example_shapes.hpp>
#include <ricci/ir/rewrite.hpp>

#include "src/base/texts.hpp"
#include "src/judge/assumptions.hpp"

namespace ricci::judge {
namespace {

constexpr std::int64_t work_of_a_draw = 200000;  // visits to nodes
constexpr std::int64_t work_of_all = 6000000;
constexpr std::int32_t most_draws = 24;

using assumed = std::vector<bound_assumption>;

class trials {
public:
    trials(const derive::judgement& j, bool complex)
        : j_(j),
          p_(j.tried.view()),
          complex_(complex),
          classes_(p_, 2, false, j.claimed, j.derived),
          source_(without_claim(j)),
          of_source_(source_.view(), 2, false) {
        const ir::program_view known = source_.view();
        for (const ir::node& x : known.nodes)
            if (ir::is_of_matrix(x))
                ir::for_each_node(known, known.links[x.children.first], [&](ir::ref n) {
                    if (known.nodes[n].kind == ir::op::tensor)
                        inverted_.insert(known.nodes[n].name);
                });
    }

    struct result {
        int equal = 0;
        int different = 0;
        bool gave_up = false;
        derive::counterexample first;  // in which they differ
        bool holds() const { return different == 0 && !gave_up && equal >= 3; }
    };
    /// Draws until they differ `wanted` times, or have been equal `enough` times.
    result run(const assumed& all, int wanted, int enough = 5) {
        result out;
        // three is the least extent in which rotations do not commute, and that of permutations
        bool by_turns = true;
        for (const bound_assumption& a : all) {
            by_turns = by_turns && a.property != property::permutation &&
                       (a.property != property::orthogonal ||
                        classes_.is_square(a.name, a.first, a.second));
        }
        derive::counterexample_search<ir::program_view, transformation> search(
            p_, j_.claimed, j_.derived, complex_, work_of_a_draw, transformation(p_, all));
        for (const ir::ref name : j_.whole) search.set_whole(name);
        // where they differ now and then - a factor is drawn as 1, a root has no value - more of
        // them
        for (std::int32_t k = 0;
             k < most_draws && out.different < wanted && (out.different > 0 || out.equal < enough);
             ++k) {
            if (work_ > work_of_all) {
                out.gave_up = true;
                break;
            }
            derive::counterexample found;
            const std::int64_t before = search.work_left();
            search.attempt(k, all.empty() && k % 2 == 0 ? 2 : 3, by_turns && k % 2 == 1, found);
            work_ += before - search.work_left();
            if (found.gave_up) {
                out.gave_up = true;
                break;
            }
            if (found.found) {
                ++out.different;
                if (out.different == 1) out.first = std::move(found);
            } else if (found.compared > 0) {
                ++out.equal;
            }
        }
        return out;
    }
    /// Whether a matrix that is assumed to equal its transpose has as many rows as columns, and that
    /// by what is known: a claim with a transposition too many would make any matrix square.
    bool makes_sense(const assumed& all) const {
        return std::all_of(all.begin(), all.end(), [&](const bound_assumption& a) {
            if (a.property != property::symmetric && a.property != property::antisymmetric)
                return true;
            if (inverted_.count(a.name) > 0) return true;
            return of_source_.is_used(a.name) ? of_source_.is_square(a.name, a.first, a.second)
                                              : classes_.is_square(a.name, a.first, a.second);
        });
    }
    const ir::program_view& program() const { return p_; }

private:
    static ir::program without_claim(const derive::judgement& j) {
        ir::program out = j.tried;
        out.equations.clear();
        for (const ir::equation& e : j.tried.equations)
            if (e.name != j.claimed) out.equations.push(e);
        return out;
    }

    const derive::judgement& j_;
    ir::program_view p_;
    bool complex_;
    derive::example_shapes<> classes_;
    ir::program source_;
    derive::example_shapes<> of_source_;
    std::set<ir::ref> inverted_;  // what has a determinant, or an inverse
    std::int64_t work_ = 0;
};

/// A number as a quotient of whole ones; empty where it is printed in another way.
std::string quotient_of(const derive::number& x) {
    detail::text_builder words;
    derive::print_short(x, words);
    const std::string out = detail::string_of(words.view());
    return out.find_first_not_of("0123456789-/") == std::string::npos ? out : std::string();
}

/// The inputs that a name rests on in the end.
void add_inputs(const ir::program_view& p, ir::ref name, std::set<ir::ref>& seen,
                std::set<ir::ref>& inputs) {
    if (!seen.insert(name).second) return;
    const ir::ref e = p.definition(name);
    if (e == ir::none) {
        inputs.insert(name);
        return;
    }
    ir::for_each_node(p, p.equations[e].body, [&](ir::ref n) {
        if (p.nodes[n].kind == ir::op::tensor) add_inputs(p, p.nodes[n].name, seen, inputs);
    });
}

}  // namespace

void try_assumptions(const derive::judgement& j, bool complex,
                     const std::vector<assumption>& declared, finding& out) {
    trials all(j, complex);
    const ir::program_view& p = all.program();
    std::set<ir::ref> seen, of_claim, of_source;
    add_inputs(p, j.claimed, seen, of_claim);
    seen.clear();
    add_inputs(p, j.derived, seen, of_source);
    for (const ir::ref n : of_claim)
        if (of_source.count(n) == 0) out.lacking.push_back(detail::string_of(p.name(n)));

    const assumed known = bound_to(p, declared);
    const bool alike = out.alike;
    // 1^a is 1^b, so that what was alike in a few draws is drawn more often
    const int enough = alike ? 16 : 5;
    const trials::result plain = all.run(known, 2, enough);
    const auto conditional = [&](const assumed& under, bool by_declared) {
        out.verdict = verdict::conditional;
        out.words = "true if " + words_of(p, under);
        out.by_declared = by_declared;
        for (const bound_assumption& a : under) out.under.push_back(as_value(p, a));
    };
    if (out.alike && plain.different == 0) return;
    out.alike = false;
    if (!known.empty() && plain.holds()) return conditional(known, true);
    bool gave_up = plain.gave_up;
    for (const assumed& one : standard_assumptions(p, true)) {
        if (plain.different == 0 || gave_up) break;
        if (!all.makes_sense(one)) continue;
        assumed under = known;
        under.insert(under.end(), one.begin(), one.end());
        const trials::result here = all.run(under, 1, enough);
        // what the page declares beside it need not be said where it plays no part
        if (here.holds())
            return conditional(!known.empty() && all.run(one, 1, enough).holds() ? one : under,
                               false);
        gave_up = here.gave_up;
    }
    const bool was_unequal = out.verdict == verdict::refuted || alike;
    out.verdict = verdict::unproved;
    if (!out.lacking.empty()) {
        if (was_unequal || out.words.empty())
            out.words = "the other side does not rest on " + out.lacking.front();
        return;
    }
    if (gave_up) {
        out.words = "trying it under all assumptions takes more steps than are taken";
        return;
    }
    if (plain.different < 2) {
        if (was_unequal) out.words = "the sides differ in one draw only";
        return;
    }
    out.verdict = verdict::refuted;
    out.claimed_value = quotient_of(plain.first.claimed);
    out.derived_value = quotient_of(plain.first.derived);
    detail::text_builder words;
    const ir::equation& claim = p.equations[p.definition(j.claimed)];
    derive::print_counterexample(p, plain.first, claim, p.name(j.derived), words);
    out.words = detail::string_of(words.view());
}

}  // namespace ricci::judge
