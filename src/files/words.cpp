// The sentences about files, with foreign texts made harmless.
#include "src/files/words.hpp"

#include <system_error>

#include <ricci/error.hpp>

namespace ricci::files {

void fail_with(const place& where, const std::string& words) {
    constexpr std::size_t longest_path = 4096;  // as long as the system takes
    const std::string tensor =
        where.in_tensor ? fmt::format("tensor {}: ", printable(where.tensor)) : "";
    throw error(
        fmt::format("ricci: {}: {}{}.", printable(where.file, longest_path), tensor, words));
}

void fail_for(const place& where, const std::string& words, int system_error) {
    fail(where, "{}: {}", words, std::generic_category().message(system_error));
}

void fail_without(const place& where, std::string_view name,
                  const std::vector<std::string_view>& names) {
    if (names.empty()) fail(where, "it has no tensor {}", printable(name));
    fail(where, "it has no tensor {}; there {} {}", printable(name),
         names.size() == 1 ? "is" : "are", some_of(names));
}

std::string printable(std::string_view text, std::size_t longest) {
    std::string result;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        // A character of several bytes is not cut in two.
        if (result.size() >= longest && (byte & 0xc0) != 0x80) return result + "...";
        if (result.size() >= 2 * longest) return result + "...";
        if (byte >= 0x20 && byte != 0x7f) result += c;
        else result += fmt::format("\\x{:02x}", byte);
    }
    return result;
}

std::string count(std::size_t number, const char* thing) {
    return fmt::format("{} {}{}", number, thing, number == 1 ? "" : "s");
}

std::string some_of(const std::vector<std::string_view>& names) {
    constexpr std::size_t shown = 10;
    std::string words;
    for (std::size_t n = 0; n < names.size() && n < shown; ++n)
        words += fmt::format("{}{}", n == 0 ? "" : ", ", printable(names[n]));
    if (names.size() > shown) words += fmt::format(" and {} more", names.size() - shown);
    return words;
}

}  // namespace ricci::files
