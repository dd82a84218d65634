// Steps that hand each other planes row by row.
#include "src/plan/store/plane_chain.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "src/plan/schedule/edges.hpp"
#include "src/plan/schedule/independent_steps.hpp"

namespace ricci::plan {
namespace {

bool touches(const program_plan& plan, const step& s, slot_number tensor) {
    return std::ranges::any_of(s.effects,
                               [&](const effect& t) { return plan.whole(t.slot) == tensor; });
}

class chain_finder {
public:
    chain_finder(const program_plan& plan, const plane_limits& planes)
        : plan_(plan), is_plane_(planes) {}

    std::optional<plane_chain> find(slot_number plane, std::size_t axis) {
        // A plane that steps need otherwise is stored, and the others may be chained without it.
        for (;;) {
            chain_ = {};
            chain_.rows = plan_.slots[plane.index()].extents[axis];
            chain_.planes[plane] = axis;
            const slot_number failed = grow(plane);
            if (!failed) break;
            if (failed == plane) return {};
            stored_.insert(failed);
        }
        if (chain_.steps.empty() || !keeps_rows_apart() || !settle_others()) return {};
        measure();
        return chain_;
    }

private:
    // Growth --------------------------------------------------------------------------------------

    // None, or the plane whose steps need other rows than their own.
    slot_number grow(slot_number first) {
        std::vector<slot_number> open{first};
        while (!open.empty()) {
            const slot_number plane = open.back();
            open.pop_back();
            for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
                if (!touches(plan_, plan_.steps[s], plane)) continue;
                const auto rows = rows_of(plan_.steps[s], plane, chain_.planes.at(plane));
                if (!rows || passes_of(s, plan_.passes) != nullptr) return plane;
                const auto [known, is_new] = chain_.steps.try_emplace(s, *rows);
                if (known->second != *rows) return plane;
                if (!is_new) continue;
                const assign& a = *plan_.steps[s].as_assign();
                slot_number failed;
                for_each_access(a, [&](const access& other) {
                    if (failed || !is_plane_.holds(plan_, other.slot) ||
                        stored_.contains(other.slot))
                        return;
                    const auto axis = axis_of(other, *rows);
                    if (!axis) return;
                    const auto [at, more] = chain_.planes.try_emplace(other.slot, *axis);
                    if (at->second != *axis) failed = other.slot;
                    else if (more) open.push_back(other.slot);
                });
                if (failed) return failed;
            }
        }
        return slot_number::none;
    }

    template <class F>
    void for_each_access(const assign& a, F visit) const {
        visit(a.target);
        for_each_load(plan_.values, a, visit);
    }

    // The axis that a loop alone goes over, from end to end.
    std::optional<std::size_t> axis_of(const access& a, loop rows) const {
        const slot& s = plan_.slots[a.slot.index()];
        for (std::size_t axis = 0; axis < a.at.size(); ++axis)
            if (a.at[axis].edge == edge::none && loop_at(a.at[axis]) == rows &&
                plan_.values.extent(rows) == s.extents[axis])
                return axis;
        return {};
    }

    // The loop of a step that goes over the rows of a plane, where the step can be cut along it.
    std::optional<loop> rows_of(const step& s, slot_number plane, std::size_t axis) const {
        const assign* const a = s.as_assign();
        if (a == nullptr) return {};
        loop rows;
        bool same = true;
        for_each_access(*a, [&](const access& at) {
            if (at.slot != plane) return;
            const loop here = loop_at(at.at[axis]);
            same = same && here && at.at[axis].edge == edge::none && (!rows || rows == here) &&
                   plan_.values.extent(here) == chain_.rows;
            for (std::size_t other = 0; same && other < at.at.size(); ++other)
                same = other == axis || at.at[other].factor(here) == 0;  // no diagonal
            rows = here;
        });
        if (!same || !rows || !can_be_cut(*a, rows) || !has_windows(*a, rows)) return {};
        return rows;
    }

    // Whether all that a step reads and writes lies further on for later rows, and what it writes
    // has an axis of them.
    bool has_windows(const assign& a, loop rows) const {
        bool all = !contains(a.loops, rows) || axis_of(a.target, rows);
        for_each_access(a, [&](const access& at) {
            for (const place& p : at.at) all = all && p.factor(rows) >= 0;
        });
        return all && reads_in_panels(a, rows);
    }
    // What numbers of rows say is looked at before anything is written, so of all rows at once. The
    // number of a row is read of a tensor, which has to hold it.
    bool reads_in_panels(const assign& a, loop rows) const {
        const element type = plan_.type_of(a.target.slot);
        const bool holds_numbers =
            (is_real(type) || is_integer(type)) && !plan_.is_truth(a.target.slot);
        bool all = true;
        expr_list open;
        std::set<expr> seen;
        for (const expr e : {a.body, a.decay})
            if (e) open.push_back(e);
        while (!open.empty()) {
            const auto& node = plan_.values[open.back()];
            open.pop_back();
            if (!contains(node.indices, rows)) continue;
            const auto factor = node.kind == kind::position ? node.at.factor(rows) : 0;
            all = all && node.kind != kind::gather &&
                  (factor == 0 || (holds_numbers && std::abs(factor) <= most_factor(type)));
            for (const expr e : node.arguments)
                if (seen.insert(e).second) open.push_back(e);
        }
        return all;
    }
    std::int64_t most_factor(element type) const {
        return is_real(type) ? counted_by(type) / chain_.rows : 1;
    }

