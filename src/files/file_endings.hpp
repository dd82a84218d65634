// What the names of files end in.
#pragma once

#include <string_view>

namespace ricci::files {

/// Whether a name has this ending, in small letters or large ones; `ending` is in small ones.
inline bool ends_with(std::string_view text, std::string_view ending) {
    if (text.size() < ending.size()) return false;
    const std::string_view end = text.substr(text.size() - ending.size());
    for (std::size_t k = 0; k < end.size(); ++k) {
        const char c =
            end[k] >= 'A' && end[k] <= 'Z' ? static_cast<char>(end[k] - 'A' + 'a') : end[k];
        if (c != ending[k]) return false;
    }
    return true;
}

}  // namespace ricci::files
