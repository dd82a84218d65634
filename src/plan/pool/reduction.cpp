// Building the planner's sums and folds: what is left to a contraction, and what is one pass over
// rows.
#include <algorithm>
#include <utility>

#include "src/plan/pool/conditions.hpp"
#include "src/plan/pool/expression.hpp"
#include "src/plan/pool/solve_places.hpp"
#include "src/plan/pool/unroll.hpp"

namespace ricci::plan {
namespace {

/// The factors of a product but one, and of these the ones with loops that it lacks, which are
/// summed, as one: the last.
expr_list factors_beside(graph& values, const loop_list& over, expr product, expr bracket) {
    const loop_list lone = without(over, values[bracket].indices);
    expr_list linked, result;
    bool left_out = false;
    for (const expr f : values.factors(product)) {
        if (f == bracket && !std::exchange(left_out, true)) continue;
        (common(values[f].indices, lone).empty() ? result : linked).push_back(f);
    }
    if (!linked.empty()) result.push_back(values.sum(lone, values.multiply(linked)));
    return result;
}

/// Whether a factor is a difference of pairs along few loops, all of those that are summed but what
/// a few factors have, and another one has some of these and a side of the pairs, as in
/// v^{ja} (x^{ia} - x^{ja}): then it is not two tensors, of rows and of columns.
bool is_difference_of_few(graph& values, const loop_list& over, expr product, expr bracket) {
    const loop_list whole = values[bracket].indices, inner = common(whole, over),
                    pair = without(whole, over);
    const auto terms = values.terms(bracket);
    const auto is_side = [&](expr t) { return !without(pair, values[t].indices).empty(); };
    const bool of_pairs = values.is_difference(bracket) && is_side(terms[0]) && is_side(terms[1]);
    if (!of_pairs || inner.empty() || values.size(over) > most_iterations ||
        values.size(inner) > most_unrolled || values.size(pair) <= values.size(over))
        return false;
    const auto beside = factors_beside(values, over, product, bracket);
    return std::any_of(beside.begin(), beside.end(), [&](expr f) {
        const auto& own = values[f].indices;
        return !common(pair, own).empty() && !common(inner, own).empty() &&
               !without(pair, own).empty();
    });
}

/// The sum as a fold of all loops but those that the difference lacks, where what has them lacks a
/// side of the pairs: that is summed before.
expr folded_difference(graph& values, const loop_list& over, expr product, expr bracket) {
    const loop_list& whole = values[bracket].indices;
    const loop_list lone = without(over, whole);
    if (lone.empty()) return values.row(fold::sum, over, product);
    auto factors = factors_beside(values, over, product, bracket);
    if (without(without(whole, lone), values[factors.back()].indices).empty())
        return values.row(fold::sum, over, product);
    factors.push_back(bracket);
    return values.row(fold::sum, without(over, lone), values.multiply(factors));
}

/// The fold of few loops that is a factor of a sum whose other factors have no loops beside those
/// of the fold: both are folded at once. None: there is no such factor.
expr with_inner_fold(graph& values, const loop_list& over, expr product) {
    const auto all = values.factors(product);
    for (std::size_t k = 0; k < all.size(); ++k) {
        const auto& inner = values[all[k]];
        if (inner.kind != kind::fold || inner.folding != fold::sum ||
            values.size(inner.over) > most_iterations)
            continue;
        expr_list factors(all.begin(), all.end());
        factors[k] = inner.arguments[0];
        bool own = true;
        for (std::size_t other = 0; other < all.size(); ++other)
            own =
                own && (other == k || (without(values[all[other]].indices, inner.indices).empty() &&
                                       common(values[all[other]].indices, inner.over).empty()));
        if (own && common(over, inner.over).empty())
            return values.row(fold::sum, united(over, inner.over), values.multiply(factors));
    }
    return expr::none;
}

}  // namespace

bool graph::expands(expr product) const {
    loop_list all;
    double largest = 0;
    int varying = 0;
    for (expr f : factors(product)) {
        if (is_scalar(f)) continue;
        ++varying;
        all = united(all, (*this)[f].indices);
        largest = std::max(largest, size((*this)[f].indices));
    }
    return varying > 1 && size(all) > largest;
}

// Whether the plan computes it, at the latest when it is used.
bool graph::is_made(expr e) const {
    const auto& node = (*this)[e];
    if (node.kind != kind::load) return node.kind != kind::gather;
    const auto slot = node.source.slot.index();
    return slot < made_.size() && made_[slot];
}

// Whether a factor is a difference of few values along loops that another factor has, as in
// w^{ij} (x^{ja} - x^{ia}) with few a, or is multiplied by itself: its terms multiplied out would
// cancel one another. Where w is in memory already, two sums of products are faster.
bool graph::keeps_difference(const loop_list& over, expr product, expr bracket) const {
    const auto all = factors(product);
    if ((*this)[bracket].code != opcode::subtract && !is_difference(bracket)) return false;
    if (std::count(all.begin(), all.end(), bracket) > 1) return true;
    return std::any_of(all.begin(), all.end(), [&](expr f) {
        const bool one = this->terms(f).size() == 1 && (*this)[f].code != opcode::subtract;
        const bool few = one || size(over) <= most_unrolled;
        return f != bracket && few && is_made(f) &&
               size(without((*this)[bracket].indices, (*this)[f].indices)) <= most_unrolled;
    });
}

// x (a + b) = x a + x b where the sum of terms is a larger block than each of its terms, as in
// Q^{ia} (K^{ja} + R^{ia}): otherwise it would be stored. Returns -1 where that does not hold.
expr graph::distributed(const loop_list& over, expr body) {
    const auto all = factors(body);
    if (all.size() < 2) return expr::none;
    for (std::size_t k = 0; k < all.size(); ++k) {
        const auto parts = terms(all[k]);
        if ((*this)[all[k]].code == opcode::subtract && keeps_difference(over, body, all[k]))
            return row(fold::sum, over, body);
        if (parts.size() < 2 || parts.size() > 4) continue;
        double largest = 0;
        for (expr t : parts) largest = std::max(largest, size((*this)[t].indices));
        if (size((*this)[all[k]].indices) <= largest) continue;
        if (keeps_difference(over, body, all[k]) || is_difference_of_few(*this, over, body, all[k]))
            return folded_difference(*this, over, body, all[k]);
        expr_list results;
        for (expr t : parts) {
            expr_list product(all.begin(), all.end());
            product[k] = t;
            results.push_back(sum(over, multiply(product)));
        }
        return add(results);
    }
    return expr::none;
}

// The sum over pairs of a factor that all of them have times squared differences along loops of
// their own, G^{ij} (x^{ia} - z^{ja})^2 as in a slope by a length: products of the points with G,
// which leave no tensor of all loops. The points are taken about their mean, so that where they are
// costs no digits. None: it is nothing of the kind, or distances are to be exact.
expr graph::about_mean(const loop_list& over, expr body) {
    if (exact_distances_ || (type_ != element::f32 && type_ != element::f64)) return expr::none;
    expr square;
    expr_list others;
    for (const expr f : factors(body)) {
        if ((*this)[f].code == opcode::square && terms((*this)[f].arguments[0]).size() == 2) {
            if (square) return expr::none;
            square = f;
        } else {
            others.push_back(f);
        }
    }
    if (!square || has_bracket(body) || (*this)[body].edged) return expr::none;
    const auto difference = terms((*this)[square].arguments[0]);
    const expr minus = constant(-1);
    const auto is_negative = [&](expr t) {
        const auto all = factors(t);
        return all.size() > 1 && all[0] == minus;
    };
    const bool first = is_negative(difference[0]);
    if (first == is_negative(difference[1])) return expr::none;
    const expr x = difference[first ? 1 : 0], z = multiply({minus, difference[first ? 0 : 1]});
    const loop_list rows = without((*this)[x].indices, (*this)[z].indices),
                    columns = without((*this)[z].indices, (*this)[x].indices),
                    both = common((*this)[x].indices, (*this)[z].indices);
    const loop_list pairs = united(rows, columns);
    const bool all_pairs = std::any_of(others.begin(), others.end(), [&](expr f) {
        return without(pairs, (*this)[f].indices).empty();
    });
    if (rows.empty() || columns.empty() || !all_pairs || !without(pairs, over).empty() ||
        both.empty() || !common(both, over).empty())
        return expr::none;
    const expr mean = multiply({minus, row(fold::mean, columns, z)});
    const expr of_rows = add({x, mean}), of_columns = add({z, mean});
    const auto part = [&](std::initializer_list<expr> more) {
        auto product = others;
        product.insert(product.end(), more.begin(), more.end());
        return sum(over, multiply(product));
    };
    return add({part({apply(opcode::square, of_rows)}), part({apply(opcode::square, of_columns)}),
                multiply({constant(-2), part({of_rows, of_columns})})});
}

expr graph::sum(loop_list over, expr body) {
    for (loop i : over)
        if (extent(i) == 0) return constant(0);
    erase_if(over, [&](loop i) { return extent(i) == 1; });
    if (over.empty()) return body;
    body = apart(over, body);
    if (const expr solved = solved_sum(*this, over, body)) return solved;

    // An index that nothing depends on only repeats the value.
    const auto used = common(over, (*this)[body].indices);
    if (used.size() != over.size()) {
        const double times = size(without(over, used));
        return multiply({constant(times), sum(used, body)});
    }
    const auto parts = terms(body);
    if (parts.size() > 1 &&
        std::any_of(parts.begin(), parts.end(), [&](expr t) { return expands(t); })) {
        expr_list results;
        for (expr t : parts) results.push_back(sum(over, t));
        return add(results);
    }
    if (distributes_) {
        if (const expr split = about_mean(over, body)) return split;
        if (const expr split = distributed(over, body)) return split;
    }
    if (joins_sums_) {
        if (const expr whole = with_inner_fold(*this, over, body)) return whole;
        if (const expr whole = with_inner(over, body)) return whole;
    }
    expression node;
    node.kind = kind::sum;
    node.over = std::move(over);
    node.arguments = {body};
    return intern(std::move(node));
}

// A sum that is a factor joins this one. Its indices have to be new to the other factors. None:
// there is no such sum.
expr graph::with_inner(const loop_list& over, expr body) {
    const auto all = factors(body);
    for (std::size_t k = 0; k < all.size(); ++k) {
        const auto& inner = (*this)[all[k]];
        if (inner.kind != kind::sum) continue;
        auto others = over;
        for (std::size_t other = 0; other < all.size(); ++other)
            if (other != k) others = united(others, (*this)[all[other]].indices);
        if (!common(inner.over, others).empty()) continue;
        const auto both = united(over, inner.over);
        expr_list product(all.begin(), all.end());
        product[k] = inner.arguments[0];
        return sum(both, multiply(product));
    }
    return expr::none;
}

void graph::settle_sums(bool solves_places) {
    settles_all_ = solves_places && !solves_places_;
    solves_places_ = solves_places;
    joins_sums_ = distributes_ = true;
}

expr graph::settled_sums(expr e) {
    memo known;
    return settled_sums(e, known);
}

expr graph::settled_sums(expr e, memo& known) {
    const auto& node = (*this)[e];
    if (settles_all_ ? node.bound.empty() : !node.sums) return e;
    if (const auto found = known.find(e); found != known.end()) return found->second;
    expr_list arguments;
    for (const expr a : node.arguments) arguments.push_back(settled_sums(a, known));
    const auto is_sum = [&](expr f) {
        return (*this)[f].kind == kind::sum || (*this)[f].folding == fold::sum;
    };
    const bool joins = node.kind == kind::sum && std::ranges::any_of(factors(arguments[0]), is_sum);
    if (joins || settles_all_ || arguments != node.arguments) e = remade(e, std::move(arguments));
    return known[node.self] = e;
}

expr graph::remade(expr e, expr_list arguments) {
    const auto& node = (*this)[e];
    if (node.kind == kind::sum) return sum(node.over, arguments[0]);
    if (node.kind == kind::fold && settles_all_ && node.folding != fold::softmax &&
        node.folding != fold::sum)
        return folded(node.folding, node.over, arguments[0]);
    if (node.kind == kind::fold) return row(node.folding, node.over, arguments[0]);
    if (node.kind == kind::gather) return regathered(node.self, std::move(arguments));
    if (node.code == opcode::multiply) return multiply(arguments);
    if (node.code == opcode::add) return add(arguments);
    if (node.code == opcode::subtract) return as_written(node.code, std::move(arguments));
    arguments.resize(3);
    return apply(node.code, arguments[0], arguments[1], arguments[2]);
}

expr graph::row(fold folding, loop_list over, expr body) {
    // The softmax of one number is still to be computed; everything else of one number is itself.
    if (folding != fold::softmax) {
        erase_if(over, [&](loop i) { return extent(i) == 1; });
        if (over.empty()) return body;
    }
    if (folding == fold::sum && is_constant(body, 0)) return body;
    // Nothing is folded, whatever else stands below.
    if (size(over) == 0) body = constant(0);
    expression node;
    node.kind = kind::fold;
    node.folding = folding;
    node.over = std::move(over);
    node.arguments = {apart(node.over, body)};
    return intern(std::move(node));
}

expr graph::folded(fold folding, loop_list over, expr body) {
    if (folding == fold::sum) return sum(std::move(over), body);
    erase_if(over, [&](loop i) { return extent(i) == 1; });
    const expr solved = solved_fold(*this, folding, over, apart(over, body));
    return solved ? solved : row(folding, std::move(over), body);
}

expr graph::raised(expr base, std::int64_t times) {
    expr result = constant(1);
    for (expr square = base; times > 0; times /= 2) {
        if (times % 2 == 1) result = multiply({result, square});
        if (times > 1) square = multiply({square, square});
    }
    return result;
}

expr graph::reduce(ir::reduction r, loop_list over, expr body) {
    std::sort(over.begin(), over.end());
    over.erase(std::unique(over.begin(), over.end()), over.end());
    switch (r) {
        case ir::reduction::sum:
            return sum(std::move(over), body);
        case ir::reduction::mean: {
            const auto parts = terms(body);
            const bool contracted =
                std::any_of(parts.begin(), parts.end(), [&](expr t) { return expands(t); });
            const double count = size(over);
            if ((contracted || is_guarded(*this, fold::sum, body)) && count > 0)
                return multiply({constant(1 / count), sum(std::move(over), body)});
            return row(fold::mean, std::move(over), body);
        }
        case ir::reduction::product: {
            // A factor that an index only repeats is a power of it.
            const auto used = common(over, (*this)[body].indices);
            const auto times = static_cast<std::int64_t>(size(without(over, used)));
            return raised(folded(fold::product, used, body), times);
        }
        case ir::reduction::maximum:
            return folded(fold::maximum, std::move(over), body);
        case ir::reduction::minimum:
            return folded(fold::minimum, std::move(over), body);
        case ir::reduction::logsumexp:
            return folded(fold::logsumexp, std::move(over), body);
        case ir::reduction::softmax:
            return row(fold::softmax, std::move(over), body);
        case ir::reduction::argmax:
        case ir::reduction::argmin:
        case ir::reduction::inverse:
        case ir::reduction::cholesky:
        case ir::reduction::determinant:
        case ir::reduction::log_determinant:
        case ir::reduction::log_of_determinant:
        case ir::reduction::cofactors:
        case ir::reduction::solve:
            break;  // equations of their own; see order.cpp
    }
    return body;
}

}  // namespace ricci::plan
