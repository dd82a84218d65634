// Looks at scripts, and at the letters beside them.
#include "check/paper_exponents.hpp"

#include <algorithm>
#include <iterator>

#include "check/letters.hpp"
#include "papers/paper_words.hpp"

namespace ricci::papers {
namespace {

bool is_candidate(const token& t) {
    return is_small(t.text) || (is_greek_letter(t) && !t.is("\\pi"));
}

/// Letters that are indices nearly always: as a factor, one is its position.
bool is_usual_index(const std::string& letter) {
    static const std::set<std::string> usual = {"i", "j", "k", "l",    "m",   "n",
                                                "a", "b", "c", "\\mu", "\\nu"};
    return usual.count(letter) > 0;
}

/// A bracket or a name, which has powers and indices; no e and no sign of a sum.
bool is_name_or_bracket(const token& t) {
    return !t.is("e") && (t.kind == token_kind::letter || t.kind == token_kind::close ||
                          closes(t) || is_greek_letter(t));
}

}  // namespace

void exponent_survey::look_above(const tokens& script, const token& base) {
    if (!is_name_or_bracket(base) || script.empty() || script.front().is("(")) return;
    const auto comma = [](const token& t) {
        return t.is(",") || t.is("\\text") || t.is("\\mathrm");
    };
    if (std::any_of(script.begin(), script.end(), comma)) return;
    const auto letters = std::count_if(script.begin(), script.end(), is_candidate);
    if (letters == 1 && script.size() == 1) alone_.insert(script.front().text);
    bool arithmetic = false;
    for (auto t = script.begin(); t != script.end(); ++t) {
        arithmetic = arithmetic || t->is("+") || t->is("-") || t->is("/") || t->is("\\frac");
        if (t->is("/") || t->is("\\frac")) note_quotient(script);
        if (!t->is("-") || std::next(t) == script.end() || !is_candidate(*std::next(t))) continue;
        const bool first = t == script.begin() || std::prev(t)->kind == token_kind::open;
        if (first || std::prev(t)->kind == token_kind::number) numbers_.insert(std::next(t)->text);
    }
    if (letters > 1 && !arithmetic)
        for (const token& t : script)
            if (is_candidate(t)) indices_.insert(t.text);
}

// 1/\rho above a name: an index is divided nowhere.
void exponent_survey::note_quotient(const tokens& script) {
    for (const token& t : script)
        if (is_candidate(t) && !is_usual_index(t.text)) numbers_.insert(t.text);
}

void exponent_survey::look(token_at first, token_at last) {
    const token_at begin = first;
    while (first != last) {
        const bool up = first->kind == token_kind::up;
        if (!up && first->kind != token_kind::down) {
            if (is_candidate(*first) && !is_usual_index(first->text)) factors_.insert(first->text);
            ++first;
            continue;
        }
        const token_at behind = behind_argument(std::next(first), last);
        const tokens script = argument_at(std::next(first), last);
        if (!up) {
            for (const token& t : script)
                if (is_candidate(t)) indices_.insert(t.text);
        } else if (first != begin) {
            look_above(script, *std::prev(first));
        }
        first = behind == first ? std::next(first) : behind;
    }
}

void exponent_survey::look_at(const statement& s) {
    alone_.clear();
    factors_.clear();
    for (const tokens& side : s.sides) look(side.begin(), side.end());
    for (const std::string& letter : alone_)
        if (factors_.count(letter)) numbers_.insert(letter);
}

std::set<std::string> exponent_survey::exponents() const {
    std::set<std::string> out;
    std::set_difference(numbers_.begin(), numbers_.end(), indices_.begin(), indices_.end(),
                        std::inserter(out, out.end()));
    return out;
}

}  // namespace ricci::papers
