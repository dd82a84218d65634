// Which places of an axis each rank needs where an equation reads it shifted, and whose they are.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "src/placement/distribution.hpp"

namespace ricci::mpi {

/// `count` places from `first` on. Those beyond an end are counted from the other one.
struct window {
    std::int64_t first = 0;
    std::int64_t count = 0;
    friend bool operator==(const window&, const window&) = default;
};

/// Places of a window that one rank has.
struct window_part {
    int owner = 0;
    std::int64_t place = 0;  // of the axis, where they begin
    std::int64_t at = 0;     // of the window
    std::int64_t count = 0;
};

/// In the order of the window.
inline std::vector<window_part> window_parts(const window& w, const distribution& axis) {
    std::vector<std::int64_t> ends;
    for (const std::int64_t count : axis.counts)
        ends.push_back(count + (ends.empty() ? 0 : ends.back()));
    const std::int64_t all = ends.back();
    std::vector<window_part> parts;
    for (std::int64_t at = 0; at < w.count;) {
        const std::int64_t place = ((w.first + at) % all + all) % all;
        const auto end = std::upper_bound(ends.begin(), ends.end(), place);
        const std::int64_t count = std::min(*end - place, w.count - at);
        parts.push_back({static_cast<int>(end - ends.begin()), place, at, count});
        at += count;
    }
    return parts;
}

/// How many places the rank gets that gets most of others.
inline std::int64_t most_from_others(const std::vector<window>& windows, const distribution& axis) {
    std::int64_t most = 0;
    for (std::size_t r = 0; r < windows.size(); ++r) {
        std::int64_t mine = 0;
        for (const window_part& p : window_parts(windows[r], axis))
            if (static_cast<std::size_t>(p.owner) != r) mine += p.count;
        most = std::max(most, mine);
    }
    return most;
}

/// How many places the rank gets of others that gets most, or sends, where rank r asks for most[r].
inline std::int64_t most_asked(const std::vector<std::int64_t>& most, const distribution& axis) {
    std::int64_t places = 0;
    for (std::size_t r = 0; r < most.size(); ++r)
        places = std::max(places, std::min(most[r], axis.total() - axis.counts[r]));
    return places;
}

/// What arithmetic reads outside of an axis.
enum class beyond : std::uint8_t { nothing, nearest, ring };

/// A place coefficient * letter + something between `least` and `most`.
struct place_reach {
    std::int64_t coefficient = 1, least = 0, most = 0;

    /// What is read for places [before, before + own) of the letter.
    window of(std::int64_t before, std::int64_t own, std::int64_t extent, beyond ends) const {
        if (own == 0) return {};
        const std::int64_t a = coefficient * before, b = coefficient * (before + own - 1);
        std::int64_t first = std::min(a, b) + least, last = std::max(a, b) + most;
        if (ends == beyond::nearest) {
            first = std::clamp<std::int64_t>(first, 0, extent - 1);
            last = std::clamp<std::int64_t>(last, 0, extent - 1);
        }
        if (ends == beyond::nothing) {
            first = std::max<std::int64_t>(first, 0);
            last = std::min(last, extent - 1);
        }
        return {first, std::max<std::int64_t>(0, last - first + 1)};
    }
};

}  // namespace ricci::mpi
