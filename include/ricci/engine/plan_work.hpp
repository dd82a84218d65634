// What a plan computes, in numbers: for estimates of what a program takes where it is not run.
#pragma once

#include <cstddef>

#include <ricci/detail/export.hpp>
#include <ricci/engine/executable.hpp>

namespace ricci::engine {

/// Of one run.
struct plan_work {
    double flops = 0;
    double bytes = 0;           // of the operands of all steps, each counted once a step
    std::size_t workspace = 0;  // bytes
};
/// Plans and allocates nothing; operands may be shapes. Of layers, that of the equations of all of
/// them is not known: throws ricci::error. Throws what executable() does.
RICCI_EXPORT plan_work work_of(const request& r);

}  // namespace ricci::engine
