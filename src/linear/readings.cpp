// What is read off factors: determinants, and triangles for others to read.
#include <algorithm>
#include <cmath>
#include <complex>
#include <utility>

#include "src/contract/sharing.hpp"
#include "src/linear/batch_positions.hpp"
#include "src/linear/factor_numbers.hpp"
#include "src/linear/factorization.hpp"
#include "src/linear/for_type.hpp"

namespace ricci::linear {

class read_strategy {
public:
    read_strategy() = default;
    read_strategy(const read_strategy&) = delete;
    read_strategy& operator=(const read_strategy&) = delete;
    virtual ~read_strategy() = default;
    virtual void run(const std::byte* factors, void* out) const = 0;
};

namespace {

using steps::determinant_part;
using steps::factor_kind;

batch_positions positions_of(std::span<const steps::matrix_loop> batch) {
    contractions::loop_list loops;
    for (const auto& loop : batch) loops.push_back({loop.extent, loop.stride, 0, 0});
    return batch_positions(loops);
}

template <class T>
class determinants final : public read_strategy {
public:
    explicit determinants(const steps::determinant& what)
        : batch_(positions_of(what.batch)),
          layout_(what.kind, what.size, batch_.count()),
          part_(what.part) {}

    void run(const std::byte* factors, void* out) const override {
        auto compute = [&](std::int64_t matrix, int) {
            static_cast<T*>(out)[batch_.at(matrix).a] = of(factors, matrix);
        };
        const std::int64_t per_task = std::max<std::int64_t>(1, 4096 / (layout_.size() + 1));
        contractions::distribute_units(batch_.count(), per_task, batch_.count() <= per_task,
                                       compute);
    }

private:
    T of(const std::byte* factors, std::int64_t matrix) const {
        const long_product<T> product = determinant_of(layout_, factors, matrix);
        switch (part_) {
            case determinant_part::value:
                return product.value();
            case determinant_part::logarithm:
                return product.logarithm();
            default:
                return product.sign();
        }
    }

    batch_positions batch_;
    factor_layout<T> layout_;
    determinant_part part_;
};

template <class T>
class lower_triangles final : public read_strategy {
public:
    explicit lower_triangles(const steps::lower_triangle& what)
        : batch_(positions_of(what.batch)),
          layout_(what.kind, what.size, batch_.count()),
          row_(what.row),
          column_(what.column) {}

    void run(const std::byte* factors, void* out) const override {
        const std::int64_t n = layout_.size();
        // Squares of a matrix, so that both orders of its elements are near.
        const std::int64_t squares = ceil_divide(n, square);
        auto copy = [&](std::int64_t unit, int) {
            const std::int64_t matrix = unit / (squares * squares);
            T* const to = static_cast<T*>(out) + batch_.at(matrix).a;
            const std::int64_t i = unit / squares % squares * square, j = unit % squares * square;
            copy_square(factors, matrix, i, j, to);
        };
        const std::int64_t units = batch_.count() * squares * squares;
        const std::int64_t per_task = std::max<std::int64_t>(1, 16384 / (n * n + 1));
        contractions::distribute_units(units, per_task, units <= per_task, copy);
    }

private:
    static constexpr std::int64_t square = 32;

    void copy_square(const std::byte* factors, std::int64_t matrix, std::int64_t first_row,
                     std::int64_t first_column, T* to) const {
        const std::int64_t last_row = std::min(layout_.size(), first_row + square);
        const std::int64_t last_column = std::min(layout_.size(), first_column + square);
        for (std::int64_t j = first_column; j < last_column; ++j)
            for (std::int64_t i = first_row; i < last_row; ++i)
                to[i * row_ + j * column_] =
                    i < j ? T{0} : factor_number(layout_, factors, matrix, i, j);
    }

    batch_positions batch_;
    factor_layout<T> layout_;
    std::int64_t row_, column_;
};

}  // namespace

prepared_reading::prepared_reading(const steps::determinant& what)
    : strategy_(for_type(what.type, [&](auto number) -> std::unique_ptr<const read_strategy> {
          return std::make_unique<const determinants<decltype(number)>>(what);
      })) {}
prepared_reading::prepared_reading(const steps::lower_triangle& what)
    : strategy_(for_type(what.type, [&](auto number) -> std::unique_ptr<const read_strategy> {
          return std::make_unique<const lower_triangles<decltype(number)>>(what);
      })) {}
prepared_reading::prepared_reading(prepared_reading&&) noexcept = default;
prepared_reading& prepared_reading::operator=(prepared_reading&&) noexcept = default;
prepared_reading::~prepared_reading() = default;

void prepared_reading::run(const std::byte* factors, void* out) const {
    strategy_->run(factors, out);
}

}  // namespace ricci::linear
