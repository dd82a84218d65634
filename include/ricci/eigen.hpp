// Eigen's matrices as operands, "X"_t = m, and tensors as Eigen's, to_eigen(x). Needs Eigen 3.
#pragma once

#if __has_include(<Eigen/Core>)
#include <Eigen/Core>
#else
#include <eigen3/Eigen/Core>
#endif

#include <cstddef>
#include <type_traits>
#include <utility>

#include <ricci/detail/bind/operand.hpp>
#include <ricci/detail/compile_error.hpp>
#include <ricci/detail/owner.hpp>
#include <ricci/element.hpp>
#include <ricci/tensor.hpp>
#include <ricci/view.hpp>

namespace ricci {
namespace detail {

/// What X is to Eigen, the class itself or a base of it.
template <class X>
X eigen_class(const Eigen::EigenBase<X>*);
template <class X>
concept of_eigen = requires(const X* x) {
    detail::eigen_class(x);
};
template <of_eigen X>
using eigen_class_of = decltype(detail::eigen_class(static_cast<const X*>(nullptr)));

/// Whether the elements lie in memory at strides: not those of a product or of a sparse matrix.
template <class E>
concept in_memory = std::is_base_of_v<Eigen::DenseBase<E>, E> &&
                    (static_cast<unsigned>(E::Flags) & Eigen::DirectAccessBit) != 0;

/// The extents that are in the type, if all are.
template <class E, bool Known = E::SizeAtCompileTime != Eigen::Dynamic,
          bool IsVector = bool(E::IsVectorAtCompileTime)>
struct extents_of_eigen {
    using type = run_time_extents;
};
template <class E>
struct extents_of_eigen<E, true, true> {
    using type = known_extents<static_cast<std::size_t>(E::SizeAtCompileTime)>;
};
template <class E>
struct extents_of_eigen<E, true, false> {
    using type = known_extents<static_cast<std::size_t>(E::RowsAtCompileTime),
                               static_cast<std::size_t>(E::ColsAtCompileTime)>;
};

template <class T, class Matrix>
using as_const_as = std::conditional_t<std::is_const_v<T>, const Matrix, Matrix>;

/// A tensor that has memory of its own.
template <class X>
concept owner = has_a_rank<X> && requires(const X& x) {
    x.clone();
    x.view();
} && !std::is_same_v<decltype(std::declval<X&>().view()), std::remove_const_t<X>>;

template <class Matrix>
concept from_eigen_works =
    of_eigen<std::remove_cvref_t<Matrix>> &&
        foreign_operand<std::remove_cvref_t<Matrix>>::why == unsuitable::nothing_wrong &&
    !foreign_operand<std::remove_cvref_t<Matrix>>::template temporary<Matrix>;

/// Matrices, arrays, maps, references, blocks and transposes of Eigen, in any storage order and
/// with any strides: rank 2, or rank 1 for what has one row or one column by its type.
template <detail::of_eigen X>
struct foreign_operand<X> {
    using eigen = detail::eigen_class_of<X>;
    static constexpr bool known = true;
    static constexpr unsuitable why = !detail::in_memory<eigen> ? unsuitable::computed
                                      : !element_of<typename eigen::Scalar>::supported
                                          ? unsuitable::elements
                                          : unsuitable::nothing_wrong;
    using extents = typename detail::extents_of_eigen<eigen>::type;
    /// A matrix takes its memory along; a block or a map without a name is of memory that stays.
    template <class Operand>
    static constexpr bool temporary = !std::is_lvalue_reference_v<Operand> &&
                                      std::is_base_of_v<Eigen::PlainObjectBase<eigen>, eigen>;

    template <class Matrix>
    static auto view(Matrix& m) {
        using T = std::remove_pointer_t<decltype(m.data())>;
        if constexpr (eigen::IsVectorAtCompileTime)
            return tensor_view<T, 1>(m.data(), {m.size()}, {m.innerStride()});
        else
            return tensor_view<T, 2>(m.data(), {m.rows(), m.cols()},
                                     {m.rowStride(), m.colStride()});
    }
};

}  // namespace detail

/// The memory of a matrix of Eigen as a view, of rank 2, or of rank 1 for what has one row or one
/// column by its type. Blocks and maps may be temporaries, matrices not.
template <class Matrix>
requires(detail::from_eigen_works<Matrix>) auto from_eigen(Matrix&& m) {
    return detail::foreign_operand<std::remove_cvref_t<Matrix>>::view(m);
}
template <class Matrix, class Mistake = detail::mistake_of<detail::view_of_a_temporary>>
requires(detail::of_eigen<std::remove_cvref_t<Matrix>> &&
         !detail::from_eigen_works<Matrix>) auto from_eigen(Matrix&& m) = delete;

/// A view of rank 1 or 2 as a vector or matrix of Eigen over the same memory: {n} -> n, {n, m} -> n
/// x m, with the strides of the view. Of a tensor that has a name, too; elements of a const one are
/// const.
template <class T, int Rank>
requires(Rank == 1 || Rank == 2) auto to_eigen(const tensor_view<T, Rank>& x) {
    using scalar = std::remove_const_t<T>;
    const auto extent = [&x](int axis) { return static_cast<Eigen::Index>(x.extent(axis)); };
    if constexpr (Rank == 1) {
        using vector = Eigen::Matrix<scalar, Eigen::Dynamic, 1>;
        using stride = Eigen::InnerStride<Eigen::Dynamic>;
        return Eigen::Map<detail::as_const_as<T, vector>, Eigen::Unaligned, stride>(
            x.data(), extent(0), stride(x.stride(0)));
    } else {
        using matrix = Eigen::Matrix<scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
        using stride = Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>;
        return Eigen::Map<detail::as_const_as<T, matrix>, Eigen::Unaligned, stride>(
            x.data(), extent(0), extent(1), stride(x.stride(0), x.stride(1)));
    }
}
template <detail::owner Tensor>
auto to_eigen(Tensor& x) {
    return to_eigen(x.view());
}
template <detail::owner Tensor, class Mistake = detail::mistake_of<detail::view_of_a_temporary>>
auto to_eigen(const Tensor&& x) = delete;

}  // namespace ricci
