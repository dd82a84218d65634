// The loops of bench_pairs: rows in lanes, some vectors of them abreast, columns broadcast, nothing
// stored. Their functions are as exact as the library's, within a few units of the last place.
#include "bench/pairs_loops.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#define HWY_COMPILE_ONLY_STATIC
#include <hwy/highway.h>

#include "src/kernels/unroll.hpp"

namespace ricci::bench {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using tag = hn::ScalableTag<float>;
using vector = hn::Vec<tag>;
using numbers = std::vector<float>;

constexpr tag d;
constexpr float infinity = std::numeric_limits<float>::infinity();

vector set(float x) { return hn::Set(d, x); }

/// e^x, x <= 0.
HWY_INLINE vector exponential(vector x) {
    const vector magic = set(12582912.0f);
    const vector clamped = hn::Max(x, set(-87.3f));
    const vector shifted = hn::MulAdd(clamped, set(1.44269504f), magic);
    const vector n = hn::Sub(shifted, magic);
    const vector r =
        hn::NegMulAdd(n, set(1.42860677e-6f), hn::NegMulAdd(n, set(0.693145752f), clamped));
    vector p = set(0.0013926183588f);
    p = hn::MulAdd(p, r, set(0.0083631790527f));
    p = hn::MulAdd(p, r, set(0.0416665546172f));
    p = hn::MulAdd(p, r, set(0.1666657698699f));
    p = hn::MulAdd(p, r, set(0.5f));
    p = hn::MulAdd(p, r, set(1));
    p = hn::MulAdd(p, r, set(1));
    const hn::RebindToSigned<tag> whole;
    const auto power = hn::ShiftLeft<23>(hn::BitCast(whole, shifted));
    return hn::BitCast(d, hn::Add(hn::BitCast(whole, p), power));
}

/// x^(-3/2), x > 0.
HWY_INLINE vector inverse_cube(vector x) {
    vector y = hn::ApproximateReciprocalSqrt(x);
    if constexpr (HWY_TARGET > HWY_AVX3)  // estimates of fewer bits
        y = hn::Mul(y, hn::NegMulAdd(hn::Mul(hn::Mul(x, y), set(0.5f)), y, set(1.5f)));
    const vector square = hn::Mul(y, y);
    return hn::Mul(hn::Mul(y, square), hn::NegMulAdd(hn::Mul(x, square), set(1.5f), set(2.5f)));
}

/// Coordinates by themselves, and behind them the last point again.
struct coordinates {
    numbers of[3];
    coordinates(const float* points, std::size_t count, std::size_t multiple) {
        const std::size_t all = (count + multiple - 1) / multiple * multiple;
        for (std::size_t a = 0; a < 3; ++a) {
            of[a].resize(all);
            for (std::size_t k = 0; k < all; ++k) of[a][k] = points[3 * std::min(k, count - 1) + a];
        }
    }
};

/// W vectors of rows, their differences from a column, and the squares of these.
template <int W>
struct row_block {
    vector x[3][W];
    HWY_INLINE row_block(const coordinates& from, std::size_t row) {
        RICCI_UNROLL
        for (int a = 0; a < 3; ++a) RICCI_UNROLL
        for (int w = 0; w < W; ++w)
            x[a][w] =
                hn::LoadU(d, from.of[a].data() + row + static_cast<std::size_t>(w) * hn::Lanes(d));
    }
    HWY_INLINE vector square(int w, vector a, vector b, vector c) const {
        const vector p = hn::Sub(a, x[0][w]), q = hn::Sub(b, x[1][w]), r = hn::Sub(c, x[2][w]);
        return hn::MulAdd(r, r, hn::MulAdd(q, q, hn::Mul(p, p)));
    }
};

template <int W>
void store(const vector (&from)[W], float* to, std::size_t row, std::size_t rows) {
    alignas(64) float some[HWY_MAX_BYTES / sizeof(float) * W];
    const std::size_t lanes = hn::Lanes(d);
    for (int w = 0; w < W; ++w) hn::StoreU(from[w], d, some + static_cast<std::size_t>(w) * lanes);
    std::copy_n(some, std::min(W * lanes, rows - row), to + row);
}

template <int W>
HWY_INLINE void fill(vector (&all)[W], float x) {
    RICCI_UNROLL
    for (int w = 0; w < W; ++w) all[w] = set(x);
}

template <int W>
void n_body(const pairs_memory& m) {
    const std::size_t step = W * hn::Lanes(d);
    const coordinates points(m.x, m.rows, step);
    numbers results[3];
    for (auto& r : results) r.resize(m.rows);
    for (std::size_t i = 0; i < m.rows; i += step) {
        const row_block<W> rows(points, i);
        vector force[3][W];
        for (auto& f : force) fill(f, 0);
        for (std::size_t j = 0; j < m.rows; ++j) {
            const vector c[3] = {set(points.of[0][j]), set(points.of[1][j]), set(points.of[2][j])};
            const vector mass = set(m.v[j]), soft = set(0.01f);
            RICCI_UNROLL
            for (int w = 0; w < W; ++w) {
                const vector x = hn::Sub(c[0], rows.x[0][w]), y = hn::Sub(c[1], rows.x[1][w]),
                             z = hn::Sub(c[2], rows.x[2][w]);
                const vector r = hn::MulAdd(z, z, hn::MulAdd(y, y, hn::MulAdd(x, x, soft)));
                const vector q = hn::Mul(mass, inverse_cube(r));
                force[0][w] = hn::MulAdd(q, x, force[0][w]);
                force[1][w] = hn::MulAdd(q, y, force[1][w]);
                force[2][w] = hn::MulAdd(q, z, force[2][w]);
            }
        }
        for (int a = 0; a < 3; ++a) store(force[a], results[a].data(), i, m.rows);
    }
    for (std::size_t i = 0; i < m.rows; ++i)
        for (std::size_t a = 0; a < 3; ++a) m.out[3 * i + a] = results[a][i];
}

template <int W>
void kernel(const pairs_memory& m) {
    const std::size_t step = W * hn::Lanes(d);
    const coordinates x(m.x, m.rows, step), z(m.z, m.columns, 1);
    for (std::size_t i = 0; i < m.rows; i += step) {
        const row_block<W> rows(x, i);
        vector sum[W];
        fill(sum, 0);
        for (std::size_t j = 0; j < m.columns; ++j) {
            const vector a = set(z.of[0][j]), b = set(z.of[1][j]), c = set(z.of[2][j]);
            const vector weight = set(m.v[j]);
            RICCI_UNROLL
            for (int w = 0; w < W; ++w)
                sum[w] = hn::MulAdd(exponential(hn::Mul(rows.square(w, a, b, c), set(-0.5f))),
                                    weight, sum[w]);
        }
        store(sum, m.out, i, m.rows);
    }
}

template <int W>
void nearest(const pairs_memory& m) {
    const std::size_t step = W * hn::Lanes(d);
    const coordinates x(m.x, m.rows, step), z(m.z, m.columns, 1);
    for (std::size_t i = 0; i < m.rows; i += step) {
        const row_block<W> rows(x, i);
        vector least[W];
        fill(least, infinity);
        for (std::size_t j = 0; j < m.columns; ++j) {
            const vector a = set(z.of[0][j]), b = set(z.of[1][j]), c = set(z.of[2][j]);
            RICCI_UNROLL
            for (int w = 0; w < W; ++w) least[w] = hn::Min(rows.square(w, a, b, c), least[w]);
        }
        store(least, m.out, i, m.rows);
    }
}

template <int W>
void nearest_place(const pairs_memory& m) {
    const std::size_t step = W * hn::Lanes(d);
    const coordinates x(m.x, m.rows, step), z(m.z, m.columns, 1);
    numbers places(m.rows);
    for (std::size_t i = 0; i < m.rows; i += step) {
        const row_block<W> rows(x, i);
        vector least[W], at[W];
        fill(least, infinity);
        fill(at, 0);
        vector place = set(0);
        for (std::size_t j = 0; j < m.columns; ++j) {
            const vector a = set(z.of[0][j]), b = set(z.of[1][j]), c = set(z.of[2][j]);
            RICCI_UNROLL
            for (int w = 0; w < W; ++w) {
                const vector square = rows.square(w, a, b, c);
                at[w] = hn::IfThenElse(hn::Lt(square, least[w]), place, at[w]);
                least[w] = hn::Min(square, least[w]);
            }
            place = hn::Add(place, set(1));
        }
        store(at, places.data(), i, m.rows);
    }
    for (std::size_t i = 0; i < m.rows; ++i) m.places[i] = static_cast<std::int32_t>(places[i]);
}

/// f_i = -epsilon logsumexp_j((g_j - |x_i - z_j|^2 / 2) / epsilon - log n): the maximum of eight
/// columns at a time, and what was summed before scaled where it rises.
template <int W>
void half_step(const float* x, std::size_t n_rows, const float* z, const float* g,
               std::size_t n_columns, float epsilon, float* out) {
    constexpr int together = 8;
    const std::size_t step = W * hn::Lanes(d);
    const coordinates from(x, n_rows, step), to(z, n_columns, together);
    numbers potential(to.of[0].size(), -infinity);
    std::copy_n(g, n_columns, potential.begin());
    const vector rate = set(1 / epsilon), half = set(-0.5f);
    const float count = std::log(static_cast<float>(n_columns));
    numbers largest(n_rows), sums(n_rows);
    for (std::size_t i = 0; i < n_rows; i += step) {
        const row_block<W> rows(from, i);
        vector most[W], sum[W];
        fill(most, -infinity);
        fill(sum, 0);
        for (std::size_t j = 0; j < potential.size(); j += together) {
            RICCI_UNROLL
            for (int w = 0; w < W; ++w) {
                vector t[together];
                RICCI_UNROLL
                for (int u = 0; u < together; ++u) {
                    const std::size_t k = j + static_cast<std::size_t>(u);
                    const vector square =
                        rows.square(w, set(to.of[0][k]), set(to.of[1][k]), set(to.of[2][k]));
                    t[u] = hn::Mul(hn::MulAdd(square, half, set(potential[k])), rate);
                }
                const vector now =
                    hn::Max(hn::Max(most[w], hn::Max(hn::Max(t[0], t[1]), hn::Max(t[2], t[3]))),
                            hn::Max(hn::Max(t[4], t[5]), hn::Max(t[6], t[7])));
                if (!hn::AllTrue(d, hn::Eq(now, most[w])))
                    sum[w] = hn::Mul(sum[w], exponential(hn::Sub(most[w], now)));
                most[w] = now;
                vector even = exponential(hn::Sub(t[0], now)),
                       odd = exponential(hn::Sub(t[1], now));
                RICCI_UNROLL
                for (int u = 2; u < together; u += 2) {
                    even = hn::Add(even, exponential(hn::Sub(t[u], now)));
                    odd = hn::Add(odd, exponential(hn::Sub(t[u + 1], now)));
                }
                sum[w] = hn::Add(sum[w], hn::Add(even, odd));
            }
        }
        store(most, largest.data(), i, n_rows);
        store(sum, sums.data(), i, n_rows);
    }
    for (std::size_t i = 0; i < n_rows; ++i)
        out[i] = -epsilon * (largest[i] + std::log(sums[i]) - count);
}

template <int W>
void sinkhorn(const pairs_memory& m) {
    half_step<W>(m.x, m.rows, m.z, m.v, m.columns, m.epsilon, m.out);
    half_step<W>(m.z, m.columns, m.x, m.out, m.rows, m.epsilon, m.out_columns);
}

double square_of(const float* x, const float* z) {
    double sum = 0;
    for (int a = 0; a < 3; ++a) {
        const double difference = static_cast<double>(z[a]) - static_cast<double>(x[a]);
        sum += difference * difference;
    }
    return sum;
}

void n_body_row(const pairs_memory& m, std::size_t row, double* to) {
    std::fill_n(to, 3, 0.0);
    const float* const x = m.x + 3 * row;
    for (std::size_t j = 0; j < m.rows; ++j) {
        const float* const z = m.x + 3 * j;
        const double q = static_cast<double>(m.v[j]) * std::pow(square_of(x, z) + 0.01, -1.5);
        for (int a = 0; a < 3; ++a)
            to[a] += q * (static_cast<double>(z[a]) - static_cast<double>(x[a]));
    }
}

void kernel_row(const pairs_memory& m, std::size_t row, double* to) {
    *to = 0;
    for (std::size_t j = 0; j < m.columns; ++j)
        *to += std::exp(-0.5 * square_of(m.x + 3 * row, m.z + 3 * j)) * static_cast<double>(m.v[j]);
}

void nearest_row(const pairs_memory& m, std::size_t row, double* to) {
    *to = std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < m.columns; ++j)
        *to = std::min(*to, square_of(m.x + 3 * row, m.z + 3 * j));
}

