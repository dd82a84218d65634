// Finding one of many spellings by its hash. Few are compared one by one, which costs the
// compiler's constant evaluation least.
#pragma once

#include <cstdint>

#include <ricci/detail/buffer.hpp>
#include <ricci/detail/text.hpp>

namespace ricci::detail {

/// Knows the numbers of a list's spellings; the list itself is the caller's, and only grows.
class spelling_table {
public:
    static constexpr std::int32_t few = 64;

    /// The first of `count` entries that is spelt so, or -1. `spelling_of(k)` is entry k's.
    template <class SpellingOf>
    constexpr std::int32_t find(text_view spelling, std::int32_t count, SpellingOf&& spelling_of) {
        while (known_ < count) {
            if (2 * (known_ + 1) > slots_.size()) grow(spelling_of);
            add(known_++, spelling_of);
        }
        if (slots_.empty()) return -1;
        for (std::uint32_t at = first_slot(spelling);; ++at) {
            const std::int32_t k = slots_[static_cast<std::int32_t>(at & mask())];
            if (k < 0 || spelling_of(k) == spelling) return k;
        }
    }

private:
    constexpr std::uint32_t mask() const { return static_cast<std::uint32_t>(slots_.size()) - 1; }
    constexpr std::uint32_t first_slot(text_view spelling) const {
        std::uint32_t hash = 2166136261u;
        for (const char c : spelling) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
        return hash;
    }
    template <class SpellingOf>
    constexpr void add(std::int32_t entry, SpellingOf& spelling_of) {
        const text_view spelling = spelling_of(entry);
        for (std::uint32_t at = first_slot(spelling);; ++at) {
            std::int32_t& slot = slots_[static_cast<std::int32_t>(at & mask())];
            if (slot >= 0 && spelling_of(slot) == spelling) return;
            if (slot >= 0) continue;
            slot = entry;
            return;
        }
    }
    template <class SpellingOf>
    constexpr void grow(SpellingOf& spelling_of) {
        const std::int32_t size = slots_.empty() ? 4 * few : 4 * slots_.size();
        slots_.clear();
        slots_.resize(size, -1);
        for (std::int32_t k = 0; k < known_; ++k) add(k, spelling_of);
    }

    buffer<std::int32_t> slots_;  // entries, or -1; a power of two of them
    std::int32_t known_ = 0;
};

}  // namespace ricci::detail
