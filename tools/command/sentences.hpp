// What the command says beside its output: mistakes, which end it, and remarks.
#pragma once

#include <cstdio>
#include <utility>

#include <fmt/core.h>

#include <ricci/error.hpp>

namespace ricci::command {

/// Throws ricci::error: "ricci: SENTENCE".
template <class... Values>
[[noreturn]] void refuse(fmt::format_string<Values...> sentence, Values&&... values) {
    throw error("ricci: " + fmt::format(sentence, std::forward<Values>(values)...));
}

/// Writes to standard error. Nothing else depends on it: that it cannot be written is no mistake.
template <class... Values>
void remark_aside(fmt::format_string<Values...> words, Values&&... values) {
    std::fputs(fmt::format(words, std::forward<Values>(values)...).c_str(), stderr);
}

}  // namespace ricci::command
