// Elements of all types, with MPI's names for them.
#pragma once

#include <mpi.h>

#include <complex>
#include <cstdint>
#include <type_traits>

#include <ricci/array.hpp>
#include <ricci/error.hpp>
#include <ricci/half.hpp>

namespace ricci::mpi {

template <class T>
constexpr bool is_complex_type =
    !std::is_arithmetic_v<T> && !std::is_same_v<T, bf16> && !std::is_same_v<T, f16>;
/// What elements are folded in: those of 16 bits in float.
template <class T>
using computed = std::conditional_t<std::is_same_v<T, bf16> || std::is_same_v<T, f16>, float, T>;

template <class Visit>
auto with_type(element type, const Visit& visit) {
    switch (type) {
        case element::f32:
            return visit(float{}, MPI_FLOAT);
        case element::f64:
            return visit(double{}, MPI_DOUBLE);
        case element::bf16:
            return visit(bf16{}, MPI_UINT16_T);
        case element::f16:
            return visit(f16{}, MPI_UINT16_T);
        case element::c64:
            return visit(std::complex<float>{}, MPI_C_FLOAT_COMPLEX);
        case element::c128:
            return visit(std::complex<double>{}, MPI_C_DOUBLE_COMPLEX);
        case element::i32:
            return visit(std::int32_t{}, MPI_INT32_T);
        case element::i64:
            return visit(std::int64_t{}, MPI_INT64_T);
        case element::boolean:
            break;
    }
    throw error("ricci: nothing is folded in bool.");
}

}  // namespace ricci::mpi
