#include "bench/places_loops.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace ricci::bench {
namespace {

template <class Row>
void heat(const place_memory& m, const Row& near) {
    const long rows = m['i'], columns = m['j'];
    const float* const v = m.in("v");
    for (long i = 0; i < rows; ++i) {
        const float* const here = v + i * columns;
        const float* const above = v + near(i - 1, rows) * columns;
        const float* const below = v + near(i + 1, rows) * columns;
        float* const u = m.out("u") + i * columns;
        const auto at = [&](long j, long left, long right) {
            u[j] = here[j] + 0.1f * (above[j] + below[j] + here[left] + here[right] - 4 * here[j]);
        };
        at(0, near(-1, columns), near(1, columns));
        for (long j = 1; j < columns - 1; ++j) at(j, j - 1, j + 1);
        if (columns > 1) at(columns - 1, columns - 2, near(columns, columns));
    }
}

void zero(float* x, long count) { std::memset(x, 0, static_cast<std::size_t>(count) * sizeof *x); }

/// Calls f(row of X, row of Y, first and last place of Y's row, how far X's is moved, place in W)
/// for what a padded convolution of 3 x 3 multiplies.
template <class F>
void each_row(const place_memory& m, const F& f) {
    const long H = m['h'], W = m['w'], K = m['k'], L = m['l'], C = m['c'], O = m['o'];
    for (long n = 0; n < m['n']; ++n)
        for (long o = 0; o < O; ++o)
            for (long c = 0; c < C; ++c)
                for (long k = 0; k < K; ++k)
                    for (long l = 0; l < L; ++l)
                        for (long h = std::max(0L, 1 - k); h < std::min(H, H + 1 - k); ++h)
                            f(((n * C + c) * H + h + k - 1) * W, ((n * O + o) * H + h) * W,
                              std::max(0L, 1 - l), std::min(W, W + 1 - l), l - 1,
                              ((o * C + c) * K + k) * L + l);
}

}  // namespace

void heat_wrap(const place_memory& m) {
    heat(m, [](long i, long n) { return i < 0 ? i + n : i >= n ? i - n : i; });
}
void heat_clamp(const place_memory& m) {
    heat(m, [](long i, long n) { return std::clamp(i, 0L, n - 1); });
}

