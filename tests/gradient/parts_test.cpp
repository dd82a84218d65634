// Derivatives of long and deep expressions: they are about as long as what they are of, as parts of
// it get equations of their own, and right.
#include <cmath>
#include <string>
#include <vector>

#include <ricci/program.hpp>

#include "tests/catch.hpp"
#include "tests/gradient/texts.hpp"

namespace {

std::string nested(const std::string& inside, int times) {
    std::string text = inside;
    for (int k = 0; k < times; ++k) text = "\\operatorname{softmax}_i(3 " + text + ")";
    return text;
}
std::string quotients(int count) {
    std::string text = "x^i";
    for (int k = 1; k < count; ++k) text += " / x^i";
    return text;
}
ricci::program parsed(const std::string& text) {
    auto read = ricci::parse(text);
    REQUIRE(read.has_value());
    return std::move(read).value();
}

}  // namespace

TEST_CASE("derivatives of nested expressions are right", "[gradient]") {
    using ricci::testing::text_check;
    CHECK(text_check("y^i = " + nested("z^i", 6), {{"z", {4}}}).run("y", true) == "");
    CHECK(text_check("y^i = " + nested("(z^i + w^i \\sin(z^i))", 4), {{"z", {4}}, {"w", {4}}})
              .run("y", true) == "");
    std::string ratio = "x^i";
    for (int k = 0; k < 5; ++k) ratio = "\\frac{" + ratio + " + u^i}{" + ratio + " + 3}";
    CHECK(text_check("y^i = " + ratio, {{"x", {3}}, {"u", {3}}}).run("y", true) == "");
}

TEST_CASE("derivatives of nested expressions are not much longer than these", "[gradient]") {
    std::size_t before = 0;
    for (const int depth : {6, 9, 12}) {
        const ricci::program p = parsed("y^i = " + nested("z^i", depth));
        const std::size_t size = to_text(gradient(gradient(p, "y", {"z"}), "dL/dz", {"z"})).size();
        if (before > 0) CHECK(size < 3 * before);
        before = size;
    }
    CHECK(before < 200000);
    CHECK(to_text(gradient(parsed("y^i = " + quotients(180)), "y", {"x"})).size() < 60000);
}

TEST_CASE("the gradient of many quotients runs", "[gradient]") {
    const ricci::program p = parsed("y^i = " + quotients(180));
    ricci::array one(ricci::element::f64, {3});
    for (std::size_t k = 0; k < 3; ++k) static_cast<double*>(one.data())[k] = 1;
    const auto results = run(gradient(p, "y", {"x"}), {{"x", one}, {"dL/dy", one}});
    for (std::size_t k = 0; k < 3; ++k)
        CHECK(std::abs(results["dL/dx"].as<double, 1>()(k) + 178) < 1e-9);
}
