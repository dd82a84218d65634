// What a file is refused with: one sentence that names it.
#pragma once

#include <filesystem>
#include <string>

#include <ricci/files.hpp>

#include "tests/files/folder.hpp"
#include "tests/words_of.hpp"

namespace ricci::testing {

/// The words without "ricci: FILE: " and the full stop; what is no such sentence comes back whole,
/// marked.
inline std::string without_file(const std::string& words, const std::filesystem::path& path) {
    const std::string begin = "ricci: " + path.string() + ": ";
    if (!words.starts_with(begin) || !words.ends_with(".") || words.find('\n') != std::string::npos)
        return "NO SENTENCE: " + words;
    return words.substr(begin.size(), words.size() - begin.size() - 1);
}

/// What a file of these bytes is refused with; empty where it is not.
inline std::string refusal(const std::filesystem::path& path, const std::string& bytes) {
    write_text(path, bytes);
    const std::string words = words_of([&] { load_all(path); });
    return words.empty() ? words : without_file(words, path);
}

/// Reads a file in every way. What it says of it is a sentence, if anything; anything else is
/// thrown on.
inline std::string read_in_every_way(const std::filesystem::path& path) {
    const std::string shapes = words_of([&] {
        for (const auto& [name, shape] : load_shapes(path)) static_cast<void>(shape.size());
    });
    const std::string one = words_of([&] { load(path); });
    const std::string named = words_of([&] { load(path, "x"); });
    const std::string all = words_of([&] {
        // Every byte is touched, as the address sanitizer and the checks of bool would see.
        for (const auto& [name, a] : load_all(path)) static_cast<void>(a.clone());
    });
    std::string said;
    for (const std::string& words : {shapes, one, named, all})
        if (!words.empty()) said = without_file(words, path);
    return all.empty() ? "" : said;
}

}  // namespace ricci::testing
