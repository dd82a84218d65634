// Numbers as pages print them: what agrees, what differs, and what is left alone.
#include "judge/printed_numbers.hpp"

#include <string>

#include "tests/catch.hpp"

using namespace ricci::judge;

namespace {

std::string verdict_of(const char* left, const char* right, bool approximate = false,
                       number_style style = {}) {
    const number_book book(style);
    const auto a = book.value_of(left), b = book.value_of(right);
    if (!a || !b) return "left alone";
    switch (compare(*a, *b, approximate).agreement) {
        case agreement::agree:
            return "agree";
        case agreement::differ:
            return "differ";
        case agreement::near:
            return "near";
        case agreement::rounded:
            return "rounded";
        default:
            return "shapes";
    }
}

}  // namespace

TEST_CASE("a decimal number is good to half a unit of its last place") {
    CHECK(verdict_of("1.5 + 1", "2.6") == "differ");
    CHECK(verdict_of("1.5 + 1", "2.5") == "agree");
    CHECK(verdict_of("2 + 2", "5", true) == "differ");
    CHECK(verdict_of("2 + 2", "5") == "differ");
    CHECK(verdict_of("\\pi", "3.15", true) == "differ");
    CHECK(verdict_of("\\pi", "3.14", true) == "agree");
    CHECK(verdict_of("\\pi", "3.1416", true) == "agree");
    CHECK(verdict_of("\\pi", "3", true) == "agree");
    CHECK(verdict_of("28672 \\cdot 2 / 2550", "22") == "agree");
    CHECK(verdict_of("\\frac{28672 \\cdot 2}{2550}", "22") == "agree");
    CHECK(verdict_of("\\frac{28672 \\cdot 2}{2550}", "24") == "differ");
    CHECK(verdict_of("\\frac{2}{3}", "0.667") == "agree");
    CHECK(verdict_of("\\frac{2}{3}", "0.67") == "agree");
    CHECK(verdict_of("\\frac{2}{3}", "0.66") == "differ");
    CHECK(verdict_of("\\frac{2}{3}", "0.66\\ldots") == "agree");
    CHECK(verdict_of("0.1 + 0.2", "0.3") == "agree");
    CHECK(verdict_of("0.1 \\cdot 0.2", "0.02") == "agree");
    CHECK(verdict_of("3.2 \\times 4.1", "13") == "agree");
    CHECK(verdict_of("3.2 \\times 4.1", "15") == "differ");
    CHECK(verdict_of("\\sqrt{2}", "1.414") == "agree");
    CHECK(verdict_of("\\sqrt{2}", "1.424") == "differ");
    CHECK(verdict_of("e^{-1}", "0.368") == "agree");
    CHECK(verdict_of("\\exp(-0.5)", "0.61") == "agree");
    CHECK(verdict_of("10^{400}", "10^{401}") == "differ");
    CHECK(verdict_of("2^{64}", "18446744073709551616") == "agree");
    CHECK(verdict_of("2^{64}", "18446744073709551615") == "differ");
}

