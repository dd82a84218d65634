// Short words for tests that run texts: parse or fail, arrays of doubles, differences.
#pragma once

#include <cstddef>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <ricci/array.hpp>
#include <ricci/program.hpp>

#include "tests/catch.hpp"

namespace ricci::testing {

inline program text(const std::string& equations) {
    auto read = parse(equations);
    INFO(equations);
    if (!read.has_value()) FAIL(read.error().message);
    return std::move(read).value();
}

inline double& entry(array& a, std::size_t k) { return static_cast<double*>(a.data())[k]; }
inline double entry(const array& a, std::size_t k) {
    return static_cast<const double*>(a.data())[k];
}

inline array doubles(std::vector<std::size_t> extents, const std::vector<double>& values) {
    array a(element::f64, std::move(extents));
    for (std::size_t k = 0; k < a.size(); ++k) entry(a, k) = values[k];
    return a;
}
inline array one() { return doubles({}, {1}); }
/// Numbers between -1 and 1.
inline array drawn(std::vector<std::size_t> extents, unsigned seed) {
    array a(element::f64, std::move(extents));
    std::mt19937_64 generator(seed);
    std::uniform_real_distribution<double> numbers(-1, 1);
    for (std::size_t k = 0; k < a.size(); ++k) entry(a, k) = numbers(generator);
    return a;
}
inline std::vector<double> values_of(const array& a) {
    std::vector<double> all;
    for (std::size_t k = 0; k < a.size(); ++k) all.push_back(entry(a, k));
    return all;
}

/// d (sum of `of`) / d `by`, by central differences.
inline array differences(const program& p, const std::vector<named>& others, const char* of,
                         const char* by, const array& at, double step = 1e-6) {
    array slopes = at.clone();
    for (std::size_t k = 0; k < at.size(); ++k) {
        double sum[2] = {0, 0};
        for (int side = 0; side < 2; ++side) {
            array moved = at.clone();
            entry(moved, k) += side == 0 ? -step : step;
            auto operands = others;
            operands.push_back({by, moved});
            const arrays results = run(p, operands);
            for (const double y : values_of(results[of])) sum[side] += y;
        }
        entry(slopes, k) = (sum[1] - sum[0]) / (2 * step);
    }
    return slopes;
}

/// Whether all numbers are within a distance; NaN is within none.
inline bool near(const array& a, const array& b, double distance) {
    if (a.size() != b.size()) return false;
    for (std::size_t k = 0; k < a.size(); ++k)
        if (!(std::abs(entry(a, k) - entry(b, k)) <= distance)) return false;
    return true;
}

}  // namespace ricci::testing
