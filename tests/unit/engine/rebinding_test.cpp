// Prepared programs whose operands move, go, or are others: what is noticed, and bind().
#include <array>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <ricci/program.hpp>
#include <ricci/ricci.hpp>

#include "tests/catch.hpp"
#include "tests/unit/dense.hpp"
#include "tests/words_of.hpp"

namespace {

using namespace ricci::literals;
using ricci::testing::random_tensor;
using ricci::testing::words_of;
using matrix = ricci::tensor<float, 2>;

constexpr auto product = R"(Y^{ik} = c A^{ij} B^{jk})"_eq;
constexpr auto decode = R"(
    A^{j} = \operatorname{softmax}_j(q^{a} K^{ja})
    o^{c} = A^{j} V^{jc}
)"_eq;
constexpr auto next = R"(Y^{i} = \frac{1}{2} X^{i} + 1)"_eq;
constexpr auto heads = R"(Q^{hia} = P^{i(ha)})"_eq;

template <class A, class B>
bool same(const A& a, const B& b) {
    return a.extents() == b.extents() &&
           std::memcmp(a.data(), b.data(), a.size() * sizeof(*a.data())) == 0;
}

// What a call gives, which remembers no memory.
matrix times(const matrix& a, const matrix& b, float c) {
    return product("A"_t = a, "B"_t = b, "c"_t = c)["Y"_t];
}

matrix with_row(const matrix& k, std::uint32_t seed) {
    matrix longer({k.extent(0) + 1, k.extent(1)});
    const matrix row = random_tensor<float, 2>({1, k.extent(1)}, seed);
    std::copy_n(k.data(), k.size(), longer.data());
    std::copy_n(row.data(), row.size(), longer.data() + k.size());
    return longer;
}

std::string words_of(ricci::prepared<decltype(product)::hash, float>& step) {
    try {
        step();
    } catch (const ricci::error& e) {
        return e.what();
    }
    return "";
}

}  // namespace

TEST_CASE("a tensor that was given other memory is noticed, and nothing written", "[rebinding]") {
    auto a = random_tensor<float, 2>({5, 6}, 1);
    const auto b = random_tensor<float, 2>({6, 7}, 2);
    matrix y({5, 7});
    auto step = ricci::prepare(product, "A"_t = a, "B"_t = b, "c"_t = 2, "Y"_t = y);
    step();
    CHECK(same(y, times(a, b, 2)));
    a = random_tensor<float, 2>({5, 6}, 3);
    y = matrix({5, 7});
    CHECK(words_of(step).find("'A' was given other memory") != std::string::npos);
    step.bind("A"_t = a);
    CHECK(words_of(step).find("'Y' was given other memory") != std::string::npos);
    step.bind("Y"_t = y);
    CHECK(y(2, 2) == 0);
    step();
    CHECK(same(y, times(a, b, 2)));
}

TEST_CASE("a cache that grows is bound again, with what has to grow with it", "[rebinding]") {
    const auto q = random_tensor<float, 1>({8}, 1);
    auto k = random_tensor<float, 2>({3, 8}, 2), v = random_tensor<float, 2>({3, 5}, 3);
    auto step = ricci::prepare(decode, "q"_t = q, "K"_t = k, "V"_t = v);
    for (std::uint32_t token = 0; token < 40; ++token) {
        step();
        CHECK(same(step["o"_t], decode("q"_t = q, "K"_t = k, "V"_t = v)["o"_t]));
        k = with_row(k, 10 + token);
        CHECK_THROWS_AS(step(), ricci::error);
        // One alone does not fit, which changes nothing.
        CHECK_THROWS_AS(step.bind("K"_t = k), ricci::error);
        v = with_row(v, 60 + token);
        step.bind("K"_t = k, "V"_t = v);
    }
}

