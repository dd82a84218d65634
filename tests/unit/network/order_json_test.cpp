// Orders as JSON: written and read again, of another network, and malformed.
#include <cmath>
#include <string>

#include <ricci/network.hpp>

#include "src/network/order_data.hpp"
#include "tests/catch.hpp"
#include "tests/words_of.hpp"

using namespace ricci;
using ricci::testing::Contains;
using ricci::testing::words_of;

namespace {

network four(std::size_t extent = 4) {
    network n;
    n.add(shape(element::f64, {2, 3}), {-7, 1});
    n.add(shape(element::f64, {3, extent}), {1, 2});
    n.add(shape(element::f64, {extent, 5}), {2, 3});
    n.keep({3, -7});
    return n;
}

contraction_order sliced_order(const network& n) {
    return networks::order_of(n.data(),
                              std::make_shared<path::hypergraph>(networks::hypergraph_of(n.data())),
                              {{1, 2}, {0, 3}}, {{0, 2}, {2, 2}});
}

std::string changed(std::string text, const std::string& what, const std::string& into) {
    const std::size_t at = text.find(what);
    REQUIRE(at != std::string::npos);
    return text.replace(at, what.size(), into);
}

}  // namespace

TEST_CASE("an order is written and read again") {
    const network n = four();
    const contraction_order o = sliced_order(n);
    const std::string text = o.json();
    const contraction_order again = contraction_order::from_json(n, text);
    CHECK(again.json() == text);
    CHECK(again.ssa() == o.ssa());
    CHECK(again.slices() == 4);
    CHECK(again.sliced().at(0).index == -7);
    CHECK(again.multiplications() == o.multiplications());
    CHECK(again.largest() == o.largest());
    // the order of the kept indices is nothing to an order, and later keys are passed over
    network turned = four();
    turned.keep({-7, 3});
    CHECK(
        contraction_order::from_json(turned, changed(text, "{", "{\"x\": [{}, null], ")).slices() ==
        4);
}

TEST_CASE("an order keeps the memory that it was found for") {
    const network n = four();
    const std::string text = find_order(n, {.trials = 1, .memory = 1.5e8}).json();
    CHECK_THAT(text, Contains("\"memory\": 150000000,"));
    CHECK(contraction_order::from_json(n, text).json() == text);
    CHECK_THAT(words_of([&] { contraction_order::from_json(n, changed(text, "150000000", "-1")); }),
               Contains("memory is a number of bytes"));
    CHECK(find_order(n, {.trials = 1}).json().find("memory") == std::string::npos);
}

TEST_CASE("an order that was found for any memory is read again") {
    const network n = network::from_einsum(
        "ab,bc->ac", {array(element::f64, {2, 3}), array(element::f64, {3, 4})});
    const auto found = find_order(n, {.trials = 1, .memory = HUGE_VAL});
    CHECK(contraction_order::from_json(n, found.json()).ssa() == found.ssa());
}

TEST_CASE("an order of another network is refused") {
    const std::string text = sliced_order(four()).json();
    CHECK(words_of([&] { contraction_order::from_json(four(6), text); }) ==
          "ricci: the order is of another network, whose indices or extents differ.");
    network more = four();
    more.add(shape(element::f64, {2}), {-7});
    CHECK(words_of([&] { contraction_order::from_json(more, text); }) ==
          "ricci: the order is of a network of 3 tensors, and this one has 4.");
    network closed = four();
    closed.keep({});
    CHECK_FALSE(words_of([&] { contraction_order::from_json(closed, text); }).empty());
    CHECK_FALSE(words_of([&] {
                    networks::check_is_of(sliced_order(four()).data(), closed.data());
                }).empty());
    CHECK(words_of([&] {
              networks::check_is_of(sliced_order(four()).data(), four().data());
          }).empty());
}

TEST_CASE("malformed orders get one sentence with the line") {
    const network n = four();
    const std::string text = sliced_order(n).json();
    const auto refused = [&](const std::string& what, const std::string& into) {
        return words_of([&] { contraction_order::from_json(n, changed(text, what, into)); });
    };
    const std::string begin = "ricci: the text is no order: line ";
    CHECK(words_of([&] { contraction_order::from_json(n, "{\n\n1"); }) ==
          begin + "3: there should be a text in quotes.");
    CHECK_THAT(words_of([&] { contraction_order::from_json(n, "{}"); }),
               Contains("it is no contraction order"));
    CHECK_THAT(refused("\"version\": 1", "\"version\": 2"), Contains("version 2, and only 1"));
    CHECK_THAT(refused("[1, 2]", "[1, 2, 0]"), Contains("more than two operands"));
    CHECK_THAT(refused("[1, 2]", "[1]"), Contains("fewer than two operands"));
    CHECK_THAT(refused("[1, 2]", "[1, -2]"), Contains("no entry has this number"));
    CHECK_THAT(refused("[1, 2]", "[1, 1.5]"), Contains("a whole number"));
    CHECK(refused("[1, 2]", "[0, 2]") ==
          "ricci: this is no order of the network: product 1 is of entry 0, which product 0 used.");
    CHECK(refused("\"index\": -7", "\"index\": 9") ==
          "ricci: the order slices index 9, which no tensor of the network has.");
    CHECK(refused("\"index\": -7", "\"index\": 2") == "ricci: the order slices index 2 twice.");
    CHECK(refused("\"parts\": 2", "\"parts\": 3") ==
          "ricci: the order cuts index -7 of extent 2 into 3 parts.");
    CHECK(refused("\"parts\": 2", "\"parts\": 1") ==
          "ricci: the order cuts index -7 of extent 2 into 1 parts.");
    CHECK_THAT(refused(", \"parts\": 2", ""), Contains("a slice lacks its index or its parts"));
    CHECK_THAT(words_of([&] { contraction_order::from_json(n, text + "x"); }),
               Contains("nothing more"));
}
