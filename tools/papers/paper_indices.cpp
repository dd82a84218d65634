// Indices stand in scripts; exponents and labels stand there too.
#include "papers/paper_indices.hpp"

#include <algorithm>
#include <iterator>

#include "papers/paper_words.hpp"

namespace ricci::papers {
namespace {

/// What is left of a script without its words: of \operatorname{wrap}(i + 1) and i,\text{old} i.
tokens without_words(const tokens& script) {
    tokens out;
    for (auto t = script.begin(); t != script.end();) {
        const bool words = is_words_wrapper(t->text);
        const token_at behind = words ? behind_argument(std::next(t), script.end()) : std::next(t);
        const tokens inner = words ? argument_at(std::next(t), script.end()) : tokens();
        const bool edge = words && is_edge_word(spelled(inner));
        const bool beside_comma = words && ((t != script.begin() && std::prev(t)->is(",")) ||
                                            (behind != script.end() && behind->is(",")));
        if (!edge && !beside_comma) out.insert(out.end(), t, behind);
        t = behind;
    }
    return out;
}

void collect_indices(token_at first, token_at last, std::vector<std::string>& out) {
    const token_at begin = first;
    for (; first != last; ++first) {
        if (first->kind != token_kind::down && first->kind != token_kind::up) continue;
        const bool up = first->kind == token_kind::up;
        const tokens script = without_words(argument_at(std::next(first), last));
        bool letters = !script.empty(), arithmetic = false;
        for (auto t = script.begin(); t != script.end(); ++t) {
            letters = letters && !(t->is("\\text") || t->is("\\mathrm") || t->is("\\frac") ||
                                   t->is("T") || t->is("\\top"));
            arithmetic = arithmetic || t->is("+") || t->is("-") || t->is("/") || t->is("\\cdot") ||
                         t->kind == token_kind::number;
        }
        // an exponent is no list of indices: that of e or of a bracket, and arithmetic above a name
        if (up && first != begin) {
            const token& base = *std::prev(first);
            if (base.is("e") || closes(base) || base.kind == token_kind::number) continue;
            if (!script.empty() && arithmetic &&
                !(script.front().is("(") ||
                  (script.front().kind == token_kind::number && script.size() <= 4)))
                continue;
        }
        if (!letters) continue;
        std::string together;
        for (const token& t : script) together += t.text;
        if (!up && script.size() > 1 && is_label_word(together)) continue;
        std::string run;  // a word among commas is one index
        for (const token& t : script) {
            if (t.kind == token_kind::letter && t.text.size() == 1 && t.text[0] >= 'a')
                run += t.text;
            else if (t.is(",")) {
                if (run.size() > 1) out.push_back(run);
                run.clear();
            }
        }
        for (const token& t : script) {
            const bool plain =
                t.kind == token_kind::letter && t.text.size() == 1 && t.text[0] >= 'a';
            const bool greek = t.is_command() && t.text.size() > 2 && t.text[1] >= 'a' &&
                               t.text[1] <= 'z' && !t.is("\\infty") && !t.is("\\in") &&
                               !t.is("\\prime") && !t.is("\\cdot") && !t.is("\\neq") &&
                               !t.is("\\ne") && !t.is("\\le") && !t.is("\\leq");
            if (plain || greek) out.push_back(t.text);
        }
    }
}

}  // namespace

std::vector<std::string> index_letters(const tokens& list) {
    std::vector<std::string> out;
    collect_indices(list.begin(), list.end(), out);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

}  // namespace ricci::papers
