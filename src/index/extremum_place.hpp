// Where the largest or the smallest values stand: steps::extremum_place, prepared once.
#pragma once

#include <cstdint>
#include <vector>

#include "src/steps/extremum_place.hpp"

namespace ricci::elementwise {

/// Rows are shared out among tasks, a row is never cut.
class prepared_extremum_place {
public:
    /// Copies what it needs. Throws std::invalid_argument for an element type that it has no code
    /// for, and for rows without elements.
    explicit prepared_extremum_place(const steps::extremum_place& what);

    void run(std::int32_t* out, const void* in) const;

private:
    struct loop {
        std::int64_t extent, out, in;
    };
    /// Of one row: where its place is written, and where its elements begin.
    struct row {
        std::int64_t out, in;
    };
    row row_at(std::int64_t number) const;
    template <class T>
    void run_rows(std::int32_t* out, const T* in) const;

    element type_;
    bool largest_;
    loop along_{1, 0, 0};
    std::vector<loop> others_;  // the fastest last
    row first_{0, 0};
    std::int64_t rows_ = 1;
};

}  // namespace ricci::elementwise
