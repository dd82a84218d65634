// einsum and einsum_into against loops over every label.
#include "tests/catch.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <ricci/program.hpp>
#include <ricci/ricci.hpp>

#include "tests/unit/face/einsum_oracle.hpp"

namespace {

using ricci::tensor;
using ricci::tensor_view;
using ricci::testing::copy_of;
using ricci::testing::dense_copy;
using ricci::testing::difference;
using ricci::testing::einsum_by_loops;
using ricci::testing::random_tensor;
using ricci::testing::tolerance_of;

template <ricci::detail::literal_text Text, class... Operands>
void check(const Operands&... operands) {
    const auto got = ricci::einsum<Text>(operands...);
    using T = typename std::remove_cvref_t<decltype(got)>::element_type;
    INFO(Text.characters);
    CHECK(difference(copy_of(got), einsum_by_loops(Text.characters, {copy_of(operands)...}),
                     tolerance_of<T>) == "");
}

template <class T, std::size_t Rank>
tensor<T, static_cast<int>(Rank)> random(const std::size_t (&extents)[Rank], std::uint32_t seed) {
    std::array<std::size_t, Rank> list{};
    for (std::size_t k = 0; k < Rank; ++k) list[k] = extents[k];
    return random_tensor<T, static_cast<int>(Rank)>(list, seed);
}

template <class T>
tensor<T, 0> scalar(double value) {
    tensor<T, 0> s;
    s() = static_cast<T>(value);
    return s;
}

template <class T>
void check_all() {
    const auto a = random<T>({4, 7}, 1), b = random<T>({7, 5}, 2), square = random<T>({6, 6}, 3);
    const auto x = random<T>({7}, 4), y = random<T>({7}, 5);
    const auto w = random<T>({3, 7, 5}, 6), batch = random<T>({3, 4, 7}, 7),
               other = random<T>({3, 7, 2}, 8);
    const auto cube = random<T>({4, 4, 4}, 9);
    const auto four = random<T>({2, 3, 4, 5}, 10);
    const auto s = scalar<T>(2.5);

    // one operand: permutations, traces, diagonals, sums
    check<"ij->ij">(a);
    check<"ij->ji">(a);
    check<"ij">(a);
    check<"ji">(a);
    check<"hij->jhi">(w);
    check<"abcd->dcba">(four);
    check<"abcd->bdac">(four);
    check<"ii->">(square);
    check<"ii">(square);
    check<"ii->i">(square);
    check<"iij->j">(cube);
    check<"iij->ij">(cube);
    check<"iii->i">(cube);
    check<"iii">(cube);
    check<"ij->">(a);
    check<"ij->i">(a);
    check<"ij->j">(a);
    check<"hij->h">(w);
    check<"i->i">(x);

    // two
    check<"ij,jk->ik">(a, b);
    check<"ij,jk">(a, b);
    check<"ij,jk->ki">(a, b);
    check<" i j , j k -> i k ">(a, b);
    check<"ib,hba->hia">(a, w);
    check<"hij,hjk->hik">(batch, other);
    check<"hij,hjk->ik">(batch, other);
    check<"i,i->">(x, y);
    check<"i,i->i">(x, y);
    check<"i,j->ij">(x, y);
    check<"i,j->ji">(x, y);
    check<"i,j">(x, y);
    check<"i,j->">(x, y);
    check<"ij,j->i">(a, x);
    check<"ij,ij->">(a, a);
    check<"ij,ij->ij">(a, a);
    check<"ij,ji->">(square, square);
    check<"ii,ij->j">(square, square);
    check<"ij,kj->ik">(a, a);
    check<"Zj,aj->aZ">(a, a);
    check<"Zj,aj">(a, a);

    // scalars
    check<",ij->ij">(s, a);
    check<"ij,->ji">(a, s);
    check<",->">(s, s);
    check<"">(s);

    // the ellipsis
    check<"...->...">(w);
    check<"...i->i...">(w);
    check<"...ij->...ji">(w);
    check<"...ij,...jk->...ik">(batch, other);
    check<"...ij,...jk">(batch, other);
    check<"...ij,...jk->...ik">(batch, b);
    check<"...j,j->...">(batch, x);
    check<"ij...,j->i...">(cube, random<T>({4}, 11));
    check<"...i,...i->...">(x, y);

    // labels beyond ASCII
    check<"\xce\xb1\xce\xb2,\xce\xb2\xce\xb3->\xce\xb1\xce\xb3">(a, b);
    check<"\xce\xb2\xce\xb1">(a);
    check<"\xe6\x97\xa5z,z->\xe6\x97\xa5">(a, x);

    // three and four operands
    check<"ij,jk,kl->il">(a, b, random<T>({5, 3}, 12));
    check<"ij,jk,kl,lm->im">(a, b, random<T>({5, 3}, 13), random<T>({3, 6}, 14));
    check<"i,ij,j->">(random<T>({4}, 15), a, x);
    check<"ib,hba,jc,hca->hij">(a, w, random<T>({6, 7}, 16), w);
    check<"ia,ja,ka->ijk">(a, random<T>({6, 7}, 17), random<T>({2, 7}, 18));
    check<"ij,,jk,->ik">(a, s, b, s);
    check<"i,i,i,i->i">(x, y, x, y);
}

}  // namespace

