// The types that tiles are compiled for: what they compute in, and, where they store another type,
// that one.
#pragma once

#include <complex>
#include <cstdint>

#include <ricci/half.hpp>

#define RICCI_FOR_REAL_TILES(X) \
    X(float);                   \
    X(double);                  \
    X(float, bf16);             \
    X(float, f16)

/// Those without a register machine.
#define RICCI_FOR_OTHER_TILES(X) \
    X(std::int32_t);             \
    X(std::int64_t);             \
    X(std::complex<float>);      \
    X(std::complex<double>)

#define RICCI_FOR_TILES(X)   \
    RICCI_FOR_REAL_TILES(X); \
    RICCI_FOR_OTHER_TILES(X)
