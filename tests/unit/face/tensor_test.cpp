// Tensors, fixed tensors and views: extents, strides, contents, moving and copying.
#include "tests/catch.hpp"

#include <array>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <ricci/ricci.hpp>

namespace {

using ricci::fixed_tensor;
using ricci::tensor;
using ricci::tensor_view;

bool is_aligned(const void* memory) { return reinterpret_cast<std::uintptr_t>(memory) % 64 == 0; }

}  // namespace

TEST_CASE("a tensor is zeroed, aligned and row-major", "[tensor]") {
    for (int repeat = 0; repeat < 20; ++repeat) {
        tensor<float, 3> t({3, 5, 7});
        CHECK(is_aligned(t.data()));
        CHECK(t.size() == 105);
        CHECK(t.extent(0) == 3);
        CHECK(t.extents() == std::array<std::size_t, 3>{3, 5, 7});
        CHECK(t.strides() == std::array<std::ptrdiff_t, 3>{35, 7, 1});
        bool zero = true;
        for (std::size_t k = 0; k < t.size(); ++k) zero = zero && t.data()[k] == 0;
        CHECK(zero);
        for (std::size_t k = 0; k < t.size(); ++k) t.data()[k] = 1;  // the next one is zeroed again
    }
}

TEST_CASE("extents are of any integer type", "[tensor]") {
    const std::size_t n = 4;
    const int m = 3;
    const std::uint8_t k = 2;
    const std::int64_t l = 5;
    CHECK(tensor<float, 2>({n, 512}).size() == 2048);
    CHECK(tensor<double, 4>({n, m, k, l}).extents() == std::array<std::size_t, 4>{4, 3, 2, 5});
    CHECK(tensor<float, 2>(std::array<std::size_t, 2>{n, 6}).extent(1) == 6);
    CHECK(tensor<float, 2>(std::array<int, 2>{m, 6}).extent(0) == 3);
    CHECK(tensor<float, 1>({7}).size() == 7);
    CHECK(tensor<float, 2>({0, 5}).size() == 0);
}

TEST_CASE("elements are read and written by position", "[tensor]") {
    tensor<double, 2> t({3, 4});
    t(1, 2) = 5;
    t(std::size_t{2}, 3u) = 6;
    CHECK(t.data()[6] == 5);
    CHECK(t.data()[11] == 6);
    const auto& same = t;
    CHECK(same(1, 2) == 5);
    static_assert(std::is_same_v<decltype(same(0, 0)), const double&>);

    tensor<double, 0> s;
    CHECK(s() == 0);
    s() = 1;
    CHECK(s() == 1);
    CHECK(s.size() == 1);
    CHECK(s.data()[0] == 1);
    CHECK(is_aligned(s.data()));
}

TEST_CASE("tensors move, and copy only by clone", "[tensor]") {
    static_assert(!std::is_copy_constructible_v<tensor<float, 2>>);
    static_assert(!std::is_copy_assignable_v<tensor<float, 2>>);
    static_assert(std::is_nothrow_move_constructible_v<tensor<float, 2>>);
    tensor<float, 2> a({2, 3});
    a(1, 1) = 4;
    const float* memory = a.data();
    tensor<float, 2> b = std::move(a);
    CHECK(b.data() == memory);
    CHECK(b(1, 1) == 4);
    const tensor<float, 2> c = b.clone();
    b(1, 1) = 5;
    CHECK(c(1, 1) == 4);
    CHECK(c.data() != b.data());
    CHECK(c.extents() == b.extents());
    a = std::move(b);
    CHECK(a.data() == memory);
    CHECK(a.extent(1) == 3);
    tensor<float, 2> empty;
    CHECK(empty.size() == 0);
    empty = a.clone();
    CHECK(empty(1, 1) == 5);
}

TEST_CASE("a size that cannot be is refused", "[tensor]") {
    const std::size_t huge = std::size_t{1} << 40;
    CHECK_THROWS_AS((tensor<double, 2>({huge, huge})), ricci::error);
}

TEST_CASE("fixed tensors have their extents in the type", "[tensor]") {
    static_assert(fixed_tensor<float, 8, 5, 4>::rank == 3);
    static_assert(fixed_tensor<float, 8, 5, 4>::size() == 160);
    static_assert(fixed_tensor<float, 8, 5, 4>::extent(1) == 5);
    static_assert(fixed_tensor<float, 8, 5, 4>::strides() ==
                  std::array<std::ptrdiff_t, 3>{20, 4, 1});
    fixed_tensor<float, 8, 5, 4> w;
    CHECK(is_aligned(w.data()));
    CHECK(w(7, 4, 3) == 0);
    w(7, 4, 3) = 2;
    CHECK(w.data()[159] == 2);
    CHECK(w.clone()(7, 4, 3) == 2);
    const tensor_view<const float, 3> v = std::as_const(w);
    CHECK(v(7, 4, 3) == 2);
    fixed_tensor<double> s;
    s() = 3;
    CHECK(s.size() == 1);
}

TEST_CASE("views have any strides", "[tensor]") {
    float memory[12];
    for (int k = 0; k < 12; ++k) memory[k] = static_cast<float>(k);
    const tensor_view<float, 2> rows(memory, {3, 4});
    CHECK(rows(2, 1) == 9);
    const tensor_view<float, 2> transposed(memory, {4, 3}, {1, 4});
    CHECK(transposed(1, 2) == 9);
    const tensor_view<const float, 2> backwards(memory + 11, {3, 4}, {-4, -1});
    CHECK(backwards(0, 0) == 11);
    CHECK(backwards(2, 1) == 2);
    const tensor_view<const float, 2> repeated(memory + 4, {5, 4}, {0, 1});
    CHECK(repeated(3, 2) == repeated(0, 2));
    const std::size_t n = 2;
    const tensor_view<const float, 2> padded(memory, {n, 2}, {4, 1});
    CHECK(padded(1, 1) == 5);
    CHECK(padded.size() == 4);
    CHECK(padded.stride(0) == 4);
    rows(0, 0) = 42;
    CHECK(memory[0] == 42);
    const tensor_view<const float, 2> to_read = rows;
    CHECK(to_read.data() == memory);
    const tensor_view<const float, 0> scalar(memory + 3, {});
    CHECK(scalar() == 3);
    static_assert(!std::is_convertible_v<tensor_view<const float, 2>, tensor_view<float, 2>>);
}

TEST_CASE("a tensor gives a view of itself", "[tensor]") {
    tensor<float, 2> t({2, 3});
    t.view()(1, 2) = 8;
    CHECK(t(1, 2) == 8);
    const tensor_view<const float, 2> v = t;
    CHECK(v(1, 2) == 8);
    static_assert(std::is_same_v<decltype(std::as_const(t).view()), tensor_view<const float, 2>>);
}
