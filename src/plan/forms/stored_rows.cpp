// Rows that are looked up and stored: by a gather, by a sum of lookups that has a single factor, or
// by a gather under a condition and a product with that condition.
#include "src/plan/forms/stored_rows.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "src/plan/pool/definitions.hpp"

namespace ricci::plan {
namespace {

class row_finder {
public:
    row_finder(program_plan& plan, std::size_t step)
        : plan_(plan), values_(plan.values), step_(step) {}

    std::optional<stored_rows> run() {
        const assign* const a = plan_.steps[step_].as_assign();
        if (a == nullptr || a->beta != 0 || !is_whole_memory(a->target)) return {};
        if (a->kind == assignment_kind::gather && !values_[a->body].has_condition())
            return rows_of(*a);
        if (a->kind == assignment_kind::lookups && !a->scattered && a->over.empty() &&
            values_.is_constant(a->scale, 1))
            return rows_of(*a);
        if (a->kind == assignment_kind::map && a->folding == fold::none) return bracketed(*a);
        return {};
    }

private:
    const slot& slot_of(slot_number number) const { return plan_.slots[number.index()]; }

    // All of memory of the plan's own, each axis by a loop of its own.
    bool is_whole_memory(const access& target) const {
        const slot& made = slot_of(target.slot);
        if (made.kind != storage::workspace || plan_.is_truth(target.slot)) return false;
        return plan_.is_whole(target);
    }

    // Elements as they are, wherever numbers in memory say.
    bool is_plain(expr e, const access& target) const {
        const auto& node = values_[e];
        return node.kind == kind::gather && !node.edged &&
               plan_.holds(node.source.slot, plan_.type_of(target.slot)) &&
               std::ranges::all_of(node.arguments, [&](expr a) {
                   return values_[a].kind == kind::load && !values_[a].edged;
               });
    }
    std::optional<stored_rows> rows_of(const assign& a) const {
        if (!is_plain(a.body, a.target)) return {};
        return stored_rows{a, {step_}};
    }

    // The one step that writes a slot, where it comes before this one.
    std::optional<std::size_t> writer_of(slot_number slot) const {
        std::optional<std::size_t> found;
        for (std::size_t k = 0; k < plan_.steps.size(); ++k) {
            if (!plan_.steps[k].writes(slot)) continue;
            if (found || k >= step_) return {};
            found = k;
        }
        return found;
    }
    bool is_read_here_alone(slot_number slot) const {
        for (std::size_t k = 0; k < plan_.steps.size(); ++k)
            if (k != step_ && plan_.steps[k].reads(slot)) return false;
        return true;
    }

    // Whether a product of brackets is what the rows are looked up under, as it is or in memory.
    bool is_condition_of(expr brackets, expr wanted) {
        if (brackets == wanted) return true;
        const auto writer = writer_of(values_[wanted].source.slot);
        const assign* const maker =
            writer ? plan_.steps[*writer].as(assignment_kind::map) : nullptr;
        return maker != nullptr && maker->folding == fold::none && is_whole_memory(maker->target) &&
               rows_at(values_, *maker, values_[wanted].source) == brackets;
    }

    // Rows of a gather that is read here alone, where the condition that it is under holds, and 0
    // elsewhere.
    std::optional<stored_rows> bracketed(const assign& map) {
        expr rows;
        expr_list brackets;
        for (const expr f : values_.factors(map.body)) {
            if (values_.is_condition(f)) brackets.push_back(f);
            else if (!rows && values_[f].kind == kind::load) rows = f;
            else return {};
        }
        if (!rows || brackets.empty() || values_[rows].edged) return {};
        const access read = values_[rows].source;
        const auto writer = writer_of(read.slot);
        const assign* const gather =
            writer ? plan_.steps[*writer].as(assignment_kind::gather) : nullptr;
        if (gather == nullptr || !values_[gather->body].has_condition() ||
            !is_plain(gather->body, gather->target) || !is_whole_memory(gather->target) ||
            !is_read_here_alone(read.slot))
            return {};
        assign made = map;
        made.body = rows_at(values_, *gather, read);
        if (!made.body || values_[made.body].kind != kind::gather) return {};
        if (!is_condition_of(values_.multiply(brackets), values_[made.body].arguments.back()))
            return {};
        return stored_rows{std::move(made), {*writer, step_}};
    }

    program_plan& plan_;
    graph& values_;
    std::size_t step_;
};

}  // namespace

std::optional<stored_rows> find_stored_rows(program_plan& plan, std::size_t step) {
    return row_finder(plan, step).run();
}

expr rows_at(graph& values, const assign& made, const access& read) {
    const auto there = reading_at(values, made.target, read);
    return there ? value_at(values, *there, made.body) : expr(expr::none);
}

}  // namespace ricci::plan
