// One way of executing a contraction, prepared for one set of loops.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <ricci/engine/number.hpp>

#include "src/contract/product_calls.hpp"
#include "src/runtime/loans.hpp"

namespace ricci::contractions {

/// What strategy::run is given, for one of several contractions that run together.
struct bound_contraction {
    const void* a = nullptr;
    const void* b = nullptr;
    void* c = nullptr;
    engine::number alpha, beta;
    const std::int64_t* a_list = nullptr;  // where the descriptor has one: its offsets, in elements
    const std::int64_t* b_list = nullptr;
};

/// Several contractions that have an operand in common, in one pass over it.
class joined_strategy {
public:
    joined_strategy() = default;
    joined_strategy(const joined_strategy&) = delete;
    joined_strategy& operator=(const joined_strategy&) = delete;
    virtual ~joined_strategy() = default;

    virtual void run(std::span<const bound_contraction> operands) const = 0;

    /// What it lends while it runs.
    virtual runtime::loan_list loans() const = 0;
};

class strategy;

/// A contraction that is to run together with others. `shares_b`: the operand that they have in
/// common is its B.
struct joinable {
    const strategy* which = nullptr;
    bool shares_b = false;
};

class strategy {
public:
    strategy() = default;
    strategy(const strategy&) = delete;
    strategy& operator=(const strategy&) = delete;
    virtual ~strategy() = default;

    /// C = alpha * A B + beta * C; a, b and c are as in the descriptor, in its element type.
    virtual void run(const void* a, const void* b, void* c, const engine::number& alpha,
                     const engine::number& beta) const = 0;

    /// The same, for descriptors with lists too.
    virtual void run_bound(const bound_contraction& of) const {
        run(of.a, of.b, of.c, of.alpha, of.beta);
    }

    /// What it lends while it runs.
    virtual runtime::loan_list loans() const { return {}; }

    /// Calls of kernels that do the same as run() with these numbers, where that is little work;
    /// none: it is not, or takes more than calls.
    virtual std::vector<product_call> calls(const engine::number&, const engine::number&) const {
        return {};
    }

    /// What explain shows besides the name of this way; may be empty.
    virtual std::string words() const { return {}; }

    /// How several contractions, of which this is the first, run together with the same results as
    /// one after another; nothing when that saves no work.
    virtual std::unique_ptr<const joined_strategy> join(std::span<const joinable>) const {
        return nullptr;
    }
};

}  // namespace ricci::contractions
