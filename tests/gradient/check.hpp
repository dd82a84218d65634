// Derived gradients against central differences of the forward program, every entry, in double.
#pragma once

#include "tests/catch.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <ricci/error.hpp>
#include <ricci/program.hpp>

namespace ricci::testing {

/// An input of a case; `derive` when the case differentiates by it. Or the extent of an index.
struct case_input {
    std::string name;
    array value = {};  // double, row-major
    bool derive = false;
    std::size_t index_extent = 0;
};
using case_inputs = std::vector<case_input>;

inline double* numbers(array& a) { return static_cast<double*>(a.data()); }
inline const double* numbers(const array& a) { return static_cast<const double*>(a.data()); }

/// Values spread evenly over [low, high] in random order: no two are near each other and none is
/// near 0 when the range is symmetric, so that no kink is within a step of the differences.
inline array spread(const std::string& name, std::initializer_list<std::size_t> extents, double low,
                    double high) {
    unsigned seed = 0;
    for (const char c : name) seed = (31 * seed + static_cast<unsigned char>(c)) % 1000;
    array a(element::f64, std::vector<std::size_t>(extents));
    std::vector<double> values;
    const double n = static_cast<double>(a.size());
    const double offset = seed % 2 == 0 ? 0.5 : 0.2;
    for (std::size_t k = 0; k < a.size(); ++k)
        values.push_back(low + (high - low) * (static_cast<double>(k) + offset) / n);
    std::mt19937 generator(seed);
    std::shuffle(values.begin(), values.end(), generator);
    std::copy(values.begin(), values.end(), numbers(a));
    return a;
}
inline array scalar(double value) {
    array a(element::f64, std::vector<std::size_t>{});
    *numbers(a) = value;
    return a;
}

/// A tensor to differentiate by, with values in [low, high].
inline case_input by(std::string name, std::initializer_list<std::size_t> extents, double low = -1,
                     double high = 1) {
    array value = spread(name, extents, low, high);
    return {std::move(name), std::move(value), true};
}
inline case_input by(std::string name, double value) {
    return {std::move(name), scalar(value), true};
}
/// A tensor that stays as it is.
inline case_input given(std::string name, std::initializer_list<std::size_t> extents,
                        double low = -1, double high = 1) {
    array value = spread(name, extents, low, high);
    return {std::move(name), std::move(value)};
}
inline case_input given(std::string name, double value) { return {std::move(name), scalar(value)}; }
/// The extent of an index that the shapes do not give.
inline case_input extent_of(std::string letter, std::size_t count) {
    return {std::move(letter), {}, false, count};
}

/// The derivatives of the tensor Y of a text, checked.
class gradient_case {
public:
    gradient_case(const std::string& text, case_inputs inputs)
        : program_(parsed(text)), inputs_(std::move(inputs)) {
        std::mt19937 generator(11);
        for (const case_input& in : inputs_) {
            if (!in.derive) continue;
            names_.push_back(in.name);
            array direction(element::f64, in.value.extents());
            for (std::size_t k = 0; k < direction.size(); ++k)
                numbers(direction)[k] = 0.6 * static_cast<double>(generator()) / 4294967296.0 - 0.3;
            directions_.push_back(std::move(direction));
        }
    }

    /// Compares dL/dinput for L = sum of dL/dY Y with differences, entry by entry, and along a
    /// random direction of all inputs at once; then forward mode with that, and second order.
    void check() {
        runner forward = prepare(program_, bindings());
        forward();
        const array y = forward["Y"];
        dy_ = array(element::f64, y.extents());
        std::mt19937 generator(7);
        for (std::size_t k = 0; k < dy_.size(); ++k)
            numbers(dy_)[k] = 2 * static_cast<double>(generator()) / 4294967296.0 - 1;
        const auto loss = [&] {
            forward();
            double sum = 0;
            for (std::size_t k = 0; k < dy_.size(); ++k) sum += numbers(dy_)[k] * numbers(y)[k];
            return sum;
        };

        const program derived = value_and_gradient(program_, "Y", names_);
        INFO(to_latex(derived));
        const arrays results = run(derived, bindings({{"dL/dY", dy_}}));
        check_value(results["Y"], y);
        check_entries(results, loss);
        const double along = along_direction(results);
        const double expected = slope(loss, [&](double t) { move(t); });
        CHECK(std::abs(along - expected) <= 1e-8 * std::max(1.0, std::abs(along)));
        check_tangent(along);
        check_curvature();
    }

private:
    static program parsed(const std::string& text) {
        auto p = parse(text);
        if (!p) FAIL(p.error().message);
        return std::move(*p);
    }
    std::vector<named> bindings(std::vector<named> more = {}) const {
        for (const case_input& in : inputs_) {
            if (in.index_extent > 0) more.push_back({in.name, extent(in.index_extent)});
            else more.push_back({in.name, in.value});
        }
        return more;
    }
    /// The same with a direction for every input that is derived by.
    std::vector<named> moving_bindings(std::vector<named> more = {}) const {
        for (std::size_t k = 0; k < names_.size(); ++k)
            more.push_back({"d/dt " + names_[k], directions_[k]});
        return bindings(std::move(more));
    }
    case_input& input(const std::string& name) {
        return *std::ranges::find_if(inputs_, [&](const auto& in) { return in.name == name; });
    }
    /// Moves the inputs by t times the direction.
    void move(double t) {
        for (std::size_t n = 0; n < names_.size(); ++n) {
            array& x = input(names_[n]).value;
            for (std::size_t k = 0; k < x.size(); ++k)
                numbers(x)[k] += t * numbers(directions_[n])[k];
        }
    }
    /// The slope of a loss by differences of fourth order.
    template <class Loss, class Shift>
    static double slope(const Loss& loss, const Shift& shift) {
        constexpr double h = 1e-3;
        const auto at = [&](double t) {
            shift(t);
            const double value = loss();
            shift(-t);
            return value;
        };
        return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
    }
    static bool same_extents(const array& a, const array& b) {
        return std::ranges::equal(a.extents(), b.extents());
    }

