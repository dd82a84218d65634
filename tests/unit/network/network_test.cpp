// Networks: what can be added, what is kept, einsum's text, and every mistake with its sentence.
#include <complex>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <ricci/fixed_tensor.hpp>
#include <ricci/network.hpp>
#include <ricci/tensor.hpp>

#include "tests/catch.hpp"
#include "tests/words_of.hpp"

using namespace ricci;
using ricci::testing::words_of;

namespace {

using numbers = std::vector<std::int64_t>;

array matrix(std::size_t rows, std::size_t columns) { return shape(element::f64, {rows, columns}); }

}  // namespace

TEST_CASE("a network holds tensors with numbered indices") {
    network n;
    CHECK(n.size() == 0);
    CHECK(n.kept().empty());
    CHECK(n.type() == element::f64);
    n.add(array(element::f32, {2, 3}), {7, -5});
    n.add(array(element::f32, {3, 3, 1}), {-5, -5, 1000000000000});  // a diagonal
    n.add(array(element::f32, std::vector<std::size_t>{}), {});      // a scalar
    n.add_conjugate(array(element::f32, {4}), {9});                  // shares nothing
    n.keep({1000000000000, 7});
    CHECK(n.size() == 4);
    CHECK(n.type() == element::f32);
    CHECK(n.indices(0) == numbers{7, -5});
    CHECK(n.indices(1) == numbers{-5, -5, 1000000000000});
    CHECK(n.indices(2).empty());
    CHECK(n.indices() == numbers{7, -5, 1000000000000, 9});
    CHECK(n.kept() == numbers{1000000000000, 7});
    CHECK(n.extent(7) == 2);
    CHECK(n.extent(9) == 4);
    CHECK(n.is_conjugate(3));
    CHECK_FALSE(n.is_conjugate(0));
    CHECK_FALSE(n.is_shape());
    n.add(shape(element::f32, {2}), {7});
    CHECK(n.is_shape());
    n.keep({});
    CHECK(n.kept().empty());
}

TEST_CASE("operands are kept, not copied") {
    array a(element::f64, {2, 2});
    tensor<double, 2> named({2, 2});
    tensor<double, 2> given({2, 2});
    const double* const given_data = given.data();
    fixed_tensor<double, 2, 2> fixed;
    network n;
    n.add(a, {0, 1});
    n.add(named, {1, 2});
    n.add(named.view(), {2, 3});
    n.add(std::move(given), {3, 4});
    n.add(fixed, {4, 5});
    CHECK(n.operand(0).data() == std::as_const(a).data());
    CHECK(n.operand(1).data() == named.data());
    CHECK(n.operand(2).data() == named.data());
    CHECK(n.operand(3).data() == given_data);
    CHECK(n.operand(4).data() == fixed.data());
    const network copy = n;
    CHECK(copy.operand(3).data() == given_data);
}

TEST_CASE("indices are lists of any integers") {
    network n;
    const std::size_t k = 3;
    const std::vector<int> list{1, 2};
    const std::int64_t some[] = {2, 3};
    n.add(matrix(2, 2), {k, k + 1});
    n.add(matrix(2, 2), list);
    n.add(matrix(2, 2), std::span<const std::int64_t>(some));
    CHECK(n.indices(0) == numbers{3, 4});
    CHECK(n.indices(1) == numbers{1, 2});
    CHECK(n.indices(2) == numbers{2, 3});
}

TEST_CASE("networks are values") {
    network n;
    n.add(matrix(2, 3), {0, 1});
    network copy = n;
    copy.add(matrix(3, 4), {1, 2});
    CHECK(n.size() == 1);
    CHECK(copy.size() == 2);
    network moved = std::move(copy);
    CHECK(moved.size() == 2);
    copy.add(matrix(5, 6), {0, 1});  // what has been moved from is empty, and may be used again
    CHECK(copy.size() == 1);
    n = moved;
    CHECK(n.extent(2) == 4);
}

TEST_CASE("mistakes in networks get one sentence, and change nothing") {
    network n;
    n.add(matrix(2, 3), {0, 1});
    n.add(matrix(3, 4), {1, 2});
    CHECK(words_of([&] {
              n.add(matrix(2, 5), {0, 1});
          }) == "ricci: index 1 of the network has extent 3 in tensor 0 and 5 in tensor 2.");
    CHECK(words_of([&] {
              n.add(matrix(2, 3), {8, 8});
          }) ==
          "ricci: index 8 has extent 2 in axis 0 and 3 in axis 1 of tensor 2 of the network.");
    CHECK(words_of([&] { n.add(matrix(2, 3), {0}); }) ==
          "ricci: tensor 2 of the network has 2 axes, and 1 index is given.");
    CHECK(words_of([&] {
              n.add(shape(element::f64, {2}), {0, 1, 2});
          }) == "ricci: tensor 2 of the network has 1 axis, and 3 indices are given.");
    CHECK(words_of([&] { n.add(shape(element::c64, {2}), {0}); }) ==
          "ricci: tensor 2 of the network is of std::complex<float>, and tensor 0 of double: all "
          "have one type.");
    CHECK(words_of([&] { n.add(shape(element::boolean, {2}), {0}); }) ==
          "ricci: tensor 2 of the network is of bool, which nothing is computed with.");
    n.keep({2});
    CHECK(words_of([&] {
              n.keep({0, 5});
          }) == "ricci: index 5 is kept, and no tensor of the network has it.");
    CHECK(words_of([&] { n.keep({0, 2, 0}); }) == "ricci: index 0 of the network is kept twice.");
    CHECK(words_of([&] { static_cast<void>(n.operand(2)); }) ==
          "ricci: the network has 2 tensors, and no tensor 2.");
    CHECK(words_of([&] { static_cast<void>(n.extent(8)); }) ==
          "ricci: no tensor of the network has index 8.");
    CHECK(n.size() == 2);
    CHECK(n.indices() == numbers{0, 1, 2});
    CHECK(n.kept() == numbers{2});
}

