// Tables that are looked up by the numbers of rows and of columns, as biases of attention and
// potentials of two kinds of atoms are: tiles read them, nothing of the size of all pairs is stored,
// and slopes are added up where the numbers say. Compared with plain loops in long double.
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <ricci/program.hpp>

#include "tests/catch.hpp"
#include "tests/unit/fused/all_pairs.hpp"

namespace {

using namespace ricci::testing::pairs;

using places = std::vector<std::int64_t>;

places random_places(std::size_t count, std::int64_t extent, unsigned seed) {
    std::mt19937 generator(seed);
    std::uniform_int_distribution<std::int64_t> place(0, extent - 1);
    places p;
    for (std::size_t k = 0; k < count; ++k) p.push_back(place(generator));
    return p;
}

template <class Number>
ricci::array array_of_places(const places& p) {
    const extents shape{p.size()};
    ricci::array a(ricci::element_v<Number>, std::span<const std::size_t>(shape));
    for (std::size_t k = 0; k < p.size(); ++k)
        static_cast<Number*>(a.data())[k] = static_cast<Number>(p[k]);
    return a;
}

matrix nothing(std::size_t rows, std::size_t columns) {
    return {rows, columns, numbers(rows * columns)};
}

/// Attention with a bias for each pair of kinds, and its slopes with `g`.
struct attention {
    matrix q, k, v, table, g;
    places m, n;

    matrix result, by_q, by_k, by_v, by_table, weights;

    void run() {
        const std::size_t rows = q.rows, columns = k.rows;
        result = nothing(rows, v.columns), by_q = nothing(rows, q.columns);
        by_k = nothing(columns, k.columns), by_v = nothing(columns, v.columns);
        by_table = nothing(table.rows, table.columns);
        weights = nothing(rows, columns);
        for (std::size_t i = 0; i < rows; ++i) {
            long double most = -HUGE_VALL, sum = 0, mean = 0;
            numbers score(columns), slope(columns);
            for (std::size_t j = 0; j < columns; ++j) {
                score[j] = dot(q, i, k, j) + bias(i, j);
                most = std::max(most, score[j]);
            }
            for (std::size_t j = 0; j < columns; ++j) sum += std::exp(score[j] - most);
            for (std::size_t j = 0; j < columns; ++j) {
                const long double w = weights(i, j) = std::exp(score[j] - most) / sum;
                slope[j] = dot(g, i, v, j);
                mean += w * slope[j];
                for (std::size_t c = 0; c < v.columns; ++c) {
                    result(i, c) += w * v(j, c);
                    by_v(j, c) += w * g(i, c);
                }
            }
            for (std::size_t j = 0; j < columns; ++j) {
                const long double s = weights(i, j) * (slope[j] - mean);
                by_table(at(m, i), at(n, j)) += s;
                for (std::size_t a = 0; a < q.columns; ++a) {
                    by_q(i, a) += s * k(j, a);
                    by_k(j, a) += s * q(i, a);
                }
            }
        }
    }
    static std::size_t at(const places& p, std::size_t k) { return static_cast<std::size_t>(p[k]); }
    long double bias(std::size_t i, std::size_t j) const { return table(at(m, i), at(n, j)); }
};

template <class T>
attention random_attention(const extents& e, std::int64_t kinds, unsigned seed) {
    attention a;
    a.q = random_matrix<T>(e[0], 12, seed), a.k = random_matrix<T>(e[1], 12, seed + 1);
    a.v = random_matrix<T>(e[1], 8, seed + 2), a.g = random_matrix<T>(e[0], 8, seed + 3);
    const auto rows = static_cast<std::size_t>(kinds);
    a.table = random_matrix<T>(rows, rows + 3, seed + 4, 2);
    a.m = random_places(e[0], kinds, seed + 5), a.n = random_places(e[1], kinds + 3, seed + 6);
    return a;
}

const std::string biased =
    R"(s^{ic} = \operatorname{softmax}_j(Q^{ia} K^{ja} + B^{\text{m}_i \text{u}_j}) V^{jc})";
// What lands is added up along rows first.
const std::string biased_by_rows =
    R"(s^{jc} = \operatorname{softmax}_i(K^{ia} Q^{ja} + B^{\text{m}_j \text{u}_i}) V^{ic})";

template <class T, class Number>
std::vector<ricci::named> operands_of(const attention& a) {
    return {{"Q", array_of<T>(a.q)},
            {"K", array_of<T>(a.k)},
            {"V", array_of<T>(a.v)},
            {"B", array_of<T>(a.table)},
            {"m", array_of_places<Number>(a.m)},
            {"u", array_of_places<Number>(a.n)}};
}

template <class T, class Number>
void check_biased(const std::string& text, const extents& e, std::int64_t kinds, unsigned seed) {
    INFO(text << "\n" << e[0] << " x " << e[1] << ", " << kinds << " kinds");
    auto a = random_attention<T>(e, kinds, seed);
    a.run();
    auto operands = operands_of<T, Number>(a);
    const auto p = ricci::parse(text).value();
    check_close<T>(run_everywhere<T>(p, operands, e[0] * e[1])["s"], a.result);
    operands.push_back({"dL/ds", array_of<T>(a.g)});
    const auto all = ricci::value_and_gradient(p, "s", {"Q", "K", "V", "B"});
    const auto got = run_everywhere<T>(all, operands, e[0] * e[1]);
    check_close<T>(got["s"], a.result);
    check_close<T>(got["dL/dQ"], a.by_q);
    check_close<T>(got["dL/dK"], a.by_k);
    check_close<T>(got["dL/dV"], a.by_v);
    check_close<T>(got["dL/dB"], a.by_table);
    // Alone.
    const auto alone = ricci::gradient(p, "s", {"B"});
    check_close<T>(run_everywhere<T>(alone, operands, e[0] * e[1])["dL/dB"], a.by_table);
}

/// Energies of pairs whose depths a table of kinds has, with slopes by points and by the table.
template <class T>
void check_energy(std::size_t n, unsigned seed) {
    INFO(n << " points");
    const auto p = ricci::value_and_gradient(
        ricci::parse(R"(E = \sum_{ij} [i < j] \exp(-D^{t_i t_j} \sum_a (x^{ia} - x^{ja})^2))")
            .value(),
        "E", {"x", "D"});
    const auto x = random_matrix<T>(n, 3, seed);
    auto e = random_matrix<T>(4, 4, seed + 1);
    for (long double& depth : e.values) depth = static_cast<T>(1 + depth / 2);
    const places t = random_places(n, 4, seed + 2);
    matrix energy = nothing(1, 1), by_x = nothing(n, 3), by_e = nothing(4, 4);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = i + 1; j < n; ++j) {
            long double square = 0;
            for (std::size_t a = 0; a < 3; ++a) square += (x(i, a) - x(j, a)) * (x(i, a) - x(j, a));
            const auto p_at = static_cast<std::size_t>(t[i]), q_at = static_cast<std::size_t>(t[j]);
            const long double value = std::exp(-e(p_at, q_at) * square);
            energy(0) += value;
            by_e(p_at, q_at) -= square * value;
            for (std::size_t a = 0; a < 3; ++a) {
                const long double s = -2 * e(p_at, q_at) * value * (x(i, a) - x(j, a));
                by_x(i, a) += s, by_x(j, a) -= s;
            }
        }
    const auto got = run_everywhere<T>(p,
                                       {{"x", array_of<T>(x)},
                                        {"D", array_of<T>(e)},
                                        {"t", array_of_places<std::int32_t>(t)},
                                        {"dL/dE", 1.0}},
                                       n * n);
    check_close<T>(got["E"], energy);
    check_close<T>(got["dL/dx"], by_x);
    check_close<T>(got["dL/dD"], by_e);
}

