// What a claim comes to: proved, refuted, or why neither.
#include "check/check_claims.hpp"

#include <algorithm>

#include <fmt/core.h>

#include <ricci/detail/letters.hpp>

namespace ricci::papers {

namespace {

constexpr const char* alike = "both sides are alike in all numbers tried, which proves nothing";

/// Names of the claim that the other side does not rest on.
std::vector<std::string> new_inputs(const judge::finding& j) {
    std::vector<std::string> out;
    for (const std::string& name : j.claim_inputs)
        if (name != left_side && std::find(j.source_inputs.begin(), j.source_inputs.end(), name) ==
                                     j.source_inputs.end())
            out.push_back(name);
    return out;
}
std::string list_of(const std::vector<std::string>& names) {
    std::string out;
    for (std::size_t k = 0; k < names.size(); ++k)
        out += (k == 0 ? "" : k + 1 == names.size() ? " and " : ", ") + names[k];
    return out;
}
std::string after(const program_text& context) {
    std::set<int> lines;
    for (const definition* d : context.used) lines.insert(d->line);
    if (lines.empty()) return "true of whatever stands in it";
    std::string out = lines.size() > 1 ? "by lines " : "by line ";
    std::size_t k = 0;
    for (const int line : lines) {
        out += fmt::format("{}{}", k == 0 ? "" : k + 1 == lines.size() ? " and " : ", ", line);
        if (++k == 6) break;
    }
    return out;
}
/// \bar{A} and dA for \frac{\partial L}{\partial A}, as many write it.
std::string with_adjoints(const std::string& text, const std::vector<std::string>& adjoints) {
    std::string out = text;
    for (const std::string& name : adjoints) {
        const std::string of =
            name.rfind("\\bar{", 0) == 0 ? name.substr(5, name.size() - 6) : name.substr(1);
        for (std::size_t k = out.find(name); k != std::string::npos; k = out.find(name, k + 1)) {
            std::size_t end = k + name.size();
            while (end < out.size() && (out[end] == '^' || out[end] == '_') &&
                   end + 1 < out.size() && out[end + 1] == '{') {
                const std::size_t close = out.find('}', end);
                if (close == std::string::npos) return text;
                end = close + 1;
            }
            const std::string scripts = out.substr(k + name.size(), end - k - name.size());
            const std::string whole = "\\frac{\\partial L}{\\partial " + of + scripts + "}";
            out.replace(k, end - k, whole);
            k += whole.size() - 1;
        }
    }
    return out;
}

}  // namespace

/// A definition with what it rests on beyond `context`.
std::string claim_judge::whole(const definition& d, const program_text& context) const {
    std::string out;
    for (const definition* u : definitions_.below(d.uses, d.name, d.section).used)
        if (std::find(context.used.begin(), context.used.end(), u) == context.used.end())
            out += u->text + "\n";
    return out + d.text + "\n";
}

judge::finding claim_judge::asked(const std::string& source, const std::string& claims) const {
    judge::request r;
    r.source = source;
    r.claims = claims;
    r.declared = facts_.assumptions;
    r.noncommuting = names_.operators;
    return judge::judge(r);
}

bool claim_judge::implies(const definition& d, const std::string& text,
                          const std::vector<used_name>& names) const {
    const program_text context = definitions_.below(names, d.name, d.section);
    judge::request r;
    r.source = definitions_.functions_in(d.text + context.text) + context.text + whole(d, context);
    r.claims = definitions_.functions_in(text) + text;
    r.try_assumptions = false;
    r.noncommuting = names_.operators;
    const judge::finding j = judge::judge(r);
    return j.readable && j.verdict == judge::verdict::proved;
}

claim_judge::texts claim_judge::texts_of(const claim& c) const {
    texts t;
    t.context = definitions_.below(c.names, c.except, c.section);
    const std::string functions = definitions_.functions_in(c.own + c.text + t.context.text);
    t.functions = !functions.empty();
    t.source = functions + t.context.text;
    const definition* d = c.kind == claim_kind::restated ? definitions_.find(c.except) : nullptr;
    t.source += d ? whole(*d, t.context) : c.own;
    t.claims = definitions_.functions_in(c.text) + c.text;
    return t;
}

/// A claim that can be read in two ways is proved where it is true in both of them. Where it is in
/// one, the page has to mean that one.
settled claim_judge::run(const claim& c) const {
    settled first = judged(c);
    if (c.second_text.empty()) return first;
    claim second = c;
    second.own = c.second_own;
    second.text = c.second_text;
    const bool as_index = first.verdict == verdict::proved,
               as_unit = judged(second).verdict == verdict::proved;
    if (as_index == as_unit) return first;
    return {verdict::conditional,
            as_unit ? "true if i as a factor is the imaginary unit, and not the index i"
                    : "true if i as a factor is the index i, and not the imaginary unit",
            {}};
}

settled claim_judge::judged(const claim& c) const {
    texts t = texts_of(c);
    if (std::string why = why_not_asked(c, t); !why.empty())
        return {verdict::declares, std::move(why), {}};
    judge::finding j = asked(t.source, t.claims);
    if (!j.readable && !c.own.empty() && !t.context.used.empty()) {
        // definitions that do not go together: without them
        t.source = definitions_.functions_in(c.own + c.text) + c.own;
        t.context.doubtful = true;
        j = asked(t.source, t.claims);
    }
    if (!j.readable) {
        if (c.kind == claim_kind::relation)
            return {verdict::declares, "a condition on what stands in it", {}};
        return {verdict::unproved, "not judged: " + j.words, {}};
    }
    const bool with_context = c.own.empty() || c.except == left_side ||
                              c.kind == claim_kind::restated || c.kind == claim_kind::derivative;
    const std::string context = with_context ? after(t.context) : "";
    const std::string moved = moving(c, t);
    if (j.verdict == judge::verdict::proved && moved.empty()) {
        const std::string where = (context.empty() || j.words.empty() ? "" : ", ") + j.words;
        return {verdict::proved, context + where, {}};
    }
    if (j.verdict == judge::verdict::proved)
        return {verdict::unproved, fmt::format("it holds with {} held fixed", moved), {}};
    const std::vector<std::string> news = new_inputs(j);
    if (const std::string with = proved_with_adjoints(c, t, news); !with.empty())
        return {verdict::proved, fmt::format("{}, {}", after(t.context), with), {}};
    if (const std::string where = proved_with_numbers(c, t, j); !where.empty())
        return {verdict::proved, where + (with_context ? ", " + context : ""), {}};
    if (settled here = by_this_section(c, t); here.verdict != verdict::unproved) return here;
    return not_proved(c, t, j, news);
}

/// The same claim, some definitions left out.
claim_judge::texts claim_judge::without(
    const claim& c, const texts& t, const std::function<bool(const definition&)>& left_out) const {
    texts out = t;
    out.context.text.clear();
    out.context.used.clear();
    for (const definition* d : t.context.used) {
        if (left_out(*d)) continue;
        out.context.text += d->text + "\n";
        out.context.used.push_back(d);
    }
    out.source = definitions_.functions_in(c.own + c.text + out.context.text) + out.context.text;
    out.source += c.own;
    return out;
}

/// What another section says of a name may not be meant: what this one says is enough where it
/// bears the claim out. Unproved where it does not.
settled claim_judge::by_this_section(const claim& c, const texts& t) const {
    const auto elsewhere = [&](const definition& d) {
        return !facts_.governs(d.section, c.section);
    };
    const bool any = std::any_of(t.context.used.begin(), t.context.used.end(),
                                 [&](const definition* d) { return elsewhere(*d); });
    const texts here = without(c, t, elsewhere);
    if (!any || c.kind == claim_kind::restated || (c.own.empty() && here.context.used.empty()))
        return {};
    const judge::finding j = asked(here.source, here.claims);
    if (!j.readable) return {};
    if (j.verdict == judge::verdict::proved) return {verdict::proved, after(here.context), {}};
    if (j.verdict == judge::verdict::conditional && j.by_declared)
        return {verdict::conditional, j.words, {}};
    return {};
}

/// Why a claim says something of its names, and is not judged; empty where it is.
std::string claim_judge::why_not_asked(const claim& c, const texts& t) const {
    const bool stale =
        c.kind == claim_kind::relation &&
        std::any_of(t.context.used.begin(), t.context.used.end(), [&](const definition* d) {
            return d->section != c.section && definitions_.has_several(d->name);
        });
    // of names that mean one thing here and another there nothing is claimed
    if (stale) return "a condition on what stands in it";
    if (holds_still(c, t)) return "a law: no equation says how what stands in it moves";
    if (t.context.used.empty() && c.own.empty()) return "nothing defines what it is about";
    if (c.kind != claim_kind::derivative) return {};
    // what a name does not rest on may still move it: the page knows how, and no equation says it
    if (definitions_.find(c.numerator) && c.numerator != c.by &&
        !definitions_.rests_on(c.numerator, c.by))
        return fmt::format("no equation says how {} rests on {}", c.numerator, c.by);
    if (name_codes::has_values(t.source + t.claims))
        return "no equation says what the functions in it are";
    return {};
}

/// With adjoints that no equation introduces read as derivatives: which; empty where that proves
/// nothing.
std::string claim_judge::proved_with_adjoints(const claim& c, const texts& t,
                                              const std::vector<std::string>& news) const {
    if (c.kind != claim_kind::derivative) return {};
    std::vector<std::string> adjoints;
    for (const std::string& name : news)
        if (name.rfind("\\bar{", 0) == 0 ||
            (name.size() > 1 && name[0] == 'd' && name[1] >= 'A' && name[1] <= 'Z'))
            adjoints.push_back(name);
    if (adjoints.empty()) return {};
    const judge::finding with = asked(t.source, with_adjoints(t.claims, adjoints));
    if (!with.readable || with.verdict != judge::verdict::proved) return {};
    return fmt::format("with {} for the derivative", list_of(adjoints));
}

/// With the numbers that the text gives its names: which; empty where that proves nothing.
std::string claim_judge::proved_with_numbers(const claim& c, const texts& t,
                                             const judge::finding& j) const {
    std::string numbers, said;
    for (const std::string& n : numbers_for(c, j)) {
        numbers += n + "\n";
        said += (said.empty() ? "" : ", ") + n;
    }
    if (numbers.empty() || j.alike) return {};
    const judge::finding with = asked(t.source + "\n" + numbers, t.claims);
    if (!with.readable || with.verdict != judge::verdict::proved) return {};
    return "where " + said;
}

/// Between names that nothing defines: most such equations are conditions on them.
settled claim_judge::of_undefined(const claim& c, const texts& t, const judge::finding& j) const {
    const bool refuted = j.verdict == judge::verdict::refuted && c.doubt.empty();
    if (refuted && unread_definition(j, c) == 0 &&
        (never_equal(c, t, j) || holds_for_all(c) || has_only_symbols(j)))
        return {verdict::refuted, j.words, {}};
    if (j.alike) return {verdict::unproved, alike, {}};
    const bool fact = j.verdict == judge::verdict::conditional;
    // that a number counts, or what a symbol is, is no condition that an equation would state so
    if (fact && std::all_of(j.under.begin(), j.under.end(), [](const judge::assumption& a) {
            return a.property == judge::property::counts ||
                   a.property == judge::property::permutation;
        }))
        return {verdict::conditional, j.words, {}};
    std::string words = "nothing defines what stands in it: a condition on it";
    if (fact) words += ", " + j.words;
    if (refuted && has_the_same_names(c)) words += ", or a mistake: " + j.words;
    return {verdict::declares, std::move(words), fact ? j.under : std::vector<judge::assumption>{}};
}

settled claim_judge::not_proved(const claim& c, const texts& t, const judge::finding& j,
                                const std::vector<std::string>& news) const {
    const bool relation = c.kind == claim_kind::relation;
    if (relation && !t.defined()) return of_undefined(c, t, j);
    if (relation && !j.alike && !news.empty())
        return {verdict::declares, "a condition on what stands in it", {}};
    if (c.kind == claim_kind::restated && !news.empty() && !j.alike)
        return {verdict::declares,
                fmt::format("a second equation for {}, which says something of {}", c.except,
                            list_of(news)),
                {}};
    if (c.kind == claim_kind::side && !news.empty() && !j.alike &&
        j.verdict != judge::verdict::conditional) {
        // what one side rests on and the other does not, and nothing defines: it relates the two
        for (const std::string& name : j.source_inputs)
            if (std::find(j.claim_inputs.begin(), j.claim_inputs.end(), name) ==
                j.claim_inputs.end())
                return {verdict::declares,
                        fmt::format("that it is {} says something of {}, which nothing defines",
                                    c.side, list_of(news)),
                        {}};
    }
    if (j.verdict == judge::verdict::conditional) return {verdict::conditional, j.words, {}};
    if (j.verdict == judge::verdict::refuted) {
        if (c.kind == claim_kind::restated)
            return {rest_on_the_same(c) ? verdict::suspect : verdict::unproved,
                    fmt::format("another equation for {} stands before it, and they differ ({})",
                                c.except, j.words),
                    {}};
        if (std::string one = holds_if_one(c, t); !one.empty())
            return {verdict::conditional, "true if " + one, {}};
        const doubt open = why_not_refuted(c, t, j);
        if (open.why.empty())
            return {verdict::refuted,
                    (c.side.empty() ? "" : fmt::format("the side {}: ", c.side)) + j.words,
                    {}};
        return {open.suspect ? verdict::suspect : verdict::unproved,
                fmt::format("not equal as it stands ({}), but {}", j.words, open.why),
                {}};
    }
    if (j.alike) return {verdict::unproved, alike, {}};
    if (c.kind == claim_kind::derivative && c.own.empty() && !defines_any(c))
        return {verdict::declares, "nothing defines what it is about", {}};
    return {verdict::unproved, j.words.empty() ? "no proof was found" : j.words, {}};
}

}  // namespace ricci::papers
