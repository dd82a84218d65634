// One way of carrying out a fused group.
#pragma once

#include <string>

namespace ricci::fused {

class loop_order {
public:
    loop_order() = default;
    loop_order(const loop_order&) = delete;
    loop_order& operator=(const loop_order&) = delete;
    virtual ~loop_order() = default;

    virtual void run(void* const* bases, const double* numbers) const = 0;
    virtual std::string describe() const = 0;
};

}  // namespace ricci::fused