TEST_CASE("lone whole numbers") {
    CHECK(verdict_of("7 \\cdot 8", "56") == "agree");
    CHECK(verdict_of("7 \\cdot 8", "57") == "differ");
    CHECK(verdict_of("\\frac{9}{2}", "5") == "near");
    CHECK(verdict_of("\\frac{9}{2}", "4") == "near");
    CHECK(verdict_of("\\frac{9}{2}", "5", true) == "agree");
    CHECK(verdict_of("1 / 2", "1") == "near");
    CHECK(verdict_of("1 / 2", "0") == "near");
    CHECK(verdict_of("\\frac{2}{3}", "1") == "agree");
    CHECK(verdict_of("\\frac{2}{3}", "0") == "near");
    CHECK(verdict_of("\\log_2 8", "4") == "differ");
    CHECK(verdict_of("-\\log_2 8", "-2") == "differ");
    CHECK(verdict_of("\\log_2 8", "4", true) == "differ");
    CHECK(verdict_of("\\sqrt{2}", "2") == "near");
    CHECK(verdict_of("\\sqrt{2}", "3") == "differ");
    CHECK(verdict_of("\\exp(0)", "2") == "differ");
    CHECK(verdict_of("\\frac{9}{2}", "6") == "differ");
    CHECK(verdict_of("2^{10}", "1000", true) == "near");
    CHECK(verdict_of("2^{10}", "1000") == "differ");
    CHECK(verdict_of("1234", "1200", true) == "near");
    CHECK(verdict_of("4.1 \\times 10^3", "4100") == "agree");
    CHECK(verdict_of("4123.4", "4 \\times 10^3", true) == "agree");
    CHECK(verdict_of("4123.4", "6 \\times 10^{3}", true) == "differ");
    CHECK(verdict_of("5!", "120") == "agree");
    CHECK(verdict_of("\\binom{5}{2}", "10") == "agree");
    CHECK(verdict_of("\\binom{5}{2}", "20") == "differ");
}

TEST_CASE("numbers as people print them") {
    CHECK(verdict_of("2^{16}", "65,536") == "agree");
    CHECK(verdict_of("2^{16}", "65,537") == "differ");
    CHECK(verdict_of("3 \\cdot 10000", "30\\,000") == "agree");
    CHECK(verdict_of("3 \\cdot 10000", "30{,}000") == "agree");
    CHECK(verdict_of("3 \\cdot 10000", "30~001") == "differ");
    CHECK(verdict_of("1,234,567 + 1", "1,234,568") == "agree");
    CHECK(verdict_of("7 / 2", "3,5", false, {true}) == "agree");
    CHECK(verdict_of("7 / 2", "3,6", false, {true}) == "differ");
    CHECK(verdict_of("7 / 2", "3{,}5") == "agree");
    CHECK(verdict_of("4000", "4e3") == "agree");
    CHECK(verdict_of("4200", "4.2e3") == "agree");
    CHECK(verdict_of("4300", "4.2e3") == "differ");
    CHECK(verdict_of("0.0042", "4.2e-3") == "agree");
    CHECK(verdict_of("\\frac{5}{6}", "83.3\\%") == "agree");
    CHECK(verdict_of("\\frac{5}{6}", "84.3\\%") == "differ");
    CHECK(verdict_of("\\frac{5}{2}", "2\\frac{1}{2}") == "agree");
    CHECK(verdict_of("1", "2\\frac{1}{2}") == "agree");  // or it is a product
    CHECK(verdict_of("4", "2\\frac{1}{2}") == "differ");
    CHECK(verdict_of("\\sqrt[3]{27}", "3") == "agree");
    CHECK(verdict_of("|{-3}|", "3") == "agree");
    CHECK(verdict_of("\\lfloor 2.7 \\rfloor", "2") == "agree");
    CHECK(verdict_of("\\max(1, 2)", "2") == "agree");
    CHECK(verdict_of("\\max\\{1, 2\\}", "1") == "differ");
    CHECK(verdict_of("\\log_2 8", "3") == "agree");
}

TEST_CASE("what was made of rounded numbers may be off as far as these") {
    // by what they are, by one in the last digit, by more, and by more than they may be off
    CHECK(verdict_of("1.2 \\cdot 1.3", "1.56") == "agree");
    CHECK(verdict_of("1.2 \\cdot 1.3", "1.57") == "rounded");
    CHECK(verdict_of("1.2 \\cdot 1.3", "1.6") == "agree");
    CHECK(verdict_of("1.2 \\cdot 1.3", "1.68") == "rounded");
    CHECK(verdict_of("1.2 \\cdot 1.3", "1.75") == "differ");
    CHECK(verdict_of("10.00 \\cdot 0.333", "3.336") == "rounded");
    // what is exact is off by nothing
    CHECK(verdict_of("\\frac{10}{3}", "3.334") == "differ");
    // per cent are printed numbers
    CHECK(verdict_of("\\frac{117}{500}", "23\\%") == "agree");
    CHECK(verdict_of("\\frac{117}{500}", "24\\%") == "near");
    CHECK(verdict_of("\\frac{117}{500}", "25\\%") == "differ");
    CHECK(verdict_of("1.5 + 0.1", "1.6\\%") == "near");
    // powers and fractions promise no digits behind \approx, and all of them behind =
    CHECK(verdict_of("2^{10}", "10^3", true) == "near");
    CHECK(verdict_of("2^{10}", "10^3") == "differ");
    CHECK(verdict_of("2^{10}", "10^4", true) == "differ");
}

