// Folds of several terms become folds of two operands.
#include "src/plan/forms/pair_terms.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "src/plan/forms/path_through.hpp"
#include "src/plan/forms/step_writer.hpp"
#include "src/plan/forms/term_groups.hpp"
#include "src/plan/pool/conditions.hpp"
#include "src/plan/schedule/sums_of_two.hpp"

namespace ricci::plan {
namespace {

// Pairs that are folded as they are written: each operand that is made takes a step of its own.
constexpr double fewest_pairs = 1 << 12;
// For each element that is written on the way there are so many pairs.
constexpr double pairs_an_element = 4;

/// The terms of a fold; where the condition, if there is one, does not hold, there is what changes
/// no fold.
struct conditional_terms : term_groups {
    expr condition;
    std::size_t conditioned = 0;  // the group that the condition is made part of

    bool hides() const { return masks || condition; }
};

class term_pairer {
public:
    explicit term_pairer(program_plan& plan) : plan_(plan), values_(plan.values) {}

    void run() {
        std::vector<step> before = std::move(plan_.steps);
        plan_.steps.clear();
        for (const step& s : before)
            for_each_assign(s, [&](const assign& a) {
                compares_ = compares_ || compares_numbers(values_, a.body);
            });
        for (std::size_t s = 0; s < before.size(); ++s) {
            const assign* const a = before[s].as_assign();
            const auto found = a == nullptr ? std::nullopt : terms_of(*a);
            const assign* const next = s + 1 < before.size() ? before[s + 1].as_assign() : nullptr;
            if (found && next != nullptr && is_excess(*next, *a)) {
                write_apart(*a, *next, *found);
                ++s;
            } else if (found && !is_paired(*found)) {
                write(*a, *found);
            } else {
                plan_.steps.push_back(std::move(before[s]));
            }
        }
    }

private:
    // The terms of a fold where they are to be paired.
    std::optional<conditional_terms> terms_of(const assign& a) const {
        const element type = plan_.type_of(a.target.slot);
        if (a.kind != assignment_kind::map || !algebra_of(a.folding) || values_[a.body].edged ||
            !is_real(type))
            return {};
        const double pairs = values_.size(united(a.loops, a.over));
        if (pairs < fewest_pairs) return {};
        conditional_terms found;
        expr body = a.body;
        if (const auto& whole = values_[body];
            whole.code == opcode::select &&
            values_.is_constant(whole.arguments[2], identity_of(a.folding)))
            found.condition = whole.arguments[0], body = whole.arguments[1];
        static_cast<term_groups&>(found) = grouped_terms(values_, body, a.over);
        if (found.groups.empty() || found.count < 2) return {};
        if (found.condition) {
            found.conditioned = holder_of(values_, found.groups, values_[found.condition].indices);
            if (found.conditioned == found.groups.size()) return {};
        }
        if (largest_of(values_, found.groups) >= pairs ||
            pairs < pairs_an_element * written_by(a, found))
            return {};
        if (a.folding != fold::logsumexp && found.count > 2 && compares_) return {};
        return found;
    }
    /// Whether it is a fold of two operands as it is.
    bool is_paired(const conditional_terms& f) const {
        return f.groups.size() == 2 && f.beside.empty() && is_operand(f, 0) && is_operand(f, 1);
    }
    /// What a log-sum-exp is beyond a maximum that nothing else needs.
    bool is_excess(const assign& excess, const assign& maximum) const {
        return excess.kind == assignment_kind::map && excess.folding == fold::excess &&
               maximum.folding == fold::maximum && excess.body == maximum.body &&
               excess.over == maximum.over && plan_.slot_of(maximum.target).name == ir::none &&
               plan_.type_of(excess.target.slot) == plan_.type_of(maximum.target.slot);
    }
    // A log-sum-exp that stays two numbers: the sum of the largest value of each operand, which may
    // be more than the maximum, and the log-sum-exp of what these are less.
    void write_apart(const assign& maximum, const assign& excess, const conditional_terms& found) {
        const element type = plan_.type_of(maximum.target.slot);
        step_writer steps(plan_, maximum.equation, type);
        expr_list shifts = found.beside, operands;
        for (std::size_t g = 0; g < found.groups.size(); ++g) {
            const expr value = operand(maximum, found, g);
            const auto over = common(maximum.over, found.groups[g].loops);
            const expr shift = finite_or_zero(
                values_, steps.stored(values_.row(fold::maximum, over, value)), type);
            shifts.push_back(shift);
            operands.push_back(steps.stored(
                values_.add({value, values_.multiply({values_.constant(-1), shift})})));
        }
        steps.write(maximum.target, values_.add(shifts), found.hides());
        const expr value = fold_of_operands(fold::logsumexp, maximum.over, operands, steps);
        const bool whole = values_[value].indices == excess.loops;
        steps.write(excess.target, whole ? value : steps.stored(value), found.hides());
    }
    // Elements that are written besides the result as it would be anyway.
    double written_by(const assign& a, const conditional_terms& f) const {
        double all = f.beside.empty() ? 0 : values_.size(a.loops);
        for (std::size_t g = 0; f.groups.size() > 1 && g < f.groups.size(); ++g)
            all += is_operand(f, g) ? 0 : values_.size(f.groups[g].loops);
        return all;
    }
    /// Whether a group is in memory as it is.
    bool is_operand(const conditional_terms& f, std::size_t g) const {
        return f.groups[g].terms.size() == 1 && !(f.condition && f.conditioned == g) &&
               values_[f.groups[g].terms[0]].kind == kind::load;
    }

