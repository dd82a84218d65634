#include "src/network/result_sums.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace ricci::networks {
namespace {

using steps::sum_algebra;

template <class T, class Join>
void join_all(void* to, const void* from, std::size_t bytes, const Join& join) {
    auto* const sums = static_cast<T*>(to);
    const auto* const terms = static_cast<const T*>(from);
    for (std::size_t k = 0; k < bytes / sizeof(T); ++k) sums[k] = join(sums[k], terms[k]);
}

template <class T>
void add_all(void* to, const void* from, std::size_t bytes) {
    join_all<T>(to, from, bytes, [](T a, T b) { return static_cast<T>(a + b); });
}

// What is no number stays, whichever of both it is.
template <class T>
T greater_of(T a, T b) {
    return std::isnan(a) || a > b ? a : b;  // b where that is none
}
template <class T>
T log_of_sum(T a, T b) {
    const T most = greater_of(a, b);
    if (!std::isfinite(most)) return most;
    const T least = a > b ? b : a;
    return most + std::log1p(std::exp(least - most));
}

template <class T>
void join_in(sum_algebra algebra, void* to, const void* from, std::size_t bytes) {
    switch (algebra) {
        case sum_algebra::maximum:
            return join_all<T>(to, from, bytes, greater_of<T>);
        case sum_algebra::minimum:
            return join_all<T>(to, from, bytes, [](T a, T b) { return -greater_of(-a, -b); });
        case sum_algebra::logsumexp:
            return join_all<T>(to, from, bytes, log_of_sum<T>);
    }
}

}  // namespace

void clear_sum(element type, std::optional<sum_algebra> algebra, void* to, std::size_t bytes) {
    if (!algebra) {
        std::memset(to, 0, bytes);
        return;
    }
    const double nothing = *algebra == sum_algebra::minimum ? HUGE_VAL : -HUGE_VAL;
    if (type == element::f32)
        std::fill_n(static_cast<float*>(to), bytes / sizeof(float), static_cast<float>(nothing));
    else std::fill_n(static_cast<double*>(to), bytes / sizeof(double), nothing);
}

void add_sum(element type, std::optional<sum_algebra> algebra, void* to, const void* from,
             std::size_t bytes) {
    if (algebra) {
        if (type == element::f32) join_in<float>(*algebra, to, from, bytes);
        else join_in<double>(*algebra, to, from, bytes);
        return;
    }
    switch (type) {
        case element::f32:
        case element::c64:
            return add_all<float>(to, from, bytes);
        case element::i32:
            return add_all<std::uint32_t>(to, from, bytes);  // as products do: modulo 2^32
        case element::i64:
            return add_all<std::uint64_t>(to, from, bytes);
        default:
            return add_all<double>(to, from, bytes);
    }
}

}  // namespace ricci::networks
