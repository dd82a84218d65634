// A program of whole or complex numbers compiled for tiles: which values are one number a tile,
// which live in a tile register, which are read where they lie, and the kernel of each step. Those
// of float and double run on a register machine (src/bodies/line_code.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "src/tile/program.hpp"
#include "src/tile/shape.hpp"
#include "src/kernels/elementwise/elementwise.hpp"

namespace ricci::elementwise {

/// Memory that running a tile needs; the task's own. Pointers into it are in `slots`.
template <class T>
struct tile_memory {
    T* numbers = nullptr;          // registers, then single numbers
    const T** slots = nullptr;     // where each slot's values are
    void* const* bases = nullptr;  // of the operands
};

template <class T>
class tile_code {
public:
    using memory_type = tile_memory<T>;

    tile_code() = default;
    tile_code(std::span<const node> program, std::span<const tile_strides> strides,
              tile_shape shape);

    const tile_shape& shape() const { return shape_; }
    const tile_strides& strides(std::size_t operand) const { return strides_[operand]; }
    std::size_t number_elements() const { return registers_ * register_elements_ + singles_; }
    std::size_t slot_count() const { return slots_; }

    /// The result is an operand's own memory, read in place unless the caller wants it elsewhere.
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

private:
    enum class action : std::uint8_t { apply, gather, count_up };
    struct step {
        action what = action::apply;
        typename kernels::elementwise_table<T>::apply_fn kernel = nullptr;
        std::size_t to = 0;
        std::size_t argument[3] = {0, 0, 0};
        std::size_t operand = 0;
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
    std::vector<tile_strides> strides_;
    step last_;
    tile_shape shape_;
    std::size_t registers_ = 0, singles_ = 0, slots_ = 0, register_elements_ = 0;
    bool in_place_ = false;
    bool uniform_ = false;  // the result is one number a tile

    class compiler;
    void run_step(const step& s, const tile_memory<T>& memory, const std::int64_t* at,
                  std::int64_t p, std::int64_t q, T* to) const;
};

}  // namespace ricci::elementwise
