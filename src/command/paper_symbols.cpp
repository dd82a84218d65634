// Counts how a document writes its symbols, and concludes what they are.
#include "command/paper_symbols.hpp"

#include <algorithm>
#include <string_view>

#include "command/paper_indices.hpp"
#include "command/paper_statements.hpp"
#include "command/paper_words.hpp"
#include "command/text_words.hpp"

namespace ricci::command {

namespace {

/// A command whose argument is the name itself, in a font of its own.
bool is_name_wrapper(std::string_view command) {
    return is_wrapper(command) || command == "\\mathrm" || command == "\\text" ||
           command == "\\textrm";
}

/// Pi is a number.
bool is_greek(const token& t) { return (is_greek_letter(t) && !t.is("\\pi")) || t.is("\\hbar"); }

/// Whether a subscript is a label: capitals, digits or words.
bool is_label(const tokens& script) {
    bool any = false;
    for (const token& t : script) {
        if (t.is("\\text") || t.is("\\mathrm") || t.is("\\textrm") || t.is("\\mathsf") ||
            t.is("\\rm"))
            return true;
        if (t.kind == token_kind::letter && !detail::is_capital_letter(t.text[0])) return false;
        if (is_greek(t)) return false;
        any = any || t.kind == token_kind::letter || t.kind == token_kind::number;
    }
    return any;
}

/// The words before and behind a formula, within its sentence.
std::string words_before(std::string_view text, std::size_t at, std::size_t most) {
    const std::size_t begin = at > most ? at - most : 0;
    std::string out = lower(text.substr(begin, at - begin));
    for (const char* stop : {". ", "\n\n", "$$", ";"})
        if (const std::size_t k = out.rfind(stop); k != std::string::npos) out.erase(0, k + 1);
    return out;
}
std::string words_behind(std::string_view text, std::size_t at, std::size_t most) {
    std::string out = lower(text.substr(at, most));
    for (const char* stop : {". ", ".\n", "\n\n", "$$", ";", "\n- ", "\n* "})
        if (const std::size_t k = out.find(stop); k != std::string::npos) out.erase(k);
    return out;
}

/// Whether the last word is one of these.
bool ends_with_word(std::string text, std::initializer_list<const char*> words) {
    while (!text.empty() && (text.back() < 'a' || text.back() > 'z')) text.pop_back();
    const std::size_t begin = text.find_last_not_of("abcdefghijklmnopqrstuvwxyz");
    const std::string last = begin == std::string::npos ? text : text.substr(begin + 1);
    return std::any_of(words.begin(), words.end(), [&](const char* w) { return last == w; });
}
/// "is a symmetric matrix": what the words behind a formula say that it is.
bool is_said_to_be(const std::string& behind, std::initializer_list<std::string_view> words) {
    for (const char* beginning : {" is a ", " is an ", " is the ", " denotes a ", " denotes the ",
                                  " be a ", " be an ", " are "}) {
        if (behind.rfind(beginning, 0) != 0) continue;
        const std::string next = behind.substr(0, 40);
        return has_word_beginning(next, words);
    }
    return false;
}

class survey {
public:
    survey(const document& d, const std::vector<part>& parts) : text_(d.text()), parts_(parts) {}

