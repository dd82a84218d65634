// Statements with a name on the left: a definition, or a claim about a name that has one.
#include "check/paper_reader.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "check/paper_sides.hpp"

namespace ricci::papers {

/// \frac{d}{dx} f(x) of a function that an equation defines: of its value.
std::string paper_reader::derivative_behind_sign(const std::string& spelt,
                                                 std::string& value) const {
    if (!is_derivative(spelt)) return {};
    const std::string below = "}{\\partial ";
    const std::size_t first = spelt.find(' ') + 1, middle = spelt.find(below);
    if (middle == std::string::npos || first > middle) return {};
    std::string name = spelt.substr(first, middle - first);
    const std::string names = spelt.substr(middle + below.size(),
                                           spelt.size() - middle - below.size() - 1),
                      by = names.substr(0, names.find(" \\partial "));
    if (const std::size_t open = name.find('('); open != std::string::npos) name.erase(open);
    const definition* f = definitions_.find(name);
    if (!f || !f->function || f->arguments != "(" + by + ")") return {};
    const std::string applied = names_.codes->name(name + "(" + by + ")");
    value = applied + " = " + name + "(" + by + ")\n";
    return spelt.substr(0, first) + applied + below + names + "}";
}

/// f'(x) and f''(x) of a function that an equation defines are its derivatives; empty for other
/// left sides.
std::string paper_reader::derivative_of_function(const statement& s, const std::string& spelt,
                                                 std::string& value) const {
    if (std::string d = derivative_behind_sign(spelt, value); !d.empty()) return d;
    const std::string arguments = arguments_of(s.sides[0]);
    const std::string left = spelt.substr(0, spelt.find_first_of(" ("));
    const std::size_t prime = left.find('\'');
    const std::size_t order = prime == std::string::npos ? 0 : left.size() - prime;
    if (order == 0 || order > 2 || left.back() != '\'' || arguments.size() < 3) return {};
    const std::string by = arguments.substr(1, arguments.size() - 2);
    const auto derivative = [&](const std::string& of) {
        return order == 1
                   ? "\\frac{\\partial " + of + "}{\\partial " + by + "}"
                   : "\\frac{\\partial^2 " + of + "}{\\partial " + by + " \\partial " + by + "}";
    };
    const definition* f = definitions_.find(left.substr(0, prime));
    if (f && f->function && f->arguments == arguments && is_single_name(by) &&
        by.find(',') == std::string::npos) {
        const std::string applied = names_.codes->name(f->name + "(" + by + ")");
        value = applied + " = " + f->name + "(" + by + ")\n";
        return derivative(applied);
    }
    if (!f || f->function || f->rank != 0 || f->arguments != arguments ||
        by.find(',') != std::string::npos)
        return {};
    const bool rests = std::any_of(f->uses.begin(), f->uses.end(),
                                   [&](const used_name& u) { return u.name == by; });
    return rests ? derivative(f->name) : std::string();
}

/// Cases that lack an index of the left side are the same for all its values.
template <class Read>
void paper_reader::complete_cases(reading_of& r, const Read& read_first) const {
    for (int k = 0;
         k < 3 && r.first.words.find("on the left and nowhere on the right") != std::string::npos &&
         r.sides[1].text.rfind("\\begin{cases}", 0) == 0;
         ++k) {
        const std::string index = r.first.words.substr(10, r.first.words.find(' ', 10) - 10);
        r.sides[1].text += " + 0 [" + index + " \\ge 0]";
        r.first = read_first();
    }
}

bool paper_reader::read_left(const statement& s, reading_of& r, const spelling_context& context,
                             bool second_way, std::string& label) {
    if (std::string value, d = derivative_of_function(s, r.left(), value); !d.empty()) {
        r.sides[0].text = d;
        r.value += value;
    }
    const bool derivative = is_derivative(r.left());
    const std::size_t prime = r.left().find("''");
    if (prime != std::string::npos && !arguments_of(s.sides[0]).empty() &&
        definitions_.find(r.left().substr(0, prime))) {
        add(s.at, s.source, verdict::prose, "a second derivative of a function");
        return true;
    }
    // nothing is defined by a value of a function that nothing defines
    if (!derivative && (!is_single_name(r.left()) || name_codes::has_values(r.left())))
        return read_relation(s, r, context, label);
    const std::string own = name_at(r.kept.sides[0].begin(), r.kept.sides[0].end()).key;
    const auto read_first = [&] {
        return read_text(definitions_.functions_in(r.text(1), own) + r.value + r.text(1));
    };
    r.first = read_first();
    complete_cases(r, read_first);
    if (!r.first.ok()) {
        const bool recurrence = stands_again(r.kept) && has_steps(r.kept);
        if (label = letter_to_read_anew(r.first, context); !label.empty() && !recurrence)
            return false;
        const bool trace = r.first.words.find("twice on the left") != std::string::npos;
        if (derivative || trace) return read_relation(s, r, context, label);
        // S_{ij} = S_{ji} of an S that is defined
        if (stands_again(r.kept) && !recurrence && definitions_.find(own))
            return read_relation(s, r, context, label);
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
    if (!derivative && made_of_itself(r.first)) return read_relation(s, r, context, label);
    for (const used_name& u : r.first.names)
        if (u.name != r.first.left) r.uses.push_back(u);
    note_uses(s.at, r.first);
    std::size_t number = 0;
    if (derivative) {
        number = add(s.at, s.source, verdict::proved, "");
        add_claim(claim_kind::derivative, r, number, r.value, r.text(1), "", r.first.names);
    } else {
        number = add(s.at, s.source, verdict::defines, "");
        if (!define_or_claim(s, r, number, second_way)) return true;
    }
    read_further_sides(s, r, number, derivative);
    if (!r.unread.empty()) note(number, r.unread);
    return true;
}

/// B = S + A, where S and A are made of B: no definition, but a claim.
bool paper_reader::made_of_itself(const reading& r) const {
    return std::any_of(r.names.begin(), r.names.end(), [&](const used_name& u) {
        const definition* d =
            u.name == r.left || u.derivative ? nullptr : definitions_.find(u.name);
        return d && d->section == section_ && d->rank == u.rank &&
               definitions_.rests_on(u.name, r.left);
    });
}

void paper_reader::read_further_sides(const statement& s, reading_of& r, std::size_t number,
                                      bool derivative) {
    for (std::size_t k = 2; k < r.sides.size(); ++k) {
        const reading next = read_one(r.text(k));
        if (!next.ok()) {
            note(number,
                 fmt::format("the side {} is not read: {}", spelled(r.kept.sides[k]), next.words));
            continue;
        }
        note_uses(s.at, next);
        if (derivative) {
            add_claim(claim_kind::derivative, r, number, r.value, r.text(k), "", next.names);
            continue;
        }
        std::vector<used_name> names = r.uses;
        for (const used_name& u : next.names)
            if (u.name != next.left) names.push_back(u);
        abbreviate(r, k, next, number);
        claim& c = add_claim(claim_kind::side, r, number, r.value + r.text(1), r.text(k),
                             r.first.left, std::move(names));
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
    tokens meaning(before.begin() + static_cast<std::ptrdiff_t>(head),
                   before.end() - static_cast<std::ptrdiff_t>(tail));
    int depth = 0;
    if (meaning.size() > 2 && meaning.front().is("(") &&
        behind_group(meaning.begin(), meaning.end()) == meaning.end())
        meaning = tokens(std::next(meaning.begin()), std::prev(meaning.end()));
    for (const token& t : meaning)
        depth += (opens(t) || t.kind == token_kind::open ? 1 : 0) - (closes(t) ? 1 : 0);
    const written_name single =
        meaning.empty() ? written_name{} : name_at(meaning.begin(), meaning.end());
    if (name.empty() || meaning.size() < 2 || depth != 0 || is_plain_number(spelled(meaning)) ||
        (!single.key.empty() && single.end == meaning.end()))
        return;
    spelling_context context = context_of(r.kept, names_);
    const spelling a = spell(name, context), b = spell(meaning, context);
    if (a.what != spelling::state::read || b.what != spelling::state::read || !a.doubt.empty() ||
        !b.doubt.empty() || !is_single_name(a.text))
        return;
    const std::string text = a.text + " = " + b.text;
    const reading named = read_text(text);
    if (!named.ok() || definitions_.find(named.left) || seen_.count(plain_name(named.left)) > 0 ||
        names_in(r.kept.sides[0]).count(named.left) > 0)
        return;
    const used_name* used = next.find(named.left);
    if (!used || used->rank != named.left_rank) return;
    define(named, text, line_of(r.kept.at), {});
    note(number, fmt::format("names {} for {}", named.left, spelled(meaning)));
}

void paper_reader::say_trouble(const statement& s, const statement& kept, const reading& r) {
    verdict v = verdict::unreadable;
    std::string words = r.words;
    const std::string left = name_at(kept.sides[0].begin(), kept.sides[0].end()).key;
    const bool again = stands_again(kept);
    const bool step = has_steps(kept);
    if (r.words.find("metric only") != std::string::npos) {
        v = verdict::declares;
        words = "upper and lower indices mean the same";
    } else if (again && step) {
        v = verdict::prose;
        words = fmt::format("a recurrence: {} is said by its own values elsewhere", left);
    } else if (r.what == reading::trouble::unknown_function) {
        v = verdict::prose;
        words = r.marked + " is a function that no equation defines";
    } else if (r.what == reading::trouble::index_free || beyond_notation(r.words)) {
        v = verdict::prose;
    } else if (r.what == reading::trouble::index_once && !arguments_of(kept.sides[0]).empty()) {
        v = verdict::prose;
        words = "a function of what stands below a name in it";
    } else if (again || r.what == reading::trouble::cycle) {
        v = verdict::declares;
        words = (left.empty() ? "a name" : left) + " stands on both sides: a condition on it";
    }
    add(s.at, s.source, v, words);
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

/// \sigma_i, where \sigma_i^2 = ... has been read.
void paper_reader::define_root(const statement& s, const std::string& square) {
    const tokens root = without_square(s.sides[0]);
    const written_name whole = name_at(s.sides[0].begin(), s.sides[0].end());
    if (root.empty() || !names_.squares.count(whole.key)) return;
    const spelling left = spell(root, context_of(s, names_));
    if (left.what != spelling::state::read || !is_single_name(left.text)) return;
    const std::string text = left.text + " = \\sqrt{" + square + "}";
    const reading read = read_text(text);
    const definition* known = read.ok() ? definitions_.find(read.left) : nullptr;
    if (!read.ok() || (known && !known->root)) return;
    define(read, text, line_of(s.at), {});
    definitions_.mark_root(read.left);
}

/// A name that is new, or begins a new meaning, is defined; of another the statement claims
/// something. False where it does neither.
bool paper_reader::define_or_claim(const statement& s, reading_of& r, std::size_t number,
                                   bool second_way) {
    finding& f = out_.findings[number];
    const std::string name = r.first.left, text = r.value + r.text(1),
                      arguments = arguments_of(s.sides[0]);
    const auto begin = [&](const std::string& words) {
        if (!s.condition.empty()) {
            // a definition with a condition is none of the whole
            f.verdict = verdict::prose;
            f.words = "it holds only " + s.condition;
            return false;
        }
        if (supposed(s)) {
            f.verdict = verdict::declares;
            f.words =
                "supposed here, and no definition for what follows: " + words + made_from(r.uses);
            return true;
        }
        define(r.first, text, line_of(s.at), arguments);
        define_root(s, r.left());
        f.words = words + made_from(r.uses);
        return true;
    };
    // f(x) = 0, x_i = 1: a number that a function or a tensor is to have
    const bool of_something =
        s.sides[0].back().is(")") || s.sides[0].front().is("\\langle") || r.first.left_rank > 0;
    if (r.uses.empty() && of_something && is_plain_number(r.sides[1].text)) {
        f.verdict = verdict::declares;
        f.words = "a condition on " + name;
        return false;
    }
    const definition* known = definitions_.find(r.first.left);
    if (!known) return begin(name);
    const std::string line = fmt::format("{}", known->line);
    if (known->rank != r.first.left_rank)
        return begin(fmt::format("{} anew, with other indices than in line {}", name, line));
    if (claim_judge(definitions_, facts_, names_).implies(*known, text, r.uses)) {
        f.verdict = verdict::proved;
        f.words = "as in line " + line;
        if (!supposed(s) && s.condition.empty()) definitions_.repeat(name, section_);
        return true;
    }
    const bool other = known->section != section_ || known->arguments != arguments ||
                       !s.condition.empty() || supposed(s);
    if (other && !second_way)
        return begin(fmt::format("{} anew: line {} gives it another meaning", name, line));
    // what goes on with a display is about the same name
    claim& c = add_claim(s.goes_on ? claim_kind::side : claim_kind::restated, r, number,
                         known->text, text, r.first.left, r.first.names);
    if (s.goes_on) {
        c.names.insert(c.names.end(), known->uses.begin(), known->uses.end());
        c.own_names = known->uses;
        c.side_names = r.uses;
    }
    f.verdict = verdict::proved;
    return true;
}

}  // namespace ricci::papers
