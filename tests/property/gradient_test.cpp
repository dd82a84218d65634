// Gradients of random smooth programs, derived at run time, against central differences.
#include <cmath>
#include <map>
#include <string>

#include "tests/catch.hpp"
#include "tests/property/derived.hpp"
#include "tests/property/random_programs.hpp"
#include "tests/property/settings.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

std::string check_input(const random_program& p, const ir::program& program, std::size_t input) {
    const std::string of = result_of(p).name, by = p.tensors[input].name;
    const auto derived = gradient_of(program, of, {by});
    // What has cancelled while it was read depends on nothing.
    if (derived.mistake) return {};
    std::map<std::string, dense> got;
    try {
        got = run_derived(p, derived.program, {{"dL/d" + of, weights_of(p)}});
    } catch (const std::exception& e) {
        return std::string("gradient refused: ") + e.what() + "\n" +
               to_latex(derived.program.view());
    }
    if (got.count("dL/d" + by) == 0)
        return "gradient missing: of " + by + "\n" + to_latex(derived.program.view());
    const dense gradient = got.at("dL/d" + by);
    const dense at = input_values(p).of(input, element::f64);
    if (gradient.extents != at.extents)
        return "gradient of another shape: of " + by + "\n" + to_latex(derived.program.view());
    for (std::size_t k = 0; k < at.values.size(); ++k) {
        constexpr long double h = 1e-5L;
        dense above = at, below = at;
        above.values[k] += h;
        below.values[k] -= h;
        const long double slope = (loss(p, {{input, above}}) - loss(p, {{input, below}})) / (2 * h);
        const long double error = std::abs(slope - gradient.values[k]);
        if (error <= 1e-6L * (1 + std::abs(slope))) continue;
        return "gradient differs: dL/d" + by + " element " + std::to_string(k) + " is " +
               std::to_string(static_cast<double>(gradient.values[k])) + " instead of " +
               std::to_string(static_cast<double>(slope)) + "\n" + to_latex(derived.program.view());
    }
    return {};
}

std::string check_gradient(const random_program& p) {
    const auto parsed = read_equations(text_of(p));
    if (parsed.mistake) return "not read: " + spelled(parsed.mistake.words);
    if (holds_extremes_of_nothing(p, interpret(p, element::f64))) return {};
    for (std::size_t t = 0; t < p.tensors.size(); ++t) {
        if (p.tensors[t].defined || p.tensors[t].places > 0 || !reaches(p, t)) continue;
        const std::string wrong = check_input(p, parsed.program, t);
        if (!wrong.empty()) return wrong;
    }
    return {};
}

}  // namespace

TEST_CASE("gradients of random programs are what differences say") {
    on_random_programs(program_count(300), smooth, check_gradient);
}
