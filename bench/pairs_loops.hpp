// Loops over all pairs written by hand for one body each, in Highway, compiled for the machine that
// builds them: the peers of bench_pairs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ricci::bench {

/// Points of three coordinates, row-major, and what comes with them.
struct pairs_memory {
    const float *x = nullptr, *z = nullptr;
    const float* v = nullptr;  // masses, weights or potentials of columns
    std::size_t rows = 0, columns = 0;
    float epsilon = 0;
    float* out = nullptr;            // up to three numbers a row
    float* out_columns = nullptr;    // of Sinkhorn's second half
    std::int32_t* places = nullptr;  // of the nearest
};

struct pairs_loop {
    void (*run)(const pairs_memory&);
    const char* output;  // the program's output that `out` or `places` is
    std::size_t width;   // numbers a row
    /// A row of the same in double, without vectors.
    void (*reference)(const pairs_memory&, std::size_t row, double* to);
};

extern const pairs_loop n_body_loop, kernel_loop, nearest_loop, nearest_place_loop, sinkhorn_loop;

}  // namespace ricci::bench
