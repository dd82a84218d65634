// Small contractions compiled in this file, against the same ones done by the library.
#include <cmath>
#include <cstddef>
#include <type_traits>

#include <ricci/ricci.hpp>
#include <ricci/small.hpp>

#include "tests/catch.hpp"
#include "tests/sanitized.hpp"

namespace {

using ricci::fixed_tensor;
using ricci::tensor;

template <class Tensor>
void fill(Tensor& x, unsigned seed) {
    for (std::size_t k = 0; k < x.size(); ++k) {
        seed = seed * 1664525u + 1013904223u;
        x.data()[k] = static_cast<typename Tensor::element_type>(seed >> 20) / 4096 - 1 / 2.0f;
    }
}

// The library's result of the same text: it gets views.
template <ricci::detail::literal_text Text, class Result, class... Operands>
void check(const Result& got, const Operands&... operands) {
    const auto want = ricci::einsum<Text>(operands.view()...);
    REQUIRE(got.size() == want.size());
    int wrong = 0;
    for (std::size_t k = 0; k < want.size(); ++k)
        wrong += !(std::abs(got.data()[k] - want.data()[k]) < 1e-4);
    CHECK(wrong == 0);
}

template <ricci::detail::literal_text Text, class T, class A, class B>
void check_pair() {
    INFO(Text.view().data);
    A a;
    B b;
    fill(a, 1), fill(b, 2);
    check<Text>(ricci::einsum<Text>(a, b), a, b);
}

template <class T, std::size_t M, std::size_t N, std::size_t K>
void check_products() {
    INFO(M << " x " << N << " x " << K);
    using a = fixed_tensor<T, M, K>;
    using at = fixed_tensor<T, K, M>;
    using b = fixed_tensor<T, K, N>;
    using bt = fixed_tensor<T, N, K>;
    check_pair<"ik,kj->ij", T, a, b>();
    check_pair<"ki,kj->ij", T, at, b>();
    check_pair<"ik,jk->ij", T, a, bt>();
    check_pair<"ki,jk->ji", T, at, bt>();
}

}  // namespace

TEST_CASE("small products of every size and layout", "[small]") {
    check_products<float, 1, 1, 1>();
    check_products<float, 4, 4, 4>();
    check_products<float, 3, 5, 7>();
    check_products<float, 2, 2, 2>();
    check_products<float, 3, 3, 3>();
    check_products<double, 3, 3, 3>();
    check_products<double, 4, 4, 4>();
    check_products<double, 6, 13, 2>();
#ifndef RICCI_TEST_SANITIZED  // minutes to compile with a check for each element of unrolled loops
    check_products<float, 8, 8, 8>();
    check_products<float, 5, 5, 5>();
    check_products<float, 7, 6, 8>();
    check_products<float, 6, 15, 4>();
    check_products<double, 7, 7, 5>();
    check_products<float, 20, 3, 40>();
    check_products<float, 31, 17, 9>();
    check_products<float, 32, 32, 32>();
    check_products<double, 16, 16, 16>();
    check_products<double, 29, 3, 30>();
#endif
}

TEST_CASE("small contractions of other forms", "[small]") {
    using m = fixed_tensor<float, 5, 5>;
    using v = fixed_tensor<float, 5>;
    using t = fixed_tensor<float, 4, 5, 6>;
    check_pair<"ij,j->i", float, m, v>();
    check_pair<"i,ij->j", float, v, m>();
    check_pair<"i,i->", float, v, v>();
    check_pair<"i,j->ij", float, v, v>();
    check_pair<"ij,ij->ij", float, m, m>();
    check_pair<"ij,ij->i", float, m, m>();
    check_pair<"ii,ij->j", float, m, m>();
    check_pair<"bij,jk->bik", float, t, fixed_tensor<float, 6, 3>>();
    check_pair<"ijk,jl->ilk", float, t, m>();
    check_pair<"bij,bij->bj", float, t, t>();
    check_pair<"bij,k->", float, t, v>();
    check_pair<"bij,bkj->kbi", float, t, fixed_tensor<float, 4, 7, 6>>();
}

