// Fractions, and derivatives, which are written as fractions.
#include <algorithm>

#include "check/speller.hpp"
#include "check/text_reading.hpp"
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

// The order that stands above the d, at `t`, which is moved behind it.
int order_at(token_at& t, token_at last) {
    if (t == last || t->kind != token_kind::up) return 1;
    const std::string order = spelled(argument_at(std::next(t), last));
    t = behind_argument(std::next(t), last);
    if (order.empty() || order == "1") return 1;
    if (order < "2" || order > "4" || order.size() > 1)
        not_computed("a derivative of higher order");
    return order[0] - '0';
}

/// Whether a sign begins what stands behind another sign: a \cdot -b.
bool is_sign_of_operator(token_at sign) {
    const token& before = *std::prev(sign);
    return before.is("\\cdot") || before.is("\\times") || before.is("/") || before.is("*");
}

// A name below a derivative.
struct variable {
    tokens name;
    int times = 1;  // \partial x^2, below a second derivative
};

// Reads a name up to the next d.
variable variable_at(token_at& now, token_at last, int order) {
    variable read;
    for (const token_at first = now; now != last && !(is_d_at(now, last) && now != first);) {
        const bool up = now->kind == token_kind::up;
        const bool script = (up || now->kind == token_kind::down) && std::next(now) != last;
        const std::string above = script && up ? spelled(argument_at(std::next(now), last)) : "";
        const bool number = above.size() == 1 && above[0] >= '2' && above[0] <= '9';
        if (script && !(number && order > 1)) {
            // an index of the name may be a d
            const auto behind = behind_argument(std::next(now), last);
            read.name.insert(read.name.end(), now, behind);
            now = behind;
        } else if (script) {
            read.times = above[0] - '0';
            now = behind_argument(std::next(now), last);
        } else {
            read.name.push_back(*now++);
        }
    }
    return read;
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
    auto t = behind_d(above.begin(), above.end());
    const int order = order_at(t, above.end());
    factor whole;
    // that of a logarithm is written out
    const bool logarithm = order == 1 && t != above.end() && (t->is("\\log") || t->is("\\ln")) &&
                           std::next(t) != above.end();
    const std::string of = t == above.end()
                               ? differentiated_behind(now, last)
                               : differentiated(logarithm ? std::next(t) : t, above.end(), whole);
    std::vector<std::string> by;
    for (auto k = below.begin(); k != below.end();) {
        if (!is_d_at(k, below.end()))
            not_computed("a derivative that is written in a way of its own");
        k = behind_d(k, below.end());
        if (k == below.end()) not_read("nothing stands behind \\partial");
        const variable one = variable_at(k, below.end(), order);
        const std::string spelt = differentiated_by(one.name);
        by.insert(by.end(), static_cast<std::size_t>(one.times), spelt);
        if (total) totals_.insert(spelt);
    }
    if (by.size() != static_cast<std::size_t>(order))
        not_computed("a derivative of another order above than below");
    if (now != last && now->kind == token_kind::down)
        not_computed("a derivative that says what is held fixed");
    product_->push_back(whole);
    std::string out = repeated(of, by);
    if (logarithm) out = "\\frac{1}{" + of + "} " + out;
    const std::string raised = power(now, last);
    return raised.empty() ? out : "(" + out + ")" + raised;
}

/// A derivative by several names, two of them at once, as the notation writes them.
std::string speller::repeated(const std::string& of, const std::vector<std::string>& by) {
    std::string name = of, out;
    for (std::size_t k = 0; k < by.size(); k += 2) {
        if (k > 0) name = value_named(out, out);
        const bool two = k + 1 < by.size();
        out = (two ? "\\frac{\\partial^2 " : "\\frac{\\partial ") + name + "}{\\partial " + by[k];
        out += two ? " \\partial " + by[k + 1] + "}" : "}";
    }
    return out;
}

/// \frac{d}{dx} f: what stands behind is differentiated, up to the next sign.
std::string speller::differentiated_behind(token_at& now, token_at last) {
    if (now == last) not_computed(why_prose("\\partial"));
    const token_at first = now;
    int depth = 0;
    for (; now != last; ++now) {
        const bool sign = now->is("+") || now->is("-");
        if (depth == 0 && now != first && sign && !is_sign_of_operator(now)) break;
        if (opens(*now) || now->kind == token_kind::open) ++depth;
        if ((closes(*now) || now->kind == token_kind::close) && --depth < 0) break;
    }
    token_at name_end = first;
    {
        name_speller name(*this, name_end, now);
        std::string of = name.run();
        if (!of.empty() && !name.raised() && name_end == now && is_single_name(of)) return of;
    }
    // (x^2) y: of the bracket, or of both
    if (first->is("(") && behind_group(first, last) != now)
        not_read("a derivative in front of a bracket and more: put brackets around all of it");
    return value_of(first, now);
}

/// The name above, from `now` on, or one for what stands there.
std::string speller::differentiated(token_at now, token_at last, factor& whole) {
    const token_at first = now;
    name_speller name(*this, now, last);
    std::string of = name.run();
    whole.bold = name.what().bold;
    if (of.empty() || now != last || name.raised()) return value_of(first, last);
    if (!name.what().indexed && (names_.is_matrix(name.what().key) || name.what().bold))
        not_computed("matrix notation: a derivative without indices");
    return of;
}

/// A name for an expression, with the indices that this leaves open, as the notation differentiates
/// names alone.
std::string speller::value_of(token_at first, token_at last) {
    std::vector<factor> product;
    std::vector<factor>* const outer = product_;
    product_ = &product;
    const std::string expression_spelt = expression(first, last);
    product_ = outer;
    if (expression_spelt.empty()) not_computed(why_prose("\\partial"));
    return value_named(spelled(tokens(first, last)), expression_spelt);
}
std::string speller::value_named(const std::string& as, const std::string& expression_spelt) {
    const std::string name = name_with(names_.codes->name(as), open_indices(expression_spelt));
    values_ += name + " = " + expression_spelt + "\n";
    return name;
}

/// A name below.
std::string speller::differentiated_by(const tokens& list) {
    auto now = list.cbegin();
    name_speller name(*this, now, list.cend());
    std::string by = name.run();
    if (by.empty() || now != list.cend() || name.raised())
        not_computed("a derivative by an expression, and not by a name");
    const factor& read = name.what();
    const auto elsewhere = names_.indexed.find(read.key);
    const bool capital = !read.key.empty() && read.key[0] >= 'A' && read.key[0] <= 'Z';
    if (!read.indexed && (names_.is_matrix(read.key) || read.bold ||
                          (capital && elsewhere != names_.indexed.end() && elsewhere->second > 1)))
        not_computed("matrix notation: a derivative without indices");
    return by;
}

}  // namespace ricci::papers