    symbols run() {
        const std::string all =
            lower(text_.substr(0, std::min<std::size_t>(text_.size(), 2000000)));
        out_.operators =
            has_word_beginning(all, {"hamiltonian operator", "commutator", "\\dagger", "\\ket",
                                     "hilbert space", "annihilation operator"});
        if (has_word_beginning(all, {"matrix", "matrices"})) out_.any_matrix = true;
        for (const part& p : parts_) {
            if (p.kind == part_kind::heading) continue;
            look(p.content);
            if (p.kind == part_kind::inline_math) look_at_prose(p);
            for (const statement& s : statements_of(p.content, p.environment)) look_at(s);
        }
        return std::move(out_);
    }

private:
    void look(const tokens& list) {
        for (auto t = list.begin(); t != list.end();) {
            if ((t->is("\\|") || t->is("\\lVert") || t->is("\\Vert")) && std::next(t) != list.end())
                note_norm(std::next(t), list.end());
            if (t->is("\\mathbb") || t->is("\\Re") || t->is("\\R")) {
                ++t;
                continue;
            }
            const written_name n = name_at(t, list.end());
            if (n.key.empty()) {
                ++t;
                continue;
            }
            if (n.indices > 1) ++out_.indexed[n.key];
            if (n.lowered) out_.lowered.insert(n.key);
            note_dress(t);
            if (n.bold) out_.any_matrix = true;
            note_scripts(n);
            note_arguments(n, list.end());
            note_membership(n, list);
            ++t;  // not behind it: what stands in its scripts is looked at too
        }
    }
    void note_dress(token_at t) {
        if (t->kind == token_kind::letter) out_.plain.insert(t->text);
        if (is_name_wrapper(t->text) && !t->is("\\text") && !t->is("\\mathrm") &&
            !t->is("\\textrm")) {
            const auto inner = std::next(t);
            if (inner->kind == token_kind::open && std::next(inner)->kind == token_kind::letter) {
                out_.dressed.insert(std::next(inner)->text);
            } else if (inner->kind == token_kind::letter) {
                out_.dressed.insert(inner->text);
            }
        }
    }
    void note_norm(token_at t, token_at last) {
        const written_name n = name_at(t, last);
        if (!n.key.empty() && !n.indexed && n.end != last &&
            (n.end->is("\\|") || n.end->is("\\rVert") || n.end->is("\\Vert")))
            out_.matrices.insert(n.key);
    }
    void note_scripts(const written_name& n) {
        for (auto t = n.begin; t != n.end; ++t) {
            if (t->kind != token_kind::up) continue;
            const tokens script = argument_at(std::next(t), n.end);
            const std::string s = spelled(script);
            const bool capital = detail::is_capital_letter(n.key[0]) || n.bold;
            if (s == "T" || s == "\\top" || s == "\\dagger" || s == "\\intercal" ||
                s == "\\mathsf{T}" || s == "\\mathrm{T}" || s == "\\mathsf T" || s == "{\\top}" ||
                s == "-T" || s == "\\prime T" || s == "\\dag" || s == "\\text{T}") {
                out_.matrices.insert(n.key);
                out_.any_matrix = true;
            }
            if (s == "-1" && capital && !out_.scalars.count(n.key)) maybe_inverse_.insert(n.key);
        }
    }
    void note_arguments(const written_name& n, token_at last) {
        if (n.end == last || !n.end->is("(")) return;
        const auto close = behind_group(n.end, last);
        if (close - n.end > 60 || close - n.end < 3 || !closes(*std::prev(close))) return;
        std::string written;
        for (auto t = n.end; t != close; ++t) written += t->text;
        out_.arguments[n.key].insert(std::move(written));
        const written_name inside = name_at(std::next(n.end), std::prev(close));
        const bool one = !inside.key.empty() && inside.end == std::prev(close);
        if (one && n.end != last && !n.end->spaced) out_.applied.insert(n.key);
    }
    /// $X \in \mathbb{R}^{n \times d}$
    void note_membership(const written_name& n, const tokens& list) {
        auto t = n.end;
        while (t != list.end() && (t->is(",") || !name_at(t, list.end()).key.empty()))
            t = t->is(",") ? std::next(t) : std::max(std::next(t), name_at(t, list.end()).end);
        if (t == list.end() || !t->is("\\in")) return;
        const std::string set = spelled(tokens(std::next(t), list.end()));
        const bool reals = set.find("\\mathbb") == 0 || set.find("\\R") == 0 ||
                           set.find("\\C") == 0 || set.find("\\Re") == 0;
        const bool space = reals && set.find('^') != std::string::npos;
        if (space && !n.indexed) {
            out_.matrices.insert(n.key);
            out_.any_matrix = out_.any_matrix || set.find("\\times") != std::string::npos;
        }
        if (!reals) out_.restricted.insert(n.key);
    }
    void look_at_prose(const part& p) {
        if (p.content.empty()) return;
        const written_name n = name_at(p.content.begin(), p.content.end());
        if (n.key.empty()) return;
        const std::string before = words_before(text_, p.begin, 60),
                          behind = words_behind(text_, p.end, 80);
        const bool alone = n.end == p.content.end();
        for (auto t = p.content.begin(); t != p.content.end(); ++t)
            if (const written_name m = name_at(t, p.content.end()); !m.key.empty())
                out_.named.insert(m.key);
        if (alone && !n.indexed) {
            const std::string tail =
                before.size() > 28 ? before.substr(before.size() - 28) : before;
            const bool matrix = ends_with_word(before, {"matrix", "matrices", "vector", "vectors",
                                                        "tensor", "operator"}) ||
                                is_said_to_be(behind, {"matrix", "vector"});
            const bool scalar = has_word_beginning(
                tail, {"temperature", "mass",     "charge",      "constant",  "scalar",   "number",
                       "coefficient", "rate",     "energy",      "parameter", "distance", "time",
                       "dimension",   "variance", "probability", "length",    "radius",   "speed",
                       "frequency",   "angle",    "entropy",     "loss",      "height",   "width",
                       "voltage",     "current",  "resistance",  "pressure",  "volume",   "area",
                       "factor",      "momentum"});
            if (matrix && !scalar) out_.matrices.insert(n.key);
            if (scalar && !matrix) out_.scalars.insert(n.key);
        }
        const std::string sentence = before + " " + behind;
        if (has_word_beginning(
                sentence,
                {"orthogonal",  "symmetric",      "unitary",        "antisymmetric", "skew",
                 "normalized",  "normalised",     "unit vector",    "traceless",     "idempotent",
                 "hermitian",   "stochastic",     "incompressible", "divergence",    "constraint",
                 "orthonormal", "conserved",      "equilibrium",    "stationary",    "sums to",
                 "sum to",      "independent of", "diagonal",       "satisf"}))
            out_.restricted.insert(n.key);
    }
    void look_at(const statement& s) {
        const tokens& left = s.sides.front();
        if (s.sides.size() < 2 || left.empty() || s.relations[0] == relation::other) return;
        note_word(left);
        if (const written_name n = name_at(left.begin(), left.end());
            !n.key.empty() && !n.indexed && !n.bold && n.end == left.end())
            out_.numbers.insert(n.key);
        if (const written_name n = name_at(left.begin(), left.end());
            !n.key.empty() && n.end != left.end() && n.end->is("("))
            out_.called.insert(n.key);
        if (left.front().is("\\langle")) note_average(s);
    }
    /// PE_{...} = , loss = : letters that are one name where they stand on a left side.
    void note_word(const tokens& left) {
        std::string run;
        auto t = left.begin();
        while (t != left.end() && t->kind == token_kind::letter && t->text.size() == 1 &&
               (run.empty() || !t->spaced))
            run += (t++)->text;
        if (run.size() < 2) return;
        bool capitals = true, small = true;
        for (const char c : run) (detail::is_capital_letter(c) ? small : capitals) = false;
        const bool scripts =
            t != left.end() && (t->kind == token_kind::down || t->kind == token_kind::up);
        const bool over = t == left.end() || scripts;
        if (!over) return;
        const bool one = (capitals && (run.size() >= 3 || scripts)) || (small && run.size() >= 4) ||
                         (!small && !capitals && run.size() >= 3);
        if (one) out_.words.insert(run);
    }
    void note_average(const statement& s) {
        const auto close = behind_group(s.sides[0].begin(), s.sides[0].end());
        if (close != s.sides[0].end() || s.relations[0] != relation::equal) return;
        const tokens& right = s.sides[1];
        // what no sign binds is free, as the name itself says nothing of it
        std::set<std::string> bound;
        bool sums = false;
        for (auto t = right.begin(); t != right.end(); ++t)
            if ((t->is("\\sum") || t->is("\\prod")) && std::next(t) != right.end() &&
                std::next(t)->kind == token_kind::down) {
                sums = true;
                for (const token& u : argument_at(std::next(t, 2), right.end()))
                    bound.insert(u.text);
            }
        std::vector<std::string> free;
        if (sums)
            for (const std::string& i : index_letters(right))
                if (!bound.count(i)) free.push_back(i);
        out_.averages[spelled(s.sides[0])] = free;
    }

