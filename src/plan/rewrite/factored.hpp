// Values as a coefficient times powers of exponentials, and how such products multiply.
#pragma once

#include <vector>

#include "src/plan/pool/form.hpp"
#include "src/plan/rewrite/signs.hpp"

namespace ricci::plan {

/// (\sum_over \exp(exponent))^times; without `over` the exponential itself. Of a sum of weighted
/// exponentials, \sum_over w \exp(v), the exponent is v + \log |w|, the coefficient the sum of the
/// signs by the softmax of that.
struct exponential {
    double times = 1;
    expr exponent;
    loop_list over;
    expr written;        // to the power 1, as the text has it
    expr weights;        // w
    expr bare;           // v
    bool total = false;  // \exp(exponent) is a sum of several terms, all of them positive
};

/// \sum_over \exp(exponent)
struct exponential_sum {
    expr exponent;
    loop_list over;
};

/// A value as coefficient * exponentials.
struct factored {
    expr written;      // as the text has it, but for what cancels inside
    expr coefficient;  // none: 1
    std::vector<exponential> exponentials;
    bool cancels = false;  // `written` is less stable than the product
};

/// Multiplies such values: powers of one exponential are one power.
class exponential_products {
public:
    exponential_products(graph& values, forms& of, known_signs& signs)
        : values_(values), forms_(of), signs_(signs) {}

    /// f *= g^power.
    void multiply(factored& f, const factored& g, double power);
    void multiply(factored& f, exponential x);

    /// An exponential divided by a sum over exponentials of the same exponent becomes a softmax, in
    /// the coefficient.
    factored settled(factored f);

    /// Brackets in the coefficient of a single exponential become part of it: [c] \exp(x) is \exp
    /// of x where c holds and of -\infty elsewhere.
    void take_in_brackets(factored& f);

    /// \exp(x)^t as \exp(t x); the same where the exponent has taken in brackets.
    exponential first_power(exponential x);

    /// Takes out of a product, which may be none, the brackets that do not depend on the loops.
    expr take_brackets(expr& product, const loop_list& loops);
    /// Takes out of products, which may be none, the brackets that all of them have.
    expr take_shared_brackets(expr_list& products);
    /// Whether a bracket, of some of the loops, hides what a product is multiplied by.
    bool has_brackets(expr product, const loop_list& loops) const;
    /// The brackets that an exponent has taken in; none if it has none.
    expr brackets_of(expr exponent);
    /// v + \log w, below the brackets that v has taken in.
    expr weighted(expr exponent, expr weight);

    /// The expression: the coefficient times the exponentials as they are written.
    expr product(const factored& f);
    expr product(expr a, expr b);

    bool same_exponentials(const factored& f, const factored& g);
    /// Whether sums are the same, whatever their loops are called.
    bool alike(const exponential_sum& a, const exponential_sum& b);

private:
    expr weight(const exponential& one, const exponential& all);
    expr weight(expr exponent, const exponential& all);
    expr quotient(const exponential& above, const exponential& below);
    expr share(expr& coefficient, const exponential& one, const exponential& all);
    bool equal(const exponential& a, const exponential& b);
    /// Whether an expression is a pattern where the loops `over` of that are at some places.
    bool stands_for(expr pattern, const loop_list& over, expr e);
    /// The names of these loops with which the pattern is an expression; all others are the same.
    std::optional<loop_map> names_of(expr pattern, const loop_list& over, expr e);
    /// Whether a value is a product, or a sum of products, with the softmax of these exponentials:
    /// 0 wherever their sum is.
    bool has_weights_of(expr e, const exponential& x);
    expr raised(expr e, double power);
    expr logsumexp_of(const exponential& all);

    graph& values_;
    forms& forms_;
    known_signs& signs_;
};

}  // namespace ricci::plan
