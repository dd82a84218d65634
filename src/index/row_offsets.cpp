// Lists of the offsets of rows.
#include "src/index/row_offsets.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>

#include <fmt/core.h>

namespace ricci::elementwise {

row_offsets::row_offsets(std::span<const steps::lookup> lookups,
                         std::span<const std::int64_t> extents)
    : factors_(extents.size(), 0) {
    for (const auto& l : lookups) {
        if (!can_be_place(l.type))
            throw std::invalid_argument(
                fmt::format("positions cannot be of type {}", name_of(l.type)));
        lookups_.push_back({l.type, l.numbers.offset, {}, l.stride, l.extent});
    }
    const bool empty = std::find(extents.begin(), extents.end(), 0) != extents.end();
    for (std::size_t loop = extents.size(); loop-- > 0;) {
        const bool differs =
            extents[loop] > 1 && std::any_of(lookups.begin(), lookups.end(), [&](const auto& l) {
                return l.numbers.strides[loop] != 0;
            });
        if (!differs) continue;
        factors_[loop] = length_;
        length_ *= extents[loop];
        extents_.insert(extents_.begin(), extents[loop]);
        for (std::size_t k = 0; k < lookups.size(); ++k)
            lookups_[k].strides.insert(lookups_[k].strides.begin(),
                                       lookups[k].numbers.strides[loop]);
    }
    if (empty) length_ = 0;
    if (static_cast<std::int64_t>(extents_.size()) > most_loops_of_lookups)
        throw std::invalid_argument("lookups of more loops than there is room for");
}

stray_number row_offsets::find_stray(const void* const* numbers) const {
    loop_counters at(extents_, extents_.size(), 0);
    for (std::int64_t n = 0; n < length_; ++n, at.next(extents_))
        for (std::size_t k = 0; k < lookups_.size(); ++k) {
            const lookup& l = lookups_[k];
            const std::int64_t where = l.offset + at.along(l.strides);
            if (place_at(numbers[k], l.type, where, l.extent) < 0)
                return {static_cast<std::int32_t>(k), number_at(numbers[k], l.type, where)};
        }
    return {};
}

void row_offsets::fill(const void* const* numbers, std::int64_t* list) const {
    loop_counters at(extents_, extents_.size(), 0);
    for (std::int64_t n = 0; n < length_; ++n, at.next(extents_)) {
        list[n] = 0;
        for (std::size_t k = 0; k < lookups_.size(); ++k) {
            const lookup& l = lookups_[k];
            list[n] +=
                l.stride * place_at(numbers[k], l.type, l.offset + at.along(l.strides), l.extent);
        }
    }
}

}  // namespace ricci::elementwise
