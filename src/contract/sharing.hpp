// Work shared out among the threads: how it is cut into parts and handed out as tasks.
#pragma once

#include <algorithm>
#include <cstdint>

#include "src/base/arithmetic.hpp"
#include "src/runtime/interruption.hpp"
#include "src/runtime/parallel.hpp"

namespace ricci::contractions {

/// Less work than this stays on the caller's thread, and a task has about so much.
inline constexpr double serial_flops = 2e5;
inline constexpr double task_flops = 2e6;

/// Where part `part` of `parts` starts when `total` is spread evenly in multiples of `unit`.
constexpr std::int64_t part_start(std::int64_t total, std::int64_t parts, std::int64_t part,
                                  std::int64_t unit) {
    return std::min(total, ceil_divide(total, unit) * part / parts * unit);
}

/// How many of `units` equal units with `flops` of work in all make a task.
constexpr std::int64_t units_in_task(std::int64_t units, double flops) {
    return std::max<std::int64_t>(
        1,
        static_cast<std::int64_t>(task_flops * static_cast<double>(units) / std::max(1.0, flops)));
}

/// Runs body(task, worker) for all tasks, on the calling thread where `serial` says that there is
/// too little to share.
template <class Body>
void distribute(std::int64_t count, bool serial, Body&& body) {
    if (!serial) {
        runtime::parallel_for(count, body);
        return;
    }
    auto all = [&](std::int64_t, int worker) {
        for (std::int64_t task = 0; task < count; ++task) {
            runtime::interruption::poll();
            body(task, worker);
        }
    };
    runtime::parallel_for(1, all);
}

/// Runs body(unit, worker) for `units` units, `per_task` of them in a task.
template <class Body>
void distribute_units(std::int64_t units, std::int64_t per_task, bool serial, Body&& body) {
    auto task_body = [&](std::int64_t task, int worker) {
        const std::int64_t end = std::min(units, (task + 1) * per_task);
        for (std::int64_t unit = task * per_task; unit < end; ++unit) body(unit, worker);
    };
    distribute(ceil_divide(units, per_task), serial, task_body);
}

}  // namespace ricci::contractions
