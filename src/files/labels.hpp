// Labels of indices in JSON, numbers or texts, as numbers of indices.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "src/base/json_reader.hpp"

namespace ricci::files {

/// The code point of a text that is one character of UTF-8; -1 for any other text.
std::int64_t only_character(std::string_view text);

/// The labels of one file. Those that are numbers stand for themselves; texts get places in a list,
/// and what they stand for is known when all have been read.
class label_list {
public:
    /// The next label, as a number that only number() understands.
    std::int64_t read(json_reader& r);
    /// Which label a key of an object is, once all labels have been read: a number in digits where
    /// labels are numbers. False where it is none.
    bool find(const std::string& key, std::int64_t& label) const;
    /// The number of the index: the label itself, the code point where all texts are one character,
    /// or else the place of its text.
    std::int64_t number(std::int64_t label) const;
    /// As it stood in the file.
    std::string words(std::int64_t label) const;

private:
    std::int64_t place_of(const std::string& text);

    enum class kind : std::uint8_t { unknown, numbers, texts };
    kind kind_ = kind::unknown;
    bool all_characters_ = true;
    std::unordered_map<std::string, std::int64_t> places_;
    std::vector<std::string> texts_;
};

}  // namespace ricci::files
