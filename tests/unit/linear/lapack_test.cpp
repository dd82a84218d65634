// Factors, solutions and determinants beside those of LAPACK.
#include <algorithm>
#include <complex>
#include <cstdint>
#include <random>
#include <type_traits>
#include <vector>

#include "tests/catch.hpp"
#include "tests/unit/linear/matrices.hpp"

extern "C" {
#define RICCI_LAPACK(PREFIX, TYPE)                                                                \
    void PREFIX##getrf_(const int*, const int*, TYPE*, const int*, int*, int*);                   \
    void PREFIX##getrs_(const char*, const int*, const int*, const TYPE*, const int*, const int*, \
                        TYPE*, const int*, int*, std::size_t);                                    \
    void PREFIX##potrf_(const char*, const int*, TYPE*, const int*, int*, std::size_t);           \
    void PREFIX##trtrs_(const char*, const char*, const char*, const int*, const int*,            \
                        const TYPE*, const int*, TYPE*, const int*, int*, std::size_t,            \
                        std::size_t, std::size_t);
RICCI_LAPACK(s, float)
RICCI_LAPACK(d, double)
RICCI_LAPACK(c, std::complex<float>)
RICCI_LAPACK(z, std::complex<double>)
#undef RICCI_LAPACK
}

namespace {

using namespace ricci;
using namespace ricci::testing;
using steps::factor_kind;

template <class T>
struct lapack;
#define RICCI_LAPACK(PREFIX, TYPE)                     \
    template <>                                        \
    struct lapack<TYPE> {                              \
        static constexpr auto getrf = &PREFIX##getrf_; \
        static constexpr auto getrs = &PREFIX##getrs_; \
        static constexpr auto potrf = &PREFIX##potrf_; \
        static constexpr auto trtrs = &PREFIX##trtrs_; \
    };
RICCI_LAPACK(s, float)
RICCI_LAPACK(d, double)
RICCI_LAPACK(c, std::complex<float>)
RICCI_LAPACK(z, std::complex<double>)
#undef RICCI_LAPACK

/// The largest difference, over the largest number of the second, eps and n.
template <class T>
long double difference(const matrices<T>& x, const std::vector<T>& wanted) {
    long double largest = 0, most = 0;
    for (std::int64_t i = 0; i < x.rows; ++i)
        for (std::int64_t j = 0; j < x.columns; ++j) {
            const auto y = exact_of(wanted[static_cast<std::size_t>(i + j * x.rows)]);
            most = std::max(most, std::abs(y));
            const long double here = std::abs(exact_of(x.at(0, i, j)) - y);
            if (!(here <= largest)) largest = here;
        }
    return largest == 0 ? 0 : largest / (most * epsilon_of<T>() * static_cast<long double>(x.rows));
}

template <class T>
std::vector<T> by_columns(const matrices<T>& k) {
    std::vector<T> all;
    for (std::int64_t j = 0; j < k.columns; ++j)
        for (std::int64_t i = 0; i < k.rows; ++i) all.push_back(k.at(0, i, j));
    return all;
}

// What two right solutions may differ by grows with the condition: that of these is below a few
// thousand.
constexpr long double difference_allowed = 300;

template <class T>
void check_lu(int n, int sides, std::mt19937& random) {
    matrices<T> k(1, n, n, static_cast<int>(random() % 3)), y(1, n, sides, 0), x(1, n, sides, 1);
    randomise(k, factor_kind::lu, random);
    // Rows of their own sizes, each with one number that is larger than the others': pivots differ
    // from the diagonal, and solutions are well determined.
    for (int i = 0; i < n; ++i)
        k.at(0, i, (i * 7 + 3) % n) += static_cast<kernels::part_type<T>>(n);
    y.randomise(random);
    std::vector<T> a = by_columns(k);
    std::vector<int> pivots(static_cast<std::size_t>(n));
    int info = 0;
    lapack<T>::getrf(&n, &n, a.data(), &n, pivots.data(), &info);
    REQUIRE(info == 0);
    const factored<T> f(k, factor_kind::lu);
    REQUIRE_FALSE(f.failed);
    steps::linear_solve what;
    for (const char* how : {"N", "T", "C"}) {
        std::vector<T> wanted = by_columns(y);
        lapack<T>::getrs(how, &n, &sides, a.data(), &n, pivots.data(), wanted.data(), &n, &info, 1);
        what.transposed = *how != 'N';
        what.conjugated = *how == 'C';
        f.solve(what, y, x);
        CAPTURE(n, sides, how, sizeof(T));
        CHECK(difference(x, wanted) <= difference_allowed);
    }
    exact<T> sign{1};
    long double logarithm = 0;
    for (int i = 0; i < n; ++i) {
        const auto u = exact_of(a[static_cast<std::size_t>(i * n + i)]);
        logarithm += std::log(std::abs(u));
        sign *= u / std::abs(u);
        if (pivots[static_cast<std::size_t>(i)] != i + 1) sign = -sign;
    }
    const long double allowed = 4 * static_cast<long double>(n) * epsilon_of<T>();
    CHECK(std::abs(exact_of(f.determinants(steps::determinant_part::logarithm)[0]) - logarithm) <=
          allowed * (1 + std::abs(logarithm)));
    CHECK(std::abs(exact_of(f.determinants(steps::determinant_part::sign)[0]) - sign) <= allowed);
}

template <class T>
void check_cholesky(int n, int sides, std::mt19937& random) {
    matrices<T> k(1, n, n, static_cast<int>(random() % 3)), y(1, n, sides, 1), x(1, n, sides, 0);
    randomise(k, factor_kind::cholesky, random);
    y.randomise(random);
    for (int i = 0; i < n; ++i) k.at(0, i, i) += static_cast<kernels::part_type<T>>(n);
    std::vector<T> a = by_columns(k);
    int info = 0;
    lapack<T>::potrf("L", &n, a.data(), &n, &info, 1);
    REQUIRE(info == 0);
    const factored<T> f(k, factor_kind::cholesky);
    REQUIRE_FALSE(f.failed);
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < j; ++i) a[static_cast<std::size_t>(i + j * n)] = T{};
    CAPTURE(n, sides, sizeof(T));
    CHECK(difference(f.lower(0), a) <= difference_allowed);
    std::vector<T> wanted = by_columns(y);
    lapack<T>::trtrs("L", "C", "N", &n, &sides, a.data(), &n, wanted.data(), &n, &info, 1, 1, 1);
    steps::linear_solve what;
    what.of_triangle = what.transposed = what.conjugated = true;
    f.solve(what, y, x);
    CHECK(difference(x, wanted) <= difference_allowed);
}

template <class T>
void check_type(unsigned seed) {
    std::mt19937 random(seed);
    for (const int n : {1, 2, 7, 16, 33, 64, 120, 260})
        for (const int sides : {1, 30}) {
            check_lu<T>(n, sides, random);
            check_cholesky<T>(n, sides, random);
        }
}

}  // namespace

TEST_CASE("as LAPACK factors and solves") {
    check_type<float>(1);
    check_type<double>(2);
    check_type<std::complex<float>>(3);
    check_type<std::complex<double>>(4);
}
