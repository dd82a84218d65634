// The element-wise operations of a fused group on a tile: which tiles are empty, which conditions
// are superfluous, and the kernels of each case.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "src/bodies/line_code.hpp"
#include "src/kernels/gemm/gemm.hpp"
#include "src/fused/bounds.hpp"
#include "src/fused/conditions.hpp"
#include "src/fused/geometry.hpp"
#include "src/fused/tile_lookups.hpp"
#include "src/steps/fused.hpp"

namespace ricci::fused {

/// Columns of a range where anything counts only for some vectors of lanes.
struct tile_step {
    std::int64_t column = 0, column_end = 0;
    std::int64_t first_vector = 0, last_vector = 0;

    std::int64_t vectors() const { return last_vector - first_vector; }
    bool operator==(const tile_step&) const = default;
};

/// A part of the two tile loops.
struct tile_range {
    std::int64_t row = 0, row_end = 0;
    std::int64_t column = 0, column_end = 0;
    // In order; nothing counts but what they have. None: all counts.
    std::span<const tile_step> steps = {};
};

/// Tiles in memory: `rows` of them exist side by side, padded to `width` lanes.
struct tile_width {
    std::int64_t rows = 1;
    std::int64_t width = 1;
};

struct tile_sizes {
    tile_width full, last;     // the last tile of the row loop may be narrower
    std::int64_t columns = 1;  // of a tile
    std::int64_t chunk = 1;    // columns that an operation transforms at once
};

/// Where the operands are, for a task.
template <class T>
struct operand_memory {
    void* const* bases = nullptr;
    const std::int64_t* at = nullptr;  // the elements at the start of both tile loops
    // What is known of them, and where that is; none: nothing.
    const operand_bounds<T>* bounds = nullptr;
    const T* trees = nullptr;
};

/// What is known of an operation's values over a range.
struct knowledge {
    bool nothing = false;  // all values are 0, or what counts as nothing; of weights, all weights
    bool partial = false;  // some condition holds for a part of the range only
    std::size_t variant = 0;
};

/// One operation, in all variants that its conditions ask for.
template <class T>
class prepared_operation {
public:
    /// Of a group.
    prepared_operation(const steps::fused_group& what, const steps::tile_operation& operation,
                       const geometry& g, const tile_sizes& sizes,
                       const kernels::kernel_table<T>& packing, double nothing);

    /// Bit t of `zero_tiles` says that tile t is 0 everywhere.
    knowledge look(const tile_range& range, const operand_memory<T>& operands,
                   std::uint64_t zero_tiles) const;

    /// Whether nothing can be known of the operation but that its tiles are 0.
    bool unconditional() const { return unconditional_; }
    /// Whether what is known of it is the same in every run and in every iteration of the loops
    /// around the tiles, bounds of operands apart.
    bool is_fixed(const geometry& g) const;
    /// Operands along rows or along columns that decide conditions.
    std::vector<std::size_t> compared() const;

    /// The tile whose values a variant passes on unchanged, or -1.
    std::int32_t identity(std::size_t variant) const { return variants_[variant].identity; }

    /// Whether any variant loads the tile.
    bool loads(std::int32_t tile) const;

    /// Operands, of those given, whose tiles are copied: their copies may stay in a task.
    std::size_t keep_copies(const std::vector<char>& operands);

    /// What is in the place of a copy that stays.
    struct kept_copy {
        const T* from = nullptr;
        std::int64_t columns = 0;
    };

    /// What running needs: the task's own.
    struct memory {
        T* numbers = nullptr;
        kernels::line_operand<T>* slots = nullptr;
        void** bases = nullptr;  // of the operands, then of the tiles
        std::int64_t* at = nullptr;
        T* const* tile = nullptr;  // every tile
        T* copied = nullptr;       // tiles of operands that cannot be read where they are
        // Copies that stay, of each operand that has such one for each tile of a batch, and which
        // tile this is; none stay where it is nullptr.
        T* kept = nullptr;
        kept_copy* kept_copies = nullptr;
        std::int64_t tile_number = 0, tiles = 0;
    };
    std::size_t numbers() const { return numbers_; }
    std::size_t slots() const { return slots_; }
    std::size_t pointers() const { return strides_.size(); }
    std::size_t copied() const { return copied_; }

    /// The values of a range, which is a tile or a part of one, in rows of `out`.
    void run(std::size_t variant, const tile_range& range, bool last,
             const operand_memory<T>& operands, const memory& m, T* out) const;

private:
    struct special_case {
        std::uint64_t signature = 0;
        std::int32_t identity = -1;
        std::array<bodies::line_code<T>, 2> code;  // for full tiles, for the last one
        std::array<std::vector<char>, 2> copied;   // for each operand and tile
        std::vector<char> used;                    // operands and tiles
        std::vector<std::size_t> used_list;        // their numbers
    };

    void add_variant(std::uint64_t signature, const geometry& g);
    void find_variants(const geometry& g);
    interval leaf(const steps::instruction& i, const tile_range& range,
                  const operand_memory<T>& operands, std::uint64_t zero_tiles) const;
    interval loaded(std::size_t operand, const tile_range& range,
                    const operand_memory<T>& operands) const;
    bool is_copied(std::size_t operand, bool last) const;
    bool is_repeated(std::size_t operand) const;
    bool has_copy(std::size_t operand, const memory& m, std::int64_t columns) const;
    bool is_looked_up(std::size_t operand) const {
        return operand < operands_ && looked_up_[operand].exists();
    }
    void operation(std::size_t operand, const T* from, std::int64_t rows, std::int64_t width,
                   std::int64_t columns, T* to) const;

    std::vector<steps::instruction> program_;
    double nothing_ = 0;  // the value that does not count
    bool analysed_ = true;
    bool unconditional_ = false;
    tile_sizes sizes_;
    const kernels::kernel_table<T>* packing_;
    std::vector<tile_stride> strides_;          // of the operands, then of the tiles
    std::vector<looked_up_operand> looked_up_;  // by operand
    std::size_t operands_ = 0;
    std::vector<special_case> variants_;  // [0] knows nothing
    std::size_t numbers_ = 0, slots_ = 0, copied_ = 0;
    std::vector<std::int32_t> kept_;  // of operands: their number among those that are kept, or -1
};

extern template class prepared_operation<float>;
extern template class prepared_operation<double>;

/// Writes `lines` lines side by side: element (x, k) of `from`, at from[x * across + k * along],
/// goes to to[k * step + x] for k < depth. Rows of `to` are written in whole vectors.
template <class T>
void transpose(const kernels::kernel_table<T>& packing, const T* from, std::int64_t lines,
               std::int64_t across, std::int64_t depth, std::int64_t along, T* to,
               std::int64_t step);

extern template void transpose(const kernels::kernel_table<float>&, const float*, std::int64_t,
                               std::int64_t, std::int64_t, std::int64_t, float*, std::int64_t);
extern template void transpose(const kernels::kernel_table<double>&, const double*, std::int64_t,
                               std::int64_t, std::int64_t, std::int64_t, double*, std::int64_t);

}  // namespace ricci::fused
