// The sentences that files end in: which file, which of its tensors, and what is wrong.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

namespace ricci::files {

/// What a sentence is about: a file, or a tensor in it.
struct place {
    std::string_view file;
    std::string_view tensor = {};
    bool in_tensor = false;  // a name may be empty

    place named(std::string_view name) const { return {file, name, true}; }
};

/// Throws ricci::error: "ricci: FILE: tensor NAME: WORDS."
[[noreturn]] void fail_with(const place& where, const std::string& words);
template <class... Values>
[[noreturn]] void fail(const place& where, fmt::format_string<Values...> words,
                       Values&&... values) {
    fail_with(where, fmt::format(words, std::forward<Values>(values)...));
}
/// The same with the system's reason: "ricci: FILE: WORDS: No such file or directory."
[[noreturn]] void fail_for(const place& where, const std::string& words, int system_error);
/// Throws since there is no tensor of this name, with the names that there are.
[[noreturn]] void fail_without(const place& where, std::string_view name,
                               const std::vector<std::string_view>& names);

/// A text of somebody else as one may print it: control characters as \xNN, and no longer than
/// about `longest`.
std::string printable(std::string_view text, std::size_t longest = 80);

/// "1 byte", "2 bytes".
std::string count(std::size_t number, const char* thing);

/// Names as one may print them, separated by commas: all, or the first ones and how many more.
std::string some_of(const std::vector<std::string_view>& names);

}  // namespace ricci::files
