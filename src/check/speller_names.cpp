// Names: letters and words, with accents and in alphabets, and what is in parentheses behind them.
#include <algorithm>

#include "check/letters.hpp"
#include "check/speller.hpp"
#include "papers/paper_signs.hpp"
#include "papers/paper_words.hpp"

namespace ricci::papers {

std::string name_speller::run(bool calls) {
    if (now_ == last_ || !base()) return {};
    if (exponential_) return before_ + out_;
    base_ = out_.size();
    scripts();
    out_.insert(base_, primes_);  // the notation has them before the scripts
    if (calls) call();
    if (!factor_.indexed && all_.context_.labels.count("bare:" + factor_.key))
        out_ = all_.names_.codes->name(factor_.key);
    if (!power_.empty()) out_ = factor_.indexed ? "(" + out_ + ")" + power_ : out_ + power_;
    return before_ + out_;
}

bool name_speller::base() {
    const token& t = *now_;
    if (t.kind == token_kind::letter) return letters();
    if (t.is("\\Delta") && std::next(now_) != last_) {
        // \Delta x is one name: a difference of x, and no product
        const token& of = *std::next(now_);
        if ((of.kind == token_kind::letter && of.text.size() == 1) || is_greek_letter(of)) {
            factor_.key = "\\Delta " + of.text;
            out_ = all_.names_.codes->name(factor_.key);
            std::advance(now_, 2);
            return true;
        }
    }
    if (is_greek_letter(t)) {
        out_ = factor_.key = (now_++)->text;
        return true;
    }
    if (t.is("\\hbar") || t.is("\\imath") || t.is("\\aleph") || t.is("\\wp") || t.is("\\eth") ||
        t.is("\\jmath") || t.is("\\varpi") || t.is("\\varsigma")) {
        if (t.is("\\imath")) {
            ++now_;
            out_ = "\\mathrm{i}";
            return true;
        }
        out_ = all_.names_.codes->name(t.text);
        factor_.key = (now_++)->text;
        return true;
    }
    return wrapped();
}

bool name_speller::letters() {
    std::vector<token_at> run;
    for (token_at k = now_; k != last_ && k->kind == token_kind::letter && k->text.size() == 1 &&
                            (k == now_ || !k->spaced);
         ++k)
        run.push_back(k);
    if (run.empty()) {  // a letter of another alphabet
        not_read("the letter " + now_->text + " is not read");
    }
    std::string all;
    for (const token_at k : run) all += k->text;
    const token_at behind = std::next(run.back());
    const bool scripts =
        behind != last_ && (behind->kind == token_kind::down || behind->kind == token_kind::up);
    if (all.size() > 1) {
        const std::string f = function_of(all);
        if (!f.empty()) {
            now_ = behind;
            out_ = all_.function(f, now_, last_);
            factor_ = {};
            exponential_ = true;
            return true;
        }
        if (!why_word_is_prose(all).empty()) not_computed(why_word_is_prose(all));
        const bool in_list = all_.context_.indices.count(all) > 0;
        const bool gradient = all.size() == 2 && all[0] == 'd' && is_big(all.substr(1)) && scripts;
        if (all_.names_.words.count(all) || in_list || gradient || all.size() >= 5) {
            now_ = behind;
            out_ = factor_.key = all;
            return true;
        }
        if (all.size() == 2 && all[0] == 'd' && is_small(all.substr(1)))
            not_computed("a differential");
    }
    const token& t = *now_;
    if (t.is("d") && std::next(now_) != last_ && is_greek_letter(*std::next(now_)) &&
        !std::next(now_)->spaced && all.size() == 1)
        not_computed("a differential");
    const bool power_of_e =
        t.is("e") && all_.names_.plain_e && std::next(now_) != last_ &&
        std::next(now_)->kind == token_kind::up &&
        spelled(argument_at(std::next(now_, 2), last_)).find_first_not_of("0123456789") ==
            std::string::npos;
    if (t.is("e") && all_.names_.plain_e &&
        (power_of_e || std::next(now_) == last_ || std::next(now_)->kind != token_kind::up)) {
        out_ = all_.names_.codes->name("e");
        factor_.key = "e";
        ++now_;
        return true;
    }
    if (t.is("e") && std::next(now_) != last_ && std::next(now_)->kind == token_kind::up) {
        const tokens script = argument_at(std::next(now_, 2), last_);
        now_ = behind_argument(std::next(now_, 2), last_);
        std::string first = script.empty() ? "" : spelled(script);
        if (first == "*" || first == "\\star" || first == "\\prime" || first == "(")
            not_computed("a superscript of its own");
        out_ = "e^{" + all_.expression(script.begin(), script.end()) + "}";
        factor_ = {};
        exponential_ = true;
        return true;
    }
    const bool scripted = std::next(now_) != last_ &&
                          (std::next(now_)->kind == token_kind::down ||
                           std::next(now_)->kind == token_kind::up || std::next(now_)->is("'"));
    const bool squared =
        scripted && std::next(now_)->kind == token_kind::up &&
        spelled(argument_at(std::next(now_, 2), last_)).find_first_not_of("0123456789") ==
            std::string::npos;
    if (t.is("i") && squared && !all_.context_.indices.count("i")) {
        ++now_;
        out_ = "(\\mathrm{i})" + all_.power(now_, last_);
        exponential_ = true;
        return true;
    }
    if (t.is("i") && !scripted) {
        ++now_;
        if (all_.context_.indices.count("i")) {
            out_ = "i";  // its position
            factor_ = {};
        } else {
            out_ = "\\mathrm{i}";
        }
        exponential_ = true;
        return true;
    }
    out_ = factor_.key = (now_++)->text;
    return true;
}

bool name_speller::wrapped() {
    const token& t = *now_;
    const bool words = is_words_wrapper(t.text), dress = is_wrapper(t.text),
               accent = is_accent(t.text);
    if (!words && !dress && !accent) return false;
    if (std::next(now_) == last_) not_read("nothing stands behind " + t.text);
    const tokens inner = argument_at(std::next(now_), last_);
    const token_at behind = behind_argument(std::next(now_), last_);
    if (inner.empty()) {
        now_ = behind;
        exponential_ = true;
        return true;
    }
    if (words) {
        std::string plain;
        for (const token& k : inner) plain += (k.spaced && !plain.empty() ? " " : "") + k.text;
        if (plain == "i" && !t.is("\\operatorname")) {
            now_ = behind;
            out_ = "\\mathrm{i}";
            exponential_ = true;
            return true;
        }
        if (plain == "e" && behind != last_ && behind->kind == token_kind::up) {
            const tokens script = argument_at(std::next(behind), last_);
            now_ = behind_argument(std::next(behind), last_);
            out_ = "e^{" + all_.expression(script.begin(), script.end()) + "}";
            exponential_ = true;
            return true;
        }
        if (const std::string f = function_of(plain); !f.empty()) {
            const bool called =
                behind != last_ && !(behind->is("+") || behind->is("-") || behind->is("="));
            if (called) {
                now_ = behind;
                out_ = all_.function(f, now_, last_);
                factor_ = {};
                exponential_ = true;
                return true;
            }
        }
        if (!why_word_is_prose(plain).empty()) not_computed(why_word_is_prose(plain));
        const std::string letters = letters_of(inner);
        if (plain.find(' ') != std::string::npos || letters.empty())
            not_computed("words stand in it: " + plain);
        const bool function =
            (t.is("\\operatorname") || t.is("\\operatorname*") || letters.size() > 3) &&
            behind != last_ && behind->is("(");
        now_ = behind;
        out_ = "\\text{" + letters + "}";
        factor_.key = letters;
        if (function) {
            const auto known = all_.names_.arguments.find(letters);
            // the arguments of a definition are documentation; elsewhere nothing says what it does
            if (known == all_.names_.arguments.end() || known->second.size() != 1) {
                const tokens arguments(std::next(now_), std::prev(behind_group(now_, last_)));
                for (const token& k : arguments)
                    if (!k.is(",") && !all_.context_.indices.count(k.text))
                        not_computed("a function, " + letters + ", that no equation defines");
            }
        }
        return true;
    }
    if (accent) {
        // \hat{\mathbf{x}} is a vector; \ddot{x} is a name
        tokens core = inner;
        if (core.size() > 1 && is_wrapper(core[0].text)) {
            factor_.bold = is_bold_wrapper(core[0].text);
            core = argument_at(core.begin() + 1, core.end());
        }
        const bool one =
            core.size() == 1 && (core[0].kind == token_kind::letter || is_greek_letter(core[0]));
        const bool labelled = core.size() >= 3 &&
                              (core[0].kind == token_kind::letter || is_greek_letter(core[0])) &&
                              core[1].kind == token_kind::down;
        if (!one && !labelled) {
            if (t.is("\\overline") || t.is("\\underline"))
                not_computed("a line over an expression: an average, or a conjugate");
            not_computed("an accent over an expression");
        }
        const std::string letter = core[0].text;
        now_ = behind;
        const bool known = t.is("\\tilde") || t.is("\\hat") || t.is("\\bar") || t.is("\\dot") ||
                           t.is("\\widetilde") || t.is("\\widehat") || t.is("\\overline");
        out_ = known ? t.text + "{" + letter + "}"
                     : all_.names_.codes->name(t.text + "{" + letter + "}");
        factor_.key = t.text + "{" + letter + "}";
        if (all_.names_.operators && (t.is("\\hat") || t.is("\\widehat")) && !factor_.bold)
            not_computed("an operator, which does not commute");
        if (labelled) {
            const tokens script = argument_at(core.begin() + 2, core.end());
            lower_script(script);
        }
        return true;
    }
    // bold, script and their like
    tokens core = inner;
    if (core.size() > 1 && is_wrapper(core[0].text))
        core = argument_at(core.begin() + 1, core.end());
    const bool one =
        core.size() == 1 && (core[0].kind == token_kind::letter || is_greek_letter(core[0]));
    const bool number = core.size() == 1 && core[0].kind == token_kind::number;
    if (number) not_computed("vector notation: a vector of ones or zeros");
    factor_.bold = is_bold_wrapper(t.text);
    if (core.size() == 1 && is_accent(core[0].text))
        not_computed("an accent that is written in a way of its own");
    const std::string letters = letters_of(core);
    if (letters.empty()) not_computed("a symbol that is written in a way of its own");
    if (t.is("\\mathcal") && behind != last_ && behind->is("(") &&
        (letters == "N" || letters == "U"))
        not_computed("a distribution");
    if (t.is("\\mathcal") && letters == "O") not_computed("an order of magnitude");
    now_ = behind;
    const bool both =
        one && all_.names_.plain.count(core[0].text) && all_.names_.dressed.count(core[0].text);
    if (one && !both) out_ = core[0].text;
    else if (one) out_ = all_.names_.codes->name(t.text + "{" + core[0].text + "}");
    else out_ = "\\text{" + letters + "}";
    factor_.key = factor_.bold ? "\\mathbf{" + spelled(core) + "}" : spelled(core);
    return true;
}

void name_speller::call() {
    if (now_ != last_ && now_->is("[") && !factor_.indexed && power_.empty() &&
        (all_.context_.left || !now_->spaced)) {
        const token_at end = behind_group(now_, last_);
        if (factor_.key == "E" || factor_.key == "P" || factor_.key == "Var")
            not_computed(why_prose("\\mathbb"));
        if (all_.context_.left && end == last_ && end - now_ == 3)
            now_ = end;  // a functional, with what it is of
        else if (end - now_ <= 3) not_computed("a functional, that no equation defines");
        return;
    }
    if (now_ == last_ || !now_->is("(") || !power_.empty()) return;
    const token_at end = behind_group(now_, last_);
    if (!closes(*std::prev(end)) || std::prev(end) == now_)
        not_read("a bracket is opened and not closed");
    const tokens inside(std::next(now_), std::prev(end));
    if (inside.empty()) not_computed("a function of nothing");
    bool letters = true, indices = true, conditional = false, arithmetic = false;
    int depth = 0;
    for (const token& t : inside) {
        if (depth == 0)
            conditional = conditional || t.is("|") || t.is("\\mid") || t.is("\\|") || t.is(";") ||
                          t.is("\\parallel") || t.is(":");
        if (opens(t)) ++depth;
        if (closes(t)) --depth;
        if (t.is(",")) continue;
        if (t.is("+") || t.is("-")) {
            arithmetic = true;
            continue;
        }
        const bool letter = is_small(t.text) || is_greek_letter(t);
        letters = letters && letter;
        indices = indices && ((letter && all_.context_.indices.count(t.text)) ||
                              (t.kind == token_kind::number && factor_.indexed));
    }
    if (conditional) not_computed("conditional on something");
    const bool list =
        std::any_of(inside.begin(), inside.end(), [](const token& t) { return t.is(","); });
    if (indices && (!arithmetic || factor_.indexed)) {
        // R^{ab}(i) is R^{abi}; (j - i) is one place
        std::string places;
        if (arithmetic) places = "(" + spelled(inside) + ")";
        else
            for (const token& t : inside)
                places += t.is(",") ? "" : t.text + (t.is_command() ? " " : "");
        if (!out_.empty() && out_.back() == '}' && factor_.indexed)
            out_.insert(out_.size() - 1, places);
        else out_ += "^{" + places + "}";
        factor_.indexed = true;
        now_ = end;
        return;
    }
    if (factor_.key == "o" || factor_.key == "O") not_computed("an order of magnitude");
    const auto known = all_.names_.arguments.find(factor_.key);
    for (const token& t : inside)
        if (t.is("\\ldots") || t.is("\\dots") || t.is("\\cdots"))
            not_computed(why_prose("\\ldots"));
    const bool several =
        std::any_of(inside.begin(), inside.end(), [](const token& t) { return t.is(","); });
    bool plain = true;  // names and commas alone
    for (const token& t : inside)
        plain =
            plain && (t.kind == token_kind::letter || is_greek_letter(t) || t.is(",") ||
                      is_wrapper(t.text) || is_accent(t.text) || is_words_wrapper(t.text) ||
                      t.is("\\hbar") || t.kind == token_kind::open || t.kind == token_kind::close ||
                      t.kind == token_kind::down || t.is("'") || t.kind == token_kind::number);
    if (known != all_.names_.arguments.end() && known->second.size() == 1 && plain &&
        (letters || !factor_.indexed)) {
        // written so everywhere: what it depends on is said, and nothing else
        now_ = end;
        return;
    }
    if (all_.context_.left && plain && (several || !letters) && end == last_) {
        // what a left side is made of, said in parentheses
        now_ = end;
        return;
    }
    const bool function = all_.names_.applied.count(factor_.key) > 0 || is_usual_function() || list;
    if (function && (factor_.indexed || list || !all_.names_.called.count(factor_.key)))
        value_at(inside);
}

/// Letters that are functions nearly always, where no left side of the document says what they are.
bool name_speller::is_usual_function() const {
    static const std::set<std::string> functions = {
        "f", "g", "h", "F", "G", "\\phi", "\\psi", "\\sigma", "\\rho", "\\varphi"};
    return !all_.context_.left && functions.count(factor_.key) > 0 &&
           !all_.names_.called.count(factor_.key) &&
           !(now_->spaced && is_big(factor_.key));  // B F' (F F')^{-1}
}

/// \rho(x/y) of a function that no equation defines is a number of its own, the same wherever the
/// same stands in the parentheses; where indices stand there, one for each of their values.
void name_speller::value_at(const tokens& inside) {
    std::string key = out_.substr(0, base_) + "(";
    std::vector<std::string> axes;
    for (auto t = inside.begin(); t != inside.end(); ++t) {
        if (t->is("\\sum") || t->is("\\prod") || relation_of(*t) || t->kind == token_kind::align)
            not_computed("a function, " + factor_.key +
                         ", at a place where no equation says what it is");
        if (!all_.context_.indices.count(t->text)) {
            key += t->text + " ";
            continue;
        }
        auto axis = std::find(axes.begin(), axes.end(), t->text);
        key += "#" + std::to_string(axis - axes.begin()) + " ";
        if (axis == axes.end()) axes.push_back(t->text);
    }
    const std::string scripts = out_.substr(base_);
    out_ = all_.names_.codes->value(key, out_.substr(0, base_) + "(" + spelled(inside) + ")") +
           scripts;
    if (!axes.empty()) {
        out_ += "_{";
        for (const std::string& i : axes) out_ += i + " ";
        out_.back() = '}';
        factor_.indexed = true;
    }
    now_ = behind_group(now_, last_);
    if (std::string raised = all_.power(now_, last_); !raised.empty()) {
        power_ = std::move(raised);
        factor_.indexed = true;  // it is written in brackets
    }
    all_.doubt("what no equation defines is the same only where it is written alike");
}

}  // namespace ricci::papers
