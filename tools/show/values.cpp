// Rows of arrays as numbers, whatever the element type and the strides are.
#include "show/values.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <memory>

#include <ricci/half.hpp>

namespace ricci::show {
namespace {

array at_offset(const array& a, std::int64_t offset, const std::vector<std::size_t>& extents,
                const std::vector<std::int64_t>& strides) {
    const auto owner = std::make_shared<array>(a);
    const auto* const bytes = static_cast<const unsigned char*>(a.data()) +
                              offset * static_cast<std::int64_t>(size_of(a.type()));
    return array::over(owner, a.type(), const_cast<unsigned char*>(bytes), extents, strides, false);
}

// Where a row of the panels begins, in elements.
std::int64_t offset_of_row(const array& a, std::size_t row) {
    std::int64_t offset = 0;
    for (std::size_t axis = a.rank() < 2 ? 0 : a.rank() - 1; axis-- > 0;) {
        offset += static_cast<std::int64_t>(row % a.extent(axis)) * a.strides()[axis];
        row /= a.extent(axis);
    }
    return offset;
}

template <class From, class To, class Turn>
void read(const array& a, std::size_t row, To* to, Turn turn) {
    const From* const from = static_cast<const From*>(a.data()) + offset_of_row(a, row);
    const std::int64_t step = a.rank() == 0 ? 0 : a.strides()[a.rank() - 1];
    const auto columns = static_cast<std::int64_t>(columns_in_panel(a));
    for (std::int64_t k = 0; k < columns; ++k) to[k] = turn(from[k * step]);
}

template <class Number>
void add(summary& s, Number x) {
    if (std::isnan(x)) ++s.nan;
    else if (std::isinf(x)) ++(x > 0 ? s.above : s.below);
    else s.least = std::min(s.least, x), s.most = std::max(s.most, x);
}

// Of the magnitudes the one that 99 of 100 do not pass; changes their order.
double usual_of(std::vector<double>& magnitudes) {
    if (magnitudes.empty()) return 0;
    const auto last = static_cast<double>(magnitudes.size());
    const auto at = magnitudes.begin() + static_cast<std::ptrdiff_t>(std::ceil(0.99 * last)) - 1;
    std::nth_element(magnitudes.begin(), at, magnitudes.end());
    return *at;
}

}  // namespace

array part_of(const array& a, const std::vector<slice>& slices) {
    std::int64_t offset = 0;
    std::vector<std::size_t> extents;
    for (std::size_t axis = 0; axis < a.rank(); ++axis) {
        offset += static_cast<std::int64_t>(slices[axis].first) * a.strides()[axis];
        extents.push_back(slices[axis].end - slices[axis].first);
    }
    return at_offset(a, offset, extents, {a.strides().begin(), a.strides().end()});
}

array permuted(const array& a, const std::vector<std::size_t>& order) {
    std::vector<std::size_t> extents;
    std::vector<std::int64_t> strides;
    for (const std::size_t axis : order)
        extents.push_back(a.extent(axis)), strides.push_back(a.strides()[axis]);
    return at_offset(a, 0, extents, strides);
}

std::size_t columns_in_panel(const array& a) { return a.rank() < 1 ? 1 : a.extent(a.rank() - 1); }
std::size_t rows_in_panel(const array& a) { return a.rank() < 2 ? 1 : a.extent(a.rank() - 2); }
std::size_t panels_in(const array& a) {
    std::size_t count = 1;
    for (std::size_t axis = 0; axis + 2 < a.rank(); ++axis) count *= a.extent(axis);
    return count;
}

void read_row(const array& a, aspect of, std::size_t row, double* to) {
    const auto widened = [](auto x) { return static_cast<double>(x); };
    const auto narrow = [](auto x) { return static_cast<double>(static_cast<float>(x)); };
    const auto number = [of](auto z) {
        return static_cast<double>(of == aspect::phase ? std::arg(z) : std::abs(z));
    };
    switch (a.type()) {
        case element::f32:
            return read<float>(a, row, to, widened);
        case element::f64:
            return read<double>(a, row, to, widened);
        case element::bf16:
            return read<bf16>(a, row, to, narrow);
        case element::f16:
            return read<f16>(a, row, to, narrow);
        case element::c64:
            return read<std::complex<float>>(a, row, to, number);
        case element::c128:
            return read<std::complex<double>>(a, row, to, number);
        case element::i32:
            return read<std::int32_t>(a, row, to, widened);
        case element::i64:
            return read<std::int64_t>(a, row, to, widened);
        case element::boolean:
            return read<bool>(a, row, to, widened);
    }
}

void read_whole_row(const array& a, std::size_t row, std::int64_t* to) {
    const auto widened = [](auto x) { return static_cast<std::int64_t>(x); };
    if (a.type() == element::i32) read<std::int32_t>(a, row, to, widened);
    else if (a.type() == element::i64) read<std::int64_t>(a, row, to, widened);
    else read<bool>(a, row, to, widened);
}

summary summary_of(const array& a, aspect of) {
    summary s;
    const std::size_t rows = panels_in(a) * rows_in_panel(a);
    std::vector<double> numbers(columns_in_panel(a));
    std::vector<std::int64_t> whole(is_whole(a.type()) ? numbers.size() : 0);
    constexpr std::size_t sampled = 65536;
    const std::size_t step = rows * numbers.size() / sampled + 1;
    std::vector<double> sample;
    std::size_t number = 0;
    for (std::size_t row = 0; row < rows; ++row) {
        read_row(a, of, row, numbers.data());
        for (const double x : numbers) {
            add(s, x);
            if (number++ % step == 0 && std::isfinite(x)) sample.push_back(std::abs(x));
        }
        if (whole.empty()) continue;
        read_whole_row(a, row, whole.data());
        const auto [least, most] = std::minmax_element(whole.begin(), whole.end());
        s.least_whole = std::min(s.least_whole, *least);
        s.most_whole = std::max(s.most_whole, *most);
    }
    s.usual = usual_of(sample);
    return s;
}

}  // namespace ricci::show
