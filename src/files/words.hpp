// The sentences that files end in: which file, which of its tensors, and what is wrong.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ricci::files {

/// What a sentence is about: a file, or a tensor in it.
struct place {
    std::string_view file;
    std::string_view tensor = {};
    bool in_tensor = false;  // a name may be empty

    place named(std::string_view name) const { return {file, name, true}; }
};

/// Throws ricci::error: "ricci: FILE: tensor NAME: WORDS."
[[noreturn]] void fail(const place& where, const std::string& words);
/// The same with the system's reason: "ricci: FILE: WORDS: No such file or directory."
[[noreturn]] void fail_for(const place& where, const std::string& words, int system_error);

/// A text of somebody else as one may print it: of at most some 80 characters, control characters as \xNN.
std::string printable(std::string_view text);

/// "1 byte", "2 bytes"
std::string count(std::size_t number, const char* thing);

/// Throws with the names that there are, or with some of them.
template <class Names>
[[noreturn]] void fail_without(const place& where, std::string_view name, const Names& names) {
    constexpr std::size_t shown = 10;
    std::string words = "it has no tensor " + printable(name);
    std::size_t n = 0;
    for (const auto& other : names)
        if (n++ < shown) words += (n == 1 ? "; there are " : ", ") + printable(other);
    if (n > shown) words += " and " + std::to_string(n - shown) + " more";
    fail(where, words);
}

}  // namespace ricci::files
