// Functions, with what stands above and below them, and what they are applied to.
#include <algorithm>

#include "check/speller.hpp"
#include "papers/paper_words.hpp"

namespace ricci::papers {
namespace {

// A command where the notation has one, a word otherwise.
std::string word_of_function(std::string_view name) {
    static constexpr std::string_view commands[] = {"exp",  "log",  "tanh",   "sin", "cos", "tan",
                                                    "sinh", "cosh", "arctan", "max", "min"};
    return is_among(name, commands) ? "\\" + std::string(name)
                                    : "\\operatorname{" + std::string(name) + "}";
}

bool begins_bracket(const token& t) { return t.is("(") || t.is("[") || t.is("\\{"); }

}  // namespace

std::string speller::function(std::string_view name, token_at& now, token_at last) {
    if (is_of_matrix(name)) return matrix_function(name, now, last);
    const function_scripts scripts = scripts_of_function(name, now, last);
    const std::string word = word_of_function(name) + scripts.over;
    if (now == last) not_read("nothing stands behind a function");
    if (begins_bracket(*now) && (name == "max" || name == "min") && scripts.over.empty())
        return extremum_of_some(word, now, last);
    if (folds(name) && scripts.over.empty())
        not_computed("a " + std::string(name) + " that does not say over which index");
    std::string value = word + "(" + argument(now, last) + ")";
    product_->push_back({});
    if (!scripts.base.empty() && scripts.base != "e")
        value = "\\frac{" + value + "}{\\log(" + scripts.base + ")}";
    const std::string behind = power(now, last);
    if (!scripts.raised.empty()) value = "(" + value + ")^{" + scripts.raised + "}";
    if (!behind.empty()) value = "(" + value + ")" + behind;
    return value;
}

speller::function_scripts speller::scripts_of_function(std::string_view name, token_at& now,
                                                       token_at last) {
    function_scripts read;
    while (now != last &&
           (now->kind == token_kind::down || now->kind == token_kind::up || now->is("'"))) {
        if (now->is("'")) not_computed("the derivative of a function");
        const bool down = now->kind == token_kind::down;
        const tokens script = argument_at(std::next(now), last);
        now = behind_argument(std::next(now), last);
        if (!down) {
            if (spelled(script) == "-1") not_computed("an inverse function, or one over it");
            read.raised = expression(script.begin(), script.end());
        } else if (name == "log") {
            read.base = expression(script.begin(), script.end());
        } else {
            if (!folds(name)) not_computed("a function with a subscript of its own");
            read.over += "_{" + letters_below(script) + "}";
        }
    }
    return read;
}

/// The indices that stand below an operator that folds over them.
std::string speller::letters_below(const tokens& script) const {
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
    for (const token& t : script)
        if (!t.is(",") && !t.is("'") && !context_.indices.count(t.text))
            not_computed(why_prose("\\sup"));
    return letters;
}

/// \max(x, y); of more than two it is \max(x, \max(y, z)).
std::string speller::extremum_of_some(const std::string& word, token_at& now, token_at last) {
    const auto end = behind_closed(now, last), behind = std::prev(end);
    std::vector<std::string> values;
    int depth = 0;
    for (auto first = std::next(now), t = first;; ++t) {
        if (t == behind || (depth == 0 && t->is(","))) {
            values.push_back(expression(first, t));
            if (values.back().empty()) not_read("nothing stands between two commas");
            if (t == behind) break;
            first = std::next(t);
        }
        if (opens(*t)) ++depth;
        if (closes(*t)) --depth;
    }
    if (values.size() < 2)
        not_computed("the largest of what, the notation says with an index: \\max_j");
    now = end;
    product_->push_back({});
    std::string out = values.back();
    for (std::size_t k = values.size() - 1; k-- > 0;)
        out = word + "(" + values[k] + ", " + out + ")";
    return out + power(now, last);
}

/// What a function is applied to: a bracket, a sum, or the factors up to the next sign.
std::string speller::argument(token_at& now, token_at last) {
    if (now->is("\\sum") || now->is("\\prod")) return sum_as_argument(now, last);
    const bool braces = now->kind == token_kind::open;
    if (!braces && !begins_bracket(*now)) return factors_as_argument(now, last);
    const auto end = braces ? behind_argument(now, last) : behind_closed(now, last);
    if (!closes(*std::prev(end)) || std::prev(end) == now)
        not_read("a bracket is opened and not closed");
    for (auto k = std::next(now); k != std::prev(end); ++k)
        if (k->is("\\mid")) not_computed("conditional on something");
    std::string inner = expression(std::next(now), std::prev(end));
    now = end;
    return inner;
}

/// \log \sum_j x_j y_j is that of the whole sum.
std::string speller::sum_as_argument(token_at& now, token_at last) {
    token_at end = std::next(now);
    int depth = 0;
    bool begun = false;
    for (; end != last; ++end) {
        if (depth == 0 && begun && (end->is("+") || end->is("-") || end->is(",") || end->is("=")))
            break;
        if (opens(*end)) ++depth;
        if (closes(*end) && --depth < 0) break;
        begun = begun || (depth == 0 &&
                          (end->kind == token_kind::letter || end->is(")") || end->is("\\exp")));
    }
    std::string whole = expression(now, end);
    now = end;
    return whole;
}

/// \sin 2 \theta is the sine of both.
std::string speller::factors_as_argument(token_at& now, token_at last) {
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
        const std::string f = one_factor(now, last);
        out += (count == 0 ? "" : f[0] == '(' ? " \\cdot " : " ") + f;
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

}  // namespace ricci::papers