void embedding_bag(const place_memory& m) {
    float* const Y = m.out("Y");
    const float* const w = m.in("w");
    const float* const E = m.in("E");
    const std::int32_t* const place_n = m.places("n");
    const long K = m['k'], A = m['a'];
    for (long b = 0; b < m['b']; ++b) {
        float* const y = Y + b * A;
        zero(y, A);
        for (long k = 0; k < K; ++k) {
            const float weight = w[b * K + k];
            const float* const row = E + place_n[b * K + k] * A;
            for (long a = 0; a < A; ++a) y[a] += weight * row[a];
        }
    }
}
void looked_up_rows(const place_memory& m) {
    float* const Y = m.out("Y");
    const float* const E = m.in("E");
    const float* const W = m.in("W");
    const long A = m['a'], C = m['c'];
    zero(Y, m['b'] * C);
    for (long b = 0; b < m['b']; ++b)
        for (long a = 0; a < A; ++a) {
            const float x = E[m.places("n")[b] * A + a];
            for (long c = 0; c < C; ++c) Y[b * C + c] += x * W[a * C + c];
        }
}
void summed_rows(const place_memory& m) {
    float* const Y = m.out("Y");
    const float* const E = m.in("E");
    const float* const W = m.in("W");
    const long A = m['a'], C = m['c'];
    zero(Y, A * C);
    for (long b = 0; b < m['b']; ++b)
        for (long a = 0; a < A; ++a) {
            const float x = E[m.places("n")[b] * A + a];
            for (long c = 0; c < C; ++c) Y[a * C + c] += x * W[b * C + c];
        }
}
void rows_of_heads(const place_memory& m) {
    float* const Y = m.out("Y");
    const float* const E = m.in("E");
    const float* const W = m.in("W");
    const long A = m['a'], B = m['b'], C = m['c'];
    zero(Y, m['h'] * B * C);
    for (long h = 0; h < m['h']; ++h)
        for (long b = 0; b < B; ++b)
            for (long a = 0; a < A; ++a) {
                const float x = E[m.places("n")[h * B + b] * A + a];
                for (long c = 0; c < C; ++c) Y[(h * B + b) * C + c] += x * W[(h * A + a) * C + c];
            }
}
void bags_of_rows(const place_memory& m) {
    float* const Y = m.out("Y");
    const float* const E = m.in("E");
    const float* const W = m.in("W");
    const long A = m['a'], B = m['b'], C = m['c'], K = m['k'];
    zero(Y, B * C);
    for (long b = 0; b < B; ++b)
        for (long k = 0; k < K; ++k)
            for (long a = 0; a < A; ++a) {
                const float x = E[m.places("n")[b * K + k] * A + a];
                for (long c = 0; c < C; ++c) Y[b * C + c] += x * W[(k * A + a) * C + c];
            }
}
void bags_of_rows_gradient(const place_memory& m) {
    float* const dW = m.out("dL/dW");
    const float* const E = m.in("E");
    const float* const dY = m.in("dL/dY");
    const long A = m['a'], B = m['b'], C = m['c'], K = m['k'];
    zero(dW, K * A * C);
    for (long b = 0; b < B; ++b)
        for (long k = 0; k < K; ++k)
            for (long a = 0; a < A; ++a) {
                const float x = E[m.places("n")[b * K + k] * A + a];
                for (long c = 0; c < C; ++c) dW[(k * A + a) * C + c] += x * dY[b * C + c];
            }
}
void embedding_bag_gradients(const place_memory& m) {
    float* const dE = m.out("dL/dE");
    const float* const dY = m.in("dL/dY");
    const std::int32_t* const place_n = m.places("n");
    const float* const w = m.in("w");
    const float* const E = m.in("E");
    float* const dw = m.out("dL/dw");
    const long K = m['k'], A = m['a'];
    zero(dE, m['v'] * A);
    for (long b = 0; b < m['b']; ++b) {
        const float* const slope = dY + b * A;
        for (long k = 0; k < K; ++k) {
            const long at = place_n[b * K + k] * A;
            const float weight = w[b * K + k];
            const float* const row = E + at;
            float* const d = dE + at;
            float sums[16] = {};
            for (long a = 0; a < A; ++a) {
                sums[a % 16] += slope[a] * row[a];
                d[a] += weight * slope[a];
            }
            float sum = 0;
            for (const float s : sums) sum += s;
            dw[b * K + k] = sum;
        }
    }
}

void convolution(const place_memory& m) {
    const float* const X = m.in("X");
    const float* const W = m.in("W");
    float* const Y = m.out("Y");
    zero(Y, m['n'] * m['o'] * m['h'] * m['w']);
    each_row(m, [&](long x, long y, long first, long last, long by, long at) {
        for (long w = first; w < last; ++w) Y[y + w] += X[x + w + by] * W[at];
    });
}
void convolution_gradients(const place_memory& m) {
    const float* const X = m.in("X");
    const float* const W = m.in("W");
    const float* const dY = m.in("dL/dY");
    float* const dX = m.out("dL/dX");
    float* const dW = m.out("dL/dW");
    zero(dX, m['n'] * m['c'] * m['h'] * m['w']);
    zero(dW, m['o'] * m['c'] * m['k'] * m['l']);
    each_row(m, [&](long x, long y, long first, long last, long by, long at) {
        float sum = 0;
        for (long w = first; w < last; ++w) {
            dX[x + w + by] += dY[y + w] * W[at];
            sum += dY[y + w] * X[x + w + by];
        }
        dW[at] += sum;
    });
}

