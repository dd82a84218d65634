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
    /// A factor of a value, by its logarithm: that of a positive one, or power * \log value of one
    /// that may be negative. Several of these have one logarithm, of their product.
    struct part {
        expr value;
        double power = 0;  // 0: the value is a logarithm
    };
    using parts = std::vector<part>;

    /// What is known of the equation that is read.
    struct context {
        std::function<const factored&(expr)> factor;  // a part of it, as far as it is exponentials
        std::function<expr(expr)> stable;             // what is computed in the place of a part
        std::function<parts(expr)> of_tensor;         // the same of one that is read, or none
        std::function<bool(expr)> is_given;           // whether all that an expression reads is
        std::function<bool(expr)> is_nonnegative;     // whether an expression is 0 or more
    };

    logarithms(graph& values, context known) : values_(values), known_(std::move(known)) {}

    /// \log e; none where the logarithm of what e comes to is as good.
    expr of(expr e);
    /// Of a value that has exponentials: the sum of its exponents, and the logarithm of the rest.
    expr of(const factored& f);
    /// The factors of such values; none as well.
    parts parts_of(expr e);
    parts parts_of(const factored& f);
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
    parts parts_of_factor(expr e);
    parts without_signs(parts all);
    parts of_sum(expr sum);
    std::vector<term> terms_of(expr sum);
    parts of_product(expr product);
    parts of_fold(const expression& product);
    parts of_power(expr base, double exponent);
    parts of_total(expr sum, const std::vector<term>& terms);
    bool may_be_negative(const part& p) const {
        return p.power != 0 && !known_.is_nonnegative(p.value);
    }
    /// The logarithm of their product.
    expr total(const parts& all);
    expr log(expr e) { return apply(ir::function::log, e); }
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
