// Cases: a value for each condition.
#include "check/speller.hpp"
#include "papers/paper_words.hpp"

namespace ricci::papers {
namespace {

// The cells of an environment's rows, from `t` on, which is moved to its \end.
std::vector<std::vector<tokens>> rows_at(token_at& t, token_at last) {
    std::vector<std::vector<tokens>> rows(1, std::vector<tokens>(1));
    int depth = 0;
    for (; t != last; ++t) {
        if (t->is("\\end") && depth == 0) break;
        if (opens(*t)) ++depth;
        if (closes(*t)) --depth;
        if (depth == 0 && t->kind == token_kind::row) rows.emplace_back(1);
        else if (depth == 0 && t->kind == token_kind::align) rows.back().emplace_back();
        else rows.back().back().push_back(*t);
    }
    return rows;
}

void drop_behind(tokens& list, std::string_view signs) {
    while (!list.empty() && list.back().text.size() == 1 &&
           signs.find(list.back().text[0]) != std::string_view::npos)
        list.pop_back();
}

// The second cell of a row: when its value holds. Empty: otherwise.
tokens condition_in(const tokens& cell) {
    tokens condition;
    std::string words;
    for (token_at k = cell.cbegin(), behind = cell.cend(); k != behind;) {
        if (is_words_wrapper(k->text)) {
            for (const token& w : argument_at(std::next(k), behind))
                words += (w.spaced ? " " : "") + w.text;
            words += " ";
            k = behind_argument(std::next(k), behind);
        } else {
            condition.push_back(*k++);
        }
    }
    drop_behind(condition, ",.;");
    while (!words.empty() && (words.back() == ' ' || words.back() == '.' || words.back() == ','))
        words.pop_back();
    words.erase(0, words.find_first_not_of(' '));
    static constexpr std::string_view otherwise[] = {"otherwise", "else", "Otherwise", "elsewhere"};
    static constexpr std::string_view whenever[] = {"", "if", "for", "when", "If", "if and"};
    const bool right = is_among(words, otherwise) ? condition.empty()
                                                  : is_among(words, whenever) && !condition.empty();
    if (!right) not_computed("cases whose conditions are words");
    for (const token& k : condition)
        if (k.is(",") || k.is("\\in")) not_computed("cases whose conditions are words");
    return condition;
}

}  // namespace

std::string speller::environment(token_at& now, token_at last) {
    const std::string name = spelled(argument_at(std::next(now), last));
    if (name != "cases" && name != "dcases" && name != "cases*")
        not_computed(name.find("matrix") != std::string::npos || name == "array"
                         ? "a matrix written out"
                         : "a display of its own");
    token_at end = behind_argument(std::next(now), last);
    const std::vector<std::vector<tokens>> rows = rows_at(end, last);
    if (end == last) not_read("cases without an end");
    now = behind_argument(std::next(end), last);
    std::string out = "\\begin{cases} ";
    bool begun = false;
    for (const std::vector<tokens>& row : rows) {
        if (row.size() == 1 && row[0].empty()) continue;
        if (row.size() != 2) not_computed("cases whose conditions are words");
        tokens value = row[0];
        drop_behind(value, ",;");
        const tokens condition = condition_in(row[1]);
        out += (begun ? " \\\\ " : "") + expression(value.begin(), value.end()) + " & ";
        out += condition.empty() ? "\\text{otherwise}"
                                 : "\\text{if } " + expression(condition.begin(), condition.end());
        begun = true;
    }
    product_->push_back({});
    return out + " \\end{cases}";
}

}  // namespace ricci::papers
