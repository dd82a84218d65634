// One way of carrying out a fused group.
#pragma once

#include <string>

#include "src/runtime/loans.hpp"

namespace ricci::fused {

class loop_order {
public:
    loop_order() = default;
    loop_order(const loop_order&) = delete;
    loop_order& operator=(const loop_order&) = delete;
    virtual ~loop_order() = default;

    virtual void run(void* const* bases, const double* numbers) const = 0;
    /// What it lends while it runs.
    virtual runtime::loan_list loans() const { return {}; }
    virtual std::string describe() const = 0;
};

}  // namespace ricci::fused
