// What the engine makes of a program and of its gradient by several inputs at once, beside what the
// program means: plain loops in long double, and central differences of these.
#pragma once

#include <cmath>
#include <map>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "tests/front.hpp"
#include "tests/unit/bound_program.hpp"

namespace ricci::testing {

struct shaped_input {
    std::string name;
    shape extents;
    bool is_variable = true;  // the loss depends on it
};

/// The derivative at 0 by central differences of fourth order; nothing where smaller steps say
/// another one.
template <class F>
std::optional<long double> slope_of(const F& f) {
    const auto difference = [&](long double h) {
        return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
    };
    const long double wide = difference(1e-4L), narrow = difference(5e-5L);
    if (!(std::abs(wide - narrow) <= 1e-8L * (1 + std::abs(wide)))) return std::nullopt;
    return narrow;
}

class slopes {
public:
    /// The loss is the sum over the elements of `of`, each times a weight.
    slopes(ir::program program, std::string of, std::vector<shaped_input> inputs, unsigned seed)
        : program_(std::move(program)),
          of_(std::move(of)),
          inputs_(std::move(inputs)),
          seed_(seed),
          random_(seed * 7919u + 13) {
        for (const auto& input : inputs_) {
            dense x = dense::zeros(input.extents);
            for (auto& value : x.values) value = drawn();
            values_[input.name] = std::move(x);
        }
        weights_ = value_of(values_);
        usable_ = true;
        for (auto& w : weights_.values) {
            usable_ = usable_ && std::abs(w) < 1e6L;
            w = drawn();
        }
    }
    /// False where the values are so large that differences say nothing.
    bool usable() const { return usable_; }

    /// What is wrong with the values, or nothing.
    std::string check_values() {
        bound_program p(ir::program(program_.view()), element::f64, seed_);
        bind_inputs(p);
        return p.compare(1e-9);
    }
    /// What is wrong with the gradient by all of them, or nothing.
    std::string check_gradients(bool fuse = true) {
        std::vector<std::string> wrt;
        for (const auto& input : inputs_)
            if (input.is_variable) wrt.push_back(input.name);
        auto derived = gradient_of(program_.view(), of_, wrt);
        if (derived.mistake) return {};  // what cancels depends on nothing
        bound_program p(std::move(derived.program), element::f64, seed_);
        p.fuse = fuse;
        bind_inputs(p);
        const std::string slope = "dL/d" + of_;
        if (p.name(slope) != ir::none) bind(p, slope, weights_);
        std::map<ir::ref, dense> got;
        auto step = p.prepare();
        step.run();
        std::ostringstream words;
        for (const auto& name : wrt) {
            const ir::ref n = p.name("dL/d" + name);
            if (n == ir::none) continue;
            const dense gradient = p.result(n).values();
            const dense along = direction(name);
            long double sum = 0, size = 1;
            for (std::size_t k = 0; k < along.values.size(); ++k) {
                const long double product = along.values[k] * gradient.values[k];
                sum += product, size += std::abs(product);
            }
            const auto wanted = slope_of([&](long double by) { return moved(name, along, by); });
            if (!wanted || std::abs(sum - *wanted) <= 1e-6L * size) continue;
            words << "the gradient by " << name << " is " << sum << " along a direction instead of "
                  << *wanted << "; ";
        }
        return words.str().empty() ? "" : words.str() + "\n" + step.explain();
    }

private:
    double drawn() { return std::uniform_real_distribution<double>(-1, 1)(random_); }
    dense direction(const std::string& name) {
        dense v = dense::zeros(values_.at(name).extents);
        for (auto& x : v.values) x = drawn();
        return v;
    }
    dense value_of(const std::map<std::string, dense>& values) const {
        interpreter oracle(program_.view());
        for (const auto& [name, x] : values) oracle.tensors[number_of(name)] = x;
        oracle.run();
        return oracle.tensors.at(number_of(of_));
    }
    ir::ref number_of(const std::string& name) const {
        return program_.view().find({name.data(), static_cast<std::int32_t>(name.size())});
    }
    long double loss(const std::map<std::string, dense>& values) const {
        const dense y = value_of(values);
        long double total = 0;
        for (std::size_t k = 0; k < y.values.size(); ++k) total += y.values[k] * weights_.values[k];
        return total;
    }
    /// The loss where one input has moved.
    long double moved(const std::string& name, const dense& along, long double by) const {
        auto values = values_;
        auto& x = values.at(name).values;
        for (std::size_t k = 0; k < x.size(); ++k) x[k] += by * along.values[k];
        return loss(values);
    }
    void bind_inputs(bound_program& p) const {
        for (const auto& input : inputs_)
            if (p.name(input.name) != ir::none) bind(p, input.name, values_.at(input.name));
    }
    static void bind(bound_program& p, const std::string& name, const dense& values) {
        memory& m = p.allocate(values.extents);
        std::size_t k = 0;
        m.each([&](std::int64_t at) { m.set(at, static_cast<double>(values.values[k++])); });
        p.input(name, m);
    }

    ir::program program_;
    std::string of_;
    std::vector<shaped_input> inputs_;
    unsigned seed_;
    std::mt19937 random_;
    std::map<std::string, dense> values_;
    dense weights_;
    bool usable_ = false;
};

}  // namespace ricci::testing
