// Lists of the offsets of rows.
#include "src/index/row_offsets.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>

#include <fmt/core.h>

namespace ricci::elementwise {

row_offsets::row_offsets(std::span<const steps::lookup> lookups,
                         std::span<const std::int64_t> extents, const condition* wanted)
    : factors_(extents.size(), 0) {
    for (const auto& l : lookups) {
        if (!can_be_place(l.type))
            throw std::invalid_argument(
                fmt::format("positions cannot be of type {}", name_of(l.type)));
        lookups_.push_back({l.type, {l.numbers.offset, {}}, l.stride, l.extent, l.may_stray});
    }
    if (wanted != nullptr) {
        wanted_type_ = wanted->type;
        wanted_.offset = wanted->values.offset;
    }
    const bool empty = std::find(extents.begin(), extents.end(), 0) != extents.end();
    for (std::size_t loop = extents.size(); loop-- > 0;) {
        const auto moves = [&](const steps::operand& o) { return o.strides[loop] != 0; };
        const bool differs =
            extents[loop] > 1 && ((wanted != nullptr && moves(wanted->values)) ||
                                  std::any_of(lookups.begin(), lookups.end(),
                                              [&](const auto& l) { return moves(l.numbers); }));
        if (!differs) continue;
        factors_[loop] = length_;
        length_ *= extents[loop];
        extents_.insert(extents_.begin(), extents[loop]);
        const auto add = [&](walk& to, const steps::operand& from) {
            to.strides.insert(to.strides.begin(), from.strides[loop]);
        };
        for (std::size_t k = 0; k < lookups.size(); ++k)
            add(lookups_[k].numbers, lookups[k].numbers);
        if (wanted != nullptr) add(wanted_, wanted->values);
    }
    if (empty) length_ = 0;
    if (static_cast<std::int64_t>(extents_.size()) > most_loops_of_lookups)
        throw std::invalid_argument("lookups of more loops than there is room for");
}

bool row_offsets::may_exclude() const {
    return wanted_type_ || std::any_of(lookups_.begin(), lookups_.end(),
                                       [](const lookup& l) { return l.may_stray; });
}

bool row_offsets::is_wanted(const loop_counters& at, const void* const* numbers) const {
    return !wanted_type_ || is_true_at(numbers[lookups_.size()], *wanted_type_,
                                       wanted_.offset + at.along(wanted_.strides));
}

template <class Counts>
stray_number row_offsets::first_stray(const void* const* numbers, Counts counts) const {
    loop_counters at(extents_, extents_.size(), 0);
    for (std::int64_t n = 0; n < length_; ++n, at.next(extents_))
        for (std::size_t k = 0; k < lookups_.size(); ++k) {
            const lookup& l = lookups_[k];
            if (l.may_stray) continue;
            const std::int64_t where = l.numbers.offset + at.along(l.numbers.strides);
            if (place_at(numbers[k], l.type, where, l.extent) < 0 && counts(at))
                return {static_cast<std::int32_t>(k), number_at(numbers[k], l.type, where)};
        }
    return {};
}

stray_number row_offsets::find_stray(const void* const* numbers) const {
    return first_stray(numbers, [&](const loop_counters& at) { return is_wanted(at, numbers); });
}

bool row_offsets::has_stray(const void* const* numbers) const {
    return first_stray(numbers, [](const loop_counters&) { return true; }).found();
}

void row_offsets::fill(const void* const* numbers, std::int64_t nowhere, std::int64_t* list) const {
    loop_counters at(extents_, extents_.size(), 0);
    for (std::int64_t n = 0; n < length_; ++n, at.next(extents_)) {
        bool is_somewhere = is_wanted(at, numbers);
        std::int64_t offset = 0;
        for (std::size_t k = 0; k < lookups_.size() && is_somewhere; ++k) {
            const lookup& l = lookups_[k];
            const std::int64_t at_axis = place_at(
                numbers[k], l.type, l.numbers.offset + at.along(l.numbers.strides), l.extent);
            is_somewhere = at_axis >= 0;
            offset += l.stride * at_axis;
        }
        list[n] = is_somewhere ? offset : nowhere;
    }
}

}  // namespace ricci::elementwise
