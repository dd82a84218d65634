#include "src/plan/rewrite/maxima_apart.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace ricci::plan {
namespace {

/// c * l: the number, where a term is that.
std::optional<double> times_in(const graph& values, expr term, slot_number slot) {
    const auto reads = [&](expr e) {
        return values[e].kind == kind::load && values[e].source.slot == slot;
    };
    if (reads(term)) return 1;
    const auto& node = values[term];
    const bool is_multiple = node.kind == kind::operation && node.code == opcode::multiply &&
                             node.arguments.size() == 2 &&
                             values[node.arguments[0]].kind == kind::constant &&
                             reads(node.arguments[1]);
    if (is_multiple) return values[node.arguments[0]].value;
    return {};
}

/// The memory of one log-sum-exp, and that of its parts.
struct parts {
    slot_number whole;
    slot_number maximum, excess;
};

class maximum_splitter {
public:
    explicit maximum_splitter(program_plan& plan) : plan_(plan), values_(plan.values) {}

    void run() {
        for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
            const assign* a = plan_.steps[s].as_assign();
            if (a != nullptr && is_log_sum_exp(*a) && is_written_once(a->target.slot) &&
                is_term_after(s, a->target.slot))
                s = split(s);
        }
    }

private:
    bool is_log_sum_exp(const assign& a) const {
        if (a.kind != assignment_kind::map || a.folding != fold::logsumexp || a.beta != 0)
            return false;
        if (a.scale && !values_.is_constant(a.scale, 1)) return false;
        if (plan_.slot_of(a.target).is_foreign) return false;
        // Each element of its memory is one of it.
        return plan_.is_whole(a.target);
    }
    bool is_written_once(slot_number slot) const {
        return std::ranges::count_if(plan_.steps, [&](const step& s) { return s.writes(slot); }) ==
               1;
    }
    /// Whether a value has a sum in which it is a term beside others.
    bool is_term(expr e, slot_number slot) const {
        const auto& node = values_[e];
        const auto here = [&](expr term) { return times_in(values_, term, slot).has_value(); };
        if (node.kind == kind::operation && node.code == opcode::add &&
            std::any_of(node.arguments.begin(), node.arguments.end(), here))
            return true;
        return std::any_of(node.arguments.begin(), node.arguments.end(),
                           [&](expr a) { return is_term(a, slot); });
    }
    bool is_term_after(std::size_t first, slot_number slot) const {
        for (std::size_t s = first + 1; s < plan_.steps.size(); ++s) {
            const assign* a = plan_.steps[s].as(assignment_kind::map);
            if (a != nullptr && plan_.steps[s].reads(slot) && is_term(a->body, slot)) return true;
        }
        return false;
    }

    /// Memory like that of a tensor, row by row.
    slot_number like(const access& tensor) {
        std::vector<ir::ref> letters;
        for (const place& p : tensor.at)
            letters.push_back(p.terms.empty() ? ir::none : values_.loops().letter(p.terms[0].over));
        return plan_.add(
            workspace_slot(plan_, plan_.slot_of(tensor).extents, std::move(letters), plan_.type));
    }

    // Returns where the last step of it is now.
    std::size_t split(std::size_t at) {
        const assign whole = *plan_.steps[at].as_assign();
        const slot_number slot = whole.target.slot;
        const parts of{slot, like(whole.target), like(whole.target)};
        for (std::size_t s = at + 1; s < plan_.steps.size(); ++s) {
            const assign* a = plan_.steps[s].as(assignment_kind::map);
            if (a == nullptr || !plan_.steps[s].reads(slot)) continue;
            assign changed = *a;
            changed.body = with_parts(changed.body, of);
            plan_.steps[s] = make_step(values_, std::move(changed));
        }
        std::vector<step> steps;
        for (const auto& [folding, target] :
             {std::pair{fold::maximum, of.maximum}, std::pair{fold::excess, of.excess}}) {
            assign part = whole;
            part.folding = folding;
            part.target.slot = target;
            steps.push_back(make_step(values_, std::move(part)));
        }
        const bool wanted = plan_.slot_of(whole.target).kind != storage::workspace ||
                            std::any_of(plan_.steps.begin(), plan_.steps.end(),
                                        [&](const step& s) { return s.reads(slot); });
        if (wanted) {
            assign sum = whole;
            sum.folding = fold::none;
            sum.over.clear();
            sum.body = values_.as_written(
                opcode::add, {part_of(whole.target, of.maximum), part_of(whole.target, of.excess)});
            steps.push_back(make_step(values_, std::move(sum)));
        } else {
            plan_.slots[slot.index()].kind = storage::unused;
        }
        const std::size_t count = steps.size();
        const auto place = plan_.steps.begin() + static_cast<std::ptrdiff_t>(at);
        *place = std::move(steps.back());
        steps.pop_back();
        plan_.steps.insert(place, std::make_move_iterator(steps.begin()),
                           std::make_move_iterator(steps.end()));
        return at + count - 1;
    }

    expr part_of(access whole, slot_number slot) {
        whole.slot = slot;
        return values_.load(std::move(whole));
    }

    // The maximum comes first, the part beyond it when all other terms have been added.
    expr with_parts(expr e, const parts& of) {
        return values_.substituted(e, [&](expr sum) {
            const auto node = values_[sum];
            if (node.kind != kind::operation || node.code != opcode::add) return expr::none;
            expr_list terms, others, excesses;
            for (const expr term : node.arguments) {
                const auto times = times_in(values_, term, of.whole);
                if (!times) {
                    others.push_back(with_parts(term, of));
                    continue;
                }
                const auto& load = values_[term].kind == kind::load
                                       ? values_[term]
                                       : values_[values_[term].arguments[1]];
                const access whole = load.source;
                terms.push_back(multiple(*times, part_of(whole, of.maximum)));
                excesses.push_back(multiple(*times, part_of(whole, of.excess)));
            }
            if (terms.empty()) return expr::none;
            for (const expr other : others) terms.push_back(other);
            expr_list all{values_.as_written(opcode::add, terms)};
            for (const expr excess : excesses) all.push_back(excess);
            return values_.as_written(opcode::add, all);
        });
    }
    expr multiple(double times, expr e) {
        if (times == 1) return e;
        return values_.as_written(opcode::multiply, {values_.constant(times), e});
    }

    program_plan& plan_;
    graph& values_;
};

}  // namespace

void keep_maxima_apart(program_plan& plan) {
    // Numbers of 16 bits are rounded to more than what is left.
    if (plan.type == element::f32 || plan.type == element::f64) maximum_splitter(plan).run();
}

}  // namespace ricci::plan
