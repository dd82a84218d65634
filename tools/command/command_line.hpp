// What a subcommand takes, said without the library that reads command lines, which is slow to
// compile.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace ricci::command {

/// One subcommand: its words are put where they are wanted, and then what it does is called. What
/// is bound has to live until then: keep it in what the call owns.
class command_line {
public:
    command_line(CLI::App& app, const std::string& name, const std::string& description);

    /// What is printed below --help: examples, and what would not fit into one line.
    void footer(const std::string& text);
    /// A word that has to be there, as FILE. `type`: how --help names it; a name, since later
    /// versions of the library refuse signs in it.
    void word(std::string& to, const std::string& type, const std::string& description);
    /// All words behind.
    void words(std::vector<std::string>& to, const std::string& type,
               const std::string& description, bool needed = false);
    /// `names`: "-o,--output".
    void option(const std::string& names, std::string& to, const std::string& type,
                const std::string& description);
    /// A whole number from 0 to `most`.
    void option(const std::string& names, int& to, int most, const std::string& type,
                const std::string& description);
    /// May be given several times; where there is a separator, several values at once.
    void option(const std::string& names, std::vector<std::string>& to, const std::string& type,
                const std::string& description, char separator = '\0');
    void flag(const std::string& names, bool& to, const std::string& description);

    void call(std::function<void()> what);

private:
    CLI::App& app_;
};

}  // namespace ricci::command
