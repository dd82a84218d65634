// Attention the plain way, in double with every weight stored, and how an example is held against
// it.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <fmt/core.h>

#include <ricci/ricci.hpp>

namespace plain {

constexpr double nothing = -std::numeric_limits<double>::infinity();

/// Numbers in (-1, 1), the same on every machine.
template <int Rank>
ricci::tensor<float, Rank> random(const std::array<std::size_t, Rank>& extents,
                                  std::uint32_t seed) {
    ricci::tensor<float, Rank> t(extents);
    std::uint32_t x = seed * 2654435761u + 1;
    for (std::size_t k = 0; k < t.size(); ++k) {
        x ^= x << 13, x ^= x >> 17, x ^= x << 5;
        t.data()[k] = static_cast<float>(static_cast<double>(x) / 0x1p31 - 1);
    }
    return t;
}

/// The sum of x(k) y(k) for k < count.
template <class X, class Y>
double dot(std::size_t count, X x, Y y) {
    double sum = 0;
    for (std::size_t k = 0; k < count; ++k)
        sum += static_cast<double>(x(k)) * static_cast<double>(y(k));
    return sum;
}

/// One head: out(i, c) = sum over j of weight(i, j) value(j, c), where the weights of a query are
/// the softmax of score(i, j). A query that sees nothing, all of whose scores are -infinity, gets
/// zeros. Returns the weights, [i][j].
template <class Score, class Value, class Out>
std::vector<std::vector<double>> attend(std::size_t queries, std::size_t keys, std::size_t values,
                                        Score score, Value value, Out out) {
    std::vector<std::vector<double>> weights(queries, std::vector<double>(keys));
    for (std::size_t i = 0; i < queries; ++i) {
        auto& w = weights[i];
        double most = nothing, total = 0;
        for (std::size_t j = 0; j < keys; ++j) most = std::max(most, w[j] = score(i, j));
        for (auto& x : w) total += x = most == nothing ? 0 : std::exp(x - most);
        if (total > 0)
            for (auto& x : w) x /= total;
        for (std::size_t c = 0; c < values; ++c)
            out(i, c) = dot(
                keys, [&](std::size_t j) { return w[j]; },
                [&](std::size_t j) { return value(j, c); });
    }
    return weights;
}

/// What the examples of a file came to.
class report {
public:
    /// Prints how far an output is from the plain result, and whether the weights were stored on
    /// the way: `plan` is what explain() says, `streamed` what it ought to say.
    template <class Got, int Rank>
    void compare(const std::string& name, const Got& got, const ricci::tensor<double, Rank>& want,
                 const std::string& plan, bool streamed = true, double tolerance = 2e-6) {
        double worst = 0, size = 0;
        bool right = got.extents() == want.extents();
        for (std::size_t k = 0; right && k < want.size(); ++k) {
            const double x = static_cast<double>(got.data()[k]), y = want.data()[k];
            worst = std::max(worst, std::isfinite(x) ? std::abs(x - y) : 1e300);
            size = std::max(size, std::abs(y));
        }
        right = right && worst <= tolerance * size;
        const bool is_streamed = plan.find("not stored: ") != std::string::npos;
        fmt::print("{:<44} {:9.1e} {}{}\n", name, worst / size,
                   is_streamed ? "weights not stored" : "",
                   right && is_streamed == streamed ? "" : "   NOT AS IT SHOULD BE");
        if (is_streamed != streamed) fmt::print("{}", plan);
        failed_ = failed_ || !right || is_streamed != streamed;
    }
    int exit_status() const { return failed_ ? 1 : 0; }

private:
    bool failed_ = false;
};

}  // namespace plain
