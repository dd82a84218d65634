// What stays as it is while something is differentiated: a page knows, and often does not say.
#include <algorithm>

#include "check/check_claims.hpp"

namespace ricci::papers {
namespace {

/// A letter without its scripts and accents; empty for a name whose subscript is a number, as that
/// of a constant is: v_0.
std::string letter_of(const std::string& name) {
    const std::size_t script = name.find_first_of("_^");
    if (script != std::string::npos &&
        name.find_first_of("0123456789", script) != std::string::npos)
        return {};
    return name.substr(0, script);
}

bool is_time(const std::string& name) { return name == "t" || name == "\\tau"; }

}  // namespace

/// What total derivatives in a claim are taken of: names, and what expressions are made of.
std::set<std::string> claim_judge::numerators_of(const claim& c) const {
    std::set<std::string> out;
    for (const used_name& u : c.names)
        if (u.derivative && c.totals.count(u.of) > 0) out.insert(u.numerator);
    return out;
}

/// Whether a name that no equation defines may be a function of `by`: what moves with time, and,
/// where an expression is differentiated and no name (`of_name`), what y(x) is called.
bool claim_judge::may_move(const std::string& name, int rank, const std::string& by,
                           bool of_name) const {
    const std::string shown = names_.codes->shown(name);
    if (shown.rfind("\\dot", 0) == 0 || shown.rfind("\\ddot", 0) == 0) return true;
    const std::string letter = letter_of(shown);
    static const std::set<std::string> functions = {"y", "z", "u", "v", "w", "f", "g", "h"};
    static const std::set<std::string> coordinates = {
        "x",        "y",     "z",           "u",           "v",          "w",       "q",
        "p",        "r",     "s",           "h",           "f",          "\\theta", "\\phi",
        "\\varphi", "\\psi", "\\mathbf{r}", "\\mathbf{x}", "\\mathbf{v}"};
    if (is_time(by)) return coordinates.count(letter) > 0;
    return !of_name && rank == 0 && (by == "x" || by == "s" || by == "r") &&
           functions.count(letter) > 0;
}

/// A name that may move with what a total derivative of the claim is taken by, though no equation
/// says how; empty where there is none.
std::string claim_judge::moving(const claim& c, const texts& t) const {
    if (c.totals.empty()) return {};
    const std::set<std::string> numerators = numerators_of(c);
    const bool of_name =
        std::any_of(numerators.begin(), numerators.end(),
                    [&](const std::string& n) { return definitions_.find(n) != nullptr; });
    std::vector<used_name> names = c.names;
    for (const definition* d : t.context.used) {
        // x(t) = v t says what moves
        const bool says = numerators.count(d->name) > 0 && c.totals.size() == 1 &&
                          d->arguments == "(" + *c.totals.begin() + ")";
        if (says) return {};
        names.insert(names.end(), d->uses.begin(), d->uses.end());
    }
    for (const used_name& u : names) {
        const bool defined = definitions_.find(u.name) || name_codes::is_coded(u.numerator);
        if (u.derivative && c.totals.count(u.of) > 0 && !definitions_.find(u.numerator) &&
            !name_codes::is_coded(u.numerator))
            return u.numerator;
        if (u.derivative || defined || c.totals.count(u.name) > 0) continue;
        for (const std::string& by : c.totals)
            if (may_move(u.name, u.rank, by, of_name)) return names_.codes->shown(u.name);
    }
    return {};
}

/// Whether what is differentiated has nothing of what it is differentiated by, so that a total
/// derivative is a law: it says how the names move.
bool claim_judge::holds_still(const claim& c, const texts& t) const {
    if (c.totals.empty()) return false;
    return std::none_of(c.totals.begin(), c.totals.end(), [&](const std::string& by) {
        const auto is_it = [&](const used_name& u) { return !u.derivative && u.name == by; };
        if (std::any_of(c.names.begin(), c.names.end(), is_it)) return true;
        return std::any_of(t.context.used.begin(), t.context.used.end(), [&](const definition* d) {
            return std::any_of(d->uses.begin(), d->uses.end(), is_it);
        });
    });
}

/// y of a model y = \beta x + \epsilon is observed: a loss is differentiated with y as it is. Such
/// a name, where the claim holds so; empty where it does not.
std::string claim_judge::held_fixed(const claim& c, const texts& t) const {
    const auto is_noise = [&](const used_name& u) {
        return !definitions_.find(u.name) &&
               (u.name == "\\epsilon" || u.name == "\\varepsilon" || u.name == "\\eta" ||
                u.name == "\\xi" || u.name == "e" || u.name == "u");
    };
    for (const definition* model : t.context.used) {
        if (c.by.empty() || !definitions_.rests_on(model->name, c.by) ||
            std::none_of(model->uses.begin(), model->uses.end(), is_noise))
            continue;
        const texts given = without(c, t, [&](const definition& d) { return &d == model; });
        const judge::finding j = asked(given.source, given.claims);
        if (j.readable && (j.verdict == judge::verdict::proved || j.alike)) return model->name;
    }
    return {};
}

}  // namespace ricci::papers
