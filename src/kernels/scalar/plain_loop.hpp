// Element-wise operations as plain loops over numbers: for those without a vector form.
#pragma once

#include <cstddef>

#include "src/kernels/elementwise/elementwise.hpp"

namespace ricci::kernels {

/// out[i] = Function(a[i], b[i], c[i]); bit k of `Single`: argument k is one number.
template <auto Function, int Arity, int Single, class T>
void plain_loop(T* out, const T* a, const T* b, const T* c, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
        const T x = a[(Single & 1) != 0 ? 0 : i];
        const T y = Arity > 1 ? b[(Single & 2) != 0 ? 0 : i] : x;
        const T z = Arity > 2 ? c[(Single & 4) != 0 ? 0 : i] : x;
        out[i] = Function(x, y, z);
    }
}

template <auto Function, class T>
constexpr void set_plain_unary(elementwise_table<T>& table, steps::opcode code) {
    table.apply[operation(code)][0] = plain_loop<Function, 1, 0, T>;
}

template <auto Function, class T>
constexpr void set_plain_binary(elementwise_table<T>& table, steps::opcode code) {
    table.apply[operation(code)][0] = plain_loop<Function, 2, 0, T>;
    table.apply[operation(code)][1] = plain_loop<Function, 2, 1, T>;
    table.apply[operation(code)][2] = plain_loop<Function, 2, 2, T>;
}

}  // namespace ricci::kernels
