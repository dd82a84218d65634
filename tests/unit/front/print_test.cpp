// Tensors as text: the expected lines are those of numpy 1.24 for the same numbers.
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <sstream>
#include <string>

#include <fmt/ranges.h>  // tensors are no ranges to it

#include <ricci/format.hpp>
#include <ricci/print.hpp>
#include <ricci/ricci.hpp>

#include "tests/catch.hpp"

using namespace ricci;
using namespace ricci::literals;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// What is printed below the line with the type and the extents.
template <class Tensor>
std::string numbers(const Tensor& t) {
    const std::string all = to_text(t);
    return all.substr(all.find('\n') + 1);
}
template <class T>
tensor<T, 1> row(std::initializer_list<T> values) {
    tensor<T, 1> t({values.size()});
    std::size_t k = 0;
    for (const T& x : values) t(k++) = x;
    return t;
}
template <class T, int Rank, class F>
tensor<T, Rank> made(std::array<std::size_t, Rank> extents, F value) {
    tensor<T, Rank> t(extents);
    for (std::size_t k = 0; k < t.size(); ++k) t.data()[k] = value(k);
    return t;
}
double number(std::size_t k) { return static_cast<double>(k); }
std::int64_t whole(std::size_t k) { return static_cast<std::int64_t>(k); }

}  // namespace

TEST_CASE("floats have the digits that tell them apart, and one width") {
    CHECK(numbers(made<double, 2>({2, 2},
                                  [](std::size_t k) {
                                      return std::array{1.0, 2.5, 3.0, 4.0}[k];
                                  })) ==
          R"([[1.  2.5]
 [3.  4. ]])");
    CHECK(numbers(row<float>({0.1F, 0.2F, 1 / 3.0F})) == R"([0.1        0.2        0.33333334])");
    CHECK(numbers(row<double>({1 / 3.0, 2 / 3.0, 100 / 3.0})) ==
          R"([ 0.33333333  0.66666667 33.33333333])");
    CHECK(numbers(row<double>({99999.999999999})) == R"([100000.])");
    CHECK(numbers(row<double>({0.123456785, 0.5})) == R"([0.12345678 0.5       ])");
    CHECK(numbers(row<double>({0.0, -0.0, 0})) == R"([ 0. -0.  0.])");
    CHECK(numbers(row<f16>({f16(0.1F), f16(2.0F), f16(1 / 3.0F)})) == R"([0.1    2.     0.3333])");
    CHECK(numbers(made<double, 1>({9}, [](std::size_t k) { return (number(k) / 4 - 1) * 1e5; })) ==
          R"([-100000.  -75000.  -50000.  -25000.       0.   25000.   50000.   75000.
  100000.])");
}

TEST_CASE("a wide range is printed with exponents") {
    CHECK(numbers(row<double>({1e-10, 1, 1e10})) == R"([1.e-10 1.e+00 1.e+10])");
    CHECK(numbers(row<double>({123456.789, 0.001})) == R"([1.23456789e+05 1.00000000e-03])");
    CHECK(numbers(row<double>({1e8, 2e8})) == R"([1.e+08 2.e+08])");
    CHECK(numbers(row<double>({0.00001234, 0.5})) == R"([1.234e-05 5.000e-01])");
    CHECK(numbers(row<double>({1e100, 1, 0})) == R"([1.e+100 1.e+000 0.e+000])");
    CHECK(numbers(row<double>({1e-300, -2.5e-5})) == R"([ 1.0e-300 -2.5e-005])");
    CHECK(numbers(made<float, 1>(
              {1200}, [](std::size_t k) { return static_cast<float>(number(k) / 11); })) ==
          R"([0.00000000e+00 9.09090936e-02 1.81818187e-01 ... 1.08818184e+02
 1.08909088e+02 1.09000000e+02])");
}

TEST_CASE("what is no finite number") {
    CHECK(numbers(row<double>({std::nan(""), infinity, -1.5})) == R"([ nan  inf -1.5])");
    CHECK(numbers(made<double, 2>({2, 2},
                                  [](std::size_t k) {
                                      return std::array{1e9, std::nan(""), -infinity, 3.0}[k];
                                  })) ==
          R"([[1.e+09    nan]
 [  -inf 3.e+00]])");
}

TEST_CASE("whole numbers, truths and complex numbers") {
    CHECK(numbers(made<std::int32_t, 2>({2, 2},
                                        [](std::size_t k) {
                                            return std::array{1, -20, 300, 4}[k];
                                        })) ==
          R"([[  1 -20]
 [300   4]])");
    CHECK(numbers(made<bool, 2>({1, 2}, [](std::size_t k) { return k == 0; })) ==
          R"([[ True False]])");
    CHECK(numbers(row<std::complex<double>>({{1, 2}, {-0.5, -3.25}})) ==
          R"([ 1. +2.j   -0.5-3.25j])");
    CHECK(numbers(row<std::complex<double>>({{1.5, 1e10}, {2, -3}})) ==
          R"([1.5+1.e+10j 2. -3.e+00j])");
}

