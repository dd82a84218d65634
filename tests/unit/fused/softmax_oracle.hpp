// What softmaxes of given scores are used for, and its gradients, as plain loops in long double;
// and beside each number the sum of the sizes of all that it is the sum of.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tests/unit/interpreter.hpp"

namespace ricci::testing {

struct softmax_sizes {
    std::int64_t heads = 1, rows = 1, columns = 1, width = 1, values = 1;
};

/// Numbers, and the sums of the sizes of their terms.
struct sized {
    std::vector<long double> value, size;
    explicit sized(std::int64_t n = 0)
        : value(static_cast<std::size_t>(n)), size(static_cast<std::size_t>(n)) {}
    void add(std::int64_t at, long double x, long double of_size) {
        value[static_cast<std::size_t>(at)] += x;
        size[static_cast<std::size_t>(at)] += std::abs(of_size);
    }
};

class softmax_oracle {
public:
    softmax_oracle(const softmax_sizes& sizes, bool causal, dense q, dense k)
        : s_(sizes), causal_(causal), q_(std::move(q)), k_(std::move(k)) {}

    std::vector<long double> scores;

    /// Scores whose products are exact: the sum is rounded once.
    void add(const dense& b, bool single) {
        each([&](std::int64_t h, std::int64_t i, std::int64_t j) {
            long double sum = 0;
            for (std::int64_t a = 0; a < s_.width; ++a)
                sum += at(q_, row(h, i) * s_.width + a) * at(k_, key(h, j) * s_.width + a);
            sum = sum / 4 + at(b, pair(h, i, j));
            scores.push_back(single ? static_cast<long double>(static_cast<float>(sum))
                                    : static_cast<long double>(static_cast<double>(sum)));
        });
    }

    /// O^{hic} = A^{hij} V^{hjc}, whose gradient is given.
    void attend(const dense& v, const dense& g) {
        const sized a = weights();
        sized o(s_.heads * s_.rows * s_.values), w(s_.heads * s_.columns),
            dv(s_.heads * s_.columns * s_.values), da(pairs()), mean(s_.heads * s_.rows);
        each([&](std::int64_t h, std::int64_t i, std::int64_t j) {
            const std::int64_t ij = pair(h, i, j);
            const long double each = a.value[index(ij)], size = a.size[index(ij)];
            w.add(column(h, j), each, size);
            for (std::int64_t c = 0; c < s_.values; ++c) {
                const long double x = at(v, column(h, j) * s_.values + c);
                const long double y = at(g, row(h, i) * s_.values + c);
                o.add(row(h, i) * s_.values + c, each * x, size * x);
                dv.add(column(h, j) * s_.values + c, each * y, size * y);
                da.add(ij, x * y, x * y);
            }
            mean.add(row(h, i), each * da.value[index(ij)], size * da.size[index(ij)]);
        });
        sized ds(pairs());
        each([&](std::int64_t h, std::int64_t i, std::int64_t j) {
            const std::int64_t ij = pair(h, i, j);
            const auto m = index(row(h, i));
            ds.add(ij, a.value[index(ij)] * (da.value[index(ij)] - mean.value[m]),
                   a.size[index(ij)] * (da.size[index(ij)] + mean.size[m]));
        });
        results_ = {{"O", o}, {"W", w}, {"dL/dV", dv}};
        add_gradients(ds);
    }

    /// O^{hi} = logsumexp - S^{hi y_{hi}}, whose gradient is given.
    void take_losses(const dense& y, const dense& g) {
        sized o(s_.heads * s_.rows), ds(pairs());
        const sized a = weights();
        each([&](std::int64_t h, std::int64_t i, std::int64_t j) {
            const std::int64_t ij = pair(h, i, j), at_row = row(h, i);
            const bool picked = at(y, at_row) == static_cast<long double>(j);
            if (picked) {
                const long double most = maximum(h, i), above = log_sum(h, i, most);
                const long double below = most - scores[index(ij)];
                o.add(at_row, below + above, 1 + below + above);
            }
            const long double slope = a.value[index(ij)] - (picked ? 1 : 0);
            ds.add(ij, at(g, at_row) * slope, at(g, at_row) * (a.size[index(ij)] + 1));
        });
        results_ = {{"O", o}};
        add_gradients(ds);
    }

    /// l^{hi} = logsumexp, and O^{hi} = l^{hi} - T^{hij} S^{hij}, whose gradient is given.
    void take_logarithms(const dense& t, const dense& g) {
        sized l(s_.heads * s_.rows), o(s_.heads * s_.rows), ds(pairs());
        const sized a = weights();
        each([&](std::int64_t h, std::int64_t i, std::int64_t j) {
            const auto ij = index(pair(h, i, j));
            const std::int64_t at_row = row(h, i);
            if (j == 0) {
                const long double most = maximum(h, i);
                const long double whole = most == -INFINITY ? most : most + log_sum(h, i, most);
                l.add(at_row, whole, whole);
                o.add(at_row, l.value[index(at_row)], l.size[index(at_row)]);
            }
            const long double y = at(g, at_row), x = t.values[ij] * scores[ij];
            o.add(at_row, -x, x);
            ds.add(pair(h, i, j), y * (a.value[ij] - t.values[ij]),
                   std::abs(y) * (a.size[ij] + std::abs(t.values[ij])));
        });
        results_ = {{"l", l}, {"O", o}};
        add_gradients(ds);
    }

