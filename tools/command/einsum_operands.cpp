// Operands of an einsum string, which have no names of their own.
#include "command/einsum_operands.hpp"

#include <fmt/core.h>

#include "command/operand_words.hpp"
#include "command/sentences.hpp"

namespace ricci::command {

void check_shape(const std::string& word) {
    if (word.empty())
        refuse("an operand is a shape or a file; the shape of a scalar is written 1.");
}

std::vector<std::string> named_operands(const std::vector<std::string>& words) {
    std::vector<std::string> all;
    for (const std::string& word : words) {
        check_shape(word);
        all.push_back(fmt::format("operand {}={}", all.size() + 1, word));
    }
    return all;
}

program program_of_einsum(const std::string& text, const std::vector<std::string>& operands) {
    // how many axes an operand has decides how the string is read, and no program knows it yet
    const program none = parse("x = 1").value();
    std::vector<std::size_t> ranks;
    for (const std::string& word : operands) {
        const operand_word o = read_operand(word, none);
        ranks.push_back(o.kind == operand_kind::file ? shape_in_file(o).rank() : o.extents.size());
    }
    return einsum_program(text, ranks);
}

}  // namespace ricci::command
