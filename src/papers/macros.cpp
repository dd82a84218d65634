// Reads definitions of macros, and puts their texts where they are used.
#include "papers/macros.hpp"

#include <algorithm>
#include <vector>

#include <ricci/detail/letters.hpp>

namespace ricci::papers {

namespace {

constexpr std::size_t longest_body = 4000;        // characters
constexpr std::size_t longest_expansion = 20000;  // tokens
constexpr int most_expansions = 4000;             // in one display
constexpr std::size_t most_macros = 5000;

// Of a macro's name, as packages define them.
bool is_name_letter(char c) { return detail::is_ascii_letter(c) || c == '@'; }

/// A walk over the text of a definition.
struct definition_reader {
    std::string_view text;
    std::size_t now;

    bool over() const { return now >= text.size(); }
    char here() const { return over() ? '\0' : text[now]; }
    void skip_space() {
        while (!over() && detail::is_blank(text[now])) ++now;
    }
    /// \name, at which the walk stands; empty where it does not.
    std::string command() {
        if (here() != '\\') return {};
        const std::size_t begin = now++;
        if (over()) return {};
        if (!is_name_letter(here())) ++now;
        else
            while (is_name_letter(here())) ++now;
        return std::string(text.substr(begin, now - begin));
    }
    /// What stands in {...}, braces inside it included; false where no brace closes soon.
    bool group(std::string_view& out, char open = '{', char close = '}') {
        skip_space();
        if (here() != open) return false;
        const std::size_t begin = ++now;
        int depth = 1;
        for (; !over() && now - begin <= longest_body; ++now) {
            if (text[now] == '\\') {
                ++now;
                continue;
            }
            if (text[now] == open) ++depth;
            if (text[now] == close && --depth == 0) {
                out = text.substr(begin, now - begin);
                ++now;
                return true;
            }
        }
        return false;
    }
};

}  // namespace

macro_table::macro_table() {
    // of the package physics and its like; a document's own definitions come over them
    define("\\dv", 2, "\\frac{d #1}{d #2}");
    define("\\pdv", 2, "\\frac{\\partial #1}{\\partial #2}");
    define("\\abs", 1, "\\lvert #1 \\rvert");
    define("\\norm", 1, "\\lVert #1 \\rVert");
    define("\\dd", 0, "d");
    // of commath and xspace
    define("\\dif", 0, "d");
    define("\\od", 3, "\\frac{d^{#1} #2}{d #3^{#1}}");
    define("\\pd", 3, "\\frac{\\partial^{#1} #2}{\\partial #3^{#1}}");
    for (const char* order_first : {"\\od", "\\pd"}) macros_[order_first].optional = true;
    define("\\del", 1, "\\left( #1 \\right)");
    define("\\sbr", 1, "\\left[ #1 \\right]");
    define("\\cbr", 1, "\\left\\{ #1 \\right\\}");
    define("\\envert", 1, "\\lvert #1 \\rvert");
    define("\\xspace", 0, "");
    define("\\bra", 1, "\\langle #1 |");
    define("\\ket", 1, "| #1 \\rangle");
    define("\\expval", 1, "\\langle #1 \\rangle");
    define("\\ev", 1, "\\langle #1 \\rangle");
    define("\\vb", 1, "\\mathbf{#1}");
    define("\\va", 1, "\\vec{#1}");
    define("\\vect", 1, "\\vec{#1}");
    define("\\mathbold", 1, "\\boldsymbol{#1}");
    define("\\pmb", 1, "\\boldsymbol{#1}");
    define("\\braket", 1, "\\langle #1 \\rangle");
    define("\\lbrace", 0, "\\{");
    define("\\rbrace", 0, "\\}");
    define("\\lbrack", 0, "[");
    define("\\rbrack", 0, "]");
    define("\\cr", 0, "\\\\");
    define("\\mathnormal", 1, "#1");
    define("\\varGamma", 0, "\\Gamma");
    define("\\varDelta", 0, "\\Delta");
    define("\\varTheta", 0, "\\Theta");
    define("\\varLambda", 0, "\\Lambda");
    define("\\varPi", 0, "\\Pi");
    define("\\varSigma", 0, "\\Sigma");
    define("\\varPhi", 0, "\\Phi");
    define("\\varPsi", 0, "\\Psi");
    define("\\varOmega", 0, "\\Omega");
    define("\\Epsilon", 0, "E");
    define("\\Alpha", 0, "A");
    define("\\Beta", 0, "B");
    define("\\Rho", 0, "P");
    define("\\Tau", 0, "T");
    define("\\Eta", 0, "H");
    define("\\nicefrac", 2, "\\frac{#1}{#2}");
    define("\\sfrac", 2, "\\frac{#1}{#2}");
    define("\\flatfrac", 2, "\\frac{#1}{#2}");
}

void macro_table::define(std::string name, int parameters, std::string_view body) {
    macro m;
    m.parameters = parameters;
    m.body = tokenise(body, 0);
    macros_[std::move(name)] = std::move(m);
}

bool macro_table::is_definition(std::string_view command) {
    static constexpr std::string_view words[] = {"\\newcommand",
                                                 "\\renewcommand",
                                                 "\\providecommand",
                                                 "\\DeclareRobustCommand",
                                                 "\\def",
                                                 "\\gdef",
                                                 "\\edef",
                                                 "\\DeclareMathOperator",
                                                 "\\let",
                                                 "\\DeclarePairedDelimiter",
                                                 "\\newcommandx"};
    return std::find(std::begin(words), std::end(words), command) != std::end(words);
}

std::size_t macro_table::read_definition(std::string_view text, std::size_t at) {
    definition_reader w{text, at};
    const std::string word = w.command();
    if (!is_definition(word) || macros_.size() > most_macros) return at;
    if (w.here() == '*') ++w.now;
    w.skip_space();
    std::string_view braced;
    std::string name;
    if (w.here() == '{') {
        if (!w.group(braced)) return at;
        definition_reader inner{braced, 0};
        inner.skip_space();
        name = inner.command();
    } else {
        name = w.command();
    }
    if (name.size() < 2) return at;
    macro m;
    std::string_view body;
    if (word == "\\let") {
        w.skip_space();
        if (w.here() == '=') ++w.now;
        w.skip_space();
        const std::string other = w.command();
        if (other.empty()) return at;
        const auto known = macros_.find(other);
        if (known != macros_.end()) m = known->second;
        else m.body = tokenise(other, at);
        macros_[name] = std::move(m);
        return w.now;
    }
    if (word == "\\DeclareMathOperator") {
        if (!w.group(body)) return at;
        m.body = tokenise("\\operatorname{" + std::string(body) + "}", at);
    } else if (word == "\\DeclarePairedDelimiter") {
        std::string_view right;
        if (!w.group(body) || !w.group(right)) return at;
        m.parameters = 1;
        m.body = tokenise(std::string(body) + " #1 " + std::string(right), at);
    } else if (word == "\\def" || word == "\\gdef" || word == "\\edef") {
        while (!w.over() && w.here() != '{') {
            if (w.here() == '#') ++m.parameters;
            else if (w.here() < '0' || w.here() > '9') return at;  // delimited parameters
            ++w.now;
        }
        if (m.parameters > 9 || !w.group(body)) return at;
        m.body = tokenise(body, at);
    } else {
        std::string_view count, standard;
        w.skip_space();
        if (w.here() == '[' && w.group(count, '[', ']')) {
            if (count.size() != 1 || count[0] < '0' || count[0] > '9') return at;
            m.parameters = count[0] - '0';
        }
        w.skip_space();
        if (w.here() == '[' && w.group(standard, '[', ']')) {
            m.optional = m.parameters > 0;
            m.standard = tokenise(standard, at);
        }
        if (!w.group(body)) {
            w.skip_space();
            const std::size_t begin = w.now;
            if (w.command().empty()) return at;  // \newcommand\half\frac: one command
            body = text.substr(begin, w.now - begin);
        }
        m.body = tokenise(body, at);
    }
    // what is only another name for the like of \left\{ stays as it is
    macros_[name] = std::move(m);
    return w.now;
}

bool macro_table::expand(tokens& list) const {
    tokens out;
    // what is still to be read, the next one last
    tokens rest(list.rbegin(), list.rend());
    int expansions = 0;
    const auto next_argument = [&](tokens& argument) {
        if (rest.empty()) return;
        int depth = 0;
        do {
            token t = std::move(rest.back());
            rest.pop_back();
            if (t.kind == token_kind::open) ++depth;
            if (t.kind == token_kind::close) --depth;
            argument.push_back(std::move(t));
        } while (depth > 0 && !rest.empty());
        if (argument.size() >= 2 && argument.front().kind == token_kind::open) {
            argument.erase(argument.begin());
            if (argument.back().kind == token_kind::close) argument.pop_back();
        }
    };
    while (!rest.empty()) {
        if (out.size() + rest.size() > longest_expansion) break;
        token t = std::move(rest.back());
        rest.pop_back();
        const auto found = t.is_command() ? macros_.find(t.text) : macros_.end();
        if (found == macros_.end()) {
            out.push_back(std::move(t));
            continue;
        }
        if (++expansions > most_expansions) break;
        const macro& m = found->second;
        std::vector<tokens> arguments(static_cast<std::size_t>(m.parameters));
        if (!rest.empty() && rest.back().is("*")) rest.pop_back();
        for (std::size_t k = 0; k < arguments.size(); ++k) {
            if (k == 0 && m.optional) {
                if (rest.empty() || !rest.back().is("[")) {
                    arguments[k] = m.standard;
                    continue;
                }
                rest.pop_back();
                while (!rest.empty() && !rest.back().is("]")) {
                    arguments[k].push_back(std::move(rest.back()));
                    rest.pop_back();
                }
                if (!rest.empty()) rest.pop_back();
                continue;
            }
            next_argument(arguments[k]);
        }
        tokens body;
        for (std::size_t k = 0; k < m.body.size(); ++k) {
            const token& b = m.body[k];
            if (b.is("#") && k + 1 < m.body.size() && m.body[k + 1].kind == token_kind::number) {
                // "#12" is the first parameter and a 2
                const std::string digits = m.body[++k].text;
                const auto which = static_cast<std::size_t>(digits[0] - '1');
                if (which < arguments.size()) {
                    if (body.size() + arguments[which].size() > longest_expansion) break;
                    body.insert(body.end(), arguments[which].begin(), arguments[which].end());
                }
                if (digits.size() > 1)
                    body.push_back({token_kind::number, digits.substr(1), t.at, false});
                continue;
            }
            body.push_back(b);
            body.back().at = t.at;
        }
        if (!body.empty()) body.front().spaced = true;
        if (!rest.empty()) rest.back().spaced = true;
        if (body.size() + rest.size() > longest_expansion) break;
        rest.insert(rest.end(), body.rbegin(), body.rend());
    }
    const bool finished = rest.empty();
    list = std::move(out);
    return finished;
}

std::string macro_table::environment_of(std::string_view command, std::string_view word) const {
    const auto found = macros_.find(command);
    if (found == macros_.end() || found->second.parameters > 0) return {};
    const tokens& body = found->second.body;
    for (std::size_t k = 0; k + 1 < body.size(); ++k)
        if (body[k].is(word))
            return spelled(
                argument_at(body.begin() + static_cast<std::ptrdiff_t>(k) + 1, body.end()));
    return {};
}
std::string macro_table::begins(std::string_view command) const {
    return environment_of(command, "\\begin");
}
std::string macro_table::ends(std::string_view command) const {
    return environment_of(command, "\\end");
}

}  // namespace ricci::papers
