// Planes that all of a batch have in common: a bias of attention that is read again for each of
// them, and its gradient, which is a sum over the batch, against plain loops in long double.
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <ricci/program.hpp>

#include "tests/catch.hpp"
#include "tests/unit/fused/all_pairs.hpp"

namespace {

using namespace ricci::testing::pairs;

struct sizes {
    std::size_t heads, batch, rows, columns, width;

    std::size_t planes() const { return heads * batch; }
};

matrix zeros(std::size_t rows, std::size_t columns) {
    return {rows, columns, numbers(rows * columns)};
}

template <class T>
ricci::array shaped(const matrix& m, const extents& shape) {
    const ricci::array flat = array_of<T>(m);
    ricci::array a(ricci::element_v<T>, std::span<const std::size_t>(shape));
    const T* const from = static_cast<const T*>(flat.data());
    std::copy_n(from, flat.size(), static_cast<T*>(a.data()));
    return a;
}

/// Attention with a bias, and gradients for cotangents g; matrices are [head, batch, row] or
/// [head, row] by the last axis. Where `causal`, columns behind the row do not count.
struct oracle {
    matrix output, of_queries, of_bias;

    oracle(const sizes& s, bool causal, const matrix& q, const matrix& t, const matrix& v,
           const matrix& b, const matrix& g)
        : output(zeros(s.planes() * s.rows, s.width)),
          of_queries(output),
          of_bias(zeros(s.heads * s.rows, s.columns)) {
        for (std::size_t plane = 0; plane < s.planes(); ++plane)
            for (std::size_t j = 0; j < s.rows; ++j)
                add_row(s, plane, j, causal ? std::min(j + 1, s.columns) : s.columns, q, t, v, b,
                        g);
    }

private:
    void add_row(const sizes& s, std::size_t plane, std::size_t j, std::size_t count,
                 const matrix& q, const matrix& t, const matrix& v, const matrix& b,
                 const matrix& g) {
        const std::size_t row = plane * s.rows + j, of_plane = plane / s.batch * s.rows + j;
        numbers weight(count), slope(count);
        long double all = 0, mean = 0;
        for (std::size_t k = 0; k < count; ++k) {
            const std::size_t column = plane * s.columns + k;
            weight[k] = std::exp(dot(q, row, t, column) / 4 + b(of_plane, k));
            slope[k] = dot(g, row, v, column);
            all += weight[k];
        }
        for (std::size_t k = 0; k < count; ++k) {
            weight[k] /= all;
            mean += weight[k] * slope[k];
        }
        for (std::size_t k = 0; k < count; ++k) {
            const std::size_t column = plane * s.columns + k;
            const long double of_score = weight[k] * (slope[k] - mean);
            of_bias(of_plane, k) += of_score;
            for (std::size_t a = 0; a < s.width; ++a) {
                output(row, a) += weight[k] * v(column, a);
                of_queries(row, a) += of_score / 4 * t(column, a);
            }
        }
    }
};

template <class T>
void check(const sizes& s, bool causal) {
    INFO(s.heads << " x " << s.batch << " planes of " << s.rows << " x " << s.columns);
    const std::size_t rows = s.planes() * s.rows, columns = s.planes() * s.columns;
    const auto q = random_matrix<T>(rows, s.width, 1), t = random_matrix<T>(columns, s.width, 2),
               v = random_matrix<T>(columns, s.width, 3),
               b = random_matrix<T>(s.heads * s.rows, s.columns, 4),
               g = random_matrix<T>(rows, s.width, 5);
    const oracle expected(s, causal, q, t, v, b, g);
    const extents of_rows{s.heads, s.batch, s.rows, s.width},
        of_columns{s.heads, s.batch, s.columns, s.width};
    const std::string mask = causal ? R"(M^{hijk} = \begin{cases} S^{hijk} & k \le j \\
                                         -\infty & \text{otherwise} \end{cases})"
                                    : "M^{hijk} = S^{hijk}";
    const auto p = ricci::value_and_gradient(ricci::parse(R"(
        S^{hijk} = 0.25 q^{hija} t^{hika} + b^{hjk}
        )" + mask + R"(
        A^{hijk} = \operatorname{softmax}_k(M^{hijk})
        O^{hija} = A^{hijk} v^{hika})")
                                                 .value(),
                                             "O", {"q", "b"});
    const auto got = run_everywhere<T>(p,
                                       {{"q", shaped<T>(q, of_rows)},
                                        {"t", shaped<T>(t, of_columns)},
                                        {"v", shaped<T>(v, of_columns)},
                                        {"b", shaped<T>(b, {s.heads, s.rows, s.columns})},
                                        {"dL/dO", shaped<T>(g, of_rows)}},
                                       s.planes() * s.rows * s.columns);
    check_close<T>(got["O"], expected.output);
    check_close<T>(got["dL/dq"], expected.of_queries);
    check_close<T>(got["dL/db"], expected.of_bias);
}

template <class T>
void check_all() {
    for (const bool causal : {false, true}) {
        check<T>({2, 40, 100, 150, 24}, causal);  // copies stay, sums are gathered
        check<T>({17, 3, 70, 131, 24}, causal);   // a batch is a task
        check<T>({1, 2, 96, 700, 24}, causal);    // several blocks of columns
    }
}

}  // namespace

TEST_CASE("planes that a batch has in common are read and summed as plain loops do", "[fused]") {
    check_all<float>();
    check_all<double>();
}
