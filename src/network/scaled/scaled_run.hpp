// What a scaled run knows of its network, whatever the ranges, and what it adds up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/network/run_request.hpp"
#include "src/network/scaled/block_indices.hpp"
#include "src/network/scaled/scaled_operands.hpp"
#include "src/network/scaled/scaled_result.hpp"

namespace ricci::networks {

struct scaled_run {
    explicit scaled_run(const run_request& asked)
        : block_indices(find_block_indices(asked.axes, asked.open, asked.extents)),
          operands(asked, block_indices),
          layout(asked, block_indices),
          result(layout.sums_in(asked.results)),
          room(layout.make_scratch()),
          exponents10(asked.results.size()) {}

    /// Bytes that it takes, whatever the plans: copies of operands, and exponents.
    double bytes() const {
        return operands.bytes() + layout.bytes_of_exponents(result.rows.size()) +
               layout.bytes_of_scratch();
    }

    std::vector<std::int32_t> block_indices;
    scaled_operands operands;
    scaled_result layout;
    scaled_sums result;
    std::vector<scaled_sums> of_groups;     // which are added up apart
    scaled_result::scratch room;            // of the thread that runs the network
    std::vector<std::int64_t> exponents10;  // of each row of the result
};

}  // namespace ricci::networks
