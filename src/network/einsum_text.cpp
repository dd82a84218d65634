// Einsum's text: code points, commas and an arrow.
#include "src/network/einsum_text.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/core.h>

#include <ricci/error.hpp>

namespace ricci::networks {
namespace {

[[noreturn]] void refuse_einsum(std::size_t byte, const std::string& words) {
    throw error(
        fmt::format("ricci: the text of the network cannot be read at byte {}: {}.", byte, words));
}

bool is_space(char32_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// The characters of a text in UTF-8, one after another.
class characters {
public:
    explicit characters(std::string_view text) : text_(text) {}
    std::size_t at() const { return at_; }
    bool done() const { return at_ == text_.size(); }
    /// The next one. Throws where the bytes are no character.
    char32_t take() {
        const std::size_t begin = at_;
        const auto lead = static_cast<unsigned char>(text_[at_++]);
        if (lead < 0x80) return lead;
        // Leading bytes 110..., 1110..., 11110... say how many follow; the least code point that
        // needs so many rules out longer spellings of one character.
        constexpr std::array<char32_t, 4> least = {0, 0x80, 0x800, 0x10000};
        const std::size_t more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : lead >= 0xc0 ? 1 : 0;
        if (more == 0 || lead >= 0xf8 || begin + more >= text_.size())
            refuse_einsum(begin, "this is no UTF-8");
        char32_t code = lead & (0x3fU >> more);
        for (std::size_t k = 0; k < more; ++k) {
            const auto byte = static_cast<unsigned char>(text_[at_++]);
            if ((byte & 0xc0) != 0x80) refuse_einsum(begin, "this is no UTF-8");
            code = (code << 6) | (byte & 0x3fU);
        }
        if (code < least[more] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
            refuse_einsum(begin, "this is no UTF-8");
        return code;
    }

private:
    std::string_view text_;
    std::size_t at_ = 0;
};

// The labels that stand once, sorted: what numpy takes for the result where none is written.
std::vector<std::int64_t> labels_that_stand_once(
    const std::vector<std::vector<std::int64_t>>& operands) {
    std::vector<std::int64_t> all;
    for (const auto& o : operands) all.insert(all.end(), o.begin(), o.end());
    std::sort(all.begin(), all.end());
    std::vector<std::int64_t> once;
    for (std::size_t k = 0; k < all.size(); ++k) {
        const bool same_before = k > 0 && all[k - 1] == all[k];
        const bool same_after = k + 1 < all.size() && all[k + 1] == all[k];
        if (!same_before && !same_after) once.push_back(all[k]);
    }
    return once;
}

}  // namespace

einsum_labels read_einsum(std::string_view text) {
    einsum_labels labels;
    labels.operands.emplace_back();
    bool in_result = false;
    characters left(text);
    while (!left.done()) {
        const std::size_t byte = left.at();
        const char32_t c = left.take();
        if (is_space(c)) continue;
        if (c == ',') {
            if (in_result) refuse_einsum(byte, "there is one result, and a comma in it");
            labels.operands.emplace_back();
        } else if (c == '-') {
            if (in_result) refuse_einsum(byte, "a second \"->\"");
            if (left.done() || left.take() != '>') refuse_einsum(byte, "a \"-\" without \">\"");
            in_result = true;
        } else if (c == '>') {
            refuse_einsum(byte, "a \">\" without \"-\"");
        } else if (c == '.') {
            refuse_einsum(byte, "\"...\" stands for no index of a network; name each axis");
        } else if (c < 0x20 || c == 0x7f) {
            refuse_einsum(byte, "a control character is no label");
        } else {
            (in_result ? labels.result : labels.operands.back()).push_back(c);
        }
    }
    if (!in_result) labels.result = labels_that_stand_once(labels.operands);
    return labels;
}

}  // namespace ricci::networks
