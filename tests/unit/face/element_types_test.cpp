// Tensors of every element type through the public face: einsums, equations, numbers, factors,
// views, prepared programs and kept tensors, against loops written out in wide or exact arithmetic.
#include <algorithm>
#include <complex>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <ricci/ricci.hpp>

#include "tests/catch.hpp"
#include "tests/unit/other_types.hpp"

namespace {

using namespace ricci::literals;
using ricci::bf16;
using ricci::f16;
using ricci::tensor;
using ricci::tensor_view;

template <class T>
constexpr bool is_complex = ricci::is_complex(ricci::element_v<T>);
template <class T>
constexpr bool is_whole = std::is_integral_v<T>;

// What the tests compute in, and how far apart two results may be.
template <class T>
using wide = std::conditional_t<is_whole<T>, std::uint64_t, std::complex<long double>>;

template <class T>
wide<T> widened(T x) {
    if constexpr (is_complex<T>) return {x.real(), x.imag()};
    else if constexpr (is_whole<T>) return static_cast<std::uint64_t>(x);
    else return static_cast<long double>(static_cast<double>(x));
}

template <class T>
constexpr double tolerance() {
    if constexpr (std::is_same_v<T, double> || std::is_same_v<T, std::complex<double>>)
        return 1e-13;
    else if constexpr (std::is_same_v<T, bf16>) return 0x1p-7;
    else if constexpr (std::is_same_v<T, f16>) return 0x1p-10;
    else return 1e-5;
}

template <class T>
bool close(T got, wide<T> want, double size = 1) {
    if constexpr (is_whole<T>) {
        return got == static_cast<T>(want);
    } else {
        return std::abs(widened(got) - want) <=
               static_cast<long double>(tolerance<T>()) * (std::abs(want) + size);
    }
}

template <class T, class Tensor>
void fill(Tensor& x, unsigned seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> value(-1, 1);
    for (std::size_t k = 0; k < x.size(); ++k) {
        const double re = value(random), im = value(random);
        if constexpr (is_complex<T>) {
            using part = typename T::value_type;
            x.data()[k] = T(static_cast<part>(re), static_cast<part>(im));
        } else if constexpr (is_whole<T>) {
            x.data()[k] = static_cast<T>(static_cast<std::int64_t>(re * 20));
        } else {
            x.data()[k] = static_cast<T>(re);
        }
    }
}

template <class T>
void check_products() {
    INFO(ricci::name_of(ricci::element_v<T>));
    for (const std::size_t n : {std::size_t{1}, std::size_t{7}, std::size_t{33}}) {
        tensor<T, 2> a({n, 5}), b({5, 2 * n});
        fill<T>(a, 1), fill<T>(b, 2);
        // Every other column of b, from the last one on.
        const tensor_view<const T, 2> back(b.data() + 2 * n - 1, {std::size_t{5}, n},
                                           {static_cast<std::ptrdiff_t>(2 * n), -2});
        const tensor<T, 2> c = ricci::einsum<"ik,kj->ij">(a, back);
        tensor<T, 2> d = c.clone();
        const int factor = is_whole<T> ? -3 : 2;
        ricci::einsum_into<"ik,kj->ij">(d, {.alpha = factor, .beta = 1}, a, back);
        int wrong = 0;
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) {
                wide<T> sum = 0;
                for (std::size_t k = 0; k < 5; ++k)
                    sum += widened(a(i, k)) * widened(b(k, 2 * n - 1 - 2 * j));
                wrong += !close(c(i, j), sum);
                const auto scaled = sum * static_cast<wide<T>>(static_cast<wide<T>>(factor));
                wrong += !close(d(i, j), scaled + widened(c(i, j)), 4);
            }
        CHECK(wrong == 0);
    }
}

