// Random valid programs: what they are made of is drawn from everything that the notation has.
#pragma once

#include <algorithm>
#include <cmath>
#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/property/given.hpp"
#include "tests/property/hidden_generator.hpp"

namespace ricci::testing {

class generator final : hidden_generator {
public:
    generator(unsigned seed, constructs allowed) : hidden_generator(seed, allowed) {}

    random_program run() {
        static const char* const all[] = {"i", "j", "k", "l", "a", "b", "\\mu", "\\nu"};
        for (const char* letter : all) p_.extents[letter] = below(8) == 0 ? 1 : 1 + below(4);
        if (allowed_.twins)
            for (const char* letter : all)
                p_.extents[std::string(letter) + twin_mark] = 1 + below(4);
        // Some of no values, drawn apart: the rest of a seed's program does not depend on it.
        std::mt19937 empty(p_.seed * 2654435761u + 3);
        if (empty() % 5 == 0) p_.extents[all[empty() % std::size(all)]] = 0;
        // Two so long that folds up to an index are made in one pass.
        if (p_.seed % 16 == 3) p_.extents["i"] = p_.extents["j"] = 8 + empty() % 3;
        p_.keep_all = chance(50);
        p_.give_extents = chance(40);
        const unsigned equations = 1 + below(4);
        for (unsigned k = 0; k < equations; ++k) add_equation();
        if (!asks_for_twins(p_)) return std::move(p_);
        allowed_.twins = false;  // what the caller gives a letter holds wherever it stands
        return generator(p_.seed, allowed_).run();
    }

private:
    // Equations -----------------------------------------------------------------------------------

    void add_equation() {
        definition e = equation();
        std::vector<std::int64_t> extents;
        for (const auto& a : e.left) extents.push_back(reach(p_, a));
        e.tensor = declare(extents, false, &e.body);
        p_.tensors[e.tensor].defined = true;
        p_.equations.push_back(std::move(e));
    }
    definition equation() {
        definition e;
        e.style = below(1000);
        const indices left = fresh({}, below(4));
        e.body = expression(left, left, 3);
        const unsigned terms = below(3);
        if (terms > 0) {  // the other terms may lack indices of the left: they are broadcast
            std::vector<tree> all;
            all.push_back(std::move(e.body));
            for (unsigned k = 0; k < terms; ++k)
                all.push_back(expression(left, some_of(left, 60), 2));
            std::shuffle(all.begin(), all.end(), random_);
            e.body = make_tree(ir::op::add, std::move(all));
        }
        for (const auto& i : left) e.left.push_back(index_axis(i));
        if (allowed_.merged && left.size() > 1 && chance(20)) {
            e.left.back().kind = ir::position_kind::merged;
            e.left.back().terms.insert(e.left.back().terms.begin(),
                                       e.left[e.left.size() - 2].terms[0]);
            e.left.erase(e.left.end() - 2);
        }
        return e;
    }

    // Expressions: every free index is in `scope`, and all of `wanted` are free -------------------

    tree expression(const indices& scope, const indices& wanted, unsigned depth) override {
        tree t = depth == 0 ? leaf(scope, wanted) : inner(scope, wanted, depth);
        t.style = below(10000);
        return t;
    }
    tree inner(const indices& scope, const indices& wanted, unsigned depth) {
        if (p_.seed % 4 == 3 && depth > 1 && chance(35)) return of_one_letter(scope, wanted, depth);
        if (allowed_.hidden && p_.seed % 4 == 2 && chance(20)) return hidden(scope, wanted, depth);
        switch (below(20)) {
            case 0:
            case 1:
            case 2:
            case 3:
                return product(scope, wanted, depth);
            case 4:
            case 5:
            case 6:
                return contraction(scope, wanted, depth);
            case 7:
            case 8:
                return sum(scope, wanted, depth);
            case 9:
                return make_tree(ir::op::divide,
                                 two(expression(scope, wanted, depth - 1),
                                     positive(scope, some_of(scope, 40), depth - 1)));
            case 10:
            case 11:
                return function(scope, wanted, depth);
            case 12:
                return reduction(scope, wanted, depth);
            case 13:
                return normalised(scope, wanted, depth);
            case 14:
                return power(scope, wanted, depth);
            case 15:
                return piecewise(scope, wanted, depth);
            case 16:
                return masked_product(scope, wanted, depth);
            case 17:
                return with_delta(scope, wanted, depth);
            case 18:
                return with_position(scope, wanted, depth);
            default:
                return leaf(scope, wanted);
        }
    }

