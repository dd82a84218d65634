// What is wrong in a JSON file, in a sentence that names the file.
#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>

#include <ricci/error.hpp>

#include "src/base/json_reader.hpp"
#include "src/files/words.hpp"

namespace ricci::files {

/// Calls `read`, and says what is malformed with its line.
template <class Read>
void read_json(const place& where, const Read& read) {
    try {
        read();
    } catch (const json_mistake& m) {
        fail(where, "line {}: {}", m.line, m.words);
    }
}

/// Gives what `make` gives, and puts the name of the file before what the library refuses.
template <class Make>
auto in_words_of(const place& where, const Make& make) {
    const std::string_view prefix = "ricci: ";
    const std::string of_file = fmt::format("{}{}: ", prefix, where.file);
    try {
        return make();
    } catch (const error& e) {
        std::string words = e.what();
        if (words.starts_with(of_file) || !words.starts_with(prefix)) throw;
        if (words.ends_with('.')) words.pop_back();
        fail_with(where, words.substr(prefix.size()));
    }
}

}  // namespace ricci::files
