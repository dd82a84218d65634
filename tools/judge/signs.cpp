// Linear inequalities by elimination, Gauss' for equations and Fourier's for the others.
#include "judge/signs.hpp"

#include <algorithm>
#include <utility>

#include <ricci/ir/normal.hpp>

namespace ricci::judge {
namespace {

constexpr std::size_t most_forms = 200;
constexpr int bits_of_a_fact = 400;
constexpr std::int64_t steps_of_a_fact = 4000;

rational as_rational(const ir::quotient& q) { return {integer(q.above()), integer(q.below())}; }
bool is_exponential(const ir::node& x) {
    return x.kind == ir::op::apply && x.detail == static_cast<std::uint8_t>(ir::function::exp);
}

}  // namespace

bool sign_facts::is_above_zero(const ir::program& p, const ir::normal_factor& f) const {
    const ir::node& x = p.nodes[f.atom];
    return ir::is_number_factor(p, f) || is_exponential(x) ||
           (x.kind == ir::op::tensor &&
            std::find(positive_.begin(), positive_.end(), x.name) != positive_.end());
}

std::size_t sign_facts::number_of(ir::program& p, ir::ref product) {
    ir::normaliser normal(p, steps_of_a_fact);
    for (std::size_t k = 0; k < products_.size(); ++k)
        if (normal.equal(products_[k], product)) return k;
    products_.push_back(product);
    const ir::normal_sum sum = normal.normalise(product);
    bool even = sum.size() == 1 && sum[0].bound.empty(), positive = even;
    for (std::int32_t f = 0; even && f < sum[0].factors.size(); ++f) {
        const ir::normal_factor& factor = sum[0].factors[f];
        const bool above = is_above_zero(p, factor);
        const bool square = factor.exponent.is_whole() && factor.exponent.above() % 2 == 0;
        positive = positive && above;
        even = above || square;
    }
    if (even) {
        form f;
        f.factors.resize(products_.size());
        f.factors.back() = rational(1);
        f.relation = positive ? relation::positive : relation::not_negative;
        of_products_.push_back(std::move(f));
    }
    return products_.size() - 1;
}

sign_facts::form sign_facts::form_of(ir::program& p, ir::ref n, int sign) {
    form out;
    out.relation = sign == 0 ? relation::zero : relation::positive;
    ir::normaliser normal(p, steps_of_a_fact);
    const ir::normal_sum sum = normal.normalise(n);
    out.known = !normal.gave_up();
    for (std::int32_t k = 0; out.known && k < sum.size(); ++k) {
        rational c = as_rational(sum[k].coefficient);
        if (sign < 0) c = -c;
        if (sum[k].factors.empty() && sum[k].bound.empty()) {
            out.constant = out.constant + c;
            continue;
        }
        ir::normal_sum alone;
        ir::normal_term t = sum[k];
        t.coefficient = 1;
        alone.push(std::move(t));
        const std::size_t at = number_of(p, normal.to_node(alone));
        if (out.factors.size() <= at) out.factors.resize(at + 1);
        out.factors[at] = out.factors[at] + c;
    }
    return out;
}

void sign_facts::assume(ir::program& p, ir::ref n, int sign) {
    facts_.push_back(form_of(p, n, sign));
}

bool sign_facts::exclude(ir::program& p, ir::ref n, int sign) {
    std::vector<form> all{form_of(p, n, sign)};
    all.insert(all.end(), facts_.begin(), facts_.end());
    all.insert(all.end(), of_products_.begin(), of_products_.end());
    std::erase_if(all, [](const form& f) { return !f.known; });
    for (form& f : all) f.factors.resize(products_.size());
    return contradict(std::move(all));
}

/// Whether what is said of numbers alone is true.
bool sign_facts::holds_of_constants(const std::vector<form>& forms) {
    return std::all_of(forms.begin(), forms.end(), [](const form& f) {
        const bool constant = std::all_of(f.factors.begin(), f.factors.end(),
                                          [](const rational& c) { return c.is_zero(); });
        if (!constant) return true;
        const int sign = f.constant.sign();
        return f.relation == relation::zero       ? sign == 0
               : f.relation == relation::positive ? sign > 0
                                                  : sign >= 0;
    });
}

/// What the forms say without product number `k`; false where that is too much.
bool sign_facts::eliminate(std::vector<form>& forms, std::size_t k) {
    // `one` plus so much of `other` that the product is gone
    const auto without = [k](const form& one, const form& other) {
        const rational times = -(one.factors[k] / other.factors[k]);
        form out = one;
        for (std::size_t j = 0; j < out.factors.size(); ++j)
            out.factors[j] = one.factors[j] + times * other.factors[j];
        out.constant = one.constant + times * other.constant;
        if (other.relation == relation::positive) out.relation = relation::positive;
        return out;
    };
    const auto equation = std::find_if(forms.begin(), forms.end(), [k](const form& f) {
        return f.relation == relation::zero && !f.factors[k].is_zero();
    });
    if (equation != forms.end()) {
        const form known = *equation;
        forms.erase(equation);
        for (form& f : forms)
            if (!f.factors[k].is_zero()) f = without(f, known);
        return true;
    }
    std::vector<form> out, below, above;
    for (form& f : forms)
        (f.factors[k].is_zero()    ? out
         : f.factors[k].sign() > 0 ? below
                                   : above)
            .push_back(std::move(f));
    for (const form& a : below)
        for (const form& b : above) {
            out.push_back(without(a, b));
            if (out.size() > most_forms) return false;
            for (const rational& c : out.back().factors)
                if (c.bits() > bits_of_a_fact) return false;
        }
    forms = std::move(out);
    return true;
}

bool sign_facts::contradict(std::vector<form> forms) {
    const std::size_t count = forms.empty() ? 0 : forms.front().factors.size();
    for (std::size_t k = 0; k < count; ++k) {
        if (!holds_of_constants(forms)) return true;
        if (forms.empty() || !eliminate(forms, k)) return false;
    }
    return !holds_of_constants(forms);
}

}  // namespace ricci::judge
