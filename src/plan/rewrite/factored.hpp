// Values as a coefficient times powers of exponentials, and how such products multiply.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include <ricci/ir/program.hpp>

namespace ricci::plan {

/// (\sum_over \exp(exponent))^times; without `over` the exponential itself. Of a sum of weighted
/// exponentials, \sum_over w \exp(v), the exponent is v + \log |w|, the coefficient the sum of the
/// signs by the softmax of that.
struct exponential {
    double times = 1;
    ir::ref exponent = ir::none;
    std::vector<ir::ref> over;
    ir::ref written = ir::none;  // to the power 1, as the text has it
    ir::ref weights = ir::none;  // w
    ir::ref bare = ir::none;     // v
    bool total = false;          // \exp(exponent) is a sum of several terms, all of them positive
};

/// A value as coefficient * exponentials.
struct factored {
    ir::ref written = ir::none;      // as the text has it, but for what cancels inside
    ir::ref coefficient = ir::none;  // none: 1
    std::vector<exponential> exponentials;
    bool cancels = false;  // `written` is less stable than the product
};

/// Multiplies such values: powers of one exponential are one power.
class exponential_products {
public:
    /// `extent(index)`: of the indices of the equation that is read.
    exponential_products(ir::program& p, std::function<std::int64_t(ir::ref)> extent)
        : p_(p), extent_(std::move(extent)) {}

    /// f *= g^power.
    void multiply(factored& f, const factored& g, double power);
    void multiply(factored& f, exponential x);

    /// An exponential divided by a sum over exponentials of the same exponent becomes a softmax, in
    /// the coefficient.
    factored settled(factored f);

    /// Brackets in the coefficient of a single exponential become part of it: [c] \exp(x) is \exp
    /// of x where c holds and of -\infty elsewhere.
    void take_in_brackets(factored& f);

    /// Takes out of a product, which may be none, the brackets that do not depend on the indices.
    ir::ref take_brackets(ir::ref& product, const std::vector<ir::ref>& indices);
    /// Takes out of products, which may be none, the brackets that all of them have.
    ir::ref take_shared_brackets(std::vector<ir::ref>& products);
    /// Whether a bracket, of some of the indices, hides what a product is multiplied by.
    bool has_brackets(ir::ref product, const std::vector<ir::ref>& indices) const;
    bool has_brackets(ir::ref product) const;
    /// The brackets that an exponent has taken in; none if it has none.
    ir::ref brackets_of(ir::ref exponent);
    /// v + \log w, below the brackets that v has taken in.
    ir::ref weighted(ir::ref exponent, ir::ref weight);

    /// The expression: the coefficient times the exponentials as they are written.
    ir::ref product(const factored& f);
    ir::ref product(ir::ref a, ir::ref b);

    bool same_exponentials(const factored& f, const factored& g) const;

private:
    ir::ref weight(const exponential& one, const exponential& all);
    ir::ref weight(ir::ref exponent, const exponential& all);
    ir::ref quotient(const exponential& above, const exponential& below);
    ir::ref share(ir::ref& coefficient, const exponential& one, const exponential& all);
    std::vector<ir::ref> factors_of(ir::ref product) const;
    bool equal(const exponential& a, const exponential& b) const;
    /// Whether a value is a product, or a sum of products, with the softmax of these exponentials:
    /// 0 wherever their sum is.
    bool has_weights_of(ir::ref n, const exponential& x) const;
    ir::ref raised(ir::ref n, double power);
    ir::ref child(ir::ref n, std::int32_t k) const {
        return p_.links[p_.nodes[n].children.first + k];
    }

    ir::program& p_;
    std::function<std::int64_t(ir::ref)> extent_;
};

}  // namespace ricci::plan
