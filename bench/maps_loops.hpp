// Plain loops beside element-wise equations, compiled for the machine that builds them: the peers of
// bench_maps.
#pragma once

#include <cstddef>

namespace ricci::bench {

/// What a loop reads, and writes: as many numbers of each.
struct map_memory {
    const float *x = nullptr, *y = nullptr, *z = nullptr, *w = nullptr;
    float* r = nullptr;
    std::size_t count = 0;
};

struct map_case {
    const char* name;
    const char* text;  // of inputs X, Y, Z, W and the output R
    int streams;       // arrays that are read and written
    void (*loop)(const map_memory&);
};

extern const map_case map_cases[];
extern const std::size_t map_case_count;

}  // namespace ricci::bench
