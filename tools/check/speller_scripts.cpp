// What stands below a name: indices and labels.
#include <algorithm>
#include <iterator>
#include <string_view>

#include "check/letters.hpp"
#include "check/speller.hpp"
#include "papers/paper_words.hpp"

namespace ricci::papers {
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
    if (place_beyond_edges(script, '_') || label_of_function(script) || label_of_sign(script) ||
        label_and_places(script) || label_of_words(script) || label_of_letters(script) ||
        label_of_capitals(script))
        return;
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

// x_{\operatorname{wrap}(i + 1)}
bool name_speller::place_beyond_edges(const tokens& script, char sign) {
    bool any = false;
    std::string places;
    for (auto t = script.begin(); t != script.end();) {
        const bool words = is_words_wrapper(t->text);
        const token_at behind = words ? behind_argument(std::next(t), script.end()) : std::next(t);
        const std::string word =
            words ? letters_of(argument_at(std::next(t), script.end())) : std::string();
        any = any || is_edge_word(word);
        places += words ? " \\operatorname{" + word + "}" : (t->spaced ? " " : "") + t->text;
        if (t->is_command() && !words) places += ' ';
        t = behind;
    }
    if (!any) return false;
    out_ += std::string(1, sign) + "{" + places + "}";
    factor_.indexed = true;
    return true;
}

// x_{i, \text{old}}, x_{i \text{old}} where i is an index elsewhere: a label behind indices
bool name_speller::label_and_places(const tokens& script) {
    if (script.empty() || is_words_wrapper(script.front().text)) return false;
    std::string places, word;
    bool known = true;
    for (auto t = script.begin(); t != script.end();) {
        if (is_words_wrapper(t->text)) {
            word += letters_of(argument_at(std::next(t), script.end()));
            t = behind_argument(std::next(t), script.end());
            continue;
        }
        const bool letter = is_small(t->text) || is_greek_letter(*t);
        if (!letter && !t->is(",")) return false;
        if (letter) {
            known = known && all_.context_.indices.count(t->text) > 0;
            places += (places.empty() ? "" : " ") + t->text;
        }
        ++t;
    }
    if (word.empty() || places.empty() || !known) return false;
    out_ += "_{\\text{" + word + "}}^{" + places + "}";
    factor_.key += "_" + word;
    factor_.indexed = true;
    return true;
}

// p_{x_0}, u_{\min}
bool name_speller::label_of_function(const tokens& script) {
    bool nested = script.size() > 1, functions = false;
    for (auto t = script.begin(); t != script.end(); ++t) {
        functions = functions || (t->is_command() && (!function_of(t->text.substr(1)).empty() ||
                                                      t->is("\\inf") || t->is("\\sup")));
        nested = nested && (t == script.begin() || t->kind != token_kind::letter);
    }
    nested =
        nested && script.size() <= 5 && (is_small(script[0].text) || is_greek_letter(script[0])) &&
        script[1].kind == token_kind::down && std::prev(script.end())->kind != token_kind::letter;
    if ((!functions && !nested) || letters_of(script).empty()) return false;
    out_ += label(script);
    factor_.key += "_" + letters_of(script);
    return true;
}

// x_*, x_+, x_\infty
bool name_speller::label_of_sign(const tokens& script) {
    constexpr std::string_view signs[] = {"*",       "\\star", "\\perp", "\\parallel",
                                          "\\infty", "\\ast",  "\\odot", "\\oplus",
                                          "+",       "-",      "\\pm"};
    if (script.size() != 1 ||
        std::none_of(std::begin(signs), std::end(signs),
                     [&](std::string_view sign) { return script[0].is(sign); }))
        return false;
    out_ += "_{" + all_.names_.codes->name(script[0].text) + "}";
    return true;
}

// x_{\text{sum}, i}: a label, perhaps with an index
bool name_speller::label_of_words(const tokens& script) {
    const auto wraps = [](const token& t) {
        return is_words_wrapper(t.text) || is_wrapper(t.text);
    };
    if (std::none_of(script.begin(), script.end(),
                     [&](const token& t) { return wraps(t) || t.is("\\rm"); }))
        return false;
    const auto comma =
        std::find_if(script.begin(), script.end(), [](const token& t) { return t.is(","); });
    const tokens first(script.begin(), comma);
    const bool roman = !first.empty() && first.front().is("\\rm");  // and so all behind it
    bool only_words = true;
    for (auto t = first.begin(); t != first.end(); ++t)
        if (wraps(*t)) t = std::prev(behind_argument(std::next(t), first.end()));
        else only_words = only_words && (t->is("\\rm") || roman);
    if (!only_words) not_computed("a subscript of words and letters together");
    std::string bare;
    for (const token& t : first)
        if (!wraps(t) && !t.is("\\rm")) bare += letters_of(t.text);
    if (bare.empty()) not_computed("a label of signs");
    out_ += "_{\\text{" + bare + "}}";
    factor_.key += "_" + bare;
    if (comma != script.end()) add_places_behind(comma, script);
    return true;
}

void name_speller::add_places_behind(token_at comma, const tokens& script) {
    out_ += "^{" + spelled(tokens(std::next(comma), script.end())) + "}";
    factor_.indexed = true;
}

// x_{max}, x_{max,i}: letters that are a word, not indices
bool name_speller::label_of_letters(const tokens& script) {
    const auto all_small = [](const tokens& some) {
        return some.size() > 1 && std::all_of(some.begin(), some.end(),
                                              [](const token& t) { return is_small(t.text); });
    };
    if (all_small(script)) {
        std::string run;
        for (const token& t : script) run += t.text;
        bool as_indices = false;
        bool known = true;  // all of them are indices elsewhere in the equation
        for (const token& t : script) {
            as_indices = as_indices || std::count(run.begin(), run.end(), t.text[0]) > 2;
            known = known && all_.context_.indices.count(t.text) > 0;
        }
        const bool vowel = run.find_first_of("aeiou") != std::string::npos;
        const bool beyond = run.find_first_of("efghoqrstuvwxyz") != std::string::npos;
        const bool label_like = is_label_word(run) || (run.size() >= 4 && vowel && beyond);
        if (label_like && !as_indices && !(known && is_label_word(run))) {
            out_ += label(script);
            factor_.key += "_" + run;
            return true;
        }
    }
    const auto comma =
        std::find_if(script.begin(), script.end(), [](const token& t) { return t.is(","); });
    const tokens first(script.begin(), comma);
    if (comma == script.end() || !all_small(first) || !is_label_word(letters_of(first)))
        return false;
    out_ += label(first);
    factor_.key += "_" + letters_of(first);
    add_places_behind(comma, script);
    return true;
}

// x_Q, x_{12}, and what is a label elsewhere
bool name_speller::label_of_capitals(const tokens& script) {
    if (script.size() == 1 && all_.context_.labels.count(script[0].text)) {
        const std::string& text = script[0].text;
        out_ += "_{\\text{" + (text[0] == '\\' ? text.substr(1) : text) + "}}";
        factor_.key += "_" + text;
        return true;
    }
    std::string run;
    bool digits = false, capitals = false;
    for (const token& t : script) {
        const bool number = t.kind == token_kind::number;
        if (!is_big(t.text) && !number) return false;
        digits = digits || number;
        capitals = capitals || is_big(t.text);
        run += t.text;
    }
    out_ += digits && capitals ? label(script) : "_{" + run + "}";
    factor_.key += "_" + run;
    return true;
}

}  // namespace ricci::papers
