// One side of an equation: sums, products and factors.
#include "check/speller.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <ricci/detail/letters.hpp>

#include "papers/paper_words.hpp"
#include "papers/text_words.hpp"

namespace ricci::papers {

void not_computed(std::string_view why) {
    throw not_spelt{spelling::state::prose, std::string(why)};
}
void not_read(std::string_view why) {
    throw not_spelt{spelling::state::unreadable, std::string(why)};
}

namespace {

bool is_one_of(const token& t, std::initializer_list<std::string_view> list) {
    return is_among(t.text, list);
}

constexpr int deepest_nesting = 60;

constexpr std::size_t longest_side = 12000;  // characters of one side

bool is_capital(const std::string& key) {
    return !key.empty() && detail::is_capital_letter(key[0]);
}

bool begins_factor(const token& t) {
    return t.kind == token_kind::letter || t.kind == token_kind::number || is_greek_letter(t) ||
           is_wrapper(t.text) || is_accent(t.text) || t.is("(") || t.is("\\frac") ||
           t.is("\\sqrt") || t.is("\\text") || t.is("\\mathrm") || t.is("\\hbar");
}

/// What stands between two factors. A name that was put in brackets for its power is no argument of
/// the name before it.
const char* between(const std::string& before, const std::string& factor, bool behind_name) {
    if (before.empty()) return "";
    if (behind_name && factor[0] == '(') return " \\cdot ";
    return before.back() == ' ' ? "" : " ";
}

/// 4! in digits.
std::string factorial_of(const std::string& digits) {
    constexpr int most = 18;  // beyond it a double has not all digits
    const bool whole = digits.size() <= 2 && digits.find('.') == std::string::npos;
    if (!whole || std::stoi(digits) > most) not_computed("a factorial");
    std::int64_t product = 1;
    for (int k = 2; k <= std::stoi(digits); ++k) product *= k;
    return std::to_string(product);
}

}  // namespace

token_at behind_closed(token_at now, token_at last) {
    const token_at end = behind_group(now, last);
    if (end == now || std::prev(end) == now || !closes(*std::prev(end)))
        not_read("a bracket is opened and not closed");
    return end;
}

bool is_comparison(const token& t) {
    return is_one_of(
        t, {"=", "<", ">", "\\le", "\\leq", "\\ge", "\\geq", "\\ne", "\\neq", "\\lt", "\\gt",
            "\\land", "\\lor", "\\lnot", "\\bmod", "\\mod", "\\leqslant", "\\geqslant"});
}

void speller::check(std::vector<factor>& product) {
    int bold = 0, bare_capitals = 0;
    bool dotted = false, capital_before_small = false, before = false;
    for (const factor& f : product) {
        bold_ = bold_ || f.bold;
        if (f.key.empty() && f.bold) ++bold;
        if (f.key.empty()) {
            before = false;
            continue;
        }
        bold += f.bold;
        dotted = dotted || f.dotted;
        if (f.indexed) {
            if (before) capital_before_small = true;
            before = false;
            continue;
        }
        const bool position = context_.indices.count(f.key) > 0;
        const bool scalar = position;
        if (f.bold) not_computed("vector notation: " + f.key + " stands without its index");
        if (names_.is_matrix(f.key) && !scalar)
            not_computed("matrix notation: " + f.key +
                         " stands without its indices, which a product has: A_{ij} B_{jk}");
        const auto elsewhere = names_.indexed.find(f.key);
        // a left side says that it is a number here, where the right side writes its indices
        const bool number_here = below_ || (context_.left && !context_.indices.empty());
        if (names_.any_matrix && is_capital(f.key) && !scalar && !number_here &&
            elsewhere != names_.indexed.end() && elsewhere->second > 1)
            not_computed("matrix notation: " + f.key + " has indices elsewhere and none here");
        if (is_capital(f.key) && !scalar) ++bare_capitals;
        if (!is_capital(f.key) && !scalar && before) capital_before_small = true;
        before = is_capital(f.key) && !scalar;
    }
    if (bold > 1)
        not_computed("vector notation: a product of vectors whose indices are not written");
    if (names_.any_matrix && (bare_capitals > 1 || capital_before_small))
        not_computed(
            "nothing says whether this is a product of numbers or of matrices; indices "
            "would, as in A_{ij} B_{jk}");
    product.clear();
}

std::string speller::expression(token_at now, token_at last, bool list) {
    if (++depth_ > deepest_nesting) not_read("nested too deeply");
    std::vector<factor> product;
    std::vector<factor>* const outer = product_;
    product_ = &product;
    std::string out;
    bool name_before = false;  // the factor before this one is a name
    while (now != last) {
        if (out.size() > longest_side) not_read("too long to be read");
        const token& t = *now;
        const bool behind_name = std::exchange(name_before, false);
        if (t.is("+") || t.is("-")) {
            check(product);
            out += out.empty() || out.back() == '(' ? t.text : " " + t.text + " ";
            ++now;
        } else if (is_one_of(t, {"\\cdot", "\\times", "\\odot", "*", "\\ast"})) {
            if (t.is("\\times") && !product.empty() && product.back().bold)
                not_computed("vector notation: a cross product");
            out += " \\cdot ";
            ++now;
            const std::size_t count = product.size();
            if (now != last && !(now->is("+") || now->is("-"))) {
                out += one_factor(now, last);
                for (std::size_t k = count; k < product.size(); ++k) product[k].dotted = true;
            }
        } else if (t.is("/")) {
            divide(now, last);
            out += " / ";
            ++now;
            // what stands behind the divisor is written with a sign: a / 2 b has one reading here
            if (now != last) {
                out += one_factor(now, last);
                if (now != last && begins_factor(*now) && !now->is("(")) out += " \\cdot ";
            }
        } else if (t.is(",") || t.is(";")) {
            if (!list) not_computed("a list of values");
            check(product);
            out += ", ";
            ++now;
        } else if (is_comparison(t)) {
            check(product);
            out += " " + t.text + " ";
            ++now;
        } else {
            const std::size_t known = product.size();
            // what may be a function stays in front of its bracket
            const bool bracket = (t.is("(") || t.is("[") || t.is("\\{")) &&
                                 (context_.left || product.empty() || is_function(product.back()));
            const std::string f = one_factor(now, last);
            if (!f.empty()) out += between(out, f, behind_name && !bracket) + f;
            name_before = product.size() > known && !product.back().key.empty();
        }
    }
    check(product);
    product_ = outer;
    --depth_;
    return out;
}

/// Whether a name may be one of a function, and no factor.
bool speller::is_function(const factor& f) const {
    static const std::set<std::string> usual = {"f",     "g",     "h",       "F",     "G",
                                                "\\phi", "\\psi", "\\sigma", "\\rho", "\\varphi"};
    const bool word = f.key.size() > 1 && (f.key[0] != '\\' || f.key.back() == '\'');
    return word || usual.count(f.key) > 0 || names_.called.count(f.key) > 0 ||
           names_.applied.count(f.key) > 0;
}

/// a / b c is read in two ways by two readers, unless numbers or brackets tell.
void speller::divide(token_at now, token_at last) const {
    if (std::next(now) == last) not_read("nothing stands behind /");
    token_at k = std::next(now);
    const bool number = k->kind == token_kind::number,
               closed = k->is("(") || k->kind == token_kind::open;
    k = k->is("(") ? behind_group(k, last)
        : k->is("\\sqrt") || is_wrapper(k->text) || is_accent(k->text) || is_words_wrapper(k->text)
            ? behind_argument(std::next(k), last)
            : behind_argument(k, last);
    while (k != last && (k->kind == token_kind::up || k->kind == token_kind::down))
        k = behind_argument(std::next(k), last);
    if (k == last || closed || !begins_factor(*k)) return;
    if (k->is("(") && !number) return;  // a name and its argument
    const bool over_number = number && product_->empty();
    if (!over_number)
        not_read("a / b c is read in two ways; write \\frac{a}{b} c or \\frac{a}{b c}");
}

std::string speller::one_factor(token_at& now, token_at last) {
    const token& t = *now;
    if (t.kind == token_kind::number) {
        std::string out = (now++)->text;
        if (now != last && now->is("!")) {
            out = factorial_of(out);
            ++now;
        }
        return out + power(now, last);
    }
    if (t.kind == token_kind::open) {
        const tokens inner = argument_at(now, last);
        now = behind_argument(now, last);
        if (inner.empty()) return {};
        std::string out;
        {
            // one name in braces has the scripts that stand behind them
            tokens whole = inner;
            auto k = now;
            while (k != last && (k->kind == token_kind::up || k->kind == token_kind::down))
                k = behind_argument(std::next(k), last);
            whole.insert(whole.end(), now, k);
            now = k;
            out = expression(whole.begin(), whole.end());
        }
        product_->push_back({});
        return out;
    }
    if (t.is("(") || t.is("[") || t.is("\\{")) return bracket(now, last);
    if (t.is("|") || t.is("\\lvert") || t.is("\\vert")) return bars(now, last);
    if (t.is("\\|") || t.is("\\lVert") || t.is("\\Vert")) return norm(now, last);
    if (t.is("\\langle")) return average(now, last);
    if (t.is("\\lfloor") || t.is("\\lceil")) {
        const auto end = behind_closed(now, last);
        const std::string open = now->text, close = std::prev(end)->text;
        std::string out = open + " " + expression(std::next(now), std::prev(end)) + " " + close;
        now = end;
        return out + power(now, last);
    }
    {
        name_speller name(*this, now, last);
        const token_at before = now;
        std::string out = name.run();
        if (now != before) {
            product_->push_back(name.what());
            return out;
        }
    }
    if (t.is_command()) return command(now, last);
    if (t.is("!")) not_computed("a factorial");
    if (t.is(":")) not_computed("a colon: what it says is said in words");
    if (t.is("'")) not_computed("a derivative of what stands in a bracket");
    if (t.kind == token_kind::up || t.kind == token_kind::down)
        not_read("a script without a name in front of it");
    if (t.is("\\rvert")) not_computed("what stands before a bar, at a place");
    if (closes(t)) not_read("a bracket closes that was not opened");
    not_read("the character " + t.text + " is not read");
}

std::string speller::command(token_at& now, token_at last) {
    const token t = *now;
    if (t.is("\\frac") || t.is("\\dfrac") || t.is("\\tfrac") || t.is("\\cfrac"))
        return fraction(now, last);
    if (t.is("\\sqrt")) return root(now, last);
    if (t.is("\\sum") || t.is("\\prod")) return big_operator(now, last);
    if (t.is("\\begin")) return environment(now, last);
    if (t.is("\\underbrace") || t.is("\\overbrace")) {
        const tokens inner = argument_at(std::next(now), last);
        now = behind_argument(std::next(now), last);
        while (now != last && (now->kind == token_kind::down || now->kind == token_kind::up))
            now = behind_argument(std::next(now), last);
        return expression(inner.begin(), inner.end());
    }
    if (t.is("\\boxed") || t.is("\\fbox") || t.is("\\cancel") || t.is("\\mathstrut")) {
        const tokens inner = argument_at(std::next(now), last);
        now = behind_argument(std::next(now), last);
        return expression(inner.begin(), inner.end());
    }
    if (t.is("\\underset") || t.is("\\overset") || t.is("\\stackrel")) {
        now = behind_argument(std::next(now), last);
        const tokens inner = argument_at(now, last);
        now = behind_argument(now, last);
        return expression(inner.begin(), inner.end());
    }
    if (t.is("\\infty")) return ++now, "\\infty";
    if (t.is("\\quad") || t.is("\\qquad") || t.is("\\displaystyle")) return ++now, "";
    const std::string f = function_of(t.text.substr(1));
    if (!f.empty()) return ++now, function(f, now, last);
    if (t.is("\\sec") || t.is("\\csc") || t.is("\\cot") || t.is("\\coth")) {
        ++now;
        const std::string of = t.is("\\sec")   ? "cos"
                               : t.is("\\csc") ? "sin"
                               : t.is("\\cot") ? "tan"
                                               : "tanh";
        if (now != last && now->kind == token_kind::up)
            not_computed("the notation has no " + t.text + " with a power");
        return "\\frac{1}{" + function(of, now, last) + "}";
    }
    if (t.is("\\arcsin") || t.is("\\arccos") || t.is("\\lg") || t.is("\\arccosh") ||
        t.is("\\arcsinh"))
        not_computed("the notation has no function " + t.text);
    const std::string_view why = why_prose(t.text);
    if (!why.empty()) not_computed(why);
    not_read("unknown command " + t.text);
}

bool is_single_name(const std::string& text) {
    std::size_t k = 0;
    const auto letter = [&](std::size_t at) {
        return at < text.size() && detail::is_ascii_letter(text[at]);
    };
    const auto group = [&] {
        if (k >= text.size() || text[k] != '{') return false;
        int depth = 0;
        for (; k < text.size(); ++k) {
            if (text[k] == '{') ++depth;
            if (text[k] == '}' && --depth == 0) return ++k, true;
        }
        return false;
    };
    if (text.rfind("e^", 0) == 0) return false;  // the exponential
    const bool command = !text.empty() && text[0] == '\\';
    if (command) ++k;
    if (!letter(k)) return false;
    const std::size_t word = k;
    while (letter(k)) ++k;
    const std::string name = text.substr(word, k - word);
    if (command && (name == "frac" || name == "sqrt" || name == "sum" || name == "prod" ||
                    name == "exp" || name == "log" || name == "infty" || name == "begin" ||
                    name == "operatorname" || !function_of(name).empty()))
        return false;
    if (command && k < text.size() && text[k] == '{' && !group()) return false;
    while (k < text.size() && text[k] == '\'') ++k;
    while (k < text.size() && (text[k] == '_' || text[k] == '^' || text[k] == '{')) {
        if (text[k] == '{') {
            if (text.substr(k, 2) != "{}") return false;
            k += 2;
            continue;
        }
        const bool up = text[k++] == '^';
        const std::size_t begin = k;
        if (!group()) return false;
        const std::string script = text.substr(begin + 1, k - begin - 2);
        if (up && (script.find_first_not_of("0123456789./-") == std::string::npos ||
                   script.find("\\frac") != std::string::npos))
            return false;
    }
    while (k < text.size() && text[k] == '\'') ++k;
    if (k == text.size()) return true;
    if (text[k] == ' ') ++k;
    if (text[k] != '(' || text.back() != ')') return false;
    for (++k; k + 1 < text.size(); ++k)
        if (!letter(k) && text[k] != ',' && text[k] != ' ' && text[k] != '\\') return false;
    return true;
}

spelling spell(const tokens& side, const spelling_context& context) {
    spelling out;
    try {
        speller all(context);
        out.text = all.expression(side.begin(), side.end());
        out.doubt = all.doubt();
        out.position = all.has_position();
        out.values = all.values();
        out.totals = all.totals();
        if (out.text.empty()) {
            out.what = spelling::state::unreadable;
            out.why = "nothing stands on one side";
        }
    } catch (not_spelt& wrong) {
        out.what = wrong.what;
        out.why = std::move(wrong.why);
    }
    return out;
}

}  // namespace ricci::papers
