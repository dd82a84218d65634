// What stands above a name: exponents, indices, labels.
#include <algorithm>

#include "check/letters.hpp"
#include "check/speller.hpp"
#include "papers/paper_words.hpp"

namespace ricci::papers {
namespace {

bool is_transposition(const std::string& s) {
    return s == "T" || s == "\\top" || s == "\\dagger" || s == "\\intercal" || s == "\\mathsf{T}" ||
           s == "\\mathrm{T}" || s == "-T" || s == "{\\top}" || s == "\\dag" || s == "\\text{T}" ||
           s == "\\mathsf T" || s == "-\\top" || s == "\\prime T";
}

}  // namespace

void name_speller::upper_script(const tokens& whole) {
    tokens script = whole;
    while (script.size() > 1 && script.front().is("\\prime")) {
        primes_ += "'";
        script.erase(script.begin());
    }
    const std::string s = spelled(script);
    refuse_matrices(s);
    if (place_beyond_edges(script, '^') || sign_above(script, s) || words_above(script) ||
        parentheses_above(script, s) || power_above(script, s))
        return;
    for (const token& t : script)
        if (t.kind == token_kind::up ||
            (t.kind == token_kind::symbol && !t.is("(") && !t.is(")") && !t.is("+") && !t.is("-") &&
             !t.is(",") && !t.is("'") && !t.is("*")))
            not_computed("a superscript of its own");
    out_ += "^{" + s + "}";
    factor_.indexed = true;
}

// A^T, A^H, A^{-1}
void name_speller::refuse_matrices(const std::string& s) const {
    if (is_transposition(s)) not_computed(transposition);
    const bool big = !factor_.key.empty() && factor_.key[0] >= 'A' && factor_.key[0] <= 'Z';
    if (s == "H" && (big || factor_.bold)) not_computed(transposition);
    if (s == "-1" && !factor_.indexed && (factor_.bold || (big && all_.names_.any_matrix)))
        not_computed(inverse_matrix);
}

// x^*, x^{\prime}
bool name_speller::sign_above(const tokens& script, const std::string& s) {
    if (s == "+" || s == "-" || s == "\\pm") not_computed("a superscript of its own");
    if (s == "*" || s == "\\star" || s == "\\ast" || s == "\\dagger") {
        out_ += "^{" + all_.names_.codes->name("*") + "}";
        factor_.key += "^*";
        return true;
    }
    if (s == "\\circ" || s == "\\degree") not_computed("degrees of an angle");
    if (s.find_first_not_of("\\prime ") != std::string::npos) return false;
    std::size_t count = 0;
    for (const token& t : script) count += t.is("\\prime");
    primes_.append(count, '\'');
    return count > 0;
}

// x^{\text{old}}
bool name_speller::words_above(const tokens& script) {
    bool words = false;
    for (const token& t : script) {
        words = words || is_words_wrapper(t.text);
        if (t.is("\\ldots") || t.is("\\dots") || t.is("\\infty") || t.is("\\otimes") ||
            t.is("\\perp"))
            not_computed("a superscript of its own");
    }
    if (!words) return false;
    const std::string name = letters_of(tokens(std::next(script.begin()), script.end()));
    if (name.empty()) not_computed("a label of signs");
    out_ += "^{\\text{" + name + "}}";
    factor_.key += "^" + name;
    return true;
}

// x^{(1)}, x^{(l-1)}, x^{(i)}
bool name_speller::parentheses_above(const tokens& script, const std::string& s) {
    if (script.size() < 3 || !script.front().is("(") || !script.back().is(")")) return false;
    const tokens inner(std::next(script.begin()), std::prev(script.end()));
    const std::string& first = inner[0].text;
    if (inner.size() == 1 && (inner[0].kind == token_kind::number || is_big(first))) {
        out_ += "^{\\text{" + first + "}}";
        factor_.key += "^" + first;
        return true;
    }
    // a layer or a step of which another is named, (l) beside (l-1), belongs to the name
    if (all_.names_.layers.count(first)) {
        const std::string layered = all_.names_.codes->name(out_.substr(0, base_) + "^{" + s + "}");
        out_.replace(0, base_, layered);
        base_ = layered.size();
        factor_.key += "^" + s;
        return true;
    }
    if (inner.size() != 1) return false;
    out_ += "^{" + first + "}";
    factor_.indexed = true;
    return true;
}

// x^2, x^n, x^{k+1}, where the letters are no indices elsewhere
bool name_speller::power_above(const tokens& script, const std::string& s) {
    if (script.size() == 1 && is_big(script[0].text)) {
        power_ = "^{" + script[0].text + "}";
        return true;
    }
    bool arithmetic = false, comma = false, known = false;
    for (const token& t : script) {
        arithmetic = arithmetic || t.is("+") || t.is("-") || t.is("/") || t.is("\\frac") ||
                     t.is("\\cdot") || t.is("*");
        comma = comma || t.is(",");
        known = known || all_.context_.indices.count(t.text) > 0;
    }
    if (arithmetic && !known && !comma) {
        power_ = "^{" + all_.expression(script.begin(), script.end()) + "}";
        return true;
    }
    if (script.size() != 1) return false;
    const bool digits = script[0].kind == token_kind::number;
    if (digits && s.size() > 1 && all_.names_.indexed.count(factor_.key))
        not_computed("digits above a name that has indices elsewhere: places, or a power");
    const bool number = !factor_.indexed && all_.names_.numbers.count(factor_.key) &&
                        !all_.names_.lowered.count(factor_.key) && is_greek_letter(*start_);
    if (!digits && !all_.context_.labels.count(s) && !all_.names_.exponents.count(s) && !number &&
        (known || (!is_small(s) && !is_greek_letter(script[0]))))
        return false;
    power_ = "^{" + s + "}";
    return true;
}

}  // namespace ricci::papers
