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

/// What the body reads of an operand: one number for each row, for each column, or for each pair.
struct pair_operand {
    std::int32_t operand = -1;
    std::int64_t offset = 0;
    std::int32_t product = -1;  // by whose number it is multiplied; -1: by none
    bool is_position = false;   // no memory: where the operand is, is its number
    bool counts_start = true;   // of a position: what is not of this loop is counted as well
    bool is_place = false;      // of no operand: which row, or which column, it is
};

enum class pair_result_kind : std::uint8_t {
    sum,   // number * fold + beta * what is there
    fold,  // as it is
    // Of extrema, before the value itself, which is written behind them: their count, and their
    // place.
    ties,
    place,
    // of exponentials: as tile_operation has them
    log_sum_exp,
    maximum,
    excess,
    largest,
};

/// What becomes of a fold of the body.
struct pair_result {
    pair_result_kind kind = pair_result_kind::sum;
    std::size_t fold = 0;
    std::int32_t consumer = -1;
    std::int32_t output = -1;
    std::int64_t offset = 0;
    double beta = 0;
    bool over_rows = false;
    std::int32_t value = -1;  // of ties and places: the operand of the value
};

struct pair_body {
    bodies::body what;
    /// Rows and columns are those of the group, or the other way round: where all results are of
    /// columns, these are the rows of the body.
    bool swapped = false;
    std::vector<pair_operand> rows, columns, planes;
    std::vector<pair_result> results;
};

/// Nothing where a group is not of this kind: where it has wide products or results, weights of a
/// softmax that are used, values that other groups compare their own with, or conditions that leave
/// out many pairs, which tiles then leave out.
std::optional<pair_body> pair_body_of(const steps::fused_group& what, const geometry& g);

/// What a fold carries from one value to the next, but for what is beside an extremum.
steps::monoid monoid_of(kernels::body_fold f);

}  // namespace ricci::fused