    // The steps that stand for a fold.
    void write(const assign& a, const conditional_terms& found) {
        step_writer steps(plan_, a.equation, plan_.type_of(a.target.slot));
        expr value = found.groups.size() == 1
                         ? values_.row(a.folding, a.over, operand(a, found, 0))
                         : fold_of_operands(a.folding, a.over, operands(a, found, steps), steps);
        const bool hides = a.hides || found.hides();
        const bool folds = values_[value].kind == kind::fold;
        if (found.beside.empty() && folds) return steps.write(a.target, value, hides);
        if (folds && values_[value].indices == a.loops) {
            // The fold stands in the memory of the result, where what is beside it is added.
            steps.write(a.target, value);
            value = values_.load(a.target);
        } else {
            value = steps.stored(value);
        }
        expr_list terms = found.beside;
        terms.push_back(value);
        steps.write(a.target, values_.add(terms), hides);
    }
    expr operand(const assign& a, const conditional_terms& f, std::size_t g) {
        const expr sum = values_.add(f.groups[g].terms);
        if (!f.condition || f.conditioned != g) return sum;
        return values_.apply(opcode::select, f.condition, sum,
                             values_.constant(identity_of(a.folding)));
    }
    expr_list operands(const assign& a, const conditional_terms& found, step_writer& steps) {
        expr_list all;
        for (std::size_t g = 0; g < found.groups.size(); ++g)
            all.push_back(is_operand(found, g) ? found.groups[g].terms[0]
                                               : steps.stored(operand(a, found, g)));
        return all;
    }
    // Two operands at a time.
    expr fold_of_operands(fold folding, const loop_list& folded, expr_list operands,
                          step_writer& steps) {
        if (operands.size() == 1) return values_.row(folding, folded, operands[0]);
        return folded_in_pairs(values_, std::move(operands), folded,
                               [&](expr left, expr right, const loop_list& over, bool last) {
                                   const expr sum = values_.add({left, right});
                                   const expr made =
                                       over.empty() ? sum : values_.row(folding, over, sum);
                                   return last ? made : steps.stored(made);
                               });
    }

    program_plan& plan_;
    graph& values_;
    bool compares_ = false;
};

}  // namespace

void pair_terms(program_plan& plan) {
    const auto is_fold = [](const step& s) {
        const assign* const a = s.as_assign();
        return a != nullptr && algebra_of(a->folding).has_value();
    };
    if (std::ranges::any_of(plan.steps, is_fold)) term_pairer(plan).run();
}

}  // namespace ricci::plan
