// Numbers as a text writes them. A double holds what has fifteen digits or fewer, and gives them
// back; of more digits the node of the number has the text as well.
#pragma once

#include <cstdint>

#include <ricci/detail/text.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/ir/quotient.hpp>

namespace ricci::ir {

/// Digits, and one point perhaps, that a double gives back.
inline constexpr std::int32_t digits_of_double = 15;

/// Where the digits of a long number stand among a program's characters, and nothing for others.
constexpr range digits_of(const node& x) {
    if (x.kind != op::number || x.detail == 0) return {};
    return {x.positions.first, x.indices.first};
}
/// Marks a number as one with these digits; those of a negative one have no sign.
constexpr void set_digits(node& x, range digits) {
    x.detail = 1;
    x.positions.first =
        digits.first;  // which a number has no other use for, as it has no positions
    x.indices.first = digits.count;
}
template <class Program>
constexpr bool same_number(const Program& p, const node& x, const node& y) {
    return x.value == y.value && x.detail == y.detail &&
           p.text(digits_of(x)) == p.text(digits_of(y));
}
/// The number node of a whole number.
template <class Program>
constexpr ref whole_node(Program& p, std::int64_t whole) {
    const ref n = p.number(static_cast<double>(whole));
    if (whole < 1'000'000'000'000'000 && whole > -1'000'000'000'000'000) return n;
    detail::text_builder digits;
    digits << (whole < 0 ? -whole : whole);
    set_digits(p.nodes[n], p.add_text(digits));
    return n;
}

/// A number as quotient * 10^tens. False for \pi, for infinity, for what has very many digits, and
/// for a double that no short decimal gives.
template <class Program>
constexpr bool exact_value(const Program& p, const node& x, quotient& value, std::int32_t& tens) {
    tens = 0;
    const range text = digits_of(x);
    if (text.count > 0) {
        const detail::text_view digits = p.text(text);
        std::int64_t whole = 0;
        std::int32_t zeros = 0;  // that may turn out to end it
        bool fraction = false;
        for (std::int32_t k = 0; k < digits.size; ++k) {
            if (digits[k] == '.') {
                fraction = true;
                continue;
            }
            if (fraction) --tens;
            if (digits[k] == '0') {
                ++zeros;
                continue;
            }
            for (; zeros >= 0; --zeros) {
                if (whole > 99'999'999'999'999'999) return false;
                whole *= 10;
            }
            whole += digits[k] - '0';
            zeros = 0;
        }
        if (whole != 0) tens += zeros;
        else tens = 0;
        value = x.value < 0 ? -whole : whole;
        return true;
    }
    const double size = x.value < 0 ? -x.value : x.value;
    if (!(size <= 9'007'199'254'740'992.0)) return false;
    if (size >= 1e15) {
        const auto whole = static_cast<std::int64_t>(x.value);
        value = whole;
        return static_cast<double>(whole) == x.value;
    }
    std::int64_t scale = 1;
    for (std::int32_t k = 0; k < 18; ++k, scale *= 10) {
        const double scaled = size * static_cast<double>(scale);
        if (!(scaled < 1e15)) return false;
        const auto whole = static_cast<std::int64_t>(scaled + 0.5);
        if (static_cast<double>(whole) / static_cast<double>(scale) != size) continue;
        value = quotient(x.value < 0 ? -whole : whole, scale);
        return true;
    }
    return false;
}

}  // namespace ricci::ir
