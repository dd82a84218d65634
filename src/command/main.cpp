// The command `ricci`: one subcommand for each thing to do, each registered by its own file.
#include <cstdio>
#include <exception>

#include <CLI/CLI.hpp>

#include "command/command.hpp"

int main(int count, char** words) {
    int code = ricci::command::done;
    CLI::App app{"Tensor equations as papers write them: checked.", "ricci"};
    app.require_subcommand(1);
    ricci::command::add_check(app, code);
    try {
        app.parse(count, words);
    } catch (const CLI::ParseError& e) {
        return app.exit(e) == 0 ? ricci::command::done : ricci::command::mistaken;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "ricci: %s\n", e.what());
        return ricci::command::mistaken;
    }
    return code;
}
