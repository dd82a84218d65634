// The ways in which the machine can compute a value: one instruction, the value that it expects in
// the accumulator, and those that it reads elsewhere.
#pragma once

#include <vector>

#include "src/bodies/body.hpp"

namespace ricci::bodies {

enum class form : std::uint8_t {
    binary,      // body_binary, of x
    comparison,  // body_comparison, of x
    fused,       // body_fused, of x and y
    square_add,
    add_square,
    select,
    pair,      // body_pair, of the leaves x of rows and y of columns
    one,       // opcode
    power,     // body_power
    function,  // body_function, of x
    start,     // body_start, of x and the elements y
};

struct pattern {
    form what = form::one;
    int code = 0;  // within the form
    int accumulator = -1;
    int x = -1, y = -1;
    double cost = 0;  // cycles for each 8 vectors, roughly
};

/// All of them. `is_made`: whether a value is in memory already.
std::vector<pattern> patterns_of(const body& what, int value, const std::vector<int>& uses,
                                 const std::vector<char>& is_made);

/// A value that is column - row (`other` false) or row - column of two leaves.
struct leaf_difference {
    int row = -1, column = -1;
    bool other = false;
    explicit operator bool() const { return row >= 0; }
};
leaf_difference difference_of(const body& what, int value);

/// Whether one instruction makes a value of two leaves, so that it need not be kept.
bool is_pair_of_leaves(const body& what, int value);

}  // namespace ricci::bodies
