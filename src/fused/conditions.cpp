// What is known of an element-wise program's values before it runs.
#include "src/fused/conditions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ricci::fused {

using steps::opcode;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr interval truth{0, 1, true};
constexpr interval falsehood{0, 0, true};
constexpr interval hidden{-infinite, -infinite, false};

/// Whole numbers up to here are exact, and sums and products of them that stay below.
template <class T>
constexpr double counted = sizeof(T) == 4 ? 0x1p24 : 0x1p53;

// Roundings on the way, such as that of a product before a sum, lie within two of the last places;
// and tiny numbers may be 0.
template <class T>
double beyond(double value, double towards) {
    constexpr auto most = static_cast<double>(std::numeric_limits<T>::max());
    constexpr auto least = static_cast<double>(std::numeric_limits<T>::min());
    const double size = std::abs(value), sign = std::copysign(1.0, value);
    const bool away = (value > 0) == (towards > 0);
    if (size == 0 || std::isinf(value)) return value;
    if (size < least) return away ? sign * least : 0;
    if (size >= most) return away ? towards : sign * most;
    auto x = static_cast<T>(value);
    for (int places = 0; places < 3; ++places) x = std::nextafter(x, static_cast<T>(towards));
    return static_cast<double>(x);
}

interval checked(interval x) { return std::isnan(x.least) || std::isnan(x.most) ? any_number : x; }

bool is_true(const interval& x) { return x.least > 0 || x.most < 0; }
bool is_false(const interval& x) { return x.is(0); }

interval truth_of(bool yes, bool no) { return yes ? interval{1, 1, true} : no ? falsehood : truth; }

interval product(interval a, interval b) {
    // A factor that is 0 is a mask: what it hides is left out of account, whatever it is.
    if (a.is(0) || b.is(0)) return falsehood;
    const double corners[] = {a.least * b.least, a.least * b.most, a.most * b.least,
                              a.most * b.most};
    if (std::any_of(std::begin(corners), std::end(corners), [](double x) { return std::isnan(x); }))
        return any_number;
    return {*std::min_element(std::begin(corners), std::end(corners)),
            *std::max_element(std::begin(corners), std::end(corners)), a.whole && b.whole};
}

interval absolute(interval a) {
    if (a.least >= 0) return a;
    if (a.most <= 0) return {-a.most, -a.least, a.whole};
    return {0, std::max(-a.least, a.most), a.whole};
}

}  // namespace

template <class T>
interval rounded(interval exact) {
    if (exact.whole && exact.least >= -counted<T> && exact.most <= counted<T>) return exact;
    return {beyond<T>(exact.least, -infinite), beyond<T>(exact.most, infinite), false};
}
template interval rounded<float>(interval);
template interval rounded<double>(interval);

bool is_condition(opcode code) {
    return code == opcode::logical_not || (code >= opcode::less && code <= opcode::logical_or);
}

