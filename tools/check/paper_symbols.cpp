// Counts how a document writes its symbols, and concludes what they are.
#include "check/paper_symbols.hpp"

#include <algorithm>
#include <string_view>

#include "check/paper_exponents.hpp"
#include "papers/paper_indices.hpp"
#include "papers/paper_statements.hpp"
#include "papers/paper_words.hpp"
#include "papers/text_words.hpp"

namespace ricci::papers {

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

class survey {
public:
    survey(const document& d, const std::vector<part>& parts) : text_(d.text()), parts_(parts) {}

    symbols run() {
        for (const part& p : parts_) {
            if (p.kind == part_kind::heading) continue;
            look(p.content);
            note_operators(p.content);
            note_inverses(p.content);
            if (p.kind == part_kind::inline_math) note_names(p);
            for (const statement& s : statements_of(p.content, p.environment)) {
                look_at(s);
                exponents_.look_at(s);
            }
        }
        out_.exponents = exponents_.exponents();
        out_.basis_e = first_of_basis_ && !exponential_;
        out_.raised_e = letter_above_e_ && out_.lowered.count("e") > 0;
        for (const std::string& name : by_themselves_) out_.squares.erase(name);
        return std::move(out_);
    }

private:
    void look(const tokens& list) {
        for (auto t = list.begin(); t != list.end();) {
            if ((t->is("\\|") || t->is("\\lVert") || t->is("\\Vert")) && std::next(t) != list.end())
                note_norm(std::next(t), list.end());
            if (t->is("\\frac")) note_variables(t, list.end());
            note_power_of_e(t, list.end());
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
            const bool alone =
                t == list.begin() || std::prev(t)->kind != token_kind::letter || t->spaced;
            if (t->is("e") && alone && n.end == std::next(t) &&
                (n.end == list.end() || n.end->kind != token_kind::letter || n.end->spaced))
                out_.plain_e = true;
            if (n.bold) out_.any_matrix = true;
            note_scripts(n);
            note_arguments(n, list.end());
            note_membership(n, list);
            ++t;  // not behind it: what stands in its scripts is looked at too
        }
    }
    void note_power_of_e(token_at t, token_at last) {
        exponential_ = exponential_ || t->is("\\exp") || t->is("\\ln") || t->is("\\log");
        const token_at up = std::next(t);
        if (!t->is("e") || up == last || up->kind != token_kind::up) return;
        const tokens above = argument_at(std::next(up), last);
        const bool alone = above.size() == 1;
        const bool whole = alone && above[0].kind == token_kind::number && !above[0].is("0");
        first_of_basis_ = first_of_basis_ || (alone && above[0].is("1"));
        letter_above_e_ = letter_above_e_ || (alone && is_small_letter(above[0]));
        exponential_ = exponential_ || !(whole || (alone && is_small_letter(above[0])));
    }
    static bool is_small_letter(const token& t) {
        return t.kind == token_kind::letter && !detail::is_capital_letter(t.text[0]);
    }
    /// \sigma is what a derivative is taken by, and not \sigma^2.
    void note_variables(token_at fraction, token_at last) {
        const tokens below = argument_at(behind_argument(std::next(fraction), last), last);
        for (auto t = below.begin(); t != below.end(); ++t) {
            if (!(t->is("\\partial") || t->is("d")) || std::next(t) == below.end()) continue;
            const written_name n = name_at(std::next(t), below.end());
            if (!n.key.empty() && without_square(tokens(n.begin, n.end)).empty())
                by_themselves_.insert(n.key);
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
            if (script.size() > 3 && script.front().is("(") && script.back().is(")") &&
                (script[2].is("+") || script[2].is("-")))
                out_.layers.insert(script[1].text);
            if (s == "T" || s == "\\top" || s == "\\dagger" || s == "\\intercal" ||
                s == "\\mathsf{T}" || s == "\\mathrm{T}" || s == "\\mathsf T" || s == "{\\top}" ||
                s == "-T" || s == "\\prime T" || s == "\\dag" || s == "\\text{T}") {
                out_.matrices.insert(n.key);
                out_.any_matrix = true;
            }
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
    }
    /// What the text around the displays speaks of.
    void note_names(const part& p) {
        for (auto t = p.content.begin(); t != p.content.end(); ++t)
            if (const written_name m = name_at(t, p.content.end()); !m.key.empty())
                out_.named.insert(m.key);
    }
    /// X^{-1}, (I + X)^{-1} and X' beside X tell that products of capitals are those of matrices.
    void note_inverses(const tokens& list) {
        for (auto t = list.begin(); t != list.end(); ++t) {
            const bool power = t->kind == token_kind::up && t != list.begin() &&
                               spelled(argument_at(std::next(t), list.end())) == "-1";
            if (!power && !t->is("'")) continue;
            const token& base = *std::prev(t == list.begin() ? std::next(t) : t);
            const bool capital =
                base.kind == token_kind::letter && detail::is_capital_letter(base.text[0]);
            if (power && capital) out_.any_matrix = true;
            if (power && base.is(")")) {
                // what stands in the bracket: capitals side by side
                auto open = t;
                int depth = 0;
                do {
                    --open;
                    depth += closes(*open) - opens(*open);
                } while (depth != 0 && open != list.begin());
                int run = 0;
                for (auto k = open; k != t; ++k) {
                    const bool big =
                        k->kind == token_kind::letter && detail::is_capital_letter(k->text[0]);
                    run = big ? run + 1 : k->is("'") ? run : 0;
                    if (run > 1) out_.any_matrix = true;
                }
            }
            // B' P B: a transposition
            if (t->is("'") && capital && std::next(t) != list.end()) {
                const token& next = *std::next(t);
                if (next.kind == token_kind::letter && detail::is_capital_letter(next.text[0]))
                    out_.any_matrix = true;
            }
        }
    }
    /// A dagger, a ket, [A, B] = and \{A, B\} =.
    void note_operators(const tokens& list) {
        for (auto t = list.begin(); t != list.end(); ++t) {
            static constexpr std::string_view signs[] = {"\\dagger", "\\dag", "\\comm",
                                                         "\\commutator"};
            if (is_among(t->text, signs)) out_.operators = true;
            if (t->is("|") &&
                std::find_if(t, list.end(),
                             [](const token& u) {
                                 return u.is("\\rangle") || u.is("\\langle") || relation_of(u);
                             }) != list.end() &&
                std::find_if(t, list.end(), [](const token& u) {
                    return u.is("\\rangle") || u.is("\\langle") || relation_of(u);
                })->is("\\rangle"))
                out_.operators = true;
            if (!t->is("[") && !t->is("\\{")) continue;
            const auto end = behind_group(t, list.end());
            if (end == list.end() || !end->is("=") || !closes(*std::prev(end))) continue;
            const written_name a = name_at(std::next(t), std::prev(end));
            if (a.key.empty() || a.end == std::prev(end) || !a.end->is(",")) continue;
            const written_name b = name_at(std::next(a.end), std::prev(end));
            if (!b.key.empty() && b.end == std::prev(end)) out_.operators = true;
        }
    }
    void look_at(const statement& s) {
        const tokens& left = s.sides.front();
        if (s.sides.size() < 2 || left.empty() || s.relations[0] == relation::other) return;
        note_word(left);
        note_square(s);
        note_count(s);
        if (const written_name n = name_at(left.begin(), left.end());
            !n.key.empty() && !n.indexed && !n.bold && n.end == left.end())
            out_.numbers.insert(n.key);
        if (const written_name n = name_at(left.begin(), left.end());
            !n.key.empty() && n.end != left.end() && n.end->is("("))
            out_.called.insert(n.key);
        if (left.front().is("\\langle")) note_average(s);
    }
    /// \sigma_i^2 = ... of a \sigma that no equation has on its left side by itself.
    void note_square(const statement& s) {
        const tokens& left = s.sides[0];
        const written_name n = name_at(left.begin(), left.end());
        if (n.key.empty() || n.end != left.end() || n.bold || s.relations[0] != relation::equal)
            return;
        const tokens root = without_square(left);
        bool solved = !s.condition.empty();  // x^2 = 2 x + 1
        bool names = false;
        for (std::size_t k = 1; k < s.sides.size(); ++k)
            for (auto t = s.sides[k].begin(); t != s.sides[k].end(); ++t) {
                const written_name other = name_at(t, s.sides[k].end());
                solved = solved || other.key == n.key;
                names = names || !other.key.empty();
            }
        if (root.empty() || solved || !names) by_themselves_.insert(n.key);
        else out_.squares.insert(n.key);
    }
    /// d_i = ..., n_k = ... of what has that index, c_i = 2 d_i and \sum_k n_k: no number of
    /// places, as d_k is elsewhere.
    void note_count(const statement& s) {
        for (std::size_t k = 0; k < s.sides.size(); ++k)
            for (auto t = s.sides[k].begin(); t != s.sides[k].end(); ++t) {
                const written_name n = name_at(t, s.sides[k].end());
                if ((n.key != "d" && n.key != "n") || n.indices != 1) continue;
                const std::string own = index_letters(tokens(n.begin, n.end)).front();
                if (k == 0 ? n.end == s.sides[0].end() && stands_apart(s, own, 1)
                           : !stands_apart(s, own, 1) && is_bound(s, own, k))
                    out_.counts.insert(n.key);
            }
    }
    /// Whether a letter is an index of something other than d and n, in a side from `first` on.
    static bool stands_apart(const statement& s, const std::string& letter, std::size_t first) {
        for (std::size_t k = first; k < s.sides.size(); ++k) {
            tokens rest;
            for (auto t = s.sides[k].begin(); t != s.sides[k].end();) {
                const written_name n = name_at(t, s.sides[k].end());
                const bool own = (n.key == "d" || n.key == "n") && n.indices == 1;
                const token_at down = std::next(t);
                const bool sum =
                    t->is("\\sum") && down != s.sides[k].end() && down->kind == token_kind::down;
                const token_at behind = own   ? n.end
                                        : sum ? behind_argument(std::next(down), s.sides[k].end())
                                              : down;
                if (!own && !sum) rest.push_back(*t);
                t = behind;
            }
            const auto letters = index_letters(rest);
            if (std::find(letters.begin(), letters.end(), letter) != letters.end()) return true;
        }
        return false;
    }
    /// Whether the left side has an index, or a sum of side `k` runs over it.
    static bool is_bound(const statement& s, const std::string& letter, std::size_t k) {
        const tokens& side = s.sides[k];
        for (auto t = side.begin(); t != side.end(); ++t)
            if (t->is("\\sum") && std::next(t) != side.end() &&
                std::next(t)->kind == token_kind::down &&
                spelled(argument_at(std::next(t, 2), side.end())).find(letter) == 0)
                return true;
        const auto left = index_letters(s.sides[0]);
        return std::find(left.begin(), left.end(), letter) != left.end();
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
    std::set<std::string> by_themselves_;  // names that stand on a left side without a square
    exponent_survey exponents_;
    bool first_of_basis_ = false;  // e^1 stands somewhere
    bool letter_above_e_ = false;  // e^i does
    bool exponential_ = false;     // so does e^{-x}, or a logarithm
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

token_at behind_words(token_at t, token_at last) {
    return is_words_wrapper(t->text) ? behind_argument(std::next(t), last) : std::next(t);
}

std::set<std::string> names_in(const tokens& side) {
    std::set<std::string> out;
    for (auto t = side.begin(); t != side.end(); t = behind_words(t, side.end()))
        if (written_name n = name_at(t, side.end()); !n.key.empty()) out.insert(std::move(n.key));
    return out;
}

tokens without_square(const tokens& name) {
    for (auto t = name.begin(); t != name.end(); ++t) {
        if (t->kind != token_kind::up || spelled(argument_at(std::next(t), name.end())) != "2")
            continue;
        tokens out(name.begin(), t);
        out.insert(out.end(), behind_argument(std::next(t), name.end()), name.end());
        return out;
    }
    return {};
}

symbols symbols_of(const document& text, const std::vector<part>& parts) {
    return survey(text, parts).run();
}

}  // namespace ricci::papers
