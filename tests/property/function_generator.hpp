// Random functions of one or two expressions, and the arguments that suit them.
#pragma once

#include <iterator>
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
        if (chance(8) && allowed_.own_functions) {
            tree t = apply_tree(ir::function::exp, one(bounded(scope, wanted, depth - 1)));
            t.own = chance(50) ? own_function::square_plus : own_function::mixed;
            if (t.own == own_function::mixed)
                t.children.push_back(expression(scope, some_of(wanted, 50), depth - 1));
            return t;
        }
        for (;;) {
            const auto f = static_cast<ir::function>(
                below(static_cast<unsigned>(std::size(ir::function_table::entries))));
            if (allowed_.smooth_only && !is_smooth(f)) continue;
            switch (suits(f)) {
                case argument::none:
                    continue;
                case argument::bounded:
                    return apply_tree(f, one(bounded(scope, wanted, depth)));
                case argument::positive:
                    return apply_tree(f, one(positive(scope, wanted, depth)));
                case argument::any:
                    return apply_tree(f, one(expression(scope, wanted, depth - 1)));
                case argument::input:
                    return apply_tree(f, one(input_leaf(scope, wanted)));
                case argument::two:
                    return apply_tree(f, two(expression(scope, wanted, depth - 1),
                                             expression(scope, some_of(wanted, 60), depth - 1)));
            }
        }
    }

    /// What a function takes without leaving its range or jumping where two evaluations differ.
    enum class argument { none, bounded, positive, any, input, two };
    static argument suits(ir::function f) {
        switch (f) {
            case ir::function::logical_not:
            case ir::function::modulo:
            case ir::function::conjugate:
                return argument::none;
            case ir::function::log:
            case ir::function::sqrt:
                return argument::positive;
            case ir::function::sin:
            case ir::function::cos:
            case ir::function::tanh:
            case ir::function::sigmoid:
            case ir::function::gelu:
            case ir::function::silu:
            case ir::function::erf:
            case ir::function::absolute:
            case ir::function::relu:
            case ir::function::elu:
                return argument::any;
            case ir::function::sign:
            case ir::function::floor:
                return argument::input;
            default:
                return ir::entry_of(f).arguments == 2 ? argument::two : argument::bounded;
        }
    }
    static bool is_smooth(ir::function f) {
        switch (f) {
            case ir::function::absolute:
            case ir::function::relu:
            case ir::function::elu:
            case ir::function::sign:
            case ir::function::floor:
            case ir::function::imaginary:  // its gradient needs tensors of complex numbers
            case ir::function::maximum:
            case ir::function::minimum:
                return false;
            default:
                return true;
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
