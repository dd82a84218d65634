// Reads definitions of macros.
#include "papers/macros.hpp"

#include <algorithm>
#include <vector>

#include <ricci/detail/letters.hpp>

namespace ricci::papers {

namespace {

constexpr std::size_t longest_body = 4000;  // characters
constexpr std::size_t most_macros = 5000;

// Of a macro's name, as packages define them.
bool is_name_letter(char c) { return detail::is_ascii_letter(c) || c == '@'; }

}  // namespace

/// A walk over the text of a definition.
struct definition_reader {
    definition_reader(std::string_view all, std::size_t at) : text(all), start(at), now(at) {}
    std::string_view text;
    std::size_t start;  // of the definition
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
    /// The name that the definition gives, in braces or not; empty where there is none.
    std::string defined_name() {
        if (here() == '*') ++now;
        skip_space();
        if (here() != '{') return command();
        std::string_view braced;
        if (!group(braced)) return {};
        definition_reader inner(braced, 0);
        inner.skip_space();
        return inner.command();
    }
};

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
                                                 "\\newcommandx",
                                                 "\\NewDocumentCommand",
                                                 "\\RenewDocumentCommand",
                                                 "\\DeclareDocumentCommand",
                                                 "\\ProvideDocumentCommand"};
    return std::find(std::begin(words), std::end(words), command) != std::end(words);
}

std::size_t macro_table::read_definition(std::string_view text, std::size_t at) {
    definition_reader w(text, at);
    const std::string word = w.command();
    if (!is_definition(word) || macros_.size() > most_macros) return at;
    const std::string name = w.defined_name();
    if (name.size() < 2) return at;
    macro m;
    const bool read =
        word == "\\let"                                           ? read_alias(w, m)
        : word == "\\DeclareMathOperator"                         ? read_operator(w, m)
        : word == "\\DeclarePairedDelimiter"                      ? read_delimiters(w, m)
        : word.find("DocumentCommand") != std::string::npos       ? read_document_command(w, m)
        : word == "\\def" || word == "\\gdef" || word == "\\edef" ? read_plain(w, m)
                                                                  : read_command(w, m);
    if (!read) return at;
    // what is only another name for the like of \left\{ stays as it is
    macros_[name] = std::move(m);
    return w.now;
}

void macro_table::read_definitions(std::string_view text) {
    for (std::size_t k = 0; k < text.size();) {
        if (text[k] == '%') {
            k = std::min(text.find('\n', k), text.size());
            continue;
        }
        const std::size_t behind = text[k] == '\\' ? read_definition(text, k) : k;
        // \% and \\ are no beginnings
        k = behind > k ? behind : k + (text[k] == '\\' ? 2 : 1);
    }
}

bool macro_table::read_alias(definition_reader& w, macro& m) const {
    w.skip_space();
    if (w.here() == '=') ++w.now;
    w.skip_space();
    const std::string other = w.command();
    if (other.empty()) return false;
    const auto known = macros_.find(other);
    if (known != macros_.end()) m = known->second;
    else m.body = tokenise(other, w.start);
    return true;
}

bool macro_table::read_operator(definition_reader& w, macro& m) {
    std::string_view body;
    if (!w.group(body)) return false;
    m.body = tokenise("\\operatorname{" + std::string(body) + "}", w.start);
    return true;
}

bool macro_table::read_delimiters(definition_reader& w, macro& m) {
    std::string_view left, right;
    if (!w.group(left) || !w.group(right)) return false;
    m.parameters = 1;
    m.body = tokenise(std::string(left) + " #1 " + std::string(right), w.start);
    return true;
}

bool macro_table::read_plain(definition_reader& w, macro& m) {
    while (!w.over() && w.here() != '{') {
        if (w.here() == '#') ++m.parameters;
        else if (w.here() < '0' || w.here() > '9') return false;  // delimited parameters
        ++w.now;
    }
    std::string_view body;
    if (m.parameters > 9 || !w.group(body)) return false;
    m.body = tokenise(body, w.start);
    return true;
}

/// {m o m}: parameters that have to be there, and an optional one in front.
bool macro_table::read_document_command(definition_reader& w, macro& m) {
    std::string_view kinds, body;
    if (!w.group(kinds)) return false;
    for (const char c : kinds) {
        if (c == ' ') continue;
        if (c != 'm' && (c != 'o' || m.parameters > 0)) return false;
        m.optional = m.optional || c == 'o';
        ++m.parameters;
    }
    if (m.parameters > 9 || !w.group(body)) return false;
    m.body = tokenise(body, w.start);
    return true;
}

bool macro_table::read_command(definition_reader& w, macro& m) {
    std::string_view count, standard, body;
    w.skip_space();
    if (w.here() == '[' && w.group(count, '[', ']')) {
        if (count.size() != 1 || count[0] < '0' || count[0] > '9') return false;
        m.parameters = count[0] - '0';
    }
    w.skip_space();
    if (w.here() == '[' && w.group(standard, '[', ']')) {
        m.optional = m.parameters > 0;
        m.standard = tokenise(standard, w.start);
    }
    if (!w.group(body)) {
        w.skip_space();
        const std::size_t begin = w.now;
        if (w.command().empty()) return false;  // \newcommand\half\frac: one command
        body = w.text.substr(begin, w.now - begin);
    }
    m.body = tokenise(body, w.start);
    return true;
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
