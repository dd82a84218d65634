// Run-time mistakes: what is thrown, what the words name, and that nothing has been written before.
#include "tests/catch.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <ricci/ricci.hpp>

#include "tests/unit/dense.hpp"

namespace {

using namespace ricci::literals;
using ricci::tensor;
using ricci::tensor_view;
using ricci::testing::random_tensor;

/// The words of the refusal of a call; empty when it is carried out.
template <class Call>
std::string refusal(Call&& call) {
    try {
        call();
    } catch (const ricci::error& e) {
        return *e.what() != '\0' ? e.what() : "no words";
    }
    return "";
}
bool has_all(const std::string& words, const std::vector<std::string>& parts) {
    return std::all_of(parts.begin(), parts.end(),
                       [&](const std::string& p) { return words.find(p) != std::string::npos; });
}

constexpr auto product = R"(Y^{ik} = A^{ij} B^{jk})"_eq;
constexpr auto chain = R"(
    P^{ik} = A^{ij} B^{jk}
    Y^{il} = P^{ik} C^{kl}
    Z^{i}  = \exp(a^{i}) P^{ik} c^{k}
)"_eq;

}  // namespace

TEST_CASE("two extents for one index are named with all that they belong to", "[refusals]") {
    const tensor<float, 2> a({3, 4}), b({5, 6});
    const auto words = refusal([&] { product("A"_t = a, "B"_t = b); });
    INFO(words);
    CHECK(has_all(words, {"Y^{ik} = A^{ij} B^{jk}", "index j", "extent 4", "axis 1 of A", "5",
                          "axis 0 of B"}));

    try {
        product("A"_t = a, "B"_t = b);
        FAIL("not refused");
    } catch (const std::invalid_argument&) {  // what ricci::error is
        SUCCEED();
    }
}

TEST_CASE("a mistake in a later equation is found before an earlier one writes", "[refusals]") {
    const auto a = random_tensor<double, 2>({3, 4}, 1), b = random_tensor<double, 2>({4, 5}, 2);
    const tensor<double, 2> c({5, 2});
    const tensor<double, 1> good({5}), bad({6}), left({3});
    tensor<double, 2> y({3, 2});
    tensor<double, 1> z({3});
    std::fill(y.data(), y.data() + y.size(), 7.0);
    std::fill(z.data(), z.data() + z.size(), 7.0);
    const auto words = refusal([&] {
        auto step = ricci::prepare(chain, "A"_t = a, "B"_t = b, "C"_t = c, "a"_t = left,
                                   "c"_t = bad, "Y"_t = y, "Z"_t = z);
        step();
    });
    INFO(words);
    CHECK(has_all(words, {"index k", "extent 5", "6", "axis 0 of c"}));
    CHECK(std::count(y.data(), y.data() + y.size(), 7.0) == 6);
    CHECK(std::count(z.data(), z.data() + z.size(), 7.0) == 3);
    CHECK(refusal([&] {
              auto step = ricci::prepare(chain, "A"_t = a, "B"_t = b, "C"_t = c, "a"_t = left,
                                         "c"_t = good, "Y"_t = y, "Z"_t = z);
              step();
          }) == "");
    CHECK(std::count(z.data(), z.data() + z.size(), 7.0) == 0);
}

TEST_CASE("an output of the wrong shape is refused untouched", "[refusals]") {
    const auto a = random_tensor<float, 2>({3, 4}, 1), b = random_tensor<float, 2>({4, 5}, 2);
    tensor<float, 2> y({3, 6});
    std::fill(y.data(), y.data() + y.size(), 7.0f);
    const auto words = refusal([&] { ricci::prepare(product, "A"_t = a, "B"_t = b, "Y"_t = y); });
    INFO(words);
    CHECK(has_all(words, {"index k", "5", "6", "axis 1 of Y"}));
    const auto into = refusal([&] { ricci::einsum_into<"ij,jk->ik">(y, a, b); });
    INFO(into);
    CHECK(has_all(into, {"index k", "5", "6"}));
    CHECK(std::count(y.data(), y.data() + y.size(), 7.0f) == 18);
}

