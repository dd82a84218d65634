// Texts that are long or deep: long ones are read in a time that grows with them, deep ones refused
// with a sentence, also on a small stack.
#include <cmath>
#include <string>

#include <pthread.h>

#include <ricci/print.hpp>
#include <ricci/program.hpp>

#include "tests/catch.hpp"
#include "tests/processor_time.hpp"
#include "tests/sanitized.hpp"

using namespace ricci;

namespace {

std::string repeated(const std::string& begin, const std::string& part, const std::string& between,
                     int times, const std::string& end = "") {
    std::string out = begin;
    for (int k = 0; k < times; ++k) out += (k > 0 ? between : "") + part;
    return out + end;
}

/// Calls `work` on a thread of its own with so many bytes of stack.
template <class Work>
void on_small_stack(std::size_t bytes, Work work) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    REQUIRE(pthread_attr_setstacksize(&attributes, bytes) == 0);
    pthread_t thread;
    const auto start = [](void* argument) -> void* {
        (*static_cast<Work*>(argument))();
        return nullptr;
    };
    REQUIRE(pthread_create(&thread, &attributes, start, &work) == 0);
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);
}

// A sanitizer's frames are many times as large.
#ifdef RICCI_TEST_SANITIZED
constexpr std::size_t small_stack = 16 * 1024 * 1024;
#else
constexpr std::size_t small_stack = 512 * 1024;
#endif

}  // namespace

TEST_CASE("texts that are nested too deeply are refused with a sentence", "[long]") {
    const std::string deep[] = {
        repeated("y = ", "x", "/", 20'000),
        repeated("y = ", "x", " \\bmod ", 20'000),
        repeated("y = ", "(", "", 20'000) + "x" + repeated("", ")", "", 20'000),
        repeated("y = ", "(", "", 20'000) + "x" + repeated("", ")^2", "", 20'000),
        repeated("y = ", "\\sin", " ", 20'000, " x"),
        repeated("y = ", "\\frac{x}{", "", 20'000) + "x" + repeated("", "}", "", 20'000),
        repeated("y = ", "\\sqrt{", "", 20'000) + "x" + repeated("", "}", "", 20'000),
        repeated("y = ", "\\sum_j", " ", 20'000, " x"),
        repeated("y^i = [", "\\lnot", " ", 20'000, " i < 2]"),
        repeated("y^i = [", "(", "", 20'000) + "i < 2" + repeated("", ")", "", 20'000) + "]",
        repeated("f(x) = x + 1\ny = ", "f(", "", 20'000) + "z" + repeated("", ")", "", 20'000),
        repeated("f(x) = ", "x", "/", 150) + repeated("\ny = ", "f(", "", 40) + "z" +
            repeated("", ")", "", 40),
        repeated("y^i = E^{", "x_{", "", 20'000) + "i" + repeated("", "}", "", 20'000) + "}",
        repeated("y = ", "\\hat{", "", 20'000) + "x" + repeated("", "}", "", 20'000),
    };
    on_small_stack(small_stack, [&] {
        for (const std::string& text : deep) {
            const auto read = parse(text);
            REQUIRE(!read.has_value());
            INFO(read.error().message.substr(0, 40)
                 << " ... " << read.error().message.substr(read.error().message.rfind(" : ")));
            CHECK(read.error().message.find("nested too deeply") != std::string::npos);
        }
    });
}

TEST_CASE("what is as deep as may be is read, printed, derived and run", "[long]") {
    const std::string deep[] = {
        repeated("y = ", "x", "/", 190),
        repeated("y = ", "x/(", "", 90) + "x" + repeated("", ")", "", 90),
        repeated("y = ", "(1 + x ", "", 90) + "x" + repeated("", ")", "", 90),
        repeated("y = ", "\\sin", " ", 180, " x"),
    };
    on_small_stack(small_stack, [&] {
        for (const std::string& text : deep) {
            const auto read = parse(text);
            REQUIRE(read.has_value());
            const program p = read.value();
            CHECK(parse(to_latex(p)).has_value());
            const arrays values = run(p, {{"x", 1.01}});
            CHECK(std::isfinite(static_cast<const double*>(values["y"].data())[0]));
            const program back = gradient(p, "y", {"x"});
            CHECK(parse(to_latex(back)).has_value());
            const arrays slopes = run(back, {{"x", 1.01}, {"dL/dy", 1.0}});
            CHECK(std::isfinite(static_cast<const double*>(slopes["dL/dx"].data())[0]));
        }
    });
}

TEST_CASE("long texts are read in a time that grows with them", "[long]") {
    // A quadratic pass would take minutes; the bound is for a sanitizer.
    const ricci::testing::processor_time taken;
    const int many = 10'000;
    std::string lines;
    for (int k = 0; k < many; ++k) {
        const std::string number = std::to_string(k);
        lines += "y_{" + number + "}^i = A_{" + number + "}^{ij} x^j\n";
    }
    const std::string texts[] = {
        repeated("y = ", "x", " + ", many),
        repeated("y^i = ", "x^i", " ", many),
        repeated("y = ", "x^i w^i", " + ", many),
        repeated("y^i = x^i [", "i < 3", " \\land ", many, "]"),
        repeated("y^i = x^i [", "i < 3", " \\lor ", many, "]"),
        repeated("y^i = x^i [", "i", " < ", many, "]"),
        lines,
    };
    for (const std::string& text : texts) {
        const auto read = parse(text);
        REQUIRE(read.has_value());
        CHECK(!read.value().inputs().empty());
        CHECK(!read.value().outputs().empty());
    }
    const program power = parse(repeated("y^i = ", "x^i", " ", many)).value();
    CHECK(gradient(power, "y", {"x"}).inputs().size() == 2);
    CHECK(taken.seconds() < 60);
}

TEST_CASE("an input behind a gathered place is described", "[long]") {
    const auto described = [](const char* text) {
        std::string out;
        for (const tensor_info& i : parse(text).value().inputs())
            out += i.name + "[" + i.indices + "] ";
        return out;
    };
    CHECK(described("y^i = 2 x^i + E^{t_i} z^i") == "x[i] t[i] E[t_i] z[i] ");
    CHECK(described("F = -\\frac{1}{\\beta} \\log Z\nX^{bia} = E^{x_{bi} a} + P^{ia}") ==
          "\\beta[] Z[] x[b,i] E[x_{bi},a] P[i,a] ");
}
