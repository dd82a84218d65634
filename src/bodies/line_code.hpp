// An element-wise program of float or double on tiles, by the register machine for lines: which
// values are one number a tile, which operands are read where they lie, and which are fetched into
// a tile of unit stride first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "src/kernels/bodies/lines.hpp"
#include "src/tile/program.hpp"
#include "src/tile/shape.hpp"

namespace ricci::bodies {

using elementwise::node;
using elementwise::tile_shape;
using elementwise::tile_strides;
using elementwise::tile_view;

/// Memory that running a program needs; the task's own.
template <class T>
struct line_memory {
    T* numbers = nullptr;                       // tiles, blocks, single numbers
    kernels::line_operand<T>* slots = nullptr;  // what instructions name
    void* const* bases = nullptr;               // of the operands
};

/// Computes in T on operands stored as S: where the two differ, an operand is converted when it is
/// fetched, and none is read in place.
template <class T, class S = T>
class line_code {
public:
    using memory_type = line_memory<T>;

    line_code() = default;
    line_code(std::span<const node> program, std::span<const tile_strides> strides,
              tile_shape shape);

    const tile_shape& shape() const { return shape_; }
    const tile_strides& strides(std::size_t operand) const { return strides_[operand]; }
    std::size_t number_elements() const { return number_elements_; }
    std::size_t slot_count() const { return slots_; }

    /// The result is an operand's own memory, read in place unless the caller wants it elsewhere.
    static constexpr bool converts = !std::is_same_v<T, S>;
    bool in_place() const { return in_place_; }
    /// Of the operand that an in-place result is.
    const tile_strides& strides_of_result() const { return strides_[bare_.operand]; }
    std::size_t operand_of_result() const { return bare_.operand; }

    /// Once for each task, before anything else.
    void start(const memory_type& m) const;
    /// Values that are one number a tile; needed again whenever `at` moved by other loops than
    /// those of the tile. at[k] is the current element of operand k.
    void begin(const memory_type& m, const std::int64_t* at) const;
    /// The result for p x q elements: in `out` (p * q elements of unit stride) when it is given,
    /// otherwise wherever it is.
    tile_view<T> run(const memory_type& m, const std::int64_t* at, std::int64_t p, std::int64_t q,
                     T* out) const;

    /// Whether the result may be written to rows that lie apart.
    bool writes_rows() const { return by_rows_; }
    /// It is, to rows from `out` on.
    void run_to_rows(const memory_type& m, const std::int64_t* at, std::int64_t p, std::int64_t q,
                     T* out, std::int64_t out_step) const;

private:
    /// What is brought from an operand, or counted up, into `numbers`.
    struct fetch {
        std::size_t operand = 0, to = 0;
        bool is_position = false;
    };
    /// What the machine reads of an operand where it lies.
    struct pointer {
        std::size_t slot = 0, operand = 0;
        bool moves = false;  // along q
    };
    struct place {
        std::size_t slot = 0, at = 0;  // in `numbers`
    };
    struct number {
        std::size_t at = 0;
        T value{};
    };
    class compiler;

    void fetch_tile(const fetch& f, const memory_type& m, const std::int64_t* at, std::int64_t p,
                    std::int64_t q, T* to) const;

    const kernels::line_table<T>* machine_ = nullptr;
    std::vector<kernels::body_instruction> code_, begin_code_;
    // Slots of tiles come first: those have steps from row to row.
    std::size_t moving_ = 0, begin_slots_ = 0, slots_ = 0;
    std::vector<fetch> fetched_, fetched_numbers_;  // for each tile, at each beginning
    std::vector<pointer> direct_, single_;          // the same
    std::vector<place> tiles_, fixed_;              // fixed: numbers and blocks
    std::vector<number> constants_;
    std::vector<tile_strides> strides_;
    tile_shape shape_;
    std::size_t result_ = 0;  // its slot
    std::size_t number_elements_ = 0;
    bool by_rows_ = false;   // rows are lines; otherwise a tile is one
    bool is_bare_ = false;   // the result is what an operand is, nothing is computed
    bool in_place_ = false;  // and may be read where it lies
    fetch bare_;
};

}  // namespace ricci::bodies
