// Logarithms of what exponentials are made of, computed without the exponentials.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "src/plan/rewrite/factored.hpp"

namespace ricci::plan {

/// \log s of a softmax s of v is v less the log-sum-exp of v, \log \sigma(x) is a softplus, and
/// \log(1 + \exp(x)) is moderate where \exp(x) is not.
class logarithms {
public:
    /// What is known of the equation that is read.
    struct context {
        std::function<const factored&(expr)> factor;  // a part of it, as far as it is exponentials
        std::function<expr(expr)> stable;             // what is computed in the place of a part
        std::function<expr(expr)> of_tensor;          // the logarithm of one that is read, or none
        std::function<bool(expr)> is_given;           // whether all that an expression reads is
    };

    logarithms(graph& values, context known) : values_(values), known_(std::move(known)) {}

    /// \log e; none where the logarithm of what e comes to is as good.
    expr of(expr e);
    /// Of a value that has exponentials: the sum of its exponents, and the logarithm of the rest.
    expr of(const factored& f);
    /// Of a sum with exponentials among its terms, all of which are positive.
    expr of_positive_sum(expr sum);

private:
    /// A term of a sum, as sign * \exp(exponent).
    struct term {
        expr exponent;
        expr sign;  // none: 1
    };

    void take_from(expr v, const loop_list& over, double times, expr_list& terms, expr_list& small);
    expr of_softmax(const expression& softmax);
    expr of_sum(expr sum);
    std::vector<term> terms_of(expr sum);
    expr of_product(expr product);
    expr of_power(expr base, double exponent);
    expr of_total(expr sum, const std::vector<term>& terms);
    expr below_one(expr sum);
    term term_of(expr e);

    expr times(double number, expr e) { return values_.multiply({values_.constant(number), e}); }
    expr apply(ir::function f, expr e) { return values_.apply(code_of(f), e); }
    bool is(expr e, ir::function f) const {
        return values_[e].kind == kind::operation && values_[e].code == code_of(f);
    }

    graph& values_;
    context known_;
};

}  // namespace ricci::plan
