// Slices, reshapes and broadcasts, each compared with a plain loop over the elements.
#include "tests/catch.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include <ricci/ricci.hpp>

namespace {

using namespace ricci::literals;
using ricci::tensor;
using ricci::tensor_view;
using sizes1 = std::array<std::size_t, 1>;
using sizes2 = std::array<std::size_t, 2>;
using sizes3 = std::array<std::size_t, 3>;

/// Numbers that tell where they were: 100 i + 10 j + k.
tensor<double, 3> numbered(std::size_t a, std::size_t b, std::size_t c) {
    tensor<double, 3> t({a, b, c});
    for (std::size_t i = 0; i < a; ++i)
        for (std::size_t j = 0; j < b; ++j)
            for (std::size_t k = 0; k < c; ++k)
                t(i, j, k) = static_cast<double>(100 * i + 10 * j + k);
    return t;
}

/// Whether a view of rank 3 has these extents and f(i, j, k) everywhere.
template <class View, class Value>
bool is(const View& v, const sizes3& extents, Value f) {
    if (v.extents() != extents) return false;
    for (std::size_t i = 0; i < extents[0]; ++i)
        for (std::size_t j = 0; j < extents[1]; ++j)
            for (std::size_t k = 0; k < extents[2]; ++k)
                if (v(i, j, k) != static_cast<double>(f(i, j, k))) return false;
    return true;
}

template <class View>
std::vector<double> listed(const View& v) {
    return {v.begin(), v.end()};
}

template <class Action>
std::string error_of(Action action) {
    try {
        action();
    } catch (const ricci::error& e) {
        return e.what();
    }
    return "nothing is thrown";
}

}  // namespace

TEST_CASE("a slice keeps some positions of an axis", "[views]") {
    auto t = numbered(4, 5, 6);
    CHECK(is(t.slice(0, 1, 3), {2, 5, 6},
             [](auto i, auto j, auto k) { return 100 * (i + 1) + 10 * j + k; }));
    CHECK(is(t.slice(1, 0, 5, 2), {4, 3, 6},
             [](auto i, auto j, auto k) { return 100 * i + 20 * j + k; }));
    CHECK(is(t.slice(2, 1, 6, 3), {4, 5, 2},
             [](auto i, auto j, auto k) { return 100 * i + 10 * j + 3 * k + 1; }));
    CHECK(t.slice(1, 1, 2, 100).extents() == sizes3{4, 1, 6});
    CHECK(t.slice(1, 5, 5).extents() == sizes3{4, 0, 6});
    CHECK(is(t.slice(0, 1, 4).slice(0, 1, 3), {2, 5, 6},
             [](auto i, auto j, auto k) { return 100 * (i + 2) + 10 * j + k; }));
    t.slice(0, 1, 2).slice(1, 2, 3).slice(2, 3, 4)(0, 0, 0) = -1;
    CHECK(t(1, 2, 3) == -1);

    CHECK(error_of([&] { t.slice(1, 2, 6); }) ==
          "a slice of axis 1 from 2 to 6 with step 1 is asked for, and the axis has extent 5");
    CHECK(error_of([&] { t.slice(1, -1, 3); }) ==
          "a slice of axis 1 from -1 to 3 with step 1 is asked for, and the axis has extent 5");
    CHECK_THROWS_AS(t.slice(1, 3, 2), ricci::error);
    CHECK_THROWS_AS(t.slice(1, 0, 2, 0), ricci::error);
    CHECK(error_of([&] { t.slice(3, 0, 1); }) ==
          "axis 3 is asked for, and there are 3 axes, counted from 0");
    CHECK_THROWS_AS(t.slice(-1, 0, 1), ricci::error);
    CHECK(error_of([&] { t[0][0].slice(1, 0, 1); }) ==
          "axis 1 is asked for, and there is 1 axis, counted from 0");
}

