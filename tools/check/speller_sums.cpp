// Sums and products over indices.
#include <algorithm>

#include "check/speller.hpp"
#include "papers/paper_words.hpp"

namespace ricci::papers {

std::string speller::big_operator(token_at& now, token_at last) {
    const std::string sign = (now++)->text;
    tokens below, above;
    while (now != last && (now->kind == token_kind::down || now->kind == token_kind::up)) {
        (now->kind == token_kind::down ? below : above) = argument_at(std::next(now), last);
        now = behind_argument(std::next(now), last);
    }
    if (below.empty()) not_computed("a sum that does not say over what");
    // \sum_{i, j = 1}^{n} is a sum of sums
    const auto equals =
        std::find_if(below.cbegin(), below.cend(), [](const token& t) { return t.is("="); });
    const auto comma =
        std::find_if(below.cbegin(), equals, [](const token& t) { return t.is(","); });
    if (equals != below.cend() && comma != equals && !above.empty()) {
        product_->push_back({});
        std::string out;
        for (auto t = below.cbegin(); t != equals; ++t) {
            if (t->is(",")) continue;
            if (t->kind != token_kind::letter && !is_greek_letter(*t))
                not_computed("a sum over a set");
            out += (out.empty() ? "" : " ") + sign + "_{" + t->text + " " +
                   spelled(tokens(equals, below.cend())) + "}^{" + spelled(above) + "}";
        }
        return out;
    }
    bool letters = true;
    for (const token& t : below) {
        if (t.is("\\in") || t.is(":") || t.is("\\mid") || t.is("\\sim") || t.is("\\text") ||
            t.is("\\mathrm") || t.is("|") || t.is("\\subset"))
            not_computed("a sum over a set");
        if (t.is("\\substack") || t.kind == token_kind::row)
            not_computed("a sum with several conditions below each other");
        if (t.is("(") || t.is("\\langle")) not_computed("a sum over a set");
        letters = letters && (t.kind == token_kind::letter || is_greek_letter(t));
    }
    for (const token& t : above)
        if (t.is("\\infty")) not_computed("an infinite sum");
    product_->push_back({});
    std::string sign_behind;  // \sum_j -x is the sum of -x
    if (now != last && (now->is("-") || now->is("+")))
        sign_behind = (now++)->is("-") ? " (-1) \\cdot" : "";
    if (letters) {
        if (below.size() > 1 || above.empty()) {
            std::string out = sign + "_{";
            for (std::size_t k = 0; k < below.size(); ++k) {
                if (below[k].text.size() == 1 && below[k].text[0] >= 'A' && below[k].text[0] <= 'Z')
                    not_computed("a sum over a set");
                out += (k ? ", " : "") + below[k].text;
            }
            return out + "}" + sign_behind;
        }
        return sign + "_{" + below[0].text + "}" + sign_behind;
    }
    std::string out = sign + "_{" + spelled(below) + "}";
    if (!above.empty()) out += "^{" + spelled(above) + "}";
    return out + sign_behind;
}

}  // namespace ricci::papers
