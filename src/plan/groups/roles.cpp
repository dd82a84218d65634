// Which loops of a fused group are its rows, its columns and its batch.
#include "src/plan/groups/roles.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include <fmt/core.h>

#include "src/plan/groups/tile_lookups.hpp"

namespace ricci::plan {
namespace {

constexpr std::int64_t least_rows = 4;
// Elements that a block of columns adds to at places that depend on rows and columns.
constexpr std::int64_t most_reach = 1 << 15;

/// The factor of a contraction that has the columns: of a product the one with column loops, of a
/// consumer the one beside the plane. A row loop along which it moves belongs to the batch.
std::optional<access> column_side(const grown_group& g, std::size_t step) {
    const assign& a = g.at(step);
    if (g.is_plane(a.target.slot)) {
        if (!g.is_product(step)) return {};
        const auto [left, right] = g.sides_of(step);
        return g.follows(g.walked(g.matched.at(step), left), loop_role::column) ? left : right;
    }
    if (a.kind != assignment_kind::contract) return {};
    const auto f = factors_of(g.plan->values, a);
    if (!g.has_own_loops(step) || summed_role(g, step) != loop_role::column) return {};
    return (g.is_plane(f.a->source.slot) ? f.b : f.a)->source;
}

void settle_factors(grown_group& g) {
    for (const std::size_t step : g.members) {
        const auto side = column_side(g, step);
        if (!side) continue;
        const auto along = g.walked(g.matched.at(step), *side);
        for (std::size_t l = 0; l < along.size(); ++l)
            if (along[l] && g.loops[l].role == loop_role::row) g.loops[l].role = loop_role::batch;
    }
}

// A sum over rows has to be over all rows, and a tile itself is summed over the batch only: other
// row loops join the batch. Whether any does.
bool settle_sums(grown_group& g) {
    bool changed = false;
    for (const std::size_t step : g.consumers) {
        const auto what = summed_role(g, step);
        if (what == loop_role::column) continue;
        const auto summed = g.summed_by(step);
        for (std::size_t l = 0; l < summed.size(); ++l) {
            if (g.loops[l].role != loop_role::row || summed[l] == (what == loop_role::row))
                continue;
            g.loops[l].role = loop_role::batch;
            changed = true;
        }
    }
    return changed;
}

// The lines run through one row loop and one column loop of one axis, and are short enough.
bool suits_added(const grown_group& g, std::size_t step) {
    const assign& a = g.at(step);
    const auto& found = g.matched.at(step);
    const place at = address_of(a.target, g.plan->slot_of(a.target).strides);
    int rows = 0, columns = 0, axes = 0;
    std::int64_t reach = 0;
    for (const auto& [l, number] : found.pairs()) {
        const auto& mine = g.loops[static_cast<std::size_t>(number)];
        if (mine.role == loop_role::batch) continue;
        (mine.role == loop_role::row ? rows : columns) += 1;
        if (at.factor(l) == 0) return false;
        if (mine.role == loop_role::row) reach = g.plan->values.extent(l) * std::abs(at.factor(l));
    }
    for (const auto& p : a.target.at)
        axes += std::ranges::any_of(p.terms, [&](const term& t) {
            const auto number = static_cast<std::size_t>(found.of(t.over));
            return g.loops[number].role != loop_role::batch;
        });
    return rows == 1 && columns == 1 && axes == 1 && reach <= most_reach;
}

// Whether what sums over rows has a factor without columns, and what sums neither rows nor columns
// has no loops of its own.
bool suits(const grown_group& g, std::size_t step) {
    const assign& a = g.at(step);
    if (a.kind == assignment_kind::scatter) return suits_added(g, step);
    if (a.kind == assignment_kind::lookups) return suits_landing(g, step, summed_role(g, step));
    // Tiles of one batch after another are added to what is there, and not folded otherwise.
    if (steps::monoid_of(a.folding).value_or(steps::monoid::sum) != steps::monoid::sum) {
        const auto folded = g.summed_by(step);
        for (std::size_t l = 0; l < folded.size(); ++l)
            if (folded[l] && g.loops[l].role == loop_role::batch) return false;
        return summed_role(g, step) != loop_role::batch;
    }
    if (a.kind != assignment_kind::contract || !g.has_own_loops(step)) return true;
    if (summed_role(g, step) == loop_role::batch) return false;
    if (summed_role(g, step) == loop_role::column) return true;
    const auto f = factors_of(g.plan->values, a);
    const access& side = (g.is_plane(f.a->source.slot) ? f.b : f.a)->source;
    return !g.follows(g.walked(g.matched.at(step), side), loop_role::column);
}

}  // namespace

loop_role summed_role(const grown_group& g, std::size_t step) {
    if (g.at(step).kind == assignment_kind::scatter) return loop_role::batch;
    const auto summed = g.summed_by(step);
    std::size_t longest = summed.size();
    for (std::size_t l = 0; l < summed.size(); ++l) {
        if (g.loops[l].role == loop_role::column && summed[l]) return loop_role::column;
        if (g.loops[l].role == loop_role::row &&
            (longest == summed.size() || g.extent(l) > g.extent(longest)))
            longest = l;
    }
    return longest < summed.size() && !summed[longest] ? loop_role::batch : loop_role::row;
}

bool settle_roles(grown_group& g, std::string& reason) {
    do {
        settle_factors(g);
    } while (settle_sums(g));
    std::int64_t rows = 1;
    for (std::size_t l = 0; l < g.loops.size(); ++l)
        if (g.loops[l].role == loop_role::row) rows = std::max(rows, g.extent(l));
    // Few rows leave most lanes idle, but a softmax would go over its scores three times.
    const bool softmax = std::ranges::any_of(g.members, [&](std::size_t step) {
        return g.at(step).kind == assignment_kind::map && g.at(step).folding == fold::softmax;
    });
    if (rows < least_rows && !softmax) {
        reason = fmt::format("it has fewer than {} rows that share columns", least_rows);
        return false;
    }
    const bool lookups = std::ranges::all_of(g.members, [&](std::size_t step) {
        return g.at(step).kind != assignment_kind::gather || !g.is_plane(g.at(step).target.slot) ||
               suits_lookups(g, step);
    });
    if (!lookups) {
        reason = "another plane says places in it";
        return false;
    }
    const bool all =
        std::ranges::all_of(g.consumers, [&](std::size_t step) { return suits(g, step); });
    if (!all) reason = "a sum over it is of a kind that no loop order has";
    return all;
}

}  // namespace ricci::plan