namespace {

// Of whole numbers: a quotient that is rounded may be another whole one.
interval modulo(interval a, interval b) {
    if (!b.known() || !(b.least > 0) || !a.whole || !b.whole) return any_number;
    const double first = std::floor(a.least / b.least);
    if (std::isfinite(first) && first == std::floor(a.most / b.least))
        return {a.least - first * b.least, a.most - first * b.least, true};
    return {0, b.least, true};
}

interval selected(interval a, interval b, interval c) {
    if (is_true(a)) return b;
    if (is_false(a)) return c;
    return {std::min(b.least, c.least), std::max(b.most, c.most), b.whole && c.whole};
}

bool is_without_zero(const interval& x) { return x.least > 0 || x.most < 0; }

interval of_one(opcode code, interval a) {
    if (a.is_any()) return any_number;
    switch (code) {
        case opcode::negate:
            return {-a.most, -a.least, a.whole};
        case opcode::absolute:
            return absolute(a);
        case opcode::square:
            return product(absolute(a), absolute(a));
        case opcode::floor:
            return {std::floor(a.least), std::floor(a.most), true};
        case opcode::relu:
            return {std::max(a.least, 0.0), std::max(a.most, 0.0), a.whole};
        case opcode::exp:
            return {a.least == -infinite ? 0 : std::exp(a.least) * (1 - 1e-12),
                    std::exp(a.most) * (1 + 1e-12), false};
        case opcode::reciprocal:
            return is_without_zero(a) ? interval{1 / a.most, 1 / a.least, false} : any_number;
        default:
            return any_number;
    }
}

interval of_two(opcode code, interval a, interval b) {
    // -infinity and 0 are masks, whatever stands beside them.
    if (code == opcode::multiply) return product(a, b);
    if (code == opcode::add && (a.is(-infinite) || b.is(-infinite))) return hidden;
    if (code == opcode::subtract && a.is(-infinite)) return hidden;
    if (a.is_any() || b.is_any()) return any_number;
    const bool whole = a.whole && b.whole;
    switch (code) {
        case opcode::add:
            return checked({a.least + b.least, a.most + b.most, whole});
        case opcode::subtract:
            return checked({a.least - b.most, a.most - b.least, whole});
        case opcode::divide:
            return is_without_zero(b) ? product(a, {1 / b.most, 1 / b.least, false}) : any_number;
        case opcode::minimum:
            return {std::min(a.least, b.least), std::min(a.most, b.most), whole};
        case opcode::maximum:
            return {std::max(a.least, b.least), std::max(a.most, b.most), whole};
        case opcode::modulo:
            return modulo(a, b);
        default:
            return any_number;
    }
}

// What may be NaN compares as it likes.
interval condition(opcode code, interval a, interval b) {
    const bool compared = code >= opcode::less && code <= opcode::not_equal;
    if (compared && (a.is_any() || b.is_any())) return truth;
    const bool same = a.known() && b.known() && a.least == b.least;
    const bool apart = a.most < b.least || a.least > b.most;
    switch (code) {
        case opcode::less:
            return truth_of(a.most < b.least, a.least >= b.most);
        case opcode::less_equal:
            return truth_of(a.most <= b.least, a.least > b.most);
        case opcode::equal:
            return truth_of(same, apart);
        case opcode::not_equal:
            return truth_of(apart, same);
        case opcode::logical_not:
            return truth_of(is_false(a), is_true(a));
        case opcode::logical_and:
            return truth_of(is_true(a) && is_true(b), is_false(a) || is_false(b));
        case opcode::logical_or:
            return truth_of(is_true(a) || is_true(b), is_false(a) && is_false(b));
        default:
            return truth;
    }
}

}  // namespace

interval apply(opcode code, interval a, interval b, interval c) {
    if (code == opcode::select) return selected(a, b, c);
    if (is_condition(code)) return condition(code, a, b);
    return steps::arity(code) == 1 ? of_one(code, a) : of_two(code, a, b);
}

std::vector<char> deciding(std::span<const steps::instruction> program) {
    std::vector<char> decides(program.size(), 0);
    for (std::size_t k = program.size(); k-- > 0;) {
        const auto& i = program[k];
        const bool all = decides[k] != 0 || is_condition(i.code);
        const auto mark = [&](std::int32_t argument) {
            if (argument >= 0) decides[static_cast<std::size_t>(argument)] = 1;
        };
        if (all || i.code == opcode::select) mark(i.first);
        if (all) mark(i.second), mark(i.third);
    }
    return decides;
}

std::uint64_t signature_of(std::span<const steps::instruction> program, const interval* values) {
    std::uint64_t signature = 0;
    int bit = 0;
    for (std::size_t k = 0; k < program.size() && bit < 64; ++k) {
        if (!is_condition(program[k].code)) continue;
        if (is_false(values[k])) signature |= std::uint64_t{1} << bit;
        if (values[k].is(1)) signature |= std::uint64_t{2} << bit;
        bit += 2;
    }
    return signature;
}

std::vector<steps::instruction> specialised(std::span<const steps::instruction> program,
                                            std::uint64_t signature) {
    std::vector<steps::instruction> result(program.begin(), program.end());
    int bit = 0;
    for (auto& i : result) {
        if (bit >= 64) break;
        if (!is_condition(i.code)) continue;
        const auto known = (signature >> bit) & 3;
        bit += 2;
        if (known == 0) continue;
        i = {};
        i.value = known == 2 ? 1 : 0;
    }
    // A factor of 0 hides the other one.
    std::vector<char> zero(result.size(), 0);
    for (std::size_t k = 0; k < result.size(); ++k) {
        auto& i = result[k];
        const auto is_zero = [&](std::int32_t n) {
            return n >= 0 && zero[static_cast<std::size_t>(n)] != 0;
        };
        if (i.code == opcode::multiply && (is_zero(i.first) || is_zero(i.second))) i = {};
        zero[k] = i.code == opcode::constant && i.value == 0;
    }
    return result;
}

}  // namespace ricci::fused
