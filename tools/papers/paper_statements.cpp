// Lines are joined and split into statements, and statements into sides.
#include "papers/paper_statements.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "papers/conjunctions.hpp"
#include "papers/paper_cleaning.hpp"
#include "papers/paper_indices.hpp"
#include "papers/paper_words.hpp"

namespace ricci::papers {
namespace {

constexpr std::string_view arrows_between[] = {"\\Rightarrow", "\\implies", "\\Longrightarrow",
                                               "\\therefore",  "\\because", "\\impliedby"};

constexpr std::string_view operators[] = {"+", "\\times", "\\cdot", "\\pm",    "\\mp",
                                          "*", "/",       "\\odot", "\\otimes"};

constexpr std::string_view spaces[] = {"\\quad", "\\qquad", "\\enspace", "\\enskip", "\\hfill"};

constexpr std::string_view words_commands[] = {"\\text", "\\mbox",       "\\textrm", "\\textit",
                                               "\\hbox", "\\textnormal", "\\textbf"};

/// What a \text{...} says, in lower case.
std::string words_at(token_at first, token_at last) {
    std::string out;
    for (const token& t : argument_at(first, last)) {
        if (t.spaced && !out.empty()) out += ' ';
        out += t.text;
    }
    for (char& c : out)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    while (!out.empty() && (out.back() == ' ' || out.back() == ',' || out.back() == ':'))
        out.pop_back();
    return out;
}

/// Calls `use(token, depth)`: the depth of brackets, or of braces alone where brackets do not
/// match.
template <class Use>
void walk_depths(const tokens& list, Use&& use) {
    int all = 0, least = 0;
    for (const token& t : list) {
        if (opens(t) && !t.is("\\begin")) ++all;
        if (closes(t) && !t.is("\\end")) --all;
        least = std::min(least, all);
    }
    const bool matched = all == 0 && least == 0;
    int depth = 0;
    for (auto t = list.begin(); t != list.end(); ++t) {
        const bool counts = matched || t->kind == token_kind::open ||
                            t->kind == token_kind::close || t->is("\\begin") || t->is("\\end");
        if (counts && closes(*t)) --depth;
        use(t, depth);
        if (counts && opens(*t)) ++depth;
    }
}

bool has_relation(const tokens& list) {
    bool found = false;
    walk_depths(list,
                [&](token_at t, int depth) { found = found || (depth == 0 && relation_of(*t)); });
    return found;
}

tokens trimmed(tokens list) {
    const auto drops = [](const token& t) {
        return is_among(t.text, spaces) || t.kind == token_kind::align || t.is(",") || t.is(";") ||
               t.is(".") || t.is(":");
    };
    while (!list.empty() && drops(list.back())) list.pop_back();
    std::size_t k = 0;
    while (k < list.size() && drops(list[k])) ++k;
    // {}={}: an empty group for its space
    while (k + 1 < list.size() && list[k].kind == token_kind::open &&
           list[k + 1].kind == token_kind::close)
        k += 2;
    list.erase(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(k));
    return list;
}

/// The lines of a display: rows, with those that go on with the row before joined to it.
std::vector<tokens> lines_of(const tokens& list, const std::string& environment) {
    std::vector<tokens> rows(1);
    walk_depths(list, [&](token_at t, int depth) {
        if (t->kind == token_kind::row && depth <= 0) rows.emplace_back();
        else if (t->kind == token_kind::align && depth <= 0) {
            // a space
        } else rows.back().push_back(*t);
    });
    std::vector<tokens> lines;
    for (tokens& row : rows) {
        row = trimmed(std::move(row));
        if (row.empty()) continue;
        bool goes_on = false;
        if (!lines.empty()) {
            const token &first = row.front(), &last = lines.back().back();
            const bool binary =
                is_among(first.text, operators) || (first.is("-") && !has_relation(row));
            const bool open = is_among(last.text, operators) || last.is("-") || relation_of(last);
            goes_on = relation_of(first) || binary || open ||
                      (environment == "multline" && !has_relation(row));
        }
        if (goes_on) lines.back().insert(lines.back().end(), row.begin(), row.end());
        else lines.push_back(std::move(row));
    }
    return lines;
}

class line_splitter {
public:
    /// `derivation`: the line is one of several, whose side remarks are told apart.
    line_splitter(const tokens& line, bool derivation) : line_(line), derivation_(derivation) {}

