// Results of a scaled network: what passes give is added up, and turned into mantissas and
// exponents of ten.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <ricci/element.hpp>

#include "src/network/index_ranges.hpp"
#include "src/network/run_request.hpp"
#include "src/network/scaled/block_indices.hpp"
#include "src/network/scaled/block_walk.hpp"
#include "src/network/scaled/scaled_tensor.hpp"

namespace ricci::networks {

/// What passes have given so far: of each row of choices, or of the one result, row-major, with an
/// exponent for each of its blocks. A block is what lies at one place of the block indices that all
/// tensors have, and in one range of each index that is sliced beside them.
struct scaled_sums {
    std::vector<void*> rows;
    std::vector<std::int64_t> exponents;  // row after row
};

/// How such sums are laid out, and what is done with them. It writes to nothing but its arguments.
class scaled_result {
public:
    /// `axes`: the indices of the axes of a result; of those of choices none are left.
    scaled_result(const run_request& asked, std::span<const std::int32_t> axes,
                  std::span<const std::int32_t> block_indices);

    /// Where what a plan gives is added.
    class part {
    public:
        part() = default;
        /// `loops` of the plan, `extents` in one pass, `of_pass`: the table of the plan's result.
        part(const scaled_result& whole, std::span<const std::int64_t> extents,
             std::span<const range_loop> loops, const block_table& of_pass);

    private:
        friend class scaled_result;
        struct moving {
            std::int64_t first = 0, advance = 0;  // of a loop: elements, or entries of the table
        };
        block_walk walk_;                // of the sums, and of what a pass gives
        std::vector<table_loop> loops_;  // blocks in the walk, the sums' table, and the pass's
        std::int64_t first_entry_ = 0;
        std::vector<moving> elements_, entries_;
    };
    /// Room for one caller's work.
    struct scratch {
        std::vector<std::int64_t> powers, added_powers;
        std::vector<double> largest;
    };

    /// Without exponents yet, in memory for each row.
    scaled_sums sums_in(std::vector<void*> rows) const;
    scratch make_scratch() const;

    void clear(scaled_sums& sums) const;
    /// Adds what a pass gave, for what the counters of the loops say, to a row.
    void add(const part& to, const scaled_tensor& pass, std::span<const std::int64_t> counters,
             scaled_sums& sums, std::size_t row, scratch& room) const;
    /// Adds all rows of other sums.
    void add(const scaled_sums& from, scaled_sums& to, scratch& room) const;
    /// Turns a row into mantissas. Returns its exponent of ten.
    std::int64_t finish(scaled_sums& sums, std::size_t row, scratch& room) const;

    /// Bytes of the exponents of so many rows, and of one scratch.
    double bytes_of_exponents(std::size_t rows) const;
    double bytes_of_scratch() const;

private:
    /// Ranges of equal length of all indices that are sliced: with what is left over of an extent,
    /// results have several such pieces.
    struct piece {
        std::vector<range_loop> ranges;
        block_walk walk;
        std::vector<std::int64_t> steps;      // in the exponents: of block indices, then of ranges
        std::int64_t element = 0, entry = 0;  // where it begins
    };
    piece piece_of(std::vector<range_loop> ranges) const;
    const piece& piece_with(std::span<const range_loop> loops) const;

    std::int64_t* exponents(scaled_sums& sums, std::size_t row) const {
        return sums.exponents.data() + row * static_cast<std::size_t>(entries_);
    }
    void* start_of(void* row, const piece& p) const {
        return static_cast<std::byte*>(row) + p.element * static_cast<std::int64_t>(size_of(type_));
    }
    double largest_absolute(void* row, const std::vector<std::int64_t>& powers) const;

    element type_;
    std::vector<std::int32_t> axes_;                               // without those that are chosen
    std::vector<std::int32_t> all_block_indices_, block_indices_;  // of tensors; of the sums
    std::vector<std::int64_t> extents_, strides_;                  // of indices; of the axes
    std::size_t bytes_ = 0;                                        // of a row
    std::vector<piece> pieces_;
    std::int64_t entries_ = 0;  // of a row: those of all pieces
};

}  // namespace ricci::networks