void nearest_place_row(const pairs_memory& m, std::size_t row, double* to) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < m.columns; ++j)
        if (const double square = square_of(m.x + 3 * row, m.z + 3 * j); square < least)
            least = square, *to = static_cast<double>(j);
}

void sinkhorn_row(const pairs_memory& m, std::size_t row, double* to) {
    const double epsilon = static_cast<double>(m.epsilon);
    std::vector<double> all(m.columns);
    for (std::size_t j = 0; j < m.columns; ++j)
        all[j] =
            (static_cast<double>(m.v[j]) - 0.5 * square_of(m.x + 3 * row, m.z + 3 * j)) / epsilon;
    const double most = *std::max_element(all.begin(), all.end());
    double sum = 0;
    for (const double t : all) sum += std::exp(t - most);
    *to = -epsilon * (most + std::log(sum) - std::log(static_cast<double>(m.columns)));
}

}  // namespace

#ifndef RICCI_LOOP_VECTORS
#define RICCI_LOOP_VECTORS 4
#endif
const pairs_loop n_body_loop{n_body<RICCI_LOOP_VECTORS>, "F", 3, n_body_row};
const pairs_loop kernel_loop{kernel<RICCI_LOOP_VECTORS>, "f", 1, kernel_row};
const pairs_loop nearest_loop{nearest<RICCI_LOOP_VECTORS>, "m", 1, nearest_row};
const pairs_loop nearest_place_loop{nearest_place<RICCI_LOOP_VECTORS>, "y", 1, nearest_place_row};
const pairs_loop sinkhorn_loop{sinkhorn<1>, "f", 1, sinkhorn_row};

}  // namespace ricci::bench
