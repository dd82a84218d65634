// Derivatives of determinants are cofactors, which singular matrices have, too: compared with
// expansions by minors in long double.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include <ricci/program.hpp>

#include "tests/catch.hpp"
#include "tests/words_of.hpp"

using ricci::array;
using ricci::element;
using ricci::testing::Contains;
using ricci::testing::words_of;

namespace {

template <class T>
struct wider {
    using type = long double;
};
template <class T>
struct wider<std::complex<T>> {
    using type = std::complex<long double>;
};
template <class T>
using wide = typename wider<T>::type;

template <class W>
W determinant(const std::vector<W>& m, std::size_t n) {
    if (n == 0) return 1;
    W sum = 0;
    for (std::size_t j = 0; j < n; ++j) {
        std::vector<W> minor;
        for (std::size_t r = 1; r < n; ++r)
            for (std::size_t c = 0; c < n; ++c)
                if (c != j) minor.push_back(m[r * n + c]);
        sum += (j % 2 == 0 ? m[j] : -m[j]) * determinant(minor, n - 1);
    }
    return sum;
}
template <class W>
std::vector<W> cofactors(const std::vector<W>& m, std::size_t n) {
    std::vector<W> all;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            std::vector<W> minor;
            for (std::size_t r = 0; r < n; ++r)
                for (std::size_t c = 0; c < n; ++c)
                    if (r != i && c != j) minor.push_back(m[r * n + c]);
            const W value = determinant(minor, n - 1);
            all.push_back((i + j) % 2 == 0 ? value : -value);
        }
    return all;
}

template <class T>
array made(const std::vector<T>& values, const std::vector<std::size_t>& extents) {
    array a(ricci::element_v<T>, extents);
    std::copy(values.begin(), values.end(), static_cast<T*>(a.data()));
    return a;
}
template <class T>
std::vector<wide<T>> part(const std::vector<T>& all, std::size_t first, std::size_t count) {
    std::vector<wide<T>> some;
    for (std::size_t k = first; k < first + count; ++k) some.push_back(wide<T>(all[k]));
    return some;
}

// A product of factors of `rank` columns with small whole numbers: elimination by halves and
// quarters would be exact.
template <class T>
void add_matrix(std::vector<T>& all, std::size_t n, std::size_t rank, std::mt19937& random) {
    const auto drawn = [&] {
        const auto whole = [&] { return static_cast<double>(random() % 7) - 3; };
        if constexpr (std::is_floating_point_v<T>) return static_cast<T>(whole());
        else
            return T(static_cast<typename T::value_type>(whole()),
                     static_cast<typename T::value_type>(whole()));
    };
    std::vector<T> left(n * rank), right(rank * n);
    std::generate(left.begin(), left.end(), drawn);
    std::generate(right.begin(), right.end(), drawn);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            T sum{};
            for (std::size_t k = 0; k < rank; ++k) sum += left[i * rank + k] * right[k * n + j];
            all.push_back(sum);
        }
}

template <class T>
void check_gradients(long double allowed) {
    const auto p = ricci::gradient(ricci::parse(R"(d^b = \det_{ij}(A^{bij}))").value(), "d", {"A"});
    std::mt19937 random(1);
    for (std::size_t n = 1; n <= 5; ++n)
        for (const std::size_t batch : {std::size_t{1}, std::size_t{3}, std::size_t{40}}) {
            std::vector<T> matrices;
            for (std::size_t b = 0; b < batch; ++b) add_matrix(matrices, n, b % (n + 1), random);
            const array a = made(matrices, {batch, n, n}),
                        d = made(std::vector<T>(batch, T(1)), {batch});
            const array found = ricci::run(p, {{"A", a}, {"dL/dd", d}})["dL/dA"];
            for (std::size_t b = 0; b < batch; ++b) {
                const auto expected = cofactors(part(matrices, b * n * n, n * n), n);
                long double most = 1;
                for (const auto& x : expected) most = std::max(most, std::abs(x));
                CAPTURE(n, batch, b);
                for (std::size_t k = 0; k < n * n; ++k) {
                    const wide<T> x(static_cast<const T*>(found.data())[b * n * n + k]);
                    // rounding of sums that cancel is of the size of the matrix, 45 at most
                    CHECK(std::abs(x - expected[k]) <=
                          allowed * (most + std::pow(20.0L, static_cast<long double>(n - 1))));
                }
            }
        }
}

std::vector<double> gradient_of(const std::string& text, const std::string& of, const array& a) {
    const auto p = ricci::gradient(ricci::parse(text).value(), of, {"A"});
    const array found = ricci::run(p, {{"A", a}, {"dL/d" + of, 1.0}})["dL/dA"];
    const auto* const numbers = static_cast<const double*>(found.data());
    return {numbers, numbers + found.size()};
}

// Thirds are rounded.
bool are_near(const std::vector<double>& x, const std::vector<double>& y) {
    bool near = x.size() == y.size();
    for (std::size_t k = 0; near && k < x.size(); ++k) near = std::abs(x[k] - y[k]) <= 1e-14;
    return near;
}

const std::vector<double> singular = {1, 2, 3, 2, 4, 6, 1, 0, 1};
const std::vector<double> its_cofactors = {4, 4, -4, -2, -2, 2, 0, 0, 0};

}  // namespace

TEST_CASE("gradients of determinants of any rank are cofactors", "[cofactors]") {
    check_gradients<double>(1e-13L);
    check_gradients<float>(1e-5L);
    check_gradients<std::complex<double>>(1e-13L);
    check_gradients<std::complex<float>>(1e-5L);
}

