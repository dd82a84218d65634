// Gradients of folds up to an index: what they are, where numbers are the same, 0 or infinite, too,
// and that nobody goes over all pairs of places for them.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tests/unit/front/texts.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

std::string under_condition(std::string equation, const std::string& condition) {
    return equation.replace(equation.find('%'), 1, condition);
}

using reals = std::vector<long double>;

/// Which j are folded for an i.
struct prefix_order {
    const char* text;
    bool (*holds)(std::size_t i, std::size_t j);
};
const std::vector<prefix_order> orders{
    {"j \\le i", [](std::size_t i, std::size_t j) { return j <= i; }},
    {"j < i", [](std::size_t i, std::size_t j) { return j < i; }},
    {"j \\ge i", [](std::size_t i, std::size_t j) { return j >= i; }},
    {"j > i", [](std::size_t i, std::size_t j) { return j > i; }},
};

/// The derivative by x_j of what is folded of some x, as plain loops.
struct prefix_fold {
    const char* text;  // of x^{bj}, with a condition at %
    long double (*slope)(const reals& x, std::size_t j);
};
long double slope_of_logsumexp(const reals& x, std::size_t j) {
    const auto most = *std::max_element(x.begin(), x.end());
    long double sum = 0;
    for (const auto v : x) sum += std::exp(v - most);
    return std::exp(x[j] - most) / sum;
}
long double slope_of_product(const reals& x, std::size_t j) {
    long double product = 1;
    for (std::size_t k = 0; k < x.size(); ++k)
        if (k != j) product *= x[k];
    return product;
}
/// Those that are the maximum share.
long double slope_of_maximum(const reals& x, std::size_t j) {
    const auto most = *std::max_element(x.begin(), x.end());
    const auto count = std::count(x.begin(), x.end(), most);
    return x[j] == most ? 1.0L / static_cast<long double>(count) : 0;
}
long double slope_of_minimum(const reals& x, std::size_t j) {
    const auto least = *std::min_element(x.begin(), x.end());
    const auto count = std::count(x.begin(), x.end(), least);
    return x[j] == least ? 1.0L / static_cast<long double>(count) : 0;
}
const std::vector<prefix_fold> prefix_folds{
    {"\\operatorname{logsumexp}_j(\\begin{cases} x^{bj} & \\text{if } % \\\\ -\\infty & "
     "\\text{otherwise} \\end{cases})",
     slope_of_logsumexp},
    {"\\prod_j(\\begin{cases} x^{bj} & \\text{if } % \\\\ 1 & \\text{otherwise} \\end{cases})",
     slope_of_product},
    {"\\max_j(\\begin{cases} x^{bj} & \\text{if } % \\\\ -\\infty & \\text{otherwise} "
     "\\end{cases})",
     slope_of_maximum},
    {"\\min_j(\\begin{cases} x^{bj} & \\text{if } % \\\\ \\infty & \\text{otherwise} "
     "\\end{cases})",
     slope_of_minimum},
};

long double real(const array& a, std::size_t k) {
    const void* const data = a.data();
    return a.type() == element::f32 ? static_cast<long double>(static_cast<const float*>(data)[k])
                                    : static_cast<long double>(static_cast<const double*>(data)[k]);
}
array as_floats(const array& a) {
    array made(element::f32, a.extents());
    void* const data = made.data();
    for (std::size_t k = 0; k < a.size(); ++k)
        static_cast<float*>(data)[k] = static_cast<float>(entry(a, k));
    return made;
}

/// The largest difference of the gradient from what plain loops give, of the largest number there.
double error_of_gradient(const prefix_fold& f, const prefix_order& o, const array& x,
                         const array& slope) {
    const program p = text(under_condition(std::string("y^{bi} = ") + f.text, o.text));
    const std::size_t rows = x.extents()[0], n = x.extents()[1];
    const std::vector<named> operands{
        {"x", x}, {"dL/dy", slope}, {"i", extent(static_cast<std::int64_t>(n))}};
    const auto slopes = gradient(p, "y", {"x"});
    const array got = run(slopes, operands)["dL/dx"];
    if (n >= 8) {
        const std::string words = explain(slopes, operands);
        INFO(words);
        CHECK(words.find("from each to the next") != std::string::npos);
        CHECK(words.find("over i=") == std::string::npos);
        CHECK(words.find("over j") == std::string::npos);
    }
    long double error = 0, size = 1;
    for (std::size_t b = 0; b < rows; ++b) {
        reals wanted(n, 0);
        for (std::size_t i = 0; i < n; ++i) {
            reals folded;
            std::vector<std::size_t> places;
            for (std::size_t j = 0; j < n; ++j)
                if (o.holds(i, j)) places.push_back(j), folded.push_back(real(x, b * n + j));
            for (std::size_t k = 0; k < places.size() && n <= 60; ++k)
                wanted[places[k]] += real(slope, b * n + i) * f.slope(folded, k);
        }
        for (std::size_t j = 0; j < n && n <= 60; ++j) {
            const auto here = real(got, b * n + j);
            size = std::max(size, std::abs(wanted[j]));
            error = std::max(error, here == here ? std::abs(here - wanted[j])
                                                 : std::numeric_limits<long double>::infinity());
        }
    }
    return static_cast<double>(error / size);
}

