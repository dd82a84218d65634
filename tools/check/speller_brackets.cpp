// Factors in brackets and bars, roots and powers.
#include "check/speller.hpp"

#include "check/letters.hpp"
#include "papers/paper_words.hpp"

namespace ricci::papers {

std::string speller::bracket(token_at& now, token_at last) {
    if (std::string inverted = inverse(now, last); !inverted.empty()) return inverted;
    const auto end = behind_closed(now, last);
    const token_at first = std::next(now), behind = std::prev(end);
    const bool square = now->is("[");
    bool comma = false, compares = false, bar = false;
    int depth = 0;
    for (auto k = first; k != behind; ++k) {
        if (depth == 0) {
            comma = comma || k->is(",") || k->is(";");
            compares = compares || is_comparison(*k);
            bar = bar || k->is("\\mid") || k->is(":");
        }
        if (opens(*k)) ++depth;
        if (closes(*k)) --depth;
    }
    if (now->is("\\{") && (comma || bar)) not_computed("a set");
    if (bar) not_computed("conditional on something");
    if (comma) not_computed(square ? "a list, or a commutator" : "a list of values");
    const bool iverson = square && compares;
    const bool outside = bold_;
    bold_ = false;
    std::string inner = expression(first, behind);
    now = end;
    if (inner.empty()) not_computed("an empty pair of brackets");
    factor whole;
    whole.bold = bold_;
    bold_ = outside || bold_;
    if (whole.bold && now != last && now->kind == token_kind::up)
        not_computed("vector notation: a power of a vector");
    product_->push_back(whole);
    if (now != last && now->kind == token_kind::down)
        not_computed("matrix notation: indices behind a bracket");
    const std::string raised = power(now, last);
    return (iverson ? "[" : "(") + inner + (iverson ? "]" : ")") + raised;
}

std::string speller::bars(token_at& now, token_at last) {
    token_at end = std::next(now);
    int depth = 0;
    while (end != last &&
           !(depth == 0 && (end->is("|") || end->is("\\rvert") || end->is("\\vert")))) {
        if (opens(*end)) ++depth;
        if (closes(*end)) --depth;
        ++end;
    }
    if (end == last || depth != 0)
        not_computed("a bar that stands alone: conditional on something");
    const written_name whole = name_at(std::next(now), end);
    const auto indexed = names_.indexed.find(whole.key);
    if (!whole.key.empty() && whole.end == end && !whole.indexed &&
        (names_.is_matrix(whole.key) || indexed != names_.indexed.end()))
        not_computed(determinant);
    std::string inner = expression(std::next(now), end);
    now = std::next(end);
    product_->push_back({});
    return "|" + inner + "|" + power(now, last);
}

std::string speller::norm(token_at& now, token_at last) {
    const auto is_double_bar = [](const token& t) {
        return t.is("\\|") || t.is("\\rVert") || t.is("\\Vert");
    };
    token_at end = std::next(now);
    while (end != last && !is_double_bar(*end)) ++end;
    if (end == last) not_computed("a double bar that stands alone");
    std::string out = "\\lVert " + expression(std::next(now), end) + " \\rVert";
    if (out.find_first_of("_^") == std::string::npos)
        not_computed("a norm of what has no indices here");
    now = std::next(end);
    if (now != last && now->kind == token_kind::down) {
        const std::string which = spelled(argument_at(std::next(now), last));
        if (which != "2" && which != "F" && which != "1" && which != "\\infty")
            not_computed("a norm of its own");
        out += "_{" + which + "}";
        now = behind_argument(std::next(now), last);
    }
    product_->push_back({});
    return out + power(now, last);
}

std::string speller::average(token_at& now, token_at last) {
    const auto end = behind_closed(now, last);
    const std::string whole = spelled(tokens(now, end));
    bool inner_product = false;
    std::string name;
    for (auto k = std::next(now); k != std::prev(end); ++k) {
        inner_product = inner_product || k->is(",") || k->is("|") || k->is("\\mid");
        name += letters_of(k->text);
    }
    if (inner_product && context_.left && !name.empty()) {
        // the pairing of two vectors, which this equation defines
        now = end;
        if (now != last && now->kind == token_kind::down) {
            for (const token& t : argument_at(std::next(now), last))
                if (t.kind == token_kind::letter) name += t.text;
            now = behind_argument(std::next(now), last);
        }
        product_->push_back({});
        if (now != last) not_computed(why_prose("\\langle"));
        return names_.codes->name(whole);
    }
    if (inner_product || name.empty()) not_computed(why_prose("\\langle"));
    const auto known = names_.averages.find(whole);
    std::string out = names_.codes->name(whole);
    if (known == names_.averages.end() && whole.find_first_of("_^") != std::string::npos)
        not_computed("an average, and nothing says over what");
    if (known != names_.averages.end() && !known->second.empty()) {
        out += "^{";
        for (const std::string& i : known->second) out += i + " ";
        out.back() = '}';
    }
    now = end;
    product_->push_back({});
    if (now != last && now->kind == token_kind::down) not_computed(why_prose("\\langle"));
    const std::string raised = power(now, last);
    return raised.empty() ? out : "(" + out + ")" + raised;
}

std::string speller::root(token_at& now, token_at last) {
    ++now;
    tokens degree;
    if (now != last && now->is("[")) {
        while (++now != last && !now->is("]")) degree.push_back(*now);
        if (now != last) ++now;
    }
    const tokens inner = argument_at(now, last);
    now = behind_argument(now, last);
    if (inner.empty()) not_read("nothing stands below a root");
    const std::string below = expression(inner.begin(), inner.end());
    product_->push_back({});
    if (degree.empty()) {
        const std::string raised = power(now, last);
        return raised.empty() ? "\\sqrt{" + below + "}" : "(\\sqrt{" + below + "})" + raised;
    }
    if (degree.size() != 1 || degree[0].kind != token_kind::number)
        not_computed("a root of a degree that is no number");
    return "(" + below + ")^{\\frac{1}{" + degree[0].text + "}}";
}

std::string speller::power(token_at& now, token_at last) {
    if (now == last || now->kind != token_kind::up) return {};
    const tokens script = argument_at(std::next(now), last);
    const std::string s = spelled(script);
    now = behind_argument(std::next(now), last);
    if (s == "T" || s == "\\top" || s == "\\dagger" || s == "\\intercal" || s == "\\mathsf{T}" ||
        s == "\\mathrm{T}" || s == "H")
        not_computed(transposition);
    if (s == "*" || s == "\\star" || s == "\\ast") not_computed("a star behind a bracket");
    if (s == "\\circ") not_computed("degrees of an angle");
    if (s == "\\prime") not_computed("a prime behind a bracket");
    if (script.empty()) return {};
    std::string inner = expression(script.begin(), script.end());
    return "^{" + inner + "}";
}

}  // namespace ricci::papers