TEST_CASE("einsum's text makes networks") {
    const array a = matrix(2, 3), b = matrix(3, 4), c = matrix(4, 2);
    const network m = network::from_einsum("ab, bc ,cd->ad", {a, b, c});
    CHECK(m.size() == 3);
    CHECK(m.indices(1) == numbers{'b', 'c'});
    CHECK(m.kept() == numbers{'a', 'd'});
    CHECK(network::from_einsum("ab,bc", {a, b}).kept() == numbers{'a', 'c'});
    CHECK(network::from_einsum("cb,ba", {a, b}).kept() == numbers{'a', 'c'});
    CHECK(network::from_einsum("ab,bc->", {a, b}).kept().empty());
    CHECK(network::from_einsum("aa", {matrix(2, 2)}).kept().empty());
    CHECK(network::from_einsum("", {shape(element::f64, std::vector<std::size_t>{})}).size() == 1);
    const network g = network::from_einsum("αβ,βé,é𝄞->𝄞α", {a, b, c});
    CHECK(g.indices(0) == numbers{0x3b1, 0x3b2});
    CHECK(g.kept() == numbers{0x1d11e, 0x3b1});
}

TEST_CASE("einsum's text may be long") {
    constexpr std::size_t operands = 20000;
    std::string text;
    const auto label = [&](std::size_t k) {
        const std::size_t code = 0x4e00 + k;  // three bytes each
        text += static_cast<char>(0xe0 | (code >> 12));
        text += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
        text += static_cast<char>(0x80 | (code & 0x3f));
    };
    for (std::size_t k = 0; k < operands; ++k) {
        if (k > 0) text += ',';
        label(k);
        label(k + 1);
    }
    const network n = network::from_einsum(text, std::vector<array>(operands, matrix(2, 2)));
    CHECK(n.size() == operands);
    CHECK(n.indices().size() == operands + 1);
    CHECK(n.kept() == numbers{0x4e00, 0x4e00 + static_cast<std::int64_t>(operands)});
}

TEST_CASE("mistakes in einsum's text get one sentence") {
    const array a = matrix(2, 3), b = matrix(3, 4);
    const auto of = [&](const std::string& text) {
        return words_of([&] { network::from_einsum(text, {a, b}); });
    };
    const std::string begin = "ricci: the text of the network cannot be read at byte ";
    CHECK(of("ab,bc->a,c") == begin + "8: there is one result, and a comma in it.");
    CHECK(of("ab,bc->a->c") == begin + "8: a second \"->\".");
    CHECK(of("ab,bc-ac") == begin + "5: a \"-\" without \">\".");
    CHECK(of("ab,bc-") == begin + "5: a \"-\" without \">\".");
    CHECK(of("ab,bc>ac") == begin + "5: a \">\" without \"-\".");
    CHECK(of("ab,...c") == begin + "3: \"...\" stands for no index of a network; name each axis.");
    CHECK(of("ab,b\xff->a") == begin + "4: this is no UTF-8.");
    CHECK(of("ab,b\xc3") == begin + "4: this is no UTF-8.");
    CHECK(of("ab,b\xc1\x81") == begin + "4: this is no UTF-8.");
    CHECK(of("ab,b\xed\xa0\x80") == begin + "4: this is no UTF-8.");
    CHECK(of(std::string("ab,b\0", 5)) == begin + "4: a control character is no label.");
    CHECK(of("ab,bc,cd") ==
          "ricci: the text has 3 operands between commas, and 2 tensors are given.");
    CHECK(of("ab,b") == "ricci: tensor 1 of the network has 2 axes, and 1 index is given.");
    CHECK(of("ab,bc->ax") == "ricci: index 120 is kept, and no tensor of the network has it.");
    CHECK(of("ab,bc->aa") == "ricci: index 97 of the network is kept twice.");
    CHECK(of("ab,ca") ==
          "ricci: index 97 of the network has extent 2 in tensor 0 and 4 in tensor 1.");
}
