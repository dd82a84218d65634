// The command `ricci`: one subcommand for each thing to do, each registered by its own file.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <ricci/version.hpp>

#include "command/command.hpp"
#include "command/manual.hpp"
#include "command/run_pages.hpp"
#include "command/sentences.hpp"

namespace {

int run(int count, char** words) {
    using namespace ricci::command;
    int code = done;
    CLI::App app{
        "tensor equations as papers write them: computed, differentiated, explained, checked",
        "ricci"};
    app.set_version_flag("--version", "ricci " RICCI_VERSION_STRING);
    app.require_subcommand(0, 1);
    app.footer(
        "Exit status: 0, or 1 for a mistake in what was given, or 2 for a claim that is refuted, "
        "or "
        "3 where\n`check --strict` finds nothing refuted and something suspect.");
    std::string shell;
    bool manual = false;
    app.add_option("--completion", shell, "a completion script for bash, zsh or fish")
        ->type_name("SHELL");
    app.add_flag("--manual", manual, "this text as a page for man");
    // what the build has: -Dcheck=, -Ddraw= and -Dshow= leave a tool out
#ifdef RICCI_SHOW
    add_run(app, code, heat_map_pages());
#else
    add_run(app, code, nullptr);
#endif
    add_grad(app, code);
    add_explain(app, code);
#ifdef RICCI_CHECK
    add_check(app, code);
#endif
#ifdef RICCI_DRAW
    add_draw(app, code);
#endif
#ifdef RICCI_SHOW
    add_show(app, code);
#endif
    add_einsum(app, code);
    add_order(app, code);
    // "->" alone is an einsum string, and no option
    std::vector<std::string> all(words + 1, words + count);
    for (std::string& word : all)
        if (word.starts_with("->")) word.insert(0, " ");
    std::reverse(all.begin(), all.end());
    try {
        app.parse(std::move(all));
    } catch (const CLI::ParseError& e) {
        if (e.get_exit_code() == 0) return app.exit(e), done;  // --help, --version
        remark_aside("ricci: {}; ricci --help says more\n", e.what());
        return mistaken;
    }
    if (manual) fmt::print("{}", manual_page(app, RICCI_VERSION_STRING));
    else if (!shell.empty()) fmt::print("{}", completion(app, shell));
    else if (app.get_subcommands().empty()) fmt::print("{}", app.help());
    return code;
}

// "v"_i = ..., as a program binds, is v:EXTENT here.
void spell_bindings(std::string& words) {
    constexpr std::pair<std::string_view, std::string_view> bindings[] = {{"\"_i = ...", ":EXTENT"},
                                                                          {"\"_t = ...", "=FILE"}};
    for (const auto& [in_program, here] : bindings)
        for (std::size_t at; (at = words.find(in_program)) != std::string::npos && at > 0;) {
            words.replace(at, in_program.size(), here);
            if (const std::size_t quote = words.rfind('"', at - 1); quote != std::string::npos)
                words.erase(quote, 1);
        }
}

// A message of the library with the words of the command for what tensors hold, and how they are
// bound.
std::string in_own_words(std::string words) {
    spell_bindings(words);
    constexpr std::pair<std::string_view, std::string_view> types[] = {
        {"std::complex<double>", "c128"}, {"std::complex<float>", "c64"},
        {"std::int32_t", "i32"},          {"std::int64_t", "i64"},
        {"ricci::bf16", "bf16"},          {"ricci::f16", "f16"},
        {"hold double", "hold f64"},      {"holds double", "holds f64"},
        {"hold float", "hold f32"},       {"holds float", "holds f32"}};
    for (const auto& [type, word] : types)
        for (std::size_t at = 0; (at = words.find(type, at)) != std::string::npos;
             at += word.size())
            words.replace(at, type.size(), word);
    return words;
}

}  // namespace

int main(int count, char** words) {
    int code = ricci::command::mistaken;
    try {
        code = run(count, words);
    } catch (const std::bad_alloc&) {
        std::fputs("ricci: there is not enough memory for this\n", stderr);
    } catch (const std::exception& e) {
        ricci::command::remark_aside("{}\n", in_own_words(e.what()));
    }
    // what was printed has to have arrived, or it is a mistake too
    std::fflush(stdout);
    if (std::ferror(stdout) != 0 && code == ricci::command::done) code = ricci::command::mistaken;
    return code;
}