    std::string_view text_;
    const std::vector<part>& parts_;
    std::set<std::string> maybe_inverse_;
    symbols out_;
};

}  // namespace

written_name name_at(token_at t, token_at last) {
    written_name out;
    out.begin = out.end = t;
    if (t == last) return out;
    token_at end = std::next(t);
    if (t->kind == token_kind::letter || is_greek(*t)) {
        out.key = t->text;
    } else if (is_name_wrapper(t->text) || is_accent(t->text)) {
        end = behind_argument(end, last);
        tokens inner = argument_at(std::next(t), last);
        if (inner.empty() || inner.size() > 12) return out;
        out.bold = is_bold_wrapper(t->text);
        for (const token& u : inner) out.bold = out.bold || is_bold_wrapper(u.text);
        const bool accent = is_accent(t->text) && !out.bold;
        std::string words = spelled(inner);
        if (accent) out.key = t->text + "{" + words + "}";
        else if (inner.size() > 1 && is_name_wrapper(inner.front().text))
            out.key = spelled(argument_at(std::next(inner.begin()), inner.end()));
        else out.key = words;
        // a bold letter is another name than the plain one
        if (out.bold) out.key = "\\mathbf{" + out.key + "}";
    } else {
        return out;
    }
    while (end != last && end->is("'")) {
        out.key += "'";
        ++end;
    }
    while (end != last && (end->kind == token_kind::down || end->kind == token_kind::up)) {
        const bool down = end->kind == token_kind::down;
        const tokens script = argument_at(std::next(end), last);
        if (down && is_label(script)) {
            std::string label;
            for (const token& u : script)
                if (u.kind == token_kind::letter || u.kind == token_kind::number) label += u.text;
            out.key += "_" + label;
        } else {
            int letters = 0;
            for (const token& u : script)
                letters +=
                    (u.kind == token_kind::letter && !detail::is_capital_letter(u.text[0])) ||
                    is_greek(u);
            out.indexed = out.indexed || down || letters > 0;
            out.lowered = out.lowered || (down && letters > 0);
            out.indices += letters;
        }
        end = behind_argument(std::next(end), last);
    }
    out.end = end;
    return out;
}

symbols symbols_of(const document& text, const std::vector<part>& parts) {
    return survey(text, parts).run();
}

}  // namespace ricci::command
