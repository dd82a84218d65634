// Several contractions whose rows are those of the same operand, as the projections of one input are: a
// tile of rows is packed once and multiplied by the panels of all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "src/contract/blocked.hpp"
#include "src/contract/strategy.hpp"

namespace ricci::contract {

template <class T, class Stored>
class joined final : public joined_strategy {
public:
    using part = blocked<T, Stored>;

    /// Nothing unless all of them pack the same rows in the same blocks.
    static std::unique_ptr<const joined_strategy> make(std::span<const joinable> all);

    void run(std::span<const bound_contraction> operands) const override;

private:
    explicit joined(std::vector<const part*> parts);
    static const part* suited(const joinable& one);
    static bool same_rows(const part& x, const part& y);

    // Where the packed columns of a part are, and all of its work.
    struct columns {
        std::size_t packed = 0;
        typename part::chunk whole;
    };
    void compute(std::span<const typename part::operands> from, std::int64_t unit, const T* packed,
                 T* packed_rows) const;

    std::vector<const part*> parts_;
    std::vector<columns> columns_;
    std::int64_t row_tiles_ = 1;
    std::size_t packed_elements_ = 0;  // of all parts
};

}  // namespace ricci::contract
