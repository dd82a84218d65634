// A program compiled for tiles: which values are one number a tile, which live in a tile register,
// which are read where they lie, and the kernel of each step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "src/tile/program.hpp"
#include "src/kernels/elementwise/elementwise.hpp"

namespace ricci::elementwise {

/// How far an operand moves along the two loops of a tile: q is the inner one.
struct tile_strides {
    std::int64_t p = 0;
    std::int64_t q = 0;
};

/// The loops of a tile. A tile holds up to p_chunk x q_chunk elements.
struct tile_shape {
    std::int64_t p_extent = 1, q_extent = 1;
    std::int64_t p_chunk = 1, q_chunk = 1;
    /// The program is an operand that is contiguous along p, and read where it lies.
    bool reads_runs = false;

    std::int64_t elements() const { return p_chunk * q_chunk; }

    /// Whether every tile of such an operand is one run of unit-stride memory.
    bool contiguous(tile_strides s) const {
        if (s.q != 1 && q_extent > 1) return false;
        return p_chunk == 1 || (q_chunk >= q_extent && s.p == q_extent);
    }
};

/// Rows of unit stride, `stride` apart.
template <class T>
struct tile_view {
    const T* data = nullptr;
    std::int64_t stride = 0;
};

/// Memory that running a tile needs; the task's own. Pointers into it are in `slots`.
template <class T>
struct tile_memory {
    T* numbers = nullptr;          // registers, then single numbers
    const T** slots = nullptr;     // where each slot's values are
    void* const* bases = nullptr;  // of the operands
};

/// Computes in T on operands stored as S: where the two differ, an operand is converted when it is
/// fetched, and none is read in place.
template <class T, class S = T>
class tile_code {
public:
    using memory_type = tile_memory<T>;

    tile_code() = default;
    tile_code(std::span<const node> program, std::span<const tile_strides> strides,
              tile_shape shape);

    const tile_shape& shape() const { return shape_; }
    const tile_strides& strides(std::size_t operand) const { return strides_[operand]; }
    std::size_t register_elements() const { return register_elements_; }
    std::size_t number_elements() const { return registers_ * register_elements_ + singles_; }
    std::size_t slot_count() const { return slots_; }

    /// The result is an operand's own memory, read in place unless the caller wants it elsewhere.
    static constexpr bool converts = !std::is_same_v<T, S>;
    bool in_place() const { return in_place_; }

    /// Of the operand that an in-place result is.
    const tile_strides& strides_of_result() const { return strides_[last_.operand]; }
    std::size_t operand_of_result() const { return last_.operand; }

    /// Once for each task, before anything else.
    void start(const tile_memory<T>& memory) const;

    /// Values that are one number a tile; needed again whenever `at` moved by other loops than
    /// those of the tile. at[k] is the current element of operand k.
    void begin(const tile_memory<T>& memory, const std::int64_t* at) const;

    /// The result for p x q elements: in `out` (p * q elements of unit stride) when it is given,
    /// otherwise wherever it is.
    tile_view<T> run(const tile_memory<T>& memory, const std::int64_t* at, std::int64_t p,
                     std::int64_t q, T* out) const;

    /// Whether the result may be written to rows that lie apart.
    bool writes_rows() const { return !uniform_ && last_.what == action::sum_terms; }
    /// It is, to rows from `out` on.
    void run_to_rows(const tile_memory<T>& memory, const std::int64_t* at, std::int64_t p,
                     std::int64_t q, T* out, std::int64_t out_step) const;

private:
    enum class action : std::uint8_t { apply, gather, count_up, sum_terms };
    struct step {
        action what = action::apply;
        typename kernels::elementwise_table<T>::apply_fn kernel = nullptr;
        std::size_t to = 0;
        std::size_t argument[3] = {0, 0, 0};
        std::size_t operand = 0;  // sum_terms: the number of the sum
    };
    /// Rows of a factor of a term: in a slot, or an operand's own.
    struct factor_rows {
        std::size_t slot = 0;
        std::int32_t operand = -1;
        bool is_number = false;  // the same one for all rows
    };
    struct term {
        factor_rows a, b;
        bool a_moves = false, has_b = true, scales = false;
    };
    struct pointer {
        std::size_t slot = 0, operand = 0;
    };
    struct number {
        std::size_t slot = 0;
        T value{};
    };

    // Slots: registers, then single numbers kept in memory.numbers, then pointers to operands.
    std::vector<step> each_tile_;   // all but the result
    std::vector<step> each_begin_;  // single numbers
    std::vector<pointer> direct_;   // operands read in place, moved for each tile
    std::vector<pointer> single_;   // operands that are one number
    std::vector<number> constants_;
    std::vector<std::vector<term>> sums_;
    std::vector<tile_strides> strides_;
    step last_;
    tile_shape shape_;
    std::size_t registers_ = 0, singles_ = 0, slots_ = 0, register_elements_ = 0;
    std::size_t result_slot_ = 0;
    bool in_place_ = false;
    bool uniform_ = false;  // the result is one number a tile

    class compiler;
    void run_step(const step& s, const tile_memory<T>& memory, const std::int64_t* at,
                  std::int64_t p, std::int64_t q, T* to) const;
    void run_sum(const std::vector<term>& sum, const tile_memory<T>& memory, const std::int64_t* at,
                 std::int64_t p, std::int64_t q, T* to, std::int64_t out_step) const;
    void run_all_but_result(const tile_memory<T>& memory, const std::int64_t* at, std::int64_t p,
                            std::int64_t q) const;
    std::int64_t row_step(const factor_rows&, std::int64_t q) const;
};

}  // namespace ricci::elementwise
