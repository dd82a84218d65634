// Planes that are stored for some rows at a time.
#include "src/plan/store/row_panels.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "src/plan/schedule/small_planes.hpp"
#include "src/plan/store/panel_writer.hpp"
#include "src/plan/store/plane_chain.hpp"

namespace ricci::plan {
namespace {

/// Which planes are cut, and into what.
struct limits {
    double fewest_elements = 1 << 21;  // smaller planes stay in the caches
    double times_larger = 4;           // than all else that the steps touch
    // Of a panel: it stays in a cache that is near, and of very long rows there are some still.
    double panel_elements = 1 << 18;
    std::int64_t least_rows = 32;

    std::int64_t rows_of(const plane_chain& chain) const {
        const double row = chain.plane_elements / static_cast<double>(chain.rows);
        const auto fit = static_cast<std::int64_t>(panel_elements / row);
        return std::clamp(fit, least_rows, chain.rows / 2);
    }
};

limits limits_now() {
    if (!cuts_small_planes()) return {};
    return {.fewest_elements = 4, .times_larger = 0, .panel_elements = 1, .least_rows = 2};
}

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
        write_panels(plan, *chain, wanted.rows_of(*chain));
        for (const auto& [plane, axis] : chain->planes)
            plan.slots[plane.index()].kind = storage::unused;
    }
}

}  // namespace ricci::plan
