// Sums over ties beside plain loops, on every SIMD target: small whole numbers, of which many are
// equal, and what is no number among them.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <ricci/derivatives.hpp>
#include <ricci/program.hpp>
#include <ricci/ricci.hpp>

#include "src/contract/algebra/tie_sum.hpp"
#include "src/kernels/targets.hpp"
#include "tests/catch.hpp"
#include "tests/few.hpp"

namespace {

using ricci::contractions::prepared_tie_sum;
using ricci::steps::tie_sum;
using ricci::steps::tie_test;
using ricci::testing::few_or;

/// An operand's strides over all loops, and its memory.
template <class T>
struct laid_out {
    ricci::steps::operand at;
    std::vector<T> memory;

    T& element(std::int64_t place) { return memory[static_cast<std::size_t>(place)]; }
    std::int64_t place(const std::vector<std::int64_t>& counter) const {
        std::int64_t all = at.offset;
        for (std::size_t l = 0; l < counter.size(); ++l) all += counter[l] * at.strides[l];
        return all;
    }
};

/// Strides of the loops that an operand moves along, in any order, with gaps, some backwards.
template <class T>
laid_out<T> operand_along(const std::vector<std::int64_t>& extents, std::vector<std::size_t> loops,
                          std::mt19937& random) {
    laid_out<T> made;
    made.at.strides.assign(extents.size(), 0);
    if (random() % 2 == 0) std::shuffle(loops.begin(), loops.end(), random);
    else std::reverse(loops.begin(), loops.end());
    std::int64_t step = random() % 4 == 0 ? 2 : 1, size = 1;
    for (const std::size_t l : loops) {
        const bool backwards = random() % 6 == 0;
        made.at.strides[l] = backwards ? -step : step;
        if (backwards) made.at.offset += (extents[l] - 1) * step;
        size += (extents[l] - 1) * step;
        step = step * extents[l] + (random() % 3 == 0 ? 3 : 0);
    }
    made.memory.resize(static_cast<std::size_t>(size));
    for (T& x : made.memory) {
        x = static_cast<T>(static_cast<int>(random() % 7) - 3);
        if (random() % 50 == 0) x = std::numeric_limits<T>::quiet_NaN();
        if (random() % 50 == 0) x = -std::numeric_limits<T>::infinity();
    }
    return made;
}

bool advance(std::vector<std::int64_t>& counter, const std::vector<std::int64_t>& extents) {
    for (std::size_t l = counter.size(); l-- > 0; counter[l] = 0)
        if (++counter[l] < extents[l]) return true;
    return false;
}

struct shape {
    std::int64_t batch, m, n, k;
};

template <class T>
int wrong_sums(const shape& s, tie_test test, bool weighted, unsigned seed) {
    std::mt19937 random(seed);
    // Rows are of one loop or of two.
    const bool two = s.m % 2 == 0;
    std::vector<std::int64_t> extents = {s.batch};
    if (two) extents.push_back(2);
    extents.insert(extents.end(), {two ? s.m / 2 : s.m, s.n, s.k});
    const std::size_t n = extents.size() - 2, k = n + 1;
    std::vector<std::size_t> rows = {0, 1}, kept = {0, 1}, columns = {0, n, k};
    if (two) rows.push_back(2), kept.push_back(2);
    rows.push_back(k);
    kept.push_back(n);
    auto row = operand_along<T>(extents, rows, random),
         column = operand_along<T>(extents, columns, random),
         stays = operand_along<T>(extents, kept, random),
         out = operand_along<T>(extents, kept, random);
    laid_out<T> weight;
    if (weighted) weight = operand_along<T>(extents, rows, random);
    for (T& x : weight.memory)  // what is added up is exact, and what is not added up is anything
        if (x == -std::numeric_limits<T>::infinity()) x = 5;
    std::fill(out.memory.begin(), out.memory.end(), T{77});
    const tie_sum what{sizeof(T) == 4 ? ricci::element::f32 : ricci::element::f64,
                       test,
                       extents,
                       1,
                       two ? 2u : 1u,
                       1,
                       1,
                       row.at,
                       column.at,
                       stays.at,
                       weight.at,
                       out.at,
                       -2};
    std::vector<T> expected = out.memory;
    std::vector<std::int64_t> counter(extents.size(), 0);
    do {
        T& to = expected[static_cast<std::size_t>(out.place(counter))];
        if (counter[k] == 0) to = 0;
        const T r = row.element(row.place(counter)), c = column.element(column.place(counter)),
                f = stays.element(stays.place(counter));
        if (test == tie_test::row_is_sum ? f + c == r : r + c == f)
            to += -2 * (weighted ? weight.element(weight.place(counter)) : T{1});
    } while (advance(counter, extents));
    prepared_tie_sum(what).run({row.memory.data(), column.memory.data(), stays.memory.data(),
                                weight.memory.data(), out.memory.data()});
    int wrong = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const T x = expected[i], y = out.memory[i];
        if (x != y && !(x != x && y != y)) ++wrong;
    }
    return wrong;
}