TEST_CASE("einsum follows numpy's rules", "[einsum]") {
    check_all<float>();
    check_all<double>();
}

TEST_CASE("einsum takes views of any strides, fixed tensors and numbers", "[einsum]") {
    const auto a = random<double>({6, 8}, 21);
    const tensor_view<const double, 2> transposed(a.data(), {8, 6}, {1, 8});
    const tensor_view<const double, 2> backwards(a.data() + 47, {6, 8}, {-8, -1});
    const tensor_view<const double, 2> repeated(a.data(), {5, 8}, {0, 1});
    const tensor_view<const double, 2> skipping(a.data() + 1, {3, 4}, {16, 2});
    check<"ij,jk->ik">(transposed, a);
    check<"ij,kj->ik">(backwards, a);
    check<"ij,kj->ik">(repeated, a);
    check<"ij,kj->ik">(skipping, skipping);
    check<"ij->ji">(backwards);
    check<"ij->j">(repeated);
    ricci::fixed_tensor<double, 8, 3> fixed;
    ricci::testing::randomise(fixed, 22);
    check<"ij,jk->ik">(a, fixed);

    const auto twice = ricci::einsum<",ij->ij">(2, a);
    CHECK(twice(3, 4) == 2 * a(3, 4));
}

TEST_CASE("einsum of empty extents", "[einsum]") {
    tensor<double, 2> a({3, 0}), b({0, 4});
    const auto c = ricci::einsum<"ij,jk->ik">(a, b);
    CHECK(c.extents() == std::array<std::size_t, 2>{3, 4});
    CHECK(difference(copy_of(c), dense_copy{{3, 4}, std::vector<long double>(12, 0)}, 0) == "");
    CHECK(ricci::einsum<"ij,jk->ik">(b, tensor<double, 2>({4, 2})).extents() ==
          std::array<std::size_t, 2>{0, 2});
}

TEST_CASE("einsum_into scales, adds and writes any strides", "[einsum]") {
    const auto a = random<double>({4, 7}, 31), b = random<double>({7, 5}, 32);
    const dense_copy product = einsum_by_loops("ij,jk->ik", {copy_of(a), copy_of(b)});
    const auto expected = [&](const dense_copy& before, double alpha, double beta) {
        dense_copy out = before;
        for (std::size_t k = 0; k < out.values.size(); ++k)
            out.values[k] = alpha * product.values[k] + beta * before.values[k];
        return out;
    };
    auto c = random<double>({4, 5}, 33);
    const dense_copy before = copy_of(c);
    ricci::einsum_into<"ij,jk->ik">(c, {.alpha = 2, .beta = 1}, a, b);
    CHECK(difference(copy_of(c), expected(before, 2, 1), 1e-14) == "");
    ricci::einsum_into<"ij,jk->ik">(c, {.alpha = -0.5}, a, b);
    CHECK(difference(copy_of(c), expected(before, -0.5, 0), 1e-14) == "");
    ricci::einsum_into<"ij,jk->ik">(c, a, b);
    CHECK(difference(copy_of(c), product, 1e-14) == "");
    ricci::einsum_into<"ij,jk->ik">(c, {.alpha = 0, .beta = 3}, a, b);
    CHECK(difference(copy_of(c), expected(product, 0, 3), 1e-14) == "");

    // a scaling that has a name
    ricci::scaling twice{.alpha = 2};
    const ricci::scaling onto{.alpha = 1, .beta = -1};
    ricci::einsum_into<"ij,jk->ik">(c, twice, a, b);
    CHECK(difference(copy_of(c), expected(product, 2, 0), 1e-14) == "");
    ricci::einsum_into<"ij,jk->ik">(c, onto, a, b);
    CHECK(difference(copy_of(c), expected(product, -1, 0), 1e-13) == "");

    // beta = 0 does not read the output
    c(1, 1) = std::nan("");
    ricci::einsum_into<"ij,jk->ik">(c, a, b);
    CHECK(difference(copy_of(c), product, 1e-14) == "");

    // a transposed output, in the middle of memory that has to stay as it is
    std::vector<double> ground(100, 7);
    const tensor_view<double, 2> out(ground.data() + 10, {4, 5}, {2, 9});
    ricci::einsum_into<"ij,jk->ik">(out, a, b);
    CHECK(difference(copy_of(out), product, 1e-14) == "");
    ricci::einsum_into<"ij,jk->ik">(out, {.alpha = 1, .beta = -1}, a, b);
    CHECK(difference(copy_of(out), dense_copy{{4, 5}, std::vector<long double>(20, 0)}, 1e-13) ==
          "");
    CHECK(std::count(ground.begin(), ground.end(), 7) == 80);

    // backwards
    const tensor_view<double, 2> reversed(ground.data() + 60, {4, 5}, {-5, -1});
    ricci::einsum_into<"ij,jk->ik">(reversed, a, b);
    CHECK(difference(copy_of(reversed), product, 1e-14) == "");
}