TEST_CASE("cofactors of singular matrices where halves are exact are exact", "[cofactors]") {
    const std::string text = R"(d = \det_{ij}(A^{ij}))";
    CHECK(are_near(gradient_of(text, "d", made(singular, {3, 3})), its_cofactors));
    CHECK(gradient_of(text, "d", made<double>({1, 2, 2, 4}, {2, 2})) ==
          std::vector<double>{4, -2, -2, 1});
    CHECK(gradient_of(text, "d", made(std::vector<double>(9), {3, 3})) == std::vector<double>(9));
    CHECK(gradient_of(text, "d", made<double>({0}, {1, 1})) == std::vector<double>{1});
    const std::string square = text + "\nL = (d)^2";
    CHECK(gradient_of(square, "L", made<double>({1, 0, 0, 0}, {2, 2})) == std::vector<double>(4));
}

TEST_CASE("cofactors are there where the determinant leaves the range", "[cofactors]") {
    for (const double size : {1e-120, 1e110}) {
        const auto found = gradient_of(R"(d = \det_{ij}(A^{ij}))", "d",
                                       made<double>({size, 0, 0, 0, size, 0, 0, 0, size}, {3, 3}));
        for (std::size_t k = 0; k < 9; ++k)
            CHECK(std::abs(found[k] / (size * size) - (k % 4 == 0 ? 1 : 0)) <= 1e-14);
    }
    CHECK(gradient_of(R"(d = \det_{ij}(A^{ij}))", "d",
                      made<double>({1, 0, 0, 0, 1e-200, 0, 0, 0, 1e-200}, {3, 3})) ==
          std::vector<double>{0, 0, 0, 0, 1e-200, 0, 0, 0, 1e-200});
}

TEST_CASE("cofactors are found within more", "[cofactors]") {
    const array a = made(singular, {3, 3});
    const auto slopes = [&](const std::string& text) { return gradient_of(text, "L", a); };
    CHECK(are_near(slopes(R"(L = \exp(\det_{ij}(A^{ij})))"), its_cofactors));
    CHECK(are_near(slopes(R"(L = \det_{ji}(A^{ij}))"), its_cofactors));
    const std::string named = "d = \\det_{ij}(A^{ij})\ne = d\nL = e + 3 (d)^2";
    CHECK(are_near(slopes(named), its_cofactors));
    // det(A A^T) has the gradient 2 cof(A A^T) A, which is 0 of a matrix of rank 2
    for (const double x : slopes(R"(L = \det_{ij}(A^{ia} A^{ja}))")) CHECK(std::abs(x) <= 1e-10);
    const auto j = ricci::jacobian(ricci::parse(R"(d = \det_{ij}(A^{ij}))").value(), "d", {"A"});
    const array of_all = ricci::run(j, {{"A", a}})["dd/dA"];
    const auto* const slopes_of_d = static_cast<const double*>(of_all.data());
    CHECK(are_near({slopes_of_d, slopes_of_d + of_all.size()}, its_cofactors));
    const auto t = ricci::tangent(ricci::parse(R"(d = \det_{ij}(A^{ij}))").value(), {"A"});
    const array along = made<double>({1, 2, 3, 4, 5, 6, 7, 8, 9}, {3, 3});
    double expected = 0;
    for (std::size_t k = 0; k < 9; ++k) expected += its_cofactors[k] * static_cast<double>(k + 1);
    const array change = ricci::run(t, {{"A", a}, {"d/dt A", along}})["d/dt d"];
    CHECK(are_near({*static_cast<const double*>(change.data())}, {expected}));
}

TEST_CASE("the gradient of a determinant of a singular matrix of many rows", "[cofactors]") {
    // rank n - 1: its cofactors are an outer product of the null vectors of both sides
    constexpr std::size_t n = 90;
    std::mt19937 random(5);
    std::uniform_real_distribution<double> in(-1, 1);
    std::vector<double> m(n * n);
    for (double& x : m) x = in(random);
    for (std::size_t j = 0; j < n; ++j) {  // the last row: the sum of the others
        m[(n - 1) * n + j] = 0;
        for (std::size_t i = 0; i + 1 < n; ++i) m[(n - 1) * n + j] += m[i * n + j];
    }
    const auto found = gradient_of(R"(d = \det_{ij}(A^{ij}))", "d", made(m, {n, n}));
    double most = 0;
    for (const double x : found) most = std::max(most, std::abs(x));
    REQUIRE(most > 0);
    for (std::size_t i = 0; i + 1 < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
            CHECK(std::abs(found[i * n + j] + found[(n - 1) * n + j]) <= 1e-8 * most);
}

TEST_CASE("what a singular matrix has not is refused as before", "[cofactors]") {
    const array a = made(singular, {3, 3});
    const auto refused = [&](const std::string& text) {
        return words_of([&] { gradient_of(text, "L", a); });
    };
    CHECK_THAT(refused(R"(L = \operatorname{logdet}_{ij}(A^{ij}))"), Contains("singular"));
    CHECK_THAT(refused(R"(L = \log \det_{ij}(A^{ij}))"), Contains("singular"));
    CHECK_THAT(refused(R"(L = \sum_{ij} (A^{-1})^{ij})"), Contains("singular"));
    const auto first =
        ricci::gradient(ricci::parse(R"(d = \det_{ij}(A^{ij}))").value(), "d", {"A"});
    const auto second = ricci::gradient(first.keep({"dL/dA"}), "dL/dA", {"A"});
    const array g = made(std::vector<double>(9, 1), {3, 3});
    std::vector<ricci::named> operands;
    for (const auto& input : second.inputs()) {
        if (input.rank == 0) operands.push_back({input.name, 1.0});
        else operands.push_back({input.name, input.name == "A" ? a : g});
    }
    CHECK_THAT(words_of([&] { ricci::run(second, operands); }), Contains("singular"));
}
