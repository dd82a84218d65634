// Random expressions with infinite slopes, or none, where a bracket hides them: logarithms,
// quotients, powers and roots beside the condition that keeps them from their singular point.
#pragma once

#include <algorithm>
#include <utility>

#include "tests/property/function_generator.hpp"

namespace ricci::testing {

class hidden_generator : protected function_generator {
protected:
    using function_generator::function_generator;
    ~hidden_generator() = default;

    tree hidden(const indices& scope, const indices& wanted, unsigned depth) {
        if (scope.empty() || !allowed_.conditions || !allowed_.positions)
            return expression(scope, wanted, depth - 1);
        const gap g = draw_gap(scope);
        std::vector<tree> all = one(hidden_factors(g, scope, wanted, depth));
        if (chance(25)) all.push_back(tensor_leaf(scope, {}, false));
        cover(all, scope, wanted);
        return all.size() == 1 ? std::move(all[0]) : product_of(std::move(all));
    }
    /// Adds a tensor with the wanted indices that no factor has.
    void cover(std::vector<tree>& factors, const indices& scope, const indices& wanted) {
        indices missing;
        for (const auto& i : wanted)
            if (std::none_of(factors.begin(), factors.end(),
                             [&](const tree& f) { return free_letters(f).count(i) > 0; }))
                missing.push_back(i);
        if (!missing.empty()) factors.push_back(leaf(scope, missing));
    }

    /// Marked as what is written so, or not at all.
    static tree whole(tree t) {
        t.whole = true;
        return t;
    }

private:
    /// A condition, and a number that is above 0 where it holds and may be 0 elsewhere.
    struct gap {
        tree condition;
        tree size;
    };

    gap draw_gap(const indices& scope) {
        const std::string i = pick(scope), j = pick(scope);
        tree place = position_tree(i);
        place.style = below(100);
        if (i != j && chance(40)) {
            tree difference = make_tree(
                ir::op::add,
                two(place, make_tree(ir::op::multiply, two(number_tree(-1), position_tree(j)))));
            return {compare(ir::comparison::not_equal, place, position_tree(j)),
                    apply_tree(ir::function::absolute, one(std::move(difference)))};
        }
        const bool first = chance(60);
        if (first) return {compare(ir::comparison::less, number_tree(0), place), place};
        tree difference = make_tree(ir::op::add, two(place, number_tree(-1)));
        return {compare(ir::comparison::not_equal, place, number_tree(1)),
                apply_tree(ir::function::absolute, one(std::move(difference)))};
    }
    tree compare(ir::comparison c, tree a, tree b) {
        tree t =
            make_tree(ir::op::compare, two(std::move(a), std::move(b)), static_cast<unsigned>(c));
        t.style = below(1000);
        return t;
    }
    tree product_of(std::vector<tree> factors) {
        std::shuffle(factors.begin(), factors.end(), random_);
        tree t = make_tree(ir::op::multiply, std::move(factors));
        t.whole = true;
        t.style = below(10000);
        return t;
    }
    /// Infinite where the size of a gap is 0.
    tree singular(tree size) {
        switch (below(3)) {
            case 0:
                return apply_tree(ir::function::log, one(std::move(size)));
            case 1:
                return make_tree(ir::op::divide, two(number_tree(1), std::move(size)));
            default:
                return make_tree(ir::op::power, two(std::move(size), number_tree(-0.5)));
        }
    }
    /// An implied sum would stand in front of the condition too, which hides nothing outside it.
    static void write_sums(tree& t) {
        if (binds(t)) t.style -= t.style % 3;
        if (t.kind != ir::op::multiply && t.kind != ir::op::divide && !binds(t)) return;
        for (tree& child : t.children) write_sums(child);
    }
    /// The condition and one or two factors that change.
    tree masked(const gap& g, const indices& scope, const indices& wanted, unsigned depth,
                bool positive_ones) {
        std::vector<tree> factors = one(g.condition);
        const unsigned count = 1 + below(2);
        for (unsigned k = 0; k < count; ++k) {
            const indices some = some_of(wanted, 50);
            factors.push_back(positive_ones ? positive(scope, some, depth - 1)
                                            : expression(scope, some, depth - 1));
            write_sums(factors.back());
        }
        return product_of(std::move(factors));
    }
    tree hidden_factors(const gap& g, const indices& scope, const indices& wanted, unsigned depth) {
        static const double exponents[] = {0.5, -1, 1.5, -0.5};
        const auto inside = [&](bool sure) { return masked(g, scope, wanted, depth, sure); };
        switch (below(7)) {
            case 0:
            case 1:  // \log(i) ([i > 0] a b)
                return product_of(two(whole(singular(g.size)), inside(false)));
            case 2:  // ([i > 0] a b) / i
                return whole(make_tree(ir::op::divide, two(inside(false), g.size)));
            case 3:  // [i > 0] a \log([i > 0] b c)
                return product_of(
                    two(inside(false), whole(apply_tree(ir::function::log, one(inside(true))))));
            case 4:  // ([i > 0] a) / ([i > 0] b)
                return whole(make_tree(ir::op::divide, two(inside(false), inside(true))));
            case 5: {  // ([i > 0] a b)^{1/2} ([i > 0] c)
                tree exponent = number_tree(exponents[below(4)]);
                tree power = make_tree(ir::op::power, two(inside(true), std::move(exponent)));
                return product_of(two(whole(std::move(power)), inside(false)));
            }
            default:  // \sqrt{[i > 0] a b}
                return whole(apply_tree(ir::function::sqrt, one(inside(true))));
        }
    }
};

}  // namespace ricci::testing