    static void check_value(const array& got, const array& y) {
        REQUIRE(same_extents(got, y));
        bool same = true;
        for (std::size_t k = 0; k < y.size(); ++k)
            same = same && std::abs(numbers(got)[k] - numbers(y)[k]) < 1e-13;
        CHECK(same);
    }
    template <class Loss>
    void check_entries(const arrays& results, const Loss& loss) {
        for (const std::string& name : names_) {
            const array& g = results["dL/d" + name];
            array& x = input(name).value;
            REQUIRE(same_extents(g, x));
            double scale = 1;
            for (std::size_t k = 0; k < g.size(); ++k)
                scale = std::max(scale, std::abs(numbers(g)[k]));
            for (std::size_t k = 0; k < g.size(); ++k) {
                const double expected = slope(loss, [&](double t) { numbers(x)[k] += t; });
                if (!(std::abs(numbers(g)[k] - expected) <= 2e-9 * scale))
                    FAIL("entry " << k << " of the derivative by " << name << " is "
                                  << numbers(g)[k] << ", by differences " << expected);
            }
        }
    }
    double along_direction(const arrays& results) const {
        double along = 0;
        for (std::size_t n = 0; n < names_.size(); ++n) {
            const array& g = results["dL/d" + names_[n]];
            for (std::size_t k = 0; k < g.size(); ++k)
                along += numbers(directions_[n])[k] * numbers(g)[k];
        }
        return along;
    }
    /// Forward mode against reverse mode: dY . (d/dt Y) = sum of dL/dX . (d/dt X), to rounding.
    void check_tangent(double along) const {
        const program forward = tangent(program_, names_);
        INFO(to_latex(forward));
        const arrays moves = run(forward, moving_bindings());
        const array& moved = moves["d/dt Y"];
        REQUIRE(same_extents(moved, dy_));
        double dot = 0, size = 1;
        for (std::size_t k = 0; k < dy_.size(); ++k) {
            const double product = numbers(dy_)[k] * numbers(moved)[k];
            dot += product;
            size += std::abs(product);
        }
        if (!(std::abs(dot - along) <= 1e-12 * size))
            FAIL("forward mode gives " << dot << " and reverse mode " << along);
    }
    /// The tangent of the gradient, or nothing where that is the same everywhere.
    std::optional<program> curvature_of(const program& backward) const {
        try {
            return tangent(backward, names_);
        } catch (const error& e) {
            const std::string words = e.what();
            if (words.find("no output depends on") == std::string::npos) throw;
            return std::nullopt;
        }
    }
    /// Second order: the tangent of the gradient against differences of the gradient.
    void check_curvature() {
        const program backward = gradient(program_, "Y", names_);
        const auto curvature = curvature_of(backward);
        if (!curvature) return;
        INFO(to_latex(*curvature));
        const arrays bends = run(*curvature, moving_bindings({{"dL/dY", dy_}}));
        runner slopes = prepare(backward, bindings({{"dL/dY", dy_}}));
        slopes();
        for (const std::string& name : names_) {
            const array g = slopes["dL/d" + name];
            const array& got = bends["d/dt dL/d" + name];
            REQUIRE(same_extents(got, g));
            std::vector<double> expected(g.size());
            const auto add = [&](double t, double weight) {
                move(t);
                slopes();
                move(-t);
                for (std::size_t k = 0; k < g.size(); ++k) expected[k] += weight * numbers(g)[k];
            };
            constexpr double h = 1e-3;
            add(h, 8 / (12 * h)), add(-h, -8 / (12 * h));
            add(2 * h, -1 / (12 * h)), add(-2 * h, 1 / (12 * h));
            double scale = 1;
            for (const double x : expected) scale = std::max(scale, std::abs(x));
            for (std::size_t k = 0; k < g.size(); ++k)
                if (!(std::abs(numbers(got)[k] - expected[k]) <= 1e-8 * scale))
                    FAIL("entry " << k << " of the tangent of dL/d" << name << " is "
                                  << numbers(got)[k] << ", by differences " << expected[k]);
        }
    }

    program program_;
    case_inputs inputs_;
    std::vector<std::string> names_;  // that are derived by
    std::vector<array> directions_;   // of each of them
    array dy_;
};

}  // namespace ricci::testing

/// A case: the equations' text, which defines Y, and its inputs. A section, so that one that fails
/// hides no other.
#define CHECK_GRADIENT(TEXT, ...)                                                 \
    SECTION(TEXT) { ricci::testing::gradient_case(TEXT, {__VA_ARGS__}).check(); } \
    static_assert(true, "so that a semicolon ends a case")
