// Losses over all pairs that read their scores along both sides, along a line, or where a label
// says, through a factor and a bias: against plain loops in long double. No scores are stored.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <ricci/program.hpp>

#include "tests/catch.hpp"
#include "tests/unit/fused/all_pairs.hpp"

namespace {

using namespace ricci::testing::pairs;

/// Scores t x y + b, and what a loss says of them: its value, and its slopes by them.
struct scored {
    matrix x, y;
    long double scale, bias;
    matrix scores, slopes;
    long double value = 0;

    template <class Weigh>
    scored(matrix rows, matrix columns, long double t, long double b, const Weigh& weigh)
        : x(std::move(rows)), y(std::move(columns)), scale(t), bias(b) {
        scores = slopes = {x.rows, y.rows, numbers(x.rows * y.rows)};
        for (std::size_t i = 0; i < x.rows; ++i)
            for (std::size_t j = 0; j < y.rows; ++j) scores(i, j) = t * dot(x, i, y, j) + b;
        value = weigh(scores, slopes);
    }

    template <class T>
    void check(const ricci::arrays& got) const {
        matrix by_x{x.rows, x.columns, numbers(x.values.size())},
            by_y{y.rows, y.columns, numbers(y.values.size())}, by_scale{1, 1, {0}},
            by_bias{1, 1, {0}};
        for (std::size_t i = 0; i < x.rows; ++i)
            for (std::size_t j = 0; j < y.rows; ++j) {
                by_scale(0) += slopes(i, j) * dot(x, i, y, j);
                by_bias(0) += slopes(i, j);
                for (std::size_t a = 0; a < x.columns; ++a) {
                    by_x(i, a) += scale * slopes(i, j) * y(j, a);
                    by_y(j, a) += scale * slopes(i, j) * x(i, a);
                }
            }
        const matrix of_value{1, 1, {value}};
        const struct {
            const char* name;
            const matrix& expected;
        } all[] = {{"L", of_value},
                   {"dL/dX", by_x},
                   {"dL/dY", by_y},
                   {"dL/dt", by_scale},
                   {"dL/db", by_bias}};
        for (const auto& [name, expected] : all) {
            INFO(name);
            if (got.contains(name)) check_close<T>(got[name], expected);
        }
    }
};

template <class T>
ricci::arrays run_loss(const std::string& text, const std::vector<std::string>& by, const scored& s,
                       const matrix& labels) {
    INFO(text);
    const auto loss = ricci::parse(text).value();
    const auto p = by.empty() ? loss : ricci::value_and_gradient(loss, "L", by);
    std::vector<ricci::named> operands{
        {"X", array_of<T>(s.x)}, {"Y", array_of<T>(s.y)}, {"t", static_cast<double>(s.scale)}};
    if (text.find("+ b") != std::string::npos)
        operands.push_back({"b", static_cast<double>(s.bias)});
    if (text.find("c_i") != std::string::npos)
        operands.push_back({"c", array_of<std::int32_t>(labels, 1)});
    if (!by.empty()) operands.push_back({"dL/dL", 1.0});
    return run_everywhere<T>(p, operands, s.x.rows * s.y.rows);
}

long double log_sum(const matrix& s, std::size_t at, bool row) {
    const std::size_t count = row ? s.columns : s.rows;
    const auto score = [&](std::size_t k) { return row ? s(at, k) : s(k, at); };
    long double most = -INFINITY, sum = 0;
    for (std::size_t k = 0; k < count; ++k) most = std::max(most, score(k));
    for (std::size_t k = 0; k < count; ++k) sum += std::exp(score(k) - most);
    return most + std::log(sum);
}

matrix log_sums(const matrix& a, const matrix& b) {
    matrix s{a.rows, b.rows, numbers(a.rows * b.rows)}, result{a.rows, 1, {}};
    for (std::size_t i = 0; i < a.rows; ++i)
        for (std::size_t j = 0; j < b.rows; ++j) s(i, j) = dot(a, i, b, j);
    for (std::size_t i = 0; i < a.rows; ++i) result.values.push_back(log_sum(s, i, true));
    return result;
}

/// Each row finds its own column among all, and each column its row.
long double symmetric_loss(const matrix& s, matrix& slopes) {
    const auto share = 1 / static_cast<long double>(s.rows);
    long double value = 0;
    numbers rows, columns;
    for (std::size_t k = 0; k < s.rows; ++k) {
        rows.push_back(log_sum(s, k, true));
        columns.push_back(log_sum(s, k, false));
        value += share * (rows[k] + columns[k] - 2 * s(k, k));
    }
    for (std::size_t i = 0; i < s.rows; ++i)
        for (std::size_t j = 0; j < s.rows; ++j)
            slopes(i, j) = share * (std::exp(s(i, j) - rows[i]) + std::exp(s(i, j) - columns[j]) -
                                    (i == j ? 2 : 0));
    return value;
}

template <class T>
void check_symmetric(std::size_t n, std::size_t width, unsigned seed, bool biased) {
    const std::string text = "S^{ij} = t X^{ia} Y^{ja}" + std::string(biased ? " + b" : "") + R"(
        L = \operatorname{mean}_i(\operatorname{logsumexp}_j(S^{ij}) + \operatorname{logsumexp}_j(S^{ji})
            - 2 S^{ii}))";
    const scored s(random_matrix<T>(n, width, seed), random_matrix<T>(n, width, seed + 1), 2,
                   biased ? -1 : 0, symmetric_loss);
    s.check<T>(run_loss<T>(text, {}, s, {}));
    s.check<T>(run_loss<T>(text, {"X", "Y"}, s, {}));
    s.check<T>(run_loss<T>(text, {"X", "Y", "t"}, s, {}));
}

