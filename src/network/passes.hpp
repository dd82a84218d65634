// The passes over a plan's steps: which range of each sliced index, and which row of choices, each
// of them has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "src/network/choice_rows.hpp"
#include "src/network/index_ranges.hpp"

namespace ricci::networks {

/// All combinations of ranges and rows, numbered, so that each pass differs from the one before in
/// one range, or in the row: what does not depend on it is not made again.
class pass_sequence {
public:
    pass_sequence() = default;
    /// `loops`: those over ranges, then one for each column of `rows`, if there are any; its
    /// counter is the place. `costs`: of each loop, what all steps that depend on it cost; the
    /// dearer, the more rarely it changes. `cost_of_rows`: of those that depend on any column.
    /// Throws ricci::error for more passes than can be counted.
    pass_sequence(std::span<const range_loop> loops, const choice_rows* rows,
                  std::span<const double> costs, double cost_of_rows);

    std::int64_t count() const { return count_; }
    /// Writes what each loop counts in a pass. Returns the row.
    std::size_t find(std::int64_t pass, std::span<std::int64_t> counters) const;
    /// Passes in a row that are carried out one after the other and added up apart from others: a
    /// number that suits the sequence alone.
    std::int64_t group() const { return group_; }
    std::int64_t groups() const { return (count_ + group_ - 1) / group_; }

private:
    struct digit {
        std::int64_t count = 1;
        std::size_t loop = 0;  // or, with rows, the first column's
        bool has_rows = false;
        double weight = 0;  // the less, the more often it changes
    };
    void find_group();

    std::vector<digit> digits_;  // the last one changes in every pass
    const choice_rows* rows_ = nullptr;
    std::vector<std::size_t> visited_;  // rows, in their order
    std::int64_t count_ = 1, group_ = 1;
};

}  // namespace ricci::networks
