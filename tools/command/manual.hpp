// The manual page and the completion of shells, made from the same descriptions as --help.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace ricci::command {

/// A page for man(1), in troff.
std::string manual_page(const CLI::App& app, const std::string& version);
/// A script for "bash", "zsh" or "fish". Throws ricci::error for another shell.
std::string completion(const CLI::App& app, const std::string& shell);

}  // namespace ricci::command