void strided(const place_memory& m) {
    float* const Y = m.out("Y");
    const float* const W = m.in("W");
    const float* const X = m.in("X");
    const long K = m['k'], C = m['c'], O = m['o'], Q = m['q'], P = m['P'];
    zero(Y, m['n'] * O * Q);
    for (long n = 0; n < m['n']; ++n)
        for (long o = 0; o < O; ++o)
            for (long c = 0; c < C; ++c)
                for (long k = 0; k < K; ++k) {
                    const float w = W[(o * C + c) * K + k];
                    const float* const x = X + (n * C + c) * P + k;
                    float* const y = Y + (n * O + o) * Q;
                    for (long q = 0; q < Q; ++q) y[q] += w * x[2 * q];
                }
}
void strided_gradients(const place_memory& m) {
    float* const dX = m.out("dL/dX");
    float* const dW = m.out("dL/dW");
    const float* const dY = m.in("dL/dY");
    const float* const W = m.in("W");
    const float* const X = m.in("X");
    const long K = m['k'], C = m['c'], O = m['o'], Q = m['q'], P = m['P'];
    zero(dX, m['n'] * C * P);
    zero(dW, O * C * K);
    for (long n = 0; n < m['n']; ++n)
        for (long o = 0; o < O; ++o)
            for (long c = 0; c < C; ++c)
                for (long k = 0; k < K; ++k) {
                    const long at = (o * C + c) * K + k, from = (n * C + c) * P + k;
                    const float* const d = dY + (n * O + o) * Q;
                    float sum = 0;
                    for (long q = 0; q < Q; ++q) {
                        dX[from + 2 * q] += W[at] * d[q];
                        sum += d[q] * X[from + 2 * q];
                    }
                    dW[at] += sum;
                }
}

void depthwise(const place_memory& m) {
    float* const Y = m.out("Y");
    const float* const W = m.in("W");
    const float* const X = m.in("X");
    const long rows = m['h'], columns = m['w'], K = m['k'], L = m['l'];
    zero(Y, m['n'] * m['c'] * rows * columns);
    for (long n = 0; n < m['n']; ++n)
        for (long c = 0; c < m['c']; ++c)
            for (long h = 0; h < rows; ++h)
                for (long k = std::max(0L, 1 - h); k < std::min(K, rows + 1 - h); ++k)
                    for (long l = 0; l < L; ++l) {
                        const float weight = W[(c * K + k) * L + l];
                        const long plane = (n * m['c'] + c) * rows;
                        const float* const x = X + (plane + h + k - 1) * columns + l - 1;
                        float* const y = Y + (plane + h) * columns;
                        for (long w = std::max(0L, 1 - l); w < std::min(columns, columns + 1 - l);
                             ++w)
                            y[w] += weight * x[w];
                    }
}