    const sized* find(const std::string& name) const {
        const auto found = results_.find(name);
        return found == results_.end() ? nullptr : &found->second;
    }

private:
    static std::size_t index(std::int64_t k) { return static_cast<std::size_t>(k); }
    static long double at(const dense& x, std::int64_t k) { return x.values[index(k)]; }
    std::int64_t row(std::int64_t h, std::int64_t i) const { return h * s_.rows + i; }
    std::int64_t column(std::int64_t h, std::int64_t j) const { return h * s_.columns + j; }
    /// One of all heads, or one for each.
    std::int64_t key(std::int64_t h, std::int64_t j) const {
        return k_.extents.size() == 2 ? j : column(h, j);
    }
    std::int64_t pair(std::int64_t h, std::int64_t i, std::int64_t j) const {
        return row(h, i) * s_.columns + j;
    }
    std::int64_t pairs() const { return s_.heads * s_.rows * s_.columns; }
    bool sees(std::int64_t i, std::int64_t j) const { return !causal_ || j <= i; }
    template <class F>
    void each(F f) const {
        for (std::int64_t h = 0; h < s_.heads; ++h)
            for (std::int64_t i = 0; i < s_.rows; ++i)
                for (std::int64_t j = 0; j < s_.columns; ++j) f(h, i, j);
    }

    long double maximum(std::int64_t h, std::int64_t i) const {
        long double most = -INFINITY;
        for (std::int64_t j = 0; j < s_.columns; ++j)
            if (sees(i, j)) most = std::max(most, scores[index(pair(h, i, j))]);
        return most;
    }
    /// By how much a logsumexp is larger than the maximum.
    long double log_sum(std::int64_t h, std::int64_t i, long double most) const {
        long double sum = 0;
        for (std::int64_t j = 0; j < s_.columns; ++j)
            if (sees(i, j)) sum += std::exp(scores[index(pair(h, i, j))] - most);
        return std::log(sum);
    }

    /// Small ones have the errors of their exponents.
    sized weights() const {
        sized a(pairs());
        for (std::int64_t h = 0; h < s_.heads; ++h)
            for (std::int64_t i = 0; i < s_.rows; ++i) {
                const long double most = maximum(h, i);
                if (most == -INFINITY) continue;
                long double sum = 0;
                for (std::int64_t j = 0; j < s_.columns; ++j)
                    if (sees(i, j)) sum += std::exp(scores[index(pair(h, i, j))] - most);
                for (std::int64_t j = 0; j < s_.columns; ++j) {
                    if (!sees(i, j)) continue;
                    const long double below = most - scores[index(pair(h, i, j))];
                    const long double each = std::exp(-below) / sum;
                    // A weight may count as 0 where it is no normal number.
                    a.add(pair(h, i, j), each, each > 0 ? each * (1 + below) : 0);
                }
            }
        return a;
    }

    void add_gradients(const sized& ds) {
        sized dq(s_.heads * s_.rows * s_.width), dk(static_cast<std::int64_t>(k_.values.size()));
        each([&](std::int64_t h, std::int64_t i, std::int64_t j) {
            const auto ij = index(pair(h, i, j));
            for (std::int64_t a = 0; a < s_.width; ++a) {
                const std::int64_t at_q = row(h, i) * s_.width + a, at_k = key(h, j) * s_.width + a;
                dq.add(at_q, ds.value[ij] * at(k_, at_k) / 4, ds.size[ij] * at(k_, at_k) / 4);
                dk.add(at_k, ds.value[ij] * at(q_, at_q) / 4, ds.size[ij] * at(q_, at_q) / 4);
            }
        });
        results_.emplace("dL/dQ", dq);
        results_.emplace("dL/dK", dk);
        results_.emplace("dL/dB", ds);
    }

    softmax_sizes s_;
    bool causal_ = false;
    dense q_, k_;
    std::map<std::string, sized> results_;
};

/// What is further from what is wanted than roundings explain, in words. What no number of the type
/// holds does not count.
template <class T>
std::string difference(const sized& want, const std::vector<long double>& got,
                       const std::string& name) {
    constexpr long double unit = std::numeric_limits<T>::epsilon();
    long double worst = 0;
    std::size_t where = 0;
    for (std::size_t k = 0; k < got.size(); ++k) {
        if (got[k] == want.value[k] || !(want.size[k] < std::numeric_limits<T>::max())) continue;
        const long double error = std::abs(got[k] - want.value[k]) / (want.size[k] * unit + 1e-35L);
        if (error <= worst) continue;
        worst = std::isnan(error) ? INFINITY : error;
        where = k;
        if (std::isnan(error)) break;
    }
    if (worst < 12) return "";
    std::ostringstream words;
    words << name << " is " << got[where] << " at " << where << " and not " << want.value[where]
          << ", " << worst << " units; ";
    return words.str();
}

}  // namespace ricci::testing