TEST_CASE("a tensor that was destroyed is noticed", "[rebinding]") {
    const auto b = random_tensor<float, 2>({6, 7}, 2);
    auto a = std::make_unique<matrix>(random_tensor<float, 2>({5, 6}, 1));
    auto step = ricci::prepare(product, "A"_t = *a, "B"_t = b, "c"_t = 1);
    auto other = ricci::prepare(product, "A"_t = *a, "B"_t = b, "c"_t = 1);
    step();
    a.reset();
    CHECK(words_of(step).find("'A' was destroyed") != std::string::npos);
    CHECK(words_of(other).find("'A' was destroyed") != std::string::npos);
    const auto c = random_tensor<float, 2>({5, 6}, 4);
    step.bind("A"_t = c);
    step();
    CHECK(same(step["Y"_t], times(c, b, 1)));
}

TEST_CASE("memory that moves with its tensor is still there", "[rebinding]") {
    const auto b = random_tensor<float, 2>({6, 7}, 2);
    auto a = random_tensor<float, 2>({5, 6}, 1);
    const matrix expected = times(a, b, 1);
    auto step = ricci::prepare(product, "A"_t = a, "B"_t = b, "c"_t = 1);
    {
        matrix moved = std::move(a);
        step();
        CHECK(same(step["Y"_t], expected));
        matrix again = std::move(moved);
        a = std::move(again);  // and back
        step();
        CHECK(same(step["Y"_t], expected));
    }
    step();
    std::vector<matrix> list;
    list.push_back(std::move(a));
    for (int k = 0; k < 10; ++k) list.emplace_back(std::array<std::size_t, 2>{1, 1});
    step();
    CHECK(same(step["Y"_t], expected));
    // Where it was is no longer where it is, once that has other memory.
    a = random_tensor<float, 2>({5, 6}, 5);
    CHECK_THROWS_AS(step(), ricci::error);
    // Both can be bound from then on.
    step.bind("A"_t = list[0]);
    step();
    CHECK(same(step["Y"_t], expected));
    step.bind("A"_t = a);
    step();
    CHECK(same(step["Y"_t], times(a, b, 1)));
    list.clear();
    step();
}

TEST_CASE("two tensors that change places are noticed", "[rebinding]") {
    auto a = random_tensor<float, 2>({4, 4}, 1), b = random_tensor<float, 2>({4, 4}, 2);
    auto step = ricci::prepare(product, "A"_t = a, "B"_t = b, "c"_t = 1);
    step();
    std::swap(a, b);
    CHECK_THROWS_AS(step(), ricci::error);
    step.bind("A"_t = a, "B"_t = b);
    step();
    CHECK(same(step["Y"_t], times(a, b, 1)));
}

TEST_CASE("a large fixed tensor is noticed as well, a small one keeps its memory", "[rebinding]") {
    using large = ricci::fixed_tensor<float, 64, 64>;
    using small = ricci::fixed_tensor<float, 64, 2>;
    large a;
    small b;
    for (std::size_t k = 0; k < a.size(); ++k) a.data()[k] = 1;
    for (std::size_t k = 0; k < b.size(); ++k) b.data()[k] = 1;
    auto step = ricci::prepare(product, "A"_t = a, "B"_t = b, "c"_t = 1);
    step();
    CHECK(step["Y"_t](3, 1) == 64);
    small twos;
    for (std::size_t k = 0; k < twos.size(); ++k) twos.data()[k] = 2;
    b = std::move(twos);
    step();
    CHECK(step["Y"_t](3, 1) == 128);
    a = large();
    CHECK_THROWS_AS(step(), ricci::error);
}

