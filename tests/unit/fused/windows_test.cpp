// Programs over the pairs of rows and columns that a condition leaves: windows, ranges that tensors
// say, documents, near points. Against plain loops in long double over those pairs alone, where
// some rows and columns have none, on several numbers of threads.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <ricci/program.hpp>

#include "tests/catch.hpp"
#include "tests/few.hpp"
#include "tests/unit/fused/all_pairs.hpp"

namespace {

using namespace ricci::testing::pairs;

/// Whole numbers and sorted coordinates of rows and columns.
struct sides {
    std::vector<std::int32_t> first, end, of_row, of_column;
    std::vector<float> row_place, column_place;

    sides(std::size_t rows, std::size_t columns, bool sorted, unsigned seed) {
        std::mt19937 generator(seed);
        const auto below = [&](std::size_t n) { return generator() % (n + 1); };
        for (std::size_t i = 0; i < rows; ++i) {
            const std::size_t from = below(columns), width = below(columns / 9);
            first.push_back(static_cast<std::int32_t>(from));
            end.push_back(static_cast<std::int32_t>(from + (i % 7 == 3 ? 0 : width)));
            of_row.push_back(static_cast<std::int32_t>(below(20)));
            row_place.push_back(static_cast<float>(below(1 << 20)) / 4096);
        }
        for (std::size_t j = 0; j < columns; ++j) {
            of_column.push_back(static_cast<std::int32_t>(below(20)));
            column_place.push_back(static_cast<float>(below(1 << 20)) / 4096);
        }
        if (!sorted) return;
        for (auto* list : {&first, &end, &of_row, &of_column}) std::ranges::sort(*list);
        std::ranges::sort(row_place);
        std::ranges::sort(column_place);
    }
};

template <class Number>
ricci::array vector_of(const std::vector<Number>& from) {
    ricci::array a(ricci::element_v<Number>, extents{from.size()});
    std::ranges::copy(from, static_cast<Number*>(a.data()));
    return a;
}
template <class T>
ricci::array places_of(const std::vector<float>& from) {
    return vector_of(std::vector<T>(from.begin(), from.end()));
}

struct relation {
    const char* name;
    std::string condition;
    std::vector<std::string> operands;
    std::function<bool(const sides&, std::int64_t, std::int64_t)> holds;
    std::int64_t reach = 1 << 30;  // it holds nowhere where i and j are farther apart
};

std::size_t at(std::int64_t k) { return static_cast<std::size_t>(k); }

std::vector<relation> relations() {
    return {
        {"window",
         "i - 6 < j \\land j \\le i",
         {},
         [](const sides&, auto i, auto j) { return i - 6 < j && j <= i; },
         6},
        {"wide window",
         "|i - j| \\le 70",
         {},
         [](const sides&, auto i, auto j) { return std::abs(i - j) <= 70; }},
        {"window that late rows leave",
         "2 i - 9 \\le j \\land j < 2 i + 9",
         {},
         [](const sides&, auto i, auto j) { return 2 * i - 9 <= j && j < 2 * i + 9; }},
        {"ranges",
         "f_i \\le j \\land j < e_i",
         {"f", "e"},
         [](const sides& s, auto i, auto j) { return s.first[at(i)] <= j && j < s.end[at(i)]; }},
        {"ranges of columns",
         "r_i \\le c_j \\land c_j \\le r_i + 2",
         {"r", "c"},
         [](const sides& s, auto i, auto j) {
             return s.of_row[at(i)] <= s.of_column[at(j)] &&
                    s.of_column[at(j)] <= s.of_row[at(i)] + 2;
         }},
        {"documents",
         "r_i = c_j",
         {"r", "c"},
         [](const sides& s, auto i, auto j) { return s.of_row[at(i)] == s.of_column[at(j)]; }},
        {"causal documents",
         "j \\le i \\land r_i = c_j",
         {"r", "c"},
         [](const sides& s, auto i, auto j) {
             return j <= i && s.of_row[at(i)] == s.of_column[at(j)];
         }},
        {"near",
         "|x_i - y_j| \\le \\frac{5}{2}",
         {"x", "y"},
         [](const sides& s, auto i, auto j) {
             return std::abs(s.row_place[at(i)] - s.column_place[at(j)]) <= 2.5f;
         }},
        {"all but some",
         "\\lnot (r_i = 3 \\lor c_j \\ge 17)",
         {"r", "c"},
         [](const sides& s, auto i, auto j) {
             return !(s.of_row[at(i)] == 3 || s.of_column[at(j)] >= 17);
         }},
    };
}

template <class T>
class masked_pairs {
public:
    masked_pairs(const relation& by, std::size_t rows, std::size_t columns, bool sorted,
                 unsigned seed)
        : by_(by),
          s_(rows, columns, sorted, seed),
          q_(random_matrix<T>(rows, 5, seed + 1, 2)),
          k_(random_matrix<T>(columns, 5, seed + 2)),
          v_(random_matrix<T>(columns, 9, seed + 3)),
          g_(random_matrix<T>(rows, 9, seed + 4)) {}