std::string refusal(const ricci::program& p, const std::vector<ricci::named>& operands) {
    try {
        ricci::run(p, operands);
    } catch (const ricci::error& e) {
        return e.what();
    }
    return "nothing was refused";
}

}  // namespace

TEST_CASE("a bias that rows and columns look up, and its slopes") {
    unsigned seed = 1;
    for (const extents& e : {extents{130, 257}, extents{300, 90}, extents{60, 200}})
        for (const std::int64_t kinds : {2, 24}) {
            check_biased<float, std::int32_t>(biased, e, kinds, seed);
            check_biased<double, std::int64_t>(biased_by_rows, e, kinds, seed);
            seed += 10;
        }
}

TEST_CASE("a table that hides pairs of segments") {
    auto a = random_attention<float>({130, 257}, 3, 5);
    a.table = random_matrix<float>(3, 6, 7);
    for (std::size_t p = 0; p < 3; ++p)
        for (std::size_t q = 0; q < 6; ++q)
            if (p != q % 3) a.table(p, q) = -std::numeric_limits<long double>::infinity();
    a.run();
    const auto p = ricci::parse(biased).value();
    const auto got = run_everywhere<float>(p, operands_of<float, std::int32_t>(a), 130 * 257);
    check_close<float>(got["s"], a.result);
}

TEST_CASE("depths of pairs of kinds") {
    for (const std::size_t n : {130u, 300u}) {
        check_energy<float>(n, 3);
        check_energy<double>(n, 4);
    }
}