template <class T>
void check_sums_and_diagonals() {
    INFO(ricci::name_of(ricci::element_v<T>));
    tensor<T, 3> x({4, 6, 6});
    ricci::fixed_tensor<T, 6> v;
    fill<T>(x, 3), fill<T>(v, 4);
    const auto traces = ricci::einsum<"bii->b">(x);
    const auto rows = ricci::einsum<"bij->bi">(x);
    const auto columns = ricci::einsum<"bij->bj">(x);
    const auto all = ricci::einsum<"bij->">(x);
    const auto weighted = ricci::einsum<"bij,j,->bi">(x, v, 2);
    const tensor_view<const T, 2> same(v.data(), {6, 6}, {0, 1});  // v in every row
    const auto outer = ricci::einsum<"bij,kj->bik">(x, same);
    int wrong = 0;
    wide<T> total = 0;
    for (std::size_t b = 0; b < 4; ++b) {
        wide<T> trace = 0;
        for (std::size_t i = 0; i < 6; ++i) {
            wide<T> row = 0, column = 0, product = 0;
            for (std::size_t j = 0; j < 6; ++j) {
                row += widened(x(b, i, j));
                column += widened(x(b, j, i));
                product += widened(x(b, i, j)) * widened(v(j));
            }
            trace += widened(x(b, i, i));
            total += row;
            wrong += !close(rows(b, i), row) + !close(columns(b, i), column) +
                     !close(weighted(b, i), product + product);
            for (std::size_t k = 0; k < 6; ++k) wrong += !close(outer(b, i, k), product);
        }
        wrong += !close(traces(b), trace);
    }
    wrong += !close(all(), total, 4);
    CHECK(wrong == 0);

    tensor<T, 2> none({0, 3}), some({3, 2});
    fill<T>(some, 5);
    CHECK(ricci::einsum<"ik,kj->ij">(none, some).size() == 0);
    const auto zeros = ricci::einsum<"ki,ki->i">(none, none);
    for (std::size_t i = 0; i < 3; ++i) CHECK(zeros(i) == T(0));
}

constexpr auto chain = R"(
    P^{ij} = A^{ik} B^{kj} + 3 [j \le i] C^{ij}
    Y^{ij} = P^{ij} (P^{ij} - c^j) - 2 \sum_k C^{ik}
)"_eq;

template <class T>
void check_equations() {
    INFO(ricci::name_of(ricci::element_v<T>));
    tensor<T, 2> a({5, 9}), b({9, 6}), m({5, 6}), y({5, 6});
    tensor<T, 1> c(std::array<std::size_t, 1>{6});
    fill<T>(a, 1), fill<T>(b, 2), fill<T>(m, 3), fill<T>(c, 4);
    const auto r = chain.keep("P"_t)("A"_t = a, "B"_t = b, "C"_t = m, "c"_t = c);
    auto step = ricci::prepare(chain, "A"_t = a, "B"_t = b, "C"_t = m, "c"_t = c, "Y"_t = y);
    step();
    int wrong = 0;
    for (std::size_t i = 0; i < 5; ++i) {
        wide<T> row = 0;
        for (std::size_t j = 0; j < 6; ++j) row += widened(m(i, j));
        for (std::size_t j = 0; j < 6; ++j) {
            wide<T> p = j <= i ? widened(m(i, j)) * wide<T>(3) : wide<T>(0);
            for (std::size_t k = 0; k < 9; ++k) p += widened(a(i, k)) * widened(b(k, j));
            // From P as it is stored, since rounding it may cost more than all of the rest.
            const T stored = r["P"_t](i, j);
            wrong += !close(stored, p, 4);
            const wide<T> q = widened(stored);
            const wide<T> want = q * (q - widened(c(j))) - wide<T>(2) * row;
            wrong += !close(r["Y"_t](i, j), want, 12) + !close(y(i, j), want, 12);
        }
    }
    CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("products of every element type", "[types]") {
    ricci::testing::for_other_types([]<class T>() { check_products<T>(); });
}

TEST_CASE("sums, diagonals, repeated rows and empty tensors of every element type", "[types]") {
    ricci::testing::for_other_types([]<class T>() { check_sums_and_diagonals<T>(); });
}

TEST_CASE("equations of every element type", "[types]") {
    ricci::testing::for_other_types([]<class T>() { check_equations<T>(); });
}

TEST_CASE("whole numbers wrap, and are exact beyond the digits of a double", "[types]") {
    tensor<std::int64_t, 1> x({2});
    x(0) = (std::int64_t{1} << 53) + 1;
    x(1) = 3;
    CHECK(ricci::einsum<"i,i->">(x, x)() ==
          static_cast<std::int64_t>(
              static_cast<std::uint64_t>(x(0)) * static_cast<std::uint64_t>(x(0)) + 9u));
    constexpr auto scaled = R"(Y^i = s x^i + 1)"_eq;
    const std::int64_t big = (std::int64_t{1} << 60) + 1;
    const auto y = scaled("x"_t = x, "s"_t = big);
    CHECK(y["Y"_t](1) == 3 * big + 1);
    tensor<std::int64_t, 1> z({2});
    ricci::einsum_into<"i,->i">(z, {.alpha = big}, x, 1);
    CHECK(z(1) == 3 * big);
    tensor<std::int32_t, 1> w({1});
    w(0) = 1 << 20;
    CHECK(ricci::einsum<"i,i->">(w, w)() == 0);
}

TEST_CASE("quotients of whole numbers are rounded downwards", "[types]") {
    constexpr auto parts = R"(
        Q^i = \frac{a^i}{b^i}
        R^i = a^i \bmod b^i
        Z^i = b^i Q^i + R^i
        P^i = (a^i)^3
    )"_eq;
    tensor<std::int32_t, 1> a({8}), b({8});
    const int as[] = {7, -7, 7, -7, 0, 5, -2147483647 - 1, 6};
    const int bs[] = {2, 2, -2, -2, 3, 0, -1, 3};
    for (std::size_t i = 0; i < 8; ++i) a(i) = as[i], b(i) = bs[i];
    const auto r = parts.keep("Q"_t, "R"_t)("a"_t = a, "b"_t = b);
    const int q[] = {3, -4, -4, 3, 0, 0, -2147483647 - 1, 2};
    for (std::size_t i = 0; i < 8; ++i) {
        CHECK(r["Q"_t](i) == q[i]);
        CHECK(r["Z"_t](i) == a(i));
    }
    CHECK(r["P"_t](1) == -343);
}

