// The streams of a chain with the operands of all its parts in one list, so that they have the same tiles
// and one place in memory says where all of them are.
#pragma once

#include <cstdint>
#include <vector>

#include <ricci/plan/steps.hpp>

namespace ricci::stream {

/// Operands of the first stream, of the sums, of the second stream.
class chain_operands {
public:
    explicit chain_operands(const plan::stream_chain& what);
    chain_operands(const chain_operands&) = delete;
    chain_operands& operator=(const chain_operands&) = delete;

    const plan::stream& first() const { return first_; }
    const plan::stream& second() const { return second_; }
    const std::vector<plan::stream_row_sum>& sums() const { return sums_; }

private:
    std::vector<plan::map_operand> operands_;
    std::vector<plan::stream_row_sum> sums_;
    std::vector<std::vector<plan::instruction>> programs_;
    std::vector<plan::stream_product> products_;
    std::vector<plan::stream_stage> stages_;
    std::vector<plan::stream_sink> sinks_;
    plan::stream first_, second_;
};

}  // namespace ricci::stream