    tree product(const indices& scope, const indices& wanted, unsigned depth) {
        std::vector<tree> factors;
        if (chance(25)) factors.push_back(number_tree(constant()));
        const unsigned count = 2 + below(2);
        for (unsigned k = 0; k < count; ++k)
            factors.push_back(expression(scope, some_of(wanted, 50), depth - 1));
        cover(factors, scope, wanted);
        return make_tree(ir::op::multiply, std::move(factors));
    }
    tree contraction(const indices& scope, const indices& wanted, unsigned depth) {
        const indices bound = fresh(scope, 1 + below(2));
        if (bound.empty()) return product(scope, wanted, depth);
        const indices inside = joined(scope, bound);
        std::vector<tree> factors;
        const unsigned count = 1 + below(3);
        for (unsigned k = 0; k < count; ++k)
            factors.push_back(
                expression(inside, joined(some_of(wanted, 50), k < 2 ? bound : some_of(bound, 40)),
                           depth - 1));
        cover(factors, inside, joined(wanted, bound));
        tree body = factors.size() == 1 ? std::move(factors[0])
                                        : make_tree(ir::op::multiply, std::move(factors));
        body.style = below(10000);
        return reduce_tree(ir::reduction::sum, bound, std::move(body));
    }
    tree sum(const indices& scope, const indices& wanted, unsigned depth) {
        std::vector<tree> terms;
        terms.push_back(expression(scope, wanted, depth - 1));
        terms.push_back(expression(scope, some_of(wanted, 60), depth - 1));
        if (chance(40))
            terms[1] = make_tree(ir::op::multiply, two(number_tree(-1), std::move(terms[1])));
        if (chance(20)) terms.push_back(number_tree(std::abs(constant())));
        return make_tree(ir::op::add, std::move(terms));
    }

