// Logarithms of what exponentials are made of, computed without the exponentials.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include <ricci/ir/program.hpp>
#include "src/plan/rewrite/factored.hpp"

namespace ricci::plan {

/// Whether an expression is 0 or more whatever its tensors hold; nothing is promised of a "no".
bool is_nonnegative(const ir::program& p, ir::ref n);

/// \log s of a softmax s of v is v less the log-sum-exp of v, \log \sigma(x) is a softplus, and
/// \log(1 + \exp(x)) is moderate where \exp(x) is not.
class logarithms {
public:
    /// What is known of the equation that is read.
    struct context {
        std::function<factored(ir::ref)> factor;    // a part of it, as far as it is exponentials
        std::function<ir::ref(ir::ref)> stable;     // what is computed in the place of a part
        std::function<ir::ref(ir::ref)> of_tensor;  // the logarithm of one that is read, or none
        std::function<bool(ir::ref)> is_given;      // whether all that an expression reads is
        /// An expression over indices of its own in the place of these; the expression is none
        /// where it cannot be written so.
        std::function<std::pair<ir::ref, ir::range>(ir::ref, ir::range)> with_own_indices;
    };

    logarithms(ir::program& p, context known) : p_(p), known_(std::move(known)) {}

    /// \log n; none where the logarithm of what n comes to is as good.
    ir::ref of(ir::ref n);
    /// Of a value that has exponentials: the sum of its exponents, and the logarithm of the rest.
    ir::ref of(const factored& f);
    /// Of a sum with exponentials among its terms, all of which are positive.
    ir::ref of_positive_sum(const ir::node& x);

private:
    /// A term of a sum, as sign * \exp(exponent).
    struct term {
        ir::ref exponent;
        ir::ref sign;  // none: 1
    };

    bool take_from(ir::ref v, ir::range over, double times, std::vector<ir::ref>& terms,
                   std::vector<ir::ref>& small);
    ir::ref of_sum(const ir::node& x);
    std::vector<term> terms_of(const ir::node& x);
    ir::ref of_product(const ir::node& x);
    ir::ref of_power(const ir::node& x, double exponent);
    ir::ref of_total(const ir::node& x, const std::vector<term>& terms);
    ir::ref below_one(const ir::node& x);
    term term_of(ir::ref n);

    static bool is(const ir::node& x, ir::function f) {
        return x.kind == ir::op::apply && x.detail == static_cast<std::uint8_t>(f);
    }
    bool is_number(ir::ref n, double value) const {
        return p_.nodes[n].kind == ir::op::number && p_.nodes[n].value == value;
    }
    ir::ref child(const ir::node& x, std::int32_t k) const {
        return p_.links[x.children.first + k];
    }
    ir::ref times(double number, ir::ref n) {
        return p_.make(ir::op::multiply, p_.number(number), n);
    }
    ir::ref sum(const std::vector<ir::ref>& terms);

    ir::program& p_;
    context known_;
};

}  // namespace ricci::plan
