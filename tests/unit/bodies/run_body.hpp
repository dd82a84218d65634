// Runs a body on the register machine, over numbers of rows and columns in vectors, and computes
// the same pair by pair in long double with bounds of what rounding may do.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "src/bodies/program.hpp"
#include "src/kernels/scalar/scalar_twin.hpp"

namespace ricci::testing::machine {

/// numbers[k][i]: operand k of row (or column) i.
template <class T>
using operands = std::vector<std::vector<T>>;

/// The folds of a body: of each, one number for each row, or for each column. Of planes number
/// i * column_count + j is that of row i and column j.
template <class T>
std::vector<std::vector<T>> run(const bodies::body& what, const operands<T>& rows,
                                const operands<T>& columns, std::size_t row_count,
                                std::size_t column_count, const operands<T>& planes = {}) {
    const auto& table = kernels::body_machine<T>();
    const int tile = (static_cast<int>(column_count) + 63) / 64 * 64;
    const bodies::machine_shape shape{table.lanes, table.columns, tile};
    const auto program =
        bodies::compile(what,
                        {static_cast<int>(rows.size()), static_cast<int>(columns.size()),
                         static_cast<int>(planes.size())},
                        shape);
    std::vector<T> memory(program.frame + 64);
    auto* frame = memory.data();
    while (reinterpret_cast<std::uintptr_t>(frame) % 64 != 0) ++frame;
    const auto block = static_cast<std::size_t>(shape.rows());
    const auto identity = [&](std::size_t f) -> T {
        const auto infinity = std::numeric_limits<T>::infinity();
        switch (what.folds()[f].what) {
            case kernels::body_fold::multiply:
                return 1;
            case kernels::body_fold::larger:
                return -infinity;
            case kernels::body_fold::smaller:
                return infinity;
            default:
                return 0;
        }
    };
    const auto joined = [&](std::size_t f, T a, T b) {
        switch (what.folds()[f].what) {
            case kernels::body_fold::multiply:
                return steps::joined(steps::monoid::product, a, b);
            case kernels::body_fold::larger:
                return steps::joined(steps::monoid::maximum, a, b);
            case kernels::body_fold::smaller:
                return steps::joined(steps::monoid::minimum, a, b);
            default:
                return a + b;
        }
    };
    bool finite = !program.finite_code.empty();
    for (const auto* side : {&rows, &columns})
        for (const auto& numbers : *side)
            finite = finite && std::ranges::all_of(numbers, [](T x) { return std::isfinite(x); });
    const auto& code = finite ? program.finite_code : program.code;
    for (const auto& c : program.constants)
        std::fill_n(frame + c.at, block, static_cast<T>(c.value));
    for (std::size_t k = 0; k < columns.size(); ++k)
        for (std::size_t j = 0; j < static_cast<std::size_t>(tile); ++j)
            frame[program.columns + k * static_cast<std::size_t>(tile) + j] =
                columns[k][std::min(j, column_count - 1)];
    std::vector<std::vector<T>> results;
    for (std::size_t f = 0; f < what.folds().size(); ++f) {
        const bool over_rows = what.folds()[f].over_rows;
        results.emplace_back(over_rows ? column_count : row_count, identity(f));
        std::fill_n(frame + program.states[f],
                    over_rows ? static_cast<std::size_t>(tile * table.lanes) : block, identity(f));
    }
    const auto whole = static_cast<std::int64_t>(column_count) / table.columns * table.columns;
    const auto count = static_cast<std::int64_t>(column_count);
    const auto all = (count + table.columns - 1) / table.columns * table.columns;
    for (std::size_t r = 0; r < row_count; r += block) {
        const std::size_t here = std::min(block, row_count - r);
        for (std::size_t k = 0; k < rows.size(); ++k)
            for (std::size_t x = 0; x < block; ++x)
                frame[program.rows + k * block + x] = rows[k][r + std::min(x, here - 1)];
        for (std::size_t k = 0; k < planes.size(); ++k)
            for (std::size_t e = 0; e < static_cast<std::size_t>(shape.plane()); ++e)
                frame[program.planes + k * static_cast<std::size_t>(shape.plane()) + e] =
                    planes[k][(r + std::min(e % block, here - 1)) * column_count +
                              std::min(e / block, column_count - 1)];
        for (std::size_t x = 0; x < block; ++x) frame[x] = x < here ? T{1} : T{0};
        for (std::size_t f = 0; f < results.size(); ++f)
            if (!what.folds()[f].over_rows)
                std::fill_n(frame + program.states[f], block, identity(f));
        const bool edge = here < block && program.folds_rows;
        if (!edge) table.run(code.data(), frame, 0, whole, count);
        table.run(program.edge_code.data(), frame, edge ? 0 : whole, all, count);
        for (std::size_t f = 0; f < results.size(); ++f)
            for (std::size_t x = 0; x < here && !what.folds()[f].over_rows; ++x)
                results[f][r + x] = frame[program.states[f] + x];
    }
    for (std::size_t f = 0; f < results.size(); ++f)
        for (std::size_t j = 0; j < column_count && what.folds()[f].over_rows; ++j)
            for (int x = 0; x < table.lanes; ++x)
                results[f][j] =
                    joined(f, results[f][j],
                           frame[program.states[f] + j * static_cast<std::size_t>(table.lanes) +
                                 static_cast<std::size_t>(x)]);
    return results;
}

/// A number, and how far rounding may have taken it from that.
struct bounded {
    long double value = 0, error = 0;
};

/// The value of a node of its arguments. `unit`: of one rounding. Arguments of conditions have to
/// be exact.
inline bounded applied(int op, bounded a, bounded b, bounded c, long double unit) {
    using steps::opcode;
    const auto is = [&](opcode code) { return op == kernels::operation(code); };
    const auto size = [](long double x) { return std::abs(x); };
    bounded r;
    if (op == bodies::inverse_root || op == bodies::inverse_root_cubed) {
        const long double power = op == bodies::inverse_root ? -0.5L : -1.5L;
        const auto at = [&](long double x) { return std::pow(x, power); };
        r.value = at(a.value);
        r.error = size(at(a.value - a.error) - r.value) + 8 * unit * size(r.value);
        return r;
    }
    if (op == bodies::quotient) op = kernels::operation(opcode::divide);
    if (op == bodies::less_product) {
        b.value = -b.value;
        op = kernels::multiply_add;
    }
    r.value = kernels::scalar::apply<long double>(op, a.value, b.value, c.value);
    const long double product = size(a.value) * b.error + size(b.value) * a.error +
                                a.error * b.error + unit * size(a.value * b.value);
    if (op == kernels::multiply_add) r.error = product + c.error;
    else if (is(opcode::add) || is(opcode::subtract)) r.error = a.error + b.error;
    else if (is(opcode::multiply)) r.error = product;
    else if (is(opcode::square)) r.error = 2 * size(a.value) * a.error + a.error * a.error;
    else if (is(opcode::maximum) || is(opcode::minimum)) r.error = std::max(a.error, b.error);
    else if (is(opcode::select)) r.error = a.value != 0 ? b.error : c.error;
    else if (is(opcode::divide))
        r.error = size(b.value) > b.error
                      ? (a.error + size(r.value) * b.error) / (size(b.value) - b.error)
                      : std::numeric_limits<long double>::infinity();
    else {
        // Functions of one: by their values beside.
        const auto at = [&](long double x) {
            return kernels::scalar::apply<long double>(op, x, 0.0L, 0.0L);
        };
        r.error =
            std::max(size(at(a.value + a.error) - r.value), size(at(a.value - a.error) - r.value)) +
            8 * unit * std::max(size(r.value), 1e-3L);
    }
    r.error += 2 * unit * size(r.value);
    // Outside of where a function is.
    if (std::isnan(r.error)) r.error = std::numeric_limits<long double>::infinity();
    return r;
}

/// Every value of a body for one pair.
template <class T>
std::vector<bounded> values_of(const bodies::body& what, const operands<T>& rows,
                               const operands<T>& columns, std::size_t i, std::size_t j,
                               const operands<T>& planes = {}) {
    std::vector<bounded> values;
    values.reserve(what.values().size());
    const long double unit = std::numeric_limits<T>::epsilon();
    for (std::size_t k = 0; k < what.values().size(); ++k) {
        const auto& n = what.values()[k];
        const auto argument = [&](int a) {
            return n.argument[a] < 0 ? bounded{} : values[static_cast<std::size_t>(n.argument[a])];
        };
        if (elementwise::is(n, steps::opcode::constant)) {
            values.push_back({static_cast<T>(n.value), 0});
        } else if (elementwise::is(n, steps::opcode::load)) {
            const auto leaf = what.leaf_of(static_cast<int>(k));
            const auto number = static_cast<std::size_t>(leaf.number);
            values.push_back({leaf.kind == bodies::leaf_kind::column ? columns[number][j]
                              : leaf.kind == bodies::leaf_kind::pair
                                  ? planes[number][i * columns[0].size() + j]
                                  : rows[number][i],
                              0});
        } else {
            values.push_back(applied(n.op, argument(0), argument(1), argument(2), unit));
        }
    }
    return values;
}

}  // namespace ricci::testing::machine