TEST_CASE("what a / divides has to be said among whole numbers", "[types]") {
    tensor<std::int32_t, 1> t({3});
    const int ts[] = {5, -5, 4};
    for (std::size_t i = 0; i < 3; ++i) t(i) = ts[i];
    const auto whole = R"(y_i = \frac{3 t_i}{2}; z_i = 3 \frac{t_i}{2}; u_i = t_i / 2 \cdot 3
                          v_i = 1 - t_i / 2)"_eq("t"_t = t);
    tensor<double, 1> real({3});
    for (std::size_t i = 0; i < 3; ++i) real(i) = ts[i];
    const auto reals = R"(y_i = 3 t_i / 2)"_eq("t"_t = real);
    for (std::size_t i = 0; i < 3; ++i) {
        const auto down = [](int a) { return (a - (a % 2 != 0 && a < 0)) / 2; };
        CHECK(whole["y"_t](i) == down(3 * ts[i]));
        CHECK(whole["z"_t](i) == 3 * down(ts[i]));
        CHECK(whole["u"_t](i) == 3 * down(ts[i]));
        CHECK(whole["v"_t](i) == 1 - down(ts[i]));
        CHECK(reals["y"_t](i) == 1.5 * ts[i]);
    }
}

TEST_CASE("extremes and masks of whole numbers", "[types]") {
    constexpr auto program = R"(
        M^i = \max_j x^{ij}
        L^i = \min_j x^{ij}
        S^{ij} = \max(x^{ij}, 0) + \operatorname{sign}(x^{ij}) \operatorname{abs}(x^{ij}) [x^{ij} < 3]
    )"_eq;
    tensor<std::int64_t, 2> x({9, 23});
    fill<std::int64_t>(x, 8);
    const auto r = program("x"_t = x);
    int wrong = 0;
    for (std::size_t i = 0; i < 9; ++i) {
        std::int64_t most = x(i, 0), least = x(i, 0);
        for (std::size_t j = 0; j < 23; ++j) {
            const std::int64_t v = x(i, j);
            most = std::max(most, v), least = std::min(least, v);
            wrong += r["S"_t](i, j) != std::max<std::int64_t>(v, 0) + (v < 3 ? v : 0);
        }
        wrong += r["M"_t](i) != most || r["L"_t](i) != least;
    }
    CHECK(wrong == 0);
}

