// Elements as bytes, exact or in steps, and bytes as base64.
#include "show/encode.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>
#include <vector>

namespace ricci::show {
namespace {

std::string base64(const std::vector<unsigned char>& bytes) {
    constexpr std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t k = 0; k < bytes.size(); k += 3) {
        const std::size_t there = std::min<std::size_t>(3, bytes.size() - k);
        std::uint32_t three = std::uint32_t{bytes[k]} << 16;
        if (there > 1) three |= std::uint32_t{bytes[k + 1]} << 8;
        if (there > 2) three |= bytes[k + 2];
        text += digits[three >> 18];
        text += digits[three >> 12 & 63];
        text += there > 1 ? digits[three >> 6 & 63] : '=';
        text += there > 2 ? digits[three & 63] : '=';
    }
    return text;
}

// Pages are read by machines whose least byte comes first.
template <class T>
void put(std::vector<unsigned char>& bytes, T value) {
    unsigned char own[sizeof(T)];
    std::memcpy(own, &value, sizeof(T));
    if constexpr (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) std::reverse(own, own + sizeof(T));
    bytes.insert(bytes.end(), own, own + sizeof(T));
}

template <class T, class From>
void put_all(std::vector<unsigned char>& bytes, const std::vector<From>& row) {
    for (const From x : row) put(bytes, static_cast<T>(x));
}

struct steps {
    double least = 0;
    double step = 0;  // 0 where all are the same
};

steps steps_of(const std::vector<double>& numbers, std::size_t count) {
    double least = std::numeric_limits<double>::infinity(), most = -least;
    for (const double x : numbers)
        if (std::isfinite(x)) least = std::min(least, x), most = std::max(most, x);
    if (!(least <= most)) return {};
    const auto n = static_cast<double>(count);
    return {least, most / n - least / n};  // not (most - least), which may be no finite number
}

template <class Code>
void put_codes(std::vector<unsigned char>& bytes, const std::vector<double>& numbers, steps s,
               std::size_t count) {
    const auto last = static_cast<double>(count);
    const auto special = [&](std::size_t k) { put(bytes, static_cast<Code>(count + k)); };
    for (const double x : numbers) {
        if (std::isnan(x)) special(1);
        else if (std::isinf(x)) special(x < 0 ? 2 : 3);
        else if (s.step == 0) put(bytes, Code{0});
        else
            put(bytes, static_cast<Code>(
                           std::clamp(std::round(x / s.step - s.least / s.step), 0.0, last)));
    }
}

}  // namespace

format format_of(const array& a, const summary& s, precision p) {
    const std::size_t most = p == precision::exact ? 8 : p == precision::sixteen_bits ? 2 : 1;
    format exact;
    if (is_whole(a.type())) {
        const auto within = [&](std::int64_t least, std::int64_t greatest) {
            return s.least_whole >= least && s.most_whole <= greatest;
        };
        constexpr std::int64_t whole_in_double = std::int64_t{1} << 53;
        if (within(0, 255)) exact = {"u8", 1};
        else if (within(-32768, 32767)) exact = {"i16", 2};
        else if (within(-2147483648, 2147483647)) exact = {"i32", 4};
        else exact = {within(-whole_in_double, whole_in_double) ? "f64" : "i64", 8};
    } else {
        const bool wide = a.type() == element::f64 || a.type() == element::c128;
        exact = {wide ? "f64" : "f32", wide ? std::size_t{8} : std::size_t{4}};
    }
    if (exact.width <= most) return exact;
    // A row's own steps are worth their 16 bytes where it is long.
    const std::size_t rows = columns_in_panel(a) >= 128 ? 1 : rows_in_panel(a);
    return {most == 2 ? "q16" : "q8", most, rows};
}

double characters_of(const array& a, const format& f) {
    const auto rows = static_cast<double>(panels_in(a) * rows_in_panel(a));
    double bytes = rows * static_cast<double>(columns_in_panel(a)) * static_cast<double>(f.width);
    if (f.rows_of_a_step != 0) bytes += 16 * rows / static_cast<double>(f.rows_of_a_step);
    return bytes * 4 / 3;
}

std::size_t panels_together(const array& a) {
    constexpr std::size_t enough = 1 << 18;
    const std::size_t panel = rows_in_panel(a) * columns_in_panel(a);
    return std::max<std::size_t>(1, enough / std::max<std::size_t>(1, panel));
}

std::string encoded(const array& a, aspect of, const format& f, std::size_t first,
                    std::size_t count) {
    const std::size_t columns = columns_in_panel(a);
    const std::size_t from = first * rows_in_panel(a), end = from + count * rows_in_panel(a);
    std::vector<unsigned char> bytes;
    bytes.reserve((end - from) * columns * f.width);
    if (f.rows_of_a_step != 0) {
        const std::size_t together = f.rows_of_a_step;
        const std::size_t number = f.width == 1 ? eight_bit_steps : sixteen_bit_steps;
        std::vector<unsigned char> codes;
        codes.reserve(bytes.capacity());
        std::vector<double> rows(together * columns);
        for (std::size_t row = from; row < end; row += together) {
            for (std::size_t k = 0; k < together; ++k)
                read_row(a, of, row + k, rows.data() + k * columns);
            const steps s = steps_of(rows, number);
            put(bytes, s.least), put(bytes, s.step);
            if (f.width == 1) put_codes<std::uint8_t>(codes, rows, s, number);
            else put_codes<std::uint16_t>(codes, rows, s, number);
        }
        bytes.insert(bytes.end(), codes.begin(), codes.end());
        return base64(bytes);
    }
    std::vector<double> row(columns);
    std::vector<std::int64_t> whole(is_whole(a.type()) ? columns : 0);
    for (std::size_t k = from; k < end; ++k) {
        read_row(a, of, k, row.data());
        if (!whole.empty()) read_whole_row(a, k, whole.data());
        if (f.name == "u8") put_all<std::uint8_t>(bytes, whole);
        else if (f.name == "i16") put_all<std::int16_t>(bytes, whole);
        else if (f.name == "i32") put_all<std::int32_t>(bytes, whole);
        else if (f.name == "i64") put_all<std::int64_t>(bytes, whole);
        else if (f.name == "f32") put_all<float>(bytes, row);
        else put_all<double>(bytes, row);
    }
    return base64(bytes);
}

}  // namespace ricci::show