    std::vector<statement> run() {
        walk_depths(line_, [&](token_at t, int depth) { look(t, depth); });
        close_segment();
        if (!before_.empty()) add_statement(std::move(before_));
        return std::move(out_);
    }

private:
    void look(token_at t, int depth) {
        if (t < skipped_) return;
        if (depth > 0) return segment_.push_back(*t);
        if (is_among(t->text, arrows_between)) {
            close_segment();
            return;
        }
        if (is_among(t->text, spaces)) {
            token_at next = t;
            while (next != line_.end() && is_among(next->text, spaces)) ++next;
            // a space around a sign between two sides
            const bool around = (next != line_.end() && relation_of(*next)) ||
                                (!segment_.empty() && relation_of(segment_.back()));
            if (around) return;
            close_segment();
            remark_ = derivation_ && !out_.empty() && !listed_;
            return;
        }
        if (is_between_thousands(t)) return segment_.push_back(*t);
        if (t->is(",") || t->is(";")) {
            close_segment();
            listed_ = true;
            return;
        }
        listed_ = false;
        if (is_among(t->text, words_commands)) {
            const std::string words = words_at(std::next(t), line_.end());
            const bool scripted = t != line_.begin() && (std::prev(t)->kind == token_kind::down ||
                                                         std::prev(t)->kind == token_kind::up);
            const conjunction what = conjunction_of(words);
            const bool known = what != conjunction::none && words.size() > 1;
            if (!scripted && (words.find(' ') != std::string::npos || known || stands_between(t))) {
                skipped_ = behind_argument(std::next(t), line_.end());
                close_segment();
                remark_ = false;
                if (what != conjunction::joins) {
                    tail_ = true;
                    tail_words_ = words;
                }
                return;
            }
        }
        segment_.push_back(*t);
    }
    /// Whether words with a space in front, as \text{ et }, stand between two equations: no name
    /// begins so, and what is behind a unit begins no equation.
    bool stands_between(token_at t) const {
        const token_at open = std::next(t);
        const bool spaced = open != line_.end() && open->kind == token_kind::open &&
                            std::next(open) != line_.end() && std::next(open)->spaced;
        if (!spaced || !has_relation(segment_)) return false;
        token_at end = behind_argument(open, line_.end());
        const token_at begin = end;
        while (end != line_.end() && !is_among(end->text, spaces) && !end->is(",")) ++end;
        if (begin == end || relation_of(*begin) || is_among(begin->text, operators) ||
            begin->is("-") || begin->kind == token_kind::up || begin->kind == token_kind::down)
            return false;
        return has_relation(tokens(begin, end));
    }
    /// The comma of 65,536.
    bool is_between_thousands(token_at t) const {
        const token_at next = std::next(t);
        return t->is(",") && !t->spaced && t != line_.begin() && next != line_.end() &&
               std::prev(t)->kind == token_kind::number && next->kind == token_kind::number &&
               !next->spaced && next->text.size() == 3 && next->text.find('.') == std::string::npos;
    }
    void close_segment() {
        tokens segment = trimmed(std::move(segment_));
        segment_.clear();
        const bool tail = tail_;
        const std::string words = std::move(tail_words_);
        tail_ = false;
        tail_words_.clear();
        if (segment.empty() && !tail) return;
        if (out_.empty() && tail) {  // "If ..., then a = b", or words in front
            const bool restricts = conjunction_of(words) == conjunction::restricts;
            if (restricts) leading_ = words + (segment.empty() ? "" : " " + spelled(segment));
            else if (!segment.empty()) take(std::move(segment));
            return;
        }
        if (tail) return add_tail(words, segment);
        if (segment.front().is("\\forall")) {
            if (!out_.empty()) out_.back().with_words = true;
            return;
        }
        if (has_relation(segment)) {
            if (!out_.empty() && is_range(segment)) return;
            return take(std::move(segment));
        }
        if (out_.empty()) {
            // a list in front of a relation
            if (!before_.empty())
                before_.push_back({token_kind::symbol, ",", segment.front().at, false});
            before_.insert(before_.end(), segment.begin(), segment.end());
            return;
        }
        bool harmless = true;
        for (const token& t : segment)
            harmless = harmless && (t.is("\\ldots") || t.is("\\dots") || t.is("\\cdots") ||
                                    t.kind == token_kind::letter || t.kind == token_kind::number ||
                                    t.is("-") || t.is("(") || t.is(")"));
        bool range = false;
        for (const token& t : segment)
            range = range || t.is("\\ldots") || t.is("\\dots") || t.is("\\cdots");
        if (harmless && (range || ranged_)) return;
        if (segment.front().is("(") && range) return;
        add_tail("", segment);
    }
    void take(tokens segment) {
        if (!before_.empty()) {
            before_.push_back({token_kind::symbol, ",", segment.front().at, false});
            segment.insert(segment.begin(), before_.begin(), before_.end());
            before_.clear();
        }
        add_statement(std::move(segment));
    }
    void add_tail(const std::string& words, const tokens& segment) {
        if (out_.empty()) return;
        statement& s = out_.back();
        s.with_words = true;
        if (conjunction_of(words) == conjunction::everywhere) return;
        const bool named = words == "for" || words == "where" || words == "with";
        if (named && is_range(segment)) return;
        bool range = false, compares = false;
        for (const token& t : segment) {
            range = range || t.is("\\ldots") || t.is("\\dots") || t.is("\\in");
            compares = compares || (relation_of(t) && !t.is("=") && !t.is("\\in"));
        }
        if (words == "for" && range && !compares) return;
        std::string said = words + (words.empty() || segment.empty() ? "" : " ") + spelled(segment);
        s.condition += (s.condition.empty() ? "" : ", ") + said;
    }
    /// i = 1, ..., n behind an equation that has the index i; i, j \in S likewise.
    bool is_range(const tokens& segment) {
        const statement& s = out_.back();
        std::vector<std::string> known;
        for (const tokens& side : s.sides)
            for (std::string& letter : index_letters(side)) known.push_back(std::move(letter));
        if (segment.size() < 2) return false;
        const token& first = segment.front();
        const bool letter = std::find(known.begin(), known.end(), first.text) != known.end();
        if (!letter || segment.size() < 2) return false;
        auto sign = std::find_if(segment.begin(), segment.end(),
                                 [](const token& t) { return relation_of(t).has_value(); });
        if (sign == segment.end()) return false;
        for (auto t = segment.begin(); t != sign; ++t)
            if (t->kind != token_kind::letter && !t->is(",") && !t->is_command()) return false;
        if (sign->is("\\in")) return true;
        if (!sign->is("=")) return false;
        const auto behind = std::next(sign);
        ranged_ = behind != segment.end() && std::next(behind) == segment.end();
        return ranged_ || std::any_of(behind, segment.end(), [](const token& t) {
                   return t.is("\\ldots") || t.is("\\dots") || t.is("\\cdots") || t.is(":");
               });
    }
    /// Behind the number in u = 0 x = 1, two conditions beside each other: nobody writes 0 x.
    static token_at behind_condition(const tokens& list) {
        for (auto t = list.begin(); t != list.end() && std::next(t) != list.end(); ++t) {
            const token_at next = std::next(t);
            const bool lone = (t->is("0") || t->is("1")) && t != list.begin() &&
                              relation_of(*std::prev(t)) && next->spaced;
            if (lone && (next->kind == token_kind::letter || next->is_command()) &&
                !relation_of(*next) && has_relation(tokens(next, list.end())))
                return next;
        }
        return list.end();
    }
    void add_statement(tokens list) {
        statement s;
        if (list.empty()) return;
        if (const token_at next = behind_condition(list); next != list.end()) {
            const std::size_t first = out_.size();
            add_statement(tokens(list.cbegin(), next));
            add_statement(tokens(next, list.cend()));
            for (std::size_t k = first; k < out_.size(); ++k) out_[k].beside = true;
            return;
        }
        ranged_ = false;
        s.at = list.front().at;
        s.source = spelled(list);
        s.condition = leading_;
        leading_.clear();
        s.remark = remark_;
        remark_ = false;
        s.sides.emplace_back();
        walk_depths(list, [&](token_at t, int depth) {
            const auto r = depth == 0 ? relation_of(*t) : std::nullopt;
            if (!r) return s.sides.back().push_back(*t);
            s.relations.push_back(*r);
            s.signs.push_back(t->text);
            s.sides.emplace_back();
        });
        if (s.sides.front().empty() && s.sides.size() > 1) s.goes_on = true;
        out_.push_back(std::move(s));
    }

