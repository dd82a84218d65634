// One way of executing a contraction, prepared for one set of loops.
#pragma once

#include <ricci/plan/number.hpp>

namespace ricci::contract {

class strategy {
public:
    strategy() = default;
    strategy(const strategy&) = delete;
    strategy& operator=(const strategy&) = delete;
    virtual ~strategy() = default;

    /// C = alpha * A B + beta * C; a, b and c are as in the descriptor, in its element type.
    virtual void run(const void* a, const void* b, void* c, const plan::number& alpha,
                     const plan::number& beta) const = 0;
};

}  // namespace ricci::contract
