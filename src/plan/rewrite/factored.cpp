#include "src/plan/rewrite/factored.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "src/plan/pool/match.hpp"

namespace ricci::plan {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

bool is_operation(const expression& e, opcode code) {
    return e.kind == kind::operation && e.code == code;
}

// As `take_in_brackets` makes it.
bool is_bracketed(const graph& values, expr exponent) {
    const auto& e = values[exponent];
    return is_operation(e, opcode::select) && values.is_constant(e.arguments[2], -infinity);
}

expr_list factors_of(const graph& values, expr product) {
    if (!product) return {};
    const auto all = values.factors(product);
    return {all.begin(), all.end()};
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
            const expr weights = values_.row(fold::softmax, y->over, y->exponent);
            f.coefficient = product(f.coefficient, values_.sum(y->over, weights));
        }
        f.exponentials.erase(y);
        return;
    }
    f.exponentials.push_back(std::move(x));
}

bool exponential_products::has_weights_of(expr e, const exponential& x) {
    if (!e) return false;
    const auto& node = values_[e];
    if (node.folding == fold::softmax) {
        const auto names = names_of(x.exponent, x.over, node.arguments[0]);
        return names && std::ranges::all_of(x.over, [&](loop l) {
                   return contains(node.over, renamed(l, *names));
               });
    }
    const bool goes_on = node.kind == kind::sum || is_operation(node, opcode::multiply);
    return goes_on &&
           std::ranges::any_of(node.arguments, [&](expr a) { return has_weights_of(a, x); });
}

