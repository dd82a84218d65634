// Whole numbers from one to another: how far sums of counters reach.
#pragma once

#include <algorithm>
#include <cstdint>

namespace ricci::plan {

/// From `least` to `most`, both of them: of places, of positions, of elements in memory.
struct whole_interval {
    std::int64_t least = 0, most = 0;
    bool operator==(const whole_interval&) const = default;

    bool lies_within(const whole_interval& other) const {
        return least >= other.least && most <= other.most;
    }
    bool meets(const whole_interval& other) const {
        return least <= other.most && other.least <= most;
    }
    /// Adds what factor * counter is, for a counter from 0 to below the extent; where there are no
    /// iterations, it stands still.
    void add(std::int64_t factor, std::int64_t extent) {
        const std::int64_t last = factor * std::max<std::int64_t>(extent - 1, 0);
        (last < 0 ? least : most) += last;
    }
};

/// The places of an axis.
constexpr whole_interval places_of(std::int64_t extent) { return {0, extent - 1}; }

}  // namespace ricci::plan