TEST_CASE("numbers, extents, strides and outputs are bound again", "[rebinding]") {
    const auto a = random_tensor<float, 2>({5, 5}, 1), b = random_tensor<float, 2>({5, 7}, 2);
    auto step = ricci::prepare(product, "A"_t = a, "B"_t = b, "c"_t = 2);
    const auto before = step["Y"_t];
    step();
    step.bind("c"_t = 3);
    step();
    CHECK(same(step["Y"_t], times(a, b, 3)));
    CHECK(step["Y"_t].data() == before.data());
    const ricci::tensor_view<const float, 2> turned(a.data(), {5, 5}, {1, 5});
    matrix copy({5, 5});
    for (std::size_t i = 0; i < 5; ++i)
        for (std::size_t j = 0; j < 5; ++j) copy(i, j) = a(j, i);
    step.bind("A"_t = turned);
    step();
    CHECK(ricci::testing::difference(ricci::testing::copy_of(step["Y"_t]),
                                     ricci::testing::copy_of(times(copy, b, 3)), 1e-6) == "");
    matrix y({5, 7});
    step.bind("Y"_t = y, "A"_t = a);
    step();
    CHECK(step["Y"_t].data() == y.data());
    CHECK(same(y, times(a, b, 3)));
    const auto longer = random_tensor<float, 2>({9, 5}, 3);
    CHECK_THROWS_AS(step.bind("A"_t = longer), ricci::error);  // y has 5 rows
    matrix z({9, 7});
    step.bind("A"_t = longer, "Y"_t = z);
    step();
    CHECK(same(z, times(longer, b, 3)));

    const auto p = random_tensor<float, 2>({3, 12}, 1);
    auto cut = ricci::prepare(heads, "P"_t = p, "h"_i = 2);
    cut();
    CHECK(cut["Q"_t].extents() == std::array<std::size_t, 3>{2, 3, 6});
    cut.bind("h"_i = 4);
    cut();
    CHECK(cut["Q"_t].extents() == std::array<std::size_t, 3>{4, 3, 3});
    CHECK(cut["Q"_t](3, 2, 1) == p(2, 10));
}

TEST_CASE("an input may be bound to the memory of the program's own output", "[rebinding]") {
    auto x = random_tensor<float, 1>({6}, 1);
    auto step = ricci::prepare(next, "X"_t = x);
    step();
    std::array<float, 6> expected{};
    for (std::size_t k = 0; k < 6; ++k) expected[k] = x(k) / 2 + 1;
    const auto y = step["Y"_t];
    CHECK(std::memcmp(y.data(), expected.data(), sizeof expected) == 0);
    step.bind("X"_t = y);
    for (int round = 0; round < 3; ++round) {
        step();
        for (float& e : expected) e = e / 2 + 1;
        CHECK(step["Y"_t].data() == y.data());
        CHECK(std::memcmp(y.data(), expected.data(), sizeof expected) == 0);
    }
    // Part of it: the output would be somewhere else, and the input nowhere.
    CHECK_THROWS_AS(step.bind("X"_t = ricci::tensor_view<float, 1>(y.data(), {4})), ricci::error);
    step.bind("X"_t = x);
    step();
    CHECK(step["Y"_t](5) == x(5) / 2 + 1);
}

TEST_CASE("a square matrix that its own product replaces is planned for that", "[rebinding]") {
    const auto a = random_tensor<float, 2>({5, 5}, 1), b = random_tensor<float, 2>({5, 5}, 2);
    auto step = ricci::prepare(product, "A"_t = a, "B"_t = b, "c"_t = 1);
    step();
    const matrix once = times(a, b, 1);
    step.bind("A"_t = step["Y"_t]);
    step();
    CHECK(ricci::testing::difference(ricci::testing::copy_of(step["Y"_t]),
                                     ricci::testing::copy_of(times(once, b, 1)), 1e-6) == "");
}

TEST_CASE("a number is a constant, a reference to one is read at every run", "[rebinding]") {
    const auto a = random_tensor<float, 2>({3, 4}, 1), b = random_tensor<float, 2>({4, 2}, 2);
    float c = 2;
    ricci::tensor<float, 0> rank_0 = 2;
    auto constant = ricci::prepare(product, "A"_t = a, "B"_t = b, "c"_t = c);
    auto read = ricci::prepare(product, "A"_t = a, "B"_t = b, "c"_t = std::cref(c));
    auto written = ricci::prepare(product, "A"_t = a, "B"_t = b, "c"_t = std::ref(c));
    auto scalar = ricci::prepare(product, "A"_t = a, "B"_t = b, "c"_t = rank_0);
    const ricci::program text(product);
    ricci::runner at_run_time = ricci::prepare(text, {{"A", a}, {"B", b}, {"c", std::cref(c)}});
    for (const float now : {2.0F, 4.0F, -0.5F}) {
        c = now;
        rank_0 = now;
        constant(), read(), written(), scalar(), at_run_time();
        const matrix expected = times(a, b, now);
        CHECK(same(constant["Y"_t], times(a, b, 2)));
        CHECK(same(read["Y"_t], expected));
        CHECK(same(written["Y"_t], expected));
        CHECK(same(scalar["Y"_t], expected));
        CHECK(same(at_run_time["Y"].as<float, 2>(), expected));
    }
}

