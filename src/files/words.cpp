// The sentences about files, with foreign texts made harmless.
#include "src/files/words.hpp"

#include <system_error>

#include <ricci/error.hpp>

namespace ricci::files {

void fail(const place& where, const std::string& words) {
    constexpr std::size_t longest_path = 4096;  // as long as the system takes
    std::string sentence = "ricci: " + printable(where.file, longest_path) + ": ";
    if (where.in_tensor) sentence += "tensor " + printable(where.tensor) + ": ";
    throw error(sentence + words + ".");
}

void fail_for(const place& where, const std::string& words, int system_error) {
    fail(where, words + ": " + std::generic_category().message(system_error));
}

void fail_without(const place& where, std::string_view name,
                  const std::vector<std::string_view>& names) {
    std::string words = "it has no tensor " + printable(name);
    if (!names.empty())
        words += (names.size() == 1 ? "; there is " : "; there are ") + some_of(names);
    fail(where, words);
}

std::string printable(std::string_view text, std::size_t longest) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string result;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        // A character of several bytes is not cut in two.
        if (result.size() >= longest && (byte & 0xc0) != 0x80) return result + "...";
        if (result.size() >= 2 * longest) return result + "...";
        if (byte >= 0x20 && byte != 0x7f) {
            result += c;
            continue;
        }
        result += "\\x";
        result += digits[byte / 16];
        result += digits[byte % 16];
    }
    return result;
}

std::string count(std::size_t number, const char* thing) {
    return std::to_string(number) + " " + thing + (number == 1 ? "" : "s");
}

std::string some_of(const std::vector<std::string_view>& names) {
    constexpr std::size_t shown = 10;
    std::string words;
    for (std::size_t n = 0; n < names.size() && n < shown; ++n)
        words += (n == 0 ? "" : ", ") + printable(names[n]);
    if (names.size() > shown) words += " and " + std::to_string(names.size() - shown) + " more";
    return words;
}

}  // namespace ricci::files
