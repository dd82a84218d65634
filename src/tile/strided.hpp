// Copies between a strided block of memory and a tile of unit stride.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <complex>
#include <type_traits>

#include "src/kernels/prefetch.hpp"
#include "src/kernels/elementwise/convert.hpp"
#include "src/kernels/elementwise/elementwise.hpp"

namespace ricci::elementwise {

/// Rows of a length known to the compiler: a tile of short rows is mostly loop overhead otherwise.
template <int Q, class T>
void gather_short(T* to, const T* from, std::int64_t p, std::int64_t p_stride,
                  std::int64_t q_stride) {
    for (std::int64_t i = 0; i < p; ++i, to += Q, from += p_stride) {
#pragma GCC unroll 8
        for (std::int64_t j = 0; j < Q; ++j) to[j] = from[j * q_stride];
    }
}

/// From this distance on, lines were seen to arrive earlier when they are asked for; asking for
/// nearer ones cost more than it saved.
inline constexpr std::int64_t unforeseen_bytes = 12 << 10;

/// Asks for rows of so many elements, `stride` elements apart.
template <class T>
[[gnu::always_inline]] inline void ask_for_rows(const T* from, std::int64_t stride,
                                                std::int64_t rows, std::int64_t elements) {
    for (std::int64_t i = 0; i < rows; ++i, from += stride) kernels::ask_for(from, elements);
}

/// to[i * q + j] = from[i + j * q_stride] for i < p, j < q.
template <class T>
void gather_transposed(T* to, const T* from, std::int64_t p, std::int64_t q,
                       std::int64_t q_stride) {
    if constexpr (std::is_floating_point_v<T>) {
        kernels::elementwise<T>().transpose(from, q_stride, to, q, q, p);
    } else {
        // Whole cache lines are read, four at a time, and the tile is in cache.
        std::int64_t j = 0;
        for (; j + 4 <= q; j += 4) {
            const T* f = from + j * q_stride;
            T* t = to + j;
            for (std::int64_t i = 0; i < p; ++i, t += q, ++f) {
                t[0] = f[0];
                t[1] = f[q_stride];
                t[2] = f[2 * q_stride];
                t[3] = f[3 * q_stride];
            }
        }
        for (; j < q; ++j) {
            for (std::int64_t i = 0; i < p; ++i) to[i * q + j] = from[i + j * q_stride];
        }
    }
}

/// to[i * q + j] = from[i * p_stride + j * q_stride] for i < p, j < q.
template <class T>
void gather(T* to, const T* from, std::int64_t p, std::int64_t p_stride, std::int64_t q,
            std::int64_t q_stride) {
    switch (q) {
        case 1:
            return gather_short<1>(to, from, p, p_stride, q_stride);
        case 2:
            return gather_short<2>(to, from, p, p_stride, q_stride);
        case 3:
            return gather_short<3>(to, from, p, p_stride, q_stride);
        case 4:
            return gather_short<4>(to, from, p, p_stride, q_stride);
        case 5:
            return gather_short<5>(to, from, p, p_stride, q_stride);
        case 6:
            return gather_short<6>(to, from, p, p_stride, q_stride);
        case 7:
            return gather_short<7>(to, from, p, p_stride, q_stride);
        case 8:
            return gather_short<8>(to, from, p, p_stride, q_stride);
        default:
            break;
    }
    if constexpr (std::is_floating_point_v<T>)
        if (q_stride == 0)
            return kernels::elementwise<T>().spread(to, from, p_stride, static_cast<std::size_t>(p),
                                                    static_cast<std::size_t>(q));
    if (p_stride == 1 && q_stride != 1 && p > 1) {
        const std::int64_t step_bytes = q_stride * static_cast<std::int64_t>(sizeof(T));
        // What follows along q.
        if (p >= 8 && step_bytes >= unforeseen_bytes)
            ask_for_rows(from + q * q_stride, q_stride, q, p);
        return gather_transposed(to, from, p, q, q_stride);
    }
    for (std::int64_t i = 0; i < p; ++i, to += q, from += p_stride) {
        if (q_stride == 1 && q >= 16) {
            std::memmove(to, from, static_cast<std::size_t>(q) * sizeof(T));
        } else if (q_stride == 0) {
            std::fill_n(to, q, *from);
        } else {
            for (std::int64_t j = 0; j < q; ++j) to[j] = from[j * q_stride];
        }
    }
}

/// to[i * p_stride + j * q_stride] = from[i * from_stride + j].
template <class T>
void scatter(T* to, std::int64_t p_stride, std::int64_t q_stride, const T* from,
             std::int64_t from_stride, std::int64_t p, std::int64_t q) {
    for (std::int64_t i = 0; i < p; ++i, to += p_stride, from += from_stride) {
        if (q_stride == 1 && q >= 16) {
            // The same element may be read and written: then the two are the same address.
            std::memmove(to, from, static_cast<std::size_t>(q) * sizeof(T));
        } else {
            for (std::int64_t j = 0; j < q; ++j) to[j * q_stride] = from[j];
        }
    }
}

/// As gather, from a type that is converted.
template <class S>
void gather_converted(float* to, const S* from, std::int64_t p, std::int64_t p_stride,
                      std::int64_t q, std::int64_t q_stride) {
    const auto& kernels = kernels::conversions<S>();
    if (q_stride == 1 && (p_stride == q || p == 1)) {
        kernels.widen(to, from, static_cast<std::size_t>(p * q));
        return;
    }
    for (std::int64_t i = 0; i < p; ++i, to += q, from += p_stride) {
        if (q_stride == 1) {
            kernels.widen(to, from, static_cast<std::size_t>(q));
        } else {
            for (std::int64_t j = 0; j < q; ++j) to[j] = from[j * q_stride];
        }
    }
}

/// As scatter, to a type that is converted.
template <class S>
void scatter_converted(S* to, std::int64_t p_stride, std::int64_t q_stride, const float* from,
                       std::int64_t from_stride, std::int64_t p, std::int64_t q) {
    const auto& kernels = kernels::conversions<S>();
    if (q_stride == 1 && ((p_stride == q && from_stride == q) || p == 1)) {
        kernels.narrow(to, from, static_cast<std::size_t>(p * q));
        return;
    }
    for (std::int64_t i = 0; i < p; ++i, to += p_stride, from += from_stride) {
        if (q_stride == 1) {
            kernels.narrow(to, from, static_cast<std::size_t>(q));
        } else {
            for (std::int64_t j = 0; j < q; ++j) to[j * q_stride] = from[j];
        }
    }
}

/// to[i * q + j] = start + i * p_step + j * q_step, each rounded once. `exact` is the kernel for
/// numbers that need no rounding.
template <class T>
void count_up(void (*exact)(T*, T, T, std::size_t), T* to, std::int64_t start, std::int64_t p,
              std::int64_t p_step, std::int64_t q, std::int64_t q_step) {
    // Of a complex number, the digits of its real part.
    using real = decltype(std::real(T{}));
    using counted = std::conditional_t<std::is_integral_v<T>, T, real>;
    constexpr std::int64_t largest = std::int64_t{1} << (std::numeric_limits<counted>::digits - 1);
    const auto reach = [](std::int64_t n, std::int64_t step) {
        return n * (step < 0 ? -step : step);
    };
    const bool small =
        (start < 0 ? -start : start) + reach(p, p_step) + reach(q + 64, q_step) < largest;
    for (std::int64_t i = 0; i < p; ++i, to += q, start += p_step) {
        if (i > 0 && p_step == 0) {
            std::copy_n(to - q, q, to);
        } else if (q_step == 0) {
            std::fill_n(to, q, static_cast<T>(static_cast<counted>(start)));
        } else if (small && q >= 8) {
            exact(to, static_cast<T>(static_cast<counted>(start)),
                  static_cast<T>(static_cast<counted>(q_step)), static_cast<std::size_t>(q));
        } else {
            for (std::int64_t j = 0; j < q; ++j)
                to[j] = static_cast<T>(static_cast<counted>(start + j * q_step));
        }
    }
}

}  // namespace ricci::elementwise
