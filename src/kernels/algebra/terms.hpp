// The terms a kernel of another algebra folds, and where the folds go: shared by extrema and
// log-sum-exp.
#pragma once

#include <cstdint>

namespace ricci::kernels {

/// Places of extrema along k.
using place = std::int32_t;

/// Terms a + b for all k: `outer` listed iterations, and in each of them `inner` of constant steps.
/// Term (o, i) is a[a_outer[o] + i * a_step] + b[b_outer[o] + i * b_step]; its place is
/// first_place + o * inner + i. outer > 0, inner > 0.
template <class T>
struct fold_terms {
    const T* a = nullptr;
    const T* b = nullptr;
    const std::int64_t* a_outer = nullptr;
    const std::int64_t* b_outer = nullptr;
    std::int64_t outer = 1;
    std::int64_t inner = 1;
    std::int64_t a_step = 0;
    std::int64_t b_step = 0;
    place first_place = 0;
};

/// Folds side by side: fold x takes the terms of a + x * a_step and b + x * b_step, and is written
/// to c[x * c_step], its place to places[x * c_step] if there are any. With `joins`, what C holds
/// is one more term, before all others; it keeps the place that it has. Of so many rows, each with
/// terms of a and the line of C further on by a_row and c_row, and the same terms of b.
template <class T>
struct fold_line {
    std::int64_t count = 1;
    std::int64_t rows = 1;
    std::int64_t a_row = 0;
    std::int64_t c_row = 0;
    std::int64_t a_step = 0;
    std::int64_t b_step = 0;
    std::int64_t c_step = 0;
    T* c = nullptr;
    place* places = nullptr;
    bool joins = false;
};

/// Calls go(terms, line) for each row.
template <class T, class Go>
inline void for_each_row(fold_terms<T> terms, fold_line<T> to, Go go) {
    for (std::int64_t row = 0; row < to.rows; ++row) {
        go(terms, to);
        terms.a += to.a_row;
        to.c += to.c_row;
        if (to.places != nullptr) to.places += to.c_row;
    }
}

}  // namespace ricci::kernels
