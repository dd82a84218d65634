// Which loops of a streamed group are its rows, its columns and its batch.
#include <algorithm>
#include <cstdlib>

#include "src/plan/contraction_lists.hpp"
#include "src/plan/stream_group.hpp"

namespace ricci::plan {
namespace {

constexpr std::int64_t least_rows = 4;
// Elements that a block of columns adds to at places that depend on rows and columns.
constexpr std::int64_t most_reach = 1 << 15;

}  // namespace

/// Whether a contraction that consumes a plane has loops of its own; otherwise it is a sum of products
/// of tiles, element by element.
bool stream_group::has_values(std::size_t number) const {
    const auto all = lists_of(plan_.compiled[number].contraction);
    const auto& found = matched_.at(number);
    for (std::size_t l = 0; l < all.extents.size(); ++l)
        if (found[l] < 0 && all.extents[l] != 1) return true;
    return false;
}

/// Which of the group's loops a consumer sums.
std::vector<bool> stream_group::summed_by(std::size_t number) const {
    const auto& s = plan_.compiled[number];
    const auto& found = matched_.at(number);
    std::vector<bool> summed(loops_.size(), false);
    if (s.is_gather) {
        const auto strides = strides_of(found, s.gather.out.strides);
        for (std::size_t g = 0; g < loops_.size(); ++g) summed[g] = strides[g] == 0;
        return summed;
    }
    const auto folded =
        s.is_contraction ? s.contraction.k.size() : static_cast<std::size_t>(s.map.folded);
    for (std::size_t l = found.size() - folded; l < found.size(); ++l)
        if (found[l] >= 0) summed[static_cast<std::size_t>(found[l])] = true;
    return summed;
}

/// What a sweep sums for a consumer: columns, rows, or neither, where the tile itself is wanted; the
/// longest of the row loops is that of a tile.
loop_role stream_group::swept(std::size_t number) const {
    if (plan_.compiled[number].is_gather) return loop_role::batch;
    const auto summed = summed_by(number);
    std::size_t longest = loops_.size();
    for (std::size_t g = 0; g < loops_.size(); ++g) {
        if (loops_[g].axis == loop_role::column && summed[g]) return loop_role::column;
        if (loops_[g].axis == loop_role::row &&
            (longest == loops_.size() || loops_[g].extent > loops_[longest].extent))
            longest = g;
    }
    return longest < loops_.size() && !summed[longest] ? loop_role::batch : loop_role::row;
}

/// A sum over rows has to be over all rows, and a tile itself is summed over the batch only: other row
/// loops join the batch. Whether any does.
bool stream_group::settle_sums() {
    bool changed = false;
    for (const std::size_t number : sinks_) {
        const auto what = swept(number);
        if (what == loop_role::column) continue;
        const auto summed = summed_by(number);
        for (std::size_t g = 0; g < loops_.size(); ++g) {
            if (loops_[g].axis != loop_role::row || summed[g] == (what == loop_role::row)) continue;
            loops_[g].axis = loop_role::batch;
            changed = true;
        }
    }
    return changed;
}

/// Whether what sums over rows has a factor without columns, and what sums neither rows nor columns has
/// no loops of its own.
bool stream_group::factors_suit() const {
    for (const std::size_t number : sinks_) {
        const auto& s = plan_.compiled[number];
        if (s.is_gather) {
            // The lines run through one row loop and one column loop, and are short enough.
            const auto strides = strides_of(matched_.at(number), s.gather.out.strides);
            std::int64_t rows = 0, columns = 0, reach = 0;
            for (std::size_t l = 0; l < loops_.size(); ++l) {
                if (loops_[l].axis == loop_role::batch) continue;
                (loops_[l].axis == loop_role::row ? rows : columns) += 1;
                if (strides[l] == 0) return false;
                if (loops_[l].axis == loop_role::row)
                    reach = loops_[l].extent * std::abs(strides[l]);
            }
            if (rows != 1 || columns != 1 || reach > most_reach) return false;
            continue;
        }
        if (!s.is_contraction || !has_values(number)) continue;
        if (swept(number) == loop_role::batch) return false;
        if (swept(number) == loop_role::column) continue;
        const auto all = lists_of(s.contraction);
        const auto& side = is_plane(s.contraction.a.slot) ? all.b : all.a;
        const auto& found = matched_.at(number);
        for (std::size_t l = 0; l < found.size(); ++l)
            if (found[l] >= 0 && side[l] != 0 &&
                loops_[static_cast<std::size_t>(found[l])].axis == loop_role::column)
                return false;
    }
    return true;
}

// A row loop along which the other side moves too belongs to the batch.
void stream_group::settle_factors() {
    for (const std::size_t number : members_) {
        const auto& s = plan_.compiled[number];
        if (!s.is_contraction) continue;
        const auto all = lists_of(s.contraction);
        const auto& found = matched_.at(number);
        const bool makes = is_plane(s.contraction.c.slot);
        bool column_is_a = false;
        for (std::size_t l = 0; l < found.size(); ++l)
            if (found[l] >= 0 &&
                loops_[static_cast<std::size_t>(found[l])].axis == loop_role::column &&
                all.a[l] != 0)
                column_is_a = true;
        // A sink's operand beside the plane has the columns.
        if (!makes) column_is_a = !is_plane(s.contraction.a.slot);
        if (!makes && (!has_values(number) || swept(number) != loop_role::column)) continue;
        const auto& side = column_is_a ? all.a : all.b;
        for (std::size_t l = 0; l < found.size(); ++l)
            if (found[l] >= 0 && side[l] != 0 &&
                loops_[static_cast<std::size_t>(found[l])].axis == loop_role::row)
                loops_[static_cast<std::size_t>(found[l])].axis = loop_role::batch;
    }
}

bool stream_group::settle_axes() {
    do {
        settle_factors();
    } while (settle_sums());
    std::int64_t rows = 1;
    for (const auto& l : loops_)
        if (l.axis == loop_role::row) rows = std::max(rows, l.extent);
    // Few rows leave most lanes idle, but a softmax would go over its scores three times.
    const bool softmax = std::any_of(members_.begin(), members_.end(), [&](std::size_t number) {
        const auto& s = plan_.compiled[number];
        return s.is_map() && s.map.folding == fold::softmax;
    });
    if (rows >= least_rows || softmax) return true;
    reason_ = "it has fewer than " + std::to_string(least_rows) + " rows that share columns";
    return false;
}

}  // namespace ricci::plan
