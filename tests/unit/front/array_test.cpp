// Arrays: memory that is shared, looked at and taken over; views of the right type only;
// conversions.
#include <complex>
#include <cstdint>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <ricci/array.hpp>
#include <ricci/format.hpp>
#include <ricci/print.hpp>
#include <ricci/ricci.hpp>

#include "tests/catch.hpp"

using namespace ricci;
using ricci::testing::Contains;

namespace {

std::vector<std::size_t> extents_of(const array& a) {
    return {a.extents().begin(), a.extents().end()};
}
std::vector<std::int64_t> strides_of(const array& a) {
    return {a.strides().begin(), a.strides().end()};
}

}  // namespace

TEST_CASE("an array owns zeroed memory, row-major and aligned") {
    const int n = 3;
    array a(element::f32, {n, 5});
    CHECK(a.type() == element::f32);
    CHECK(a.rank() == 2);
    CHECK(a.size() == 15);
    CHECK(extents_of(a) == std::vector<std::size_t>{3, 5});
    CHECK(strides_of(a) == std::vector<std::int64_t>{5, 1});
    CHECK(reinterpret_cast<std::uintptr_t>(a.data()) % 64 == 0);
    CHECK(a.is_contiguous());
    const auto view = a.as<float, 2>();
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 5; ++j) CHECK(view(i, j) == 0);
    array scalar(element::c128, std::vector<std::size_t>{});
    CHECK(scalar.size() == 1);
    CHECK(scalar.as<std::complex<double>, 0>()() == 0.0);
    CHECK(array().size() == 0);
    CHECK(array(element::boolean, {2, 0, 3}).size() == 0);
}

TEST_CASE("a copy shares memory and a clone does not") {
    array a(element::i32, {4});
    a.as<std::int32_t, 1>()(2) = 7;
    array same = a;
    const array other = a.clone();
    same.as<std::int32_t, 1>()(2) = 8;
    CHECK(a.as<std::int32_t, 1>()(2) == 8);
    CHECK(other.as<std::int32_t, 1>()(2) == 7);
    a = array(element::f64, {1});
    CHECK(same.as<std::int32_t, 1>()(2) == 8);  // it lives as long as somebody has it
}

TEST_CASE("an array looks at a view and takes over a tensor") {
    tensor<double, 2> t({2, 3});
    t(1, 2) = 5;
    const double* memory = t.data();
    const tensor_view<double, 2> turned(t.data(), {3, 2}, {1, 3});
    array looks(turned);
    CHECK(strides_of(looks) == std::vector<std::int64_t>{1, 3});
    CHECK_FALSE(looks.is_contiguous());
    CHECK(looks.as<double, 2>()(2, 1) == 5);
    CHECK(looks.clone().as<double, 2>()(2, 1) == 5);
    CHECK(strides_of(looks.clone()) == std::vector<std::int64_t>{2, 1});

    array takes(std::move(t));
    CHECK(takes.data() == memory);
    CHECK(takes.as<double, 2>()(1, 2) == 5);

    fixed_tensor<float, 2, 2> small;
    small(1, 1) = 3;
    array fixed(std::move(small));
    CHECK(fixed.as<float, 2>()(1, 1) == 3);
}

TEST_CASE("what is only read is not written through an array") {
    tensor<float, 1> t({2});
    array a(tensor_view<const float, 1>(t.view()));
    CHECK_FALSE(a.is_writable());
    CHECK(a.as<const float, 1>()(0) == 0);
    CHECK_THROWS_AS((a.as<float, 1>()), error);
    CHECK_THROWS_AS(a.data(), error);
    CHECK(std::as_const(a).data() == t.data());
}

TEST_CASE("a view of an array has its type and its rank") {
    array a(element::f32, {2, 2});
    CHECK_THROWS_WITH((a.as<double, 2>()), Contains("float of rank 2 is no double of rank 2"));
    CHECK_THROWS_WITH((a.as<float, 3>()), Contains("float of rank 2 is no float of rank 3"));
    CHECK_THROWS_WITH((shape(element::f32, {2, 2}).as<float, 2>()), Contains("is a shape"));
    CHECK_THROWS_AS(array(element::f64, {std::size_t{1} << 40, std::size_t{1} << 40}), error);
}

TEST_CASE("a shape has extents and no memory") {
    const std::size_t much = std::size_t{1} << 40;
    const array s = shape(element::f16, {much, much});
    CHECK(s.is_shape());
    CHECK(s.data() == nullptr);
    CHECK(extents_of(s) == std::vector<std::size_t>{much, much});
}

TEST_CASE("elements become those of another type, where no part of them is lost") {
    tensor<double, 1> t({3});
    t(0) = 1.5, t(1) = -2, t(2) = 1e300;
    const array a(t.view());
    CHECK(a.converted(element::f32).as<float, 1>()(0) == 1.5F);
    CHECK(a.converted(element::bf16).as<bf16, 1>()(1) == bf16(-2.0F));
    CHECK(a.converted(element::c64).as<std::complex<float>, 1>()(1) == std::complex<float>(-2, 0));
    CHECK_THROWS_WITH(a.converted(element::i32), Contains("double does not become std::int32_t"));
    array z(element::c128, {1});
    CHECK_THROWS_AS(z.converted(element::f64), error);
    bool yes[] = {true, false};
    const array truth(tensor_view<bool, 1>(yes, {2}));
    CHECK(truth.converted(element::i64).as<std::int64_t, 1>()(0) == 1);
    CHECK(truth.converted(element::f32).as<float, 1>()(1) == 0);
    CHECK_THROWS_AS(a.converted(element::boolean), error);
}

TEST_CASE("conversions go over any strides in order") {
    std::vector<float> memory(2 * 3 * 4);
    std::iota(memory.begin(), memory.end(), 0.0F);
    const array a(tensor_view<const float, 3>(memory.data() + 23, {4, 2, 3}, {-1, -12, -4}));
    const array c = a.converted(element::f64);
    for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = 0; j < 2; ++j)
            for (std::size_t k = 0; k < 3; ++k)
                CHECK(c.as<double, 3>()(i, j, k) == static_cast<double>(23 - i - 12 * j - 4 * k));
}

TEST_CASE("arrays have names in an order, and say which there are") {
    arrays all;
    all.set("b", array(element::f32, {1}));
    all.set("a", array(element::f64, {2}));
    all.set("b", array(element::i32, {3}));
    CHECK(all.size() == 2);
    std::string order;
    for (auto& [name, value] : all) order += name + std::to_string(value.size());
    CHECK(order == "b3a2");
    CHECK(all.contains("a"));
    CHECK_THROWS_WITH(all["c"], Contains("there is no array c; there are b, a"));
}

TEST_CASE("arrays are printed as tensors are") {
    tensor<float, 2> t({2, 2});
    t(0, 1) = 1.5F;
    array a(t.view());
    CHECK(to_text(a) == to_text(t));
    std::ostringstream out;
    out << a;
    CHECK(out.str() == to_text(t));
    CHECK(fmt::format("{}", a) == to_text(t));
    CHECK(to_text(shape(element::f32, {1000000, 512})) == "float, 1000000 x 512 (a shape)");
}
