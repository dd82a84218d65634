// What stands in parentheses behind a name: its places, what it depends on, or where it is taken.
#include <algorithm>

#include "check/letters.hpp"
#include "check/speller.hpp"
#include "papers/paper_signs.hpp"
#include "papers/paper_words.hpp"

namespace ricci::papers {
namespace {

bool has_comma(const tokens& list) {
    return std::any_of(list.begin(), list.end(), [](const token& t) { return t.is(","); });
}

// Names with commas between them.
bool is_list_of_names(const tokens& list) {
    for (auto t = list.begin(); t != list.end() && std::next(t) != list.end(); ++t) {
        const bool greek = is_greek_letter(*t) || is_greek_letter(*std::next(t));
        const auto is_name = [](const token& u) {
            return u.kind == token_kind::letter || is_greek_letter(u);
        };
        if (greek && is_name(*t) && is_name(*std::next(t))) return false;  // \alpha \beta
    }
    return std::all_of(list.begin(), list.end(), [](const token& t) {
        return t.kind == token_kind::letter || is_greek_letter(t) || t.is(",") ||
               is_wrapper(t.text) || is_accent(t.text) || is_words_wrapper(t.text) ||
               t.is("\\hbar") || t.kind == token_kind::open || t.kind == token_kind::close ||
               t.kind == token_kind::down || t.is("'") || t.kind == token_kind::number;
    });
}

bool is_conditional(const tokens& list) {
    int depth = 0;
    bool value = false;  // within |x|
    for (auto at = list.begin(); at != list.end(); ++at) {
        const token& t = *at;
        const bool begins = at == list.begin() || std::prev(at)->is("+") ||
                            std::prev(at)->is("-") || std::prev(at)->is("\\cdot") ||
                            std::prev(at)->is("/");
        if (depth == 0 && t.is("|") && (value || begins)) {
            value = !value;
            continue;
        }
        if (depth == 0 && (t.is("|") || t.is("\\mid") || t.is("\\|") || t.is(";") ||
                           t.is("\\parallel") || t.is(":")))
            return true;
        if (opens(t)) ++depth;
        if (closes(t)) --depth;
    }
    return false;
}

}  // namespace

void name_speller::call() {
    if (functional()) return;
    if (now_ == last_ || !now_->is("(") || !power_.empty()) return;
    const token_at end = behind_closed(now_, last_);
    const tokens inside(std::next(now_), std::prev(end));
    if (inside.empty()) not_computed("a function of nothing");
    if (is_conditional(inside)) not_computed("conditional on something");
    bool letters = true, indices = true, arithmetic = false;
    for (const token& t : inside) {
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
    if (indices && (!arithmetic || factor_.indexed)) {
        add_places(inside, arithmetic);
        now_ = end;
        return;
    }
    if (factor_.key == "o" || factor_.key == "O") not_computed("an order of magnitude");
    for (const token& t : inside)
        if (t.is("\\ldots") || t.is("\\dots") || t.is("\\cdots"))
            not_computed(why_prose("\\ldots"));
    const auto known = all_.names_.arguments.find(factor_.key);
    const bool list = has_comma(inside), plain = is_list_of_names(inside);
    // written so everywhere, what it depends on is said and nothing else
    const bool always = known != all_.names_.arguments.end() && known->second.size() == 1 &&
                        plain && (letters || !factor_.indexed);
    // what a left side is made of, said in parentheses
    const bool made_of = all_.context_.left && plain && (list || !letters) && end == last_;
    if (always || made_of) {
        now_ = end;
        return;
    }
    // g^{ij} (\partial_k h) is a product
    for (const token& t : inside)
        if (t.is("\\partial")) return;
    const bool function = all_.names_.applied.count(factor_.key) > 0 || is_usual_function() || list;
    if (function && (factor_.indexed || list || !all_.names_.called.count(factor_.key)))
        value_at(inside);
}

/// S[q]: what a functional is of may be said on the left, and is not computed.
bool name_speller::functional() {
    if (now_ == last_ || !now_->is("[") || factor_.indexed || !power_.empty() ||
        (!all_.context_.left && now_->spaced))
        return false;
    const token_at end = behind_group(now_, last_);
    if (factor_.key == "E" || factor_.key == "P" || factor_.key == "Var")
        not_computed(why_prose("\\mathbb"));
    if (all_.context_.left && end == last_ && end - now_ == 3) now_ = end;
    else if (end - now_ <= 3) not_computed("a functional, that no equation defines");
    return true;
}

/// R^{ab}(i) is R^{abi}; (j - i) is one place.
void name_speller::add_places(const tokens& inside, bool arithmetic) {
    std::string places;
    if (arithmetic) places = "(" + spelled(inside) + ")";
    else
        for (const token& t : inside)
            places += t.is(",") ? "" : t.text + (t.is_command() ? " " : "");
    if (!out_.empty() && out_.back() == '}' && factor_.indexed)
        out_.insert(out_.size() - 1, places);
    else out_ += "^{" + places + "}";
    factor_.indexed = true;
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
