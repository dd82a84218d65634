// The loops beside folds under conditions between places.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "bench/cliffs_loops.hpp"

namespace ricci::bench::cliffs {
namespace {

std::size_t count_of(long n) { return static_cast<std::size_t>(n); }

}  // namespace

void others_logsumexp_gradient(const place_memory& m) {
    // Sums of exp(x) before and after each place, and of the slopes by those: none is taken away.
    const long n = m['i'];
    const float *const x = m.in("x"), *const slope = m.in("dL/ds");
    const float most = *std::max_element(x, x + n);
    std::vector<double> e(count_of(n)), Z(count_of(n)), sums(count_of(n));
    for (long j = 0; j < n; ++j) e[count_of(j)] = std::exp(x[j] - most);
    const auto of_others = [&](const auto& of, std::vector<double>& to) {
        double before = 0, after = 0;
        for (long i = 0; i < n; ++i) {
            to[count_of(i)] = before;
            before += of(i);
        }
        for (long i = n - 1; i >= 0; --i) {
            to[count_of(i)] += after;
            after += of(i);
        }
    };
    of_others([&](long j) { return e[count_of(j)]; }, Z);
    of_others([&](long i) { return slope[i] / Z[count_of(i)]; }, sums);
    for (long j = 0; j < n; ++j)
        m.out("dL/dx")[j] = static_cast<float>(e[count_of(j)] * sums[count_of(j)]);
}
void window_logsumexp_gradient(const place_memory& m) {
    const long n = m['i'], far = 4;
    const float *const x = m.in("x"), *const slope = m.in("dL/ds");
    float* const y = m.out("dL/dx");
    std::fill_n(y, n, 0.0f);
    for (long i = 0; i < n; ++i) {
        const long first = std::max(0L, i - far), end = std::min(n, i + far + 1);
        const float most = *std::max_element(x + first, x + end);
        float e[2 * far + 1], Z = 0;
        for (long j = first; j < end; ++j) Z += e[j - first] = std::exp(x[j] - most);
        for (long j = first; j < end; ++j) y[j] += slope[i] * e[j - first] / Z;
    }
}
void part_logsumexp_gradient(const place_memory& m) {
    const long n = m['i'], first = 3;
    const float *const x = m.in("x"), *const slope = m.in("dL/ds");
    const float most = *std::max_element(x, x + n);
    std::vector<double> Z(count_of(n));
    double z = 0, sum = 0;
    for (long i = first; i < n; ++i) Z[count_of(i)] = z += std::exp(x[i] - most);
    std::fill_n(m.out("dL/dx"), first, 0.0f);
    for (long j = n - 1; j >= first; --j) {
        sum += slope[j] / Z[count_of(j)];
        m.out("dL/dx")[j] = static_cast<float>(std::exp(x[j] - most) * sum);
    }
}
void either_logsumexp_gradient(const place_memory& m) {
    const long n = m['i'], always = 2;
    const float *const x = m.in("x"), *const slope = m.in("dL/ds");
    const float most = *std::max_element(x, x + n);
    std::vector<double> e(count_of(n)), Z(count_of(n));
    double z = 0, sum = 0, later = 0;
    for (long i = n - 1; i >= 0; --i) {
        e[count_of(i)] = std::exp(x[i] - most);
        Z[count_of(i)] = z;
        z += e[count_of(i)];
    }
    for (long i = always; i < n; ++i) Z[count_of(i)] += e[count_of(always)];
    for (long j = 0; j < n; ++j) {
        m.out("dL/dx")[j] = static_cast<float>(e[count_of(j)] * sum);
        sum += slope[j] / Z[count_of(j)];
        if (j >= always) later += slope[j] / Z[count_of(j)];
    }
    m.out("dL/dx")[always] += static_cast<float>(e[count_of(always)] * later);
}
void others_maximum_gradient(const place_memory& m) {
    // All but those at the maximum have that, who is alone there the next number.
    const long n = m['i'];
    const float *const x = m.in("x"), *const slope = m.in("dL/dm");
    float first = -std::numeric_limits<float>::infinity(), second = first;
    for (long i = 0; i < n; ++i) {
        second = std::max(second, std::min(first, x[i]));
        first = std::max(first, x[i]);
    }
    const auto firsts = std::count(x, x + n, first), seconds = std::count(x, x + n, second);
    double all = 0, own = 0;
    for (long i = 0; i < n; ++i) (x[i] == first ? own : all) += slope[i];
    for (long j = 0; j < n; ++j) {
        double y = 0;
        if (x[j] == first) {
            y = all / static_cast<double>(firsts);
            if (firsts > 1) y += (own - slope[j]) / static_cast<double>(firsts - 1);
        } else if (x[j] == second) {
            y = own / static_cast<double>(seconds);
        }
        m.out("dL/dx")[j] = static_cast<float>(y);
    }
}

namespace {

/// The state K_ja V_jb, summed over the j of each i: those from `first` on up to each(i).
template <class F>
void state_gradients(const place_memory& m, long first, const F& each) {
    const long n = m['i'], A = m['a'], B = m['b'];
    const float *const Q = m.in("Q"), *const K = m.in("K"), *const V = m.in("V"),
                       *const slope = m.in("dL/ds");
    std::vector<float> state(count_of(A * B));
    std::fill_n(m.out("dL/dK"), n * A, 0.0f);
    std::fill_n(m.out("dL/dV"), n * B, 0.0f);
    for (long i = 0, j = first; i < n; ++i) {
        for (; j <= std::min(each(i), n - 1); ++j)
            for (long a = 0; a < A; ++a)
                for (long b = 0; b < B; ++b)
                    state[count_of(a * B + b)] += K[j * A + a] * V[j * B + b];
        for (long a = 0; a < A; ++a) {
            float sum = 0;
            for (long b = 0; b < B; ++b) sum += state[count_of(a * B + b)] * slope[i * B + b];
            m.out("dL/dQ")[i * A + a] = sum;
        }
    }
    std::fill(state.begin(), state.end(), 0.0f);
    for (long j = n - 1, i = n - 1; j >= first; --j) {
        for (; i >= 0 && each(i) >= j; --i)
            for (long a = 0; a < A; ++a)
                for (long b = 0; b < B; ++b)
                    state[count_of(a * B + b)] += Q[i * A + a] * slope[i * B + b];
        for (long a = 0; a < A; ++a)
            for (long b = 0; b < B; ++b) {
                m.out("dL/dK")[j * A + a] += state[count_of(a * B + b)] * V[j * B + b];
                m.out("dL/dV")[j * B + b] += state[count_of(a * B + b)] * K[j * A + a];
            }
    }
}

}  // namespace

void part_state_gradients(const place_memory& m) {
    state_gradients(m, 3, [](long i) { return i; });
}
void twice_state_gradients(const place_memory& m) {
    state_gradients(m, 0, [](long i) { return 2 * i; });
}

}  // namespace ricci::bench::cliffs
