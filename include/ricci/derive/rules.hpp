// The derivative of each scalar function, as an expression.
#pragma once

#include <cstdint>

#include <ricci/ir/program.hpp>

namespace ricci::derive {

using ir::function;
using ir::op;
using ir::program;
using ir::ref;

/// Short ways to write an expression in a rule.
class expression_builder {
public:
    constexpr explicit expression_builder(program& p) : p_(p) {}
    constexpr ref number(double value) { return p_.number(value); }
    constexpr ref times(ref a, ref b) { return p_.make(op::multiply, a, b); }
    constexpr ref times(ref a, ref b, ref c) {
        const ref all[] = {a, b, c};
        return p_.make(op::multiply, 0, all, 3);
    }
    constexpr ref plus(ref a, ref b) { return p_.make(op::add, a, b); }
    constexpr ref minus(ref a, ref b) { return plus(a, times(number(-1), b)); }
    constexpr ref over(ref a, ref b) { return p_.make(op::divide, a, b); }
    constexpr ref power(ref a, double exponent) { return p_.make(op::power, a, number(exponent)); }
    constexpr ref apply(function f, ref a) { return p_.apply(f, a); }
    constexpr ref compare(ir::comparison c, ref a, ref b) {
        const ref both[] = {a, b};
        return p_.make(op::compare, static_cast<std::uint8_t>(c), both, 2);
    }
    constexpr ref choose(ref condition, ref then, ref otherwise) {
        const ref parts[] = {then, condition, otherwise};
        return p_.make(op::choose, 0, parts, 3);
    }

private:
    program& p_;
};

/// f'(x) for a function of one argument; `value` is f(x) where that is at hand, so that it is not
/// computed again. none where the derivative is 0 almost everywhere.
constexpr ref derivative(program& p, function f, ref x, ref value) {
    expression_builder b(p);
    const auto less = ir::comparison::less;
    switch (f) {
        case function::exp:
            return value;
        case function::log:
            return b.over(b.number(1), x);
        case function::sqrt:
            return b.over(b.number(1), b.times(b.number(2), value));
        case function::sin:
            return b.apply(function::cos, x);
        case function::cos:
            return b.times(b.number(-1), b.apply(function::sin, x));
        case function::tanh:
            return b.minus(b.number(1), b.power(value, 2));
        case function::absolute:
            return b.apply(function::sign, x);
        case function::sigmoid:
            return b.times(value, b.minus(b.number(1), value));
        case function::relu:
            return b.compare(less, b.number(0), x);
        case function::gelu: {  // Phi(x) + x phi(x), the normal distribution and its density
            const ref scaled = b.times(b.number(0.70710678118654752440), x);
            const ref phi = b.times(b.number(0.39894228040143267794),
                                    b.apply(function::exp, b.times(b.number(-0.5), b.power(x, 2))));
            const ref distribution =
                b.times(b.number(0.5), b.plus(b.number(1), b.apply(function::erf, scaled)));
            return b.plus(distribution, b.times(x, phi));
        }
        case function::silu: {  // s + x s (1 - s)
            const ref s = b.apply(function::sigmoid, x);
            return b.plus(s, b.times(x, s, b.minus(b.number(1), s)));
        }
        case function::elu:
            return b.choose(b.compare(less, b.number(0), x), b.number(1),
                            b.apply(function::exp, x));
        case function::erf:
            return b.times(b.number(1.12837916709551257390),
                           b.apply(function::exp, b.times(b.number(-1), b.power(x, 2))));
        default:
            return ir::none;
    }
}

}  // namespace ricci::derive
