// Names in commands: words, accents, alphabets of their own.
#include "check/letters.hpp"
#include "check/speller.hpp"
#include "papers/paper_words.hpp"

namespace ricci::papers {
namespace {

bool is_letter(const token& t) { return t.kind == token_kind::letter || is_greek_letter(t); }

// What stands in a wrapper within another one; else the same.
tokens unwrapped(const tokens& inner) {
    if (inner.size() > 1 && is_wrapper(inner[0].text))
        return argument_at(inner.begin() + 1, inner.end());
    return inner;
}

}  // namespace

bool name_speller::wrapped() {
    const token& t = *now_;
    const bool words = is_words_wrapper(t.text), accent = is_accent(t.text);
    if (!words && !accent && !is_wrapper(t.text)) return false;
    if (std::next(now_) == last_) not_read("nothing stands behind " + t.text);
    const tokens inner = argument_at(std::next(now_), last_);
    const token_at behind = behind_argument(std::next(now_), last_);
    if (inner.empty()) {
        now_ = behind;
        exponential_ = true;
        return true;
    }
    if (words) wrapped_words(t, inner, behind);
    else if (accent) accented(t, inner, behind);
    else in_alphabet(t, inner, behind);
    return true;
}

void name_speller::wrapped_words(const token& wrapper, const tokens& inner, token_at behind) {
    std::string plain;
    for (const token& k : inner) plain += (k.spaced && !plain.empty() ? " " : "") + k.text;
    if (wrapped_value(wrapper, plain, behind)) return;
    if (!why_word_is_prose(plain).empty()) not_computed(why_word_is_prose(plain));
    const std::string letters = letters_of(inner);
    if (plain.find(' ') != std::string::npos || letters.empty())
        not_computed("words stand in it: " + plain);
    const bool function =
        (wrapper.is("\\operatorname") || wrapper.is("\\operatorname*") || letters.size() > 3) &&
        behind != last_ && behind->is("(");
    now_ = behind;
    out_ = "\\text{" + letters + "}";
    factor_.key = letters;
    if (function) refuse_undefined_function();
}

bool name_speller::wrapped_value(const token& wrapper, const std::string& plain, token_at behind) {
    if (plain == "i" && !wrapper.is("\\operatorname")) {
        now_ = behind;
        out_ = "\\mathrm{i}";
        exponential_ = true;
        return true;
    }
    if (plain == "e" && behind != last_ && behind->kind == token_kind::up) {
        power_of_e(behind);
        return true;
    }
    const std::string f = function_of(plain);
    const bool called = behind != last_ && !(behind->is("+") || behind->is("-") || behind->is("="));
    if (f.empty() || !called) return false;
    now_ = behind;
    out_ = all_.function(f, now_, last_);
    factor_ = {};
    exponential_ = true;
    return true;
}

void name_speller::refuse_undefined_function() const {
    if (factor_.key == "tr") not_computed(why_word_is_prose("trace"));
    const auto known = all_.names_.arguments.find(factor_.key);
    // the arguments of a definition are documentation; elsewhere nothing says what it does
    if (known != all_.names_.arguments.end() && known->second.size() == 1) return;
    const tokens arguments(std::next(now_), std::prev(behind_closed(now_, last_)));
    for (const token& k : arguments)
        if (!k.is(",") && !all_.context_.indices.count(k.text))
            not_computed("a function, " + factor_.key + ", that no equation defines");
}

void name_speller::accented(const token& accent, const tokens& inner, token_at behind) {
    // \hat{\mathbf{x}} is a vector; \ddot{x} is a name
    if (inner.size() > 1) factor_.bold = is_bold_wrapper(inner[0].text);
    const tokens core = unwrapped(inner);
    const bool one = core.size() == 1 && is_letter(core[0]);
    const bool labelled =
        core.size() >= 3 && is_letter(core[0]) && core[1].kind == token_kind::down;
    if (!one && !labelled) {
        if (accent.is("\\overline") || accent.is("\\underline"))
            not_computed("a line over an expression: an average, or a conjugate");
        not_computed("an accent over an expression");
    }
    now_ = behind;
    const bool known = accent.is("\\tilde") || accent.is("\\hat") || accent.is("\\bar") ||
                       accent.is("\\dot") || accent.is("\\widetilde") || accent.is("\\widehat") ||
                       accent.is("\\overline");
    factor_.key = accent.text + "{" + core[0].text + "}";
    out_ = known ? factor_.key : all_.names_.codes->name(factor_.key);
    if (all_.names_.operators && (accent.is("\\hat") || accent.is("\\widehat")) && !factor_.bold)
        not_computed("an operator, which does not commute");
    if (labelled) lower_script(argument_at(core.begin() + 2, core.end()));
}

void name_speller::in_alphabet(const token& wrapper, const tokens& inner, token_at behind) {
    const tokens core = unwrapped(inner);
    const bool one = core.size() == 1 && is_letter(core[0]);
    if (core.size() == 1 && core[0].kind == token_kind::number)
        not_computed("vector notation: a vector of ones or zeros");
    factor_.bold = is_bold_wrapper(wrapper.text);
    if (core.size() == 1 && is_accent(core[0].text))
        not_computed("an accent that is written in a way of its own");
    const std::string letters = letters_of(core);
    if (letters.empty()) not_computed("a symbol that is written in a way of its own");
    if (wrapper.is("\\mathcal") && behind != last_ && behind->is("(") &&
        (letters == "N" || letters == "U"))
        not_computed("a distribution");
    if (wrapper.is("\\mathcal") && letters == "O") not_computed("an order of magnitude");
    now_ = behind;
    const bool both =
        one && all_.names_.plain.count(core[0].text) && all_.names_.dressed.count(core[0].text);
    if (one && !both) out_ = core[0].text;
    else if (one) out_ = all_.names_.codes->name(wrapper.text + "{" + core[0].text + "}");
    else out_ = "\\text{" + letters + "}";
    factor_.key = factor_.bold ? "\\mathbf{" + spelled(core) + "}" : spelled(core);
}

}  // namespace ricci::papers
