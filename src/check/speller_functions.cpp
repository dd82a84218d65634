// Fractions, derivatives, sums, functions and cases.
#include <algorithm>

#include "check/speller.hpp"
#include "papers/paper_statements.hpp"
#include "papers/paper_words.hpp"

namespace ricci::papers {

namespace {

bool is_d(const tokens& list) {
    if (list.empty()) return false;
    if (list[0].is("\\partial")) return true;
    if (list[0].is("\\mathrm") || list[0].is("\\text") || list[0].is("\\textrm"))
        return spelled(argument_at(list.begin() + 1, list.end())) == "d";
    if (list[0].is("\\delta") || list[0].is("\\Delta")) return false;
    return list[0].is("d") && (list.size() == 1 || list[1].kind != token_kind::down);
}
/// Behind the d or \partial at `t`.
token_at behind_d(token_at t, token_at last) {
    if (t->is("\\mathrm") || t->is("\\text") || t->is("\\textrm"))
        return behind_argument(std::next(t), last);
    return std::next(t);
}
bool is_d_at(token_at t, token_at last) {
    return t->is("\\partial") || t->is("d") ||
           ((t->is("\\mathrm") || t->is("\\text")) &&
            spelled(argument_at(std::next(t), last)) == "d");
}

}  // namespace

std::string speller::fraction(token_at& now, token_at last) {
    const token_at second = behind_argument(std::next(now), last);
    const tokens above = argument_at(std::next(now), last), below = argument_at(second, last);
    now = behind_argument(second, last);
    if (above.empty() || below.empty()) not_read("a fraction without one of its parts");
    const bool partial = above[0].is("\\partial") || below[0].is("\\partial");
    if (partial || (is_d(above) && is_d(below) && below.size() > 1))
        return derivative(above, below, now, last);
    std::string out = "\\frac{" + expression(above.begin(), above.end()) + "}{";
    const bool outside = below_;
    below_ = true;
    out += expression(below.begin(), below.end()) + "}";
    below_ = outside;
    product_->push_back({});
    const std::string raised = power(now, last);
    return raised.empty() ? out : "(" + out + ")" + raised;
}

std::string speller::derivative(const tokens& above, const tokens& below, token_at& now,
                                token_at last) {
    if (!is_d(above) || !is_d(below))
        not_computed("a derivative that is written in a way of its own");
    const bool total = !above[0].is("\\partial");
    if (total) doubt("a total derivative is read as one by what is written, with all else held");
    auto t = behind_d(above.begin(), above.end());
    int order = 1;
    if (t != above.end() && t->kind == token_kind::up) {
        const std::string s = spelled(argument_at(std::next(t), above.end()));
        if (s != "2" && !s.empty()) not_computed("a derivative of higher order");
        if (s == "2") order = 2;
        t = behind_argument(std::next(t), above.end());
    }
    std::string of;
    bool bold = false, logarithm = false;
    if (t == above.end()) {
        // \frac{d}{dx} f: what stands behind is differentiated
        if (now == last) not_computed(why_prose("\\partial"));
        name_speller name(*this, now, last);
        of = name.run();
        if (of.empty() || name.raised() || (now != last && !(now->is("+") || now->is("-"))))
            not_computed(why_prose("\\partial"));
    } else {
        // that of a logarithm is written out
        logarithm = order == 1 && (t->is("\\log") || t->is("\\ln")) && std::next(t) != above.end();
        if (logarithm) ++t;
        name_speller name(*this, t, above.end());
        of = name.run();
        bold = name.what().bold;
        if (of.empty() || t != above.end() || name.raised())
            not_computed("a derivative of an expression, and not of a name");
        if (!name.what().indexed && (names_.is_matrix(name.what().key) || name.what().bold))
            not_computed("matrix notation: a derivative without indices");
    }
    std::string by;
    int count = 0;
    for (auto k = below.begin(); k != below.end();) {
        if (!is_d_at(k, below.end()))
            not_computed("a derivative that is written in a way of its own");
        k = behind_d(k, below.end());
        if (k == below.end()) not_read("nothing stands behind \\partial");
        // \partial x^2, below a second derivative, is x twice
        tokens name_tokens;
        auto end = k;
        bool twice = false;
        while (end != below.end() && !(is_d_at(end, below.end()) && end != k)) {
            // an index of the name may be a d
            if ((end->kind == token_kind::up || end->kind == token_kind::down) &&
                std::next(end) != below.end() &&
                !(order == 2 && spelled(argument_at(std::next(end), below.end())) == "2")) {
                const auto behind = behind_argument(std::next(end), below.end());
                name_tokens.insert(name_tokens.end(), end, behind);
                end = behind;
                continue;
            }
            if (order == 2 && end->kind == token_kind::up &&
                spelled(argument_at(std::next(end), below.end())) == "2") {
                twice = true;
                end = behind_argument(std::next(end), below.end());
                continue;
            }
            name_tokens.push_back(*end++);
        }
        auto n = name_tokens.cbegin();
        name_speller name(*this, n, name_tokens.cend());
        const std::string spelt = name.run();
        if (spelt.empty() || n != name_tokens.cend() || name.raised())
            not_computed("a derivative by an expression, and not by a name");
        const auto elsewhere = names_.indexed.find(name.what().key);
        const bool capital =
            !name.what().key.empty() && name.what().key[0] >= 'A' && name.what().key[0] <= 'Z';
        if (!name.what().indexed &&
            (names_.is_matrix(name.what().key) || name.what().bold ||
             (capital && elsewhere != names_.indexed.end() && elsewhere->second > 1)))
            not_computed("matrix notation: a derivative without indices");
        for (int c = 0; c < (twice ? 2 : 1); ++c, ++count)
            by += (by.empty() ? "\\partial " : " \\partial ") + spelt;
        k = end;
    }
    if (count != order) not_computed("a derivative of higher order");
    if (now != last && now->kind == token_kind::down)
        not_computed("a derivative that says what is held fixed");
    factor whole;
    whole.bold = bold;
    product_->push_back(whole);
    std::string out =
        (order == 2 ? "\\frac{\\partial^2 " : "\\frac{\\partial ") + of + "}{" + by + "}";
    if (logarithm) out = "\\frac{1}{" + of + "} " + out;
    const std::string raised = power(now, last);
    return raised.empty() ? out : "(" + out + ")" + raised;
}

std::string speller::big_operator(token_at& now, token_at last) {
    const std::string sign = (now++)->text;
    tokens below, above;
    while (now != last && (now->kind == token_kind::down || now->kind == token_kind::up)) {
        (now->kind == token_kind::down ? below : above) = argument_at(std::next(now), last);
        now = behind_argument(std::next(now), last);
    }
    if (below.empty()) not_computed("a sum that does not say over what");
    // \sum_{i, j = 1}^{n} is a sum of sums
    const auto equals =
        std::find_if(below.cbegin(), below.cend(), [](const token& t) { return t.is("="); });
    const auto comma =
        std::find_if(below.cbegin(), equals, [](const token& t) { return t.is(","); });
    if (equals != below.cend() && comma != equals && !above.empty()) {
        product_->push_back({});
        std::string out;
        for (auto t = below.cbegin(); t != equals; ++t) {
            if (t->is(",")) continue;
            if (t->kind != token_kind::letter && !is_greek_letter(*t))
                not_computed("a sum over a set");
            out += (out.empty() ? "" : " ") + sign + "_{" + t->text + " " +
                   spelled(tokens(equals, below.cend())) + "}^{" + spelled(above) + "}";
        }
        return out;
    }
    bool letters = true;
    for (const token& t : below) {
        if (t.is("\\in") || t.is(":") || t.is("\\mid") || t.is("\\sim") || t.is("\\text") ||
            t.is("\\mathrm") || t.is("|") || t.is("\\subset"))
            not_computed("a sum over a set");
        if (t.is("\\substack") || t.kind == token_kind::row)
            not_computed("a sum with several conditions below each other");
        if (t.is("(") || t.is("\\langle")) not_computed("a sum over a set");
        letters = letters && (t.kind == token_kind::letter || is_greek_letter(t));
    }
    for (const token& t : above)
        if (t.is("\\infty")) not_computed("an infinite sum");
    product_->push_back({});
    std::string sign_behind;  // \sum_j -x is the sum of -x
    if (now != last && (now->is("-") || now->is("+")))
        sign_behind = (now++)->is("-") ? " (-1) \\cdot" : "";
    if (letters) {
        if (below.size() > 1 || above.empty()) {
            std::string out = sign + "_{";
            for (std::size_t k = 0; k < below.size(); ++k) {
                if (below[k].text.size() == 1 && below[k].text[0] >= 'A' && below[k].text[0] <= 'Z')
                    not_computed("a sum over a set");
                out += (k ? ", " : "") + below[k].text;
            }
            return out + "}" + sign_behind;
        }
        return sign + "_{" + below[0].text + "}" + sign_behind;
    }
    std::string out = sign + "_{" + spelled(below) + "}";
    if (!above.empty()) out += "^{" + spelled(above) + "}";
    return out + sign_behind;
}

std::string speller::function(std::string_view name, token_at& now, token_at last) {
    if (is_of_matrix(name)) return matrix_function(name, now, last);
    std::string out = name == "exp" || name == "log" || name == "tanh" || name == "sin" ||
                              name == "cos" || name == "tan" || name == "sinh" || name == "cosh" ||
                              name == "arctan" || name == "max" || name == "min"
                          ? "\\" + std::string(name)
                          : "\\operatorname{" + std::string(name) + "}";
    std::string raised, base;
    bool over = false;
    while (now != last &&
           (now->kind == token_kind::down || now->kind == token_kind::up || now->is("'"))) {
        if (now->is("'")) not_computed("the derivative of a function");
        const bool down = now->kind == token_kind::down;
        const tokens script = argument_at(std::next(now), last);
        now = behind_argument(std::next(now), last);
        if (!down) {
            raised = spelled(script);
            if (raised == "-1") not_computed("an inverse function, or one over it");
            raised = expression(script.begin(), script.end());
            continue;
        }
        if (name == "log") {
            base = expression(script.begin(), script.end());
            continue;
        }
        if (!folds(name)) not_computed("a function with a subscript of its own");
        std::string letters;
        for (const token& t : script) {
            if (t.is(",") || t.is("'")) {
                letters += t.text;
                continue;
            }
            const bool letter =
                (t.kind == token_kind::letter && t.text.size() == 1) || is_greek_letter(t);
            if (!letter) not_computed("an optimum over a set");
            letters += t.text + " ";
        }
        while (!letters.empty() && letters.back() == ' ') letters.pop_back();
        out += "_{" + letters + "}";
        over = true;
        for (const token& t : script)
            if (!t.is(",") && !t.is("'") && !context_.indices.count(t.text))
                not_computed(why_prose("\\sup"));
    }
    if (now == last) not_read("nothing stands behind a function");
    const token_at argument_begin = now;
    if ((now->is("(") || now->is("[") || now->is("\\{")) && (name == "max" || name == "min") &&
        !over) {
        const auto end = behind_group(now, last);
        const std::string inside = expression(std::next(now), std::prev(end), true);
        const auto commas = std::count(inside.begin(), inside.end(), ',');
        if (commas == 0)
            not_computed("the largest of what, the notation says with an index: \\max_j");
        if (commas > 1) not_computed("the notation takes the largest of two");
        now = end;
        product_->push_back({});
        return out + "(" + inside + ")" + power(now, last);
    }
    if (folds(name) && !over)
        not_computed("a " + std::string(name) + " that does not say over which index");
    const std::string inside = argument(now, last);
    (void)argument_begin;
    std::string value = out + "(" + inside + ")";
    product_->push_back({});
    if (!base.empty()) value = base == "e" ? value : "\\frac{" + value + "}{\\log(" + base + ")}";
    const std::string behind = power(now, last);
    if (!raised.empty()) value = "(" + value + ")^{" + raised + "}";
    if (!behind.empty()) value = "(" + value + ")" + behind;
    return value;
}

/// What a function is applied to: a bracket, or the factors up to the next sign, as \sin 2 \theta
/// is the sine of both.
std::string speller::argument(token_at& now, token_at last) {
    if (now->is("(") || now->is("[") || now->is("\\{") || now->kind == token_kind::open) {
        const bool braces = now->kind == token_kind::open;
        const auto end = braces ? behind_argument(now, last) : behind_group(now, last);
        if (!closes(*std::prev(end)) || std::prev(end) == now)
            not_read("a bracket is opened and not closed");
        for (auto k = std::next(now), depth = now; k != std::prev(end); ++k) {
            (void)depth;
            if (k->is("\\mid")) not_computed("conditional on something");
        }
        const std::string inner = expression(std::next(now), std::prev(end));
        now = end;
        return inner;
    }
    if (now->is("\\sum") || now->is("\\prod")) {
        // \log \sum_j x_j y_j is that of the whole sum
        token_at end = std::next(now);
        int depth = 0;
        bool begun = false;
        for (; end != last; ++end) {
            if (depth == 0 && begun &&
                (end->is("+") || end->is("-") || end->is(",") || end->is("=")))
                break;
            if (opens(*end)) ++depth;
            if (closes(*end) && --depth < 0) break;
            begun = begun || (depth == 0 && (end->kind == token_kind::letter || end->is(")") ||
                                             end->is("\\exp")));
        }
        const std::string whole = expression(now, end);
        now = end;
        return whole;
    }
    std::vector<factor> product;
    std::vector<factor>* const outer = product_;
    product_ = &product;
    std::string out;
    int count = 0;
    bool indexed = false;
    while (now != last) {
        const token& t = *now;
        if (count > 0) {
            const bool starts = t.kind == token_kind::letter || t.kind == token_kind::number ||
                                is_greek_letter(t) || is_accent(t.text) || is_wrapper(t.text) ||
                                t.is("\\hbar") || t.is("\\frac");
            if (!starts || indexed) break;
        }
        if (count == 0 && (t.is("-") || t.is("+"))) {
            out += t.text;
            ++now;
            continue;
        }
        out += (count ? " " : "") + one_factor(now, last);
        ++count;
        if (!product.empty())
            indexed = indexed || product.back().indexed || product.back().key.empty();
        if (t.is("\\frac")) break;
    }
    if (count == 0) not_read("nothing stands behind a function");
    if (count > 1) doubt("a function without brackets is read as one of all the factors behind it");
    if (now != last && now->is("/"))
        doubt("a function without brackets is read as one of what stands before the stroke");
    check(product);
    product_ = outer;
    return out;
}

std::string speller::environment(token_at& now, token_at last) {
    const std::string name = spelled(argument_at(std::next(now), last));
    if (name != "cases" && name != "dcases" && name != "cases*")
        not_computed(name.find("matrix") != std::string::npos || name == "array"
                         ? "a matrix written out"
                         : "a display of its own");
    token_at first = behind_argument(std::next(now), last);
    int depth = 0;
    std::vector<std::vector<tokens>> rows(1, std::vector<tokens>(1));
    token_at t = first;
    for (; t != last; ++t) {
        if (t->is("\\end") && depth == 0) break;
        if (opens(*t)) ++depth;
        if (closes(*t)) --depth;
        if (depth == 0 && t->kind == token_kind::row) rows.emplace_back(1);
        else if (depth == 0 && t->kind == token_kind::align) rows.back().emplace_back();
        else rows.back().back().push_back(*t);
    }
    if (t == last) not_read("cases without an end");
    now = behind_argument(std::next(t), last);
    std::string out = "\\begin{cases} ";
    bool begun = false;
    for (auto& row : rows) {
        if (row.size() == 1 && row[0].empty()) continue;
        if (row.size() != 2) not_computed("cases whose conditions are words");
        tokens value = row[0], condition;
        while (!value.empty() && (value.back().is(",") || value.back().is(";"))) value.pop_back();
        std::string words;
        for (token_at k = row[1].cbegin(), behind = row[1].cend(); k != behind;) {
            if (is_words_wrapper(k->text)) {
                for (const token& w : argument_at(std::next(k), behind))
                    words += (w.spaced ? " " : "") + w.text;
                words += " ";
                k = behind_argument(std::next(k), behind);
            } else {
                condition.push_back(*k++);
            }
        }
        while (!condition.empty() &&
               (condition.back().is(",") || condition.back().is(".") || condition.back().is(";")))
            condition.pop_back();
        while (!words.empty() &&
               (words.back() == ' ' || words.back() == '.' || words.back() == ','))
            words.pop_back();
        words.erase(0, words.find_first_not_of(' '));
        const bool otherwise = words == "otherwise" || words == "else" || words == "Otherwise" ||
                               words == "elsewhere" || words == "otherwise.";
        const bool condition_words = words.empty() || words == "if" || words == "for" ||
                                     words == "when" || words == "If" || words == "if and";
        if (otherwise ? !condition.empty() : (!condition_words || condition.empty()))
            not_computed("cases whose conditions are words");
        for (const token& k : condition)
            if (k.is(",") || k.is("\\in")) not_computed("cases whose conditions are words");
        const std::string spelt = expression(value.begin(), value.end());
        out += (begun ? " \\\\ " : "") + spelt + " & ";
        out += otherwise ? "\\text{otherwise}"
                         : "\\text{if } " + expression(condition.begin(), condition.end());
        begun = true;
    }
    product_->push_back({});
    return out + " \\end{cases}";
}

}  // namespace ricci::papers
