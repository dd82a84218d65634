#include "command/paper_reader.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "command/paper_prose.hpp"
#include "command/paper_words.hpp"

namespace ricci::command {

namespace {

std::string why_no_equation(const statement& s) {
    for (const token& t : s.sides.front())
        if (const std::string_view why = why_prose(t.text); !why.empty() && !t.is("\\partial"))
            return "no equation: " + std::string(why);
    return "no equation: nothing is said to be equal";
}
std::string why_other(const std::string& sign) {
    if (sign == "\\to" || sign == "\\rightarrow" || sign == "\\mapsto" ||
        sign == "\\longrightarrow")
        return "says what becomes what";
    if (sign == "\\leftarrow" || sign == "\\gets") return "an update of a value, and no equation";
    if (sign == "\\in" || sign == "\\subset" || sign == "\\subseteq")
        return "says where something lives";
    if (sign == "\\propto") return "a proportion, whose factor is not said";
    if (sign == "\\sim") return "says how something is distributed, or how it grows";
    return "a comparison, which computes nothing";
}
std::string source_of(const statement& s) {
    std::string out = spelled(s.sides[0]);
    for (std::size_t k = 0; k < s.signs.size(); ++k)
        out += " " + s.signs[k] + " " + spelled(s.sides[k + 1]);
    return out;
}
/// The letter that makes no sense as an index, if it may be a label or an exponent instead;
/// "bare:R" for a name that stands with indices and without.
std::string letter_to_read_anew(const reading& r, const spelling_context& context) {
    if (r.ok()) return {};
    static const std::set<std::string> indices = {"i", "j", "k", "l",    "m",
                                                  "a", "b", "c", "\\mu", "\\nu"};
    static const std::set<std::string> always = {"i", "j", "k", "\\mu", "\\nu"};
    if (r.what == reading::trouble::rank) {  // v_{x} beside v, r^{n} beside r
        const std::size_t open = r.marked.find('{');
        const bool script = open != std::string::npos && open > 0 &&
                            (r.marked[open - 1] == '_' || r.marked[open - 1] == '^') &&
                            r.marked.find('}', open) + 1 == r.marked.size();
        const std::string inside =
            script ? r.marked.substr(open + 1, r.marked.size() - open - 2) : std::string();
        const bool one = inside.size() == 1 || (inside.size() > 1 && inside[0] == '\\' &&
                                                inside.find_first_of(" _^{") == std::string::npos);
        if (one && !indices.count(inside)) return inside;
        const std::string name = r.words.substr(0, r.words.find(' '));
        const bool bare = r.words.find(" 0 ind") != std::string::npos &&
                          r.words.find(" has ") != std::string::npos;
        return bare && name.size() == 1 && name[0] >= 'A' && name[0] <= 'Z' ? "bare:" + name
                                                                            : std::string();
    }
    const std::string key = "the index ";
    if (r.words.rfind(key, 0) != 0) return {};
    const std::string letter =
        r.words.substr(key.size(), r.words.find(' ', key.size()) - key.size());
    if (r.words.find(" stands on the left and nowhere on the right") == key.size() + letter.size())
        return always.count(letter) ? std::string() : letter;
    if (r.what != reading::trouble::index_once) return {};
    const std::string missing = " is missing on the right";  // and o of the left is missing
    if (const std::size_t at = r.words.find(missing); at != std::string::npos) {
        const std::size_t and_at = r.words.rfind("and ", at);
        const std::string other =
            and_at == std::string::npos
                ? std::string()
                : r.words.substr(and_at + 4, r.words.find(' ', and_at + 4) - and_at - 4);
        if (!other.empty() && !indices.count(other) && other.find(' ') == std::string::npos)
            return other;
    }
    // beside other labels it is one too
    if (!context.labels.empty() && context.indices.size() <= 1) return letter;
    return indices.count(letter) ? std::string() : letter;
}
bool is_derivative(const std::string& text) {
    if (text.rfind("\\frac{\\partial", 0) != 0) return false;
    int depth = 0, groups = 0;
    for (std::size_t k = 0; k < text.size(); ++k) {
        if (text[k] == '{') ++depth;
        if (text[k] == '}' && --depth == 0 && ++groups == 2) return k + 1 == text.size();
    }
    return false;
}
std::string from(const std::vector<used_name>& uses) {
    std::string out;
    for (std::size_t k = 0; k < uses.size() && k < 8; ++k)
        out += (k == 0                 ? ", from "
                : k + 1 == uses.size() ? " and "
                                       : ", ") +
               shown_name(uses[k].name);
    return out;
}
spelling_context context_of(const statement& s, const symbols& names) {
    spelling_context context;
    context.names = &names;
    for (const tokens& side : s.sides)
        for (std::string& i : index_letters(side)) context.indices.insert(std::move(i));
    return context;
}
/// Whether the name on the left stands on the right too.
bool stands_again(const statement& s) {
    const std::string left = name_at(s.sides[0].begin(), s.sides[0].end()).key;
    for (std::size_t k = 1; k < s.sides.size() && !left.empty(); ++k)
        for (auto t = s.sides[k].begin(); t != s.sides[k].end(); ++t)
            if (name_at(t, s.sides[k].end()).key == left) return true;
    return false;
}
/// x^2 alone.
bool is_power(const tokens& side) {
    const written_name n = name_at(side.begin(), side.end());
    return !n.key.empty() && !n.indexed && n.end == side.end();
}
/// Whether a spelt side is made of digits alone.
bool is_number(const std::string& text) {
    return text.find_first_not_of("0123456789.-+ ") == std::string::npos;
}
/// Whether a script of any side holds arithmetic.
bool steps(const statement& s) {
    for (const tokens& side : s.sides)
        for (auto t = side.begin(); t != side.end(); ++t)
            if (t->kind == token_kind::down || t->kind == token_kind::up)
                for (const token& u : argument_at(std::next(t), side.end()))
                    if (u.is("+") || u.is("-")) return true;
    return false;
}
/// Whether a mistake says that an equation is right and computes what the notation does not.
bool beyond_notation(const std::string& words) {
    for (const char* part : {"a sum to a name runs over", "positions count from", "a sum runs from",
                             "of its places only", "no axis begins there", "a sum from"})
        if (words.find(part) != std::string::npos) return true;
    return false;
}
/// What stands in parentheses on the left side, without spaces.
std::string arguments_of(const tokens& left) {
    const written_name n = left.empty() ? written_name{} : name_at(left.begin(), left.end());
    if (n.key.empty() || n.end == left.end() || !n.end->is("(")) return {};
    std::string out;
    for (auto t = n.end; t != left.end(); ++t) out += t->text;
    return out;
}

}  // namespace

std::size_t paper_reader::add(std::size_t at, std::string equation, verdict v, std::string words) {
    if (equation.size() > 2000) equation.resize(2000);
    out_.findings.push_back({document_.at(at), std::move(equation), v, std::move(words)});
    return out_.findings.size() - 1;
}
void paper_reader::note(std::size_t number, const std::string& words) {
    if (words.find(" is not read: ") != std::string::npos) partly_.insert(number);
    std::string& all = out_.findings[number].words;
    if (all.find(words) != std::string::npos) return;
    all += (all.empty() ? "" : "; ") + words;
}
void paper_reader::begin_section(std::string heading) {
    judge_claims();
    ++section_;
    heading_ = std::move(heading);
    last_left_.clear();
    numbers_.forget();
}
void paper_reader::begin_display(std::string_view text_before) {
    judge_claims();
    before_ = text_before;
}

// Statements --------------------------------------------------------------------------------------

void paper_reader::take(const statement& given) {
    statement s = given;
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
    if (const auto n = numbers_.take(s); n.what != number_book::outcome::kind::none)
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

void paper_reader::take_numbers(const statement& s, const number_book::outcome& n) {
    using kind = number_book::outcome::kind;
    const verdict v = n.what == kind::defines   ? verdict::defines
                      : n.what == kind::proved  ? verdict::proved
                      : n.what == kind::refuted ? verdict::refuted
                                                : verdict::unproved;
    const written_name left = name_at(s.sides.front().begin(), s.sides.front().end());
    const bool condition = n.what == kind::defines && !left.key.empty() &&
                           (left.indexed || left.end != s.sides.front().end()) &&
                           s.sides[1].size() == 1;
    add(s.at, s.source, condition ? verdict::declares : v,
        condition ? "a condition on " + left.key : n.words);
    limit_names(s.sides.front(), line_of(s.at));
}

/// Every name in `side` is said to be what no later refutation may overlook.
void paper_reader::limit_names(const tokens& side, int line) {
    for (auto t = side.begin(); t != side.end();) {
        const written_name n = name_at(t, side.end());
        if (!n.key.empty()) limits_.add(n.key, line);
        t = n.key.empty() ? std::next(t) : n.end;
    }
}
/// What a statement that is not read says something of: the name on its left, or all its names.
void paper_reader::limit(const statement& s) {
    const tokens& left = s.sides.front();
    const written_name n = left.empty() ? written_name{} : name_at(left.begin(), left.end());
    const bool single =
        !n.key.empty() &&
        (n.end == left.end() || (n.end->is("(") && behind_group(n.end, left.end()) == left.end()));
    if (single && s.relations[0] != relation::other) return limits_.add(n.key, line_of(s.at));
    for (const tokens& side : s.sides) limit_names(side, line_of(s.at));
}

void paper_reader::take_chain(const statement& s, bool second_way) {
    for (std::size_t k = 0; k < s.relations.size(); ++k) {
        if (s.relations[k] == relation::equal) continue;
        add(s.at, s.source, verdict::prose,
            s.relations[k] == relation::near ? "holds approximately, and not exactly"
                                             : why_other(s.signs[k]));
        if (s.signs[k] != "\\to" && s.signs[k] != "\\rightarrow") limit(s);
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
    limit(s);
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
    reading_of r;
    r.kept = s;
    r.kept.sides.clear();
    for (std::size_t k = 0; k < sides.size(); ++k) {
        if (sides[k].what == spelling::state::read) {
            r.kept.sides.push_back(s.sides[k]);
            if (r.doubt.empty()) r.doubt = sides[k].doubt;
            r.sides.push_back(std::move(sides[k]));
            continue;
        }
        if (k == 0 || sides.size() == 2) {
            add(s.at, s.source,
                sides[k].what == spelling::state::prose ? verdict::prose : verdict::unreadable,
                sides[k].why);
            limit(s);
            return true;
        }
        if (r.unread.empty())
            r.unread = "the side " + spelled(s.sides[k]) + " is not read: " + sides[k].why;
    }
    if (r.sides.size() < 2) {
        add(s.at, s.source, verdict::prose, r.unread);
        limit(s);
        return true;
    }
    if (!s.condition.empty()) r.doubt = "it holds only " + s.condition;
    if (r.doubt.empty()) r.doubt = case_in(heading_, before_);
    return read_left(s, r, context, second_way, label);
}

/// f'(x) of a function that an equation defines is its derivative; empty for other left sides.
std::string paper_reader::derivative_of_function(const statement& s, const std::string& spelt,
                                                 std::string& value) const {
    const std::string arguments = arguments_of(s.sides[0]);
    const std::string left = spelt.substr(0, spelt.find_first_of(" ("));
    if (left.size() < 2 || left.back() != '\'' || left.find('\'') + 1 != left.size() ||
        arguments.size() < 3)
        return {};
    const std::string by = arguments.substr(1, arguments.size() - 2);
    const definition* f = definitions_.find(left.substr(0, left.size() - 1));
    if (f && f->function && f->arguments == arguments && is_single_name(by) &&
        by.find(',') == std::string::npos) {
        value = "\\text{value} = " + f->name + "(" + by + ")\n";
        return "\\frac{\\partial \\text{value}}{\\partial " + by + "}";
    }
    if (!f || f->function || f->rank != 0 || f->arguments != arguments ||
        by.find(',') != std::string::npos)
        return {};
    const bool rests = std::any_of(f->uses.begin(), f->uses.end(),
                                   [&](const used_name& u) { return u.name == by; });
    return rests ? "\\frac{\\partial " + f->name + "}{\\partial " + by + "}" : std::string();
}

bool paper_reader::read_left(const statement& s, reading_of& r, const spelling_context& context,
                             bool second_way, std::string& label) {
    if (const std::string d = derivative_of_function(s, r.left(), r.value); !d.empty())
        r.sides[0].text = d;
    const bool derivative = is_derivative(r.left());
    const std::size_t prime = r.left().find("''");
    if (prime != std::string::npos && !arguments_of(s.sides[0]).empty() &&
        definitions_.find(r.left().substr(0, prime))) {
        add(s.at, s.source, verdict::prose, "a second derivative of a function");
        limit(s);
        return true;
    }
    if (!derivative && !is_single_name(r.left())) return read_relation(s, r, context, label);
    const std::string own = name_at(r.kept.sides[0].begin(), r.kept.sides[0].end()).key;
    const auto read_first = [&] {
        return read_text(definitions_.functions_in(r.text(1), own) + r.text(1));
    };
    r.first = read_first();
    // cases that lack an index of the left side are the same for all its values
    for (int k = 0;
         k < 3 && r.first.words.find("on the left and nowhere on the right") != std::string::npos &&
         r.sides[1].text.rfind("\\begin{cases}", 0) == 0;
         ++k) {
        const std::string index = r.first.words.substr(10, r.first.words.find(' ', 10) - 10);
        r.sides[1].text += " + 0 [" + index + " \\ge 0]";
        r.first = read_first();
    }
    if (!r.first.ok()) {
        const bool recurrence = stands_again(r.kept) && steps(r.kept);
        if (label = letter_to_read_anew(r.first, context); !label.empty() && !recurrence)
            return false;
        const bool trace = r.first.words.find("twice on the left") != std::string::npos;
        if (derivative || trace) return read_relation(s, r, context, label);
        const bool part = r.first.words.find("at some of its places only") != std::string::npos;
        if (part && !stands_again(r.kept) && complete_parts(s, r)) return true;
        say_trouble(s, r.kept, r.first);
        return true;
    }
    for (std::size_t k = 2; k < r.sides.size(); ++k)
        if (label = letter_to_read_anew(read_one(r.text(k)), context);
            !label.empty() && !stands_again(r.kept))
            return false;
    label.clear();
    for (const used_name& u : r.first.names)
        if (u.name != r.first.left) r.uses.push_back(u);
    note_uses(s.at, r.first);
    std::size_t number = 0;
    if (derivative) {
        number = add(s.at, s.source, verdict::proved, "");
        add_claim(claim::kind::derivative, r, number, r.value, r.text(1), "", r.first.names);
    } else {
        number = add(s.at, s.source, verdict::defines, "");
        if (!define_or_claim(s, r, number, second_way)) return true;
    }
    read_further_sides(s, r, number, derivative);
    if (!r.unread.empty()) note(number, r.unread);
    return true;
}

void paper_reader::read_further_sides(const statement& s, reading_of& r, std::size_t number,
                                      bool derivative) {
    for (std::size_t k = 2; k < r.sides.size(); ++k) {
        const reading next = read_one(r.text(k));
        if (!next.ok()) {
            note(number, "the side " + spelled(r.kept.sides[k]) + " is not read: " + next.words);
            continue;
        }
        note_uses(s.at, next);
        if (derivative) {
            add_claim(claim::kind::derivative, r, number, r.value, r.text(k), "", next.names);
            continue;
        }
        std::vector<used_name> names = r.uses;
        for (const used_name& u : next.names)
            if (u.name != next.left) names.push_back(u);
        abbreviate(r, k, next, number);
        claim& c = add_claim(claim::kind::side, r, number, r.text(1), r.text(k), r.first.left,
                             std::move(names));
        c.side = spelled(r.kept.sides[k]);
        c.own_names = r.uses;
        c.side_names = next.names;
    }
}

/// A = \frac{x}{\sum_k y} = \frac{x}{Z} names its denominator Z, if nothing else does.
void paper_reader::abbreviate(const reading_of& r, std::size_t side, const reading& next,
                              std::size_t number) {
    const tokens &before = r.kept.sides[side - 1], &now = r.kept.sides[side];
    std::size_t head = 0, tail = 0;
    while (head < before.size() && head < now.size() && before[head].text == now[head].text) ++head;
    while (tail < before.size() - head && tail < now.size() - head &&
           before[before.size() - 1 - tail].text == now[now.size() - 1 - tail].text)
        ++tail;
    const tokens name(now.begin() + static_cast<std::ptrdiff_t>(head),
                      now.end() - static_cast<std::ptrdiff_t>(tail));
    const tokens meaning(before.begin() + static_cast<std::ptrdiff_t>(head),
                         before.end() - static_cast<std::ptrdiff_t>(tail));
    int depth = 0;
    for (const token& t : meaning)
        depth += (opens(t) || t.kind == token_kind::open ? 1 : 0) - (closes(t) ? 1 : 0);
    const written_name single =
        meaning.empty() ? written_name{} : name_at(meaning.begin(), meaning.end());
    if (name.empty() || meaning.size() < 2 || depth != 0 ||
        (!single.key.empty() && single.end == meaning.end()))
        return;
    spelling_context context = context_of(r.kept, names_);
    const spelling a = spell(name, context), b = spell(meaning, context);
    if (a.what != spelling::state::read || b.what != spelling::state::read || !a.doubt.empty() ||
        !b.doubt.empty() || !is_single_name(a.text))
        return;
    const std::string text = a.text + " = " + b.text;
    const reading named = read_text(text);
    if (!named.ok() || definitions_.find(named.left)) return;
    const used_name* used = next.find(named.left);
    if (!used || used->rank != named.left_rank) return;
    define(named, text, line_of(r.kept.at), {});
    note(number, "names " + named.left + " for " + spelled(meaning));
}

void paper_reader::say_trouble(const statement& s, const statement& kept, const reading& r) {
    verdict v = verdict::unreadable;
    std::string words = r.words;
    const std::string left = name_at(kept.sides[0].begin(), kept.sides[0].end()).key;
    const bool again = stands_again(kept);
    const bool step = steps(kept);
    if (r.words.find("metric only") != std::string::npos) {
        v = verdict::declares;
        words = "upper and lower indices mean the same";
    } else if (again && step) {
        v = verdict::prose;
        words = "a recurrence: " + left + " is said by its own values elsewhere";
    } else if (r.what == reading::trouble::unknown_function) {
        v = verdict::prose;
        words = r.marked + " is a function that no equation defines";
    } else if (r.what == reading::trouble::index_free || beyond_notation(r.words)) {
        v = verdict::prose;
    } else if (r.what == reading::trouble::index_once && !arguments_of(kept.sides[0]).empty()) {
        v = verdict::prose;
        words = "a function of what stands below a name in it";
    } else if (again) {
        v = verdict::declares;
        words = left + " stands on both sides: a condition on it";
    }
    add(s.at, s.source, v, words);
    limit(s);
}

/// PE^{p,2i} = ... and PE^{p,2i+1} = ...: one definition when its last part has been read.
bool paper_reader::complete_parts(const statement& s, const reading_of& r) {
    const std::string key = name_at(s.sides[0].begin(), s.sides[0].end()).key +
                            r.left().substr(0, r.left().find_first_of("_^"));
    auto& [text, findings] = parts_[key];
    if (findings.size() > 16) return false;
    text += r.text(1) + "\n";
    findings.push_back(add(s.at, s.source, verdict::prose,
                           "some places of " + name_at(s.sides[0].begin(), s.sides[0].end()).key +
                               ", and not all of them"));
    const reading all = read_text(text);
    if (!all.ok()) return true;
    define(all, text, line_of(s.at), {});
    note_uses(s.at, all);
    for (const std::size_t number : findings) {
        out_.findings[number].verdict = verdict::defines;
        out_.findings[number].words = all.left + ", one part of it";
    }
    parts_.erase(key);
    return true;
}

// Definitions -------------------------------------------------------------------------------------

void paper_reader::define(const reading& r, const std::string& text, int line,
                          std::string arguments) {
    definition d;
    d.name = r.left;
    d.text = text;
    d.rank = r.left_rank;
    d.section = section_;
    d.line = line;
    d.arguments = std::move(arguments);
    d.function = text.find('(') < text.find(" = ") && text.find("_{") > text.find(" = ") &&
                 text.find("^{") > text.find(" = ");
    for (const used_name& u : r.names)
        if (u.name != r.left) d.uses.push_back(u);
    definitions_.add(std::move(d));
}

/// A name that is new, or begins a new meaning, is defined; of another the statement claims
/// something. False where it does neither.
bool paper_reader::define_or_claim(const statement& s, reading_of& r, std::size_t number,
                                   bool second_way) {
    finding& f = out_.findings[number];
    const std::string name = shown_name(r.first.left), text = r.text(1),
                      arguments = arguments_of(s.sides[0]);
    const auto begin = [&](const std::string& words) {
        if (!s.condition.empty()) {
            // a definition with a condition is none of the whole
            f.verdict = verdict::prose;
            f.words = "it holds only " + s.condition;
            limit(s);
            return false;
        }
        define(r.first, text, line_of(s.at), arguments);
        f.words = words + from(r.uses);
        return true;
    };
    // f(x) = 0, x_i = 1: a number that a function or a tensor is to have
    const bool of_something =
        s.sides[0].back().is(")") || s.sides[0].front().is("\\langle") || r.first.left_rank > 0;
    if (r.uses.empty() && of_something && is_number(r.sides[1].text)) {
        f.verdict = verdict::declares;
        f.words = "a condition on " + name;
        limit(s);
        return false;
    }
    const definition* known = definitions_.find(r.first.left);
    if (!known) return begin(name);
    const std::string line = fmt::format("{}", known->line);
    if (known->rank != r.first.left_rank)
        return begin(name + " anew, with other indices than in line " + line);
    if (claim_judge(definitions_, limits_, names_).implies(*known, text, r.uses)) {
        f.verdict = verdict::proved;
        f.words = "as in line " + line;
        return true;
    }
    const bool other = known->section != section_ || known->arguments != arguments ||
                       says_another_case(before_) || !s.condition.empty();
    if (other && !second_way)
        return begin(name + " anew: line " + line + " gives it another meaning");
    add_claim(claim::kind::restated, r, number, known->text, text, r.first.left, r.first.names);
    f.verdict = verdict::proved;
    return true;
}

// Relations between expressions -------------------------------------------------------------------

/// \sum_j A^{ij} = 1: the left side gets a name for the time of the judgement.
bool paper_reader::read_relation(const statement& s, reading_of& r, const spelling_context& context,
                                 std::string& label) {
    std::vector<std::string> free;
    const auto name = [&] {
        std::string out = "\\text{leftside}";
        if (free.empty()) return out;
        out += "^{";
        for (const std::string& i : free) out += i + " ";
        out.back() = '}';
        return out;
    };
    reading left, right;
    for (int k = 0; k < 8; ++k) {
        left = read_one(name() + " = " + r.left());
        right = left.ok() ? read_one(name() + " = " + r.sides[1].text) : left;
        if (left.ok() && right.ok()) break;
        const reading& bad = left.ok() ? right : left;
        const std::string key = "the index ";
        if (bad.what != reading::trouble::index_once || bad.words.rfind(key, 0) != 0) break;
        const std::string letter =
            bad.words.substr(key.size(), bad.words.find(' ', key.size()) - key.size());
        if (std::find(free.begin(), free.end(), letter) != free.end()) break;
        free.push_back(letter);
    }
    const reading& wrong = left.ok() ? right : left;
    if (wrong.what == reading::trouble::rank)
        if (label = letter_to_read_anew(wrong, context); !label.empty()) return false;
    if (!left.ok()) {
        say_trouble(s, r.kept, left);
        return true;
    }
    note_uses(s.at, left);
    if (!right.ok()) {
        // a constant beside what has indices is as good as a condition
        if (right.words.find("missing on the right") == std::string::npos)
            say_trouble(s, r.kept, right);
        else {
            add(s.at, s.source, verdict::declares, "a condition on what stands in it");
            limit(s);
        }
        return true;
    }
    note_uses(s.at, right);
    // a derivative is claimed, whatever its indices; other expressions may be set equal
    const bool square_left =
        is_power(r.kept.sides[0]) &&
        !definitions_.find(name_at(r.kept.sides[0].begin(), r.kept.sides[0].end()).key);
    const claim::kind what =
        is_derivative(r.left()) || square_left ? claim::kind::side : claim::kind::relation;
    // \sigma^2 = ... says what \sigma^2 is, and its further sides claim something
    const written_name root = name_at(r.kept.sides[0].begin(), r.kept.sides[0].end());
    const bool square = !root.key.empty() && !root.indexed && root.end == r.kept.sides[0].end() &&
                        !definitions_.find(root.key) && !right.find(root.key) &&
                        s.condition.empty() && !right.names.empty();
    const std::string own = name() + " = " + (square ? r.sides[1].text : r.left());
    const std::size_t number = add(s.at, s.source, square ? verdict::defines : verdict::proved,
                                   square ? spelled(r.kept.sides[0]) : "");
    if (square) limits_.add(root.key, line_of(s.at));
    for (std::size_t k = square ? 2 : 1; k < r.sides.size(); ++k) {
        const std::string text = name() + " = " + r.sides[k].text;
        const reading next = k == 1 ? right : read_one(text);
        if (!next.ok()) {
            note(number, "the side " + spelled(r.kept.sides[k]) + " is not read: " + next.words);
            continue;
        }
        std::vector<used_name> names;
        for (const reading* one : {static_cast<const reading*>(&left), &next})
            for (const used_name& u : one->names) {
                if (u.name != "leftside") names.push_back(u);
            }
        claim& c = add_claim(what, r, number, own, text, "leftside", std::move(names));
        c.side = spelled(r.kept.sides[k]);
        c.own_names = square ? right.names : left.names;
        c.side_names = next.names;
    }
    if (!r.unread.empty()) note(number, r.unread);
    return true;
}

// Claims ------------------------------------------------------------------------------------------

claim& paper_reader::add_claim(claim::kind what, const reading_of& r, std::size_t number,
                               std::string own, std::string text, std::string except,
                               std::vector<used_name> names) {
    claim c;
    c.what = what;
    c.finding = number;
    c.line = out_.findings[number].where.line;
    c.section = section_;
    c.own = std::move(own);
    c.text = std::move(text);
    c.except = std::move(except);
    c.names = std::move(names);
    c.doubt = r.doubt;
    if (what == claim::kind::derivative) {
        const used_name* left = r.first.find(r.first.left);
        if (const definition* d = left ? definitions_.find(left->numerator) : nullptr) {
            c.own_names = d->uses;
            c.side_names = c.names;
            // the derivative's own tensors are no new ones
            for (const used_name& u : c.names)
                if (u.derivative && u.numerator != left->numerator)
                    c.own_names.push_back({u.numerator, 0, false, false, {}, {}});
            if (c.side_names.empty()) c.side_names.push_back(*left);
        }
    }
    if (what == claim::kind::derivative)
        if (const used_name* u = r.first.find(r.first.left))
            c.numerator = u->numerator, c.by = u->of;
    claims_.push_back(std::move(c));
    return claims_.back();
}
void paper_reader::judge_claims() {
    const claim_judge judge(definitions_, limits_, names_);
    for (const claim& c : claims_) settle(c, judge.run(c));
    claims_.clear();
}
void paper_reader::settle(const claim& c, const settled& done) {
    static constexpr int weight[verdict_count] = {0, 1, 4, 3, 2, 5, 5};
    finding& f = out_.findings[c.finding];
    for (const std::string& name : done.limited) limits_.add(plain_name(name), c.line);
    const bool partly = partly_.count(c.finding) > 0;
    if (partly && done.verdict == verdict::proved) {  // what is not read is not proved
        if (f.verdict == verdict::proved) f.verdict = verdict::unproved;
        return;
    }
    if (f.verdict == verdict::defines && done.verdict == verdict::proved) {
        f.verdict = verdict::proved;
        f.words = "defines " + f.words + "; the rest follows";
        return;
    }
    const bool only_says_more = f.verdict == verdict::defines && done.verdict == verdict::declares;
    if (!only_says_more &&
        weight[static_cast<int>(done.verdict)] > weight[static_cast<int>(f.verdict)])
        f.verdict = done.verdict;
    if (!done.words.empty()) note(c.finding, done.words);
}

// Mathematics in the text -------------------------------------------------------------------------

void paper_reader::note_passing(const part& p, int section) {
    for (const statement& s : statements_of(p.content, "")) {
        if (s.sides.size() != 2 || s.sides[0].empty()) continue;
        const int line = line_of(p.begin);
        const written_name n = name_at(s.sides[0].begin(), s.sides[0].end());
        const bool named = !n.key.empty() && n.end == s.sides[0].end();
        if (s.relations[0] != relation::equal) {
            const bool space =
                s.signs[0] == "\\in" && spelled(s.sides[1]).rfind("\\mathbb", 0) == 0;
            const bool becomes = s.signs[0] == "\\to" || s.signs[0] == "\\rightarrow";
            if (!space && !becomes) limit_names(s.sides[0], line);
            continue;
        }
        const bool number = s.sides[1].size() == 1 && s.sides[1][0].kind == token_kind::number;
        if (named && number && !n.indexed)
            limits_.add(n.key, line, spelled(s.sides[0]) + " = " + s.sides[1][0].text, section);
        else if (p.aside && named) limits_.add(n.key, line);
    }
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
    const int line = line_of(p.begin);
    if (numbers_.take(s).what != number_book::outcome::kind::none) {
        const bool one = s.sides[1].size() == 1;  // noted before, with its number
        if (!one) limit_names(s.sides[0], line);
        return;
    }
    if (supposes(document_.text(), p.begin)) return limit_names(s.sides[0], line);
    spelling_context context = context_of(s, names_);
    spelling_context left_context = context;
    left_context.left = true;
    const spelling left = spell(s.sides[0], left_context), right = spell(s.sides[1], context);
    const bool both = left.what == spelling::state::read && right.what == spelling::state::read;
    if (!both || !is_single_name(left.text)) return limit(s);
    const std::string text = left.text + " = " + right.text;
    const reading r = read_one(text);
    if (!r.ok()) return limit(s);
    std::vector<used_name> uses;
    for (const used_name& u : r.names)
        if (u.name != r.left) uses.push_back(u);
    if (const definition* d = definitions_.find(r.left)) {
        if (d->rank != r.left_rank ||
            !claim_judge(definitions_, limits_, names_).implies(*d, text, uses))
            limit(s);
        return;
    }
    // n = m, T = 1: a choice, and no definition
    const bool average = s.sides[0].front().is("\\langle");
    if (!average && (uses.empty() || is_single_name(right.text))) return limit(s);
    define(r, text, line, arguments_of(s.sides[0]));
    add(p.content.front().at, s.source, verdict::defines, shown_name(r.left) + from(uses));
    note_uses(s.at, r);
}

// The end -----------------------------------------------------------------------------------------

void paper_reader::note_uses(std::size_t at, const reading& r) {
    for (const used_name& u : r.names) {
        if (u.name == "leftside" || u.name == "value" || u.numerator == "value" ||
            shown_name(u.name) != u.name)
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
    return std::move(out_);
}

}  // namespace ricci::command