TEMPLATE_TEST_CASE("functions of complex numbers", "[types]", std::complex<float>,
                   std::complex<double>) {
    using T = TestType;
    using part = typename T::value_type;
    constexpr auto functions = R"(
        E^i = \exp(z^i)
        R^i = \sqrt{z^i}
        L^i = \log z^i
        A^i = |z^i|
        C^i = \operatorname{conj}(z^i)
        Q^i = \frac{z^i}{w^i}
        P^i = (z^i)^{-2}
        T^i = \tanh(z^i) + \sin z^i \cos w^i
        M^i = \operatorname{mean}_j ([j \le i] z^j) + 0 w^i
    )"_eq;
    tensor<T, 1> z({37}), w({37});
    fill<T>(z, 1), fill<T>(w, 2);
    z(0) = T(-4, 0), z(1) = T(0, 2), z(2) = T(-1, -0.5);
    const auto r = functions("z"_t = z, "w"_t = w);
    std::complex<long double> sum = 0;
    int wrong = 0;
    for (std::size_t i = 0; i < 37; ++i) {
        const auto x = widened(z(i)), y = widened(w(i));
        sum += x;
        wrong += !close(r["E"_t](i), std::exp(x)) + !close(r["R"_t](i), std::sqrt(x)) +
                 !close(r["L"_t](i), std::log(x)) + !close(r["A"_t](i), wide<T>(std::abs(x))) +
                 !close(r["C"_t](i), std::conj(x)) + !close(r["Q"_t](i), x / y) +
                 !close(r["P"_t](i), wide<T>(1) / (x * x)) +
                 !close(r["T"_t](i), std::tanh(x) + std::sin(x) * std::cos(y)) +
                 !close(r["M"_t](i), sum / 37.0L);
    }
    CHECK(wrong == 0);
    CHECK(r["R"_t](0).real() == part(0));
    CHECK(r["R"_t](0).imag() == part(2));
}

TEST_CASE("conjugation is done by the contraction, and numbers may be complex", "[types]") {
    using T = std::complex<float>;
    constexpr auto hermitian =
        R"(G^{ij} = s \operatorname{conj}(A^{ki}) A^{kj} + \operatorname{conj}(s) A^{ki} \operatorname{conj}(A^{kj}))"_eq;
    tensor<T, 2> a({40, 21});
    fill<T>(a, 3);
    const T s(0.5, -2);
    const auto g = hermitian("A"_t = a, "s"_t = s);
    int wrong = 0;
    for (std::size_t i = 0; i < 21; ++i)
        for (std::size_t j = 0; j < 21; ++j) {
            wide<T> sum = 0;
            for (std::size_t k = 0; k < 40; ++k)
                sum += std::conj(widened(a(k, i))) * widened(a(k, j));
            const wide<T> want = widened(s) * sum + std::conj(widened(s)) * std::conj(sum);
            wrong += !close(g["G"_t](i, j), want, 20);
        }
    CHECK(wrong == 0);
    const std::string plan = ricci::explain(hermitian, "A"_t = a, "s"_t = s);
    CHECK(plan.find("conj(A[k,i])") != std::string::npos);

    tensor<T, 1> x({5}), y({5});
    fill<T>(x, 1), fill<T>(y, 2);
    const auto before = y.clone();
    ricci::einsum_into<"i->i">(y, {.alpha = T(0, 1), .beta = T(2, 1)}, x);
    for (std::size_t i = 0; i < 5; ++i)
        CHECK(close(y(i), wide<T>(0, 1) * widened(x(i)) + wide<T>(2, 1) * widened(before(i))));
    tensor<T, 2> z({21, 21});
    ricci::einsum_into<"ki,kj->ij">(z, {.alpha = T(0, 1)}, a, a);
    const auto plain = ricci::einsum<"ki,kj->ij">(a, a);
    for (std::size_t i = 0; i < 21; ++i)
        CHECK(close(z(i, 20 - i), wide<T>(0, 1) * widened(plain(i, 20 - i)), 10));
}

TEST_CASE("gradients of complex tensors", "[types]") {
    // The loss changes by Re(sum of g dz), whatever the direction of dz.
    using T = std::complex<double>;
    constexpr auto loss = R"(
        Y^i = A^{ij} \exp(z^j) + \operatorname{conj}(z^i)
        E = \operatorname{conj}(Y^i) Y^i z^i
    )"_eq;
    constexpr auto backward = ricci::gradient(loss, "E"_t, ricci::wrt("z"_t, "A"_t));
    constexpr auto forward = ricci::tangent(loss, ricci::wrt("z"_t));
    tensor<T, 2> a({6, 6});
    tensor<T, 1> z({6}), dz({6});
    fill<T>(a, 1), fill<T>(z, 2), fill<T>(dz, 3);
    const auto value = [&] { return loss("A"_t = a, "z"_t = z)["E"_t](); };
    const auto g = backward("A"_t = a, "z"_t = z, "dL/dE"_t = 1);
    T change = 0;
    for (std::size_t i = 0; i < 6; ++i) change += g["dL/dz"_t](i) * dz(i);
    constexpr double step = 1e-5;
    for (std::size_t i = 0; i < 6; ++i) z(i) += step * dz(i);
    const T above = value();
    for (std::size_t i = 0; i < 6; ++i) z(i) -= 2 * step * dz(i);
    const T below = value();
    for (std::size_t i = 0; i < 6; ++i) z(i) += step * dz(i);
    const double measured = (above - below).real() / (2 * step);
    CHECK(std::abs(change.real() - measured) < 1e-7 * std::abs(measured));
    const T tangent = forward("A"_t = a, "z"_t = z, "d/dt z"_t = dz)["d/dt E"_t]();
    CHECK(std::abs(tangent.real() - measured) < 1e-7 * std::abs(measured));
}

