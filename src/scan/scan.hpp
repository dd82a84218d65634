// Folds of all elements up to each, and linear recurrences: steps::scan, prepared once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "src/steps/scan.hpp"

namespace ricci::elementwise {

/// Rows are shared out among tasks, a row is never cut: results are bitwise the same on any number
/// of threads. A float sum is one of doubles, rounded at every element; a double one is added up in
/// blocks, whose totals are added with what they round off. What decays is carried in double, with
/// what its sums have rounded off where that is the element type.
class prepared_scan {
public:
    /// Copies what it needs. Throws std::invalid_argument for a fold or an element type that it has
    /// no code for.
    explicit prepared_scan(const steps::scan& scan);

    /// `decay`: where the scan has one.
    void run(void* out, const void* in, const void* decay = nullptr) const;

private:
    struct loop {
        std::int64_t extent, out, in, decay;
    };
    /// Of one row: where it begins, and how far it is to the next one.
    struct row {
        std::int64_t out, in, decay;
    };
    row row_at(std::int64_t number) const;
    template <std::int64_t count>
    static bool are_adjacent(const row* rows, std::integral_constant<std::int64_t, count>);
    template <class T, class Fold>
    void run_rows(T* out, const T* in) const;
    template <class T, bool Logarithms>
    bool decay_evenly(T* out, const T* in, T decay) const;
    template <class T, bool Logarithms>
    void run_decaying(T* out, const T* in, const T* decay) const;
    template <class Block>
    void each_block_of_rows(const Block& run) const;
    template <class T>
    void run_as(void* out, const void* in, const void* decay) const;

    element type_;
    steps::fold folding_;
    bool decays_, logarithms_;
    loop along_{1, 0, 0, 0};
    std::vector<loop> others_;  // the fastest last
    row first_{0, 0, 0};
    std::int64_t rows_ = 1;
};

}  // namespace ricci::elementwise