    tree reduction(const indices& scope, const indices& wanted, unsigned depth) {
        static const ir::reduction all[] = {ir::reduction::mean, ir::reduction::logsumexp,
                                            ir::reduction::product, ir::reduction::maximum,
                                            ir::reduction::minimum};
        const indices bound = fresh(scope, chance(80) ? 1 : 2);
        if (bound.empty()) return product(scope, wanted, depth);
        const ir::reduction kind = all[below(allowed_.extrema ? 5 : 3)];
        const indices inside = joined(scope, bound), all_wanted = joined(wanted, bound);
        if (kind == ir::reduction::product)
            return reduce_tree(kind, bound, bounded(inside, all_wanted, depth - 1));
        tree body = expression(inside, all_wanted, depth - 1);
        if (allowed_.conditions && chance(20)) return conditional(scope, bound, std::move(body));
        const bool log_sum = allowed_.written_out && chance(20);
        if (log_sum)
            return apply_tree(
                ir::function::log,
                one(reduce_tree(ir::reduction::sum, bound,
                                apply_tree(ir::function::exp, one(std::move(body))))));
        return reduce_tree(kind, bound, std::move(body));
    }
    /// A product of folds over one letter, each under a condition of its own, in a sum over another.
    tree of_one_letter(const indices& scope, const indices& wanted, unsigned depth) {
        const indices outer = fresh(scope, 1);
        const indices inside = joined(scope, outer);
        const indices letter = fresh(inside, 1);
        if (outer.empty() || letter.empty()) return product(scope, wanted, depth);
        std::vector<tree> factors;
        const unsigned count = 2 + below(2);
        for (unsigned k = 0; k < count; ++k)
            factors.push_back(folded(inside, some_of(joined(wanted, outer), 40), letter));
        if (chance(40)) factors.push_back(condition(inside, 0));
        cover(factors, inside, joined(wanted, outer));
        std::shuffle(factors.begin(), factors.end(), random_);
        tree body = make_tree(ir::op::multiply, std::move(factors));
        const bool one = chance(25);  // the outer fold is another one
        return reduce_tree(one ? ir::reduction::mean : ir::reduction::sum, outer, std::move(body));
    }
    tree folded(const indices& scope, const indices& wanted, const indices& letter) {
        static const ir::reduction all[] = {ir::reduction::sum,       ir::reduction::sum,
                                            ir::reduction::mean,      ir::reduction::sum,
                                            ir::reduction::logsumexp, ir::reduction::maximum,
                                            ir::reduction::minimum,   ir::reduction::softmax};
        const auto kind = all[below(allowed_.smooth_only ? 5 : 8)];
        tree body = expression(joined(scope, letter), joined(wanted, letter), below(2));
        if (chance(80)) {
            tree c = bound_on(letter[0], scope);
            const bool sums = kind == ir::reduction::sum || kind == ir::reduction::mean;
            std::vector<tree> parts = two(std::move(body), std::move(c));
            if (sums && chance(50)) std::swap(parts[0], parts[1]);
            if (!sums) parts.push_back(number_tree(0.25));
            body = make_tree(sums ? ir::op::multiply : ir::op::choose, std::move(parts));
            body.style = below(100);
        }
        if (kind != ir::reduction::softmax) return reduce_tree(kind, letter, std::move(body));
        tree weights = reduce_tree(kind, letter, std::move(body));
        return reduce_tree(
            ir::reduction::sum, letter,
            make_tree(ir::op::multiply,
                      two(std::move(weights), expression(joined(scope, letter), letter, 0))));
    }
    tree bound_on(const std::string& letter, const indices& scope) {
        static const ir::comparison all[] = {ir::comparison::less, ir::comparison::less_equal,
                                             ir::comparison::less, ir::comparison::not_equal};
        std::vector<tree> sides = two(position_tree(letter), position_tree(pick(scope)));
        if (chance(20)) sides[1] = make_tree(ir::op::add, two(std::move(sides[1]), number_tree(1)));
        if (chance(50)) std::swap(sides[0], sides[1]);
        tree t = make_tree(ir::op::compare, std::move(sides), static_cast<unsigned>(all[below(4)]));
        t.style = below(1000);
        return t;
    }
    /// Over what a condition leaves, which a mean needs to be something.
    tree conditional(const indices& scope, const indices& bound, tree body) {
        const bool some = std::all_of(bound.begin(), bound.end(),
                                      [&](const std::string& i) { return p_.extent(i) > 0; });
        if (some && (allowed_.smooth_only || chance(50))) {
            tree holds = make_tree(ir::op::compare, two(position_tree(bound[0]), place(scope)),
                                   static_cast<unsigned>(ir::comparison::less_equal));
            tree count = whole(reduce_tree(ir::reduction::sum, bound, holds));
            count.value = ir::some_place;
            tree each = whole(make_tree(ir::op::multiply, two(std::move(holds), std::move(body))));
            tree all = whole(reduce_tree(ir::reduction::sum, bound, std::move(each)));
            return whole(make_tree(ir::op::divide, two(std::move(all), std::move(count))));
        }
        const bool least = chance(50);
        std::vector<tree> parts = two(std::move(body), condition(joined(scope, bound)));
        parts.push_back(number_tree(least ? HUGE_VAL : -HUGE_VAL));
        return reduce_tree(least ? ir::reduction::minimum : ir::reduction::maximum, bound,
                           make_tree(ir::op::choose, std::move(parts)));
    }
    tree normalised(const indices& scope, const indices& wanted, unsigned depth) {
        if (scope.empty()) return leaf(scope, wanted);
        const std::string over = pick(scope);
        tree body = expression(scope, joined(wanted, {over}), depth - 1);
        if (allowed_.written_out && chance(25) && !has(scope, over + "'") &&
            mentions(body, over + "'") == 0 && over.back() != '\'') {
            tree other = body;
            rename(other, over, over + "'");
            tree numerator = apply_tree(ir::function::exp, one(std::move(body)));
            numerator.style = below(100);
            tree denominator = reduce_tree(ir::reduction::sum, {over + "'"},
                                           apply_tree(ir::function::exp, one(std::move(other))));
            denominator.positive = denominator.children[0].positive = true;
            return make_tree(ir::op::divide, two(std::move(numerator), std::move(denominator)));
        }
        if (allowed_.masks && chance(35)) {
            std::vector<tree> parts = two(std::move(body), condition(scope));
            parts.push_back(number_tree(-HUGE_VAL));
            body = make_tree(ir::op::choose, std::move(parts));
            body.style = below(100);
        }
        indices list{over};
        if (scope.size() > 1 && chance(15)) list = joined(list, {pick(scope)});
        for (const auto& i : list)
            if (free_letters(body).count(i) == 0) list = {over};
        return reduce_tree(ir::reduction::softmax, list, std::move(body));
    }

