#include "src/network/scaled/block_kernels.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "src/kernels/range/range.hpp"
#include "src/network/scaled/powers_of_two.hpp"

namespace ricci::networks {
namespace {

// Calls go(T()) with the type of the real numbers.
template <class Go>
void with_reals(element type, const Go& go) {
    if (type == element::f32 || type == element::c64) go(float{});
    else go(double{});
}

// The same whatever thread comes first.
void raise_to(double& largest, double to) {
    const std::atomic_ref<double> shared(largest);
    double now = shared.load(std::memory_order_relaxed);
    while (now < to && !shared.compare_exchange_weak(now, to, std::memory_order_relaxed)) {
    }
}

template <class T>
T largest_of(const T* x, std::int64_t count, std::int64_t step) {
    if (step == 1) return kernels::range_kernels<T>().largest(count, x);
    T most = 0;
    for (std::int64_t k = 0; k < count; ++k) {
        const T magnitude = std::abs(x[k * step]);
        if (magnitude <= std::numeric_limits<T>::max() && magnitude > most) most = magnitude;
    }
    return most;
}

// A line through a kernel where numbers lie next to each other, and one at a time elsewhere.
template <class T, class Kernel>
void along(const walk_line& line, Kernel kernel, const T* from, std::int64_t from_step, T* to,
           T first, T second) {
    if (line.first_step == 1 && from_step == 1) return kernel(line.count, from, first, second, to);
    for (std::int64_t k = 0; k < line.count; ++k)
        kernel(1, from + k * from_step, first, second, to + k * line.first_step);
}

}  // namespace

void measure_blocks(const block_walk& walk, element type, const void* tensor, double* largest) {
    for (std::int64_t b = 0; b < walk.blocks(); ++b) largest[b] = 0;
    with_reals(type, [&]<class T>(T) {
        const T* const x = static_cast<const T*>(tensor);
        if (const std::int64_t count = walk.short_line(); count > 0) {
            largest[0] = static_cast<double>(kernels::range_kernels<T>().largest(count, x));
            return;
        }
        const auto measure = [x](const walk_line& line) {
            return static_cast<double>(largest_of(x + line.first, line.count, line.first_step));
        };
        auto alone = [&](const walk_line& line) {
            largest[line.block] = std::max(largest[line.block], measure(line));
        };
        auto together = [&](const walk_line& line) {
            raise_to(largest[line.block], measure(line));
        };
        if (walk.is_shared()) walk.run_shared(together);
        else walk.run(alone);
    });
}

void multiply_blocks(const block_walk& walk, element type, void* tensor,
                     const std::int64_t* powers) {
    with_reals(type, [&]<class T>(T) {
        T* const x = static_cast<T*>(tensor);
        const kept_range range = range_of(type);
        const auto multiply = kernels::range_kernels<T>().multiply;
        auto visit = [&](const walk_line& line) {
            if (powers[line.block] == 0) return;
            const power_factors<T> by(powers[line.block], range);
            T* const at = x + line.first;
            along(line, multiply, at, line.first_step, at, by.first, by.second);
        };
        walk.run_shared(visit);
    });
}

void copy_blocks(const block_walk& walk, element type, const void* from, void* to,
                 const std::int64_t* powers) {
    with_reals(type, [&]<class T>(T) {
        const kept_range range = range_of(type);
        const auto multiply = kernels::range_kernels<T>().multiply;
        auto visit = [&](const walk_line& line) {
            const power_factors<T> by(powers[line.block], range);
            along(line, multiply, static_cast<const T*>(from) + line.second, line.second_step,
                  static_cast<T*>(to) + line.first, by.first, by.second);
        };
        walk.run(visit);
    });
}

void add_blocks(const block_walk& walk, element type, const void* from, void* to,
                const std::int64_t* powers) {
    with_reals(type, [&]<class T>(T) {
        const kept_range range = range_of(type);
        const auto add = kernels::range_kernels<T>().add;
        auto visit = [&](const walk_line& line) {
            const power_factors<T> by(powers[line.block], range);
            along(line, add, static_cast<const T*>(from) + line.second, line.second_step,
                  static_cast<T*>(to) + line.first, by.first, by.second);
        };
        walk.run_shared(visit);
    });
}

void multiply_blocks(const block_walk& walk, element type, void* tensor, const std::int64_t* powers,
                     double by, bool divides) {
    with_reals(type, [&]<class T>(T) {
        T* const x = static_cast<T*>(tensor);
        const kept_range range = range_of(type);
        const auto& table = kernels::range_kernels<T>();
        auto visit = [&](const walk_line& line) {
            const power_factors<T> power(powers[line.block], range);
            T* const at = x + line.first;
            if (power.second != 1)
                along(line, table.multiply, at, line.first_step, at, power.second, T{1});
            along(line, divides ? table.divide : table.multiply, at, line.first_step, at,
                  power.first, static_cast<T>(by));
        };
        walk.run_shared(visit);
    });
}

}  // namespace ricci::networks
