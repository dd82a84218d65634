// Sums of splits of k, kept apart from C until all of them are complete.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/contract/block_pass.hpp"
#include "src/contract/blocking.hpp"
#include "src/contract/bound_operands.hpp"

namespace ricci::contractions {

/// What lies in one split: the rows of C, each as long as the columns of a chunk of packed B.
template <class T, class Stored>
class partial_sums {
public:
    /// No splits where `cut` needs none.
    partial_sums(const block_sizes& cut, const panel_operands<T, Stored>& operands, std::int64_t m);

    /// Elements of all splits together.
    std::size_t size() const { return elements_ * static_cast<std::size_t>(splits_); }
    /// Where a block of k of one split writes, the first one of it or a later one.
    destination<T, Stored> split(T* sums, std::int64_t split, bool first) const;
    /// Adds the splits, always in the same order, and writes panels [panel, panel_end) of C, which
    /// is `to.c`.
    void add(const bound_operands<T, Stored>& to, std::int64_t panel, std::int64_t panel_end,
             T* sums, bool serial) const;

private:
    const panel_operands<T, Stored>& operands_;
    std::int64_t splits_, m_;
    std::size_t elements_ = 0;  // of one split
    std::vector<std::int64_t> rows_, columns_;
};

}  // namespace ricci::contractions
