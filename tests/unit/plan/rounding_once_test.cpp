// Results of 16 bits with factors in front: alpha times the value plus beta times what was there
// rounds once, however many steps that takes. Numbers are small and whole, so that floats hold all
// sums exactly.
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <type_traits>

#include <ricci/ricci.hpp>

#include "tests/catch.hpp"

namespace {

template <class T, int Rank>
using tensor = ricci::tensor<T, Rank>;

template <class T>
class drawing {
public:
    /// Whole numbers of at most `most`.
    template <class... Extents>
    auto tensor_of(int most, Extents... extents) {
        constexpr int rank = sizeof...(Extents);
        tensor<T, rank> t(std::array{static_cast<std::size_t>(extents)...});
        for (std::size_t k = 0; k < t.size(); ++k)
            t.data()[k] =
                T(static_cast<float>(std::uniform_int_distribution(-most, most)(engine_)));
        return t;
    }

private:
    std::mt19937 engine_{11};
};

constexpr float alpha = 1.25F, beta = 0.375F;

// How many elements are not the exact value, rounded once.
template <class T, class Tensor, class Exact>
int wrong_of(const Tensor& got, const Tensor& before, Exact exact) {
    int wrong = 0;
    for (std::size_t k = 0; k < got.size(); ++k) {
        const float value =
            alpha * exact(k) + beta * static_cast<float>(before.data()[k]);  // exact, as a float
        wrong += static_cast<float>(got.data()[k]) != static_cast<float>(T(value));
    }
    return wrong;
}

template <class T>
float at(const tensor<T, 2>& t, std::size_t i, std::size_t j) {
    return static_cast<float>(t(i, j));
}

template <class T>
void check() {
    drawing<T> draw;
    const std::size_t n = 37, m = 23, l = 29;
    // So large that sums have more digits than T, and so small that those of a float are enough.
    constexpr int alone = std::is_same_v<T, ricci::f16> ? 2000 : 250, two = 60, three = 9;
    const auto a = draw.tensor_of(two, n, m), b = draw.tensor_of(two, m, l),
               square = draw.tensor_of(two, n, n), large = draw.tensor_of(alone, n, n),
               rows = draw.tensor_of(alone, n, m);
    const auto a3 = draw.tensor_of(three, n, m), b3 = draw.tensor_of(three, m, l),
               d3 = draw.tensor_of(three, l, n);
    const auto x = draw.tensor_of(two, n), y = draw.tensor_of(two, m);

    {
        const auto before = draw.tensor_of(two, n, l);
        auto c = before.clone();
        ricci::einsum_into<"ij,jk->ik">(c, {.alpha = alpha, .beta = beta}, a, b);
        CHECK(wrong_of<T>(c, before, [&](std::size_t k) {
                  float sum = 0;
                  for (std::size_t j = 0; j < m; ++j) sum += at(a, k / l, j) * at(b, j, k % l);
                  return sum;
              }) == 0);
    }
    {
        const auto before = draw.tensor_of(two, n);
        auto c = before.clone();
        ricci::einsum_into<"ij->i">(c, {.alpha = alpha, .beta = beta}, rows);
        CHECK(wrong_of<T>(c, before, [&](std::size_t i) {
                  float sum = 0;
                  for (std::size_t j = 0; j < m; ++j) sum += at(rows, i, j);
                  return sum;
              }) == 0);
    }
    {
        const auto before = draw.tensor_of(two, m);
        auto c = before.clone();
        ricci::einsum_into<"ij->j">(c, {.alpha = alpha, .beta = beta}, rows);
        CHECK(wrong_of<T>(c, before, [&](std::size_t j) {
                  float sum = 0;
                  for (std::size_t i = 0; i < n; ++i) sum += at(rows, i, j);
                  return sum;
              }) == 0);
    }
    {
        auto before = tensor<T, 0>();
        before() = T(7.0F);
        auto c = before.clone();
        ricci::einsum_into<"ii->">(c, {.alpha = alpha, .beta = beta}, large);
        CHECK(wrong_of<T>(c, before, [&](std::size_t) {
                  float sum = 0;
                  for (std::size_t i = 0; i < n; ++i) sum += at(large, i, i);
                  return sum;
              }) == 0);
    }
    {
        const auto before = draw.tensor_of(two, m, n);
        auto c = before.clone();
        ricci::einsum_into<"i,j->ji">(c, {.alpha = alpha, .beta = beta}, x, y);
        CHECK(wrong_of<T>(c, before, [&](std::size_t k) {
                  return static_cast<float>(x(k % n)) * static_cast<float>(y(k / n));
              }) == 0);
    }
    {
        const auto before = draw.tensor_of(two, n, n);
        auto c = before.clone();
        ricci::einsum_into<"ij,jk,kl->il">(c, {.alpha = alpha, .beta = beta}, a3, b3, d3);
        CHECK(wrong_of<T>(c, before, [&](std::size_t p) {
                  float sum = 0;
                  for (std::size_t j = 0; j < m; ++j)
                      for (std::size_t k = 0; k < l; ++k)
                          sum += at(a3, p / n, j) * at(b3, j, k) * at(d3, k, p % n);
                  return sum;
              }) == 0);
    }
    {
        const auto before = draw.tensor_of(two, n, n);
        auto c = before.clone();
        ricci::einsum_into<"ij,jk->ik">(c, {.alpha = alpha, .beta = beta}, c, square);
        CHECK(wrong_of<T>(c, before, [&](std::size_t k) {
                  float sum = 0;
                  for (std::size_t j = 0; j < n; ++j)
                      sum += at(before, k / n, j) * at(square, j, k % n);
                  return sum;
              }) == 0);
    }
    {
        const auto before = draw.tensor_of(two, n, n);
        auto c = before.clone();
        ricci::einsum_into<"ij,i->ij">(c, {.alpha = alpha, .beta = beta}, c, x);
        CHECK(wrong_of<T>(c, before, [&](std::size_t k) {
                  return at(before, k / n, k % n) * static_cast<float>(x(k / n));
              }) == 0);
    }
}

}  // namespace

TEST_CASE("bf16 results with alpha and beta are rounded once", "[rounding]") {
    check<ricci::bf16>();
}
TEST_CASE("f16 results with alpha and beta are rounded once", "[rounding]") { check<ricci::f16>(); }

namespace {

// A sum over an index that one factor alone has lies inside of one contraction.
template <class T>
void check_lone_sums() {
    drawing<T> draw;
    const std::size_t n = 37, m = 300, l = 29;
    const auto a = draw.tensor_of(16, n, m), b = draw.tensor_of(3, n, l);
    const auto got = ricci::einsum<"ij,ik->i">(a, b);
    int wrong = 0;
    for (std::size_t i = 0; i < n; ++i) {
        float row = 0, other = 0;
        for (std::size_t j = 0; j < m; ++j) row += at(a, i, j);
        for (std::size_t k = 0; k < l; ++k) other += at(b, i, k);
        wrong += static_cast<float>(got(i)) != static_cast<float>(T(row * other));
    }
    CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("a product of two 16-bit factors with sums of their own is rounded once", "[rounding]") {
    check_lone_sums<ricci::bf16>();
    check_lone_sums<ricci::f16>();
}
