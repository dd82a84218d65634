// The step of a map or a fold, element by element.
#pragma once

#include <cstdint>
#include <span>

#include <ricci/element.hpp>

#include "src/steps/instruction.hpp"
#include "src/steps/operand.hpp"

namespace ricci::steps {

/// How the values of the folded loops become one, or a row.
enum class fold : std::uint8_t {
    none,       // no folded loops: one value for each element
    sum,        // 0 for an empty row
    mean,       // sum / number of values
    maximum,    // -infinity for an empty row
    minimum,    // +infinity for an empty row
    product,    // 1 for an empty row
    logsumexp,  // log of the sum of exp, stable; -infinity for an empty row or one of -infinity
    softmax,    // writes a value for each element of the row: exp(x - max) / sum; a row that is
                // -infinity everywhere gives zeros
    excess,     // logsumexp - maximum, for which a large maximum leaves no room in their sum: from
                // 0 to the log of the number of values; 0 where the maximum is infinite
};

/// Whether exponentials of differences from the largest value are summed.
constexpr bool sums_exponentials(fold f) {
    return f == fold::logsumexp || f == fold::softmax || f == fold::excess;
}

/// For every combination of the free loops: run the program over the folded loops and fold the
/// last instruction's values. operands[0] is the output (stride 0 along folded loops, except for
/// softmax). The output may be read by the program at the same element that is written (fold::none
/// and fold::softmax); otherwise it overlaps no operand.
struct map {
    element type = element::f32;
    fold folding = fold::none;
    std::span<const std::int64_t> extents;  // free loops, then folded loops; slowest first
    std::int32_t folded = 0;                // how many of the last loops are folded
    std::span<const operand> operands;
    std::span<const instruction> program;
    // Of each operand, which tensor it is: the same one may be read at several places. None: each
    // is another.
    std::span<const std::int32_t> tensors = {};
};

}  // namespace ricci::steps
