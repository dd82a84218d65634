// A fused group as one body over pairs: where its products are of a few numbers, the register
// machine runs them with all that is done to them, and no tile is ever in memory.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "src/bodies/body.hpp"
#include "src/fused/geometry.hpp"
#include "src/steps/fused.hpp"

namespace ricci::fused {

/// What the body reads of an operand: one number for each row, or for each column.
struct pair_operand {
    std::int32_t operand = -1;
    std::int64_t offset = 0;
    std::int32_t product = -1;  // by whose number it is multiplied; -1: by none
    bool is_position = false;   // no memory: where the operand is, is its number
    bool counts_start = true;   // of a position: what is not of this loop is counted as well
};

/// What becomes of a fold of the body: number * fold + beta * what is there.
struct pair_result {
    std::int32_t consumer = -1;
    std::int32_t output = -1;
    std::int64_t offset = 0;
    double beta = 0;
    bool is_sum = true;  // else it is written as it is
    bool over_rows = false;
};

struct pair_body {
    bodies::body what;
    /// Rows and columns are those of the group, or the other way round: where all results are of
    /// columns, these are the rows of the body.
    bool swapped = false;
    std::vector<pair_operand> rows, columns;
    std::vector<pair_result> results;  // one for each fold of the body
};

/// Nothing where a group is not of this kind: where it has wide products or results, weights of a
/// softmax, values that other groups compare their own with, or conditions that leave out many
/// pairs, which tiles then leave out.
std::optional<pair_body> pair_body_of(const steps::fused_group& what, const geometry& g);

}  // namespace ricci::fused