TEST_CASE("axes, long lines, and long axes cut in the middle") {
    CHECK(numbers(made<double, 3>({2, 3, 4}, number)) ==
          R"([[[ 0.  1.  2.  3.]
  [ 4.  5.  6.  7.]
  [ 8.  9. 10. 11.]]

 [[12. 13. 14. 15.]
  [16. 17. 18. 19.]
  [20. 21. 22. 23.]]])");
    CHECK(numbers(made<std::int64_t, 4>({3, 2, 1, 2}, whole)) ==
          R"([[[[ 0  1]]

  [[ 2  3]]]


 [[[ 4  5]]

  [[ 6  7]]]


 [[[ 8  9]]

  [[10 11]]]])");
    CHECK(numbers(made<double, 1>({30}, [](std::size_t k) { return number(k) / 7; })) ==
          R"([0.         0.14285714 0.28571429 0.42857143 0.57142857 0.71428571
 0.85714286 1.         1.14285714 1.28571429 1.42857143 1.57142857
 1.71428571 1.85714286 2.         2.14285714 2.28571429 2.42857143
 2.57142857 2.71428571 2.85714286 3.         3.14285714 3.28571429
 3.42857143 3.57142857 3.71428571 3.85714286 4.         4.14285714])");
    CHECK(numbers(made<double, 2>({40, 40}, number)) ==
          R"([[0.000e+00 1.000e+00 2.000e+00 ... 3.700e+01 3.800e+01 3.900e+01]
 [4.000e+01 4.100e+01 4.200e+01 ... 7.700e+01 7.800e+01 7.900e+01]
 [8.000e+01 8.100e+01 8.200e+01 ... 1.170e+02 1.180e+02 1.190e+02]
 ...
 [1.480e+03 1.481e+03 1.482e+03 ... 1.517e+03 1.518e+03 1.519e+03]
 [1.520e+03 1.521e+03 1.522e+03 ... 1.557e+03 1.558e+03 1.559e+03]
 [1.560e+03 1.561e+03 1.562e+03 ... 1.597e+03 1.598e+03 1.599e+03]])");
    CHECK(numbers(made<std::int64_t, 1>({2000}, whole)) ==
          R"([   0    1    2 ... 1997 1998 1999])");
    CHECK(numbers(made<double, 3>({2, 3, 400}, number)) ==
          R"([[[0.000e+00 1.000e+00 2.000e+00 ... 3.970e+02 3.980e+02 3.990e+02]
  [4.000e+02 4.010e+02 4.020e+02 ... 7.970e+02 7.980e+02 7.990e+02]
  [8.000e+02 8.010e+02 8.020e+02 ... 1.197e+03 1.198e+03 1.199e+03]]

 [[1.200e+03 1.201e+03 1.202e+03 ... 1.597e+03 1.598e+03 1.599e+03]
  [1.600e+03 1.601e+03 1.602e+03 ... 1.997e+03 1.998e+03 1.999e+03]
  [2.000e+03 2.001e+03 2.002e+03 ... 2.397e+03 2.398e+03 2.399e+03]]])");
    CHECK(numbers(made<std::int64_t, 3>({8, 1, 200},
                                        [](std::size_t k) { return whole(k) * 100000; })) ==
          R"([[[        0    100000    200000 ...  19700000  19800000  19900000]]

 [[ 20000000  20100000  20200000 ...  39700000  39800000  39900000]]

 [[ 40000000  40100000  40200000 ...  59700000  59800000  59900000]]

 ...

 [[100000000 100100000 100200000 ... 119700000 119800000 119900000]]

 [[120000000 120100000 120200000 ... 139700000 139800000 139900000]]

 [[140000000 140100000 140200000 ... 159700000 159800000 159900000]]])");
}

TEST_CASE("the type and the extents stand in front; a number of rank 0 is itself") {
    CHECK(to_text(tensor<float, 2>({2, 1})) == "float, 2 x 1\n[[0.]\n [0.]]");
    CHECK(to_text(tensor<bool, 1>({1})) == "bool, 1\n[False]");
    CHECK(to_text(tensor<double, 2>({0, 3})) == "double, 0 x 3\n[]");
    tensor<double, 0> s;
    s() = 2.5;
    CHECK(to_text(s) == "2.5");
    const double backwards[] = {1, 2, 3};
    CHECK(numbers(tensor_view<const double, 1>(backwards + 2, {3}, {-1})) == "[3. 2. 1.]");
    fixed_tensor<float, 2> fixed;
    std::ostringstream out;
    out << fixed;
    CHECK(out.str() == "float, 2\n[0. 0.]");
}

TEST_CASE("fmt prints tensors, equations and mistakes") {
    tensor<double, 0> s;
    CHECK(fmt::format("{} {}", s, tensor<float, 1>({1})) == "0. float, 1\n[0.]");
    constexpr auto p = "y^i = 2 x^i"_eq;
    CHECK(fmt::format("{}", p) == to_text(p));
}

TEST_CASE("a whole number by itself shows all of its digits while they are certain") {
    const auto text = [](double x) {
        tensor<double, 0> t;
        t() = x;
        return to_text(t);
    };
    CHECK(text(1099511627776) == "1099511627776.");
    CHECK(text(-9007199254740991) == "-9007199254740991.");
    CHECK(text(1e15) == "1000000000000000.");
    CHECK(text(9007199254740992) == "9.00719925e+15");
    CHECK(text(1e100) == "1.e+100");
    CHECK(text(123456789.5) == "1.2345679e+08");
    tensor<float, 0> single;
    single() = 16777215;
    CHECK(to_text(single) == "16777215.");
    single() = 1e10F;
    CHECK(to_text(single) == "1.e+10");
    tensor<std::complex<double>, 0> z;
    z() = {1099511627776, -3};
    CHECK(to_text(z) == "1099511627776.-3.j");
}
