// Functions with a kink or a jump - the larger of two, absolute values, signs, cases, comparisons -
// as sums of brackets: [0 < d] and [d = 0], of differences d in one form each.
#pragma once

#include <ricci/ir/normal_term.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/ir/rewrite.hpp>

#include "judge/signs.hpp"

namespace ricci::judge {

/// Writes expressions of one program with brackets. It equals what it was wherever that is finite.
class bracket_writer {
public:
    /// `facts`: brackets that they decide become numbers.
    bracket_writer(ir::program& p, sign_facts& facts) : p_(p), facts_(facts) {}

    ir::ref run(ir::ref n) { return run(n, {}); }
    /// What the facts leave open, outside of sums: the first expression that is compared with 0,
    /// and compares nothing itself. None where they decide all; otherwise `run` wrote nothing.
    ir::ref open() const { return open_; }

private:
    using ref = ir::ref;
    /// Which of three things a number is: 1 for the one that it is, 0 for the others. `weight` is
    /// 1 where it is positive, 0 where it is negative, and either where it is 0.
    struct sign_parts {
        ref positive, zero, weight;
    };
    ref run(ref n, ir::index_set bound);
    ref function_of(const ir::node& x, ref n);
    ref comparison_of(const ir::node& x, ref n);
    ref cases_of(const ir::node& x, ref n);
    ref larger(ref a, ref b);
    ref absolute(ref a);
    sign_parts parts_of(ref difference);
    ref of_exponents(const ir::normal_sum& sum);
    sign_parts parts_of_product(const ir::normal_term& t, const sign_parts* other = nullptr);
    ir::normal_term common_factors(const ir::normal_sum& sum);
    sign_parts parts_of_sum(const ir::normal_sum& sum);
    sign_parts parts_of_one(ref difference);
    ref power_of(const ir::node& x, ref n);

    ref number(double v) { return p_.number(v); }
    bool is(ref n, double v) const {
        return p_.nodes[n].kind == ir::op::number && p_.nodes[n].value == v;
    }
    ref plus(ref a, ref b);
    ref times(ref a, ref b);
    ref minus(ref a, ref b) { return plus(a, times(number(-1), b)); }
    ref opposite(ref condition) { return minus(number(1), condition); }
    ref sign_of(const sign_parts& s) {
        return minus(plus(times(number(2), s.positive), s.zero), number(1));
    }
    /// Of the number with the other sign.
    sign_parts turned_parts(const sign_parts& s) {
        return {opposite(plus(s.positive, s.zero)), s.zero, opposite(s.weight)};
    }
    bool is_inside(ref n) const;

    ir::program& p_;
    sign_facts& facts_;
    ir::index_set bound_;  // of the sums and other reductions around
    ref open_ = ir::none;
};

}  // namespace ricci::judge
