// Folds of all elements up to each: steps::scan, prepared once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/steps/scan.hpp"

namespace ricci::elementwise {

/// Rows are shared out among tasks, a row is never cut: results are bitwise the same on any number
/// of threads. A float sum is one of doubles, rounded at every element; a double one is added up in
/// blocks, whose totals are added with what they round off.
class prepared_scan {
public:
    /// Copies what it needs. Throws std::invalid_argument for a fold or an element type that it has
    /// no code for.
    explicit prepared_scan(const steps::scan& scan);

    void run(void* out, const void* in) const;

private:
    struct loop {
        std::int64_t extent, out, in;
    };
    /// Of one row: where it begins, and how far it is to the next one.
    struct row {
        std::int64_t out, in;
    };
    row row_at(std::int64_t number) const;
    template <class T, class Fold>
    void run_rows(T* out, const T* in) const;
    template <class T>
    void run_as(void* out, const void* in) const;

    element type_;
    steps::fold folding_;
    loop along_{1, 0, 0};
    std::vector<loop> others_;  // the fastest last
    std::int64_t out_offset_ = 0, in_offset_ = 0;
    std::int64_t rows_ = 1;
};

}  // namespace ricci::elementwise
