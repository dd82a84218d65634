// How the program ends when it cannot go on: with a sentence.
#pragma once

#include <cstdlib>
#include <utility>

#include <fmt/core.h>

namespace gpt {

template <class... Values>
[[noreturn]] void fail(fmt::format_string<Values...> words, Values&&... values) {
    fmt::print(stderr, "gpt: {}\n", fmt::format(words, std::forward<Values>(values)...));
    std::exit(1);
}

}  // namespace gpt
