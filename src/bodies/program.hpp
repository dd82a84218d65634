// A body as a program of the register machine: over pairs with its frame, or over lines.
#pragma once

#include <cstdint>
#include <vector>

#include "src/bodies/body.hpp"

namespace ricci::bodies {

/// What a program is made for.
struct machine_shape {
    int lanes = 1;           // of a vector
    int columns = 1;         // of a block
    int tile_columns = 512;  // of a frame, whole blocks
    int block() const { return 2 * lanes * columns; }
    int rows() const { return 2 * lanes; }
    /// Of a plane: rows() of each column of a frame, adjacent.
    int plane() const { return tile_columns * rows(); }
    /// Elements of a state of one number for each result, in lanes.
    int state(const body_fold& f) const { return f.over_rows ? tile_columns * lanes : rows(); }
};

struct program {
    /// Programs for whole blocks, and for those where some columns or rows do not count.
    std::vector<kernels::body_instruction> code, edge_code;
    /// That for whole blocks where all that rows and columns have is finite; none: `code`.
    std::vector<kernels::body_instruction> finite_code;
    bool folds_rows = false;

    // The frame, in elements: masks of rows come first.
    struct constant {
        std::uint32_t at = 0;
        double value = 0;
    };
    std::uint32_t rows = 0;  // of rows number k: machine_shape::rows() of them from rows + k rows()
    std::uint32_t columns =
        0;                     // of columns number k: tile_columns from columns + k tile_columns on
    std::uint32_t planes = 0;  // of planes number k: machine_shape::plane() from planes + k plane()
    std::vector<constant> constants;    // rows() equal numbers each
    std::vector<std::uint32_t> states;  // of each fold
    std::uint32_t frame = 0;            // in all
};

/// How many operands a body has of each kind.
struct operand_counts {
    int rows = 0, columns = 0, planes = 0;
};
program compile(const body& what, const operand_counts& operands, const machine_shape& machine);

/// What an operand of a program over lines is.
enum class line_operand_kind : std::uint8_t { number, elements, constant, block, result };
struct line_operand {
    line_operand_kind kind = line_operand_kind::number;
    std::int32_t number = 0;  // among those of its kind
    double value = 0;         // of a constant
};

struct line_program {
    std::vector<kernels::body_instruction> code;
    std::vector<line_operand> operands;  // each once
    std::int32_t blocks = 0;
};

line_program compile_lines(const body& what);

}  // namespace ricci::bodies