TEST_CASE("small products along a third index", "[small]") {
    using stack = fixed_tensor<float, 5, 3, 3>;
    using rows = fixed_tensor<float, 5, 3>;
    check_pair<"bij,bjk->bik", float, stack, stack>();
    check_pair<"bij,bkj->bki", float, stack, stack>();
    check_pair<"bij,bj->bi", float, stack, rows>();
    check_pair<"bij,bi->bj", float, stack, rows>();
    check_pair<"bi,bi->b", float, rows, rows>();
    check_pair<"bi,bj->bij", float, rows, rows>();
    check_pair<"bij,jk->kib", float, stack, fixed_tensor<float, 3, 4>>();
    using cube = fixed_tensor<double, 4, 4, 4>;
    using square = fixed_tensor<double, 4, 4>;
    check_pair<"ijk,jl->ilk", double, cube, square>();
    check_pair<"ijk,jl->ikl", double, cube, square>();
    check_pair<"ijk,kl->ijl", double, cube, square>();
    check_pair<"ijk,il->ljk", double, cube, square>();
    check_pair<"ijk,kjl->il", double, cube, cube>();
    check_pair<"ijk,ijl->kl", double, cube, cube>();
    check_pair<"ij,ji->", double, square, square>();
    check_pair<"ijk,jj->ik", double, cube, square>();
    // The only number of a row, and a row as long as half a vector.
    check_pair<"ij,jk->ik", float, fixed_tensor<float, 9, 2>, fixed_tensor<float, 2, 1>>();
    check_pair<"ij,jk->ik", float, fixed_tensor<float, 2, 9>, fixed_tensor<float, 9, 2>>();
}

TEST_CASE("vectors of small tensors are loaded from inside of them", "[small]") {
    int wrong = 0, found = 0;
    for (std::size_t reach = 1; reach < 40; ++reach)
        for (std::size_t lowest = 0; lowest < reach; ++lowest)
            for (std::size_t highest = lowest; highest < reach; ++highest)
                for (std::size_t lanes = 2; lanes <= 16; lanes *= 2) {
                    const auto from = ricci::small::load_of<float>(lowest, highest, lanes, reach);
                    if (from.lanes == 0) continue;
                    ++found;
                    wrong += from.lanes < lanes || from.place > lowest ||
                             from.place + from.lanes <= highest || from.place + from.lanes > reach;
                }
    CHECK(wrong == 0);
    CHECK(found > 0);
}

TEST_CASE("the last vectors of small tensors end with them", "[small]") {
    for (std::size_t total = 1; total < 80; ++total) {
        std::size_t done = 0;
        while (done < total) {
            const auto run = ricci::small::next_vectors<float>(done, total, 2);
            REQUIRE(run.first <= done);
            REQUIRE(run.end() > done);
            done = run.end();
        }
        REQUIRE(done == total);
    }
}

TEST_CASE("three small tensors, in the better order", "[small]") {
    fixed_tensor<float, 8, 8> a, b, c;
    fixed_tensor<float, 8> x;
    fixed_tensor<float, 3, 8> n;
    fill(a, 1), fill(b, 2), fill(c, 3), fill(x, 4), fill(n, 5);
    check<"ij,jk,kl->il">(ricci::einsum<"ij,jk,kl->il">(a, b, c), a, b, c);
    check<"ij,jk,k->i">(ricci::einsum<"ij,jk,k->i">(a, b, x), a, b, x);
    check<"i,ij,jk->k">(ricci::einsum<"i,ij,jk->k">(x, a, b), x, a, b);
    check<"ni,ij,j->n">(ricci::einsum<"ni,ij,j->n">(n, a, x), n, a, x);
    check<"i,i,i->">(ricci::einsum<"i,i,i->">(x, x, x), x, x, x);
}

TEST_CASE("fixed tensors beyond the small ones go to the library", "[small]") {
    using large = fixed_tensor<float, 70, 70>;
    check_pair<"ik,kj->ij", float, large, large>();
    fixed_tensor<float, 4, 4> a;
    fill(a, 1);
    static_assert(std::is_same_v<decltype(ricci::einsum<"ij,jk">(a, a)), tensor<float, 2>>);
    check<"ij,jk">(ricci::einsum<"ij,jk">(a, a), a, a);
}

TEST_CASE("small fixed tensors are values that move", "[small]") {
    fixed_tensor<double, 2, 3> a;
    for (std::size_t k = 0; k < a.size(); ++k) CHECK(a.data()[k] == 0);
    a(1, 2) = 5;
    fixed_tensor<double, 2, 3> b(std::move(a));
    CHECK(b(1, 2) == 5);
    CHECK(reinterpret_cast<std::uintptr_t>(b.data()) % 64 == 0);
    fixed_tensor<double, 40, 40> large;
    large(39, 39) = 2;
    const double* const place = large.data();
    const fixed_tensor<double, 40, 40> moved(std::move(large));
    CHECK(moved.data() == place);
    CHECK(moved(39, 39) == 2);
    fixed_tensor<double> scalar;
    CHECK(scalar() == 0);
}
