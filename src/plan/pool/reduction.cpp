// Building the planner's sums and folds: what is left to a contraction, and what is one pass over
// rows.
#include <algorithm>

#include "src/plan/pool/expression.hpp"
#include "src/plan/pool/solve_places.hpp"
#include "src/plan/pool/unroll.hpp"

namespace ricci::plan {

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
    const auto terms = this->terms(bracket);
    const auto negative = [&](expr t) {
        const auto& first = (*this)[factors(t)[0]];
        return first.kind == kind::constant && first.value < 0;
    };
    const auto subtracted = std::count_if(terms.begin(), terms.end(), negative);
    const bool as_one = (*this)[bracket].code == opcode::subtract;
    if (!as_one && (terms.size() != 2 || subtracted != 1)) return false;
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
        if (keeps_difference(over, body, all[k])) return row(fold::sum, over, body);
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
    if (const expr split = distributed(over, body)) return split;

    // A sum that is a factor here and nowhere else joins this one: the order of all its products is
    // then chosen together. Its indices have to be new to the other factors.
    const auto all = factors(body);
    for (std::size_t k = 0; k < all.size(); ++k) {
        const auto& inner = (*this)[all[k]];
        if (inner.kind != kind::sum || inner.uses > 1) continue;
        auto others = over;
        for (std::size_t other = 0; other < all.size(); ++other)
            if (other != k) others = united(others, (*this)[all[other]].indices);
        if (!common(inner.over, others).empty()) continue;
        const auto joined = united(over, inner.over);
        expr_list product(all.begin(), all.end());
        product[k] = inner.arguments[0];
        return sum(joined, multiply(product));
    }
    expression node;
    node.kind = kind::sum;
    node.over = std::move(over);
    node.arguments = {body};
    return intern(std::move(node));
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
            if (contracted && count > 0)
                return multiply({constant(1 / count), sum(std::move(over), body)});
            return row(fold::mean, std::move(over), body);
        }
        case ir::reduction::product: {
            // A factor that an index only repeats is a power of it.
            const auto used = common(over, (*this)[body].indices);
            const auto times = static_cast<std::int64_t>(size(without(over, used)));
            return raised(row(fold::product, used, body), times);
        }
        case ir::reduction::maximum:
            return row(fold::maximum, std::move(over), body);
        case ir::reduction::minimum:
            return row(fold::minimum, std::move(over), body);
        case ir::reduction::logsumexp:
            return row(fold::logsumexp, std::move(over), body);
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
