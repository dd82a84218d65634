// What the types of tensors allow, and what they do not.
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>

#include <ricci/ricci.hpp>

namespace {

using ricci::fixed_tensor;
using ricci::tensor;
using ricci::tensor_view;

// Numbers are scalars and nothing else; extents alone are never taken for values.
static_assert(std::is_convertible_v<double, tensor<double, 0>>);
static_assert(std::is_convertible_v<int, tensor<float, 0>>);
static_assert(!std::is_convertible_v<double, tensor<std::int32_t, 0>>);
static_assert(!std::is_constructible_v<tensor<float, 1>, int>);
static_assert(!std::is_constructible_v<tensor<float, 1>, std::size_t>);
static_assert(!std::is_constructible_v<tensor<float, 2>, int>);
static_assert(!std::is_constructible_v<tensor<float, 2>, int, int>);
static_assert(std::is_constructible_v<tensor<float, 2>, std::array<int, 2>>);
static_assert(!std::is_convertible_v<std::array<int, 2>, tensor<float, 2>>);
static_assert(std::is_convertible_v<double, fixed_tensor<double>>);
static_assert(!std::is_constructible_v<fixed_tensor<double, 2>, double>);
static_assert(std::is_constructible_v<fixed_tensor<double, 2>, double, int>);
static_assert(!std::is_constructible_v<fixed_tensor<double, 2>, double, int, int>);

// A value is of any number type, but for fractions among whole numbers and numbers among truth
// values.
using ricci::detail::value_for;
static_assert(value_for<double, float> && value_for<std::size_t, ricci::bf16>);
static_assert(value_for<float, std::complex<double>> && value_for<int, std::complex<float>>);
static_assert(value_for<std::int64_t, std::int32_t> && value_for<bool, bool>);
static_assert(!value_for<double, std::int32_t> && !value_for<int, bool>);
static_assert(!value_for<std::complex<double>, double> && !value_for<const char*, double>);
static_assert(!value_for<ricci::f16, std::int32_t> && value_for<ricci::f16, double>);

// Copies are made by clone() alone, values or not.
static_assert(!std::is_copy_constructible_v<tensor<float, 1>>);
static_assert(!std::is_copy_constructible_v<fixed_tensor<float, 2, 2>>);
static_assert(!std::is_copy_assignable_v<fixed_tensor<float, 2>>);
static_assert(std::is_nothrow_move_constructible_v<tensor<float, 1>>);
static_assert(std::is_nothrow_move_assignable_v<tensor<float, 1>>);
static_assert(sizeof(fixed_tensor<float, 4, 4>) == 64);  // nothing but its elements

// Views keep what may be written, and parts of what is repeated may not.
using matrix = tensor<float, 2>;
static_assert(
    std::is_same_v<decltype(std::declval<matrix&>().slice(0, 0, 1)), tensor_view<float, 2>>);
static_assert(std::is_same_v<decltype(std::declval<const matrix&>().slice(0, 0, 1)),
                             tensor_view<const float, 2>>);
static_assert(std::is_same_v<decltype(std::declval<matrix&>()[0]), tensor_view<float, 1>>);
static_assert(std::is_same_v<decltype(std::declval<tensor<float, 1>&>()[0]), float&>);
static_assert(std::is_same_v<decltype(std::declval<const tensor<float, 1>&>()[0]), const float&>);
static_assert(std::is_same_v<decltype(std::declval<matrix&>().at(1, 0)), tensor_view<float, 1>>);
static_assert(
    std::is_same_v<decltype(std::declval<matrix&>().reshaped({1, 2, 3})), tensor_view<float, 3>>);
static_assert(
    std::is_same_v<decltype(std::declval<matrix&>().expanded(0)), tensor_view<const float, 3>>);
static_assert(std::is_same_v<decltype(std::declval<tensor_view<float, 2>>().transposed()),
                             tensor_view<float, 2>>);

template <class T>
concept has_slices = requires(T&& x) {
    static_cast<T&&>(x).slice(0, 0, 1);
};
template <class T>
concept is_filled = requires(T&& x) {
    x.fill(1);
};
template <class T>
concept is_transposed = requires(T&& x) {
    static_cast<T&&>(x).transposed();
};
static_assert(has_slices<matrix&> && has_slices<const matrix&> && !has_slices<matrix>);
static_assert(has_slices<tensor_view<float, 2>> && !has_slices<fixed_tensor<float, 2>>);
static_assert(is_filled<matrix&> && !is_filled<const matrix&> && is_filled<tensor_view<float, 2>>);
static_assert(!is_filled<tensor_view<const float, 2>>);
static_assert(is_transposed<matrix&> && !is_transposed<tensor<float, 3>&> &&
              !is_transposed<matrix>);

// They are ranges.
static_assert(std::ranges::contiguous_range<matrix> && std::ranges::contiguous_range<const matrix>);
static_assert(std::ranges::forward_range<tensor_view<float, 3>>);
static_assert(std::ranges::forward_range<const tensor_view<const float, 0>>);
static_assert(std::is_same_v<std::ranges::range_reference_t<const matrix>, const float&>);

// A view of memory known to the compiler is gone over by the compiler.
constexpr int numbers[] = {1, 2, 3, 4, 5, 6};
constexpr int sum() {
    int total = 0;
    for (const int x : tensor_view<const int, 2>(numbers + 1, {2, 2}, {3, -1}))
        total = 10 * total + x;
    return total;
}
static_assert(sum() == 2154);
static_assert(tensor_view<const int, 2>(numbers, {2, 3}).transposed()(2, 1) == 6);

#ifdef __cpp_lib_mdspan
// A view converts from and to std::mdspan, and one is an operand.
using span = std::mdspan<float, std::dextents<int, 2>>;
static_assert(std::is_convertible_v<span, tensor_view<float, 2>>);
static_assert(std::is_convertible_v<span, tensor_view<const float, 2>>);
static_assert(
    std::is_convertible_v<tensor_view<float, 2>,
                          std::mdspan<float, std::dextents<std::size_t, 2>, std::layout_stride>>);
static_assert(tensor_view<const int, 2>(std::mdspan(numbers, 2, 3))(1, 0) == 4);
static_assert(decltype(ricci::detail::bind_operand<1>(std::declval<span&>()))::rank == 2);
static_assert(
    std::is_same_v<
        decltype(ricci::detail::bind_operand<1>(std::declval<const span>()))::element_type, float>);
#endif

}  // namespace
