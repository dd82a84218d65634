// Numbers of things, found by the hash of what they number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ricci {

/// A hash table of numbers from 0; what they number lies elsewhere. Nothing is ever taken out.
class hashed_numbers {
public:
    /// The number with this hash for which `is_same(number)` holds; -1 where there is none.
    template <class Same>
    std::int32_t find(std::uint64_t hash, Same is_same) const {
        if (count_ == 0) return -1;
        for (std::size_t k = hash & last_;; k = (k + 1) & last_) {
            const entry& e = entries_[k];
            if (e.number < 0) return -1;
            if (e.hash == hash && is_same(e.number)) return e.number;
        }
    }
    void insert(std::uint64_t hash, std::int32_t number) {
        // At least half of the places are free, so that a search soon ends at one.
        if (2 * (count_ + 1) > entries_.size()) grow();
        place({hash, number});
        ++count_;
    }

private:
    struct entry {
        std::uint64_t hash = 0;
        std::int32_t number = -1;  // -1: a free place
    };

    void place(const entry& e) {
        std::size_t k = e.hash & last_;
        while (entries_[k].number >= 0) k = (k + 1) & last_;
        entries_[k] = e;
    }
    void grow() {
        const auto old = std::exchange(
            entries_, std::vector<entry>(entries_.empty() ? 64 : 4 * entries_.size()));
        last_ = entries_.size() - 1;
        for (const entry& e : old)
            if (e.number >= 0) place(e);
    }

    std::vector<entry> entries_;  // a power of two
    std::size_t last_ = 0;
    std::size_t count_ = 0;
};

}  // namespace ricci
