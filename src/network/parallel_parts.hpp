// Steps that run at the same time as others: parts on a thread each, then the trunk with all.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <thread>

#include "src/runtime/loans.hpp"
#include "src/runtime/parallel.hpp"

namespace ricci::networks {

/// What so many lend at the same time, each on one thread and no more than `by_one` says.
runtime::loan_book lent_together(runtime::loan_book& by_one, std::size_t count);

/// Runs steps [0, steps): `run(first, end)` those of one part, with loops of its own on its thread,
/// and at last those of the trunk. Where it says false, the trunk is not begun. Part p ends at
/// ends[p]; see sub_trees.hpp.
template <class Run>
bool run_in_parts(std::span<const std::size_t> ends, std::size_t steps, const Run& run) {
    std::atomic<bool> goes_on{true};
    auto part = [&](std::int64_t number, int) {
        const runtime::on_this_thread alone;
        const auto p = static_cast<std::size_t>(number);
        if (!run(p == 0 ? 0 : ends[p - 1], ends[p])) goes_on = false;
    };
    runtime::parallel_for(static_cast<std::int64_t>(ends.size()), part);
    return goes_on && run(ends.empty() ? 0 : ends.back(), steps);
}

/// The steps in parts that are due: `run(first, end)` those of a range. The calling thread tells
/// how many it knows to be done, of `all`; false where `progress` was false, which ends it.
template <class IsDue, class Run>
bool run_due_in_parts(std::span<const std::size_t> ends, std::size_t steps, const IsDue& is_due,
                      const Run& run, std::size_t all,
                      const std::function<bool(double)>& progress) {
    const std::thread::id caller = std::this_thread::get_id();
    std::atomic<std::size_t> done{0};
    std::atomic<bool> stopped{false};
    return run_in_parts(ends, steps, [&](std::size_t first, std::size_t end) {
        if (!progress) run(first, end);
        for (std::size_t k = first; k < end && progress && !stopped; ++k) {
            if (!is_due(k)) continue;
            run(k, k + 1);
            const auto part = static_cast<double>(++done) / static_cast<double>(all);
            if (std::this_thread::get_id() == caller && !progress(part)) stopped = true;
        }
        return !stopped;
    });
}

}  // namespace ricci::networks
