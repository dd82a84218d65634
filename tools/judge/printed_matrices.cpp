// Entry by entry; what has no value throws no_number.
#include "judge/printed_matrices.hpp"

#include <algorithm>

namespace ricci::judge {
namespace {

constexpr std::size_t most_entries = 4096;

measured or_none(const std::optional<measured>& x) {
    if (!x) throw no_number{};
    return *x;
}
const measured& the_number(const printed_value& v) {
    if (!v.is_number()) throw no_number{};
    return v.entries[0].number;
}
printed_value scaled(const printed_value& v, const measured& by) {
    printed_value out = v;
    for (printed_entry& e : out.entries) e = {e.number * by, {}};
    return out;
}

constexpr int largest_determinant = 6;  // rows: as many terms as they have orders

const measured& at(const printed_value& v, int i, int j) {
    return v.entries[static_cast<std::size_t>(i * v.columns + j)].number;
}

/// By the elements of a row; of the rows below, the columns that are left.
measured determinant_of(const printed_value& v, int row, const std::vector<int>& columns) {
    measured total = exactly(columns.empty() ? 1 : 0);
    for (std::size_t k = 0; k < columns.size(); ++k) {
        std::vector<int> others = columns;
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(k));
        const measured term = at(v, row, columns[k]) * determinant_of(v, row + 1, others);
        total = total + (k % 2 == 0 ? term : -term);
    }
    return total;
}

/// Of cofactors: each entry is read once in each of them, so that it stays as good as printed.
printed_value inverse_matrix(const printed_value& v) {
    const measured one_over = or_none(inverse(the_number(determinant(v))));
    printed_value out = v;
    for (int i = 0; i < v.rows; ++i)
        for (int j = 0; j < v.columns; ++j) {
            printed_value minor{v.rows - 1, v.columns - 1, {}, {}};
            for (int r = 0; r < v.rows; ++r)
                for (int c = 0; c < v.columns; ++c)
                    if (r != j && c != i) minor.entries.push_back({at(v, r, c), {}});
            const measured cofactor = the_number(determinant(minor)) * one_over;
            out.entries[static_cast<std::size_t>(i * v.columns + j)] = {
                (i + j) % 2 == 0 ? cofactor : -cofactor, {}};
        }
    return out;
}

printed_value matrix_power(const printed_value& v, int n) {
    if (v.rows != v.columns || n > 64 || n < -64) throw no_number{};
    printed_value out = v;
    for (printed_entry& e : out.entries) e = {};
    for (int i = 0; i < v.rows; ++i)
        out.entries[static_cast<std::size_t>(i * v.columns + i)] = {exactly(1), {}};
    const printed_value factor = n < 0 ? inverse_matrix(v) : v;
    for (int k = 0; k < (n < 0 ? -n : n); ++k) out = product(out, factor);
    return out;
}

}  // namespace

printed_value number_value(const measured& x) { return {1, 1, {{x, {}}}, {}}; }

printed_value column(const std::vector<printed_value>& entries) {
    std::vector<std::vector<printed_value>> rows;
    for (const printed_value& v : entries) rows.push_back({v});
    return of_rows(rows);
}
printed_value of_rows(const std::vector<std::vector<printed_value>>& rows) {
    if (rows.empty() || rows.size() * rows[0].size() > most_entries) throw no_number{};
    printed_value out{static_cast<int>(rows.size()), static_cast<int>(rows[0].size()), {}, {}};
    for (const auto& row : rows) {
        if (row.size() != rows[0].size() || row.empty()) throw no_number{};
        for (const printed_value& v : row) {
            the_number(v);
            out.entries.push_back(v.entries[0]);
        }
    }
    return out;
}