void prefix_sums(const place_memory& m) {
    const float* const x_in = m.in("x");
    float* const c = m.out("c");
    for (long b = 0; b < m['b']; ++b) {
        double sum = 0;
        for (long i = 0; i < m['i']; ++i) {
            sum += x_in[b * m['i'] + i];
            c[b * m['i'] + i] = static_cast<float>(sum);
        }
    }
}
void prefix_sums_gradient(const place_memory& m) {
    const float* const dc = m.in("dL/dc");
    float* const dx_ = m.out("dL/dx");
    for (long b = 0; b < m['b']; ++b) {
        double sum = 0;
        for (long i = m['i'] - 1; i >= 0; --i) {
            sum += dc[b * m['i'] + i];
            dx_[b * m['i'] + i] = static_cast<float>(sum);
        }
    }
}
void prefix_maxima(const place_memory& m) {
    float* const most_so_far = m.out("m");
    const float* const x_in = m.in("x");
    for (long b = 0; b < m['b']; ++b) {
        float most = -INFINITY;
        for (long i = 0; i < m['i']; ++i)
            most_so_far[b * m['i'] + i] = most = std::max(most, x_in[b * m['i'] + i]);
    }
}
void prefix_logsumexp(const place_memory& m) {
    const float* const x_in = m.in("x");
    float* const most_so_far = m.out("m");
    for (long b = 0; b < m['b']; ++b) {
        double most = -INFINITY, sum = 0;
        for (long i = 0; i < m['i']; ++i) {
            const double x = static_cast<double>(x_in[b * m['i'] + i]);
            if (x > most) {
                sum = sum * std::exp(most - x) + 1;
                most = x;
            } else {
                sum += std::exp(x - most);
            }
            most_so_far[b * m['i'] + i] = static_cast<float>(most + std::log(sum));
        }
    }
}
// From the last place on: what is there, and what comes behind it times how the weights there are
// to those here.
void prefix_logsumexp_gradient(const place_memory& m) {
    const float *const x_in = m.in("x"), *const dm = m.in("dL/dm");
    float* const dx_ = m.out("dL/dx");
    const long n = m['i'];
    std::vector<double> most(static_cast<std::size_t>(n)), sum(most);
    for (long b = 0; b < m['b']; ++b) {
        for (long i = 0; i < n; ++i) {
            const auto k = static_cast<std::size_t>(i);
            const double x = static_cast<double>(x_in[b * n + i]);
            most[k] = i == 0 ? x : std::max(most[k - 1], x);
            sum[k] = std::exp(x - most[k]);
            if (i > 0) sum[k] += std::exp(most[k - 1] - most[k]) * sum[k - 1];
        }
        double behind = 0;
        for (long i = n - 1; i >= 0; --i) {
            const auto k = static_cast<std::size_t>(i);
            const double to_here = i + 1 < n ? std::exp(most[k] - most[k + 1]) : 0;
            behind = static_cast<double>(dm[b * n + i]) / sum[k] + to_here * behind;
            const double x = static_cast<double>(x_in[b * n + i]);
            dx_[b * n + i] = static_cast<float>(std::exp(x - most[k]) * behind);
        }
    }
}
void prefix_maxima_gradient(const place_memory& m) {
    const float *const x_in = m.in("x"), *const dm = m.in("dL/dm");
    float* const dx_ = m.out("dL/dx");
    const long n = m['i'];
    std::vector<float> most(static_cast<std::size_t>(n));
    std::vector<double> count(most.size());
    for (long b = 0; b < m['b']; ++b) {
        for (long i = 0; i < n; ++i) {
            const auto k = static_cast<std::size_t>(i);
            const float x = x_in[b * n + i];
            const bool rises = i == 0 || x > most[k - 1];
            most[k] = rises ? x : most[k - 1];
            count[k] = rises ? 1 : count[k - 1] + (x == most[k] ? 1 : 0);
        }
        double behind = 0;
        for (long i = n - 1; i >= 0; --i) {
            const auto k = static_cast<std::size_t>(i);
            if (i + 1 < n && most[k] != most[k + 1]) behind = 0;
            behind += static_cast<double>(dm[b * n + i]) / count[k];
            dx_[b * n + i] = x_in[b * n + i] == most[k] ? static_cast<float>(behind) : 0;
        }
    }
}
// Of products of 1 + x / 10.
void prefix_products_gradient(const place_memory& m) {
    const float *const x_in = m.in("x"), *const dm = m.in("dL/dm");
    float* const dx_ = m.out("dL/dx");
    const long n = m['i'];
    const auto factor = [](float x) { return 1 + 0.1 * static_cast<double>(x); };
    std::vector<double> before(static_cast<std::size_t>(n));
    for (long b = 0; b < m['b']; ++b) {
        double product = 1;
        for (long i = 0; i < n; ++i) {
            before[static_cast<std::size_t>(i)] = product;
            product *= factor(x_in[b * n + i]);
        }
        double behind = 0;
        for (long i = n - 1; i >= 0; --i) {
            behind = static_cast<double>(dm[b * n + i]) +
                     (i + 1 < n ? factor(x_in[b * n + i + 1]) * behind : 0);
            dx_[b * n + i] = static_cast<float>(0.1 * before[static_cast<std::size_t>(i)] * behind);
        }
    }
}

