// Eigen's matrices as operands, and tensors as Eigen's matrices.
#include "tests/catch.hpp"

#include <complex>
#include <type_traits>
#include <utility>

#include <ricci/eigen.hpp>
#include <ricci/ricci.hpp>

namespace {

using namespace ricci::literals;

constexpr auto product = R"(Y^{ij} = A^{ik} B^{kj})"_eq;
constexpr auto applied = R"(y^i = A^{ik} x^k)"_eq;

template <class Matrix>
Matrix counted(Eigen::Index rows, Eigen::Index columns) {
    Matrix m(rows, columns);
    for (Eigen::Index i = 0; i < rows; ++i)
        for (Eigen::Index j = 0; j < columns; ++j)
            m(i, j) = static_cast<typename Matrix::Scalar>(static_cast<float>(i * columns + j + 1));
    return m;
}

/// Whether a view has the elements of a matrix, and its memory.
template <class View, class Matrix>
bool same(const View& view, const Matrix& m) {
    bool equal = view.extent(0) == static_cast<std::size_t>(m.rows()) &&
                 view.extent(1) == static_cast<std::size_t>(m.cols());
    for (Eigen::Index i = 0; equal && i < m.rows(); ++i)
        for (Eigen::Index j = 0; equal && j < m.cols(); ++j)
            equal = &view(i, j) == &m.coeffRef(i, j);
    return equal;
}

/// The product of two operands is what Eigen says.
template <class A, class B>
bool multiplies(A&& a, B&& b) {
    const Eigen::MatrixXf expected = a * b;
    const auto result = product("A"_t = a, "B"_t = b);
    const auto& y = result["Y"_t];
    return ricci::to_eigen(y) == expected;
}

}  // namespace

TEST_CASE("matrices of any storage order are operands", "[eigen]") {
    using Eigen::MatrixXf;
    using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    auto a = counted<MatrixXf>(3, 4);
    auto b = counted<RowMajor>(4, 5);
    CHECK(same(ricci::from_eigen(a), a));
    CHECK(same(ricci::from_eigen(b), b));
    CHECK(multiplies(a, b));
    CHECK(multiplies(std::as_const(a), std::as_const(b)));
    CHECK(multiplies(b.transpose(), a.transpose()));

    const Eigen::MatrixXf expected = a * b;
    CHECK(ricci::to_eigen(ricci::einsum<"ij,jk->ik">(a, b).view()) == expected);
    CHECK(ricci::to_eigen(product("A"_t = counted<MatrixXf>(3, 4), "B"_t = b)["Y"_t].view()) ==
          expected);
}

TEST_CASE("blocks, maps and references are operands", "[eigen]") {
    using Eigen::MatrixXf;
    auto m = counted<MatrixXf>(8, 9);
    CHECK(multiplies(m.block(1, 2, 3, 4), m.block(2, 0, 4, 5)));
    CHECK(multiplies(m.topRows(3), m.transpose()));
    Eigen::Ref<MatrixXf> reference = m.block(1, 1, 3, 4);
    const Eigen::Ref<const MatrixXf> to_read = m.block(0, 0, 4, 2);
    CHECK(multiplies(reference, to_read));
    float memory[24] = {};
    for (int k = 0; k < 24; ++k) memory[k] = static_cast<float>(k);
    const Eigen::Map<const MatrixXf, 0, Eigen::Stride<8, 2>> map(memory, 4, 2);
    CHECK(same(ricci::from_eigen(map), map));
    CHECK(multiplies(reference, map));
    auto array = counted<Eigen::ArrayXXf>(3, 4);
    CHECK(ricci::einsum<"ij->">(array)() == array.sum());
    auto complex = counted<Eigen::MatrixXcf>(3, 4);
    CHECK(ricci::einsum<"ij->">(complex)() == complex.sum());
    CHECK(ricci::einsum<"ij->">(complex.real())() == complex.real().sum());
}

TEST_CASE("vectors are of rank 1", "[eigen]") {
    auto a = counted<Eigen::MatrixXf>(3, 4);
    const Eigen::VectorXf x = counted<Eigen::MatrixXf>(4, 1);
    const Eigen::VectorXf expected = a * x;
    const auto is_right = [&](const auto& y) { return ricci::to_eigen(y) == expected; };
    CHECK(is_right(applied("A"_t = a, "x"_t = x)["y"_t].view()));
    CHECK(is_right(applied("A"_t = a, "x"_t = x.transpose())["y"_t].view()));
    auto rows = counted<Eigen::MatrixXf>(5, 4);
    rows.row(2) = x.transpose();
    CHECK(is_right(applied("A"_t = a, "x"_t = rows.row(2))["y"_t].view()));
    Eigen::MatrixXf square = counted<Eigen::MatrixXf>(4, 4);
    square.diagonal() = x;
    CHECK(is_right(applied("A"_t = a, "x"_t = square.diagonal())["y"_t].view()));
    CHECK(is_right(applied("A"_t = a, "x"_t = x.array())["y"_t].view()));
}