printed_value negated(printed_value v) {
    for (printed_entry& e : v.entries) e.number = -e.number;
    return v;
}
printed_value sum(const printed_value& a, const printed_value& b) {
    if (a.rows != b.rows || a.columns != b.columns) throw no_number{};
    printed_value out = a;
    for (std::size_t k = 0; k < a.entries.size(); ++k)
        out.entries[k] = {a.entries[k].number + b.entries[k].number, {}};
    return out;
}
printed_value product(const printed_value& a, const printed_value& b) {
    if (a.is_number()) return scaled(b, the_number(a));
    if (b.is_number()) return scaled(a, the_number(b));
    if (a.columns != b.rows || a.entries.size() * static_cast<std::size_t>(b.columns) > 100000)
        throw no_number{};
    printed_value out{a.rows, b.columns, {}, {}};
    for (int i = 0; i < a.rows; ++i)
        for (int j = 0; j < b.columns; ++j) {
            measured total;
            for (int k = 0; k < a.columns; ++k)
                total = total + a.entries[static_cast<std::size_t>(i * a.columns + k)].number *
                                    b.entries[static_cast<std::size_t>(k * b.columns + j)].number;
            out.entries.push_back({total, {}});
        }
    return out;
}
printed_value inverse(const printed_value& v) {
    return number_value(or_none(inverse(the_number(v))));
}
printed_value raised(const printed_value& base, const printed_value& exponent) {
    if (!base.is_number()) return matrix_power(base, small_whole(exponent));
    return number_value(or_none(power(the_number(base), the_number(exponent))));
}
printed_value transposed(const printed_value& v) {
    printed_value out{v.columns, v.rows, {}, {}};
    for (int j = 0; j < v.columns; ++j)
        for (int i = 0; i < v.rows; ++i)
            out.entries.push_back(v.entries[static_cast<std::size_t>(i * v.columns + j)]);
    return out;
}
printed_value determinant(const printed_value& v) {
    if (v.rows != v.columns || v.rows > largest_determinant) throw no_number{};
    std::vector<int> columns;
    for (int j = 0; j < v.columns; ++j) columns.push_back(j);
    return number_value(determinant_of(v, 0, columns));
}
printed_value trace(const printed_value& v) {
    if (v.rows != v.columns) throw no_number{};
    measured total;
    for (int i = 0; i < v.rows; ++i) total = total + at(v, i, i);
    return number_value(total);
}
printed_value norm(const printed_value& v) {
    if (v.rows != 1 && v.columns != 1) throw no_number{};
    measured total;
    for (const printed_entry& e : v.entries) total = total + or_none(power(e.number, 2));
    return number_value(or_none(apply(real_function::sqrt, total)));
}
printed_value mapped(const printed_value& v, real_function f) {
    printed_value out = v;
    for (printed_entry& e : out.entries) e = {or_none(apply(f, e.number)), {}};
    return out;
}
printed_value softmax(const printed_value& v) {
    // a vector is one row, however it is written
    const int rows = v.columns == 1 ? 1 : v.rows, columns = v.columns == 1 ? v.rows : v.columns;
    if (v.entries.size() * static_cast<std::size_t>(columns) > 20000) throw no_number{};
    printed_value out = v;
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j) {
            const auto at = [&](int k) {
                return v.entries[static_cast<std::size_t>(i * columns + k)].number;
            };
            measured total = exactly(1);  // of exp(v_k - v_j): each number is read once
            for (int k = 0; k < columns; ++k)
                if (k != j) total = total + or_none(apply(real_function::exp, at(k) + -at(j)));
            out.entries[static_cast<std::size_t>(i * columns + j)] = {or_none(inverse(total)), {}};
        }
    return out;
}
printed_value extremum(const std::vector<printed_value>& list, bool largest) {
    std::optional<measured> best;
    for (const printed_value& v : list)
        for (const printed_entry& e : v.entries) {
            if (!best) best = e.number;
            const bool better =
                largest ? best->value < e.number.value : e.number.value < best->value;
            const rational half = std::max(best->half, e.number.half);
            if (better) best = e.number;
            best->half = half;
        }
    return number_value(or_none(best));
}
int small_whole(const printed_value& v) {
    const measured& x = the_number(v);
    if (!x.is_whole() || rational(1000) < x.value.abs()) throw no_number{};
    return static_cast<int>(x.value.to_double());
}
printed_value factorial(const printed_value& v) {
    const int n = small_whole(v);
    if (n < 0) throw no_number{};
    measured out = exactly(1);
    for (int k = 2; k <= n; ++k) out = out * exactly(k);
    return number_value(out);
}
printed_value binomial(const printed_value& n, const printed_value& k) {
    const int below = small_whole(k);
    if (below < 0) throw no_number{};
    measured out = exactly(1);
    for (int j = 0; j < below; ++j)
        out = out * exactly((the_number(n).value - rational(j)) / rational(j + 1));
    return number_value(out);
}

}  // namespace ricci::judge