namespace {

// The sum over j <= i + ahead.
void attention_up_to(const place_memory& m, long ahead) {
    float* const O = m.out("O");
    const float* const K = m.in("K");
    const float* const Q = m.in("Q");
    const float* const V = m.in("V");
    const long N = m['i'], M = m['j'], A = m['a'], C = m['c'];
    std::vector<float> state(static_cast<std::size_t>(A * C));
    for (long h = 0; h < m['h']; ++h) {
        std::fill(state.begin(), state.end(), 0.0f);
        long j = 0;
        for (long i = 0; i < N; ++i) {
            for (; j < M && j <= i + ahead; ++j)
                for (long a = 0; a < A; ++a)
                    for (long c = 0; c < C; ++c)
                        state[static_cast<std::size_t>(a * C + c)] +=
                            K[(h * M + j) * A + a] * V[(h * M + j) * C + c];
            float* const o = O + (h * N + i) * C;
            zero(o, C);
            for (long a = 0; a < A; ++a) {
                const float q = Q[(h * N + i) * A + a];
                for (long c = 0; c < C; ++c) o[c] += q * state[static_cast<std::size_t>(a * C + c)];
            }
        }
    }
}

void gradients_up_to(const place_memory& m, long ahead) {
    float* const dQ = m.out("dL/dQ");
    float* const dK = m.out("dL/dK");
    float* const dV = m.out("dL/dV");
    const float* const dO = m.in("dL/dO");
    const float* const K = m.in("K");
    const float* const Q = m.in("Q");
    const float* const V = m.in("V");
    const long N = m['i'], M = m['j'], A = m['a'], C = m['c'];
    std::vector<float> state(static_cast<std::size_t>(A * C));
    for (long h = 0; h < m['h']; ++h) {
        std::fill(state.begin(), state.end(), 0.0f);
        for (long i = 0, j = 0; i < N; ++i) {
            for (; j < M && j <= i + ahead; ++j)
                for (long a = 0; a < A; ++a)
                    for (long c = 0; c < C; ++c)
                        state[static_cast<std::size_t>(a * C + c)] +=
                            K[(h * M + j) * A + a] * V[(h * M + j) * C + c];
            for (long a = 0; a < A; ++a) {
                float sum = 0;
                for (long c = 0; c < C; ++c)
                    sum += state[static_cast<std::size_t>(a * C + c)] * dO[(h * N + i) * C + c];
                dQ[(h * N + i) * A + a] = sum;
            }
        }
        std::fill(state.begin(), state.end(), 0.0f);
        for (long j = M, i = N; j-- > 0;) {
            for (; i > 0 && j <= i - 1 + ahead; --i)
                for (long a = 0; a < A; ++a)
                    for (long c = 0; c < C; ++c)
                        state[static_cast<std::size_t>(a * C + c)] +=
                            Q[(h * N + i - 1) * A + a] * dO[(h * N + i - 1) * C + c];
            const long at = h * M + j;
            zero(dV + at * C, C);
            for (long a = 0; a < A; ++a) {
                float sum = 0;
                for (long c = 0; c < C; ++c) {
                    const float s = state[static_cast<std::size_t>(a * C + c)];
                    sum += s * V[at * C + c];
                    dV[at * C + c] += s * K[at * A + a];
                }
                dK[at * A + a] = sum;
            }
        }
    }
}

}  // namespace

void linear_attention(const place_memory& m) { attention_up_to(m, 0); }
void linear_attention_gradients(const place_memory& m) { gradients_up_to(m, 0); }
void shifted_attention(const place_memory& m) { attention_up_to(m, 2); }
void shifted_attention_gradients(const place_memory& m) { gradients_up_to(m, 2); }

void variation_gradient(const place_memory& m) {
    const float* const x = m.in("x");
    float* const d = m.out("dL/dx");
    const long n = m['i'];
    zero(d, n);
    for (long i = 0; i + 1 < n; ++i) {
        const float step = x[i + 1] - x[i], slope = step / std::sqrt(step * step + 0.01f);
        d[i + 1] += slope;
        d[i] -= slope;
    }
}

