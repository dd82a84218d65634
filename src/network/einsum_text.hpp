// Einsum's text of any length, read into labels.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace ricci::networks {

/// The code points of labels, for each operand and for the result.
struct einsum_labels {
    std::vector<std::vector<std::int64_t>> operands;
    std::vector<std::int64_t> result;
};

/// Throws ricci::error, with the byte at fault, for what is no such text: "ab,bc->ac", in UTF-8,
/// with spaces anywhere but in "->". Without "->" the result has the labels that stand once, sorted
/// by code point.
einsum_labels read_einsum(std::string_view text);

}  // namespace ricci::networks
