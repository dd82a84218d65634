// The meaning of steps::map, by brute force in long double, with a bound on the rounding error of
// an evaluation in a narrower type carried along every value.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "src/steps/map.hpp"
#include "tests/unit/map/meanings.hpp"

namespace ricci::test {

/// A value and how far an evaluation in the type under test may be from it; `unsure`: no bound.
struct bounded {
    long double value = 0;
    long double error = 0;
    bool unsure = false;
};

struct precision {
    long double epsilon = 0, smallest = 0, largest = 0;

    template <class T>
    static precision of() {
        using limits = std::numeric_limits<T>;
        return {limits::epsilon(), limits::min(), limits::max()};
    }
};

/// Applies an operation to every corner of the arguments' error boxes: jumps show as large errors.
inline bounded apply_bounded(int op, const bounded (&x)[3], const precision& unit) {
    const int count = kernels::arity(op);
    bounded y;
    y.value = meaning(op, x[0].value, x[1].value, x[2].value);
    for (int k = 0; k < count; ++k) y.unsure = y.unsure || x[k].unsure;
    // Of each argument three numbers, or one where it is exact; corner 0 is the value itself.
    long double off[3] = {};
    int sides[3] = {1, 1, 1}, corners = 1;
    for (int k = 0; k < count; ++k) {
        if (std::isfinite(x[k].value)) off[k] = x[k].error;
        if (!(off[k] == 0)) sides[k] = 3;
        corners *= sides[k];
    }
    for (int corner = 1; corner < corners; ++corner) {
        long double argument[3] = {};
        for (int k = 0, rest = corner; k < count; rest /= sides[k++]) {
            const int side = rest % sides[k];
            argument[k] = x[k].value + (side == 1 ? off[k] : side == 2 ? -off[k] : 0);
        }
        const long double there = meaning(op, argument[0], argument[1], argument[2]);
        if (std::isfinite(there) && std::isfinite(y.value)) {
            y.error = std::max(y.error, std::abs(there - y.value));
        } else if (!(there == y.value || (std::isnan(there) && std::isnan(y.value)))) {
            y.unsure = true;
        }
    }
    // Tests for equality turn on one point, which need not be a corner.
    using steps::opcode;
    const auto touches = [&](const bounded& a, long double b, long double error) {
        if (error > 0 && std::abs(a.value - b) <= error) y.unsure = true;
    };
    const auto code = static_cast<opcode>(op);
    if (code == opcode::equal || code == opcode::not_equal) {
        touches(x[0], x[1].value, x[0].error + x[1].error);
    } else if (code == opcode::select || code == opcode::logical_not) {
        touches(x[0], 0, x[0].error);
    } else if (code == opcode::logical_and || code == opcode::logical_or) {
        touches(x[0], 0, x[0].error);
        touches(x[1], 0, x[1].error);
    }
    if (code == opcode::modulo && y.error > std::abs(x[1].value) / 2) y.unsure = true;
    if (!std::isfinite(y.value)) return y;
    const bool waves = op == kernels::operation(steps::opcode::sin) ||
                       op == kernels::operation(steps::opcode::cos);
    long double ulps = 12;
    if (op == kernels::operation(steps::opcode::power)) ulps = 40;
    // The tail exp(-x^2 / 2) is as good as x^2 where the target has no fused products.
    if (op == kernels::operation(steps::opcode::gelu)) {
        ulps += std::min<long double>(x[0].value * x[0].value, 4000);
    }
    y.error += ulps * unit.epsilon * (std::abs(y.value) + (waves ? 1 : 0)) + 8 * unit.smallest;
    if (std::abs(y.value) + y.error > unit.largest / 4) y.unsure = true;
    return y;
}

/// Folds values as map.folding says, except softmax.
inline bounded fold_bounded(steps::fold folding, const std::vector<bounded>& x,
                            const precision& unit) {
    using steps::fold;
    const long double infinity = std::numeric_limits<long double>::infinity();
    bounded y;
    long double size = 0, error = 0;
    for (const bounded& v : x) {
        y.unsure = y.unsure || v.unsure;
        size += std::abs(v.value);
        error = std::max(error, v.error);
    }
    const auto count = static_cast<long double>(x.size());
    if (folding == fold::sum || folding == fold::mean) {
        for (const bounded& v : x) {
            y.value += v.value;
            y.error += v.error;
        }
        y.error += 64 * unit.epsilon * size;
        if (size > unit.largest / 4 && std::isfinite(y.value)) y.unsure = true;
        if (folding == fold::mean) {
            y.value /= count;
            y.error /= count;
        }
        y.error += unit.smallest;
        return y;
    }
    if (folding == fold::product) {
        // each factor's own error, and a rounding at every step, in whatever order
        long double magnitude = 1, relative = 1;
        y.value = 1;
        for (const bounded& v : x) {
            y.value *= v.value;
            magnitude *= std::abs(v.value) + v.error;
            relative *= std::abs(v.value);
        }
        y.error = magnitude - relative + (count + 8) * unit.epsilon * magnitude + unit.smallest;
        if (!(magnitude < unit.largest / 4) || (y.value != 0 && relative < 64 * unit.smallest))
            y.unsure = true;
        return y;
    }
    const bool least = folding == fold::minimum;
    y.value = least ? infinity : -infinity;
    for (const bounded& v : x) {
        const auto code = least ? steps::opcode::minimum : steps::opcode::maximum;
        y.value = meaning(kernels::operation(code), y.value, v.value, 0.0L);
    }
    y.error = error;
    const bool excess = folding == fold::excess;
    if ((folding == fold::logsumexp || excess) && std::isfinite(y.value)) {
        long double sum = 0;
        for (const bounded& v : x) sum += std::exp(v.value - y.value);
        y.value = std::log(sum) + (excess ? 0 : y.value);
        y.error += 32 * unit.epsilon * (1 + std::abs(y.value) + std::log(count));
    } else if (excess && (std::isinf(y.value) || x.size() == 1)) {
        // of one number nothing is beyond the maximum, also where that is NaN
        y.value = 0;
    }
    return y;
}

/// Runs a map; `result(element of the output, value)` is called for each one it writes.
template <class T, class Result>
void brute_force(const steps::map& map, void* const* bases, Result result) {
    using steps::fold;
    using steps::opcode;
    const precision unit = precision::of<T>();
    const std::size_t depth = map.extents.size();
    const std::size_t free = depth - static_cast<std::size_t>(map.folded);
    std::vector<std::int64_t> counter(depth, 0);
    const auto element = [&](std::size_t operand) {
        std::int64_t at = map.operands[operand].offset;
        for (std::size_t i = 0; i < depth; ++i) at += map.operands[operand].strides[i] * counter[i];
        return at;
    };
    const auto run_program = [&] {
        std::vector<bounded> values;
        for (const steps::instruction& step : map.program) {
            bounded y;
            const auto operand = static_cast<std::size_t>(std::max(step.operand, 0));
            if (step.code == opcode::constant) {
                y.value = step.value;
                y.error = std::isfinite(y.value) ? unit.epsilon * std::abs(y.value) : 0;
                if (static_cast<long double>(static_cast<T>(step.value)) == y.value) y.error = 0;
            } else if (step.code == opcode::load) {
                y.value = static_cast<const T*>(bases[operand])[element(operand)];
            } else if (step.code == opcode::position) {
                y.value = static_cast<long double>(element(operand));
                y.error = static_cast<long double>(static_cast<T>(y.value)) == y.value
                              ? 0
                              : unit.epsilon * std::abs(y.value);
            } else {
                bounded x[3];
                const std::int32_t from[3] = {step.first, step.second, step.third};
                const int op = kernels::operation(step.code);
                for (int k = 0; k < kernels::arity(op); ++k) {
                    x[k] = values[static_cast<std::size_t>(from[k])];
                }
                y = apply_bounded(op, x, unit);
            }
            values.push_back(y);
        }
        return values.back();
    };
    // Advances the loops [first, last); false when they are through.
    const auto advance = [&](std::size_t first, std::size_t last) {
        for (std::size_t i = last; i-- > first;) {
            if (++counter[i] < map.extents[i]) return true;
            counter[i] = 0;
        }
        return false;
    };
    const auto empty = [&](std::size_t first, std::size_t last) {
        return std::any_of(map.extents.begin() + static_cast<std::ptrdiff_t>(first),
                           map.extents.begin() + static_cast<std::ptrdiff_t>(last),
                           [](std::int64_t n) { return n == 0; });
    };
    if (empty(0, free)) return;
    do {
        std::vector<bounded> row;
        std::vector<std::int64_t> where;
        if (!empty(free, depth)) {
            do {
                row.push_back(run_program());
                where.push_back(element(0));
            } while (advance(free, depth));
        }
        if (map.folding == fold::none) {
            result(where[0], row[0]);
        } else if (map.folding != fold::softmax) {
            result(element(0), fold_bounded(map.folding, row, unit));
        } else {
            const bounded top = fold_bounded(fold::maximum, row, unit);
            long double sum = 0, spread = 0;
            const long double shift = std::isinf(top.value) && top.value < 0 ? 0 : top.value;
            for (const bounded& x : row) sum += std::exp(x.value - shift);
            for (const bounded& x : row) spread = std::max(spread, x.error);
            for (std::size_t i = 0; i < row.size(); ++i) {
                bounded y;
                y.value = sum == 0 ? 0 : std::exp(row[i].value - shift) / sum;
                const long double gap =
                    std::isfinite(row[i].value - shift) ? std::abs(row[i].value - shift) : 0;
                const long double off = 2 * spread + unit.epsilon * (32 + 2 * gap);
                y.error = std::abs(y.value) * std::expm1(std::min(off, 1.0L)) + unit.smallest;
                y.unsure = top.unsure || !(off < 1);
                result(where[i], y);
            }
        }
    } while (advance(0, free));
}

/// Whether a computed number is within the bound.
template <class T>
bool agrees(T computed, const bounded& expected) {
    if (expected.unsure) return true;
    const auto got = static_cast<long double>(computed);
    if (std::isnan(expected.value)) return std::isnan(got);
    if (std::isinf(expected.value)) return got == expected.value;
    return std::abs(got - expected.value) <= expected.error;
}

}  // namespace ricci::test