TEST_CASE("overlap of an output with an input is refused, the same memory exactly is not",
          "[refusals]") {
    std::vector<double> ground(64, 1);
    const tensor_view<double, 2> a(ground.data(), {4, 4}), partly(ground.data() + 8, {4, 4}),
        apart(ground.data() + 32, {4, 4}), transposed(ground.data(), {4, 4}, {1, 4});
    constexpr auto twice = R"(Y^{ij} = 2 X^{ij} + 1)"_eq;
    const auto run = [&](const tensor_view<double, 2>& out) {
        return refusal([&] {
            auto step = ricci::prepare(twice, "X"_t = a, "Y"_t = out);
            step();
        });
    };
    const auto words = run(partly);
    INFO(words);
    CHECK(has_all(words, {"overlap", "Y", "X"}));
    CHECK(std::count(ground.begin(), ground.end(), 1.0) == 64);
    CHECK(run(transposed) != "");
    CHECK(std::count(ground.begin(), ground.end(), 1.0) == 64);
    CHECK(run(apart) == "");
    CHECK(ground[32] == 3);
    CHECK(run(a) == "");
    CHECK(ground[0] == 3);
    CHECK(ground[15] == 3);
    CHECK(ground[16] == 1);

    // an output whose elements share an address has no one value
    const tensor_view<double, 2> repeated(ground.data() + 32, {4, 4}, {0, 1});
    CHECK(run(repeated) != "");
    CHECK(refusal([&] { ricci::einsum_into<"ij,jk->ik">(partly, a, apart); }) != "");
}

TEST_CASE("two outputs may not share memory", "[refusals]") {
    constexpr auto two = R"(Y^{i} = 2 x^{i}; Z^{i} = 3 x^{i})"_eq;
    const auto x = random_tensor<double, 1>({6}, 1);
    std::vector<double> ground(12, 7);
    const tensor_view<double, 1> first(ground.data(), {6}), second(ground.data() + 5, {6});
    const auto words = refusal([&] {
        auto step = ricci::prepare(two, "x"_t = x, "Y"_t = first, "Z"_t = second);
        step();
    });
    INFO(words);
    CHECK(words != "");
    CHECK(std::count(ground.begin(), ground.end(), 7.0) == 12);
}

TEST_CASE("an extent that nothing gives is asked for", "[refusals]") {
    constexpr auto split = R"(Y^{hia} = P^{i(ha)})"_eq;
    const tensor<float, 2> p({5, 12});
    const auto words = refusal([&] { split("P"_t = p); });
    INFO(words);
    CHECK(has_all(words, {"Y^{hia} = P^{i(ha)}", "\"h\"_i"}));
    CHECK(has_all(refusal([&] { split("P"_t = p, "h"_i = 5); }), {"axis 1 of P", "12"}));
    CHECK(refusal([&] { split("P"_t = p, "h"_i = 4); }) == "");
}

TEST_CASE("a position outside its axis is refused", "[refusals]") {
    constexpr auto shifted = R"(Y^{i} = x^{i} z^{i+1})"_eq;
    const tensor<double, 1> five({5}), six({6});
    CHECK(has_all(refusal([&] { shifted("x"_t = five, "z"_t = five); }),
                  {"axis 0 of z", "extent 5"}));
    CHECK(refusal([&] { shifted("x"_t = five, "z"_t = six); }) == "");
    constexpr auto fixed = R"(Y^{i} = x^{i3})"_eq;
    const tensor<double, 2> narrow({4, 3}), wide({4, 4});
    CHECK(refusal([&] { fixed("x"_t = narrow); }) != "");
    CHECK(refusal([&] { fixed("x"_t = wide); }) == "");
}

TEST_CASE("a result that no memory could hold is refused", "[refusals]") {
    constexpr auto outer = R"(Y^{ijk} = x^{i} y^{j} z^{k})"_eq;
    const float value = 1;
    const std::size_t n = std::size_t{1} << 31;
    const tensor_view<const float, 1> all(&value, {n}, {0});
    CHECK(refusal([&] { outer("x"_t = all, "y"_t = all, "z"_t = all); }) != "");
}
