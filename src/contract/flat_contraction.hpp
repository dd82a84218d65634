// A contraction as one matrix product a batch: every index group flattened to a single index.
#pragma once

#include <cstdint>

#include "src/contract/index_groups.hpp"
#include "src/contract/offsets.hpp"

namespace ricci::contractions {

/// The length of each flattened group, and where each of its iterations lies in each operand.
struct flat_contraction {
    explicit flat_contraction(const index_groups& groups)
        : batch(iterations(groups.batch)),
          m(iterations(groups.m)),
          n(iterations(groups.n)),
          k(iterations(groups.k)),
          a_rows(flatten(groups.m, &steps::contraction_loop::a)),
          c_rows(flatten(groups.m, &steps::contraction_loop::c)),
          b_columns(flatten(groups.n, &steps::contraction_loop::b)),
          c_columns(flatten(groups.n, &steps::contraction_loop::c)),
          a_depth(flatten(groups.k, &steps::contraction_loop::a)),
          b_depth(flatten(groups.k, &steps::contraction_loop::b)) {}

    std::int64_t batch, m, n, k;
    offset_vector a_rows, c_rows, b_columns, c_columns, a_depth, b_depth;
};

}  // namespace ricci::contractions
