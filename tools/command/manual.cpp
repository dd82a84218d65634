// The manual page and completion scripts, from the commands and options that CLI11 knows.
#include "command/manual.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "command/sentences.hpp"

namespace ricci::command {
namespace {

// troff takes a backslash, and a point or a quote in front of a line, for its own.
std::string escaped(const std::string& text) {
    std::string out;
    for (std::size_t k = 0; k < text.size(); ++k) {
        if ((text[k] == '.' || text[k] == '\'') && (k == 0 || text[k - 1] == '\n')) out += "\\&";
        if (text[k] == '\\') out += "\\e";
        else if (text[k] == '-') out += "\\-";
        else out += text[k];
    }
    return out;
}

std::string without(const std::string& text, char c) {
    std::string out;
    for (const char x : text)
        if (x != c) out += x;
    return out;
}

std::string names_of(const CLI::Option& o) {
    std::string names;
    for (const std::string& s : o.get_snames())
        names += fmt::format("{}-{}", names.empty() ? "" : ", ", s);
    for (const std::string& s : o.get_lnames())
        names += fmt::format("{}--{}", names.empty() ? "" : ", ", s);
    const std::string type = o.get_type_name();
    if (o.get_items_expected_max() > 0 && !type.empty()) names += fmt::format(" {}", type);
    return names;
}

void describe_options(const CLI::App& app, std::string& out) {
    for (const CLI::Option* o : app.get_options()) {
        if (o->get_group().empty()) continue;  // hidden
        const std::string name = o->get_positional() ? o->get_name() : names_of(*o);
        out += fmt::format(".TP\n.B {}\n{}\n", escaped(name), escaped(o->get_description()));
    }
}

std::string synopsis_of(const CLI::App& app) {
    std::string out = "[OPTIONS]";
    for (const CLI::Option* o : app.get_options()) {
        if (!o->get_positional()) continue;
        const std::string name = o->get_name();
        const std::string many = o->get_items_expected_max() > 1 ? "..." : "";
        out += o->get_required() ? fmt::format(" {}{}", name, many)
                                 : fmt::format(" [{}{}]", name, many);
    }
    return out;
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
    return app.get_subcommands([](const CLI::App* s) { return !s->get_name().empty(); });
}

std::string flags_of(const CLI::App& app) {
    std::vector<std::string> flags;
    for (const CLI::Option* o : app.get_options()) {
        if (o->get_group().empty()) continue;
        for (const std::string& s : o->get_snames()) flags.push_back("-" + s);
        for (const std::string& s : o->get_lnames()) flags.push_back("--" + s);
    }
    return fmt::format("{}", fmt::join(flags, " "));
}

std::string bash_completion(const CLI::App& app) {
    std::string names;
    for (const CLI::App* s : commands_of(app)) names += (names.empty() ? "" : " ") + s->get_name();
    std::string out =
        "# Completion of ricci for bash.\n_ricci() {\n"
        "    local word=${COMP_WORDS[COMP_CWORD]} options=\n"
        "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
        "        COMPREPLY=($(compgen -W '";
    out += fmt::format("{} {}", names, flags_of(app));
    out +=
        "' -- \"$word\"))\n        return\n    fi\n"
        "    case ${COMP_WORDS[1]} in\n";
    for (const CLI::App* s : commands_of(app))
        out += fmt::format("    {}) options='{}' ;;\n", s->get_name(), flags_of(*s));
    out +=
        "    esac\n"
        "    case $word in\n"
        "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n"
        "    *)\n"
        "        # behind = stands a file\n"
        "        [ \"$word\" = = ] && word=\n"
        "        compopt -o filenames 2>/dev/null\n"
        "        COMPREPLY=($(compgen -f -- \"$word\"))\n"
        "        ;;\n"
        "    esac\n"
        "}\n"
        "complete -F _ricci ricci\n";
    return out;
}

std::string zsh_completion(const CLI::App& app) {
    std::string out =
        "#compdef ricci\n# Completion of ricci for zsh.\n_ricci() {\n"
        "    local -a commands\n    commands=(\n";
    for (const CLI::App* s : commands_of(app))
        out += fmt::format("        '{}:{}'\n", s->get_name(),
                           without(without(s->get_description(), '\''), ':'));
    out +=
        "    )\n    if (( CURRENT == 2 )); then\n        _describe command commands\n        "
        "return\n"
        "    fi\n    case $words[2] in\n";
    for (const CLI::App* s : commands_of(app))
        out += fmt::format("    {}) compadd -- {} ;;\n", s->get_name(), flags_of(*s));
    out += "    esac\n    compset -P '*='\n    _files\n}\n_ricci \"$@\"\n";
    return out;
}

std::string fish_completion(const CLI::App& app) {
    std::string out = "# Completion of ricci for fish.\n";
    for (const CLI::App* s : commands_of(app)) {
        out += fmt::format("complete -c ricci -n __fish_use_subcommand -f -a {} -d '{}'\n",
                           s->get_name(), without(s->get_description(), '\''));
        for (const CLI::Option* o : s->get_options()) {
            if (o->get_group().empty() || o->get_positional()) continue;
            out +=
                fmt::format("complete -c ricci -n '__fish_seen_subcommand_from {}'", s->get_name());
            for (const std::string& n : o->get_snames()) out += fmt::format(" -s {}", n);
            for (const std::string& n : o->get_lnames()) out += fmt::format(" -l {}", n);
            out += fmt::format("{} -d '{}'\n", o->get_items_expected_max() > 0 ? " -r" : "",
                               without(o->get_description(), '\''));
        }
    }
    return out;
}

}  // namespace

std::string manual_page(const CLI::App& app, const std::string& version) {
    std::string out = fmt::format(
        ".TH RICCI 1 \"\" \"ricci {}\" \"User Commands\"\n.SH NAME\nricci \\- {}\n.SH SYNOPSIS\n",
        version, escaped(without(app.get_description(), '\n')));
    for (const CLI::App* s : commands_of(app))
        out += fmt::format(".B ricci {}\n{}\n.br\n", s->get_name(), escaped(synopsis_of(*s)));
    out += ".SH OPTIONS\n";
    describe_options(app, out);
    for (const CLI::App* s : commands_of(app)) {
        out += fmt::format(".SH RICCI {}\n{}.\n", s->get_name(), escaped(s->get_description()));
        describe_options(*s, out);
        if (!s->get_footer().empty())
            out += fmt::format(".PP\n.nf\n{}\n.fi\n", escaped(s->get_footer()));
    }
    if (!app.get_footer().empty())
        out += fmt::format(".SH EXIT STATUS\n.nf\n{}\n.fi\n", escaped(app.get_footer()));
    return out;
}

std::string completion(const CLI::App& app, const std::string& shell) {
    if (shell == "bash") return bash_completion(app);
    if (shell == "zsh") return zsh_completion(app);
    if (shell == "fish") return fish_completion(app);
    refuse("there is no completion for '{}'; there is for bash, zsh and fish.", shell);
}

}  // namespace ricci::command