void check_target() {
    for (unsigned seed = 0; seed < few_or(30u, 90u); ++seed) {
        CAPTURE(seed);
        std::mt19937 random(seed);
        const auto up_to = [&](std::int64_t most) {
            return 1 + static_cast<std::int64_t>(random()) % most;
        };
        const bool deep = seed % 15 == 0;  // more than a block of k, and of columns
        const shape s{up_to(3), up_to(deep ? 12 : 40), up_to(deep ? 700 : 90),
                      deep ? 500 + up_to(600) : up_to(40)};
        for (const auto test : {tie_test::row_is_sum, tie_test::kept_is_sum})
            for (const bool weighted : {false, true}) {
                CHECK(wrong_sums<float>(s, test, weighted, seed) == 0);
                CHECK(wrong_sums<double>(s, test, weighted, seed) == 0);
            }
    }
}

}  // namespace

TEST_CASE("sums over ties are those of plain loops", "[algebra]") {
    for (const std::string& target : ricci::kernels::supported_targets()) {
        CAPTURE(target);
        REQUIRE(ricci::kernels::force_target(target));
        check_target();
    }
    ricci::kernels::reset_target();
}

TEST_CASE("a sum over ties has the same bits on any number of threads", "[algebra]") {
    std::mt19937 random(3);
    const std::vector<std::int64_t> extents = {1, 90, 300, 600};
    auto row = operand_along<float>(extents, {1, 3}, random),
         column = operand_along<float>(extents, {3, 2}, random),
         kept = operand_along<float>(extents, {1, 2}, random),
         weight = operand_along<float>(extents, {1, 3}, random),
         out = operand_along<float>(extents, {1, 2}, random);
    std::normal_distribution<float> normal;
    for (float& x : weight.memory) x = normal(random);
    const tie_sum what{ricci::element::f32,
                       tie_test::row_is_sum,
                       extents,
                       1,
                       1,
                       1,
                       1,
                       row.at,
                       column.at,
                       kept.at,
                       weight.at,
                       out.at,
                       1};
    const prepared_tie_sum sum(what);
    std::vector<float> first;
    for (const int threads : {1, 2, 3, 5}) {
        ricci::threads(threads);
        sum.run({row.memory.data(), column.memory.data(), kept.memory.data(), weight.memory.data(),
                 out.memory.data()});
        if (first.empty()) first = out.memory;
        CHECK(first == out.memory);
    }
    ricci::threads(0);
}

namespace {

/// Whole numbers from -2 to 2, so that sums are often equal.
ricci::array whole_numbers(std::size_t rows, std::size_t columns, unsigned seed) {
    ricci::array a(ricci::element::f32, {rows, columns});
    std::mt19937 random(seed);
    auto* const x = static_cast<float*>(a.data());
    for (std::size_t k = 0; k < a.size(); ++k) x[k] = static_cast<float>(random() % 5) - 2;
    return a;
}

// C^{ik} = max_j (A^{ij} - 2 B^{jk}), or its minimum: gradients shared by all that are as large.
void check_gradients(bool largest, std::size_t m, std::size_t n, std::size_t k) {
    INFO((largest ? "maximum " : "minimum ") << m << " x " << n << " x " << k);
    const std::string text =
        std::string("C^{ik} = ") + (largest ? "\\max" : "\\min") + "_j(A^{ij} - 2 B^{jk})";
    const auto p = ricci::value_and_gradient(ricci::parse(text).value(), "C", {"A", "B"});
    const auto a = whole_numbers(m, k, 1), b = whole_numbers(k, n, 2), g = whole_numbers(m, n, 3);
    const std::vector<ricci::named> operands = {{"A", a}, {"B", b}, {"dL/dC", g}};
    CHECK(ricci::explain(p, operands).find("sum over ties") != std::string::npos);
    const auto r = ricci::run(p, operands);
    const auto A = a.as<float, 2>(), B = b.as<float, 2>(), G = g.as<float, 2>();
    std::vector<long double> of_a(m * k), of_b(k * n);
    for (std::size_t i = 0; i < m; ++i)
        for (std::size_t x = 0; x < n; ++x) {
            const auto term = [&](std::size_t j) { return A(i, j) - 2 * B(j, x); };
            float best = term(0), ties = 0;
            for (std::size_t j = 1; j < k; ++j)
                best = largest ? std::max(best, term(j)) : std::min(best, term(j));
            for (std::size_t j = 0; j < k; ++j) ties += term(j) == best ? 1.f : 0.f;
            for (std::size_t j = 0; j < k; ++j) {
                if (term(j) != best) continue;
                of_a[i * k + j] += static_cast<long double>(G(i, x)) / ties;
                of_b[j * n + x] -= 2 * static_cast<long double>(G(i, x)) / ties;
            }
        }
    const auto farthest = [](const ricci::array& got, const std::vector<long double>& expected) {
        long double most = 0;
        for (std::size_t x = 0; x < expected.size(); ++x)
            most = std::max(most, std::abs(static_cast<const float*>(got.data())[x] - expected[x]));
        return most;
    };
    CHECK(farthest(r["dL/dA"], of_a) < 2e-5L);
    CHECK(farthest(r["dL/dB"], of_b) < 2e-5L);
}

}  // namespace

TEST_CASE("gradients of maxima of sums are shared by equal terms", "[algebra]") {
    for (const bool largest : {true, false}) {
        check_gradients(largest, 30, 40, 50);
        check_gradients(largest, 65, 33, 600);
        check_gradients(largest, 12, 130, 17);
    }
}
