// All rows of A, packed block after block for every batch: what several contractions can have in
// common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/contract/index_groups.hpp"
#include "src/contract/k_block.hpp"
#include "src/contract/left_panels.hpp"

namespace ricci::contractions {

/// How the rows lie; the memory is the caller's. Refers to the panels and blocks that it is made
/// of.
template <class T, class Stored>
class packed_rows {
public:
    packed_rows(const left_panels<T, Stored>& left, const std::vector<k_block>& blocks,
                const index_groups& groups);

    /// Elements of all batches.
    std::size_t size() const { return static_cast<std::size_t>(batches_ * batch_elements_); }
    /// Where row `m` of a block of k lies.
    std::int64_t at(std::int64_t batch, std::int64_t block, std::int64_t m) const;
    /// Packs the rows of A, from where its walk starts.
    void pack(const Stored* a, T* to) const;
    /// Whether both pack the same rows the same way, if they are given the same A.
    bool same(const packed_rows& other) const;

private:
    const left_panels<T, Stored>& left_;
    const std::vector<k_block>& blocks_;
    const index_groups& groups_;
    std::int64_t batches_, batch_elements_ = 0;
    std::vector<std::int64_t> begin_;  // where each block begins in its batch
};

}  // namespace ricci::contractions
