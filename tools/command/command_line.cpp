// Subcommands as CLI11 knows them.
#include "command/command_line.hpp"

#include <CLI/CLI.hpp>

namespace ricci::command {
namespace {

// A shell's variable that is not set gives an option nothing, which would be as if it were left
// out.
std::string nothing_given(const std::string& value) {
    return value.empty() ? "nothing is given; write a value, or leave the option out" : "";
}

}  // namespace

command_line::command_line(CLI::App& app, const std::string& name, const std::string& description)
    : app_(*app.add_subcommand(name, description)) {}

void command_line::footer(const std::string& text) { app_.footer(text); }

void command_line::word(std::string& to, const std::string& type, const std::string& description) {
    app_.add_option(type, to, description)->required()->type_name("");
}

void command_line::words(std::vector<std::string>& to, const std::string& type,
                         const std::string& description, bool needed) {
    app_.add_option(type, to, description)->required(needed)->type_name("");
}

void command_line::option(const std::string& names, std::string& to, const std::string& type,
                          const std::string& description) {
    app_.add_option(names, to, description)->type_name(type)->check(nothing_given, "");
}

void command_line::option(const std::string& names, int& to, int most, const std::string& type,
                          const std::string& description) {
    app_.add_option(names, to, description)
        ->type_name(type)
        ->check(CLI::Range(0, most).description(""));
}

void command_line::option(const std::string& names, std::vector<std::string>& to,
                          const std::string& type, const std::string& description, char separator) {
    CLI::Option& made = *app_.add_option(names, to, description);
    // one value behind each -o: what follows are operands
    made.type_name(type)->allow_extra_args(false)->check(nothing_given, "");
    if (separator != '\0') made.delimiter(separator);
}

void command_line::flag(const std::string& names, bool& to, const std::string& description) {
    app_.add_flag(names, to, description);
}

void command_line::call(std::function<void()> what) { app_.callback(std::move(what)); }

}  // namespace ricci::command
