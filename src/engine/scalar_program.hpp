// The factor of a step: a number, or what a few instructions make of single numbers of operands.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <ricci/engine/number.hpp>

#include "src/plan/schedule/plan.hpp"

namespace ricci::engine {

class scalar_program {
public:
    /// 1.
    scalar_program() = default;
    explicit scalar_program(const plan::scalar& from);

    /// Where the number of an operand is, and of which type.
    void bind(std::size_t operand, const void* data, element type) {
        operands_[operand] = {data, type};
    }

    /// Whether it is the same number in every run.
    bool is_constant() const { return instructions_.empty(); }

    /// The factor of a step whose tensors hold `type`. Allocates nothing.
    number evaluate(element type) { return instructions_.empty() ? number(value_) : run(type); }

private:
    number run(element type);
    template <class T>
    number run_as();

    double value_ = 1;
    std::vector<steps::instruction> instructions_;
    std::vector<std::pair<const void*, element>> operands_;
    std::vector<number> values_;  // one for each instruction
};

}  // namespace ricci::engine
