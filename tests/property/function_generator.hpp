// Random functions of one or two expressions, and the arguments that suit them.
#pragma once

#include <utility>

#include "tests/property/condition_generator.hpp"

namespace ricci::testing {

class function_generator : protected condition_generator {
protected:
    using condition_generator::condition_generator;
    ~function_generator() = default;

    /// Any expression: every free index is in `scope`, and all of `wanted` are free.
    virtual tree expression(const indices& scope, const indices& wanted, unsigned depth) = 0;

    /// Something that stays in about [0.5, 40].
    tree positive(const indices& scope, const indices& wanted, unsigned depth) {
        tree t;
        switch (below(depth == 0 ? 2 : 5)) {
            case 0:
                t = tensor_leaf(scope, wanted, true);
                break;
            case 1:
                t = wanted.empty() ? number_tree(0.5 + std::abs(constant()))
                                   : tensor_leaf(scope, wanted, true);
                break;
            case 2:
                t = make_tree(ir::op::add,
                              two(number_tree(1),
                                  make_tree(ir::op::power, two(bounded(scope, wanted, depth - 1),
                                                               number_tree(2)))));
                break;
            case 3:
                t = make_tree(ir::op::add, two(number_tree(0.5),
                                               apply_tree(ir::function::exp,
                                                          one(bounded(scope, wanted, depth - 1)))));
                break;
            default:
                t = make_tree(
                    ir::op::add,
                    two(number_tree(1.5),
                        apply_tree(ir::function::sin, one(expression(scope, wanted, depth - 1)))));
                break;
        }
        t.positive = true;
        t.style = below(10000);
        return t;
    }
    /// Something in about [-1, 1].
    tree bounded(const indices& scope, const indices& wanted, unsigned depth) {
        if (depth == 0 || chance(40)) return tensor_leaf(scope, wanted, false);
        const auto f = chance(60) ? ir::function::tanh : ir::function::cos;
        tree t = apply_tree(f, one(expression(scope, wanted, depth - 1)));
        t.style = below(10000);
        return t;
    }
    tree function(const indices& scope, const indices& wanted, unsigned depth) {
        const unsigned which = below(allowed_.smooth_only ? 11 : 18);
        const auto any = [&](ir::function f) {
            return apply_tree(f, one(expression(scope, wanted, depth - 1)));
        };
        switch (which) {
            case 0:
                return apply_tree(ir::function::exp, one(bounded(scope, wanted, depth)));
            case 1:
                return apply_tree(ir::function::log, one(positive(scope, wanted, depth)));
            case 2:
                return apply_tree(ir::function::sqrt, one(positive(scope, wanted, depth)));
            case 3:
                return any(ir::function::sin);
            case 4:
                return any(ir::function::cos);
            case 5:
                return any(ir::function::tanh);
            case 6:
                return any(ir::function::sigmoid);
            case 7:
                return any(ir::function::gelu);
            case 8:
                return any(ir::function::silu);
            case 9:
                return any(ir::function::erf);
            case 10: {
                if (!allowed_.own_functions) return any(ir::function::sigmoid);
                tree t = apply_tree(ir::function::exp, one(bounded(scope, wanted, depth - 1)));
                t.own = chance(50) ? own_function::square_plus : own_function::mixed;
                if (t.own == own_function::mixed)
                    t.children.push_back(expression(scope, some_of(wanted, 50), depth - 1));
                return t;
            }
            case 11:
                return any(ir::function::absolute);
            case 12:
                return any(ir::function::relu);
            case 13:
                return any(ir::function::elu);
            case 14:
                return apply_tree(ir::function::sign, one(input_leaf(scope, wanted)));
            case 15:
                return apply_tree(chance(50) ? ir::function::maximum : ir::function::minimum,
                                  two(expression(scope, wanted, depth - 1),
                                      expression(scope, some_of(wanted, 60), depth - 1)));
            case 16:
                return apply_tree(ir::function::floor, one(input_leaf(scope, wanted)));
            default:
                return any(ir::function::absolute);
        }
    }

    tree power(const indices& scope, const indices& wanted, unsigned depth) {
        static const double any[] = {2, 3, 2, 1, 0}, safe[] = {-1, 0.5, -0.5, -2, 1.5};
        if (chance(50))
            return make_tree(ir::op::power,
                             two(bounded(scope, wanted, depth), number_tree(any[below(5)])));
        if (chance(60))
            return make_tree(ir::op::power,
                             two(positive(scope, wanted, depth), number_tree(safe[below(5)])));
        return make_tree(ir::op::power, two(positive(scope, wanted, depth - 1),
                                            bounded(scope, some_of(wanted, 50), depth - 1)));
    }
};

}  // namespace ricci::testing
