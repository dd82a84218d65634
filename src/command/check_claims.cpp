// What a claim comes to: proved, refuted, or why neither.
#include "command/check_claims.hpp"

#include <algorithm>

#include <fmt/core.h>

#include <ricci/detail/letters.hpp>

namespace ricci::command {

namespace {

constexpr const char* alike = "both sides are alike in all numbers tried, which proves nothing";

/// Whether a document gives a name one number, and no other.
bool one_value(const std::vector<limit_list::limit>& list) {
    return std::all_of(list.begin(), list.end(),
                       [&](const auto& l) { return l.text == list.front().text; });
}
/// Names of the claim that the other side does not rest on.
std::vector<std::string> new_inputs(const judgement& j) {
    std::vector<std::string> out;
    for (const std::string& name : j.claim_inputs)
        if (name != "leftside" && std::find(j.source_inputs.begin(), j.source_inputs.end(), name) ==
                                      j.source_inputs.end())
            out.push_back(name);
    return out;
}
std::string list_of(const std::vector<std::string>& names) {
    std::string out;
    for (std::size_t k = 0; k < names.size(); ++k)
        out += (k == 0 ? "" : k + 1 == names.size() ? " and " : ", ") + shown_name(names[k]);
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

std::string shown_name(const std::string& name) {
    if (name.rfind("mean", 0) == 0 && name.size() > 4)
        return "\\langle " + name.substr(4) + " \\rangle";
    if (name.rfind("inner", 0) == 0 && name.size() > 5) return "the inner product";
    if (name.rfind("bare", 0) == 0 && name.size() == 5) return name.substr(4);
    if (name.rfind("cal", 0) == 0 && name.size() == 4) return "\\mathcal{" + name.substr(3) + "}";
    if (name.rfind("bold", 0) == 0 && name.size() == 5) return "\\mathbf{" + name.substr(4) + "}";
    return name;
}

const std::vector<limit_list::limit>& limit_list::of(const std::string& name) const {
    static const std::vector<limit> none;
    const auto found = list_.find(name);
    return found == list_.end() ? none : found->second;
}

/// A definition with what it rests on beyond `context`.
std::string claim_judge::whole(const definition& d, const program_text& context) const {
    std::string out;
    for (const definition* u : definitions_.below(d.uses, d.name).used)
        if (std::find(context.used.begin(), context.used.end(), u) == context.used.end())
            out += u->text + "\n";
    return out + d.text + "\n";
}

bool claim_judge::implies(const definition& d, const std::string& text,
                          const std::vector<used_name>& names) const {
    const program_text context = definitions_.below(names, d.name);
    const judgement j = judge_text(
        definitions_.functions_in(d.text + context.text) + context.text + whole(d, context),
        definitions_.functions_in(text) + text);
    return j.readable && j.verdict == judged::proved;
}

claim_judge::texts claim_judge::texts_of(const claim& c) const {
    texts t;
    t.context = definitions_.below(c.names, c.except);
    const std::string functions = definitions_.functions_in(c.own + c.text + t.context.text);
    t.source = functions + t.context.text;
    const definition* d = c.what == claim::kind::restated ? definitions_.find(c.except) : nullptr;
    t.source += d ? whole(*d, t.context) : c.own;
    t.claims = definitions_.functions_in(c.text) + c.text;
    return t;
}

settled claim_judge::run(const claim& c) const {
    using kind = claim::kind;
    texts t = texts_of(c);
    const bool relation = c.what == kind::relation;
    const bool stale =
        relation &&
        std::any_of(t.context.used.begin(), t.context.used.end(), [&](const definition* d) {
            return d->section != c.section && definitions_.has_several(d->name);
        });
    // of names that mean one thing here and another there nothing is claimed
    if (stale) return {verdict::declares, "a condition on what stands in it", {}};
    if (t.context.used.empty() && c.own.empty())
        return {verdict::declares, "nothing defines what it is about", {}};
    // what a name does not rest on may still move it: the page knows how, and no equation says it
    if (c.what == kind::derivative && definitions_.find(c.numerator) && c.numerator != c.by &&
        !definitions_.rests_on(c.numerator, c.by))
        return {verdict::declares,
                fmt::format("no equation says how {} rests on {}", shown_name(c.numerator),
                            shown_name(c.by)),
                {}};
    judgement j = judge_text(t.source, t.claims);
    if (!j.readable && !c.own.empty() && !t.context.used.empty()) {
        // definitions that do not go together: without them
        t.source = definitions_.functions_in(c.own + c.text) + c.own;
        t.context.doubtful = true;
        j = judge_text(t.source, t.claims);
    }
    if (!j.readable) {
        if (relation) return {verdict::declares, "a condition on what stands in it", {}};
        return {verdict::unproved, "not judged: " + j.words, {}};
    }
    const bool with_context = c.own.empty() || c.except == "leftside" || c.what == kind::restated ||
                              c.what == kind::derivative;
    if (j.verdict == judged::proved)
        return {verdict::proved, with_context ? after(t.context) : "", {}};
    const std::vector<std::string> news = new_inputs(j);

    // adjoints that no equation introduces
    std::vector<std::string> adjoints;
    for (const std::string& name : news)
        if (name.rfind("\\bar{", 0) == 0 ||
            (name.size() > 1 && name[0] == 'd' && name[1] >= 'A' && name[1] <= 'Z'))
            adjoints.push_back(name);
    if (c.what == kind::derivative && !adjoints.empty()) {
        const judgement with = judge_text(t.source, with_adjoints(t.claims, adjoints));
        if (with.readable && with.verdict == judged::proved)
            return {
                verdict::proved,
                fmt::format("{}, with {} for the derivative", after(t.context), list_of(adjoints)),
                {}};
    }
    // numbers that the text gives its names
    std::string numbers, said;
    for (const std::string& n : numbers_for(c, j)) {
        numbers += n + "\n";
        said += (said.empty() ? "" : ", ") + n;
    }
    if (!numbers.empty() && !j.alike) {
        const judgement with = judge_text(t.source + "\n" + numbers, t.claims);
        if (with.readable && with.verdict == judged::proved)
            return {verdict::proved,
                    "where " + said + (with_context ? ", " + after(t.context) : ""),
                    {}};
    }

    std::vector<std::string> all;
    for (const used_name& u : c.names) all.push_back(plain_name(u.name));
    if (relation) {
        if (t.context.used.empty())
            return {verdict::declares, "nothing defines what stands in it: a condition on it", all};
        if (!j.alike && !news.empty())
            return {verdict::declares, "a condition on what stands in it", all};
        if (j.alike) return {verdict::unproved, alike, {}};
        return {verdict::unproved,
                j.verdict == judged::refuted ? j.words + "; it may be a condition on its names"
                                             : j.words,
                all};
    }
    if (c.what == kind::restated && !news.empty() && !j.alike)
        return {verdict::declares,
                fmt::format("a second equation for {}, which says something of {}",
                            shown_name(c.except), list_of(news)),
                news};
    if (c.what == kind::side && !news.empty() && !j.alike) {
        // what one side rests on and the other does not, and nothing defines: it relates the two
        for (const std::string& name : j.source_inputs)
            if (std::find(j.claim_inputs.begin(), j.claim_inputs.end(), name) ==
                j.claim_inputs.end())
                return {verdict::declares,
                        fmt::format("that it is {} says something of {}, which nothing defines",
                                    c.side, list_of(news)),
                        news};
    }
    if (j.verdict == judged::refuted) {
        if (c.what == kind::restated)
            return {verdict::unproved,
                    fmt::format("another equation for {} stands before it, and they differ ({})",
                                shown_name(c.except), j.words),
                    all};
        const std::string why = why_not_refuted(c, t, j);
        if (why.empty())
            return {verdict::refuted,
                    (c.side.empty() ? "" : fmt::format("the side {}: ", c.side)) + j.words,
                    {}};
        return {verdict::unproved,
                fmt::format("not equal as it stands ({}), but {}", j.words, why),
                {}};
    }
    if (j.alike) return {verdict::unproved, alike, {}};
    if (c.what == kind::derivative && !defines_any(c))
        return {verdict::declares, "nothing defines what it is about", {}};
    return {verdict::unproved, j.words.empty() ? "no proof was found" : j.words, {}};
}

/// Whether something is defined of what a claim differentiates.
bool claim_judge::defines_any(const claim& c) const {
    return std::any_of(c.names.begin(), c.names.end(), [&](const used_name& u) {
        return u.derivative && (definitions_.find(u.numerator) || definitions_.find(u.of));
    });
}

/// What the section gives its names as numbers; 0 would make anything true.
std::vector<std::string> claim_judge::numbers_for(const claim& c, const judgement& j) const {
    std::vector<std::string> out;
    std::set<std::string> inputs(j.source_inputs.begin(), j.source_inputs.end());
    inputs.insert(j.claim_inputs.begin(), j.claim_inputs.end());
    for (const std::string& input : inputs)
        for (const auto& l : limits_.of(plain_name(input)))
            if (!l.text.empty() &&
                (l.section == c.section || one_value(limits_.of(plain_name(input)))) &&
                l.text.substr(l.text.size() - 4) != " = 0") {
                out.push_back(l.text);
                break;
            }
    return out;
}

/// What names rest on in the end: those that no equation defines.
std::set<std::string> claim_judge::inputs_of(const std::vector<used_name>& names,
                                             const std::string& except) const {
    std::set<std::string> out, seen;
    std::vector<used_name> open = names;
    while (!open.empty()) {
        const used_name u = open.back();
        open.pop_back();
        if (u.derivative || u.name == except || u.name == "leftside" || u.name == "value" ||
            !seen.insert(u.name).second)
            continue;
        const definition* d = definitions_.find(u.name);
        if (d && d->rank == u.rank) open.insert(open.end(), d->uses.begin(), d->uses.end());
        else out.insert(plain_name(u.name));
    }
    return out;
}

/// What a page need not say: that a letter counts the terms of a sum, that one side's names are
/// made of the other's, that a constant of nature is 1.
std::string claim_judge::why_hidden(const claim& c, const texts& t, const judgement& j) const {
    static const std::set<std::string> counts = {"n", "N", "m", "M", "K", "D", "d", "T",
                                                 "B", "C", "L", "P", "p", "S", "V"};
    static const std::set<std::string> constants = {"c",           "hbar",   "k_B", "G",
                                                    "\\epsilon_0", "\\mu_0", "k"};
    const std::string all = t.source + t.claims;
    if (all.find("\\partial^2") != std::string::npos) return "second derivatives are only proved";
    for (const std::string& input : j.numbers) {
        const bool bound = all.find("^{" + input + "}") != std::string::npos &&
                           all.find("\\sum") != std::string::npos;
        const bool letter =
            counts.count(input) ||
            (input.size() > 2 && (input[0] == 'n' || input[0] == 'N') && input[1] == '_');
        if (bound || (letter && all.find("\\sum") != std::string::npos))
            return input + " may count the terms of a sum";
    }
    if (c.side_names.empty()) return {};
    const std::set<std::string> own = inputs_of(c.own_names, c.except),
                                side = inputs_of(c.side_names, c.except);
    for (const std::string& name : side)
        if (!own.count(name))
            return fmt::format("no equation says what {} has to do with the other side",
                               shown_name(name));
    bool only_constants = false;
    for (const std::string& name : own) {
        if (side.count(name)) continue;
        if (!constants.count(name)) return {};
        only_constants = true;
    }
    return only_constants ? "a constant of it may be 1 in the units of the page" : std::string();
}

/// Why numbers for which two sides differ do not show that the page is wrong; empty if they do.
std::string claim_judge::why_not_refuted(const claim& c, const texts& t, const judgement& j) const {
    if (!c.doubt.empty()) return c.doubt;
    const std::string side = c.text.substr(c.text.find(" = "));
    if (j.claim_inputs.empty() && !has_names(side))
        return "a number may be its value in an example";
    if (std::string hidden = why_hidden(c, t, j); !hidden.empty()) return hidden;
    // what a symbol stands for nearly everywhere, and no text says: a metric is symmetric
    const bool relativity = t.source.find("\\mu") != std::string::npos;
    for (const used_name& u : c.names) {
        static const std::set<std::string> known = {"g", "\\eta", "\\epsilon", "\\varepsilon",
                                                    "\\Gamma"};
        static const std::set<std::string> fields = {"R", "T", "F", "G", "h"};
        const std::string key = plain_name(u.name);
        if (u.rank > 1 && !u.derivative &&
            (known.count(key) || (relativity && fields.count(key))) && !definitions_.find(u.name))
            return key + " may be symmetric, or change its sign where indices are exchanged";
    }
    if (t.context.doubtful) return "one of its names has several meanings here";
    for (const definition* d : t.context.used)
        if (definitions_.has_several(d->name)) return d->name + " has several meanings here";
    std::set<std::string> inputs(j.source_inputs.begin(), j.source_inputs.end());
    inputs.insert(j.claim_inputs.begin(), j.claim_inputs.end());
    for (const std::string& input : inputs) {
        const std::string key = plain_name(input);
        if (input == "leftside") continue;
        if (names_.restricted.count(key)) return "the text says more of " + key;
        for (const auto& l : limits_.of(key)) {
            if (l.line == c.line) continue;
            if (l.text.empty())
                return fmt::format("line {} says more of {}", l.line, shown_name(key));
            const judgement with = judge_text(t.source + "\n" + l.text + "\n", t.claims);
            if (!with.readable || with.verdict != judged::refuted)
                return fmt::format("line {} says {}", l.line, l.text);
        }
    }
    return {};
}

}  // namespace ricci::command