TEST_CASE("results are written into matrices", "[eigen]") {
    auto a = counted<Eigen::MatrixXf>(3, 4), b = counted<Eigen::MatrixXf>(4, 5);
    Eigen::MatrixXf y(3, 5), large = Eigen::MatrixXf::Zero(5, 7);
    auto step = ricci::prepare(product, "A"_t = a, "B"_t = b, "Y"_t = y);
    step();
    CHECK(y == a * b);
    a(0, 0) = 100;
    step();
    CHECK(y == a * b);
    ricci::prepare(product, "A"_t = a, "B"_t = b, "Y"_t = large.block(1, 2, 3, 5))();
    CHECK(large.block(1, 2, 3, 5) == a * b);
    CHECK(large.row(0).isZero());
    Eigen::VectorXf wrong(3);
    CHECK_THROWS_AS(applied("A"_t = a, "x"_t = wrong), ricci::error);
}

TEST_CASE("extents of Eigen's types are known to the compiler", "[eigen]") {
    using foreign = ricci::detail::foreign_operand<Eigen::Matrix<float, 3, 4>>;
    static_assert(std::is_same_v<foreign::extents, ricci::detail::known_extents<3, 4>>);
    static_assert(std::is_same_v<ricci::detail::foreign_operand<Eigen::Vector3d>::extents,
                                 ricci::detail::known_extents<3>>);
    static_assert(std::is_same_v<
                  ricci::detail::foreign_operand<Eigen::Matrix<float, 3, Eigen::Dynamic>>::extents,
                  ricci::detail::run_time_extents>);
    Eigen::Matrix<float, 2, 3> a;
    a << 1, 2, 3, 4, 5, 6;
    const Eigen::Vector3f x(1, 2, 3);
    CHECK(ricci::to_eigen(applied("A"_t = a, "x"_t = x)["y"_t].view()) == a * x);
}

// What has no memory at strides is refused in words, and so are elements that are none.
template <class X>
constexpr ricci::detail::unsuitable why = ricci::detail::why_unsuitable<X>();
using matrix = Eigen::MatrixXf;
using ricci::detail::unsuitable;
static_assert(why<decltype(std::declval<matrix&>() * std::declval<matrix&>())> ==
              unsuitable::computed);
static_assert(why<decltype(std::declval<matrix&>() + std::declval<matrix&>())> ==
              unsuitable::computed);
static_assert(why<decltype(std::declval<matrix&>().inverse())> == unsuitable::computed);
static_assert(why<decltype(std::declval<matrix&>().rowwise().reverse())> == unsuitable::computed);
static_assert(why<Eigen::Matrix<unsigned, 2, 2>> == unsuitable::elements);
static_assert(why<const matrix> == unsuitable::nothing_wrong);
static_assert(ricci::detail::foreign_operand<matrix>::temporary<matrix>);
static_assert(!ricci::detail::foreign_operand<matrix>::temporary<matrix&>);
static_assert(
    !ricci::detail::foreign_operand<Eigen::Block<matrix>>::temporary<Eigen::Block<matrix>>);

TEST_CASE("tensors are seen as Eigen's matrices", "[eigen]") {
    ricci::tensor<double, 2> t = {{1, 2, 3}, {4, 5, 6}};
    auto m = ricci::to_eigen(t);
    CHECK(m.rows() == 2);
    CHECK(m.cols() == 3);
    CHECK(m(1, 0) == 4);
    m *= 2;
    CHECK(t(1, 2) == 12);
    CHECK(ricci::to_eigen(t.transposed()) == m.transpose());
    CHECK(ricci::to_eigen(t.slice(1, 0, 3, 2)).col(1) == m.col(2));
    CHECK(ricci::to_eigen(t.reversed(0)).row(0) == m.row(1));
    CHECK(ricci::to_eigen(t[1]) == m.row(1).transpose());
    CHECK(ricci::to_eigen(t[1].broadcast({4, 3})).row(3) == m.row(1));
    ricci::fixed_tensor<float, 3> f = {1, 2, 2};
    CHECK(ricci::to_eigen(f).norm() == 3);
    static_assert(
        std::is_const_v<std::remove_pointer_t<decltype(ricci::to_eigen(std::as_const(t)).data())>>);
}
