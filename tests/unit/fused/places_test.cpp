// Where the extrema of all pairs stand, against plain loops: of rows and of columns, in batches, under
// a mask, of softmaxes, beside the extrema themselves and beside sums, and what is looked up and
// added up there. Elements are small whole numbers, so that sums are exact and many are equal: the
// first of these counts. Nothing of the size of all pairs is stored.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <ricci/program.hpp>

#include "tests/catch.hpp"
#include "tests/unit/fused/all_pairs.hpp"

namespace {

using namespace ricci::testing::pairs;

matrix whole_numbers(std::size_t rows, std::size_t columns, unsigned seed) {
    matrix m{rows, columns, {}};
    std::mt19937 generator(seed);
    for (std::size_t k = 0; k < rows * columns; ++k)
        m.values.push_back(static_cast<int>(generator() % 5) - 2);
    return m;
}

std::vector<std::int32_t> places_in(const ricci::array& a) {
    REQUIRE(a.type() == ricci::element::i32);
    const auto* const first = static_cast<const std::int32_t*>(a.data());
    return {first, first + a.size()};
}

/// The first y of the largest value of each x.
template <class Value>
std::vector<std::int32_t> places_of(std::size_t outer, std::size_t inner, Value value) {
    std::vector<std::int32_t> all;
    for (std::size_t x = 0; x < outer; ++x) {
        std::size_t best = 0;
        for (std::size_t y = 1; y < inner; ++y)
            if (value(x, y) > value(x, best)) best = y;
        all.push_back(static_cast<std::int32_t>(best));
    }
    return all;
}

long double distance(const matrix& a, std::size_t i, const matrix& b, std::size_t j) {
    long double sum = 0;
    for (std::size_t k = 0; k < a.columns; ++k) sum += (a(i, k) - b(j, k)) * (a(i, k) - b(j, k));
    return sum;
}

template <class T>
ricci::array in_batches(const matrix& m, std::size_t batches) {
    const auto flat = array_of<T>(m);
    const extents shape{batches, m.rows / batches, m.columns};
    ricci::array a(ricci::element_v<T>, shape);
    std::copy_n(static_cast<const T*>(flat.data()), flat.size(), static_cast<T*>(a.data()));
    return a;
}

template <class T>
void check_products(std::size_t batches, std::size_t rows, std::size_t columns, std::size_t width,
                    unsigned seed) {
    INFO(batches << " x " << rows << " x " << columns << ", " << width);
    const auto p = ricci::parse(R"(
        S^{hij} = Q^{hia} K^{hja}
        y_{hi} = \operatorname{argmax}_j S^{hij}
        w_{hj} = \operatorname{argmin}_i S^{hij}
        v_{hj} = \operatorname{argmax}_i S^{hij}
        m^{hi} = \max_j S^{hij}
        s^{hi} = \sum_j S^{hij}
        u_{hi} = \operatorname{argmax}_j(\begin{cases} S^{hij} & j < i \\ -\infty & \text{otherwise} \end{cases})
    )")
                       .value();
    const auto q = whole_numbers(batches * rows, width, seed),
               k = whole_numbers(batches * columns, width, seed + 1);
    const auto got =
        run_everywhere<T>(p, {{"Q", in_batches<T>(q, batches)}, {"K", in_batches<T>(k, batches)}},
                          batches * rows * columns);
    std::vector<std::int32_t> y, w, v, u;
    matrix m{batches * rows, 1, {}}, s{batches * rows, 1, {}};
    const auto add = [](std::vector<std::int32_t>& to, const std::vector<std::int32_t>& more) {
        to.insert(to.end(), more.begin(), more.end());
    };
    for (std::size_t h = 0; h < batches; ++h) {
        const auto value = [&](std::size_t i, std::size_t j) {
            return dot(q, h * rows + i, k, h * columns + j);
        };
        add(y, places_of(rows, columns, value));
        add(w, places_of(columns, rows, [&](auto j, auto i) { return -value(i, j); }));
        add(v, places_of(columns, rows, [&](auto j, auto i) { return value(i, j); }));
        add(u, places_of(rows, columns, [&](auto i, auto j) {
                return j < i ? value(i, j) : -std::numeric_limits<long double>::infinity();
            }));
        for (std::size_t i = 0; i < rows; ++i) {
            m.values.push_back(value(i, static_cast<std::size_t>(y[h * rows + i])));
            long double sum = 0;
            for (std::size_t j = 0; j < columns; ++j) sum += value(i, j);
            s.values.push_back(sum);
        }
    }
    CHECK(places_in(got["y"]) == y);
    CHECK(places_in(got["w"]) == w);
    CHECK(places_in(got["v"]) == v);
    CHECK(places_in(got["u"]) == u);
    check_close<T>(got["m"], m);
    check_close<T>(got["s"], s);
}

/// Nearest neighbours: their places alone, what is looked up there, how many points each is nearest
/// to, and the sums of these.
template <class T>
void check_nearest(std::size_t rows, std::size_t columns, std::size_t width, bool all,
                   unsigned seed) {
    INFO(rows << " x " << columns << ", " << width << (all ? ", all" : ", places alone"));
    const std::string places = "y_i = \\operatorname{argmin}_j \\sum_a (x^{ia} - z^{ja})^2\n";
    const std::string more = R"(
        q^{ia} = z^{y_i a}
        d^i = \min_j \sum_a (x^{ia} - z^{ja})^2
        n^j = \sum_i [y_i = j]
        c^{ja} = \sum_i [y_i = j] x^{ia} + 0 z^{ja}
        y_i
    )";
    const auto p = ricci::parse(all ? places + more : places).value();
    const auto x = whole_numbers(rows, width, seed), z = whole_numbers(columns, width, seed + 1);
    std::vector<ricci::named> operands{{"x", array_of<T>(x)}, {"z", array_of<T>(z)}};
    if (all) operands.push_back({"j", ricci::extent(columns)});
    const auto got = run_everywhere<T>(p, operands, rows * columns);
    const auto y = places_of(rows, columns, [&](auto i, auto j) { return -distance(x, i, z, j); });
    CHECK(places_in(got["y"]) == y);
    if (!all) return;
    matrix q{rows, width, {}}, d{rows, 1, {}}, n{columns, 1, numbers(columns)},
        c{columns, width, numbers(columns * width)};
    for (std::size_t i = 0; i < rows; ++i) {
        const auto j = static_cast<std::size_t>(y[i]);
        d.values.push_back(distance(x, i, z, j));
        n(j) += 1;
        for (std::size_t a = 0; a < width; ++a) {
            q.values.push_back(z(j, a));
            c(j, a) += x(i, a);
        }
    }
    check_close<T>(got["q"], q);
    check_close<T>(got["d"], d);
    check_close<T>(got["n"], n);
    check_close<T>(got["c"], c);
}

