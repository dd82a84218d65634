// What a call costs besides the arithmetic: small products with extents known at run time only.
#include "bench/calls.hpp"

#include <array>
#include <cstddef>
#include <cstdio>

#include <fmt/core.h>

#include <ricci/program.hpp>
#include <ricci/ricci.hpp>

#include "bench/timing.hpp"

namespace ricci::bench {
namespace {

using namespace ricci::literals;

// Seconds of the body, the median of some measurements.
template <class Body>
double time_of(Body&& body) {
    return time_in_turns([] {}, body, [] {}, 15, 2e-3).first;
}

constexpr auto product = "C^{mn} = A^{mk} B^{kn}"_eq;

template <class T>
void measure_size(std::size_t n) {
    tensor<T, 2> a(std::array<std::size_t, 2>{n, n}), b(std::array<std::size_t, 2>{n, n}),
        c(std::array<std::size_t, 2>{n, n});
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            a(i, j) = static_cast<T>(i + j);
            b(i, j) = static_cast<T>(i) - static_cast<T>(j);
        }
    }
    auto step = prepare(product, "A"_t = a, "B"_t = b, "C"_t = c);
    const double prepared_time = time_of([&] { step(); });
    const program parsed(product);
    runner at_run_time = prepare(parsed, {{"A", a}, {"B", b}, {"C", c}});
    const auto [known, read] =
        time_in_turns([] {}, [&] { step(); }, [&] { at_run_time(); }, 31, 2e-3);
    const double into_time = time_of([&] { einsum_into<"mk,kn->mn">(c, a, b); });
    const double fresh_time = time_of([&] { return einsum<"mk,kn->mn">(a, b); });
    const double equation_time = time_of([&] { return product("A"_t = a, "B"_t = b); });
    const double allocation_time = time_of([&] {
        return tensor<T, 2>(std::array<std::size_t, 2>{n, n});
    });
    const double run_time = time_of([&] { return run(parsed, {{"A", a}, {"B", b}}); });
    fmt::print("{:<6} {:3} {:12.0f} {:12.3f} {:12.0f} {:12.0f} {:12.0f} {:12.0f} {:12.0f}\n",
               sizeof(T) == 4 ? "float" : "double", n, prepared_time * 1e9, read / known,
               into_time * 1e9, fresh_time * 1e9, equation_time * 1e9, run_time * 1e9,
               allocation_time * 1e9);
    std::fflush(stdout);
}

}  // namespace

void measure_calls() {
    fmt::print(
        "# calls of an n x n x n product, nanoseconds; read: a prepared program known at run "
        "time,\n"
        "# as a multiple of the one in the source, in turns; run: one known at run time at once\n");
    fmt::print("{:<6} {:>3} {:>12} {:>12} {:>12} {:>12} {:>12} {:>12} {:>12}\n", "type", "n",
               "prepared", "read", "einsum_into", "einsum", "equation", "run", "allocation");
    for (const std::size_t n : {2u, 4u, 8u, 16u, 32u, 64u}) measure_size<float>(n);
    for (const std::size_t n : {4u, 16u, 64u}) measure_size<double>(n);
}

}  // namespace ricci::bench
