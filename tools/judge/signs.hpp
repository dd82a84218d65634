// What is known of the signs of expressions, and which signs that leaves to others.
#pragma once

#include <utility>
#include <vector>

#include <ricci/ir/normal_term.hpp>
#include <ricci/ir/program.hpp>

#include "judge/rational.hpp"

namespace ricci::judge {

/// Signs that are assumed of expressions of one program. An expression is a linear one in its
/// products, each taken for a number of its own; what follows is found by elimination.
class sign_facts {
public:
    sign_facts() = default;
    /// `positive`: tensors all of whose numbers are.
    explicit sign_facts(std::vector<ir::ref> positive) : positive_(std::move(positive)) {}

    /// Assumes that an expression is negative, 0 or positive: sign is -1, 0 or 1.
    void assume(ir::program& p, ir::ref n, int sign);
    /// Whether no numbers have all the signs that are assumed, and this one.
    bool exclude(ir::program& p, ir::ref n, int sign);

private:
    /// constant + \sum_k factors[k] products[k], and how it compares with 0.
    enum class relation { zero, positive, not_negative };
    struct form {
        std::vector<rational> factors;
        rational constant;
        sign_facts::relation relation = relation::zero;
        bool known = true;  // false: too large to be said
    };
    form form_of(ir::program& p, ir::ref n, int sign);
    std::size_t number_of(ir::program& p, ir::ref product);
    static bool contradict(std::vector<form> forms);
    static bool holds_of_constants(const std::vector<form>& forms);
    static bool eliminate(std::vector<form>& forms, std::size_t k);

    bool is_above_zero(const ir::program& p, const ir::normal_factor& f) const;

    std::vector<ir::ref> positive_;
    std::vector<ir::ref> products_;
    std::vector<form> of_products_;  // squares are no less than 0
    std::vector<form> facts_;
};

}  // namespace ricci::judge
