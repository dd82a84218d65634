// Sharing tasks out, or not.
#pragma once

#include <cstdint>

#include "src/runtime/parallel.hpp"

namespace ricci::contract {

/// Runs all tasks on the calling thread when there is too little to share.
template <class Body>
void distribute(std::int64_t count, bool serial, Body&& body) {
    if (!serial) {
        runtime::parallel_for(count, body);
        return;
    }
    auto all = [&](std::int64_t, int worker) {
        for (std::int64_t task = 0; task < count; ++task) body(task, worker);
    };
    runtime::parallel_for(1, all);
}

}  // namespace ricci::contract