    tree piecewise(const indices& scope, const indices& wanted, unsigned depth) {
        std::vector<tree> parts;
        parts.push_back(expression(scope, wanted, depth - 1));
        parts.push_back(condition(scope));
        if (chance(30)) {
            parts.push_back(expression(scope, some_of(wanted, 50), depth - 1));
            parts.push_back(condition(scope));
        }
        parts.push_back(chance(30) ? number_tree(std::abs(constant()))
                                   : expression(scope, some_of(wanted, 50), depth - 1));
        return make_tree(ir::op::choose, std::move(parts));
    }
    tree masked_product(const indices& scope, const indices& wanted, unsigned depth) {
        std::vector<tree> factors = two(expression(scope, wanted, depth - 1), condition(scope));
        if (chance(50)) std::swap(factors[0], factors[1]);
        return make_tree(ir::op::multiply, std::move(factors));
    }

    // Deltas and positions ------------------------------------------------------------------------

    tree with_delta(const indices& scope, const indices& wanted, unsigned depth) {
        if (!allowed_.deltas) return product(scope, wanted, depth);
        const bool summed = chance(60);
        const indices bound = summed ? fresh(scope, 1) : indices{};
        const indices inside = joined(scope, bound);
        if (inside.empty() || (summed && bound.empty())) return leaf(scope, wanted);
        const std::string i = summed ? bound[0] : pick(inside);
        indices partners;
        for (const auto& j : inside)
            if (j != i && p_.extent(j) == p_.extent(i)) partners.push_back(j);
        if (partners.empty()) return product(scope, wanted, depth);
        tree d;
        d.kind = ir::op::delta;
        d.axes = {index_axis(i), index_axis(pick(partners))};
        if (chance(50)) std::swap(d.axes[0], d.axes[1]);
        d.style = below(100);
        std::vector<tree> factors =
            two(std::move(d), expression(inside, joined(some_of(wanted, 60), bound), depth - 1));
        cover(factors, inside, wanted);
        tree body = make_tree(ir::op::multiply, std::move(factors));
        return summed ? reduce_tree(ir::reduction::sum, bound, std::move(body)) : body;
    }
    tree with_position(const indices& scope, const indices& wanted, unsigned depth) {
        if (!allowed_.positions || scope.empty()) return product(scope, wanted, depth);
        tree place = position_tree(pick(scope));
        if (chance(30)) place = make_tree(ir::op::divide, two(std::move(place), number_tree(4)));
        else if (chance(30)) place = apply_tree(ir::function::sin, one(std::move(place)));
        else if (chance(30))
            place = make_tree(ir::op::power, two(number_tree(0.5), std::move(place)));
        place.style = below(100);
        std::vector<tree> factors = two(std::move(place), expression(scope, wanted, depth - 1));
        if (chance(40)) std::swap(factors[0], factors[1]);
        return make_tree(ir::op::multiply, std::move(factors));
    }
};

}  // namespace ricci::testing
