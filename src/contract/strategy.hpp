// One way of executing a contraction, prepared for one set of loops.
#pragma once

#include <string>

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

    /// How it goes about it, where that is not by tiles of matrices; empty otherwise.
    virtual std::string words() const { return {}; }
};

/// What a strategy that computes in T runs on: operands stored as `Stored`, C = alpha * product + beta * C.
template <class T, class Stored>
struct bound_operands {
    const Stored* a = nullptr;
    const Stored* b = nullptr;
    Stored* c = nullptr;
    T alpha = T{1};
    T beta = T{0};
};

}  // namespace ricci::contract
