// Functions of matrices: determinants and factors, with the indices of their matrix where a paper
// leaves them out, and inverses with indices.
#include <algorithm>
#include <optional>
#include <utility>

#include "check/speller.hpp"
#include "papers/paper_words.hpp"

namespace ricci::papers {
namespace {

constexpr std::string_view unsaid =
    "a function of a matrix that does not say of which indices, as \\det_{ij}(K_{ij}) does";

bool is_script(const token& t) { return t.kind == token_kind::up || t.kind == token_kind::down; }
bool is_index(const token& t) {
    return (t.kind == token_kind::letter && t.text.size() == 1) || is_greek_letter(t);
}
/// Two letters that differ; nothing else.
std::optional<std::pair<std::string, std::string>> two_indices(const tokens& script) {
    if (script.size() != 2 || !is_index(script[0]) || !is_index(script[1]) ||
        script[0].text == script[1].text)
        return std::nullopt;
    return std::pair(script[0].text, script[1].text);
}

}  // namespace

std::string speller::matrix_function(std::string_view name, token_at& now, token_at last) {
    const std::string word = name == "det" ? "\\det" : "\\operatorname{" + std::string(name) + "}";
    std::string rows_and_columns;
    if (now != last && now->kind == token_kind::down) {
        const auto pair = two_indices(argument_at(std::next(now), last));
        if (!pair) not_computed(unsaid);
        rows_and_columns = "_{" + pair->first + " " + pair->second + "}";
        now = behind_argument(std::next(now), last);
    }
    if (now == last) not_read("nothing stands behind a function");
    if (now->kind == token_kind::up) not_computed("a power of a function of a matrix");
    std::string inside;
    const bool in_bracket = now->is("(") || now->is("[") || now->is("\\{");
    const token_at end = in_bracket ? behind_closed(now, last) : last;
    token_at first = in_bracket ? std::next(now) : now;
    const token_at behind = in_bracket ? std::prev(end) : last;
    if (!rows_and_columns.empty()) {
        if (!in_bracket) not_computed("a function of a matrix without brackets");
        inside = expression(first, behind, name == "solve");
        now = end;
    } else if (name == "solve") {
        not_computed(unsaid);
    } else {
        name_speller of(*this, first, behind);
        inside = whole_matrix(of.run(false), of, rows_and_columns);
        if (in_bracket && first != behind) not_computed(unsaid);
        now = in_bracket ? end : first;
    }
    product_->push_back({});
    const std::string value = word + rows_and_columns + "(" + inside + ")";
    const std::string raised = power(now, last);
    return raised.empty() ? value : "(" + value + ")" + raised;
}

/// A name that stands for a matrix, or its element, at two letters of its own.
std::string speller::whole_matrix(const std::string& spelt, const name_speller& name,
                                  std::string& rows_and_columns) const {
    const factor& what = name.what();
    if (spelt.empty() || what.key.empty() || name.raised()) not_computed(unsaid);
    std::string letters[2];
    std::size_t count = 0;
    for (const char* letter : {"p", "q", "u", "v", "m", "n", "k", "l"})
        if (count < 2 && !context_.indices.count(letter)) letters[count++] = letter;
    if (count < 2) not_computed(unsaid);
    rows_and_columns = "_{" + letters[0] + " " + letters[1] + "}";
    const std::string at = "{" + letters[0] + " " + letters[1] + "}";
    if (!what.indexed) {
        const auto known = names_.indexed.find(what.key);
        if (known == names_.indexed.end() || known->second == 0) not_computed(unsaid);
        return spelt + (names_.lowered.count(what.key) ? "_" : "^") + at;
    }
    // its element: \det(g_{ij}) is of the matrix of all of them
    const std::size_t script = spelt.find_first_of("_^");
    if (script == std::string::npos || spelt.back() != '}' ||
        spelt.find_first_of("_^", script + 1) != std::string::npos)
        not_computed(unsaid);
    const tokens inner = tokenise(spelt.substr(script + 2, spelt.size() - script - 3), 0);
    if (!two_indices(inner)) not_computed(unsaid);
    return spelt.substr(0, script + 1) + at;
}

std::string speller::inverse(token_at& now, token_at last) {
    const auto end = behind_group(now, last);
    const token_at first = std::next(now);
    if (end == last || !is_script(*end) || std::prev(end) == now) return {};
    auto sign = std::find_if(first, std::prev(end),
                             [](const token& t) { return t.kind == token_kind::up; });
    if (sign == std::prev(end) || spelled(argument_at(std::next(sign), last)) != "-1" ||
        behind_argument(std::next(sign), last) != std::prev(end))
        return {};
    token_at at = first;
    name_speller name(*this, at, sign);
    const std::string spelt = name.run(false);
    if (spelt.empty() || at != sign || name.what().indexed || name.raised()) return {};
    std::string scripts;
    int letters = 0;
    for (at = end; at != last && is_script(*at);) {
        scripts += (at->kind == token_kind::up ? "^{" : "_{");
        for (const token& t : argument_at(std::next(at), last)) {
            if (!is_index(t)) return {};
            scripts += (letters++ ? " " : "") + t.text;
        }
        scripts += "}";
        at = behind_argument(std::next(at), last);
    }
    if (letters != 2) return {};
    now = at;
    factor whole;
    whole.indexed = true;
    product_->push_back(whole);
    return "(" + spelt + "^{-1})" + scripts;
}

}  // namespace ricci::papers
