// An index group flattened to one offset for each of its iterations, as one operand is walked.
#include "src/contract/offsets.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace ricci::contractions {

offset_vector flatten(const loop_list& loops, std::int64_t steps::contraction_loop::*stride) {
    const auto count = static_cast<std::size_t>(iterations(loops));
    offset_vector flat;
    flat.offset.assign(count, 0);
    flat.run.assign(count, 1);
    // Each loop, from the fastest on, repeats what is there already, one stride further each time.
    std::size_t filled = 1;
    for (std::size_t l = loops.size(); l-- > 0 && count > 0;) {
        const auto extent = static_cast<std::size_t>(loops[l].extent);
        for (std::size_t i = filled; i < filled * extent; ++i) {
            flat.offset[i] = flat.offset[i - filled] + loops[l].*stride;
        }
        filled *= extent;
    }
    for (std::size_t i = count; i-- > 1;) {
        if (flat.offset[i] - flat.offset[i - 1] == 1) {
            flat.run[i - 1] =
                std::min(flat.run[i], std::numeric_limits<std::int32_t>::max() - 1) + 1;
        }
    }
    return flat;
}

void find_stretch(offset_vector& offsets, std::int64_t furthest) {
    constexpr std::int32_t worth = 4;
    if (std::any_of(offsets.run.begin(), offsets.run.end(),
                    [](std::int32_t run) { return run >= worth; })) {
        return;
    }
    const std::size_t count = offsets.offset.size();
    for (std::size_t s = 2; s <= static_cast<std::size_t>(furthest) && s * worth <= count; ++s) {
        if (offsets.offset[s] - offsets.offset[0] != 1) continue;
        offsets.stretch = static_cast<std::int64_t>(s);
        offsets.run.assign(count, 1);
        for (std::size_t i = count - s; i-- > 0;) {
            if (offsets.offset[i + s] - offsets.offset[i] == 1)
                offsets.run[i] = std::min(offsets.run[i + s], std::int32_t{1} << 20) + 1;
        }
        return;
    }
}

std::int64_t uniform_step(const offset_vector& offsets, std::int64_t first, std::int64_t end) {
    if (end - first < 2) return 1;
    const auto at = [&](std::int64_t k) { return offsets.offset[static_cast<std::size_t>(k)]; };
    const std::int64_t step = at(first + 1) - at(first);
    for (std::int64_t k = first + 2; k < end; ++k) {
        if (at(k) - at(k - 1) != step) return 0;
    }
    return step;
}

std::int64_t uniform_step(const loop_list& loops, std::int64_t steps::contraction_loop::*stride) {
    if (loops.empty()) return 1;
    for (std::size_t l = 0; l + 1 < loops.size(); ++l)
        if (loops[l].*stride != loops[l + 1].*stride * loops[l + 1].extent) return 0;
    return loops.back().*stride;
}

position locate(const loop_list& loops, std::int64_t index) {
    position at;
    for (std::size_t l = loops.size(); l-- > 0;) {
        const std::int64_t counter = index % loops[l].extent;
        index /= loops[l].extent;
        at.a += counter * loops[l].a;
        at.b += counter * loops[l].b;
        at.c += counter * loops[l].c;
    }
    return at;
}

}  // namespace ricci::contractions