TEST_CASE("a position of an axis drops it", "[views]") {
    auto t = numbered(4, 5, 6);
    const auto plane = t.at(1, 2);
    CHECK(plane.extents() == sizes2{4, 6});
    for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t k = 0; k < 6; ++k) CHECK(plane(i, k) == t(i, 2, k));
    CHECK(t[3].extents() == sizes2{5, 6});
    CHECK(t[3][4][5] == 345);
    t[3][4][5] = 1;
    CHECK(t(3, 4, 5) == 1);
    CHECK(t[1].at(1, 3).at(0, 2)() == 123);
    const auto& same = t;
    static_assert(std::is_same_v<decltype(same[1]), tensor_view<const double, 2>>);
    static_assert(std::is_same_v<decltype(t[1]), tensor_view<double, 2>>);
    static_assert(std::is_same_v<decltype(t[1][1][1]), double&>);
    tensor<double, 1> v = {1, 2, 3};
    v[1] = 5;
    CHECK(v(1) == 5);
    CHECK(v.at(0, 1)() == 5);
    CHECK(error_of([&] { t.at(1, 5); }) ==
          "position 5 of axis 1 is asked for, and the axis has extent 5");
    CHECK_THROWS_AS(t[4], ricci::error);
    CHECK_THROWS_AS(t[-1], ricci::error);
    CHECK_THROWS_AS(v.at(0, 3), ricci::error);
}

TEST_CASE("axes are reversed and permuted", "[views]") {
    auto t = numbered(4, 5, 6);
    CHECK(is(t.reversed(1), {4, 5, 6},
             [](auto i, auto j, auto k) { return 100 * i + 10 * (4 - j) + k; }));
    CHECK(is(t.reversed(1).reversed(1), {4, 5, 6},
             [](auto i, auto j, auto k) { return 100 * i + 10 * j + k; }));
    CHECK(is(t.permuted({2, 0, 1}), {6, 4, 5},
             [](auto k, auto i, auto j) { return 100 * i + 10 * j + k; }));
    CHECK(is(t.permuted(std::array<int, 3>{1, 0, 2}), {5, 4, 6},
             [](auto j, auto i, auto k) { return 100 * i + 10 * j + k; }));
    tensor<double, 2> a = {{1, 2, 3}, {4, 5, 6}};
    CHECK(listed(a.transposed()) == std::vector<double>{1, 4, 2, 5, 3, 6});
    a.transposed()(2, 0) = 7;
    CHECK(a(0, 2) == 7);
    CHECK(
        error_of([&] {
            t.permuted({1, 1, 2});
        }) ==
        "the axes are asked for in the order (1, 1, 2), and an order has each of the 3 axes once, "
        "counted from 0");
    CHECK_THROWS_AS(t.permuted({0, 1, 3}), ricci::error);
    CHECK_THROWS_AS(t.permuted({0, 1, -1}), ricci::error);
    CHECK_THROWS_AS(t.reversed(3), ricci::error);
    CHECK((tensor<double, 2>({0, 3}).view().reversed(0).size() == 0));
}

TEST_CASE("what lies in order is reshaped", "[views]") {
    auto t = numbered(4, 5, 6);
    CHECK(t.reshaped({120}).extents() == sizes1{120});
    CHECK(t.reshaped({120})(63) == t(2, 0, 3));
    CHECK(t.reshaped({2, 10, -1}).extents() == sizes3{2, 10, 6});
    CHECK(t.reshaped({2, 10, -1})(1, 3, 2) == t(2, 3, 2));
    CHECK(t.reshaped(std::array<int, 2>{-1, 6}).extents() == sizes2{20, 6});
    CHECK(t.reshaped({1, 4, 1, 5, 6, 1})(0, 3, 0, 4, 5, 0) == 345);
    t.reshaped({-1})(7) = -1;
    CHECK(t(0, 1, 1) == -1);
    tensor<double, 0> s = 3;
    CHECK(s.reshaped({1, 1})(0, 0) == 3);
    CHECK(s.reshaped({-1}).extents() == sizes1{1});
    tensor<double, 2> none({0, 3});
    CHECK(none.reshaped({3, 0, 5}).extents() == sizes3{3, 0, 5});
    CHECK(none.reshaped({3, -1}).extents() == sizes2{3, 0});

    CHECK(error_of([&] {
              t.reshaped({5, 5});
          }) == "extents (5, 5) are asked for, and extents (4, 5, 6) have 120 elements");
    CHECK(error_of([&] {
              t.reshaped({7, -1});
          }) == "extents (7, -1) are asked for, and extents (4, 5, 6) have 120 elements");
    CHECK_THROWS_AS(t.reshaped({-1, -1}), ricci::error);
    CHECK_THROWS_AS(t.reshaped({-2, -60}), ricci::error);
    CHECK_THROWS_AS(none.reshaped({0, -1}), ricci::error);
    CHECK_THROWS_AS(t.reshaped({std::size_t{1} << 40, std::size_t{1} << 40}), ricci::error);
}

