// What a scaled run knows of its network, whatever the ranges, and what it adds up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "src/network/run_request.hpp"
#include "src/network/scaled/block_indices.hpp"
#include "src/network/scaled/scaled_operands.hpp"
#include "src/network/scaled/scaled_result.hpp"

namespace ricci::networks {

/// One tensor that is computed.
struct scaled_output {
    scaled_output(const run_request& asked, std::span<const std::int32_t> axes,
                  std::span<const std::int32_t> block_indices, std::vector<void*> rows)
        : layout(asked, axes, block_indices),
          result(layout.sums_in(std::move(rows))),
          room(layout.make_scratch()) {}

    /// Bytes that it takes, whatever the plans.
    double bytes() const {
        return layout.bytes_of_exponents(result.rows.size()) + layout.bytes_of_scratch();
    }

    scaled_result layout;
    scaled_sums result;
    std::vector<scaled_sums> of_groups;  // which are added up apart
    scaled_result::scratch room;         // of the thread that runs the network
};

struct scaled_run {
    explicit scaled_run(const run_request& asked)
        : block_indices(find_block_indices(asked.axes, asked.open, asked.extents)),
          operands(asked, block_indices),
          exponents10(asked.results.size()) {
        if (asked.derivatives.empty())
            outputs.emplace_back(asked, asked.open, block_indices, asked.results);
        for (std::size_t k = 0; k < asked.derivatives.size(); ++k)
            outputs.emplace_back(asked, asked.axes[asked.derivatives[k]], block_indices,
                                 std::vector<void*>{asked.results[k]});
    }

    /// Bytes that it takes, whatever the plans: copies of operands, and exponents.
    double bytes() const {
        double all = operands.bytes();
        for (const scaled_output& o : outputs) all += o.bytes();
        return all;
    }
    double bytes_of_scratch() const {
        double all = 0;
        for (const scaled_output& o : outputs) all += o.layout.bytes_of_scratch();
        return all;
    }

    std::vector<std::int32_t> block_indices;
    scaled_operands operands;
    std::vector<scaled_output> outputs;
    std::vector<std::int64_t> exponents10;  // of each row of the result, or of each derivative
};

}  // namespace ricci::networks
