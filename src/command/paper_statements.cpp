#include "command/paper_statements.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "command/paper_words.hpp"

namespace ricci::command {

namespace {

template <std::size_t N>
bool is_among(std::string_view word, const std::string_view (&list)[N]) {
    return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

constexpr std::string_view equal_signs[] = {"=",       "\\equiv", "\\coloneqq", "\\triangleq",
                                            "\\doteq", "\\eqdef", "\\eqqcolon", "\\coloneq"};
constexpr std::string_view equivalent_signs[] = {"\\Leftrightarrow", "\\iff",
                                                 "\\Longleftrightarrow"};
constexpr std::string_view near_signs[] = {"\\approx", "\\simeq", "\\cong", "\\approxeq"};
constexpr std::string_view other_signs[] = {"<",
                                            ">",
                                            "\\le",
                                            "\\leq",
                                            "\\ge",
                                            "\\geq",
                                            "\\lt",
                                            "\\gt",
                                            "\\ne",
                                            "\\neq",
                                            "\\ll",
                                            "\\gg",
                                            "\\to",
                                            "\\rightarrow",
                                            "\\longrightarrow",
                                            "\\mapsto",
                                            "\\longmapsto",
                                            "\\in",
                                            "\\notin",
                                            "\\subset",
                                            "\\subseteq",
                                            "\\propto",
                                            "\\sim",
                                            "\\leftarrow",
                                            "\\gets",
                                            "\\leqslant",
                                            "\\geqslant",
                                            "\\lesssim",
                                            "\\gtrsim",
                                            "\\xrightarrow",
                                            "\\supset",
                                            "\\hookrightarrow",
                                            "\\leftrightarrow",
                                            "\\preceq",
                                            "\\succeq",
                                            "\\rightharpoonup",
                                            "\\prec",
                                            "\\succ",
                                            "\\asymp",
                                            "\\perp",
                                            "\\models"};
constexpr std::string_view arrows_between[] = {"\\Rightarrow", "\\implies", "\\Longrightarrow",
                                               "\\therefore",  "\\because", "\\impliedby"};
constexpr std::string_view operators[] = {"+", "\\times", "\\cdot", "\\pm",    "\\mp",
                                          "*", "/",       "\\odot", "\\otimes"};
constexpr std::string_view spaces[] = {"\\quad", "\\qquad", "\\enspace", "\\enskip", "\\hfill"};
constexpr std::string_view words_commands[] = {"\\text", "\\mbox",       "\\textrm", "\\textit",
                                               "\\hbox", "\\textnormal", "\\textbf"};
constexpr std::string_view transparent[] = {
    "split",  "aligned", "gathered", "alignedat", "subequations", "align",   "align*",
    "gather", "gather*", "equation", "equation*", "multlined",    "alignat", "alignat*"};

std::optional<relation> relation_of(const token& t) {
    if (is_among(t.text, equal_signs)) return relation::equal;
    if (is_among(t.text, equivalent_signs)) return relation::equivalent;
    if (is_among(t.text, near_signs)) return relation::near;
    if (is_among(t.text, other_signs)) return relation::other;
    return std::nullopt;
}

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

bool joins(std::string_view words) {
    static constexpr std::string_view list[] = {"and",          "or",
                                                "where",        "with",
                                                "so",           "thus",
                                                "hence",        "then",
                                                "i.e.",         "i.e",
                                                "that is",      "which gives",
                                                "therefore",    "while",
                                                "but",          "so that",
                                                "giving",       "or equivalently",
                                                "equivalently", "as well as",
                                                "we have",      "and hence",
                                                "and thus",     "it follows that",
                                                "yields",       "together with",
                                                "and then",     "also",
                                                "given"};
    return is_among(words, list);
}
bool holds_everywhere(std::string_view words) {
    static constexpr std::string_view list[] = {"for all", "for each", "for every", "for any",
                                                "forall"};
    return is_among(words, list);
}
/// Words that say where an equation holds, however they go on.
bool restricts(std::string_view words) {
    static constexpr std::string_view beginnings[] = {
        "if",    "when",    "for",     "whenever", "provided", "unless",    "as",   "at",
        "on",    "in",      "subject", "s.t",      "such",     "otherwise", "else", "assuming",
        "since", "because", "by",      "to",       "near",     "from"};
    return is_among(words.substr(0, words.find(' ')), beginnings);
}

/// Removes what says nothing of the mathematics, and sizes of brackets.
tokens cleaned(const tokens& list) {
    static constexpr std::string_view with_argument[] = {
        "\\label",    "\\tag",   "\\hspace", "\\vspace",    "\\phantom",        "\\hphantom",
        "\\vphantom", "\\color", "\\mspace", "\\eqno",      "\\tag*",           "\\cite",
        "\\footnote", "\\ref",   "\\eqref",  "\\intertext", "\\shortintertext", "\\noalign",
        "\\hskip"};
    static constexpr std::string_view alone[] = {
        "\\nonumber",    "\\notag",        "\\displaystyle",  "\\textstyle",
        "\\scriptstyle", "\\limits",       "\\nolimits",      "\\left",
        "\\right",       "\\middle",       "\\big",           "\\Big",
        "\\bigg",        "\\Bigg",         "\\bigl",          "\\bigr",
        "\\Bigl",        "\\Bigr",         "\\biggl",         "\\biggr",
        "\\Biggl",       "\\Biggr",        "\\bigm",          "\\mathstrut",
        "\\strut",       "\\allowbreak",   "\\centering",     "\\noindent",
        "\\par",         "\\hline",        "\\null",          "\\ensuremath",
        "\\negmedspace", "\\negthinspace", "\\negthickspace", "\\medspace",
        "\\thickspace",  "\\mathopen",     "\\mathclose",     "\\mathinner",
        "\\Bigm",        "\\biggm",        "\\mathpunct",     "\\scriptscriptstyle",
        "\\normalfont",  "\\rmfamily",     "\\boldmath",      "\\thinspace",
        "\\mathord",     "\\mathop",       "\\mathbin",       "\\mathrel",
        "\\smash",       "\\small",        "\\footnotesize",  "\\relax",
        "\\protect",     "\\linebreak",    "\\newline",       "\\pagebreak",
        "\\nobreak",     "\\enspace"};
    tokens out;
    for (auto t = list.begin(); t != list.end();) {
        if (is_among(t->text, with_argument)) {
            const bool breaks = t->is("\\intertext") || t->is("\\shortintertext");
            if (breaks) out.push_back({token_kind::row, "\\\\", t->at, false});
            ++t;
            if (t != list.end() && t->is("*")) ++t;
            if (t != list.end() && t->kind == token_kind::open) t = behind_argument(t, list.end());
            continue;
        }
        if (is_among(t->text, alone)) {
            const bool bracket = t->is("\\left") || t->is("\\right");
            const bool left = t->is("\\left");
            if (++t == list.end() || !bracket) continue;
            if (t->is(".")) ++t;
            else if (t->is("|") || t->is("\\vert")) {
                out.push_back(
                    {token_kind::command, left ? "\\lvert" : "\\rvert", t->at, t->spaced});
                ++t;
            } else if (t->is("\\|") || t->is("\\Vert")) {
                out.push_back(
                    {token_kind::command, left ? "\\lVert" : "\\rVert", t->at, t->spaced});
                ++t;
            }
            continue;
        }
        if (t->is("\\textcolor")) {  // the colour, then what has it
            t = behind_argument(std::next(t), list.end());
            continue;
        }
        if (t->is("\\stackrel") || t->is("\\overset") || t->is("\\underset")) {
            const auto second = behind_argument(std::next(t), list.end());
            const tokens below = argument_at(second, list.end());
            if (below.size() <= 2 && !below.empty() &&
                (relation_of(below.back()) || below.front().is(":"))) {
                token sign = below.back();
                sign.at = t->at;
                out.push_back(std::move(sign));
                t = behind_argument(second, list.end());
                continue;
            }
        }
        if (t->is(":") && std::next(t) != list.end() && std::next(t)->is("=")) ++t;
        if ((t->is("\\begin") || t->is("\\end")) && std::next(t) != list.end() &&
            is_among(spelled(argument_at(std::next(t), list.end())), transparent)) {
            const bool counted =
                spelled(argument_at(std::next(t), list.end())).find("alignat") == 0 ||
                spelled(argument_at(std::next(t), list.end())) == "alignedat";
            const bool begins = t->is("\\begin");
            t = behind_argument(std::next(t), list.end());
            if (begins && counted) t = behind_argument(t, list.end());
            if (begins && t != list.end() && t->is("[")) {
                while (t != list.end() && !t->is("]")) ++t;
                if (t != list.end()) ++t;
            }
            continue;
        }
        if (t->kind == token_kind::row && std::next(t) != list.end() && std::next(t)->is("[")) {
            // \\[2pt], but not a bracket that begins a row
            auto k = std::next(t);
            bool length = false;
            while (k != list.end() && !k->is("]") && k - t < 12) {
                if (k->is("p") || k->is("m") || k->is("x")) length = true;
                ++k;
            }
            if (length && k != list.end() && k->is("]") && std::next(t)->spaced == false) {
                out.push_back(*t);
                t = std::next(k);
                continue;
            }
        }
        out.push_back(*t++);
    }
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
    explicit line_splitter(const tokens& line) : line_(line) {}

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
            if (!around) close_segment();
            return;
        }
        if (t->is(",") || t->is(";")) {
            close_segment();
            return;
        }
        if (is_among(t->text, words_commands)) {
            const std::string words = words_at(std::next(t), line_.end());
            const bool scripted = t != line_.begin() && (std::prev(t)->kind == token_kind::down ||
                                                         std::prev(t)->kind == token_kind::up);
            const bool sentence = words.find(' ') != std::string::npos || joins(words) ||
                                  restricts(words) || holds_everywhere(words);
            if (!scripted && sentence) {
                skipped_ = behind_argument(std::next(t), line_.end());
                close_segment();
                if (!joins(words)) {
                    tail_ = true;
                    tail_words_ = words;
                }
                return;
            }
        }
        segment_.push_back(*t);
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
            if (restricts(words))
                leading_ = words + (segment.empty() ? "" : " " + spelled(segment));
            if (!restricts(words) && !segment.empty()) take(std::move(segment));
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
        if (holds_everywhere(words)) return;
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
    void add_statement(tokens list) {
        statement s;
        if (list.empty()) return;
        ranged_ = false;
        s.at = list.front().at;
        s.source = spelled(list);
        s.condition = leading_;
        leading_.clear();
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
    token_at skipped_ = line_.begin();
    tokens segment_;
    tokens before_;  // what stands in front of the first relation, with commas
    bool tail_ = false;
    bool ranged_ = false;
    std::string tail_words_;
    std::string leading_;
    std::vector<statement> out_;
};

void collect_indices(token_at first, token_at last, std::vector<std::string>& out) {
    const token_at begin = first;
    for (; first != last; ++first) {
        if (first->kind != token_kind::down && first->kind != token_kind::up) continue;
        const bool up = first->kind == token_kind::up;
        const tokens script = argument_at(std::next(first), last);
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
            if (arithmetic && !(script.front().is("(") ||
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

std::vector<statement> statements_of(const tokens& content, const std::string& environment) {
    std::vector<statement> out;
    for (const tokens& line : lines_of(cleaned(content), environment))
        for (statement& s : line_splitter(line).run()) out.push_back(std::move(s));
    return out;
}

std::vector<std::string> index_letters(const tokens& list) {
    std::vector<std::string> out;
    collect_indices(list.begin(), list.end(), out);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

}  // namespace ricci::command