TEST_CASE("views with gaps are reshaped where no copy is needed", "[views]") {
    auto t = numbered(4, 6, 8);
    // heads out of the last axis of a slice, and two axes in one whose rows follow each other
    const auto part = t.slice(1, 1, 5).slice(0, 0, 4, 3);
    const auto heads = part.reshaped({2, 4, 2, 4});
    for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t j = 0; j < 4; ++j)
            for (std::size_t k = 0; k < 8; ++k)
                CHECK(&heads(i, j, k / 4, k % 4) == &t(3 * i, j + 1, k));
    CHECK(&part.reshaped({2, 32})(1, 13) == &t(3, 2, 5));
    CHECK(&t.permuted({1, 0, 2}).reshaped({2, 3, 4, 8})(1, 2, 3, 4) == &t(3, 5, 4));
    CHECK(&t.reversed(0).reshaped({2, 2, 48})(0, 1, 9) == &t(2, 1, 1));
    CHECK(
        error_of([&] {
            t.slice(2, 0, 2).reshaped({24, 2}).reshaped({48});
        }) ==
        "no view of a tensor of extents (24, 2) and strides (8, 1) has extents (48): its elements "
        "have gaps between them or another order; clone() it first");
    CHECK_THROWS_AS(t.permuted({1, 0, 2}).reshaped({-1, 8}), ricci::error);
    const auto copy = t.permuted({1, 0, 2}).clone();
    CHECK(&copy.reshaped({-1, 8})(9, 1) == &copy(2, 1, 1));
}

TEST_CASE("broadcasts repeat without storing", "[views]") {
    const tensor<double, 2> a = {{1}, {2}, {3}};
    CHECK(is(a.broadcast({2, 3, 4}), {2, 3, 4}, [](auto, auto j, auto) { return j + 1; }));
    CHECK(is(a.broadcast(std::array<std::size_t, 3>{2, 3, 4}), {2, 3, 4},
             [](auto, auto j, auto) { return j + 1; }));
    tensor<double, 1> v = {1, 2, 3};
    CHECK(v.broadcast({2, 3}).strides() == std::array<std::ptrdiff_t, 2>{0, 1});
    CHECK(is(v.expanded(0, 2).expanded(1, 4), {2, 4, 3}, [](auto, auto, auto k) { return k + 1; }));
    CHECK(v.expanded(1).extents() == sizes2{3, 1});
    static_assert(std::is_same_v<decltype(v.broadcast({2, 3})), tensor_view<const double, 2>>);
    static_assert(std::is_same_v<decltype(v.expanded(0, 2)), tensor_view<const double, 2>>);
    tensor<double, 0> s = 7;
    CHECK(is(s.broadcast({1, 2, 3}), {1, 2, 3}, [](auto...) { return 7; }));
    double one = 1;
    const auto ones = ricci::broadcast(one, {2, 1, 3});
    CHECK(is(ones, {2, 1, 3}, [](auto...) { return 1; }));
    one = 2;
    CHECK(ones(1, 0, 2) == 2);
    CHECK(v.broadcast({0, 3}).size() == 0);

    CHECK(error_of([&] {
              a.broadcast({2, 4});
          }) ==
          "extents (3, 1) are not broadcast to (2, 4): from the last axis backwards each has to be "
          "the same or 1");
    CHECK_THROWS_AS(a.broadcast({3}), ricci::error);
    CHECK_THROWS_AS(v.broadcast({-1, 3}), ricci::error);
    CHECK(error_of([&] { v.expanded(0, -2); }) ==
          "a new axis 0 of extent -2 is asked for, and an extent is not negative");
    CHECK_THROWS_AS(v.expanded(2, 2), ricci::error);
}