    void check_softmax() const {
        auto p = ricci::parse(masked() + R"(
            A^{ij} = \operatorname{softmax}_j(M^{ij})
            O^{ic} = A^{ij} V^{jc}
        )")
                     .value();
        p = ricci::value_and_gradient(p, "O", {"Q", "K", "V"});
        auto operands = bound({{"V", array_of<T>(v_)}, {"dL/dO", array_of<T>(g_)}});
        const auto got = run_everywhere<T>(p, operands, q_.rows * k_.rows);
        matrix o = zeros(q_.rows, 9), by_q = zeros(q_.rows, 5), by_k = zeros(k_.rows, 5),
               by_v = zeros(k_.rows, 9);
        each_row([&](std::size_t i, const std::vector<std::size_t>& seen) {
            long double most = -INFINITY, sum = 0, mean = 0;
            for (const auto j : seen) most = std::max(most, dot(q_, i, k_, j));
            for (const auto j : seen) sum += std::exp(dot(q_, i, k_, j) - most);
            const auto weight = [&](std::size_t j) {
                return std::exp(dot(q_, i, k_, j) - most) / sum;
            };
            for (const auto j : seen) {
                mean += weight(j) * dot(g_, i, v_, j);
                for (std::size_t c = 0; c < 9; ++c) {
                    o(i, c) += weight(j) * v_(j, c);
                    by_v(j, c) += weight(j) * g_(i, c);
                }
            }
            for (const auto j : seen) {
                const long double slope = weight(j) * (dot(g_, i, v_, j) - mean);
                for (std::size_t a = 0; a < 5; ++a) {
                    by_q(i, a) += slope * k_(j, a);
                    by_k(j, a) += slope * q_(i, a);
                }
            }
        });
        check_close<T>(got["O"], o);
        check_close<T>(got["dL/dQ"], by_q);
        check_close<T>(got["dL/dK"], by_k);
        check_close<T>(got["dL/dV"], by_v);
    }

    void check_folds() const {
        const auto p = ricci::parse(masked() + R"(
            m^i = \max_j(M^{ij})
            l^i = \operatorname{logsumexp}_j(M^{ij})
        )")
                           .value();
        const auto got = run_everywhere<T>(p, bound({}), q_.rows * k_.rows);
        matrix most = zeros(q_.rows, 1), sums = most;
        each_row([&](std::size_t i, const std::vector<std::size_t>& seen) {
            long double sum = 0;
            most(i) = -INFINITY;
            for (const auto j : seen) most(i) = std::max(most(i), dot(q_, i, k_, j));
            for (const auto j : seen) sum += std::exp(dot(q_, i, k_, j) - most(i));
            sums(i) = seen.empty() ? -INFINITY : most(i) + std::log(sum);
        });
        check_close<T>(finite_of(got["m"], most), most);
        check_close<T>(finite_of(got["l"], sums), sums);
    }