    const tokens& line_;
    bool derivation_;
    bool remark_ = false;  // what comes stands beside the line, behind a space and no comma
    bool listed_ = false;  // a comma stood there
    token_at skipped_ = line_.begin();
    tokens segment_;
    tokens before_;  // what stands in front of the first relation, with commas
    bool tail_ = false;
    bool ranged_ = false;
    std::string tail_words_;
    std::string leading_;
    std::vector<statement> out_;
};

/// x of x = 3; empty for other statements.
std::string set_to_number(const statement& s) {
    const bool number = s.sides.size() == 2 && s.relations[0] == relation::equal &&
                        s.sides[1].size() == 1 && s.sides[1][0].kind == token_kind::number;
    return number ? spelled(s.sides[0]) : std::string();
}

/// x = 0 beside x = 1: the display says two things of x, and no value of it.
void note_conditions(std::vector<statement>& list) {
    std::map<std::string, std::set<std::string>> values;
    for (const statement& s : list)
        if (std::string name = set_to_number(s); !name.empty())
            values[name].insert(s.sides[1][0].text);
    const bool several = std::any_of(values.begin(), values.end(),
                                     [](const auto& v) { return v.second.size() > 1; });
    for (statement& s : list) s.beside = s.beside || (several && !set_to_number(s).empty());
}

}  // namespace

std::vector<statement> statements_of(const tokens& content, const std::string& environment) {
    std::vector<statement> out;
    const std::vector<tokens> lines = lines_of(cleaned(content), environment);
    for (const tokens& line : lines)
        for (statement& s : line_splitter(line, lines.size() > 1).run())
            out.push_back(std::move(s));
    note_conditions(out);
    return out;
}

}  // namespace ricci::papers
