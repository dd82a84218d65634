// How the factors of a batch of matrices lie in the memory that the caller provides: small ones of
// many interleaved, a matrix in each lane, others one after another.
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/base/arithmetic.hpp"
#include "src/kernels/linear/linear.hpp"
#include "src/steps/linear.hpp"

namespace ricci::linear {

/// The same on every machine. Of a matrix by itself number (i, j) is numbers(m)[i + j * leading]:
/// for lu U with L below its diagonal, for the others the triangle; what is on its other side has
/// no meaning. In a group number (i, j) is slot i * size + j.
template <class T>
class factor_layout {
public:
    /// Interleaved matrices have at most so many rows, and fill at least half of the lanes.
    static constexpr std::int64_t most_interleaved = 32;
    static constexpr std::int64_t fewest_interleaved = kernels::group_size<T> / 2;

    factor_layout(steps::factor_kind kind, std::int64_t size, std::int64_t matrices)
        : kind_(kind), size_(size), matrices_(matrices) {
        constexpr std::int64_t line = 64;
        constexpr std::int64_t bytes = sizeof(T);
        const bool pivots = kind == steps::factor_kind::lu;
        interleaved_ = size <= most_interleaved && matrices >= fewest_interleaved;
        if (interleaved_) {
            leading_ = size;
            numbers_ = size * size * kernels::group_size<T> * bytes;
            pivots_ = pivots ? size * line : 0;
            units_ = ceil_divide(matrices, kernels::group_size<T>);
        } else {
            // Columns do not all begin at the same place of a page.
            leading_ = round_up(size, line / bytes);
            if (leading_ * bytes % 1024 == 0 && size > 1) leading_ += line / bytes;
            // A line more: kernels read up to so much behind a column.
            numbers_ = leading_ * size * bytes + line;
            pivots_ = pivots ? round_up(2 * size * std::int64_t{sizeof(std::int32_t)}, line) : 0;
            units_ = matrices;
        }
    }

    steps::factor_kind kind() const { return kind_; }
    std::int64_t size() const { return size_; }
    std::int64_t matrices() const { return matrices_; }
    std::int64_t leading() const { return leading_; }
    bool is_interleaved() const { return interleaved_; }
    /// Matrices, or groups of interleaved ones.
    std::int64_t units() const { return units_; }
    std::size_t bytes() const { return static_cast<std::size_t>(units_ * (numbers_ + pivots_)); }

    T* numbers(std::byte* memory, std::int64_t unit) const {
        return reinterpret_cast<T*>(memory + unit * (numbers_ + pivots_));
    }
    const T* numbers(const std::byte* memory, std::int64_t unit) const {
        return reinterpret_cast<const T*>(memory + unit * (numbers_ + pivots_));
    }
    /// Of a matrix: the row that was exchanged for row k, and behind all of these the row of K that
    /// is row i of P K. Of a group the former, in lanes.
    template <class Integer>
    Integer* pivots(std::byte* memory, std::int64_t unit) const {
        return reinterpret_cast<Integer*>(memory + unit * (numbers_ + pivots_) + numbers_);
    }
    template <class Integer>
    const Integer* pivots(const std::byte* memory, std::int64_t unit) const {
        return reinterpret_cast<const Integer*>(memory + unit * (numbers_ + pivots_) + numbers_);
    }

private:
    steps::factor_kind kind_;
    std::int64_t size_, matrices_, leading_ = 0, units_ = 0;
    std::int64_t numbers_ = 0, pivots_ = 0;  // bytes of a unit
    bool interleaved_ = false;
};

}  // namespace ricci::linear
