#include "src/plan/rewrite/factored.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <ricci/ir/conditions.hpp>
#include <ricci/ir/rewrite.hpp>
#include "src/plan/rewrite/logarithms.hpp"
#include "src/plan/pool/substitute.hpp"

namespace ricci::plan {
namespace {

ir::range links(ir::program& p, const std::vector<ir::ref>& list) {
    return p.add_links(list.data(), static_cast<std::int32_t>(list.size()));
}

// As `take_in_brackets` makes it.
bool is_bracketed(const ir::program& p, ir::ref exponent) {
    const ir::node& x = p.nodes[exponent];
    if (x.kind != ir::op::choose || x.children.count != 3) return false;
    const ir::node& otherwise = p.nodes[p.links[x.children.first + 2]];
    return otherwise.kind == ir::op::number &&
           otherwise.value == -std::numeric_limits<double>::infinity();
}

// Of finite numbers.
bool may_be_infinite(const ir::program& p, ir::ref n) {
    if (n == ir::none) return false;
    const ir::node& x = p.nodes[n];
    const auto child = [&](std::int32_t k) { return p.links[x.children.first + k]; };
    const auto is_number = [&](std::int32_t k) { return p.nodes[child(k)].kind == ir::op::number; };
    if (x.kind == ir::op::divide && !is_number(1)) return true;
    if (x.kind == ir::op::power && (!is_number(1) || p.nodes[child(1)].value < 0)) return true;
    if (x.kind == ir::op::apply && x.detail == static_cast<std::uint8_t>(ir::function::log))
        return true;
    for (std::int32_t k = 0; k < x.children.count; ++k)
        if (may_be_infinite(p, child(k))) return true;
    return false;
}

}  // namespace

void exponential_products::multiply(factored& f, const factored& g, double power) {
    f.cancels = f.cancels || g.cancels;
    f.coefficient = product(f.coefficient, raised(g.coefficient, power));
    for (exponential x : g.exponentials) {
        x.times *= power;
        multiply(f, std::move(x));
    }
}

void exponential_products::multiply(factored& f, exponential x) {
    for (auto y = f.exponentials.begin(); y != f.exponentials.end(); ++y) {
        if (!equal(*y, x)) continue;
        f.cancels = f.cancels || y->times * x.times < 0;
        y->times += x.times;
        if (y->times != 0) return;
        // A sum by itself: 0 in a row of -\infinity or of nothing, as its weights are; else 1.
        if (!y->over.empty() && !has_weights_of(f.coefficient, *y) &&
            !has_weights_of(f.coefficient, x)) {
            const ir::range over = links(p_, y->over);
            const ir::ref weights = p_.reduce(ir::reduction::softmax, over, y->exponent);
            f.coefficient = product(f.coefficient, p_.reduce(ir::reduction::sum, over, weights));
        }
        f.exponentials.erase(y);
        return;
    }
    f.exponentials.push_back(std::move(x));
}

bool exponential_products::has_weights_of(ir::ref n, const exponential& x) const {
    if (n == ir::none) return false;
    const ir::node& y = p_.nodes[n];
    const auto is = [&](ir::reduction r) {
        return y.kind == ir::op::reduce && y.detail == static_cast<std::uint8_t>(r);
    };
    if (is(ir::reduction::softmax)) return ir::same_expression(p_, child(n, 0), x.exponent);
    if (is(ir::reduction::sum)) return has_weights_of(child(n, 0), x);
    for (std::int32_t k = 0; y.kind == ir::op::multiply && k < y.children.count; ++k)
        if (has_weights_of(child(n, k), x)) return true;
    return false;
}

factored exponential_products::settled(factored f) {
    for (std::size_t k = 0; k < f.exponentials.size(); ++k)
        for (std::size_t l = 0; l < f.exponentials.size(); ++l) {
            exponential &one = f.exponentials[k], &all = f.exponentials[l];
            if (one.times * all.times >= 0 || !one.over.empty()) continue;
            if (all.over.empty() && (!all.total || one.total)) continue;
            const double times =
                std::copysign(std::min(std::abs(one.times), std::abs(all.times)), one.times);
            ir::ref each = all.total ? quotient(one, all) : weight(one, all);
            if (each == ir::none && times == 1) each = share(f.coefficient, one, all);
            if (each == ir::none) continue;
            f.cancels = true;
            // an exponential that is 0 does not hide what else is infinite; its brackets do
            if (all.total || may_be_infinite(p_, f.coefficient))
                f.coefficient = product(f.coefficient, brackets_of(one.exponent));
            f.coefficient = product(f.coefficient, raised(each, times));
            one.times -= times;
            all.times += times;
        }
    std::erase_if(f.exponentials, [](const exponential& x) { return x.times == 0; });
    return f;
}

void exponential_products::take_in_brackets(factored& f) {
    const auto is_single = [](const exponential& x) { return x.over.empty(); };
    const auto first = std::find_if(f.exponentials.begin(), f.exponentials.end(), is_single);
    if (f.coefficient == ir::none || first == f.exponentials.end() || first->times != 1 ||
        std::count_if(first, f.exponentials.end(), is_single) != 1)
        return;
    exponential& only = *first;
    ir::ref rest = ir::none;
    std::vector<ir::ref> brackets;
    for (const ir::ref factor : factors_of(f.coefficient)) {
        if (p_.nodes[factor].kind == ir::op::compare) brackets.push_back(factor);
        else rest = product(rest, factor);
    }
    for (const ir::ref bracket : brackets) {
        const ir::ref children[] = {only.exponent, bracket,
                                    p_.number(-std::numeric_limits<double>::infinity())};
        only.exponent = p_.make(ir::op::choose, 0, children, 3);
        only.written = product(bracket, only.written);
    }
    f.coefficient = rest;
}

std::vector<ir::ref> exponential_products::factors_of(ir::ref product) const {
    if (product == ir::none) return {};
    const ir::node& x = p_.nodes[product];
    if (x.kind != ir::op::multiply) return {product};
    const ir::ref* first = p_.links.data() + x.children.first;
    return {first, first + x.children.count};
}

ir::ref exponential_products::take_brackets(ir::ref& product, const std::vector<ir::ref>& indices) {
    ir::ref rest = ir::none, taken = ir::none;
    for (const ir::ref factor : factors_of(product)) {
        const ir::index_set free = ir::free_indices(p_, factor);
        const bool inside =
            std::any_of(indices.begin(), indices.end(), [&](ir::ref i) { return free.has(i); });
        ir::ref& side = inside || !ir::is_bracket(p_.nodes[factor]) ? rest : taken;
        side = this->product(side, factor);
    }
    product = rest;
    return taken;
}

ir::ref exponential_products::take_shared_brackets(std::vector<ir::ref>& products) {
    const auto place_of = [&](ir::ref bracket, const std::vector<ir::ref>& among) {
        return std::find_if(among.begin(), among.end(), [&](ir::ref other) {
            return ir::is_bracket(p_.nodes[other]) && ir::same_expression(p_, bracket, other);
        });
    };
    std::vector<std::vector<ir::ref>> all;
    for (const ir::ref product : products) all.push_back(factors_of(product));
    ir::ref taken = ir::none;
    for (const ir::ref factor : factors_of(products[0])) {
        const bool shared = ir::is_bracket(p_.nodes[factor]) &&
                            std::all_of(all.begin(), all.end(), [&](const auto& factors) {
                                return place_of(factor, factors) != factors.end();
                            });
        if (!shared) continue;
        taken = product(taken, factor);
        for (auto& factors : all) factors.erase(place_of(factor, factors));
    }
    for (std::size_t k = 0; taken != ir::none && k < all.size(); ++k) {
        products[k] = ir::none;
        for (const ir::ref factor : all[k]) products[k] = product(products[k], factor);
    }
    return taken;
}

bool exponential_products::has_brackets(ir::ref product) const {
    return product != ir::none && ir::has_bracket(p_, product);
}

bool exponential_products::has_brackets(ir::ref product,
                                        const std::vector<ir::ref>& indices) const {
    const std::vector<ir::ref> factors = factors_of(product);
    return std::any_of(factors.begin(), factors.end(), [&](ir::ref factor) {
        if (!has_brackets(factor)) return false;
        const ir::index_set free = ir::free_indices(p_, factor);
        return std::any_of(indices.begin(), indices.end(), [&](ir::ref i) { return free.has(i); });
    });
}

ir::ref exponential_products::weighted(ir::ref exponent, ir::ref weight) {
    if (!is_bracketed(p_, exponent))
        return p_.make(ir::op::add, exponent, p_.apply(ir::function::log, weight));
    const ir::node x = p_.nodes[exponent];
    const ir::ref children[] = {weighted(p_.links[x.children.first], weight),
                                p_.links[x.children.first + 1], p_.links[x.children.first + 2]};
    return p_.make(ir::op::choose, 0, children, 3);
}

ir::ref exponential_products::brackets_of(ir::ref exponent) {
    ir::ref brackets = ir::none;
    for (; is_bracketed(p_, exponent); exponent = child(exponent, 0))
        brackets = product(brackets, child(exponent, 1));
    return brackets;
}

// \exp(x) / \sum \exp(x'), or none where the sum is another one. A bracket that the sum lacks stays
// a factor.
ir::ref exponential_products::weight(const exponential& one, const exponential& all) {
    ir::ref brackets = ir::none;
    for (ir::ref exponent = one.exponent;; exponent = child(exponent, 0)) {
        if (const ir::ref found = weight(exponent, all); found != ir::none)
            return product(brackets, found);
        if (!is_bracketed(p_, exponent)) return ir::none;
        brackets = product(brackets, child(exponent, 1));
    }
}

ir::ref exponential_products::weight(ir::ref exponent, const exponential& all) {
    const auto found = matched(p_, all.exponent, exponent, all.over);
    if (!found) return ir::none;
    ir::index_set outside = ir::free_indices(p_, all.exponent);
    for (const ir::ref i : all.over) outside.remove(i);
    std::vector<ir::ref> rows;
    bool is_softmax = true;
    for (const index_value& v : *found) {
        is_softmax = is_softmax && v.at.kind == ir::position_kind::index &&
                     !outside.has(v.at.index) && extent_(v.at.index) == extent_(v.from) &&
                     std::find(rows.begin(), rows.end(), v.at.index) == rows.end();
        rows.push_back(v.at.index);
    }
    if (is_softmax) return p_.reduce(ir::reduction::softmax, links(p_, rows), exponent);
    const ir::ref total = p_.reduce(ir::reduction::logsumexp, links(p_, all.over), all.exponent);
    const ir::ref less = p_.make(ir::op::multiply, p_.number(-1), total);
    return p_.apply(ir::function::exp, p_.make(ir::op::add, exponent, less));
}

// \exp(x) / \exp(y), which may both be beyond all numbers.
ir::ref exponential_products::quotient(const exponential& above, const exponential& below) {
    const ir::ref less = p_.make(ir::op::multiply, p_.number(-1), below.exponent);
    return p_.apply(ir::function::exp, p_.make(ir::op::add, above.exponent, less));
}

// \exp(v) / |\sum w' \exp(v')|, of a sum of weighted exponentials; none where it is another one. A
// factor w is taken out of the coefficient: where it is 0, \exp(v) may be beyond all numbers.
ir::ref exponential_products::share(ir::ref& coefficient, const exponential& one,
                                    const exponential& all) {
    if (all.bare == ir::none) return ir::none;
    const ir::ref total = p_.reduce(ir::reduction::logsumexp, links(p_, all.over), all.exponent);
    const ir::ref less = p_.make(ir::op::multiply, p_.number(-1), total);
    const ir::ref pattern = p_.make(ir::op::multiply, all.weights, all.bare);
    const std::vector<ir::ref> factors = factors_of(coefficient);
    for (std::size_t k = 0; k < factors.size(); ++k) {
        const ir::ref w = factors[k];
        if (!matched(p_, pattern, p_.make(ir::op::multiply, w, one.exponent), all.over)) continue;
        const bool positive = is_nonnegative(p_, w);
        const ir::ref size = positive ? w : p_.apply(ir::function::absolute, w);
        const ir::ref share = p_.make(ir::op::add, weighted(one.exponent, size), less);
        const ir::ref each = p_.apply(ir::function::exp, share);
        coefficient = positive ? ir::none : p_.apply(ir::function::sign, w);
        for (std::size_t l = 0; l < factors.size(); ++l)
            if (l != k) coefficient = product(coefficient, factors[l]);
        return each;
    }
    if (!matched(p_, all.bare, one.exponent, all.over)) return ir::none;
    return p_.apply(ir::function::exp, p_.make(ir::op::add, one.exponent, less));
}

bool exponential_products::equal(const exponential& a, const exponential& b) const {
    if (a.over.size() != b.over.size()) return false;
    const auto found = matched(p_, a.exponent, b.exponent, a.over);
    return found && std::all_of(found->begin(), found->end(), [&](const index_value& v) {
               return v.at.kind == ir::position_kind::index &&
                      std::find(b.over.begin(), b.over.end(), v.at.index) != b.over.end() &&
                      extent_(v.from) == extent_(v.at.index);
           });
}

bool exponential_products::same_exponentials(const factored& f, const factored& g) const {
    if (f.exponentials.size() != g.exponentials.size()) return false;
    return std::all_of(f.exponentials.begin(), f.exponentials.end(), [&](const exponential& x) {
        return std::any_of(g.exponentials.begin(), g.exponentials.end(),
                           [&](const exponential& y) { return x.times == y.times && equal(x, y); });
    });
}

// Flat, as what follows looks for factors in one product.
ir::ref exponential_products::product(ir::ref a, ir::ref b) {
    if (a == ir::none) return b;
    if (b == ir::none) return a;
    detail::buffer<ir::ref> all;
    for (const ir::ref side : {a, b}) {
        const ir::node& x = p_.nodes[side];
        if (x.kind == ir::op::multiply)
            all.append(p_.links.data() + x.children.first, x.children.count);
        else all.push(side);
    }
    return p_.make(ir::op::multiply, 0, all.data(), all.size());
}

ir::ref exponential_products::product(const factored& f) {
    ir::ref result = f.coefficient;
    for (const exponential& x : f.exponentials)
        result = product(result, raised(x.written, x.times));
    return result == ir::none ? p_.number(1) : result;
}

ir::ref exponential_products::raised(ir::ref n, double power) {
    if (n == ir::none || power == 1) return n;
    if (power == -1) return p_.make(ir::op::divide, p_.number(1), n);
    if (power == 0.5) return p_.apply(ir::function::sqrt, n);
    return p_.make(ir::op::power, n, p_.number(power));
}

}  // namespace ricci::plan
