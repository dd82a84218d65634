// Random conditions on positions and values.
#pragma once

#include <utility>

#include "tests/property/tensor_generator.hpp"

namespace ricci::testing {

class condition_generator : protected tensor_generator {
protected:
    using tensor_generator::tensor_generator;

    tree place(const indices& scope) {
        if (scope.empty() || chance(10)) return number_tree(below(3));
        tree t = position_tree(pick(scope));
        switch (below(5)) {
            case 0:
                return make_tree(ir::op::add, two(std::move(t), position_tree(pick(scope))));
            case 1:
                return apply_tree(ir::function::modulo, two(std::move(t), number_tree(2)));
            case 2: {
                tree difference = make_tree(
                    ir::op::add,
                    two(std::move(t), make_tree(ir::op::multiply,
                                                two(number_tree(-1), position_tree(pick(scope))))));
                tree size = apply_tree(ir::function::absolute, one(std::move(difference)));
                size.style = below(10);
                return size;
            }
            default:
                return t;
        }
    }
    tree condition(const indices& scope, unsigned depth = 2) {
        tree t;
        if (!allowed_.conditions) {
            t = make_tree(ir::op::compare, two(number_tree(0), number_tree(1)));
        } else if (depth > 0 && chance(25)) {
            const auto c = chance(50) ? ir::comparison::logical_and : ir::comparison::logical_or;
            t = make_tree(ir::op::compare,
                          two(condition(scope, depth - 1), condition(scope, depth - 1)),
                          static_cast<unsigned>(c));
        } else if (depth > 0 && chance(12)) {
            t = apply_tree(ir::function::logical_not, one(condition(scope, depth - 1)));
        } else {
            static const ir::comparison all[] = {ir::comparison::less, ir::comparison::less_equal,
                                                 ir::comparison::less_equal, ir::comparison::equal,
                                                 ir::comparison::not_equal};
            const bool data = !allowed_.smooth_only && chance(15);
            tree a = data ? input_leaf(scope, {}) : place(scope);
            tree b = data ? number_tree(0.25) : place(scope);
            t = make_tree(ir::op::compare, two(std::move(a), std::move(b)),
                          static_cast<unsigned>(all[data ? 0 : below(5)]));
        }
        t.style = below(1000);
        return t;
    }
};

}  // namespace ricci::testing
