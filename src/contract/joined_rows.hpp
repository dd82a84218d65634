// Several contractions whose rows are those of the same operand, as the projections of one input
// are: the rows are packed once for all of them.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "src/contract/blocked.hpp"
#include "src/contract/packed_rows.hpp"
#include "src/contract/strategy.hpp"

namespace ricci::contractions {

template <class T, class Stored>
class joined_rows final : public joined_strategy {
public:
    using part = blocked<T, Stored>;

    /// Nothing unless all of them pack the same rows in the same blocks, and those stay in the
    /// caches.
    static std::unique_ptr<const joined_strategy> make(std::span<const joinable> all);

    void run(std::span<const bound_contraction> operands) const override;
    runtime::loan_list loans() const override { return {{borrowed_ * sizeof(T)}}; }

private:
    explicit joined_rows(std::vector<const part*> parts);

    std::vector<const part*> parts_;
    packed_rows<T, Stored> rows_;
    std::size_t borrowed_ = 0;  // elements of the rows and of what a part needs besides
};

}  // namespace ricci::contractions
