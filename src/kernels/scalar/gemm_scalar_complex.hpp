// The kernels of a contraction of complex numbers as plain loops: what the vector ones are compared
// with. A packed panel holds the numbers as they are.
#pragma once

#include <complex>
#include <cstdint>

#include "src/kernels/scalar/gemm_scalar.hpp"

namespace ricci::kernels {

template <class R, bool conjugate>
std::complex<R> maybe_conjugated(std::complex<R> z) {
    return conjugate ? std::conj(z) : z;
}

template <class R, bool a, bool b>
kernel_table<std::complex<R>> make_scalar_complex_table() {
    using T = std::complex<R>;
    kernel_table<T> table = make_scalar_table<T>();
    // Numbers are conjugated when they are packed.
    table.pack_across = nullptr;
    for (auto& functions : table.gemm_in_place) {
        for (auto& function : functions) function = nullptr;
    }
    table.pack_rows = [](const pack_source<T>& from, T* to) {
        for (int x = 0; x < from.width; ++x) {
            for (std::int64_t k = 0; k < from.depth; ++k) {
                to[x * row_pitch<T> + k] =
                    maybe_conjugated<R, a>(from.origin[from.across[x] + from.along[k]]);
            }
        }
    };
    table.pack_columns = [](const pack_source<T>& from, T* to, std::int64_t step) {
        scalar_pack(from, to, step, scalar_lanes);
        for (std::int64_t k = 0; b && k < from.depth; ++k) {
            for (int x = 0; x < scalar_lanes; ++x) to[k * step + x] = std::conj(to[k * step + x]);
        }
    };
    table.pack_lanes_a = [](const lane_source<T>& from, T* to, int padded) {
        scalar_pack_lanes(from, to, padded, &maybe_conjugated<R, a>);
    };
    table.pack_lanes_b = [](const lane_source<T>& from, T* to, int padded) {
        scalar_pack_lanes(from, to, padded, &maybe_conjugated<R, b>);
    };
    table.dot = [](std::int64_t n, strided<T> x, strided<T> y) {
        T sum = 0;
        for (std::int64_t t = 0; t < n; ++t) {
            sum += maybe_conjugated<R, a>(x.data[t * x.step]) *
                   maybe_conjugated<R, b>(y.data[t * y.step]);
        }
        return sum;
    };
    table.multiply_add = [](std::int64_t n, T alpha, strided<T> x, strided<T> y, T beta, T* c,
                            std::int64_t c_step) {
        for (std::int64_t t = 0; t < n; ++t) {
            const T product = alpha * maybe_conjugated<R, a>(x.data[t * x.step]) *
                              maybe_conjugated<R, b>(y.data[t * y.step]);
            T& to = c[t * c_step];
            to = beta == T{0} ? product : product + beta * to;
        }
    };
    return table;
}

template <class R>
const kernel_table<std::complex<R>>& scalar_complex_table(bool a, bool b) {
    static const kernel_table<std::complex<R>> tables[] = {
        make_scalar_complex_table<R, false, false>(), make_scalar_complex_table<R, false, true>(),
        make_scalar_complex_table<R, true, false>(), make_scalar_complex_table<R, true, true>()};
    return tables[(a ? 2 : 0) + (b ? 1 : 0)];
}

}  // namespace ricci::kernels