TEST_CASE("matrices whose entries are rounded or cut") {
    CHECK(verdict_of("\\frac{1}{3} \\begin{pmatrix} 1 & 2 \\\\ 4 & 5 \\end{pmatrix}",
                     "\\begin{pmatrix} 0.33 & 0.67 \\\\ 1.33 & 1.67 \\end{pmatrix}") == "agree");
    CHECK(verdict_of("\\frac{1}{3} \\begin{pmatrix} 1 & 2 \\\\ 4 & 5 \\end{pmatrix}",
                     "\\begin{pmatrix} 0.33 & 0.66 \\\\ 1.33 & 1.66 \\end{pmatrix}") == "agree");
    CHECK(verdict_of("\\frac{1}{3} \\begin{pmatrix} 1 & 2 \\\\ 4 & 5 \\end{pmatrix}",
                     "\\begin{pmatrix} 0.33 & 0.66 \\\\ 1.33 & 1.67 \\end{pmatrix}") == "near");
    CHECK(verdict_of("\\frac{1}{3} \\begin{pmatrix} 1 & 2 \\\\ 4 & 5 \\end{pmatrix}",
                     "\\begin{pmatrix} 0.33 & 0.66 \\\\ 1.43 & 1.67 \\end{pmatrix}") == "differ");
    CHECK(verdict_of("\\begin{bmatrix} 1 & 2 \\\\ 3 & 4 \\end{bmatrix} "
                     "\\begin{bmatrix} 5 \\\\ 6 \\end{bmatrix}",
                     "\\begin{bmatrix} 17 \\\\ 39 \\end{bmatrix}") == "agree");
    CHECK(verdict_of("\\begin{bmatrix} 1 & 2 \\\\ 3 & 4 \\end{bmatrix} "
                     "\\begin{bmatrix} 5 \\\\ 6 \\end{bmatrix}",
                     "\\begin{bmatrix} 17 \\\\ 38 \\end{bmatrix}") == "differ");
    CHECK(verdict_of("\\operatorname{softmax}([1, 2, 3])", "[0.09, 0.245, 0.665]") == "agree");
    CHECK(verdict_of("\\operatorname{softmax}([1, 2, 3])", "[0.09, 0.345, 0.565]") == "differ");
    CHECK(verdict_of("[1, 2]", "3") == "shapes");
}

TEST_CASE("what is left alone") {
    for (const char* side : {"17 \\bmod 5", "17 \\mod 5", "\\log 100", "\\lg 100", "90^\\circ",
                             "90^{\\circ}", "3 \\text{ m}", "x + 1", "\\infty", "\\frac{1}{0}",
                             "1 / 2 \\pi", "100 000", "\\sum_{k=1}^{3} k", "", "="})
        CHECK(verdict_of(side, "1") == "left alone");
}

TEST_CASE("names that have numbers") {
    number_book book;
    book.set("x_{1}", *book.value_of("2"));
    book.set("x", *book.value_of("3"));
    book.set("\\hat{y}", *book.value_of("0.5"));
    const auto value = [&](const char* side) {
        const auto v = book.value_of(side);
        return v ? shown(*v) : std::string("none");
    };
    CHECK(value("x_1 + x") == "5");
    CHECK(value("x^2 + x_1^2") == "13");
    CHECK(value("2 \\hat{y} x") == "3");
    CHECK(value("x_2") == "none");
    CHECK(value("y") == "none");
}