TEST_CASE("views of any strides are gone over, filled and cloned", "[views]") {
    auto t = numbered(3, 4, 5);
    auto part = t.permuted({2, 0, 1}).slice(0, 0, 5, 2).reversed(1);
    std::vector<double> expected;
    for (std::size_t k = 0; k < 3; ++k)
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t j = 0; j < 4; ++j) expected.push_back(t(2 - i, j, 2 * k));
    CHECK(listed(part) == expected);
    CHECK(std::equal(part.cbegin(), part.cend(), expected.begin(), expected.end()));
    CHECK(std::accumulate(part.begin(), part.end(), 0.0) ==
          std::accumulate(expected.begin(), expected.end(), 0.0));
    CHECK(*std::ranges::max_element(part) == 234);
    const auto copy = part.clone();
    CHECK(copy.extents() == part.extents());
    CHECK(listed(copy) == expected);
    for (double& x : t.at(2, 1)) x = -1;
    CHECK(std::count(t.begin(), t.end(), -1.0) == 12);
    t[1].fill(8);
    CHECK(std::count(t.begin(), t.end(), 8.0) == 20);
    std::iota(t.at(1, 0).begin(), t.at(1, 0).end(), 0.0);
    CHECK(t(2, 0, 4) == 14);
    CHECK(listed(t.slice(0, 1, 1)).empty());
    CHECK(listed(t[0][0].at(0, 3)).size() == 1);

    using iterator = decltype(part.begin());
    static_assert(std::forward_iterator<iterator>);
    static_assert(std::is_same_v<std::iterator_traits<iterator>::iterator_category,
                                 std::forward_iterator_tag>);
    auto at = part.begin();
    CHECK(&*at++ == &part(0, 0, 0));
    CHECK(&*at == &part(0, 0, 1));
    CHECK(std::distance(at, part.end()) == 35);
}

TEST_CASE("fixed tensors and views have the same parts", "[views]") {
    ricci::fixed_tensor<float, 2, 3> f = {{1, 2, 3}, {4, 5, 6}};
    f[1].fill(0);
    CHECK(f(1, 2) == 0);
    CHECK(f.transposed()(2, 0) == 3);
    CHECK(f.reshaped({3, 2})(1, 0) == 3);
    CHECK(f.slice(1, 1, 3).reversed(1)(0, 0) == 3);
    CHECK(f.broadcast({4, 2, 3})(3, 0, 1) == 2);
    const auto& same = f;
    static_assert(std::is_same_v<decltype(same.slice(0, 0, 1)), tensor_view<const float, 2>>);
    float memory[6] = {1, 2, 3, 4, 5, 6};
    const tensor_view<float, 2> v(memory, {2, 3});
    v[1][2] = 9;
    CHECK(memory[5] == 9);
}

TEST_CASE("programs read and write parts of tensors", "[views]") {
    constexpr auto product = R"(Y^{ij} = A^{ik} B^{kj})"_eq;
    const tensor<double, 2> a = {{1, 2, 3}, {4, 5, 6}}, b = {{1, 0}, {2, 1}, {0, 3}};
    const auto y = product("A"_t = a.slice(1, 0, 2).reversed(0), "B"_t = b.slice(0, 0, 3, 2));
    CHECK(listed(y["Y"_t]) == std::vector<double>{4, 15, 1, 6});
    tensor<double, 3> out({3, 2, 2});
    ricci::prepare(product, "A"_t = a, "B"_t = b, "Y"_t = out[1].transposed())();
    CHECK(listed(out) == std::vector<double>{0, 0, 0, 0, 5, 14, 11, 23, 0, 0, 0, 0});
    const double half = 0.5;
    const auto scaled =
        R"(Y^{ij} = A^{ij} C^{ij})"_eq("A"_t = a, "C"_t = ricci::broadcast(half, {2, 3}));
    CHECK(scaled["Y"_t](1, 2) == 3);
}