    void check_sums() const {
        const auto p = ricci::value_and_gradient(
            ricci::parse("W^{ij} = [" + by_.condition + "] \\exp(Q^{ia} K^{ja})\n" +
                         "O^{ic} = W^{ij} V^{jc}\n t^j = \\sum_i W^{ij}\n s^i = \\sum_j W^{ij}")
                .value(),
            "O", {"Q", "K", "V"});
        const auto got = run_everywhere<T>(
            p, bound({{"V", array_of<T>(v_)}, {"dL/dO", array_of<T>(g_)}}), q_.rows * k_.rows);
        matrix o = zeros(q_.rows, 9), s = zeros(q_.rows, 1), t = zeros(k_.rows, 1),
               by_q = zeros(q_.rows, 5), by_k = zeros(k_.rows, 5), by_v = zeros(k_.rows, 9);
        each_row([&](std::size_t i, const std::vector<std::size_t>& seen) {
            for (const auto j : seen) {
                const long double w = std::exp(dot(q_, i, k_, j));
                s(i) += w;
                t(j) += w;
                for (std::size_t c = 0; c < 9; ++c) {
                    o(i, c) += w * v_(j, c);
                    by_v(j, c) += w * g_(i, c);
                }
                for (std::size_t a = 0; a < 5; ++a) {
                    by_q(i, a) += w * dot(g_, i, v_, j) * k_(j, a);
                    by_k(j, a) += w * dot(g_, i, v_, j) * q_(i, a);
                }
            }
        });
        check_close<T>(got["O"], o);
        if (got.contains("s")) check_close<T>(got["s"], s);
        if (got.contains("t")) check_close<T>(got["t"], t);
        check_close<T>(got["dL/dQ"], by_q);
        check_close<T>(got["dL/dK"], by_k);
        check_close<T>(got["dL/dV"], by_v);
    }

private:
    std::string masked() const {
        return "S^{ij} = Q^{ia} K^{ja}\n M^{ij} = \\begin{cases} S^{ij} & \\text{if } " +
               by_.condition + " \\\\ -\\infty & \\text{otherwise} \\end{cases}\n";
    }
    static matrix zeros(std::size_t rows, std::size_t columns) {
        return {rows, columns, numbers(rows * columns)};
    }
    std::vector<ricci::named> bound(std::vector<ricci::named> all) const {
        all.push_back({"Q", array_of<T>(q_)});
        all.push_back({"K", array_of<T>(k_)});
        const auto wanted = [&](const char* name) {
            return std::ranges::count(by_.operands, name) > 0;
        };
        if (wanted("f")) all.push_back({"f", vector_of(s_.first)});
        if (wanted("e")) all.push_back({"e", vector_of(s_.end)});
        if (wanted("r")) all.push_back({"r", vector_of(s_.of_row)});
        if (wanted("c")) all.push_back({"c", vector_of(s_.of_column)});
        if (wanted("x")) all.push_back({"x", places_of<T>(s_.row_place)});
        if (wanted("y")) all.push_back({"y", places_of<T>(s_.column_place)});
        return all;
    }
    /// Calls visit(row, its columns).
    template <class Visit>
    void each_row(Visit visit) const {
        std::vector<std::size_t> seen;
        for (std::size_t i = 0; i < q_.rows; ++i) {
            seen.clear();
            const auto row = static_cast<std::int64_t>(i),
                       last = static_cast<std::int64_t>(k_.rows);
            for (auto j = std::max<std::int64_t>(0, row - by_.reach);
                 j < std::min(last, row + by_.reach + 1); ++j)
                if (by_.holds(s_, row, j)) seen.push_back(at(j));
            visit(i, seen);
        }
    }
    /// Compares what is infinite, and leaves 0 there in both.
    static ricci::array finite_of(const ricci::array& got, matrix& expected) {
        ricci::array rest = got.clone();
        T* const data = static_cast<T*>(rest.data());
        std::size_t wrong = 0;
        for (std::size_t k = 0; k < got.size(); ++k) {
            if (std::isfinite(expected(k))) continue;
            wrong += data[k] == -INFINITY ? 0 : 1;
            data[k] = 0;
            expected(k) = 0;
        }
        CHECK(wrong == 0);
        return rest;
    }

    const relation& by_;
    sides s_;
    matrix q_, k_, v_, g_;
};

template <class T>
void check_all(const relation& by, std::size_t rows, std::size_t columns, bool sorted,
               unsigned seed) {
    INFO(by.name << (sorted ? ", sorted, " : ", ") << rows << " x " << columns << ", "
                 << ricci::name_of(ricci::element_v<T>));
    const masked_pairs<T> pairs(by, rows, columns, sorted, seed);
    pairs.check_softmax();
    pairs.check_folds();
    pairs.check_sums();
}

// A mask of blocks that are rows of a tile and columns of it.
template <class T>
void check_blocks(std::size_t across, std::size_t down, std::size_t rows, std::size_t columns) {
    INFO(across << " x " << down << " blocks of " << rows << " x " << columns);
    auto p = ricci::parse(R"(
        M^{piqj} = \begin{cases} Q^{(pi)a} K^{(qj)a} & \text{if } [B^{pq}] \\
                                 -\infty & \text{otherwise} \end{cases}
        A^{piqj} = \operatorname{softmax}_{qj}(M^{piqj})
        O^{pic} = A^{piqj} V^{(qj)c}
    )")
                 .value();
    p = ricci::value_and_gradient(p, "O", {"V"});
    const auto q = random_matrix<T>(across * rows, 5, 1, 2),
               k = random_matrix<T>(down * columns, 5, 2),
               v = random_matrix<T>(down * columns, 3, 3),
               g = random_matrix<T>(across * rows, 3, 4);
    std::vector<std::int32_t> mask(across * down);
    std::mt19937 generator(7);
    for (auto& x : mask) x = generator() % 5 == 0 ? 1 : 0;
    ricci::array b(ricci::element::i32, extents{across, down});
    std::ranges::copy(mask, static_cast<std::int32_t*>(b.data()));
    ricci::array slope(ricci::element_v<T>, extents{across, rows, 3});
    std::ranges::copy(g.values, static_cast<T*>(slope.data()));
    const auto got = run_everywhere<T>(p,
                                       {{"Q", array_of<T>(q)},
                                        {"K", array_of<T>(k)},
                                        {"V", array_of<T>(v)},
                                        {"B", b},
                                        {"dL/dO", slope}},
                                       q.rows * k.rows);
    matrix o{q.rows, 3, numbers(3 * q.rows)}, by_v{k.rows, 3, numbers(3 * k.rows)};
    for (std::size_t i = 0; i < q.rows; ++i) {
        const auto seen = [&](std::size_t j) { return mask[i / rows * down + j / columns] != 0; };
        long double most = -INFINITY, sum = 0;
        for (std::size_t j = 0; j < k.rows; ++j)
            if (seen(j)) most = std::max(most, dot(q, i, k, j));
        for (std::size_t j = 0; j < k.rows; ++j)
            if (seen(j)) sum += std::exp(dot(q, i, k, j) - most);
        for (std::size_t j = 0; j < k.rows; ++j) {
            if (!seen(j)) continue;
            const long double weight = std::exp(dot(q, i, k, j) - most) / sum;
            for (std::size_t c = 0; c < 3; ++c) {
                o(i, c) += weight * v(j, c);
                by_v(j, c) += weight * g(i, c);
            }
        }
    }
    check_close<T>(got["O"], o);
    check_close<T>(got["dL/dV"], by_v);
}

}  // namespace

