// What is read off factors: determinants, and triangles for others to read.
#include <algorithm>
#include <cmath>
#include <complex>
#include <utility>

#include "src/contract/sharing.hpp"
#include "src/linear/batch_positions.hpp"
#include "src/linear/factor_layout.hpp"
#include "src/linear/factorization.hpp"
#include "src/linear/for_type.hpp"
#include "src/linear/numbers.hpp"

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

/// Number (i, j) of the factors of a matrix.
template <class T>
T factor_number(const factor_layout<T>& layout, const std::byte* factors, std::int64_t matrix,
                std::int64_t i, std::int64_t j) {
    if (!layout.is_interleaved()) return layout.numbers(factors, matrix)[i + j * layout.leading()];
    constexpr std::int64_t group = kernels::group_size<T>, slot = group * kernels::parts<T>;
    const auto* const x =
        reinterpret_cast<const part_type<T>*>(layout.numbers(factors, matrix / group)) +
        (i * layout.size() + j) * slot + matrix % group;
    if constexpr (is_complex_number<T>) return T(x[0], x[group]);
    else return x[0];
}

/// The row that was exchanged for row k.
template <class T>
std::int64_t exchanged_row(const factor_layout<T>& layout, const std::byte* factors,
                           std::int64_t matrix, std::int64_t k) {
    if (!layout.is_interleaved()) return layout.template pivots<std::int32_t>(factors, matrix)[k];
    constexpr std::int64_t group = kernels::group_size<T>;
    using integer = kernels::lane_integer<T>;
    return layout.template pivots<integer>(factors, matrix / group)[k * group + matrix % group];
}

/// A product of any size: a number of magnitude near 1 and a power of two.
template <class T>
class long_product {
    // Products of floats are rounded once in the end.
    using wide = std::conditional_t<is_complex_number<T>, std::complex<double>, double>;

public:
    void multiply(T factor) {
        const wide x(factor);
        if constexpr (is_complex_number<T>)
            number_ = {number_.real() * x.real() - number_.imag() * x.imag(),
                       number_.real() * x.imag() + number_.imag() * x.real()};
        else number_ *= x;
        int exponent = 0;
        std::frexp(magnitude(number_), &exponent);
        number_ = scaled(-exponent);
        exponent_ += exponent;
    }
    void negate() { number_ = -number_; }
    void square() {
        number_ *= number_;
        exponent_ *= 2;
    }
    T value() const {
        constexpr std::int64_t beyond = 5000;
        return static_cast<T>(scaled(static_cast<int>(std::clamp(exponent_, -beyond, beyond))));
    }
    T logarithm() const {
        constexpr double log_of_2 = 0.69314718055994530942;
        return static_cast<part_type<T>>(std::log(std::abs(number_)) +
                                         static_cast<double>(exponent_) * log_of_2);
    }
    /// 0 of 0.
    T sign() const { return number_ == wide{} ? T{} : static_cast<T>(number_ / std::abs(number_)); }

private:
    wide scaled(int exponent) const {
        if constexpr (is_complex_number<T>)
            return {std::ldexp(number_.real(), exponent), std::ldexp(number_.imag(), exponent)};
        else return std::ldexp(number_, exponent);
    }

    wide number_{1};
    std::int64_t exponent_ = 0;
};

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
        long_product<T> product;
        for (std::int64_t i = 0; i < layout_.size(); ++i) {
            product.multiply(factor_number(layout_, factors, matrix, i, i));
            if (layout_.kind() == factor_kind::lu &&
                exchanged_row(layout_, factors, matrix, i) != i)
                product.negate();
        }
        if (layout_.kind() == factor_kind::cholesky) product.square();
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
