// The types that contractions are compiled for: one list for every file that defines members of a
// template.
#pragma once

#include <complex>
#include <cstdint>

#include <ricci/element.hpp>

/// M(type) for every type that is stored as it is computed in and takes one lane of a register.
/// Whole numbers are computed as unsigned ones, which wrap.
#define RICCI_FOR_LANE_TYPES(M) \
    M(float);                   \
    M(double);                  \
    M(std::uint32_t);           \
    M(std::uint64_t)

/// M(type) for every type that is stored as it is computed in.
#define RICCI_FOR_UNWIDENED_TYPES(M) \
    RICCI_FOR_LANE_TYPES(M);         \
    M(std::complex<float>);          \
    M(std::complex<double>)

/// M(computed type, stored type) for all of them.
#define RICCI_FOR_CONTRACTED_TYPES(M)            \
    M(float, float);                             \
    M(double, double);                           \
    M(std::uint32_t, std::uint32_t);             \
    M(std::uint64_t, std::uint64_t);             \
    M(float, bf16);                              \
    M(float, f16);                               \
    M(std::complex<float>, std::complex<float>); \
    M(std::complex<double>, std::complex<double>)