TEST_CASE("an extent of 1 is not broadcast, and the refusal names everything", "[einsum]") {
    const tensor<double, 2> a({4, 7}), b({1, 5});
    try {
        ricci::einsum<"ij,jk->ik">(a, b);
        FAIL("not refused");
    } catch (const ricci::error& e) {
        const std::string words = e.what();
        INFO(words);
        for (const char* part :
             {"index j", "extent 7", "operand 1", "operand 2", "axis 1", "axis 0"})
            CHECK(words.find(part) != std::string::npos);
    }
}

TEST_CASE("strings of hundreds of operands and letters", "[einsum]") {
    // Letters from U+4E00 on: three bytes each.
    const auto letter = [](std::size_t k) {
        const auto c = static_cast<unsigned>(0x4e00 + k);
        return std::string{static_cast<char>(0xe0 | c >> 12),
                           static_cast<char>(0x80 | (c >> 6 & 63)),
                           static_cast<char>(0x80 | (c & 63))};
    };
    // A chain of matrices with a vector at each of the joints: vectors are diagonals between them.
    constexpr std::size_t length = 150, side = 3;
    std::string text;
    std::vector<ricci::array> operands;
    std::vector<double> row(side * side, 0);
    for (std::size_t i = 0; i < side; ++i) row[i * side + i] = 1;
    for (std::size_t k = 0; k < length; ++k) {
        const auto m = random<double>({side, side}, static_cast<std::uint32_t>(2 * k));
        const auto v = random<double>({side}, static_cast<std::uint32_t>(2 * k + 1));
        text += (k == 0 ? "" : ",") + letter(k) + letter(k + 1) + "," + letter(k + 1);
        operands.push_back(ricci::array(m.clone()));
        operands.push_back(ricci::array(v.clone()));
        std::vector<double> next(side * side, 0);
        for (std::size_t i = 0; i < side; ++i)
            for (std::size_t j = 0; j < side; ++j)
                for (std::size_t l = 0; l < side; ++l)
                    next[i * side + j] += row[i * side + l] * m(l, j) * v(j);
        row = next;
    }
    const auto check_chain = [&](const std::string& whole, bool transposed) {
        const ricci::array r = ricci::einsum(whole, operands);
        REQUIRE(r.size() == side * side);
        for (std::size_t i = 0; i < side; ++i)
            for (std::size_t j = 0; j < side; ++j)
                CHECK(static_cast<const double*>(
                          r.data())[transposed ? j * side + i : i * side + j] ==
                      Approx(row[i * side + j]).epsilon(1e-9));
    };
    check_chain(text + "->" + letter(0) + letter(length), false);
    check_chain(text + "->" + letter(length) + letter(0), true);
    // Without an arrow the letters that stand once are kept: the first alone.
    const ricci::array sums = ricci::einsum(text, operands);
    REQUIRE(sums.size() == side);
    for (std::size_t i = 0; i < side; ++i)
        CHECK(static_cast<const double*>(sums.data())[i] ==
              Approx(row[i * side] + row[i * side + 1] + row[i * side + 2]).epsilon(1e-9));
    for (const std::string& wrong : {"->" + letter(length + 1), "->" + letter(9) + letter(9)}) {
        bool refused = false;
        try {
            ricci::einsum(text + wrong, operands);
        } catch (const ricci::error&) {
            refused = true;
        }
        CHECK(refused);
    }
}
