// Derivatives of derivatives of random smooth programs: the tangent and the gradient of a gradient
// against mixed differences of the loss, and forward mode against reverse mode, in both orders.
#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/catch.hpp"
#include "tests/property/derived.hpp"
#include "tests/property/random_programs.hpp"
#include "tests/property/settings.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

using tensors = std::map<std::string, dense>;

/// What is derived from a program, run on the values of its inputs; the words of a failure.
class derivation {
public:
    explicit derivation(const random_program& p) : p_(p) {}

    /// The output `name` of a derived program, or an empty tensor when that failed.
    dense run(const char* what, const ir::program& program, const tensors& more,
              const std::string& name, const std::vector<std::int64_t>& shape) {
        const std::string printed = "\n" + to_latex(program.view());
        try {
            const tensors got = run_derived(p_, program, more);
            if (got.count(name) == 0) return fail(what, " missing: " + name + printed);
            if (got.at(name).extents != shape)
                return fail(what, " of another shape: " + name + printed);
            return got.at(name);
        } catch (const std::exception& e) {
            return fail(what, std::string(" refused: ") + e.what() + printed);
        }
    }
    /// Two ways to the same number.
    void compare(const char* what, const inner_product& forward, const inner_product& reverse,
                 const ir::program& a, const ir::program& b) {
        const long double size = std::max({forward.size, reverse.size, 1.0L});
        if (std::abs(forward.value - reverse.value) <= 1e-12L * size) return;
        fail(what, " differ: forward " + std::to_string(static_cast<double>(forward.value)) +
                       ", reverse " + std::to_string(static_cast<double>(reverse.value)) + "\n" +
                       to_latex(a.view()) + "and\n" + to_latex(b.view()));
    }
    void compare(const char* what, const dense& got, const dense& expected,
                 const ir::program& program) {
        long double scale = 1;
        for (const auto x : expected.values) scale = std::max(scale, std::abs(x));
        for (std::size_t k = 0; k < expected.values.size(); ++k) {
            if (std::abs(got.values[k] - expected.values[k]) <= 1e-6L * scale) continue;
            fail(what, " differs: element " + std::to_string(k) + " is " +
                           std::to_string(static_cast<double>(got.values[k])) + " instead of " +
                           std::to_string(static_cast<double>(expected.values[k])) + "\n" +
                           to_latex(program.view()));
            return;
        }
    }
    std::string wrong;

private:
    dense fail(const char* what, const std::string& words) {
        if (wrong.empty()) wrong = what + words;
        return {};
    }
    const random_program& p_;
};

/// The derivative by every element of `a` of the derivative of the loss along `v`, in which `b`
/// moves.
dense mixed_differences(const random_program& p, std::size_t a, std::size_t b, const dense& v) {
    constexpr long double h = 2e-4L;
    const dense at = input_values(p).of(a, element::f64),
                other = input_values(p).of(b, element::f64);
    dense out = dense::zeros(at.extents);
    for (std::size_t k = 0; k < at.values.size(); ++k) {
        dense unit = dense::zeros(at.extents);
        unit.values[k] = 1;
        const auto difference = [&](long double step) {
            const auto here = [&](int i, int j) {
                if (a == b) return loss(p, {{a, moved(moved(at, unit, i * step), v, j * step)}});
                return loss(p, {{a, moved(at, unit, i * step)}, {b, moved(other, v, j * step)}});
            };
            return (here(1, 1) - here(1, -1) - here(-1, 1) + here(-1, -1)) / (4 * step * step);
        };
        // of fourth order: the error of second order is the same multiple of the step's square
        out.values[k] = (4 * difference(h) - difference(2 * h)) / 3;
    }
    return out;
}

/// The derivative by `b`, and then of that by `a` and of that along `b`, or what is wrong with
/// them.
std::string check_pair(const random_program& p, const ir::program& program, std::size_t a,
                       std::size_t b) {
    const std::string of = result_of(p).name, by_a = p.tensors[a].name, by_b = p.tensors[b].name;
    const auto &shape_a = p.tensors[a].extents, &shape_b = p.tensors[b].extents;
    const std::string slope = "dL/d" + by_a;
    const dense weights = weights_of(p), v = direction_of(p, b, 1), w = direction_of(p, a, 2);
    const tensors loss_of{{"dL/d" + of, weights}};
    derivation d(p);

    const auto reverse = gradient_of(program, of, {by_b}), forward = tangent_of(program, by_b);
    if (reverse.mistake || forward.mistake) return {};  // what cancels depends on nothing
    const dense moves =
        d.run("tangent", forward.program, {{"d/dt " + by_b, v}}, "d/dt " + of, weights.extents);
    const dense slopes = d.run("gradient", reverse.program, loss_of, "dL/d" + by_b, shape_b);
    if (d.wrong.empty())
        d.compare("first order", inner_product(moves, weights), inner_product(slopes, v),
                  forward.program, reverse.program);

    const auto first = gradient_of(program, of, {by_a});
    if (!d.wrong.empty() || first.mistake) return d.wrong;
    const auto along = tangent_of(first.program, by_b);
    const auto again = gradient_of(first.program, slope, {by_b});
    if (along.mistake) return again.mistake ? "" : "second order in reverse mode only: " + slope;
    tensors more = loss_of;
    more["d/dt " + by_b] = v;
    const dense bends = d.run("tangent of gradient", along.program, more, "d/dt " + slope, shape_a);
    if (d.wrong.empty() && again.mistake)  // reverse mode has seen that the derivative is constant
        d.compare("constant gradient", bends, dense::zeros(shape_a), along.program);
    if (!d.wrong.empty() || again.mistake) return d.wrong;
    more = loss_of;
    more["dL'/d(" + slope + ")"] = w;
    const dense curves =
        d.run("gradient of gradient", again.program, more, "dL'/d" + by_b, shape_b);
    if (!d.wrong.empty()) return d.wrong;
    d.compare("second order", inner_product(bends, w), inner_product(curves, v), along.program,
              again.program);
    d.compare("tangent of gradient", bends, mixed_differences(p, a, b, v), along.program);
    return d.wrong;
}

std::string check_second_order(const random_program& p) {
    const auto parsed = read_equations(text_of(p));
    if (parsed.mistake) return "not read: " + spelled(parsed.mistake.words);
    if (holds_extremes_of_nothing(p, interpret(p, element::f64))) return {};
    std::vector<std::size_t> inputs;
    for (std::size_t t = 0; t < p.tensors.size(); ++t)
        if (!p.tensors[t].defined && p.tensors[t].places == 0 && reaches(p, t)) inputs.push_back(t);
    for (const std::size_t a : inputs)
        for (const std::size_t b : inputs) {
            if (inputs.size() > 3 && (a * 5 + b * 3 + p.seed) % inputs.size() > 1) continue;
            const std::string wrong = check_pair(p, parsed.program, a, b);
            if (!wrong.empty()) return wrong;
        }
    return {};
}

}  // namespace

TEST_CASE("second derivatives of random programs are what differences and the other mode say") {
    // A quarter: each is derived twice in both orders, which takes that much longer.
    on_random_programs(program_count(600) / 4, smooth, check_second_order);
}