    bool can_be_cut(const assign& a, loop rows) const {
        const bool is_folded = contains(a.over, rows);
        if (a.numbers || a.right || a.scattered) return false;
        for (const expr e : {a.body, a.decay})
            if (e && plan_.values[e].edged) return false;
        // What is folded panel by panel is stored as what it is computed with in.
        if (is_folded && is_narrow(plan_.type_of(a.target.slot))) return false;
        switch (a.kind) {
            case assignment_kind::contract:
                return true;
            case assignment_kind::map:
                return !is_folded ||
                       (a.beta == 0 && (a.folding == fold::sum || a.folding == fold::product ||
                                        a.folding == fold::maximum || a.folding == fold::minimum));
            case assignment_kind::scan:
                return a.along != rows;
            case assignment_kind::extremum:
                return !is_folded;
            default:
                return false;
        }
    }

    // What runs when -----------------------------------------------------------------------------

    // Whatever else a step writes other steps of the chain touch in its own rows alone.
    bool keeps_rows_apart() const {
        for (const auto& [s, rows] : chain_.steps) {
            const access& written = plan_.steps[s].as_assign()->target;
            if (chain_.planes.contains(written.slot)) continue;
            const auto axis = axis_of(written, rows);
            for (const auto& [other, other_rows] : chain_.steps) {
                const assign& a = *plan_.steps[other].as_assign();
                const auto is_apart = [&, its_rows = other_rows](const access& at) {
                    return at.slot != written.slot || (axis && axis_of(at, its_rows) == axis);
                };
                // A sum over the rows is added up, and nobody else may see it before its end.
                bool same = (other == s && !axis) || is_apart(a.target);
                for_each_load(plan_.values, a,
                              [&](const access& at) { same = same && is_apart(at); });
                if (!same) return false;
            }
        }
        return true;
    }

    bool settle_others() {
        const std::size_t first = chain_.steps.begin()->first, last = chain_.steps.rbegin()->first;
        std::vector<std::size_t> inside;
        const auto is_free_of = [&](std::size_t s, const std::vector<std::size_t>& others) {
            return std::ranges::all_of(others, [&](std::size_t other) {
                return are_independent(plan_, plan_.steps[s], plan_.steps[other]);
            });
        };
        for (std::size_t s = first; s <= last;) {
            // Steps that run in passes stay together.
            const step_passes* const passes = passes_of(s, plan_.passes);
            const std::size_t end = passes == nullptr ? s + 1 : passes->end;
            if (end > last + 1) return false;
            if (chain_.steps.contains(s)) {
                if (!is_free_of(s, chain_.behind)) return false;
                inside.push_back(s++);
                continue;
            }
            bool is_free = true;
            for (std::size_t k = s; k < end; ++k)
                is_free = is_free && is_free_of(k, inside) && is_free_of(k, chain_.behind);
            for (; s < end; ++s) (is_free ? chain_.before : chain_.behind).push_back(s);
        }
        return true;
    }
    void measure() {
        for (const auto& [s, rows] : chain_.steps)
            for (const effect& t : plan_.steps[s].effects) {
                const double elements = plan_.slot_of(t.slot).elements();
                double& most =
                    chain_.planes.contains(t.slot) ? chain_.plane_elements : chain_.other_elements;
                most = std::max(most, elements);
            }
    }

    const program_plan& plan_;
    const plane_limits& is_plane_;
    std::set<slot_number> stored_;
    plane_chain chain_;
};

}  // namespace

bool plane_limits::holds(const program_plan& plan, slot_number number) const {
    const slot& s = plan.slots[number.index()];
    return number.index() < slots && s.kind == storage::workspace && !s.lasts &&
           s.elements() >= fewest_elements;
}

std::optional<plane_chain> find_plane_chain(const program_plan& plan, slot_number plane,
                                            std::size_t axis, const plane_limits& planes) {
    return chain_finder(plan, planes).find(plane, axis);
}

}  // namespace ricci::plan
