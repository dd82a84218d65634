// Operands of tiles that are read where whole numbers say: B[m_i, n_j], with rows i and columns j.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/fused/geometry.hpp"
#include "src/steps/fused.hpp"

namespace ricci::fused {

/// One operand that is read so; or none.
class looked_up_operand {
public:
    looked_up_operand() = default;
    looked_up_operand(const steps::fused_group& what, const geometry& g, std::size_t operand);

    bool exists() const { return !axes_.empty(); }

    /// Where it is read: the rows and columns of a tile.
    struct part {
        std::int64_t row = 0, rows = 0;
        std::int64_t column = 0, columns = 0;
        std::int64_t width = 0;  // lanes; those that have no row are 0
    };
    /// Writes [column][lane] of a part. `bases`, `at`: of all operands, at the start of both loops.
    template <class T>
    void read(const part& p, void* const* bases, const std::int64_t* at, T* to) const;

private:
    struct axis {
        std::size_t numbers = 0;
        bool is_wide = false;  // numbers of 64 bits
        std::int64_t stride = 0, extent = 0;
        tile_stride step;  // of the numbers
        bool of_rows() const { return step.row != 0; }
    };
    void move(const axis& a, const void* numbers, std::int64_t first, std::int64_t step,
              std::int64_t count, std::int64_t* places, bool* exists) const;

    std::size_t operand_ = 0;
    tile_stride step_;
    std::vector<axis> axes_;
};

/// At which value of a result what a row or a column has is added up; or nothing of the kind.
class landing_values {
public:
    landing_values() = default;
    landing_values(const steps::tile_consumer& consumer, const geometry& g);

    bool exists() const { return numbers_ >= 0; }
    /// Calls visit(n, value) for each of `count` rows or columns, from `first` on, that has one.
    template <class F>
    void each(void* const* bases, const std::int64_t* at, std::int64_t first, std::int64_t count,
              F visit) const {
        const auto operand = static_cast<std::size_t>(numbers_);
        const auto all = [&](const auto* from) {
            from += at[operand] + first * step_;
            for (std::int64_t n = 0; n < count; ++n, from += step_) {
                const std::int64_t value = *from;
                if (value >= 0 && value < count_) visit(n, value);
            }
        };
        if (is_wide_) all(static_cast<const std::int64_t*>(bases[operand]));
        else all(static_cast<const std::int32_t*>(bases[operand]));
    }

private:
    std::int32_t numbers_ = -1;
    bool is_wide_ = false;
    std::int64_t step_ = 0, count_ = 0;
};

extern template void looked_up_operand::read(const part&, void* const*, const std::int64_t*,
                                             float*) const;
extern template void looked_up_operand::read(const part&, void* const*, const std::int64_t*,
                                             double*) const;

}  // namespace ricci::fused
