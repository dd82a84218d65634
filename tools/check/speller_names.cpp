// Names: letters, and words made of letters that stand together.
#include <algorithm>

#include <ricci/detail/letters.hpp>

#include "check/letters.hpp"
#include "check/speller.hpp"
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
    square_of_its_own();
    // with letters the notation would read places
    const bool letters = std::any_of(power_.begin(), power_.end(), detail::is_ascii_letter);
    if (!power_.empty())
        out_ = factor_.indexed || letters ? "(" + out_ + ")" + power_ : out_ + power_;
    return before_ + out_;
}

/// \sigma_i^2 is a name where an equation says what it is; \sigma_i^4 is its square.
void name_speller::square_of_its_own() {
    if (all_.names_.squares.count(factor_.key) == 0 || power_.size() != 4 ||
        (power_[2] != '2' && power_[2] != '4'))
        return;
    const std::string scripts = out_.substr(base_ + primes_.size());
    out_ = all_.names_.codes->name(out_.substr(0, base_ + primes_.size()) + "^2") + scripts;
    power_ = power_[2] == '4' ? "^{2}" : "";
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
    std::string all;
    for (token_at k = now_; k != last_ && k->kind == token_kind::letter && k->text.size() == 1 &&
                            (k == now_ || !k->spaced);
         ++k)
        all += k->text;
    if (all.empty()) {  // a letter of another alphabet
        not_read("the letter " + now_->text + " is not read");
    }
    if (all.size() > 1 && word(all)) return true;
    if (now_->is("d") && std::next(now_) != last_ && is_greek_letter(*std::next(now_)) &&
        !std::next(now_)->spaced && all.size() == 1)
        not_computed("a differential");
    if (letter_e() || letter_i()) return true;
    out_ = factor_.key = (now_++)->text;
    const bool scripted = now_ != last_ && now_->kind == token_kind::down;
    if (scripted && all_.names_.counts.count(out_)) out_ = all_.names_.codes->name(out_);
    return true;
}

bool name_speller::word(const std::string& all) {
    const token_at behind = std::next(now_, static_cast<std::ptrdiff_t>(all.size()));
    if (const std::string f = function_of(all); !f.empty()) {
        now_ = behind;
        out_ = all_.function(f, now_, last_);
        factor_ = {};
        exponential_ = true;
        return true;
    }
    if (!why_word_is_prose(all).empty()) not_computed(why_word_is_prose(all));
    const bool scripts =
        behind != last_ && (behind->kind == token_kind::down || behind->kind == token_kind::up);
    const bool in_list = all_.context_.indices.count(all) > 0;
    const bool gradient = all.size() == 2 && all[0] == 'd' && is_big(all.substr(1)) && scripts;
    if (all_.names_.words.count(all) || in_list || gradient || all.size() >= 5) {
        now_ = behind;
        out_ = factor_.key = all;
        return true;
    }
    if (all.size() == 2 && all[0] == 'd' && is_small(all.substr(1))) not_computed("a differential");
    return false;
}

bool name_speller::has_whole_power() const {
    const token_at up = std::next(now_);
    return up != last_ && up->kind == token_kind::up &&
           spelled(argument_at(std::next(up), last_)).find_first_not_of("0123456789") ==
               std::string::npos;
}

bool name_speller::letter_e() {
    if (!now_->is("e")) return false;
    const token_at up = std::next(now_);
    const bool raised = up != last_ && up->kind == token_kind::up;
    if (of_basis(up)) return true;
    if (all_.names_.plain_e && (!raised || has_whole_power())) {
        out_ = all_.names_.codes->name("e");
        factor_.key = "e";
        ++now_;
        return true;
    }
    if (!raised) return false;
    const std::string above = spelled(argument_at(std::next(up), last_));
    if (above == "*" || above == "\\star" || above == "\\prime" || above == "(")
        not_computed("a superscript of its own");
    power_of_e(up);
    return true;
}

/// e^1 and e^2 of a page that has no exponential, and e^i beside e_i: vectors.
bool name_speller::of_basis(token_at up) {
    const bool raised = up != last_ && up->kind == token_kind::up;
    if (!all_.names_.basis_e && !all_.names_.raised_e) return false;
    if (all_.names_.basis_e && raised && has_whole_power()) {
        factor_.key = "e^" + spelled(argument_at(std::next(up), last_));
        out_ = all_.names_.codes->name(factor_.key);
        now_ = behind_argument(std::next(up), last_);
        return true;
    }
    const std::string above = raised ? spelled(argument_at(std::next(up), last_)) : "";
    if (raised && all_.context_.indices.count(above) == 0) return false;
    out_ = all_.names_.codes->name("e");
    factor_.key = "e";
    ++now_;
    return true;
}

void name_speller::power_of_e(token_at up) {
    const tokens script = argument_at(std::next(up), last_);
    now_ = behind_argument(std::next(up), last_);
    out_ = "e^{" + all_.expression(script.begin(), script.end()) + "}";
    factor_ = {};
    exponential_ = true;
}

bool name_speller::letter_i() {
    if (!now_->is("i")) return false;
    const token_at behind = std::next(now_);
    const bool scripted = behind != last_ && (behind->kind == token_kind::down ||
                                              behind->kind == token_kind::up || behind->is("'"));
    const bool index = all_.context_.indices.count("i") > 0;
    if (!index && has_whole_power()) {
        ++now_;
        out_ = "(\\mathrm{i})" + all_.power(now_, last_);
        exponential_ = true;
        return true;
    }
    if (scripted) return false;
    ++now_;
    const bool position = index && !all_.context_.imaginary;
    if (position) all_.doubt("i is an index here, and may be the imaginary unit");
    all_.position_ = all_.position_ || position;
    out_ = position ? "i" : "\\mathrm{i}";  // an index by itself is its position
    factor_ = {};
    exponential_ = true;
    return true;
}

}  // namespace ricci::papers
