// Letters of names: small ones, capitals, and words made of them.
#pragma once

#include <string>

#include "command/paper_tokens.hpp"

namespace ricci::command {

inline bool is_small(const std::string& s) { return s.size() == 1 && s[0] >= 'a' && s[0] <= 'z'; }

inline bool is_big(const std::string& s) { return s.size() == 1 && s[0] >= 'A' && s[0] <= 'Z'; }

inline std::string letters_of(const tokens& list) {
    std::string out;
    for (const token& t : list)
        for (const char c : t.text)
            if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'))
                out += c;
    return out;
}

}  // namespace ricci::command
