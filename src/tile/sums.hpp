// Sums of many terms in an element-wise program, which run as one: what is added up stays in
// registers, and each operand is read once.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "src/tile/program.hpp"

namespace ricci::elementwise {

/// A sum as a program has it: values by number.
struct program_sum {
    struct term {
        int a = -1;           // -1: the number 1
        int b = -1;           // -1: `a` alone, one number for each row
        bool scales = false;  // what was added up before is multiplied by `a`, and `b` added
    };
    std::size_t result = 0;
    std::vector<term> terms;          // in the order in which they are added
    std::vector<std::size_t> inside;  // values that nothing else wants
};

/// Terms of a sum, at most: they are in an array on the stack of whoever runs them.
inline constexpr std::size_t most_terms_of_sum = 48;

/// The sums of at least three terms. `is_number`: whether a value is one number for each row.
std::vector<program_sum> find_sums(std::span<const node> program,
                                   const std::function<bool(std::size_t)>& is_number);

}  // namespace ricci::elementwise
