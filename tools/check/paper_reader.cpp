// Goes through the statements of displays and of the text, and lists what nothing explains.
#include "check/paper_reader.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "check/paper_sides.hpp"
#include "papers/conjunctions.hpp"
#include "papers/paper_indices.hpp"
#include "papers/text_words.hpp"

namespace ricci::papers {

std::size_t paper_reader::add(std::size_t at, std::string equation, verdict v, std::string words) {
    if (equation.size() > 2000) equation.resize(2000);
    out_.findings.push_back({document_.at(at), std::move(equation), v, std::move(words)});
    return out_.findings.size() - 1;
}

void paper_reader::note(std::size_t number, const std::string& words) {
    finding& f = out_.findings[number];
    if (words.find(" is not read: ") != std::string::npos) {
        partly_.insert(number);
        if (f.verdict == verdict::proved) f.verdict = verdict::unproved;
    }
    std::string& all = f.words;
    if (all.find(words) != std::string::npos) return;
    all += (all.empty() ? "" : "; ") + words;
}

namespace {

/// ## is 2 and \subsection 2.
int level_of(std::string_view heading) {
    if (const std::size_t k = heading.find_first_not_of(" \n"); k != std::string_view::npos)
        heading.remove_prefix(k);
    if (heading.rfind('#', 0) == 0)
        return static_cast<int>(std::min(heading.find_first_not_of('#'), heading.size()));
    int level = -1;
    for (const std::string_view word : {"\\part", "\\chapter", "\\section", "\\subsection",
                                        "\\subsubsection", "\\paragraph", "\\subparagraph"}) {
        if (heading.rfind(word, 0) == 0) return level;
        ++level;
    }
    return 1;
}

}  // namespace

void paper_reader::begin_section(std::string_view heading) {
    judge_claims();
    ++section_;
    const int level = level_of(heading);
    while (!levels_.empty() && levels_.back().first >= level) levels_.pop_back();
    facts_.outer_sections.push_back(levels_.empty() ? 0 : levels_.back().second);
    levels_.emplace_back(level, section_);
    heading_ = heading;
    last_left_.clear();
    numbers_.forget();
}

void paper_reader::begin_display(std::string_view text_before) {
    judge_claims();
    supposed_ = supposes(text_before);
    places_ = places_in(heading_, text_before);
    for_all_ = names_for_all(text_before);
}

void paper_reader::take(const statement& given) {
    statement s = given;
    seen_.insert(now_.begin(), now_.end());
    now_.clear();
    for (const tokens& side : s.sides) now_.merge(names_in(side));
    if (s.goes_on) {
        if (last_left_.empty()) {
            add(s.at, s.source, verdict::prose, "it goes on with what the text says");
            return;
        }
        s.sides.front() = last_left_;
    }
    if (s.sides.size() > 1) last_left_ = s.sides.front();
    if (s.sides.size() < 2) {
        add(s.at, s.source, verdict::prose, why_no_equation(s));
        return;
    }
    if (is_of_cycles(s)) {
        add(s.at, s.source, verdict::prose, "permutations, in cycles");
        return;
    }
    if (s.beside && is_plain_number(spelled(s.sides.back())) && s.sides.size() == 2) {
        add(s.at, s.source, verdict::declares, "a condition, beside others");
        return;
    }
    if (const auto n = of_basis(s) ? worked_numbers::outcome{} : numbers_.take(s);
        n.kind != worked_numbers::outcome_kind::none &&
        !(n.kind == worked_numbers::outcome_kind::defines && is_made_of_defined(s.sides.front())))
        return take_numbers(s, n);
    // around \Leftrightarrow stand equations of their own
    std::size_t first = 0;
    for (std::size_t k = 0; k <= s.relations.size(); ++k) {
        if (k < s.relations.size() && s.relations[k] != relation::equivalent) continue;
        const auto part = [&](auto& list, std::size_t end) {
            using list_type = std::decay_t<decltype(list)>;
            return list_type(list.begin() + static_cast<std::ptrdiff_t>(first),
                             list.begin() + static_cast<std::ptrdiff_t>(end));
        };
        statement one = s;
        one.sides = part(s.sides, k + 1);
        one.relations = part(s.relations, k);
        one.signs = part(s.signs, k);
        if (first > 0 && !one.sides.front().empty()) one.at = one.sides.front().front().at;
        if (first > 0 || k < s.relations.size()) one.source = source_of(one);
        if (one.sides.size() > 1) take_chain(one, first > 0);
        else add(one.at, one.source, verdict::prose, "no equation");
        first = k + 1;
    }
}

/// Whether e^1 of a basis stands in it, which is no number.
bool paper_reader::of_basis(const statement& s) const {
    const auto has_e = [](const tokens& side) {
        return std::any_of(side.begin(), side.end(), [](const token& t) { return t.is("e"); });
    };
    return names_.basis_e && std::any_of(s.sides.begin(), s.sides.end(), has_e);
}

/// \gamma^2 (1 - v^2), not \gamma alone, where an equation defines \gamma.
bool paper_reader::is_made_of_defined(const tokens& side) const {
    const written_name whole = name_at(side.begin(), side.end());
    const bool raised = std::any_of(whole.begin, whole.end,
                                    [](const token& t) { return t.kind == token_kind::up; });
    // e_{ii} = 0 of an e that is defined is claimed
    const bool trace =
        whole.indices > static_cast<int>(index_letters(tokens(whole.begin, whole.end)).size());
    if (!whole.key.empty() && !trace &&
        (whole.end == side.end() || (whole.end->is("(") && !raised)))
        return false;
    for (auto t = side.begin(); t != side.end(); ++t)
        if (const written_name n = name_at(t, side.end());
            !n.key.empty() && definitions_.find(n.key))
            return true;
    return false;
}

void paper_reader::take_numbers(const statement& s, const worked_numbers::outcome& n) {
    using kind = worked_numbers::outcome_kind;
    const verdict v = n.kind == kind::defines   ? verdict::defines
                      : n.kind == kind::proved  ? verdict::proved
                      : n.kind == kind::refuted ? verdict::refuted
                      : n.kind == kind::suspect ? verdict::suspect
                                                : verdict::unproved;
    const written_name left = name_at(s.sides.front().begin(), s.sides.front().end());
    const bool condition = n.kind == kind::defines && !left.key.empty() &&
                           (left.indexed || left.end != s.sides.front().end()) &&
                           s.sides[1].size() == 1;
    add(s.at, s.source, condition ? verdict::declares : v,
        condition ? "a condition on " + left.key : n.words);
}

void paper_reader::take_chain(const statement& s, bool second_way) {
    for (std::size_t k = 0; k < s.relations.size(); ++k) {
        if (s.relations[k] == relation::equal) continue;
        add(s.at, s.source, verdict::prose,
            s.relations[k] == relation::near ? "holds approximately, and not exactly"
                                             : why_other(s.signs[k]));
        return;
    }
    spelling_context context = context_of(s, names_);
    // letters that turn out to be labels or exponents are read as such, one after another
    for (int attempt = 0; attempt < 5; ++attempt) {
        std::string label;
        if (read(s, context, second_way, label)) return;
        if (!context.labels.insert(label).second) break;  // that was no help
        context.indices.erase(label);
    }
    add(s.at, s.source, verdict::unreadable, "it is not clear which of its letters are indices");
}

/// False where a letter, `label`, has to be read as a label or an exponent first.
bool paper_reader::read(const statement& s, const spelling_context& context, bool second_way,
                        std::string& label) {
    std::vector<spelling> sides;
    for (std::size_t k = 0; k < s.sides.size(); ++k) {
        spelling_context here = context;
        here.left = k == 0;
        sides.push_back(spell(s.sides[k], here));
    }
    spelling_context other = context;
    other.imaginary = true;
    reading_of r;
    r.kept = s;
    r.kept.sides.clear();
    for (std::size_t k = 0; k < sides.size(); ++k) {
        if (sides[k].what == spelling::state::read) {
            r.kept.sides.push_back(s.sides[k]);
            if (r.value.find(sides[k].values) == std::string::npos) r.value += sides[k].values;
            if (r.doubt.empty()) r.doubt = sides[k].doubt;
            r.totals.insert(sides[k].totals.begin(), sides[k].totals.end());
            r.imaginary.push_back(sides[k].position ? spell(s.sides[k], other).text : "");
            r.sides.push_back(std::move(sides[k]));
            continue;
        }
        if (k == 0 || sides.size() == 2) {
            add(s.at, s.source,
                sides[k].what == spelling::state::prose ? verdict::prose : verdict::unreadable,
                sides[k].why);
            return true;
        }
        if (r.unread.empty())
            r.unread =
                fmt::format("the side {} is not read: {}", spelled(s.sides[k]), sides[k].why);
    }
    if (r.sides.size() < 2) {
        add(s.at, s.source, verdict::prose, r.unread);
        return true;
    }
    if (!s.condition.empty()) r.doubt = "it holds only " + s.condition;
    if (r.doubt.empty() && !places_.empty()) r.doubt = "it holds where " + places_;
    if (r.doubt.empty() && supposed_) r.doubt = "the sentence before it supposes something";
    return read_left(s, r, context, second_way, label);
}

void paper_reader::note_dimensions(std::string_view words) {
    if (has_word(lower(words), {"in three dimensions", "in 3 dimensions"})) assume_three_places();
}

void paper_reader::assume_three_places() {
    judge::assumption a;
    a.property = judge::property::places;
    facts_.assume(a);
}

void paper_reader::note_passing(const part& p, int section) {
    if (p.content.empty()) return;
    const written_name one = name_at(p.content.begin(), p.content.end());
    if (!one.key.empty() && one.end == p.content.end()) {
        const std::string_view text = prose_;
        for (const judge::assumption& a :
             facts_around(text.substr(0, p.begin), text.substr(p.end), one.key))
            facts_.assume(a);
        return;
    }
    for (const statement& s : statements_of(p.content, "")) {
        if (s.signs.size() == 1 && s.signs[0] == "\\in" && !s.sides[1].empty() &&
            s.sides[1].front().is("\\{"))
            facts_.restricted.merge(names_in(s.sides[0]));
        if (s.sides.size() != 2 || s.sides[0].empty() || s.relations[0] != relation::equal)
            continue;
        const written_name n = name_at(s.sides[0].begin(), s.sides[0].end());
        const bool named = !n.key.empty() && n.end == s.sides[0].end();
        const bool number = s.sides[1].size() == 1 && s.sides[1][0].kind == token_kind::number;
        if (named && number && !n.indexed)
            facts_.numbers[n.key].push_back(
                {section, spelled(s.sides[0]) + " = " + s.sides[1][0].text});
    }
}

void paper_reader::note_unread(const statement& s, int section, bool explains) {
    if (s.sides.size() < 2 || s.sides[0].empty() || s.relations[0] != relation::equal) return;
    const written_name n = name_at(s.sides[0].begin(), s.sides[0].end());
    // \delta_{ii} = 3 says how many places there are
    if (n.key == "\\delta" && n.end == s.sides[0].end() && n.indices == 2 &&
        index_letters(s.sides[0]).size() == 1 && spelled(s.sides[1]) == "3")
        return assume_three_places();
    const bool whole = !n.key.empty() && (n.end == s.sides[0].end() || n.end->is("("));
    if (!whole || is_plain_number(spelled(s.sides[1]))) return;
    const spelling right = spell(s.sides[1], context_of(s, names_));
    // a list of values says no more than that there are several
    if (right.what != spelling::state::prose || right.why == "a list of values") return;
    for (const token& t : s.sides[1])
        if (t.is("\\ldots") || t.is("\\dots") || t.is("\\cdots")) return;
    facts_.not_read[n.key].push_back({line_of(s.at), section, explains});
}

void paper_reader::take_passing(const part& p) {
    if (p.content.size() < 3) return;
    const auto list = statements_of(p.content, "");
    if (list.size() != 1 || list[0].sides.size() < 2 || list[0].goes_on ||
        !list[0].condition.empty())
        return;
    const statement& s = list[0];
    for (const relation r : s.relations)
        if (r != relation::equal) return;
    if (numbers_.take(s).kind != worked_numbers::outcome_kind::none) return;
    if (supposes(std::string_view(prose_).substr(0, p.begin))) return;
    spelling_context context = context_of(s, names_);
    spelling_context left_context = context;
    left_context.left = true;
    const spelling left = spell(s.sides[0], left_context), right = spell(s.sides[1], context);
    const bool both = left.what == spelling::state::read && right.what == spelling::state::read;
    if (!both || !is_single_name(left.text)) return;
    const std::string text = left.text + " = " + right.text;
    const reading r = read_one(text);
    if (!r.ok() || definitions_.find(r.left)) return;
    std::vector<used_name> uses;
    for (const used_name& u : r.names)
        if (u.name != r.left) uses.push_back(u);
    // n = m, T = 1: a choice, and no definition
    const bool average = s.sides[0].front().is("\\langle");
    if (!average && (uses.empty() || is_single_name(right.text))) return;
    define(r, text, line_of(p.begin), arguments_of(s.sides[0]));
    add(p.content.front().at, s.source, verdict::defines, r.left + made_from(uses));
    note_uses(s.at, r);
}

void paper_reader::note_uses(std::size_t at, const reading& r) {
    for (const used_name& u : r.names) {
        if (u.name == left_side || name_codes::is_coded(u.name) ||
            name_codes::is_coded(u.numerator))
            continue;
        if (!u.derivative) used_.emplace(plain_name(u.name), at);
        for (const std::string& name : {u.of, u.numerator})
            if (!name.empty() && name.find('/') == std::string::npos)
                used_.emplace(plain_name(name), at);
    }
}

void paper_reader::list_symbols() {
    std::vector<std::pair<std::size_t, std::string>> list;
    for (const auto& [name, at] : used_) {
        const bool defined = definitions_.find(name) || definitions_.find(name + "_upper") ||
                             definitions_.find(name + "_lower");
        const std::size_t bar = name.find('_');
        const bool named = names_.named.count(name) ||
                           (bar != std::string::npos && names_.named.count(name.substr(0, bar)));
        if (!defined && !named && !numbers_.knows(name)) list.emplace_back(at, name);
    }
    std::sort(list.begin(), list.end());
    for (const auto& [at, name] : list) out_.symbols.push_back({name, document_.at(at)});
}

paper_report paper_reader::finish() {
    judge_claims();
    list_symbols();
    for (finding& f : out_.findings) {
        f.words = names_.codes->shown(f.words);
        const std::string word = left_side;
        for (std::size_t k = f.words.find(word); k != std::string::npos; k = f.words.find(word, k))
            f.words.replace(k, word.size(), "the left side");
    }
    return std::move(out_);
}

}  // namespace ricci::papers