TEST_CASE("a number that is read at every run is of the tensors' type", "[rebinding]") {
    const auto a = random_tensor<float, 2>({3, 4}, 1), b = random_tensor<float, 2>({4, 2}, 2);
    const double c = 2;
    const ricci::program text(product);
    CHECK(words_of([&] {
              (void)ricci::prepare(text, {{"A", a}, {"B", b}, {"c", std::cref(c)}});
          }) ==
          "ricci: c holds double and A holds float; the tensors of one call have one element "
          "type, and so has what std::cref() names; a number by value may be of any.");
    ricci::runner by_value = ricci::prepare(text, {{"A", a}, {"B", b}, {"c", c}});
    by_value();
    CHECK(same(by_value["Y"].as<float, 2>(), times(a, b, 2)));
}

TEST_CASE("what has been moved from says so", "[rebinding]") {
    const auto a = random_tensor<float, 2>({3, 4}, 1), b = random_tensor<float, 2>({4, 2}, 2);
    auto first = ricci::prepare(product, "A"_t = a, "B"_t = b, "c"_t = 1);
    auto second = std::move(first);
    const auto says = [](auto&& use) {
        try {
            use();
        } catch (const ricci::error& e) {
            return std::string(e.what()).find("moved") != std::string::npos;
        }
        return false;
    };
    CHECK(says([&] { first(); }));
    CHECK(says([&] { first["Y"_t]; }));
    CHECK(says([&] { first.bind("A"_t = a); }));
    CHECK(says([&] { first.explain(); }));
    second();
    CHECK(same(second["Y"_t], times(a, b, 1)));

    ricci::runner one = ricci::prepare(ricci::program(product), {{"A", a}, {"B", b}, {"c", 1}});
    ricci::runner other = std::move(one);
    CHECK(says([&] { one(); }));
    CHECK(says([&] { one["Y"]; }));
    CHECK(says([&] { one.bind("A", a); }));
    CHECK(says([&] { one.bind({{"A", a}, {"B", b}}); }));
    CHECK(says([&] { one.explain(); }));
    other();
    one = std::move(other);
    one();
    CHECK(same(one["Y"].as<float, 2>(), times(a, b, 1)));
}

TEST_CASE("operands that grow together are bound in one call, and a single one says so",
          "[rebinding]") {
    const auto a = random_tensor<float, 2>({3, 4}, 1), b = random_tensor<float, 2>({4, 2}, 2);
    const auto wide = random_tensor<float, 2>({3, 5}, 3), tall = random_tensor<float, 2>({5, 2}, 4);
    auto step = ricci::prepare(product, "A"_t = a, "B"_t = b, "c"_t = 1);
    ricci::runner text = ricci::prepare(ricci::program(product), {{"A", a}, {"B", b}, {"c", 1}});
    const auto words = [](auto&& use) {
        try {
            use();
        } catch (const ricci::error& e) {
            return std::string(e.what());
        }
        return std::string();
    };
    for (const auto& said :
         {words([&] { step.bind("A"_t = wide); }), words([&] { text.bind("A", wide); })})
        CHECK_THAT(said, ricci::testing::Contains("bound in one call of bind"));
    step();  // as it was
    CHECK(same(step["Y"_t], times(a, b, 1)));
    step.bind("A"_t = wide, "B"_t = tall);
    text.bind({{"A", wide}, {"B", tall}});
    step(), text();
    CHECK(same(step["Y"_t], times(wide, tall, 1)));
    CHECK(same(text["Y"].as<float, 2>(), times(wide, tall, 1)));
}
