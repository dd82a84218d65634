// The axes of small tensors and the text of their contraction, as constants.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ricci/detail/text.hpp>

namespace ricci::small {

inline constexpr std::size_t most_labels = 8;

/// The axes of one tensor: a letter and an extent each.
struct axes {
    char letter[most_labels] = {};
    std::size_t extent[most_labels] = {};
    std::size_t rank = 0;

    constexpr std::size_t find(char c) const {
        std::size_t k = 0;
        while (k < rank && letter[k] != c) ++k;
        return k;
    }
    constexpr std::size_t extent_of(char c) const { return find(c) < rank ? extent[find(c)] : 1; }
    /// Of a row-major tensor; a letter that stands twice walks a diagonal.
    constexpr std::size_t stride_of(char c) const {
        std::size_t total = 0;
        for (std::size_t k = 0, stride = 1; k < rank; ++k) {
            const std::size_t axis = rank - 1 - k;
            if (letter[axis] == c) total += stride;
            stride *= extent[axis];
        }
        return total;
    }
    constexpr std::size_t size() const {
        std::size_t n = 1;
        for (std::size_t k = 0; k < rank; ++k) n *= extent[k];
        return n;
    }
    constexpr void add(char c, std::size_t n) {
        if (rank < most_labels) letter[rank] = c, extent[rank] = n;
        ++rank;
    }
};

/// An einsum string of up to three operands, letter by letter. `plain`: letters and an arrow only.
struct einsum_text {
    axes operand[3];
    axes result;
    std::size_t operands = 1;
    bool plain = true;

    constexpr einsum_text(detail::text_view text) {
        bool right = false;
        for (std::int32_t k = 0; k < text.size; ++k) {
            const char c = text[k];
            const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
            if (c == ' ') continue;
            if (c == ',' && !right) {
                if (++operands > 3) break;
            } else if (c == '-' && k + 1 < text.size && text[k + 1] == '>') {
                right = true, ++k;
            } else if (is_letter) {
                (right ? result : operand[operands - 1]).add(c, 1);
            } else {
                plain = false;
            }
        }
        plain = plain && right && operands <= 3 && result.rank <= most_labels;
        for (const axes& o : operand) plain = plain && o.rank <= most_labels;
    }
};

/// The same tensor with each letter once and `column` last.
constexpr axes with_last(const axes& x, char column) {
    axes out;
    for (std::size_t k = 0; k < x.rank; ++k)
        if (x.letter[k] != column && x.find(x.letter[k]) == k) out.add(x.letter[k], x.extent[k]);
    out.add(column, x.extent_of(column));
    return out;
}
template <class X, char Column>
struct arranged {
    static constexpr axes shape = with_last(X::shape, Column);
};

}  // namespace ricci::small
