// How assignments run: decided here, and nowhere else.
#pragma once

#include "src/plan/schedule/compiled.hpp"
#include "src/plan/schedule/way.hpp"

namespace ricci::plan {

/// The cheapest of the ways that give an assignment's values. `as_written`: emitted as its form
/// says. What it depends on is the step alone, not the machine: neither caches nor threads nor the
/// width of vectors, so that results are the same bits wherever the order of sums is.
decision classify(const contraction_step& as_written, element type);
decision classify(const algebra_step& as_written, element type);
decision classify(const tie_step& as_written, element type);
decision classify(const map_step& as_written, element type);
decision classify(const gather_step& as_written, element type);
decision classify(const lookup_sum_step& as_written, element type);
decision classify(const extremum_step& as_written, element type);
decision classify(const scan_step& as_written, element type);
decision classify(const matrix_step& as_written, element type);

}  // namespace ricci::plan
