// What the names of a claim rest on, and why one that numbers refute may be right all the same.
#include <algorithm>

#include <fmt/core.h>

#include <ricci/detail/letters.hpp>

#include "check/check_claims.hpp"
#include "check/paper_spelling.hpp"

namespace ricci::papers {
namespace {

/// Whether a page gives a name one number, and no other.
bool one_value(const std::vector<page_facts::number>& list) {
    return std::all_of(list.begin(), list.end(),
                       [&](const auto& l) { return l.text == list.front().text; });
}
/// Whether the left side is a derivative, which is claimed and not defined.
bool is_about_derivative(const claim& c) {
    return c.own.find(std::string(left_side)) != std::string::npos &&
           (c.own.find(" = \\frac{\\partial ") != std::string::npos ||
            c.own.find(" = \\frac{\\partial^2 ") != std::string::npos);
}
/// Whether letters stand in a text other than those of commands of numbers.
bool has_names(const std::string& text) {
    std::string word;
    for (std::size_t k = 0; k < text.size(); ++k) {
        const char c = text[k];
        if (!detail::is_ascii_letter(c)) continue;
        if (k > 0 && text[k - 1] == '\\') {
            word.clear();
            while (k < text.size() && detail::is_ascii_letter(text[k])) word += text[k++];
            --k;
            const bool known = word == "frac" || word == "sqrt" || word == "cdot" || word == "pi" ||
                               word == "exp" || word == "log" || word == "sin" || word == "cos";
            if (!known) return true;
            continue;
        }
        return true;
    }
    return false;
}

}  // namespace

/// "c = 1" where the other side leaves c out and that makes the two equal: units are chosen so.
std::string claim_judge::holds_if_one(const claim& c, const texts& t) const {
    if (c.side_names.empty() || c.kind == claim_kind::derivative) return {};
    const std::set<std::string> lacking = beyond(c.own_names, c.side_names, c);
    if (lacking.size() != 1 || !has_names(c.text.substr(c.text.find(" = ")))) return {};
    const std::string name = *lacking.begin();
    for (const used_name& u : c.names)
        if (plain_name(u.name) == name && u.rank > 0) return {};
    if (definitions_.find(name)) return {};
    const judge::finding j = asked(name + " = 1\n" + t.source, t.claims);
    return j.readable && j.verdict == judge::verdict::proved ? name + " = 1" : std::string();
}

/// Whether something is defined of what a claim differentiates.
bool claim_judge::defines_any(const claim& c) const {
    return std::any_of(c.names.begin(), c.names.end(), [&](const used_name& u) {
        return u.derivative && (definitions_.find(u.numerator) || definitions_.find(u.of));
    });
}

/// What the section gives its names as numbers; 0 would make anything true.
std::vector<std::string> claim_judge::numbers_for(const claim& c, const judge::finding& j) const {
    std::vector<std::string> out;
    std::set<std::string> inputs(j.source_inputs.begin(), j.source_inputs.end());
    inputs.insert(j.claim_inputs.begin(), j.claim_inputs.end());
    for (const std::string& input : inputs) {
        const auto found = facts_.numbers.find(plain_name(input));
        if (found == facts_.numbers.end()) continue;
        for (const auto& l : found->second)
            if ((l.section == c.section || one_value(found->second)) &&
                l.text.substr(l.text.size() - 4) != " = 0") {
                out.push_back(l.text);
                break;
            }
    }
    return out;
}

/// What names rest on in the end: those that no equation defines.
std::set<std::string> claim_judge::inputs_of(const std::vector<used_name>& names,
                                             const std::string& except, int section) const {
    std::set<std::string> out, seen;
    std::vector<used_name> open = names;
    while (!open.empty()) {
        const used_name u = open.back();
        open.pop_back();
        // a derivative rests on what its numerator does, which may hold it
        const std::string key = u.derivative ? "derivative of " + u.numerator : u.name;
        if (u.name == left_side || u.name == "value" || !seen.insert(key).second) continue;
        if (const definition* d = u.derivative ? definitions_.find(u.numerator) : nullptr)
            open.insert(open.end(), d->uses.begin(), d->uses.end());
        if (u.derivative || u.name == except) continue;
        const definition* d = definitions_.find(u.name);
        const bool here = d && (section == every_section || d->section == section);
        if (here && d->rank == u.rank) open.insert(open.end(), d->uses.begin(), d->uses.end());
        else out.insert(plain_name(u.name));
    }
    return out;
}

/// Names that only one side rests on, an earlier section's meaning of a name read in or not.
std::set<std::string> claim_judge::beyond(const std::vector<used_name>& names,
                                          const std::vector<used_name>& other,
                                          const claim& c) const {
    std::set<std::string> out;
    for (const int section : {every_section, c.section}) {
        const std::set<std::string> known = inputs_of(other, c.except, section);
        for (const std::string& name : inputs_of(names, c.except, section))
            if (!known.count(name) && !is_symbol(name)) out.insert(name);
    }
    return out;
}

/// An equation of the page that binds names of the claim to one another, and was not used; 0 where
/// there is none.
int claim_judge::condition_on(const claim& c, const judge::finding& j) const {
    std::set<std::string> inputs;
    for (const auto* list : {&j.source_inputs, &j.claim_inputs})
        for (const std::string& name : *list) inputs.insert(plain_name(name));
    for (const page_facts::condition& known : facts_.conditions)
        if (known.line != c.line && known.section == c.section && !known.names.empty() &&
            std::includes(inputs.begin(), inputs.end(), known.names.begin(), known.names.end()))
            return known.line;
    return 0;
}

/// \cos x = \sqrt{1 - \sin^2 x} leaves the sign to the reader.
bool claim_judge::differs_by_a_sign(const claim& c, const texts& t) const {
    // r of r^2 = ... may be the other root
    if (std::any_of(t.context.used.begin(), t.context.used.end(),
                    [](const definition* d) { return d->root; })) {
        std::string other = t.source;
        for (std::size_t k = other.find(" = \\sqrt{"); k != std::string::npos;
             k = other.find(" = \\sqrt{", k + 4))
            other.insert(k + 3, "-");
        const judge::finding j = asked(other, t.claims);
        if (j.readable && (j.verdict == judge::verdict::proved || j.alike)) return true;
    }
    if (c.text.find("\\sqrt") == std::string::npos && c.own.find("\\sqrt") == std::string::npos)
        return false;
    const auto squared = [](const std::string& equation) {
        const std::size_t at = equation.find(" = ");
        return at == std::string::npos
                   ? equation
                   : equation.substr(0, at + 3) + "(" + equation.substr(at + 3) + ")^2";
    };
    if (c.own.empty() || c.kind == claim_kind::derivative) return false;
    const std::string functions = definitions_.functions_in(c.own + c.text + t.context.text);
    const judge::finding j = asked(functions + t.context.text + squared(c.own),
                                   definitions_.functions_in(c.text) + squared(c.text));
    return j.readable && (j.verdict == judge::verdict::proved || j.alike);
}

/// Whether the two sides can be equal nowhere, or only where both are 0: the left one is a number
/// and the right one another, or their quotient is a number.
bool claim_judge::never_equal(const claim& c, const texts& t, const judge::finding& j) const {
    const std::string &left = j.derived_value, &right = j.claimed_value;
    const std::size_t equals = c.text.find(" = ");
    if (left.empty() || right.empty() || equals == std::string::npos) return false;
    const std::string name = c.text.substr(0, equals), side = c.text.substr(equals + 3);
    const auto holds = [&](const std::string& value) {
        const judge::finding f =
            asked(t.source, definitions_.functions_in(c.text) + name + " = " + value);
        return f.readable && f.verdict == judge::verdict::proved;
    };
    if (!has_names(side)) return holds("(" + left + ")");
    if (left == "0" || right == "0") return false;
    return holds("\\frac{(" + left + ")}{(" + right + ")} \\cdot (" + side + ")");
}

claim_judge::doubt claim_judge::why_not_refuted(const claim& c, const texts& t,
                                                const judge::finding& j) const {
    if (!c.doubt.empty()) return {c.doubt};
    if (t.context.doubtful) return {"one of its names has several meanings here"};
    // what holds of all other numbers is no condition on them
    if (j.at_ties) return {};
    if (const std::string name = moving(c, t); !name.empty())
        return {fmt::format("{} may move with what it is differentiated by", name)};
    for (const std::string& name : inputs_of(c))
        if (facts_.restricted.count(name) > 0)
            return {fmt::format("{} is of a set, which is not tried", name)};
    if (const std::string name = held_fixed(c, t); !name.empty())
        return {fmt::format("it holds with {} held fixed, as observed", name)};
    const bool never = never_equal(c, t, j);
    const std::string side = c.text.substr(c.text.find(" = "));
    // 0 = \frac{df}{dx} = ..., too
    const bool from_number =
        c.own.rfind(" = ") != std::string::npos && !has_names(c.own.substr(c.own.rfind(" = ")));
    // nobody solves [x > 0] = 1 for x, and yet it may be of one x
    if ((from_number || !has_names(side)) && !never)
        return {"a number may be what it is set to", j.jumps};
    if (differs_by_a_sign(c, t)) return {"they differ by the sign of a root"};
    // A_{ij} = A_{ji} of an A that is defined says something of what it is made of, or is a slip
    const used_name* named = c.names.empty() ? nullptr : &c.names.front();
    const bool of_one = named && named->rank > 1 && definitions_.find(named->name) &&
                        std::all_of(c.names.begin(), c.names.end(),
                                    [&](const used_name& u) { return u.name == named->name; });
    if (of_one && !never && !holds_for_all(c))
        return {fmt::format("it may be a condition on what {} is made of", named->name), true};
    // x^2 = 2 x + 1 is solved, and nobody claims that it holds for all x
    if (c.kind == claim_kind::relation && !never && !holds_for_all(c) && !is_about_derivative(c) &&
        inputs_of(c.own_names, c.except, every_section).size() < 2)
        return {"it may be a condition on its names"};
    return {left_open(c, t, j, never), true};
}

/// What the page leaves open, or says in a way that is not read, and may make the sides equal.
std::string claim_judge::left_open(const claim& c, const texts& t, const judge::finding& j,
                                   bool never) const {
    if (const int line = unread_definition(j, c); line > 0)
        return fmt::format("line {} says what one of its names is, and is not read", line);
    for (const used_name& u : c.names)
        if (u.derivative && definitions_.find(u.numerator) &&
            !definitions_.rests_on(u.numerator, u.of))
            return fmt::format("no equation says how {} rests on {}", u.numerator, u.of);
    if (c.kind != claim_kind::derivative && !never &&
        (!beyond(c.side_names, c.own_names, c).empty() || !cancels(c, t)))
        return "one side rests on names that the other has not";
    if (const int line = condition_on(c, j); line > 0 && !never)
        return fmt::format("line {} binds its names to one another", line);
    return elsewhere(c, t);
}

/// Whether the names that only the first side has do not move it: (1 - q) (1 - r) + (1 - q) r has
/// no r.
bool claim_judge::cancels(const claim& c, const texts& t) const {
    const std::set<std::string> lacking = beyond(c.own_names, c.side_names, c);
    if (c.side_names.empty()) return true;
    const std::string name = c.text.substr(0, c.text.find(" = "));
    for (const std::string& by : lacking) {
        for (const used_name& u : c.names)
            if (plain_name(u.name) == by && u.rank > 0) return false;
        const judge::finding j =
            asked(t.source, "\\frac{\\partial " + name + "}{\\partial " + by + "} = 0");
        if (!j.readable || j.verdict != judge::verdict::proved) return false;
    }
    return true;
}

/// Whether a second equation for a name is made of the same inputs as the first. Of f(x) = ... a
/// page shows several, one after another.
bool claim_judge::rest_on_the_same(const claim& c) const {
    const definition* d = definitions_.find(c.except);
    return d && d->arguments.empty() &&
           inputs_of(d->uses, c.except, every_section) ==
               inputs_of(c.names, c.except, every_section);
}

/// Whether the text says that it holds for all values of each name in it.
bool claim_judge::holds_for_all(const claim& c) const {
    const std::set<std::string> names = inputs_of(c);
    return !names.empty() &&
           std::includes(c.for_all.begin(), c.for_all.end(), names.begin(), names.end());
}

/// Whether both sides speak of the same names, as those of an identity do.
bool claim_judge::has_the_same_names(const claim& c) const {
    const auto free = [&](const std::vector<used_name>& names) {
        std::set<std::string> out;
        for (const std::string& name : inputs_of(names, c.except, every_section))
            if (!is_symbol(name)) out.insert(name);
        return out;
    };
    const std::set<std::string> own = free(c.own_names);
    return own.size() > 1 && own == free(c.side_names);
}

/// Whether the text says that a name is the permutation symbol.
bool claim_judge::is_symbol(const std::string& name) const {
    return std::any_of(facts_.assumptions.begin(), facts_.assumptions.end(),
                       [&](const judge::assumption& a) {
                           return a.property == judge::property::permutation && a.name == name;
                       });
}

/// Whether nothing stands in it but such symbols, of which there is one; with upper and lower
/// indices their signs are matters of convention.
bool claim_judge::has_only_symbols(const judge::finding& j) const {
    bool any = false;
    for (const auto* list : {&j.source_inputs, &j.claim_inputs})
        for (const std::string& name : *list) {
            if (name == left_side) continue;
            if (!is_symbol(name)) return false;
            any = true;
        }
    return any;
}

/// The line of an equation that says what a name of the claim is, and is not read; 0 where there is
/// none. What a derivative is taken by is free in it, whatever it is set to later.
int claim_judge::unread_definition(const judge::finding& j, const claim& c) const {
    for (const auto* list : {&j.source_inputs, &j.claim_inputs})
        for (const std::string& name : *list) {
            const auto found = facts_.not_read.find(plain_name(name));
            if (found == facts_.not_read.end() || plain_name(name) == plain_name(c.by)) continue;
            for (const page_facts::unread& u : found->second)
                if (u.line < c.line || (u.explains && u.section == c.section)) return u.line;
        }
    return 0;
}

/// What another section says of a name may not be meant here; nor what this one says, of an
/// expression on the left. Empty where the claim fails without it, too.
std::string claim_judge::elsewhere(const claim& c, const texts& t) const {
    const std::size_t equals = c.own.find(" = ");  // \sigma_{ii} is about \sigma
    const bool expression =
        c.except == left_side && !is_about_derivative(c) &&
        (equals == std::string::npos || !is_single_name(c.own.substr(equals + 3)));
    const auto outside = [&](const definition& d) {
        return !facts_.governs(d.section, c.section) || (expression && !c.own.empty());
    };
    const auto first = std::find_if(t.context.used.begin(), t.context.used.end(),
                                    [&](const definition* d) { return outside(*d); });
    if (first == t.context.used.end()) return {};
    const texts here = without(c, t, outside);
    if (!here.context.used.empty() || !c.own.empty()) {
        const judge::finding alone = asked(here.source, here.claims);
        if (alone.readable && alone.verdict == judge::verdict::refuted) return {};
    }
    if (definitions_.has_several((*first)->name))
        return fmt::format("{} has several meanings on the page", (*first)->name);
    return fmt::format("{} of line {} may mean something else here", (*first)->name,
                       (*first)->line);
}

}  // namespace ricci::papers