void copy_clamp(const place_memory& m) {
    float* const u = m.out("u");
    const float* const v = m.in("v");
    u[0] = v[0];
    for (long i = 1; i < m['i']; ++i) u[i] = v[i - 1];
}
void copy_clamp_gradient(const place_memory& m) {
    float* const dv = m.out("dL/dv");
    const float* const du = m.in("dL/du");
    const long n = m['i'];
    for (long i = 0; i + 1 < n; ++i) dv[i] = du[i + 1];
    dv[n - 1] = 0;
    dv[0] += du[0];
}
void copy_wrap(const place_memory& m) {
    float* const u = m.out("u");
    const float* const v = m.in("v");
    u[0] = v[m['i'] - 1];
    for (long i = 1; i < m['i']; ++i) u[i] = v[i - 1];
}
void copy_wrap_gradient(const place_memory& m) {
    float* const dv = m.out("dL/dv");
    const float* const du = m.in("dL/du");
    const long n = m['i'];
    for (long i = 0; i + 1 < n; ++i) dv[i] = du[i + 1];
    dv[n - 1] = du[0];
}

void gather_rows(const float* X, const std::int32_t* x, float* Y, long rows, long width) {
    for (long i = 0; i < rows; ++i)
        std::memcpy(Y + i * width, X + x[i] * width, static_cast<std::size_t>(width) * sizeof *Y);
}
void scatter(const place_memory& m) {
    float* const Y = m.out("Y");
    const std::int32_t* const place_x = m.places("x");
    const float* const X = m.in("X");
    const long A = m['a'];
    zero(Y, m['v'] * A);
    for (long i = 0; i < m['i']; ++i)
        for (long a = 0; a < A; ++a) Y[place_x[i] * A + a] += X[i * A + a];
}
void scatter_gradient(const place_memory& m) {
    const float* const dY = m.in("dL/dY");
    const std::int32_t* const place_x = m.places("x");
    float* const dX = m.out("dL/dX");
    gather_rows(dY, place_x, dX, m['i'], m['a']);
}

void graph_layer(const place_memory& m) {
    float* const H = m.out("H");
    const float* const X = m.in("X");
    const std::int32_t* const place_s = m.places("s");
    const std::int32_t* const place_t = m.places("t");
    const float* const w = m.in("w");
    const long A = m['a'];
    zero(H, m['v'] * A);
    for (long e = 0; e < m['f']; ++e) {
        const float* const x = X + place_s[e] * A;
        float* const y = H + place_t[e] * A;
        const float weight = w[e];
        for (long a = 0; a < A; ++a) y[a] += weight * x[a];
    }
}
void graph_layer_gradients(const place_memory& m) {
    float* const dX = m.out("dL/dX");
    const float* const dH = m.in("dL/dH");
    const std::int32_t* const place_t = m.places("t");
    const float* const X = m.in("X");
    const std::int32_t* const place_s = m.places("s");
    const float* const w = m.in("w");
    float* const dw = m.out("dL/dw");
    const long A = m['a'];
    zero(dX, m['v'] * A);
    for (long e = 0; e < m['f']; ++e) {
        const float* const d = dH + place_t[e] * A;
        const float* const x = X + place_s[e] * A;
        float* const dx = dX + place_s[e] * A;
        const float weight = w[e];
        float sums[16] = {};
        for (long a = 0; a < A; ++a) {
            dx[a] += weight * d[a];
            sums[a % 16] += d[a] * x[a];
        }
        float sum = 0;
        for (const float s : sums) sum += s;
        dw[e] = sum;
    }
}

void guarded(const place_memory& m) {
    float* const y = m.out("y");
    const float* const x_in = m.in("x");
    const long I = m['i'], J = m['j'];
    for (long i = 0; i < I; ++i)
        for (long j = 0; j < J; ++j)
            y[i * J + j] = i >= 3 && j >= 3 ? x_in[(i - 3) * J + j - 3] : 0;
}

}  // namespace ricci::bench
