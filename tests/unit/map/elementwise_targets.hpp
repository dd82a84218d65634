// Runs a test once for every SIMD target of the processor.
#pragma once

#include <string>

#include "src/kernels/targets.hpp"
#include "tests/catch.hpp"

namespace ricci::test {

/// Restores the best target when a test ends, however it ends.
struct every_target {
    ~every_target() { ricci::kernels::reset_target(); }

    template <class Body>
    void run(Body body) const {
        for (const std::string& name : ricci::kernels::supported_targets()) {
            if (!ricci::kernels::force_target(name)) continue;
            CAPTURE(name);
            body();
        }
    }
};

}  // namespace ricci::test
