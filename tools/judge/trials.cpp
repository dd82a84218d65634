// Draws under one assumption after another, until the sides are equal in all of them.
#include "judge/trials.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <ricci/derive/counterexample.hpp>
#include <ricci/derive/example_shapes.hpp>
#include <ricci/ir/rewrite.hpp>

#include "src/base/texts.hpp"
#include "judge/assumptions.hpp"
#include "judge/written_out.hpp"

namespace ricci::judge {
namespace {

constexpr std::int64_t work_of_a_draw = 200000;  // visits to nodes
constexpr std::int64_t work_of_all = 6000000;
constexpr std::int32_t most_draws = 24;
constexpr std::int32_t most_draws_of_cases = 36;

using assumed = std::vector<bound_assumption>;

/// Whether something in a program jumps: it compares numbers that it does not count, or rounds.
bool has_jumps(const ir::program_view& p) {
    const auto reads = [&](ir::ref root) {
        bool any = false;
        ir::for_each_node(p, root,
                          [&](ir::ref n) { any = any || p.nodes[n].kind == ir::op::tensor; });
        return any;
    };
    return std::any_of(p.nodes.begin(), p.nodes.end(), [&](const ir::node& x) {
        if (x.kind == ir::op::compare) return reads(p.child(x, 0)) || reads(p.child(x, 1));
        if (x.kind != ir::op::apply) return false;
        const auto f = static_cast<ir::function>(x.detail);
        return f == ir::function::floor || f == ir::function::ceil || f == ir::function::sign;
    });
}

/// Whether something in a program depends on which of two numbers is the larger one.
bool compares(const ir::program_view& p) {
    return has_jumps(p) || std::any_of(p.nodes.begin(), p.nodes.end(), [](const ir::node& x) {
               if (x.kind != ir::op::apply) return false;
               const auto f = static_cast<ir::function>(x.detail);
               return f == ir::function::absolute || f == ir::function::relu ||
                      f == ir::function::elu || f == ir::function::maximum ||
                      f == ir::function::minimum;
           });
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

class trials {
public:
    trials(const derive::judgement& j, bool complex)
        : j_(j),
          p_(j.tried.view()),
          complex_(complex),
          compares_(compares(p_)),
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
        int apart = 0;  // of the different ones, those in which no two numbers are equal
        bool gave_up = false;
        double least = 0, most = 0;    // what the numbers of a draw come to
        derive::counterexample first;  // in which they differ
        bool holds() const { return different == 0 && !gave_up && equal >= 3; }
    };
    /// The extents of draws: two and three places by turns, by turns three and four, or three.
    enum class extents { small, unlike, three };
    /// Draws until they differ `wanted` times, or have been equal `enough` times.
    result run(const assumed& all, extents shapes, int wanted, int enough, ir::ref moved = ir::none,
               ir::ref scaled = ir::none, const derive::number& scale = derive::number::whole(1)) {
        result out;
        derive::counterexample_search<ir::program_view, transformation> search(
            p_, j_.claimed, j_.derived, complex_, work_of_a_draw,
            transformation(p_, all, compares_, moved, scaled, scale));
        for (const ir::ref name : j_.whole) search.set_whole(name);
        const std::int32_t most = compares_ ? most_draws_of_cases : most_draws;
        // where they differ now and then - a factor is drawn as 1, a root has no value - more of
        // them
        for (std::int32_t k = 0;
             k < most && out.different < wanted && (out.different > 0 || out.equal < enough); ++k) {
            if (work_ > work_of_all) {
                out.gave_up = true;
                break;
            }
            derive::counterexample found;
            const std::int64_t before = search.work_left();
            search.attempt(k, shapes == extents::small && k % 2 == 0 ? 2 : 3,
                           shapes != extents::three && k % 2 == 1, found);
            work_ += before - search.work_left();
            if (found.gave_up) {
                out.gave_up = true;
                break;
            }
            out.least = k == 0 || found.sizes < out.least ? found.sizes : out.least;
            out.most = found.sizes > out.most ? found.sizes : out.most;
            if (found.found) {
                ++out.different;
                out.apart += !compares_ || kind_of_draw(k) == draw_kind::apart;
                if (out.different == 1) out.first = std::move(found);
            } else if (found.compared > 0) {
                ++out.equal;
            }
        }
        return out;
    }
    /// Draws enough of them to see all kinds.
    int enough(bool alike) const { return compares_ ? most_draws_of_cases : alike ? 16 : 5; }
    bool compares_numbers() const { return compares_; }

    /// Three is the least extent in which rotations do not commute, and that of permutations.
    extents extents_for(const assumed& all) const {
        for (const bound_assumption& a : all)
            if (a.property == property::permutation || a.property == property::places ||
                (a.property == property::orthogonal &&
                 !classes_.is_square(a.name, a.first, a.second)))
                return extents::three;
        return extents::unlike;
    }
    /// What is declared, with one assumption more: whether the sides are equal by it, and are free
    /// to differ under it.
    result under(const assumed& all, const assumed& one, bool alike) {
        const extents shapes = extents_for(all);
        result out = run(all, shapes, 1, enough(alike));
        if (!out.holds() || one.empty() || alike) return out;
        assumed rest;
        for (const bound_assumption& a : all)
            if (std::none_of(one.begin(), one.end(), [&](const auto& b) {
                    return a.name == b.name && a.property == b.property && a.first == b.first;
                }))
                rest.push_back(a);
        // the draws are other ones: that they are equal now is no work of the assumption
        const bool of_extents = one.front().property == property::places;
        const result without = run(rest, shapes, 1, enough(alike));
        if (!of_extents && without.different == 0) out.equal = 0;
        if (!is_zero() && (out.most < 1e-9 || holds_still(all, one.front()))) out.equal = 0;
        if (compares_ && (is_normed(one.front()) || one.front().property == property::counts) &&
            holds_of_others(all, one.front()))
            out.equal = 0;
        return out;
    }
    /// Whether a matrix that is assumed to equal its transpose has as many rows as columns, and that
    /// by what is known: a claim with a transposition too many would make any matrix square.
    bool makes_sense(const assumed& one, const assumed& known) const {
        const bool symbols = std::any_of(known.begin(), known.end(), [](const bound_assumption& a) {
            return a.property == property::permutation;
        });
        return std::all_of(one.begin(), one.end(), [&](const bound_assumption& a) {
            for (const bound_assumption& b : known)
                if (contradict(a, b)) return false;
            if (a.property == property::volume)
                return inverted_.count(a.name) > 0 ||
                       (symbols && classes_.is_square(a.name, a.first, a.second));
            if (a.property != property::symmetric && a.property != property::antisymmetric)
                return true;
            if (inverted_.count(a.name) > 0) return true;
            return of_source_.is_used(a.name) ? of_source_.is_square(a.name, a.first, a.second)
                                              : classes_.is_square(a.name, a.first, a.second);
        });
    }
    const ir::program_view& program() const { return p_; }

private:
    /// Whether a side is the number 0: it need not differ from anything.
    bool is_zero() const {
        for (const ir::ref side : {j_.claimed, j_.derived}) {
            const ir::ref e = p_.definition(side);
            if (e == ir::none) continue;
            const ir::node& x = p_.nodes[p_.equations[e].body];
            if (x.kind == ir::op::number && x.value == 0) return true;
        }
        return false;
    }
    static bool is_normed(const bound_assumption& one) {
        return one.property == property::orthogonal || one.property == property::unit_length ||
               one.property == property::sums_to_one || one.property == property::distribution;
    }
    /// Whether it holds of half or twice the numbers, too: then it is not what they are that makes
    /// it true, but that they are small or large beside what they are compared with.
    bool holds_of_others(const assumed& all, const bound_assumption& one) {
        const derive::number two = derive::number::whole(2);
        for (const derive::number& scale : {derive::inverse(two), two})
            if (run(all, extents_for(all), 1, enough(false), ir::none, one.name, scale).holds())
                return true;
        return false;
    }
    /// Whether what is assumed of a name takes it out of both sides: the terms that it stands in
    /// vanish, or come to 1, with any mistake in them.
    bool holds_still(const assumed& all, const bound_assumption& one) {
        const bool normed = is_normed(one);
        if (normed && !(rests_on(j_.claimed, one.name) && rests_on(j_.derived, one.name)))
            return false;
        if (!normed && one.property != property::antisymmetric) return false;
        const result moved = run(all, extents::three, 1, 5, one.name);
        return moved.most - moved.least < 1e-9 * moved.most;
    }
    bool rests_on(ir::ref side, ir::ref name) const {
        std::set<ir::ref> seen, inputs;
        add_inputs(p_, side, seen, inputs);
        return inputs.count(name) > 0;
    }
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
    bool compares_;
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

void refute(const derive::judgement& j, const ir::program_view& p,
            const derive::counterexample& found, finding& out) {
    out.verdict = verdict::refuted;
    out.claimed_value = quotient_of(found.claimed);
    out.derived_value = quotient_of(found.derived);
    detail::text_builder words;
    const ir::equation& claim = p.equations[p.definition(j.claimed)];
    derive::print_counterexample(p, found, claim, p.name(j.derived), words);
    out.words = detail::string_of(words.view());
}

/// Sides that differ only where numbers are equal or whole. There a derivative has several values,
/// and pages take any of them.
void differ_at_ties(const derive::judgement& j, const ir::program_view& p,
                    const trials::result& plain, finding& out) {
    refute(j, p, plain.first, out);
    out.at_ties = true;
    const bool derivative =
        std::any_of(p.names.begin(), p.names.end(),
                    [](const ir::name_symbol& n) { return n.kind != ir::name_kind::plain; });
    if (!derivative) return;
    out.verdict = verdict::unproved;
    out.words =
        "equal but where numbers tie, and there a derivative has several values: " + out.words;
}

/// Whether a name is one of the definitions' inputs.
bool is_known(const finding& f, const std::string& name) {
    return std::find(f.source_inputs.begin(), f.source_inputs.end(), name) != f.source_inputs.end();
}

/// The inputs of the claim on which the derived side does not rest. A derivative is what the
/// definitions make it: of their inputs nothing is left open.
void list_lacking(const derive::judgement& j, const ir::program_view& p, finding& out) {
    std::set<ir::ref> seen, of_claim, of_source;
    add_inputs(p, j.claimed, seen, of_claim);
    seen.clear();
    add_inputs(p, j.derived, seen, of_source);
    const bool derivative = p.names[j.derived].kind != ir::name_kind::plain;
    for (const ir::ref n : of_claim) {
        std::string name = detail::string_of(p.name(n));
        if (of_source.count(n) == 0 && !(derivative && is_known(out, name)))
            out.lacking.push_back(std::move(name));
    }
}

/// Where numbers are compared, few draws show all cases: that they are positive has to prove it.
/// Of other assumptions true is what draws say.
bool is_proved(const derive::judgement& j, const assumed& under) {
    std::vector<ir::ref> positive;
    for (const bound_assumption& a : under) {
        if (a.property != property::positive) return true;
        positive.push_back(a.name);
    }
    return proves_alike(j.tried.view(), j.claimed, j.derived, 0, positive);
}
void leave_open(const ir::program_view& p, const assumed& under, finding& out) {
    out.verdict = verdict::unproved;
    out.words = "both sides are alike in all numbers tried if " + words_of(p, under) +
                ", which proves nothing";
}

}  // namespace

void try_assumptions(const derive::judgement& j, bool complex,
                     const std::vector<assumption>& declared, finding& out) {
    trials all(j, complex);
    const ir::program_view& p = all.program();
    list_lacking(j, p, out);
    const assumed known = bound_to(p, declared);
    const bool alike = out.alike;
    out.jumps = has_jumps(p);
    // 1^a is 1^b, so that what was alike in a few draws is drawn more often
    const trials::result plain =
        all.run(known, known.empty() ? trials::extents::small : all.extents_for(known),
                all.compares_numbers() ? 12 : 2, all.enough(alike));
    const auto conditional = [&](const assumed& under, bool by_declared) {
        out.verdict = verdict::conditional;
        out.words = "true if " + words_of(p, under);
        out.by_declared = by_declared;
        for (const bound_assumption& a : under) out.under.push_back(as_value(p, a));
    };
    if (out.alike && plain.different == 0) return;
    out.alike = false;
    if (!known.empty() && plain.holds()) return conditional(known, true);
    if (plain.different > 0 && plain.apart == 0 && plain.equal > 0 && out.lacking.empty())
        return differ_at_ties(j, p, plain, out);
    bool gave_up = plain.gave_up;
    for (const assumed& one : standard_assumptions(p, true)) {
        if (plain.different == 0 || gave_up) break;
        if (!all.makes_sense(one, known)) continue;
        assumed under = known;
        under.insert(under.end(), one.begin(), one.end());
        const trials::result here = all.under(under, one, alike);
        if (here.holds() && all.compares_numbers() && !is_proved(j, under))
            return leave_open(p, under, out);
        // what the page declares beside it need not be said where it plays no part
        if (here.holds())
            return conditional(!known.empty() && all.under(one, one, alike).holds() ? one : under,
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
    refute(j, p, plain.first, out);
}

}  // namespace ricci::judge
