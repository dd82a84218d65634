// The step of a sum over ties: of weights where the sum of two tensors is a third one, as those of
// a maximum of sums are where its gradient goes. As algebra.hpp: loops over strided memory.
#pragma once

#include <cstdint>
#include <span>

#include <ricci/element.hpp>

#include "src/steps/operand.hpp"

namespace ricci::steps {

/// Which of three tensors is the sum of the other two, in one rounding.
enum class tie_test : std::uint8_t {
    row_is_sum,   // row = kept + column
    kept_is_sum,  // kept = row + column
};

/// C[batch, m, n] = number * the sum over k of weight[batch, m, k] wherever the test of
/// row[batch, m, k], column[batch, k, n] and kept[batch, m, n] holds. What is not wanted is not
/// added, whatever the weight is. Every operand may stand still in any loop but C, which moves in
/// all that are not k. f32 and f64 alone.
struct tie_sum {
    element type = element::f64;
    tie_test test = tie_test::row_is_sum;
    /// Of the loops of the batch, of m, of n and of k, in this order, and how many each has.
    std::span<const std::int64_t> extents;
    std::size_t batch = 0, m = 0, n = 0, k = 0;
    // A stride for each loop. Of no weight the stride list is empty: it is 1.
    operand row, column, kept, weight, out;
    double number = 1;
    bool is_weighted() const { return !weight.strides.empty(); }
};

}  // namespace ricci::steps
