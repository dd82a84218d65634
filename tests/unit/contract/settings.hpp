// Tests with the kernels of every SIMD target, and on given numbers of threads.
#pragma once

#include <string>

#include "src/kernels/targets.hpp"
#include "src/runtime/parallel.hpp"
#include "tests/catch.hpp"

namespace ricci::testing {

// Restores the best target however a test ends.
struct target_guard {
    ~target_guard() { ricci::kernels::reset_target(); }
};

/// Runs body() with the kernels of every SIMD target of this CPU.
template <class Body>
void on_every_target(Body body) {
    const target_guard guard;
    for (const std::string& target : kernels::supported_targets()) {
        INFO("target " << target);
        REQUIRE(kernels::force_target(target));
        body();
    }
}

// Restores the number of threads however a test ends.
struct worker_guard {
    ~worker_guard() { ricci::runtime::set_worker_count(0); }
};

}  // namespace ricci::testing
