// Tangents of random programs against central differences, element by element, and against the
// gradient: finite wherever the value is.
#include <algorithm>
#include <cmath>
#include <string>

#include "tests/catch.hpp"
#include "tests/property/derived.hpp"
#include "tests/property/random_programs.hpp"
#include "tests/property/settings.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

/// Also with rows that are masked everywhere, and with extrema, of nothing too: no two places of
/// one are near each other in a random program.
constexpr constructs mostly_smooth = [] {
    constructs c = smooth;
    c.masks = c.extrema = true;
    return c;
}();

/// Slopes by differences, of the elements that have one; the others are no numbers.
dense differences_along(const random_program& p, std::size_t input, const dense& v) {
    constexpr long double h = 1e-5L;
    const std::string of = result_of(p).name;
    const dense at = input_values(p).of(input, element::f64);
    const auto value = [&](long double by) {
        return interpret(p, element::f64, {{input, moved(at, v, by)}}).at(of);
    };
    dense out = value(h);
    const dense below = value(-h), above2 = value(2 * h), below2 = value(-2 * h);
    for (std::size_t k = 0; k < out.values.size(); ++k) {
        const long double near = (out.values[k] - below.values[k]) / (2 * h),
                          far = (above2.values[k] - below2.values[k]) / (4 * h);
        const bool smooth = std::abs(near - far) <= 1e-6L * (1 + std::abs(near));
        out.values[k] = smooth ? near : std::nanl("");
    }
    return out;
}
bool all_finite(const dense& d) {
    for (const auto x : d.values)
        if (!std::isfinite(x)) return false;
    return true;
}

std::string check_input(const random_program& p, const ir::program& program, std::size_t input) {
    const std::string of = result_of(p).name, by = p.tensors[input].name;
    const auto forward = tangent_of(program, by);
    const auto reverse = gradient_of(program, of, {by});
    if (forward.mistake) return {};  // what cancels depends on nothing
    const std::string printed = "\n" + to_latex(forward.program.view());
    const dense v = direction_of(p, input, 1), weights = weights_of(p);
    const dense wanted = differences_along(p, input, v);
    dense moves;
    try {
        moves = run_derived(p, forward.program, {{"d/dt " + by, v}}).at("d/dt " + of);
    } catch (const std::exception& e) {
        return std::string("tangent refused: ") + e.what() + printed;
    }
    if (moves.extents != wanted.extents) return "tangent of another shape: " + of + printed;
    for (std::size_t k = 0; k < wanted.values.size(); ++k) {
        const long double slope = wanted.values[k];
        if (!std::isfinite(slope) ||
            std::abs(moves.values[k] - slope) <= 1e-6L * (1 + std::abs(slope)))
            continue;
        return "tangent differs: element " + std::to_string(k) + " is " +
               std::to_string(static_cast<double>(moves.values[k])) + " instead of " +
               std::to_string(static_cast<double>(slope)) + printed;
    }
    if (reverse.mistake || !all_finite(wanted)) return {};
    const std::string both = printed + "and\n" + to_latex(reverse.program.view());
    try {
        const dense slopes =
            run_derived(p, reverse.program, {{"dL/d" + of, weights}}).at("dL/d" + by);
        if (slopes.extents != v.extents) return "gradient of another shape: of " + by + both;
        const inner_product along(moves, weights), back(slopes, v);
        const long double size = std::max({along.size, back.size, 1.0L});
        if (std::abs(along.value - back.value) <= 1e-12L * size) return {};
        return "modes differ: forward " + std::to_string(static_cast<double>(along.value)) +
               ", reverse " + std::to_string(static_cast<double>(back.value)) + both;
    } catch (const std::exception& e) {
        return std::string("gradient refused: ") + e.what() + both;
    }
}

std::string check_tangent(const random_program& p) {
    const auto parsed = read_equations(text_of(p));
    if (parsed.mistake) return "not read: " + spelled(parsed.mistake.words);
    for (const auto& [name, values] : interpret(p, element::f64))
        if (!all_finite(values)) return {};
    for (std::size_t t = 0; t < p.tensors.size(); ++t) {
        if (p.tensors[t].defined || p.tensors[t].places > 0 || !reaches(p, t)) continue;
        const std::string wrong = check_input(p, parsed.program, t);
        if (!wrong.empty()) return wrong;
    }
    return {};
}

}  // namespace

TEST_CASE("tangents of random programs are what differences and gradients say") {
    on_random_programs(program_count(300), mostly_smooth, check_tangent);
}
