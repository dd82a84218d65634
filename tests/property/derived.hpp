// Running what is derived from a random program, and the loss that its derivatives are of.
#pragma once

#include <cmath>
#include <map>
#include <random>
#include <set>
#include <string>

#include "tests/property/generator.hpp"
#include "tests/property/run.hpp"

namespace ricci::testing {

/// Programs that can be differentiated everywhere.
inline constexpr constructs smooth = [] {
    constructs c;
    c.smooth_only = true;
    c.extrema = false;
    c.masks = false;
    c.twins = false;  // a letter of the program's is bound once for all of its equations
    return c;
}();

/// What a program is differentiated of: its last tensor.
inline const declaration& result_of(const random_program& p) {
    return p.tensors[p.equations.back().tensor];
}
/// The weights of the loss: L = the sum over the last tensor's elements, each times its weight.
inline dense weights_of(const random_program& p) {
    dense w = dense::zeros(result_of(p).extents);
    for (std::size_t k = 0; k < w.values.size(); ++k)
        w.values[k] = 1 + 0.25 * static_cast<double>(k % 5);
    return w;
}
/// The loss where some inputs have other values, from the meaning of the program.
inline long double loss(const random_program& p, const std::map<std::size_t, dense>& changed) {
    const dense result = interpret(p, element::f64, changed).at(result_of(p).name);
    const dense weights = weights_of(p);
    long double total = 0;
    for (std::size_t k = 0; k < result.values.size(); ++k)
        total += weights.values[k] * result.values[k];
    return total;
}

/// Whether the last equation depends on the tensor.
inline bool reaches(const random_program& p, std::size_t input) {
    std::set<std::size_t> needed{p.equations.back().tensor};
    for (std::size_t e = p.equations.size(); e-- > 0;)
        for (std::size_t t = 0; t < p.tensors.size() && needed.count(p.equations[e].tensor) > 0;
             ++t)
            if (uses(p.equations[e].body, t)) needed.insert(t);
    return needed.count(input) > 0;
}

/// A direction in which a tensor moves.
inline dense direction_of(const random_program& p, std::size_t tensor, unsigned which) {
    std::mt19937 random(p.seed * 31u + static_cast<unsigned>(tensor) * 7u + which);
    dense v = dense::zeros(p.tensors[tensor].extents);
    for (auto& x : v.values) x = static_cast<double>(random() % 2001) / 1000 - 1;
    return v;
}
/// A tensor, moved so far along another.
inline dense moved(dense x, const dense& along, long double by) {
    for (std::size_t k = 0; k < x.values.size(); ++k) x.values[k] += by * along.values[k];
    return x;
}

/// A product of two tensors summed over everything, and the same of their magnitudes.
struct inner_product {
    long double value = 0, size = 0;
    inner_product(const dense& a, const dense& b) {
        for (std::size_t k = 0; k < a.values.size(); ++k) {
            value += a.values[k] * b.values[k];
            size += std::abs(a.values[k] * b.values[k]);
        }
    }
};

/// The outputs of a derived program by the engine, from the inputs of `p` and `more`. An index of a
/// sum over what lacks it is asked for: then all are given.
inline std::map<std::string, dense> run_derived(const random_program& p, const ir::program& program,
                                                const std::map<std::string, dense>& more,
                                                const std::map<std::size_t, dense>& changed = {}) {
    try {
        return engine_run(p, program, element::f64, more, changed).run();
    } catch (const error& e) {
        const std::string words = e.what();
        if (words.find("the shapes do not give the extent") == std::string::npos) throw;
    }
    engine_run engine(p, program, element::f64, more, changed);
    engine.give_all_extents(p);
    return engine.run();
}

}  // namespace ricci::testing
