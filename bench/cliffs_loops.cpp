#include "bench/cliffs_loops.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#ifdef RICCI_BENCH_EIGEN
#include <Eigen/Cholesky>
#include <Eigen/Core>
#endif

namespace ricci::bench::cliffs {
namespace {

std::size_t size(long n) { return static_cast<std::size_t>(n); }

/// s^i = the sum of f(j) for j up to i.
template <class F>
void running_sum(float* s, long n, const F& f) {
    double sum = 0;
    for (long i = 0; i < n; ++i) s[i] = static_cast<float>(sum += f(i));
}

/// y[t] = g y[t - 1] + x[t], from the first on or, for slopes, from the last.
void decayed(const float* x, float* y, long n, double g) {
    double sum = 0;
    for (long t = 0; t < n; ++t) y[t] = static_cast<float>(sum = g * sum + x[t]);
}
void decayed_back(const float* x, float* y, long n, double g) {
    double sum = 0;
    for (long t = n - 1; t >= 0; --t) y[t] = static_cast<float>(sum = g * sum + x[t]);
}

/// The derivative by g of the sum of slope_t A_t, where A_t = g A_{t-1} + d_t.
double slope_of_decay(const float* d, const float* slope, long n, double g) {
    double sum = 0, of_sum = 0, all = 0;
    for (long t = 0; t < n; ++t) {
        of_sum = sum + g * of_sum;
        sum = g * sum + d[t];
        all += slope[t] * of_sum;
    }
    return all;
}

}  // namespace

void prefix_bracket(const place_memory& m) {
    const float* const x = m.in("x");
    running_sum(m.out("s"), m['i'], [&](long j) { return x[j] > 0 ? x[j] : 0; });
}
void prefix_count(const place_memory& m) {
    const float* const x = m.in("x");
    running_sum(m.out("s"), m['i'], [&](long j) { return x[j] > 0 ? 1 : 0; });
}
void prefix_even(const place_memory& m) {
    const float* const x = m.in("x");
    running_sum(m.out("s"), m['i'], [&](long j) { return j % 2 == 0 ? x[j] : 0; });
}
void prefix_distance(const place_memory& m) {
    const float* const x = m.in("x");
    float* const s = m.out("s");
    double before = 0, all = 0;
    for (long i = 0; i < m['i']; ++i) {
        s[i] = static_cast<float>(all += before);
        before += x[i];
    }
}

void prefix_lookups_gradient(const place_memory& m) {
    const long n = m['i'], A = m['a'];
    const float* const G = m.in("dL/ds");
    const std::int32_t* const t = m.places("t");
    float* const slopes = m.out("dL/dE");
    std::fill_n(slopes, m['v'] * A, 0.0f);
    std::vector<float> sum(size(A));
    for (long j = n - 1; j >= 0; --j)
        for (long a = 0; a < A; ++a) slopes[t[j] * A + a] += sum[size(a)] += G[j * A + a];
}

void scatter_pairs(const place_memory& m) {
    float* const h = m.out("h");
    const float* const w = m.in("w");
    const std::int32_t *const a = m.places("a"), *const b = m.places("b");
    std::fill_n(h, m['k'] * m['l'], 0.0f);
    for (long n = 0; n < m['n']; ++n) h[a[n] * m['l'] + b[n]] += w[n];
}
void pairs_table_gradient(const place_memory& m) {
    const long L = m['l'], N = m['n'];
    float* const slopes = m.out("dL/dM");
    const float* const slope = m.in("dL/dy");
    const std::int32_t *const a = m.places("a"), *const b = m.places("b");
    std::fill_n(slopes, m['k'] * L, 0.0f);
    for (long n = 0; n < N; ++n) slopes[a[n] * L + b[n]] += slope[n];
}

void scatter_maximum(const place_memory& m) {
    float* const y = m.out("m");
    const float* const x = m.in("x");
    const std::int32_t* const t = m.places("t");
    std::fill_n(y, m['k'], -std::numeric_limits<float>::infinity());
    for (long i = 0; i < m['i']; ++i) y[t[i]] = std::max(y[t[i]], x[i]);
}
void scatter_logsumexp(const place_memory& m) {
    scatter_maximum(m);
    float* const y = m.out("m");
    const float* const x = m.in("x");
    const std::int32_t* const t = m.places("t");
    std::vector<float> sums(size(m['k']));
    for (long i = 0; i < m['i']; ++i) sums[size(t[i])] += std::exp(x[i] - y[t[i]]);
    for (long k = 0; k < m['k']; ++k) y[k] += std::log(sums[size(k)]);
}
void scatter_masked(const place_memory& m) {
    float* const y = m.out("m");
    const float* const x = m.in("x");
    const std::int32_t* const t = m.places("t");
    std::fill_n(y, m['k'], 0.0f);
    for (long i = 0; i < m['i']; ++i)
        if (x[i] > 0) y[t[i]] += x[i];
}
void scatter_squares(const place_memory& m) {
    float* const y = m.out("m");
    const float *const x = m.in("x"), *const u = m.in("u");
    const std::int32_t* const t = m.places("t");
    std::fill_n(y, m['k'], 0.0f);
    for (long i = 0; i < m['i']; ++i) {
        const float d = x[i] - u[t[i]];
        y[t[i]] += d * d;
    }
}

void product_gradient(const place_memory& m) {
    const long n = m['i'];
    const float* const x = m.in("x");
    float* const y = m.out("dL/dx");
    double product = 1;
    for (long i = 0; i < n; ++i) {
        y[i] = static_cast<float>(product);
        product *= x[i];
    }
    product = m.in("dL/dL")[0];
    for (long i = n - 1; i >= 0; --i) {
        y[i] = static_cast<float>(y[i] * product);
        product *= x[i];
    }
}

void decay_power(const place_memory& m) { decayed(m.in("d"), m.out("A"), m['t'], m.in("g")[0]); }
void decay_power_gradients(const place_memory& m) {
    const double g = m.in("g")[0];
    const float* const slope = m.in("dL/dA");
    decayed_back(slope, m.out("dL/dd"), m['t'], g);
    m.out("dL/dg")[0] = static_cast<float>(slope_of_decay(m.in("d"), slope, m['t'], g));
}
void decay_exponential(const place_memory& m) {
    decayed(m.in("d"), m.out("A"), m['t'], std::exp(-m.in("r")[0]));
}
void decay_exponential_gradients(const place_memory& m) {
    const double g = std::exp(-static_cast<double>(m.in("r")[0]));
    const float* const slope = m.in("dL/dA");
    decayed_back(slope, m.out("dL/dd"), m['t'], g);
    m.out("dL/dr")[0] = static_cast<float>(-g * slope_of_decay(m.in("d"), slope, m['t'], g));
}

void integral_image(const place_memory& m) {
    const long rows = m['i'], columns = m['j'];
    const float* const x = m.in("x");
    float* const I = m.out("I");
    for (long i = 0; i < rows; ++i) {
        float sum = 0;
        for (long j = 0; j < columns; ++j) {
            sum += x[i * columns + j];
            I[i * columns + j] = sum + (i > 0 ? I[(i - 1) * columns + j] : 0);
        }
    }
}

void unfold_gradient(const place_memory& m) {
    const long K = m['k'];
    const float* const slope = m.in("dL/dU");
    float* const y = m.out("dL/dx");
    std::fill_n(y, m['n'], 0.0f);
    for (long i = 0; i < m['i']; ++i)
        for (long k = 0; k < K; ++k) y[2 * i + k] += slope[i * K + k];
}

void pooling_gradient(const place_memory& m) {
    const long H = m['h'], W = m['w'], I = m['i'], J = m['j'], P = m['p'], Q = m['q'];
    const float* const slope = m.in("dL/dy");
    std::fill_n(m.out("dL/dX"), m['b'] * H * W, 0.0f);
    for (long b = 0; b < m['b']; ++b) {
        const float* const x = m.in("X") + b * H * W;
        float* const y = m.out("dL/dX") + b * H * W;
        for (long i = 0; i < I; ++i)
            for (long j = 0; j < J; ++j) {
                long most = 2 * i * W + 2 * j;
                for (long p = 0; p < P; ++p)
                    for (long q = 0; q < Q; ++q) {
                        const long here = (2 * i + p) * W + 2 * j + q;
                        if (x[here] > x[most]) most = here;
                    }
                y[most] += slope[(b * I + i) * J + j];
            }
    }
}

void experts(const place_memory& m) {
    const long A = m['a'], F = m['f'];
    for (long b = 0; b < m['b']; ++b) {
        const float* const x = m.in("X") + b * A;
        const float* const E = m.in("E") + m.places("t")[b] * A * F;
        float* const y = m.out("Y") + b * F;
        std::fill_n(y, F, 0.0f);
        for (long a = 0; a < A; ++a)
            for (long f = 0; f < F; ++f) y[f] += x[a] * E[a * F + f];
    }
}
void experts_gradients(const place_memory& m) {
    const long A = m['a'], F = m['f'];
    std::fill_n(m.out("dL/dE"), m['e'] * A * F, 0.0f);
    for (long b = 0; b < m['b']; ++b) {
        const float* const x = m.in("X") + b * A;
        const float* const slope = m.in("dL/dY") + b * F;
        const float* const E = m.in("E") + m.places("t")[b] * A * F;
        float* const to_E = m.out("dL/dE") + m.places("t")[b] * A * F;
        float* const to_X = m.out("dL/dX") + b * A;
        for (long a = 0; a < A; ++a) {
            float sum = 0;
            for (long f = 0; f < F; ++f) {
                sum += slope[f] * E[a * F + f];
                to_E[a * F + f] += x[a] * slope[f];
            }
            to_X[a] = sum;
        }
    }
}

void parts_gradient(const place_memory& m) {
    std::copy_n(m.in("dL/dN"), m['i'] * m['c'], m.out("dL/da"));
}

void all_but_one(const place_memory& m) {
    const float* const x = m.in("x");
    double sum = 0;
    for (long i = 0; i < m['i']; ++i) sum += x[i];
    for (long i = 0; i < m['i']; ++i) m.out("s")[i] = static_cast<float>(sum - x[i]);
}
void up_to_lookup(const place_memory& m) {
    const float* const x = m.in("x");
    std::vector<float> sums(size(m['k']));
    running_sum(sums.data(), m['k'], [&](long k) { return x[k]; });
    for (long i = 0; i < m['i']; ++i) m.out("s")[i] = sums[size(m.places("t")[i])];
}
void neighbours(const place_memory& m) {
    const float* const x = m.in("x");
    const long n = m['i'];
    for (long i = 0; i < n; ++i)
        m.out("s")[i] = (i > 0 ? x[i - 1] : 0) + (i + 1 < n ? x[i + 1] : 0);
}

void prefix_softmax_gradients(const place_memory& m) {
    // y_i = N_i / Z_i with running sums N, Z of exp(x) v and exp(x): slopes are sums from the end.
    const long n = m['i'];
    const float *const x = m.in("x"), *const v = m.in("v"), *const slope = m.in("dL/dy");
    std::vector<double> Z(size(n)), y(size(n));
    const float most = *std::max_element(x, x + n);
    double z = 0, sum = 0;
    for (long i = 0; i < n; ++i) {
        const double e = std::exp(x[i] - most);
        z += e;
        sum += e * v[i];
        Z[size(i)] = z;
        y[size(i)] = sum / z;
    }
    double of_v = 0, of_y = 0;
    for (long j = n - 1; j >= 0; --j) {
        of_v += slope[j] / Z[size(j)];
        of_y += slope[j] * y[size(j)] / Z[size(j)];
        const double e = std::exp(x[j] - most);
        m.out("dL/dv")[j] = static_cast<float>(e * of_v);
        m.out("dL/dx")[j] = static_cast<float>(e * (v[j] * of_v - of_y));
    }
}

namespace {

/// The lower triangle of the kernel, in `factor`, as Cholesky's factor.
#ifdef RICCI_BENCH_EIGEN
using matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
#else
struct matrix {
    std::vector<float> values;
    long n = 0;
    float& operator()(long i, long j) { return values[size(i * n + j)]; }
};
#endif

void kernel(const place_memory& m, matrix& K) {
    const long n = m['i'], A = m['a'];
    const float* const x = m.in("x");
    for (long i = 0; i < n; ++i)
        for (long j = 0; j <= i; ++j) {
            float d = 0;
            for (long a = 0; a < A; ++a) {
                const float e = x[i * A + a] - x[j * A + a];
                d += e * e;
            }
            K(i, j) = std::exp(-0.5f * d) + (i == j ? m.in("s")[0] : 0);
        }
}

#ifdef RICCI_BENCH_EIGEN
Eigen::LLT<matrix> factors(const place_memory& m) {
    matrix K(m['i'], m['i']);
    kernel(m, K);
    return Eigen::LLT<matrix>(K);
}
float diagonal(const Eigen::LLT<matrix>& L, long i) { return L.matrixLLT()(i, i); }
#else
matrix factors(const place_memory& m) {
    const long n = m['i'];
    matrix K{std::vector<float>(size(n * n)), n};
    kernel(m, K);
    for (long i = 0; i < n; ++i)
        for (long j = 0; j <= i; ++j) {
            float sum = K(i, j);
            for (long k = 0; k < j; ++k) sum -= K(i, k) * K(j, k);
            K(i, j) = i == j ? std::sqrt(sum) : sum / K(j, j);
        }
    return K;
}
float diagonal(matrix& L, long i) { return L(i, i); }
#endif

}  // namespace

void kernel_solve(const place_memory& m) {
    const long n = m['i'];
    const float* const y = m.in("y");
    float* const u = m.out("u");
    auto L = factors(m);
#ifdef RICCI_BENCH_EIGEN
    Eigen::Map<Eigen::VectorXf>(u, n) = L.solve(Eigen::Map<const Eigen::VectorXf>(y, n));
#else
    for (long i = 0; i < n; ++i) {
        u[i] = y[i];
        for (long k = 0; k < i; ++k) u[i] -= L(i, k) * u[k];
        u[i] /= L(i, i);
    }
    for (long i = n - 1; i >= 0; --i) {
        for (long k = i + 1; k < n; ++k) u[i] -= L(k, i) * u[k];
        u[i] /= L(i, i);
    }
#endif
}
void kernel_logdet(const place_memory& m) {
    auto L = factors(m);
    double sum = 0;
    for (long i = 0; i < m['i']; ++i) sum += 2 * std::log(diagonal(L, i));
    m.out("L")[0] = static_cast<float>(sum);
}

}  // namespace ricci::bench::cliffs
