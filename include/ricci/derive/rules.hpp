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
template <class Program = program>
class expression_builder {
public:
    constexpr explicit expression_builder(Program& p) : p_(p) {}
    constexpr ref number(double value) { return p_.number(value); }
    constexpr ref times(ref a, ref b) { return p_.make(op::multiply, a, b); }
    constexpr ref times(ref a, ref b, ref c) {
        const ref all[] = {a, b, c};
        return p_.make(op::multiply, 0, all, 3);
    }
    constexpr ref plus(ref a, ref b) { return p_.make(op::add, a, b); }
    constexpr ref minus(ref a, ref b) { return plus(a, times(number(-1), b)); }
    constexpr ref minus_of(ref a) { return times(number(-1), a); }
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
    Program& p_;
};

/// An expression, written with operators: how the table of functions states derivatives.
template <class Program>
struct formula {
    Program* p;
    ref n;

    constexpr formula number(double value) const { return {p, p->number(value)}; }
    friend constexpr formula operator+(formula a, formula b) {
        return {a.p, a.p->make(op::add, a.n, b.n)};
    }
    friend constexpr formula operator+(double a, formula b) { return b.number(a) + b; }
    friend constexpr formula operator*(formula a, formula b) {
        return {a.p, a.p->make(op::multiply, a.n, b.n)};
    }
    friend constexpr formula operator*(double a, formula b) { return b.number(a) * b; }
    friend constexpr formula operator-(formula a) { return -1 * a; }
    friend constexpr formula operator-(formula a, formula b) { return a + -b; }
    friend constexpr formula operator-(double a, formula b) { return b.number(a) + -b; }
    friend constexpr formula operator/(double a, formula b) {
        return {b.p, b.p->make(op::divide, b.number(a).n, b.n)};
    }
};

namespace formulas {

#define RICCI_FUNCTION(NAME, ...)                         \
    template <class Program>                              \
    constexpr formula<Program> NAME(formula<Program> x) { \
        return {x.p, x.p->apply(function::NAME, x.n)};    \
    }
#define RICCI_FUNCTION_OF_TWO(NAME, ...)
#include <ricci/detail/functions.inc>

template <class Program>
constexpr formula<Program> product(formula<Program> a, formula<Program> b, formula<Program> c) {
    return {a.p, expression_builder(*a.p).times(a.n, b.n, c.n)};
}
template <class Program>
constexpr formula<Program> power(formula<Program> x, double exponent) {
    return {x.p, x.p->make(op::power, x.n, x.number(exponent).n)};
}
/// \pi, beside a formula.
template <class Program>
constexpr formula<Program> circle(formula<Program> x) {
    return x.number(ir::circle_number);
}
/// 1 where the number is less, otherwise 0.
template <class Program>
constexpr formula<Program> less(double a, formula<Program> b) {
    return {b.p, expression_builder(*b.p).compare(ir::comparison::less, b.number(a).n, b.n)};
}
template <class Program>
constexpr formula<Program> choose(formula<Program> condition, double then,
                                  formula<Program> otherwise) {
    expression_builder b(*condition.p);
    return {condition.p, b.choose(condition.n, b.number(then), otherwise.n)};
}
/// Almost everywhere, which is no expression.
constexpr formula<program> zero() { return {nullptr, ir::none}; }

}  // namespace formulas

/// f'(x) for a function of one argument; `value` is f(x) where that is at hand, so that it is not
/// computed again. none where the derivative is 0 almost everywhere.
template <class Program>
constexpr ref derivative(Program& p, function f, ref argument, ref value) {
    using namespace formulas;
    const formula<Program> x{&p, argument}, y{&p, value};
    switch (f) {
#define RICCI_FUNCTION(NAME, WORD, ALSO, FORM, TYPES, PRICE, ...) \
    case function::NAME:                                          \
        return (__VA_ARGS__).n;
#include <ricci/detail/functions.inc>
    }
    return ir::none;
}

}  // namespace ricci::derive
