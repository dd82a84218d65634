// Equations from a file, with the place of a mistake as compilers print it.
#include "command/equations_file.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>

#include <ricci/error.hpp>

namespace ricci::command {
namespace {

std::string text_of(const std::string& file) {
    std::ostringstream text;
    if (file == "-") {
        text << std::cin.rdbuf();
    } else {
        std::ifstream in(file, std::ios::binary);
        if (in) text << in.rdbuf();
        if (!in || !text) throw error(file + ": " + std::strerror(errno != 0 ? errno : EIO));
    }
    return text.str();
}

}  // namespace

program read_equations(const std::string& file) {
    const std::string text = text_of(file);
    auto read = parse(text);
    if (read) return std::move(read).value();
    const mistake& wrong = read.error();
    std::string words = wrong.message;
    if (wrong.line > 0)
        if (const std::size_t colon = words.find(": "); colon != std::string::npos)
            words = std::to_string(wrong.line) + ":" + std::to_string(wrong.column) +
                    ": mistake: " + words.substr(colon + 2);
    throw error((file == "-" ? "<stdin>" : file) + ":" + (wrong.line > 0 ? "" : " ") + words);
}

}  // namespace ricci::command
