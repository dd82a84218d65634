// What stands below and above a name: indices, labels, exponents.
#include <algorithm>

#include "command/letters.hpp"
#include "command/paper_words.hpp"
#include "command/speller.hpp"

namespace ricci::command {
namespace {

bool is_transposition(const std::string& s) {
    return s == "T" || s == "\\top" || s == "\\dagger" || s == "\\intercal" || s == "\\mathsf{T}" ||
           s == "\\mathrm{T}" || s == "-T" || s == "{\\top}" || s == "\\dag" || s == "\\text{T}" ||
           s == "\\mathsf T" || s == "-\\top" || s == "\\prime T";
}

}  // namespace

void name_speller::scripts() {
    while (now_ != last_) {
        if (now_->is("'")) {
            ++now_;
            primes_ += "'";
            continue;
        }
        if (now_->kind == token_kind::open && std::next(now_) != last_ &&
            std::next(now_)->kind == token_kind::close) {
            const token_at k = std::next(now_, 2);
            if (k == last_ || (k->kind != token_kind::down && k->kind != token_kind::up)) break;
            now_ = k;
            out_ += "{}";
            continue;
        }
        if (now_->kind != token_kind::down && now_->kind != token_kind::up) break;
        const bool down = now_->kind == token_kind::down;
        if (std::next(now_) == last_) not_read("a script is empty");
        const tokens script = argument_at(std::next(now_), last_);
        now_ = behind_argument(std::next(now_), last_);
        if (script.empty()) continue;
        if (down) lower_script(script);
        else upper_script(script);
    }
}

/// A label in the form that the notation has for it.
std::string name_speller::label(const tokens& script) const {
    return "_{\\text{" + letters_of(script) + "}}";
}

void name_speller::lower_script(const tokens& script) {
    bool small = true, words = false, signs = false;
    std::string run;
    for (const token& t : script) {
        small = small && is_small(t.text);
        words = words || is_words_wrapper(t.text) || t.is("\\rm") || is_wrapper(t.text);
        signs = signs || t.is("*") || t.is("\\star") || t.is("\\perp") || t.is("\\parallel") ||
                t.is("\\infty") || t.is("\\ast") || t.is("\\odot") || t.is("\\oplus");
        run += t.text;
    }
    bool nested = script.size() > 1, functions = false;  // p_{x_0}, u_{\min}
    for (auto t = script.begin(); t != script.end(); ++t) {
        functions = functions || (t->is_command() && (!function_of(t->text.substr(1)).empty() ||
                                                      t->is("\\inf") || t->is("\\sup")));
        nested = nested && (t == script.begin() || t->kind != token_kind::letter);
    }
    nested =
        nested && script.size() <= 5 && (is_small(script[0].text) || is_greek_letter(script[0])) &&
        script[1].kind == token_kind::down && std::prev(script.end())->kind != token_kind::letter;
    if ((functions || nested) && !letters_of(script).empty()) {
        out_ += label(script);
        factor_.key += "_" + letters_of(script);
        return;
    }
    if (signs && script.size() == 1) {
        out_ += "_{" + all_.names_.codes->name(script[0].text) + "}";
        return;
    }
    if (script.size() == 1 && (script[0].is("+") || script[0].is("-") || script[0].is("\\pm"))) {
        out_ += "_{" + all_.names_.codes->name(script[0].text) + "}";
        return;
    }
    if (words) {
        // \text{sum}, i: a label and an index
        const auto comma =
            std::find_if(script.begin(), script.end(), [](const token& t) { return t.is(","); });
        const tokens first(script.begin(), comma);
        const std::string name = letters_of(first);
        bool only_words = true;
        for (auto t = first.begin(); t != first.end(); ++t)
            if (is_words_wrapper(t->text) || is_wrapper(t->text))
                t = std::prev(behind_argument(std::next(t), first.end()));
            else
                only_words = only_words && (t->is("\\rm") || !first.front().is("\\rm")
                                                ? t->is("\\rm") || first.front().is("\\rm")
                                                : true);
        if (!only_words) not_computed("a subscript of words and letters together");
        std::string bare;
        for (auto t = first.begin(); t != first.end(); ++t)
            if (!is_words_wrapper(t->text) && !is_wrapper(t->text) && !t->is("\\rm"))
                bare += letters_of(t->text);
        if (bare.empty()) not_computed("a label of signs");
        out_ += "_{\\text{" + bare + "}}";
        factor_.key += "_" + bare;
        if (comma != script.end()) {
            out_ += "^{" + spelled(tokens(std::next(comma), script.end())) + "}";
            factor_.indexed = true;
        }
        (void)name;
        return;
    }
    if (small && script.size() > 1) {
        bool as_indices = false;
        for (const token& t : script)
            as_indices = as_indices || std::count(run.begin(), run.end(), t.text[0]) > 2;
        const bool vowel = run.find_first_of("aeiou") != std::string::npos;
        const bool beyond = run.find_first_of("efghoqrstuvwxyz") != std::string::npos;
        const bool label_like = is_label_word(run) || (run.size() >= 4 && vowel && beyond);
        bool known = true;  // all of them are indices elsewhere in the equation
        for (const token& t : script) known = known && all_.context_.indices.count(t.text) > 0;
        if (label_like && !as_indices && !(known && is_label_word(run))) {
            out_ += label(script);
            factor_.key += "_" + run;
            return;
        }
    }
    const auto comma =
        std::find_if(script.begin(), script.end(), [](const token& t) { return t.is(","); });
    if (comma != script.end()) {
        const tokens first(script.begin(), comma);
        bool first_small = first.size() > 1;
        for (const token& t : first) first_small = first_small && is_small(t.text);
        if (first_small && (is_label_word(letters_of(first)))) {
            out_ += label(first) + "^{" + spelled(tokens(std::next(comma), script.end())) + "}";
            factor_.key += "_" + letters_of(first);
            factor_.indexed = true;
            return;
        }
    }
    if (script.size() == 1 && all_.context_.labels.count(script[0].text)) {
        const std::string name =
            script[0].text[0] == '\\' ? script[0].text.substr(1) : script[0].text;
        out_ += "_{\\text{" + name + "}}";
        factor_.key += "_" + script[0].text;
        return;
    }
    bool label_only = true, digits = false, capitals = false;
    for (const token& t : script) {
        label_only = label_only && (is_big(t.text) || t.kind == token_kind::number);
        digits = digits || t.kind == token_kind::number;
        capitals = capitals || is_big(t.text);
    }
    if (label_only) {
        out_ += digits && capitals ? label(script) : "_{" + run + "}";
        factor_.key += "_" + run;
        return;
    }
    for (const token& t : script) {
        if (t.is("=") || t.is("\\le") || t.is("<") || t.is(">") || t.is("\\in") || t.is("|") ||
            t.is("\\mid") || t.is("\\to") || t.is(":") || t.is("\\sim"))
            not_computed("a subscript that says more than indices");
        if (t.is("\\ldots") || t.is("\\dots") || t.is("\\cdots"))
            not_computed(why_prose("\\ldots"));
    }
    out_ += "_{" + spelled(script) + "}";
    factor_.indexed = true;
}

void name_speller::upper_script(const tokens& whole) {
    tokens script = whole;
    while (script.size() > 1 && script.front().is("\\prime")) {
        primes_ += "'";
        script.erase(script.begin());
    }
    const std::string s = spelled(script);
    if (is_transposition(s)) not_computed("matrix notation: a transposition");
    const bool bare = !factor_.indexed;
    const bool big = !factor_.key.empty() && factor_.key[0] >= 'A' && factor_.key[0] <= 'Z';
    if (s == "H" && (big || factor_.bold)) not_computed("matrix notation: a transposition");
    if (s == "-1" && bare && (factor_.bold || (big && all_.names_.any_matrix)))
        not_computed("matrix notation: an inverse");
    if (s == "+" || s == "-" || s == "\\pm") not_computed("a superscript of its own");
    if (s == "*" || s == "\\star" || s == "\\ast" || s == "\\dagger") {
        out_ += "^{" + all_.names_.codes->name("*") + "}";
        factor_.key += "^*";
        return;
    }
    if (s == "\\circ" || s == "\\degree") not_computed("degrees of an angle");
    if (s.find_first_not_of("\\prime ") == std::string::npos) {
        std::size_t count = 0;
        for (const token& t : script) count += t.is("\\prime");
        if (count > 0) {
            primes_.append(count, '\'');
            return;
        }
    }
    bool words = false, arithmetic = false,
         parens = script.front().is("(") && script.back().is(")"), small = true, comma = false;
    for (const token& t : script) {
        words = words || is_words_wrapper(t.text);
        arithmetic = arithmetic || t.is("+") || t.is("-") || t.is("/") || t.is("\\frac") ||
                     t.is("\\cdot") || t.is("*");
        comma = comma || t.is(",");
        small = small && (is_small(t.text) || is_greek_letter(t) || t.is("'"));
        if (t.is("\\ldots") || t.is("\\dots") || t.is("\\infty") || t.is("\\otimes") ||
            t.is("\\perp"))
            not_computed("a superscript of its own");
    }
    if (words) {
        const std::string name = letters_of(tokens(std::next(script.begin()), script.end()));
        if (name.empty()) not_computed("a label of signs");
        out_ += "^{\\text{" + name + "}}";
        factor_.key += "^" + name;
        return;
    }
    if (parens && script.size() >= 3) {
        const tokens inner(std::next(script.begin()), std::prev(script.end()));
        if (inner.size() == 1 && (inner[0].kind == token_kind::number || is_big(inner[0].text))) {
            out_ += "^{\\text{" + inner[0].text + "}}";
            factor_.key += "^" + inner[0].text;
            return;
        }
        // a layer or a step of which another is named, (l) beside (l-1), belongs to the name
        if (all_.names_.layers.count(inner[0].text)) {
            const std::string layered =
                all_.names_.codes->name(out_.substr(0, base_) + "^{" + s + "}");
            out_.replace(0, base_, layered);
            base_ = layered.size();
            factor_.key += "^" + s;
            return;
        }
        if (inner.size() == 1) {
            out_ += "^{" + inner[0].text + "}";
            factor_.indexed = true;
            return;
        }
    }
    if (script.size() == 1 && is_big(script[0].text)) {
        power_ = "^{" + script[0].text + "}";
        return;
    }
    bool numbers = true, known = false;
    for (const token& t : script) {
        numbers = numbers && (t.kind == token_kind::number || arithmetic);
        known = known || all_.context_.indices.count(t.text) > 0;
    }
    if (arithmetic && !known && !comma) {
        power_ = "^{" + all_.expression(script.begin(), script.end()) + "}";
        return;
    }
    if (script.size() == 1 && script[0].kind == token_kind::number) {
        if (s.size() > 1 && all_.names_.indexed.count(factor_.key))
            not_computed("digits above a name that has indices elsewhere: places, or a power");
        power_ = "^{" + s + "}";
        return;
    }
    const bool number = bare && all_.names_.numbers.count(factor_.key) &&
                        !all_.names_.lowered.count(factor_.key) && is_greek_letter(*start_);
    if (script.size() == 1 && (all_.context_.labels.count(s) || number ||
                               (!known && (is_small(s) || is_greek_letter(script[0]))))) {
        power_ = "^{" + s + "}";
        return;
    }
    (void)numbers;
    for (const token& t : script)
        if (t.kind == token_kind::up ||
            (t.kind == token_kind::symbol && !t.is("(") && !t.is(")") && !t.is("+") && !t.is("-") &&
             !t.is(",") && !t.is("'") && !t.is("*")))
            not_computed("a superscript of its own");
    out_ += "^{" + s + "}";
    factor_.indexed = true;
}

}  // namespace ricci::command
