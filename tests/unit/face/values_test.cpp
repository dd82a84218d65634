// Values in braces, filling, and going over the elements of tensors.
#include "tests/catch.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <ricci/ricci.hpp>

namespace {

using namespace ricci::literals;
using ricci::fixed_tensor;
using ricci::tensor;
using sizes1 = std::array<std::size_t, 1>;
using sizes2 = std::array<std::size_t, 2>;

/// Whether the elements are these, one after the other.
template <class Tensor>
bool holds(const Tensor& t, const std::vector<double>& values) {
    if (t.size() != values.size()) return false;
    for (std::size_t k = 0; k < values.size(); ++k)
        if (static_cast<double>(t.data()[k]) != values[k]) return false;
    return true;
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

TEST_CASE("values in braces give the extents", "[values]") {
    const tensor<double, 2> a = {{1, 2, 3}, {4, 5, 6}};
    CHECK(a.extents() == sizes2{2, 3});
    CHECK(holds(a, {1, 2, 3, 4, 5, 6}));
    CHECK(reinterpret_cast<std::uintptr_t>(a.data()) % 64 == 0);
    const tensor<double, 1> v = {1, 2.5};
    CHECK(v.extents() == sizes1{2});
    CHECK(holds(v, {1, 2.5}));
    const tensor<double, 1> one = {7.0};
    CHECK(one.extents() == sizes1{1});
    CHECK(one(0) == 7);
    const tensor<float, 3> c = {{{1, 2}}, {{3, 4}}, {{5, 6}}};
    CHECK(c.extents() == std::array<std::size_t, 3>{3, 1, 2});
    CHECK(holds(c, {1, 2, 3, 4, 5, 6}));
    const tensor<std::int64_t, 4> d = {{{{1}, {2}}}, {{{3}, {4}}}};
    CHECK(d.extents() == std::array<std::size_t, 4>{2, 1, 2, 1});
    CHECK(holds(d, {1, 2, 3, 4}));
    const tensor<double, 0> s = 3;
    CHECK(s() == 3);
    const tensor<double, 0> braced = {3.5};
    CHECK(braced() == 3.5);
    CHECK(ricci::einsum<"ij,j->i">(tensor<float, 2>{{1, 2}, {3, 4}}, tensor<float, 1>{1, 10})(1) ==
          43);
    const tensor<double, 2> empty = {{}, {}};
    CHECK(empty.extents() == sizes2{2, 0});
}

TEST_CASE("values are of any number types that the element type holds", "[values]") {
    const int n = 3;
    const std::int64_t m = 4;
    const double x = 0.25;
    CHECK(holds(tensor<float, 2>{{n, x}, {m, 1.5F}}, {3, 0.25, 4, 1.5}));
    CHECK(holds(tensor<ricci::bf16, 1>{n, x, 1}, {3, 0.25, 1}));
    CHECK(holds(tensor<std::int32_t, 1>{n, m, std::int64_t{5}}, {3, 4, 5}));
    const std::complex<double> i(0, 1);
    const tensor<std::complex<double>, 1> z = {i, 2, x};
    CHECK(z(0) == i);
    CHECK(z(1) == 2.0);
    CHECK(z(2) == 0.25);
    const tensor<bool, 2> mask = {{true, false}};
    CHECK(mask(0, 0));
    CHECK(!mask(0, 1));
}

TEST_CASE("a list in parentheses is still the extents", "[values]") {
    const std::size_t n = 5;
    const int m = 3;
    CHECK(tensor<float, 1>({n}).extents() == sizes1{5});
    CHECK(tensor<float, 1>({m}).extents() == sizes1{3});
    CHECK(tensor<double, 1>({7}).extents() == sizes1{7});
    CHECK(tensor<std::int32_t, 1>({7}).extents() == sizes1{7});
    CHECK(tensor<std::complex<float>, 1>({m}).size() == 3);
    CHECK(tensor<float, 1>(sizes1{4}).size() == 4);
    CHECK(tensor<float, 2>({n, 512}).extents() == sizes2{5, 512});
    CHECK(tensor<std::int32_t, 2>({2, 3}).extents() == sizes2{2, 3});
    CHECK(tensor<float, 1>({}).size() == 0);
    CHECK(error_of([] {
              tensor<float, 1> v({2, 3});
          }) ==
          "a tensor of rank 1 has one extent, and 2 are given in parentheses; values are written "
          "tensor<T, 1> v = {...}");
}

TEST_CASE("values are assigned into the memory that is there", "[values]") {
    tensor<double, 2> a({2, 2});
    const double* memory = a.data();
    a = {{1, 2}, {3, 4}};
    CHECK(a.data() == memory);
    CHECK(holds(a, {1, 2, 3, 4}));
    a = {{1, 2, 3}};
    CHECK(a.extents() == sizes2{1, 3});
    CHECK(holds(a, {1, 2, 3}));
    tensor<double, 1> v = {1, 2};
    v = {5};
    CHECK(holds(v, {5}));
    v = {};
    CHECK(v.size() == 0);
    tensor<double, 0> s;
    s = 4;
    CHECK(s() == 4);
    s = {5.5};
    CHECK(s() == 5.5);

    // after a move too
    tensor<double, 2> b = std::move(a);
    a = {{7, 8, 9}};
    CHECK(holds(a, {7, 8, 9}));
    CHECK(holds(b, {1, 2, 3}));
    tensor<double, 0> t = std::move(s);
    s = 6;
    CHECK(s() == 6);

    // so a prepared program goes on with it
    tensor<double, 1> x = {1, 2};
    auto step = ricci::prepare(R"(y^i = 2 x^i)"_eq, "x"_t = x);
    x = {3, 4};
    step();
    CHECK(holds(step["y"_t], {6, 8}));
}

TEST_CASE("ragged lists are refused", "[values]") {
    CHECK(error_of([] {
              tensor<double, 2> a = {{1, 2, 3}, {4, 5}};
          }) ==
          "a list of values is ragged: in axis 1 the first list has length 3 and another has "
          "length 2");
    CHECK(error_of([] {
              tensor<double, 3> a = {{{1}, {2}}, {{3}}};
          }) ==
          "a list of values is ragged: in axis 1 the first list has length 2 and another has "
          "length 1");
    CHECK(error_of([] {
              tensor<double, 3> a = {{{1}, {2}}, {{3}, {4, 5}}};
          }) ==
          "a list of values is ragged: in axis 2 the first list has length 1 and another has "
          "length 2");
    tensor<double, 2> a = {{1.0, 2.0}};
    CHECK_THROWS_AS((a = {{3, 4}, {5}}), ricci::error);
    CHECK(holds(a, {1, 2}));
}

TEST_CASE("fixed tensors take the values that their extents ask for", "[values]") {
    fixed_tensor<float, 2, 2> f = {{1, 2}, {3, 4}};
    CHECK(holds(f, {1, 2, 3, 4}));
    f = {{5, 6}, {7, 8}};
    CHECK(holds(f, {5, 6, 7, 8}));
    CHECK(holds(fixed_tensor<double, 3>{1, 2, 3}, {1, 2, 3}));
    const fixed_tensor<float, 1> one = {4};
    CHECK(one(0) == 4);
    const fixed_tensor<double, 2, 1, 3> c = {{{1, 2, 3}}, {{4, 5, 6}}};
    CHECK(holds(c, {1, 2, 3, 4, 5, 6}));
    const fixed_tensor<std::int32_t, 1, 2, 2, 2> d = {{{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}}};
    CHECK(holds(d, {1, 2, 3, 4, 5, 6, 7, 8}));
    fixed_tensor<double> s = 3;
    CHECK(s() == 3);
    s = 4;
    CHECK(s() == 4);
    const fixed_tensor<float, 100, 100> zero;
    CHECK(std::count(zero.begin(), zero.end(), 0.0F) == 10000);
}

TEST_CASE("tensors are filled and gone over", "[values]") {
    tensor<double, 2> a({3, 4});
    a.fill(2);
    CHECK(std::accumulate(a.begin(), a.end(), 0.0) == 24);
    double next = 0;
    for (double& x : a) x = next++;
    CHECK(a(2, 3) == 11);
    std::reverse(a.begin(), a.end());
    CHECK(a(0, 0) == 11);
    CHECK(std::is_sorted(a.cbegin(), a.cend(), std::greater<>()));
    const auto& same = a;
    static_assert(std::is_same_v<decltype(same.begin()), const double*>);
    CHECK(*std::max_element(same.begin(), same.end()) == 11);
    CHECK(*std::ranges::min_element(same) == 0);
    fixed_tensor<float, 2, 3> f;
    f.fill(1);
    CHECK(std::accumulate(f.begin(), f.end(), 0.0F) == 6);
    tensor<double, 0> s;
    s.fill(5);
    for (const double x : s) CHECK(x == 5);
    tensor<double, 2> none({0, 3});
    none.fill(1);
    CHECK(none.begin() == none.end());
}

namespace {

struct with_members {
    static constexpr std::size_t n = 3, m = 4;
    tensor<float, 2> a{{n, m}}, mixed{{n, 512}};
    tensor<std::int32_t, 2> whole{{n, m}};
    tensor<float, 3> b{{n, m, n}}, c{{2, 3, 4}};
    tensor<float, 1> d{{n}};
};

}  // namespace

TEST_CASE("sizes in braces are extents, and what could be extents or values is refused") {
    const with_members x;
    CHECK(x.a.extents() == std::array<std::size_t, 2>{3, 4});
    CHECK(x.mixed.extents() == std::array<std::size_t, 2>{3, 512});
    CHECK(x.whole.extents() == std::array<std::size_t, 2>{3, 4});
    CHECK(x.b.size() == 36);
    CHECK(x.c.size() == 24);
    CHECK(x.d.extent(0) == 3);
    using ricci::testing::Contains;
    CHECK_THROWS_WITH((tensor<float, 2>{{2, 3}}), Contains("x({n, m}) for extents"));
    CHECK_THROWS_WITH((tensor<std::int32_t, 2>{{2, 3}}), Contains("x({n, m}) for extents"));
    CHECK_THROWS_WITH((tensor<float, 1>{3}), Contains("x({n}) for the extent"));
    tensor<std::int32_t, 2> row({1, 2});
    row = {{7, 8}};
    CHECK(row(0, 1) == 8);
    const tensor<double, 2> fractions = {{1, 2.5}};
    CHECK(fractions(0, 1) == 2.5);
}