/// The largest weight stands where the largest score does, of equals at the first: found once the
/// weights are known, beside their sums by columns.
template <class T>
void check_weights(std::size_t rows, std::size_t columns, std::size_t width, unsigned seed) {
    INFO(rows << " x " << columns << ", " << width);
    const auto p = ricci::parse(R"(
        S^{ij} = Q^{ia} K^{ja}
        A^{ij} = \operatorname{softmax}_j(S^{ij})
        O^{ic} = A^{ij} V^{jc}
        y_i = \operatorname{argmax}_j A^{ij}
        n^j = \sum_i A^{ij}
        w_j = \operatorname{argmax}_i S^{ij}
    )")
                       .value();
    const auto q = whole_numbers(rows, width, seed), k = whole_numbers(columns, width, seed + 1),
               v = whole_numbers(columns, 3, seed + 2);
    const auto got = run_everywhere<T>(
        p, {{"Q", array_of<T>(q)}, {"K", array_of<T>(k)}, {"V", array_of<T>(v)}}, rows * columns);
    CHECK(places_in(got["y"]) ==
          places_of(rows, columns, [&](auto i, auto j) { return dot(q, i, k, j); }));
    CHECK(places_in(got["w"]) ==
          places_of(columns, rows, [&](auto j, auto i) { return dot(q, i, k, j); }));
    auto o = matrix{rows, 3, numbers(rows * 3)}, n = matrix{columns, 1, numbers(columns)};
    for (std::size_t i = 0; i < rows; ++i) {
        long double sum = 0;
        for (std::size_t j = 0; j < columns; ++j) sum += std::exp(dot(q, i, k, j));
        for (std::size_t j = 0; j < columns; ++j) {
            const long double weight = std::exp(dot(q, i, k, j)) / sum;
            n(j) += weight;
            for (std::size_t c = 0; c < 3; ++c) o(i, c) += weight * v(j, c);
        }
    }
    check_close<T>(got["O"], o);
    check_close<T>(got["n"], n);
}

}  // namespace

TEST_CASE("places of the extrema of products, by rows and by columns") {
    unsigned seed = 1;
    for (const auto& e : {extents{1, 130, 200, 3}, extents{3, 100, 90, 16}, extents{2, 50, 700, 5},
                          extents{1, 700, 60, 8}}) {
        check_products<float>(e[0], e[1], e[2], e[3], seed);
        check_products<double>(e[0], e[1], e[2], e[3], seed++);
    }
}

TEST_CASE("nearest neighbours, and means of what they are nearest to") {
    unsigned seed = 11;
    for (const auto& e : {extents{300, 200, 3}, extents{1000, 50, 16}, extents{90, 1200, 40}})
        for (const bool all : {false, true}) {
            check_nearest<float>(e[0], e[1], e[2], all, seed);
            check_nearest<double>(e[0], e[1], e[2], all, seed++);
        }
}

TEST_CASE("the place of the largest weight of a softmax") {
    check_weights<float>(130, 200, 3, 31);
    check_weights<double>(90, 300, 4, 32);
}
