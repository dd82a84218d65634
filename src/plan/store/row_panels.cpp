// Planes that are stored for some rows at a time.
#include "src/plan/store/row_panels.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "src/plan/schedule/edges.hpp"
#include "src/plan/store/plane_chain.hpp"

namespace ricci::plan {
namespace {

/// Which planes are cut, and into what.
struct limits {
    double fewest_elements = 1 << 21;  // smaller planes stay in the caches
    double times_larger = 4;           // than all else that the steps touch
    // Of a panel: planning its steps takes a small part of the time that they run.
    double panel_elements = 1 << 20;
    std::int64_t least_rows = 64, most_panels = 64;

    std::int64_t panels_of(const plane_chain& chain) const {
        const auto enough =
            static_cast<std::int64_t>(std::min(chain.plane_elements / panel_elements, 1e6));
        return std::clamp<std::int64_t>(chain.rows / least_rows, 1, std::min(enough, most_panels));
    }
};

// Tests look at small planes: for them RICCI_CUT_ALL=1 cuts these, too.
limits limits_now() {
    const char* const all = std::getenv("RICCI_CUT_ALL");
    if (all == nullptr || std::string_view(all) != "1") return {};
    return {.fewest_elements = 4,
            .times_larger = 0,
            .panel_elements = 1,
            .least_rows = 2,
            .most_panels = 3};
}

class panel_writer {
public:
    panel_writer(program_plan& plan, const plane_chain& chain, std::int64_t panels)
        : plan_(plan), values_(plan.values), chain_(chain), panels_(panels) {}

    /// All steps in their new order; nothing where some place has no form in a panel.
    std::optional<std::vector<step>> write() {
        for (const auto& [plane, axis] : chain_.planes) add_plane(plane, axis, first_row_of(1));
        const std::size_t first = chain_.steps.begin()->first, last = chain_.steps.rbegin()->first;
        for (std::size_t s = 0; s < first; ++s) steps_.push_back(plan_.steps[s]);
        for (const std::size_t s : chain_.before) steps_.push_back(plan_.steps[s]);
        for (panel_ = 0; panel_ < panels_; ++panel_) {
            first_row_ = first_row_of(panel_);
            rows_ = first_row_of(panel_ + 1) - first_row_;
            for (const auto& [s, rows] : chain_.steps)
                if (!write_panel(*plan_.steps[s].as_assign(), rows)) return {};
        }
        for (auto& s : behind_panels_) steps_.push_back(std::move(s));
        for (const std::size_t s : chain_.behind) steps_.push_back(plan_.steps[s]);
        for (std::size_t s = last + 1; s < plan_.steps.size(); ++s)
            steps_.push_back(plan_.steps[s]);
        return std::move(steps_);
    }

private:
    // The first ones have a row more than others, where rows do not come out even.
    std::int64_t first_row_of(std::int64_t panel) const {
        return chain_.rows / panels_ * panel + std::min(panel, chain_.rows % panels_);
    }
    void add_plane(slot_number plane, std::size_t axis, std::int64_t rows) {
        const slot whole = plan_.slots[plane.index()];
        auto extents = whole.extents;
        extents[axis] = rows;
        planes_[plane] = plan_.add(workspace_slot(plan_, std::move(extents), whole.axes,
                                                  plan_.type_of(plane), whole.is_truth));
    }

    // An access in a panel: of a plane that has its rows alone, from their first one on.
    void to_panel(access& a) const {
        const auto found = planes_.find(a.slot);
        if (found == planes_.end()) return;
        a.slot = found->second;
        a.at[chain_.planes.at(found->first)].offset -= first_row_;
    }
    expr to_panel(expr e) {
        return values_.substituted(e, [&](expr part) {
            const auto& node = values_[part];
            if (node.kind != kind::load || !planes_.contains(node.source.slot)) return expr();
            access there = node.source;
            to_panel(there);
            return values_.load(std::move(there), node.condition);
        });
    }
    expr in_panel(expr e, const moved_loop& m) {
        const expr there = values_.moved(e, {&m, 1});
        return there ? to_panel(there) : there;
    }
    // Factors of a contraction stay as they are.
    expr body_in_panel(const assign& a, const moved_loop& m) {
        const auto& node = values_[a.body];
        if (a.kind != assignment_kind::contract || node.kind != kind::operation ||
            node.code != opcode::multiply)
            return in_panel(a.body, m);
        expr_list factors;
        for (const expr f : expr_list(node.arguments)) {
            factors.push_back(in_panel(f, m));
            if (!factors.back()) return {};
        }
        return values_.as_written(opcode::multiply, std::move(factors));
    }