TEST_CASE("other folds of what is looked up by rows, columns or both") {
    const std::size_t rows = 140, columns = 270;
    const auto x = random_matrix<double>(rows, 1, 3), table = random_matrix<double>(rows, 7, 4),
               both = random_matrix<double>(6, 7, 5);
    const places m = random_places(rows, 6, 6), n = random_places(columns, 7, 7);
    const auto p = ricci::parse(R"(
        a^i = \max_j(R^{i \text{u}_j} + \sin(x^i + y^j))
        b^j = \min_i(\cos(B^{\text{m}_i \text{u}_j} + x^i y^j))
        c^j = \sum_i \exp(R^{i \text{u}_j} - y^j)
    )")
                       .value();
    const auto y = random_matrix<double>(columns, 1, 8);
    matrix a = nothing(rows, 1), b = nothing(columns, 1), c = nothing(columns, 1);
    for (long double& value : a.values) value = -HUGE_VALL;
    for (long double& value : b.values) value = HUGE_VALL;
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j) {
            const auto p_at = static_cast<std::size_t>(m[i]), q_at = static_cast<std::size_t>(n[j]);
            a(i) = std::max(a(i), table(i, q_at) + std::sin(x(i) + y(j)));
            b(j) = std::min(b(j), std::cos(both(p_at, q_at) + x(i) * y(j)));
            c(j) += std::exp(table(i, q_at) - y(j));
        }
    const auto got = run_everywhere<double>(p,
                                            {{"x", array_of<double>(x, 1)},
                                             {"y", array_of<double>(y, 1)},
                                             {"R", array_of<double>(table)},
                                             {"B", array_of<double>(both)},
                                             {"m", array_of_places<std::int32_t>(m)},
                                             {"u", array_of_places<std::int32_t>(n)}},
                                            rows * columns);
    check_close<double>(got["a"], a);
    check_close<double>(got["b"], b);
    check_close<double>(got["c"], c);
}

TEST_CASE("numbers that are no places are refused before anything is written") {
    auto a = random_attention<float>({130, 257}, 5, 9);
    const auto p = ricci::parse(biased).value();
    const auto slopes = ricci::gradient(p, "s", {"B", "Q"});
    for (const bool of_rows : {true, false})
        for (const std::int64_t wrong : {std::int64_t{-1}, std::int64_t{100}}) {
            auto other = a;
            (of_rows ? other.m : other.n)[77] = wrong;
            auto operands = operands_of<float, std::int32_t>(other);
            INFO((of_rows ? "rows" : "columns") << ", " << wrong);
            const auto forward = refusal(p, operands);
            CHECK(forward.find(std::to_string(wrong)) != std::string::npos);
            CHECK(forward.find(of_rows ? "m" : "u") != std::string::npos);
            operands.push_back({"dL/ds", array_of<float>(a.g)});
            CHECK(refusal(slopes, operands).find(std::to_string(wrong)) != std::string::npos);
        }
}

TEST_CASE("a softmax needs all places, also where few of its values land") {
    const auto p =
        ricci::parse(
            R"(G^{pq} = \sum_{ij} \operatorname{softmax}_j(B^{m_i m_j}) [p = m_i] [q = m_j])")
            .value();
    places m = random_places(150, 6, 2);
    m[70] = 6;
    const std::vector<ricci::named> operands = {
        {"B", array_of<double>(random_matrix<double>(6, 6, 1))},
        {"m", array_of_places<std::int32_t>(m)},
        {"p", ricci::extent(6)},
        {"q", ricci::extent(6)}};
    CHECK(refusal(p, operands).find("6") != std::string::npos);
}

TEST_CASE("what lands at no place is added nowhere") {
    const std::size_t n = 150;
    const auto x = random_matrix<double>(n, 1, 1);
    const auto p = ricci::parse(R"(G^{pq} = \sum_{ij} \exp(x^i x^j) [p = m_i] [q = m_j])").value();
    for (const std::int64_t kinds : {3, 6}) {
        const auto count = static_cast<std::size_t>(kinds);
        places m = random_places(n, kinds, 2);
        m[3] = -1, m[70] = kinds, m[149] = 1000;
        const auto lands = [&](std::int64_t number) { return number >= 0 && number < kinds; };
        matrix expected = nothing(count, count);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j)
                if (lands(m[i]) && lands(m[j]))
                    expected(static_cast<std::size_t>(m[i]), static_cast<std::size_t>(m[j])) +=
                        std::exp(x(i) * x(j));
        const auto got = run_everywhere<double>(p,
                                                {{"x", array_of<double>(x, 1)},
                                                 {"m", array_of_places<std::int32_t>(m)},
                                                 {"p", ricci::extent(kinds)},
                                                 {"q", ricci::extent(kinds)}},
                                                n * n);
        check_close<double>(got["G"], expected);
    }
}
