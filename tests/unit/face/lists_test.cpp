// Lists of elements as operands of rank 1: what lies side by side is bound as it is.
#include "tests/catch.hpp"

#include <array>
#include <span>
#include <vector>

#include <ricci/ricci.hpp>

namespace {

using namespace ricci::literals;

constexpr auto product = R"(y^i = A^{ik} x^k)"_eq;

/// A container of somebody else's, whose elements are never written through it.
struct read_only {
    std::vector<float> elements = {1, 2, 3};
    const float* data() const { return elements.data(); }
    unsigned size() const { return static_cast<unsigned>(elements.size()); }
};

}  // namespace

TEST_CASE("a list of elements is a tensor of rank 1", "[lists]") {
    ricci::tensor<float, 2> a({2, 3});
    for (std::size_t k = 0; k < a.size(); ++k) a.data()[k] = static_cast<float>(k + 1);
    std::vector<float> list = {1, 2, 3};
    const std::array<float, 3> array = {1, 2, 3};
    const float plain[] = {1, 2, 3};

    const auto is_right = [](const auto& y) { return y(0) == 14 && y(1) == 32; };
    CHECK(is_right(product("A"_t = a, "x"_t = list)["y"_t]));
    CHECK(is_right(product("A"_t = a, "x"_t = array)["y"_t]));
    CHECK(is_right(product("A"_t = a, "x"_t = plain)["y"_t]));
    CHECK(is_right(product("A"_t = a, "x"_t = std::span(list))["y"_t]));
    CHECK(is_right(product("A"_t = a, "x"_t = std::vector<float>{1, 2, 3})["y"_t]));
    CHECK(is_right(ricci::einsum<"ik,k->i">(a, list)));

    // what may only be read, and what has no name
    const std::vector<float> constant = {1, 2, 3};
    const read_only other;
    read_only changeable;
    CHECK(is_right(product("A"_t = a, "x"_t = constant)["y"_t]));
    CHECK(is_right(product("A"_t = a, "x"_t = other)["y"_t]));
    CHECK(is_right(product("A"_t = a, "x"_t = changeable)["y"_t]));
    CHECK(is_right(product("A"_t = a, "x"_t = read_only())["y"_t]));
    CHECK(is_right(product("A"_t = a, "x"_t = std::span<const float, 3>(constant))["y"_t]));

    // an output too, and extents that disagree are told
    std::vector<float> y(2);
    ricci::prepare(product, "A"_t = a, "x"_t = list, "y"_t = y)();
    CHECK(y == std::vector<float>{14, 32});
    std::array<float, 2> z{};
    float w[2] = {};
    ricci::prepare(product, "A"_t = a, "x"_t = list, "y"_t = z)();
    ricci::prepare(product, "A"_t = a, "x"_t = list, "y"_t = w)();
    CHECK((z == std::array<float, 2>{14, 32} && w[0] == 14 && w[1] == 32));
    auto step = ricci::prepare(product, "A"_t = a, "x"_t = list, "y"_t = std::span(y));
    list[0] = 2;
    step();
    CHECK(y == std::vector<float>{15, 36});
    list.push_back(4);
    CHECK_THROWS_AS(product("A"_t = a, "x"_t = list), ricci::error);
}