factored exponential_products::settled(factored f) {
    for (std::size_t k = 0; k < f.exponentials.size(); ++k)
        for (std::size_t l = 0; l < f.exponentials.size(); ++l) {
            exponential &one = f.exponentials[k], &all = f.exponentials[l];
            if (one.times * all.times >= 0 || !one.over.empty()) continue;
            if (all.over.empty() && (!all.total || one.total)) continue;
            const double times =
                std::copysign(std::min(std::abs(one.times), std::abs(all.times)), one.times);
            expr each = all.total ? quotient(one, all) : weight(one, all);
            if (!each && times == 1) each = share(f.coefficient, one, all);
            if (!each) continue;
            f.cancels = true;
            // an exponential that is 0 does not hide what is infinite; its brackets do
            if (all.total || f.coefficient)
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
    const auto first = std::ranges::find_if(f.exponentials, is_single);
    if (!f.coefficient || first == f.exponentials.end() || first->times != 1 ||
        std::count_if(first, f.exponentials.end(), is_single) != 1)
        return;
    exponential& only = *first;
    expr rest;
    for (const expr factor : factors_of(values_, f.coefficient)) {
        const auto& node = values_[factor];
        const bool compares = node.kind == kind::operation && node.code >= opcode::less &&
                              node.code <= opcode::logical_or;
        if (!compares) {
            rest = product(rest, factor);
            continue;
        }
        only.exponent =
            values_.apply(opcode::select, factor, only.exponent, values_.constant(-infinity));
        only.written = product(factor, only.written);
    }
    f.coefficient = rest;
}

exponential exponential_products::first_power(exponential x) {
    if (x.times == 1 || x.total || is_bracketed(values_, x.exponent)) return x;
    const expr exponent = values_.multiply({values_.constant(x.times), x.exponent});
    return {1, exponent, {}, values_.apply(code_of(ir::function::exp), exponent), {}, {}};
}

expr exponential_products::take_brackets(expr& product, const loop_list& loops) {
    expr rest, taken;
    for (const expr factor : factors_of(values_, product)) {
        const bool inside = !common(loops, values_[factor].indices).empty();
        expr& side = inside || !values_.is_bracket(factor) ? rest : taken;
        side = this->product(side, factor);
    }
    product = rest;
    return taken;
}

expr exponential_products::take_shared_brackets(expr_list& products) {
    std::vector<expr_list> all;
    for (const expr one : products) all.push_back(factors_of(values_, one));
    expr taken;
    for (const expr factor : factors_of(values_, products[0])) {
        const auto has = [&](const expr_list& factors) {
            return std::ranges::find(factors, factor) != factors.end();
        };
        if (!values_.is_bracket(factor) || !std::ranges::all_of(all, has)) continue;
        taken = product(taken, factor);
        for (expr_list& factors : all) erase_if(factors, [&](expr f) { return f == factor; });
    }
    for (std::size_t k = 0; taken && k < all.size(); ++k) {
        products[k] = expr::none;
        for (const expr factor : all[k]) products[k] = product(products[k], factor);
    }
    return taken;
}

bool exponential_products::has_brackets(expr product, const loop_list& loops) const {
    return std::ranges::any_of(factors_of(values_, product), [&](expr factor) {
        return values_.is_bracket(factor) && !common(values_[factor].indices, loops).empty();
    });
}

expr exponential_products::weighted(expr exponent, expr weight) {
    if (!is_bracketed(values_, exponent))
        return values_.add({exponent, values_.apply(code_of(ir::function::log), weight)});
    const expr_list cases = values_[exponent].arguments;
    return values_.apply(opcode::select, cases[0], weighted(cases[1], weight), cases[2]);
}

expr exponential_products::brackets_of(expr exponent) {
    expr brackets;
    for (; is_bracketed(values_, exponent); exponent = values_[exponent].arguments[1])
        brackets = product(brackets, values_[exponent].arguments[0]);
    return brackets;
}

// \exp(x) / \sum \exp(x'), or none where the sum is another one. A bracket that the sum lacks stays
// a factor.
expr exponential_products::weight(const exponential& one, const exponential& all) {
    expr brackets;
    for (expr exponent = one.exponent;; exponent = values_[exponent].arguments[1]) {
        if (const expr found = weight(exponent, all)) return product(brackets, found);
        if (!is_bracketed(values_, exponent)) return expr::none;
        brackets = product(brackets, values_[exponent].arguments[0]);
    }
}

expr exponential_products::weight(expr exponent, const exponential& all) {
    if (const auto names = names_of(all.exponent, all.over, exponent)) {
        loop_list rows;
        for (const loop l : all.over) add_loop(rows, renamed(l, *names));
        return values_.row(fold::softmax, std::move(rows), exponent);
    }
    if (!stands_for(all.exponent, all.over, exponent)) return expr::none;
    return values_.apply(code_of(ir::function::exp),
                         values_.apply(opcode::subtract, exponent, logsumexp_of(all)));
}

expr exponential_products::logsumexp_of(const exponential& all) {
    return values_.row(fold::logsumexp, all.over, all.exponent);
}

// \exp(x) / \exp(y), which may both be beyond all numbers. Of a sum of exponentials x is the
// largest exponent and the logarithm of what is left: the largest ones are taken from each other
// first, and what is small comes last.
expr exponential_products::quotient(const exponential& above, const exponential& below) {
    const auto terms_of = [&](expr e) {
        const auto all = values_.terms(e);
        return expr_list(all.begin(), all.end());
    };
    const expr_list more = terms_of(above.exponent);
    expr_list all{more[0]};
    for (const expr t : terms_of(below.exponent))
        all.push_back(values_.multiply({values_.constant(-1), t}));
    for (std::size_t k = 1; k < more.size(); ++k) all.push_back(more[k]);
    return values_.apply(code_of(ir::function::exp), values_.add(all));
}

// \exp(v) / |\sum w' \exp(v')|, of a sum of weighted exponentials; none where it is another one. A
// factor w is taken out of the coefficient: where it is 0, \exp(v) may be beyond all numbers.
expr exponential_products::share(expr& coefficient, const exponential& one,
                                 const exponential& all) {
    if (!all.bare) return expr::none;
    const auto exp_of_share = [&](expr exponent) {
        return values_.apply(code_of(ir::function::exp),
                             values_.apply(opcode::subtract, exponent, logsumexp_of(all)));
    };
    const expr pattern = values_.as_written(opcode::multiply, {all.weights, all.bare});
    const expr_list factors = factors_of(values_, coefficient);
    for (std::size_t k = 0; k < factors.size(); ++k) {
        const expr w = factors[k];
        if (!stands_for(pattern, all.over, values_.as_written(opcode::multiply, {w, one.exponent})))
            continue;
        const bool positive = signs_.is_nonnegative(w);
        const expr size = positive ? w : values_.apply(code_of(ir::function::absolute), w);
        const expr each = exp_of_share(weighted(one.exponent, size));
        coefficient = positive ? expr(expr::none) : values_.apply(code_of(ir::function::sign), w);
        for (std::size_t l = 0; l < factors.size(); ++l)
            if (l != k) coefficient = product(coefficient, factors[l]);
        return each;
    }
    return stands_for(all.bare, all.over, one.exponent) ? exp_of_share(one.exponent)
                                                        : expr(expr::none);
}

std::optional<loop_map> exponential_products::names_of(expr pattern, const loop_list& over,
                                                       expr e) {
    loop_map same;
    for (const loop l : without(values_[pattern].indices, over)) same.emplace_back(l, l);
    return match_in_any_order(values_, forms_, pattern, e, std::move(same));
}

// Candidates are the places at which a tensor is read that the pattern reads at all of the loops.
bool exponential_products::stands_for(expr pattern, const loop_list& over, expr e) {
    if (names_of(pattern, over, e)) return true;
    const auto axis_of = [](const access& read, loop l) {
        const auto at =
            std::ranges::find_if(read.at, [&](const place& p) { return loop_at(p) == l; });
        return static_cast<std::size_t>(at - read.at.begin());
    };
    // The read of the pattern that has all of them.
    access read;
    values_.for_each_load({pattern}, [&](const access& from) {
        if (!read.slot &&
            std::ranges::all_of(over, [&](loop l) { return axis_of(from, l) < from.at.size(); }))
            read = from;
    });
    if (!read.slot) return false;
    const auto is_it = [&](const expression& there) {
        // One after the other: no place is a loop that is still to be moved.
        if (over.size() > 1 && !common(over, there.indices).empty()) return false;
        expr moved = pattern;
        loop_list taken = there.indices;
        for (const loop l : over) {
            const std::size_t axis = axis_of(read, l);
            moved_loop to{l, there.source.at[axis]};
            for (std::size_t k = 0; k < there.lookups.size(); ++k)
                if (static_cast<std::size_t>(there.lookups[k].axis) == axis)
                    to.number = there.arguments[k];
            moved = values_.moved(values_.apart(taken, moved), {&to, 1});
            if (!moved) return false;
        }
        return names_of(moved, {}, e).has_value();
    };
    const auto any_read = [&](const auto& self, expr part) -> bool {
        const auto& node = values_[part];
        const bool reads = node.kind == kind::load || node.kind == kind::gather;
        if (reads && node.source.slot == read.slot && is_it(node)) return true;
        return node.kind != kind::gather &&
               std::ranges::any_of(node.arguments, [&](expr a) { return self(self, a); });
    };
    return any_read(any_read, e);
}

bool exponential_products::equal(const exponential& a, const exponential& b) {
    if (a.over.size() != b.over.size()) return false;
    const auto names = names_of(a.exponent, a.over, b.exponent);
    return names && std::ranges::all_of(
                        a.over, [&](loop l) { return contains(b.over, renamed(l, *names)); });
}

bool exponential_products::alike(const exponential_sum& a, const exponential_sum& b) {
    if (a.over.size() != b.over.size()) return false;
    const auto names = match_in_any_order(values_, forms_, a.exponent, b.exponent);
    return names && std::ranges::all_of(*names, [&](const auto& pair) {
               return contains(a.over, pair.first) == contains(b.over, pair.second);
           });
}

bool exponential_products::same_exponentials(const factored& f, const factored& g) {
    if (f.exponentials.size() != g.exponentials.size()) return false;
    return std::ranges::all_of(f.exponentials, [&](const exponential& x) {
        return std::ranges::any_of(g.exponentials, [&](const exponential& y) {
            return x.times == y.times && equal(x, y);
        });
    });
}

expr exponential_products::product(expr a, expr b) {
    if (!a) return b;
    return b ? values_.multiply({a, b}) : a;
}

expr exponential_products::product(const factored& f) {
    expr result = f.coefficient;
    for (const exponential& x : f.exponentials)
        result = product(result, raised(x.written, x.times));
    return result ? result : values_.constant(1);
}

expr exponential_products::raised(expr e, double power) {
    return !e || power == 1 ? e : values_.power(e, values_.constant(power));
}

}  // namespace ricci::plan