    bool write_panel(const assign& a, loop rows) {
        const moved_loop m = to_part(values_, rows, {first_row_, rows_, 0});
        assign made = a;
        made.body = body_in_panel(a, m);
        if (!made.body) return false;
        if (a.decay && !(made.decay = in_panel(a.decay, m))) return false;
        made.target = moved(values_, a.target, m);
        to_panel(made.target);
        if (contains(a.loops, rows)) made.loops = moved(a.loops, m);
        if (contains(a.over, rows)) {
            made.over = moved(a.over, m);
            if (a.kind == assignment_kind::contract) {
                if (panel_ > 0) made.beta = 1;
            } else {
                write_part(a, rows, made);
            }
        }
        // Tensors that are written panel by panel are looked at once all of them is written.
        made.hides = a.hides && (planes_.contains(a.target.slot) || panel_ + 1 == panels_);
        steps_.push_back(make_step(values_, std::move(made)));
        return true;
    }

    // A fold over the rows: what each panel gives is stored, and folded at the end.
    void write_part(const assign& a, loop rows, assign& made) {
        auto [found, is_new] = parts_.try_emplace(&a);
        access& all = found->second;
        if (is_new) {
            const ir::ref letter = values_.loops().letter(rows);
            const loop panel = values_.loops().fresh(letter, panels_);
            std::vector<std::int64_t> extents{panels_};
            std::vector<ir::ref> letters{letter};
            all.at.push_back({0, {{panel, 1}}});
            for (const loop l : a.loops) {
                extents.push_back(values_.extent(l));
                letters.push_back(values_.loops().letter(l));
                all.at.push_back({0, {{l, 1}}});
            }
            all.slot = plan_.add(workspace_slot(plan_, std::move(extents), std::move(letters),
                                                plan_.type_of(a.target.slot)));
            assign whole = a;
            whole.body = values_.load(all);
            whole.over = {panel};
            behind_panels_.push_back(make_step(values_, std::move(whole)));
        }
        made.target = all;
        made.target.at[0] = {panel_, {}};
        made.hides = false;
    }

    program_plan& plan_;
    graph& values_;
    const plane_chain& chain_;
    const std::int64_t panels_;
    std::int64_t panel_ = 0, first_row_ = 0, rows_ = 0;
    std::map<slot_number, slot_number> planes_;
    std::map<const assign*, access> parts_;
    std::vector<step> steps_, behind_panels_;
};

/// The chain with the largest plane, along the axis of that with most rows.
std::optional<plane_chain> best_chain(const program_plan& plan, const limits& wanted,
                                      std::size_t slots) {
    const plane_limits planes{wanted.fewest_elements, slots};
    std::optional<plane_chain> best;
    const auto is_better = [&](const plane_chain& c) {
        if (!best || c.plane_elements != best->plane_elements)
            return !best || c.plane_elements > best->plane_elements;
        return c.rows > best->rows;
    };
    for (std::size_t k = 0; k < slots; ++k) {
        const slot& s = plan.slots[k];
        if (!planes.holds(plan, slot_number(k))) continue;
        for (std::size_t axis = 0; axis < s.extents.size(); ++axis) {
            if (s.extents[axis] < 2 * wanted.least_rows) continue;
            auto found = find_plane_chain(plan, slot_number(k), axis, planes);
            if (found && found->plane_elements >= wanted.times_larger * found->other_elements &&
                is_better(*found))
                best = std::move(found);
        }
    }
    return best;
}

}  // namespace

void store_row_panels(program_plan& plan) {
    const limits wanted = limits_now();
    const std::size_t slots = plan.slots.size();  // panels are not cut again
    while (const auto chain = best_chain(plan, wanted, slots)) {
        const auto made = panel_writer(plan, *chain, wanted.panels_of(*chain)).write();
        if (!made) return;
        plan.steps = *made;
        for (const auto& [plane, axis] : chain->planes)
            plan.slots[plane.index()].kind = storage::unused;
    }
}

}  // namespace ricci::plan
