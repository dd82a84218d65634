// Places that are taken and left, with the number of those before one: positions in a list from
// which anything is taken out, without moving the rest.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ricci {

/// A Fenwick tree over places 0 .. size - 1, none of them taken at first. All but size() take
/// logarithmic time.
class counted_places {
public:
    explicit counted_places(std::size_t size) : sums_(size + 1, 0) {}

    /// How many are taken.
    std::size_t count() const { return count_; }
    /// One that is not taken.
    void take(std::size_t place) {
        ++count_;
        for (std::size_t k = place + 1; k < sums_.size(); k += lowest_bit(k)) ++sums_[k];
    }
    /// One that is taken.
    void leave(std::size_t place) {
        --count_;
        for (std::size_t k = place + 1; k < sums_.size(); k += lowest_bit(k)) --sums_[k];
    }
    /// How many taken places come before this one.
    std::size_t position(std::size_t place) const {
        std::size_t before = 0;
        for (std::size_t k = place; k > 0; k -= lowest_bit(k)) before += sums_[k];
        return before;
    }
    /// The taken place with so many taken ones before it; position < count().
    std::size_t at(std::size_t position) const {
        std::size_t k = 0;
        for (std::size_t step = std::bit_floor(sums_.size() - 1); step > 0; step /= 2)
            if (k + step < sums_.size() && sums_[k + step] <= position) {
                k += step;
                position -= sums_[k];
            }
        return k;
    }

private:
    static constexpr std::size_t lowest_bit(std::size_t k) { return k & (~k + 1); }

    std::vector<std::uint32_t> sums_;  // entry k: of the lowest_bit(k) places that end before k
    std::size_t count_ = 0;
};

}  // namespace ricci