TEST_CASE("blocks of pairs that a mask leaves") {
    check_blocks<float>(40, 37, 32, 33);  // more blocks than a block has rows
    check_blocks<double>(40, 7, 33, 64);
    check_blocks<float>(6, 9, 70, 50);
    check_blocks<double>(50, 60, 5, 4);
}

// NaN times a weight of 0 would be NaN: these are not made.
TEST_CASE("what no row sees is not read") {
    const std::size_t rows = 300, columns = 2000, seen = 704;
    sides s(rows, columns, true, 1);
    for (std::size_t i = 0; i < rows; ++i) {
        s.first[i] = static_cast<std::int32_t>(i);
        s.end[i] = s.first[i] + 9;
        s.of_row[i] = static_cast<std::int32_t>(i / 100);
        s.row_place[i] = static_cast<float>(i);
    }
    for (std::size_t j = 0; j < columns; ++j) {
        s.of_column[j] = j < seen ? static_cast<std::int32_t>(j % 3) : 3;
        s.column_place[j] = static_cast<float>(j);
    }
    auto v = random_matrix<float>(columns, 9, 3);
    for (std::size_t k = 9 * seen; k < v.values.size(); ++k) v.values[k] = NAN;
    const std::vector<ricci::named> all = {
        {"Q", array_of<float>(random_matrix<float>(rows, 5, 1))},
        {"K", array_of<float>(random_matrix<float>(columns, 5, 2))},
        {"V", array_of<float>(v)},
        {"f", vector_of(s.first)},
        {"e", vector_of(s.end)},
        {"r", vector_of(s.of_row)},
        {"c", vector_of(s.of_column)},
        {"x", vector_of(s.row_place)},
        {"y", vector_of(s.column_place)}};
    for (const auto& by : relations()) {
        if (by.name == std::string("ranges of columns") || by.name == std::string("all but some"))
            continue;
        std::vector<ricci::named> operands(all.begin(), all.begin() + 3);
        for (const auto& o : all)
            if (std::ranges::count(by.operands, o.name) > 0) operands.push_back(o);
        for (const std::string& weight :
             {"[" + by.condition + "] \\exp(Q^{ia} K^{ja})",
              "\\operatorname{softmax}_j(\\begin{cases} Q^{ia} K^{ja} & \\text{if } " +
                  by.condition + " \\\\ -\\infty & \\text{otherwise} \\end{cases})"}) {
            const auto p = ricci::parse("W^{ij} = " + weight + "\nO^{ic} = W^{ij} V^{jc}").value();
            INFO(ricci::explain(p, operands));
            const auto got = ricci::run(p, operands)["O"];
            const auto* const data = static_cast<const float*>(got.data());
            CHECK(std::all_of(data, data + got.size(), [](float o) { return std::isfinite(o); }));
        }
    }
}

TEST_CASE("pairs that a condition leaves, and their gradients") {
    unsigned seed = 500;
    for (const auto& by : relations())
        for (const bool sorted : {true, false}) {
            if (by.operands.empty() && !sorted) continue;
            for (const extents& e : {extents{300, 420}, extents{610, 333}}) {
                seed += 10;
                if (ricci::testing::few() && seed % 3 != 0) continue;
                check_all<float>(by, e[0], e[1], sorted, seed);
                check_all<double>(by, e[0], e[1], sorted, seed);
            }
        }
}

// So many tiles that none of them is looked at beforehand.
TEST_CASE("a window over many rows") {
    const std::size_t n = ricci::testing::few() ? 3000 : 10500;
    check_all<double>(relations()[0], n, n + 100, true, 900);
}