/// Do the two belong together? A question for each pair.
long double sigmoid_loss(const matrix& s, matrix& slopes) {
    const auto share = 1 / static_cast<long double>(s.rows);
    long double value = 0;
    for (std::size_t i = 0; i < s.rows; ++i)
        for (std::size_t j = 0; j < s.columns; ++j) {
            const long double x = s(i, j);
            value += share * (std::max(x, 0.0L) + std::log1p(std::exp(-std::abs(x))));
            if (i == j) value -= share * x;
            slopes(i, j) = share * (1 / (1 + std::exp(-x)) - (i == j ? 1 : 0));
        }
    return value;
}

}  // namespace

TEST_CASE("a loss that is symmetric in rows and columns, with and without a bias") {
    unsigned seed = 31;
    for (const bool biased : {false, true}) {
        check_symmetric<float>(150, 24, seed, biased);
        check_symmetric<double>(200, 40, seed++, biased);
    }
}

TEST_CASE("a sigmoid loss over all pairs reads the diagonal through a bias") {
    const std::string text = R"(
        S^{ij} = t X^{ia} Y^{ja} + b
        L = \operatorname{mean}_i(\sum_j \operatorname{softplus}(S^{ij}) - S^{ii}))";
    const scored s(random_matrix<float>(180, 24, 41), random_matrix<float>(180, 24, 42), 3, -2,
                   sigmoid_loss);
    s.check<float>(run_loss<float>(text, {}, s, {}));
    s.check<float>(run_loss<float>(text, {"X", "Y"}, s, {}));
    s.check<float>(run_loss<float>(text, {"X", "Y", "t", "b"}, s, {}));
}

TEST_CASE("cross entropy reads labels through a factor and a bias") {
    const std::size_t rows = 70, words = 300;
    matrix labels{rows, 1, {}};
    for (std::size_t i = 0; i < rows; ++i)
        labels.values.push_back(static_cast<long double>(i * 7919 % words));
    const auto weigh = [&](const matrix& s, matrix& slopes) {
        long double value = 0;
        for (std::size_t i = 0; i < rows; ++i) {
            const long double all = log_sum(s, i, true);
            const auto label = static_cast<std::size_t>(labels(i));
            value += all - s(i, label);
            for (std::size_t v = 0; v < words; ++v)
                slopes(i, v) = std::exp(s(i, v) - all) - (v == label ? 1 : 0);
        }
        return value;
    };
    const scored s(random_matrix<double>(rows, 24, 51), random_matrix<double>(words, 24, 52), 2, 1,
                   weigh);
    const std::string text = R"(
        Z^{iv} = t X^{ia} Y^{va} + b
        L = \sum_i (\operatorname{logsumexp}_v(Z^{iv}) - Z^{i c_i}))";
    s.check<double>(run_loss<double>(text, {}, s, labels));
    // that by b is 0
    s.check<double>(run_loss<double>(text, {"X", "Y", "t"}, s, labels));
}

TEST_CASE("one log-sum-exp under two letters") {
    const auto x = random_matrix<float>(120, 16, 71), y = random_matrix<float>(150, 16, 72);
    const auto p = ricci::parse(R"(
        S^{ij} = X^{ia} Y^{ja}
        u^i = \operatorname{logsumexp}_j(S^{ij})
        v^p = \operatorname{logsumexp}_q(S^{pq}))")
                       .value();
    const auto got =
        run_everywhere<float>(p, {{"X", array_of<float>(x)}, {"Y", array_of<float>(y)}}, 120 * 150);
    const auto expected = log_sums(x, y);
    check_close<float>(got["u"], expected);
    check_close<float>(got["v"], expected);
}

TEST_CASE("a bias of each column is read where a label says") {
    const std::size_t rows = 90, words = 250, width = 16;
    const auto x = random_matrix<float>(rows, width, 61),
               u = random_matrix<float>(words, width, 62),
               bias = random_matrix<float>(words, 1, 63);
    matrix labels{rows, 1, {}}, expected{1, 1, {0}};
    for (std::size_t i = 0; i < rows; ++i)
        labels.values.push_back(static_cast<long double>(i * 31 % words));
    matrix z{rows, words, numbers(rows * words)};
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t v = 0; v < words; ++v) z(i, v) = dot(x, i, u, v) + bias(v);
    for (std::size_t i = 0; i < rows; ++i)
        expected(0) += log_sum(z, i, true) - z(i, static_cast<std::size_t>(labels(i)));
    const auto p = ricci::parse(R"(
        Z^{iv} = X^{ia} U^{va} + b^v
        L = \sum_i (\operatorname{logsumexp}_v(Z^{iv}) - Z^{i c_i}))")
                       .value();
    const auto got = run_everywhere<float>(p,
                                           {{"X", array_of<float>(x)},
                                            {"U", array_of<float>(u)},
                                            {"b", array_of<float>(bias, 1)},
                                            {"c", array_of<std::int32_t>(labels, 1)}},
                                           rows * words);
    check_close<float>(got["L"], expected);
}