/// Numbers of which some are the same, some 0, and some far from the others.
array uneven(std::size_t rows, std::size_t n, unsigned seed) {
    array x = drawn({rows, n}, seed);
    for (std::size_t k = 0; k < x.size(); ++k) {
        if (k % 5 == 2) entry(x, k) = std::round(2 * entry(x, k)) / 2;
        if (k % 7 == 3) entry(x, k) = k % 2 == 0 ? 0 : 1;
    }
    return x;
}

}  // namespace

TEST_CASE("gradients of folds up to an index take one pass", "[prefixes]") {
    for (const auto& f : prefix_folds)
        for (const auto& o : orders)
            for (const std::size_t n : std::vector<std::size_t>{1, 2, 7, 8, 9, 40}) {
                INFO(f.text << ", " << o.text << ", " << n);
                const array x = uneven(3, n, 5), slope = drawn({3, n}, 6);
                CHECK(error_of_gradient(f, o, x, slope) < 1e-13);
                CHECK(error_of_gradient(f, o, as_floats(x), as_floats(slope)) < 1e-5);
            }
}

TEST_CASE("gradients of long folds up to an index are those of all pairs", "[prefixes]") {
    // Scores that rise and fall by hundreds: no exponential of one alone is a number.
    const std::size_t n = 1000;
    array x = drawn({n}, 7);
    const array slope = drawn({n}, 8);
    for (std::size_t k = 0; k < n; ++k)
        entry(x, k) = 900 * std::sin(0.01 * static_cast<double>(k)) + 3 * entry(x, k);
    const program p = text(
        "y^{i} = \\operatorname{logsumexp}_j(\\begin{cases} x^{j} & \\text{if } j \\le i \\\\ "
        "-\\infty & \\text{otherwise} \\end{cases})");
    const array got =
        run(gradient(p, "y", {"x"}), {{"x", x}, {"dL/dy", slope}, {"i", extent(1000)}})["dL/dx"];
    reals wanted(n, 0);
    for (std::size_t i = 0; i < n; ++i) {
        long double most = -infinite, sum = 0;
        for (std::size_t j = 0; j <= i; ++j) most = std::max(most, real(x, j));
        for (std::size_t j = 0; j <= i; ++j) sum += std::exp(real(x, j) - most);
        for (std::size_t j = 0; j <= i; ++j)
            wanted[j] += real(slope, i) * std::exp(real(x, j) - most) / sum;
    }
    for (std::size_t j = 0; j < n; ++j) CHECK(std::abs(real(got, j) - wanted[j]) < 1e-12L);
}

TEST_CASE("gradients of folds up to an index, where numbers are infinite", "[prefixes]") {
    const std::size_t n = 20;
    const array slope = drawn({1, n}, 9);
    for (const auto& f : prefix_folds) {
        INFO(f.text);
        // Nothing but -infinite first: an empty sum, and a maximum that many places share.
        array x = uneven(1, n, 10);
        for (std::size_t k = 0; k < 3; ++k) entry(x, k) = -infinite;
        const program p = text(under_condition(std::string("y^{bi} = ") + f.text, "j \\le i"));
        const program all = text(under_condition(std::string("y^{bi} = ") + f.text, "M^{ij} = 1"));
        array mask(element::f64, {n, n});
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) entry(mask, i * n + j) = j <= i ? 1 : 0;
        for (const double number : {-infinite, infinite, std::nan("")}) {
            INFO("with " << number);
            entry(x, 12) = number;
            std::vector<named> operands{{"x", x}, {"dL/dy", slope}, {"i", extent(20)}};
            const array got = run(gradient(p, "y", {"x"}), operands)["dL/dx"];
            operands.push_back({"M", mask});
            const array wanted = run(gradient(all, "y", {"x"}), operands)["dL/dx"];
            for (std::size_t j = 0; j < n; ++j) {
                const double a = entry(got, j), b = entry(wanted, j);
                INFO(j << ": " << a << " and " << b);
                CHECK((a == b || (a != a && b != b) || std::abs(a - b) < 1e-12));
            }
        }
    }
}
