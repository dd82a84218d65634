// The register machine for lines: the same instructions as for pairs, of which a value is one
// number for each element of a line. Between two instructions the values of some vectors stay in
// registers; a program so reads each of its operands once, and writes its results.
//
// Places of arguments are one number for a whole line (body_place::rows), and one for each element
// (body_place::block). There are no columns and no folds.
//
// No element knows of others: its result does not depend on where in a line it is.
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/kernels/bodies/bodies.hpp"

namespace ricci::kernels {

/// What an instruction names by its number: operands, results, numbers, and blocks, which hold
/// values for a while.
template <class T>
struct line_operand {
    T* at = nullptr;            // the first element of a line, or the number
    std::int64_t moves = 0;     // -1: along the line, with unit stride; 0: a number, or a block
    std::int64_t row_step = 0;  // elements to the next line
};

template <class T>
struct line_table {
    int block = 1;  // elements that a block holds
    int lanes = 1;

    /// Runs a program, which ends with `end` or `finish`, over `rows` lines of n elements; no
    /// alignment is asked for. x and y of instructions are numbers of operands, of which the first
    /// `moving` have a step from line to line, which is taken: `at` is behind the last line
    /// afterwards. A result may be an operand, element for element.
    void (*run)(const body_instruction* program, line_operand<T>* operands, std::size_t moving,
                std::int64_t rows, std::int64_t n) = nullptr;
};

/// The machine of the best SIMD target of this CPU. T: float, double.
template <class T>
const line_table<T>& line_machine();
template <>
const line_table<float>& line_machine<float>();
template <>
const line_table<double>& line_machine<double>();

}  // namespace ricci::kernels