TEST_CASE("16-bit tensors are computed with in float", "[types]") {
    constexpr auto softmax = R"(
        A^{ij} = \frac{\exp(x^{ij})}{\sum_{j'} \exp(x^{ij'})}
        Z^i = \operatorname{logsumexp}_j x^{ij}
        N^i = \operatorname{mean}_j x^{ij}
        G^{ij} = \operatorname{gelu}(x^{ij}) + i
    )"_eq;
    const auto check = [&]<class T>(T) {
        INFO(ricci::name_of(ricci::element_v<T>));
        for (const std::size_t n : {std::size_t{5}, std::size_t{700}, std::size_t{5000}}) {
            tensor<T, 2> x({3, n});
            tensor<double, 2> exact({3, n});
            fill<T>(x, 7);
            for (std::size_t k = 0; k < x.size(); ++k) {
                x.data()[k] *= 12;
                exact.data()[k] = x.data()[k];
            }
            const auto got = softmax("x"_t = x);
            const auto want = softmax("x"_t = exact);
            int wrong = 0;
            const auto same = [&](const auto& mine, const auto& other) {
                for (std::size_t k = 0; k < mine.size(); ++k)
                    wrong += !close(mine.data()[k], wide<T>(other.data()[k]), 1e-3);
            };
            same(got["A"_t], want["A"_t]);
            same(got["Z"_t], want["Z"_t]);
            same(got["N"_t], want["N"_t]);
            same(got["G"_t], want["G"_t]);
            CHECK(wrong == 0);
            // Transposed, so that the rows are columns of memory; and in place.
            const tensor_view<T, 2> turned(x.data(), {n, 3}, {1, static_cast<std::ptrdiff_t>(n)});
            constexpr auto columns = R"(A^{ij} = \operatorname{softmax}_i(x^{ij}))"_eq;
            auto step = ricci::prepare(columns, "x"_t = turned, "A"_t = turned);
            step();
            for (std::size_t k = 0; k < x.size(); ++k)
                wrong += !close(x.data()[k], wide<T>(want["A"_t].data()[k]), 1e-3);
            CHECK(wrong == 0);
        }
    };
    check(bf16{});
    check(f16{});
}

TEST_CASE("numbers that the element type cannot be are refused", "[types]") {
    constexpr auto scaled = R"(Y^i = s x^i)"_eq;
    tensor<std::int32_t, 1> x({2}), y({2});
    const auto refusal = [&](auto run) {
        try {
            run();
        } catch (const ricci::error& e) {
            return std::string(e.what());
        }
        return std::string();
    };
    CHECK(refusal([&] { scaled("x"_t = x, "s"_t = 0.5); }) ==
          "ricci: 's' is 0.5, no whole number, and the tensors hold std::int32_t.");
    CHECK(refusal([&] { scaled("x"_t = x, "s"_t = std::int64_t{1} << 40); }).find("std::int32_t") !=
          std::string::npos);
    CHECK(refusal([&] { ricci::einsum_into<"i->i">(y, {.alpha = 0.25}, x); }) ==
          "ricci: alpha is 0.25, no whole number, and the tensors hold std::int32_t.");
    constexpr auto divided = R"(Y^i = \frac{1}{d} x^i)"_eq;
    CHECK(refusal([&] { divided("x"_t = x, "d"_t = 4); }).find("1 / 4 is no whole number") !=
          std::string::npos);
    tensor<float, 1> f({2}), g({2});
    CHECK(refusal([&] {
              ricci::einsum_into<"i->i">(g, {.alpha = std::complex<float>(0, 1)}, f);
          }) == "ricci: alpha is a complex number, and the tensors hold float.");
}
