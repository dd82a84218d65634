// Numbers in the terms of a normal form. A quotient that fits is the coefficient; roots, and powers
// that do not fit, are factors, primes with an exponent; \pi, and what has very many digits, are
// factors that equal only themselves. So nothing is rounded, and equal numbers have one form.
#pragma once

#include <cstdint>

#include <ricci/ir/literal.hpp>
#include <ricci/ir/normal_term.hpp>
#include <ricci/ir/program.hpp>

namespace ricci::ir {

constexpr bool is_number_factor(const program& p, const normal_factor& f) {
    return p.nodes[f.atom].kind == op::number;
}
constexpr bool is_infinite(const program& p, const normal_factor& f) {
    const node& x = p.nodes[f.atom];
    return x.kind == op::number && (x.value == __builtin_inf() || x.value == -__builtin_inf());
}
/// Such a term cancels against no other: infinity less infinity is not 0.
constexpr bool has_infinity(const program& p, const normal_term& t) {
    for (const normal_factor& f : t.factors)
        if (is_infinite(p, f)) return true;
    return false;
}
/// The whole number above 1 that a factor is a power of; 0 for others.
constexpr std::int64_t whole_base(const program& p, const normal_factor& f) {
    const node& x = p.nodes[f.atom];
    if (x.kind != op::number) return 0;
    quotient value = 0;
    std::int32_t tens = 0;
    const bool whole = exact_value(p, x, value, tens) && tens == 0 && value.is_whole();
    return whole && value.above() > 1 ? value.above() : 0;
}

/// Multiplies a term by a power of a whole number that is prime, or has no small factor.
constexpr void multiply_by_prime(program& p, normal_term& t, std::int64_t prime,
                                 const quotient& exponent) {
    for (normal_factor& f : t.factors)
        if (whole_base(p, f) == prime && f.exponent.add(exponent)) return;
    t.factors.push({whole_node(p, prime), exponent});
}
/// The same for any positive whole number; false where an exponent does not fit.
constexpr bool multiply_by_power(program& p, normal_term& t, std::int64_t base,
                                 const quotient& exponent) {
    constexpr std::int64_t most = 100;  // beyond it no prime is looked for
    for (std::int64_t prime = 2; prime <= most && prime * prime <= base; ++prime) {
        std::int64_t times = 0;
        for (; base % prime == 0; base /= prime) ++times;
        if (times == 0) continue;
        quotient e = exponent;
        if (!e.multiply(times)) return false;
        multiply_by_prime(p, t, prime, e);
    }
    if (base > 1) multiply_by_prime(p, t, base, exponent);
    return true;
}

/// Moves whole powers of numbers into the coefficient where they fit, and out of it where they do
/// not: one form for each number.
constexpr void settle_numbers(const program& p, normal_term& t) {
    detail::buffer<std::int64_t> bases;  // by factor
    bool any = false;
    for (const normal_factor& f : t.factors) {
        bases.push(whole_base(p, f));
        any = any || bases.back() != 0;
    }
    if (!any || t.coefficient.is(0)) return;
    for (std::int32_t k = 0; k < bases.size(); ++k) {
        if (bases[k] == 0) continue;
        quotient less(1, bases[k]), more(bases[k]);
        while (t.coefficient.above() % bases[k] == 0 && t.factors[k].exponent.add(1))
            t.coefficient.multiply(less);
        while (t.coefficient.below() % bases[k] == 0 && t.factors[k].exponent.add(-1))
            t.coefficient.multiply(more);
    }
    // the least first, so that the order of the factors does not say which one fits
    for (std::int64_t done = 1;;) {
        std::int32_t least = -1;
        for (std::int32_t k = 0; k < bases.size(); ++k)
            if (bases[k] > done && (least < 0 || bases[k] < bases[least])) least = k;
        if (least < 0) break;
        done = bases[least];
        const std::int64_t whole = t.factors[least].exponent.floor();
        quotient power(bases[least]);
        if (whole != 0 && power.raise(whole) && t.coefficient.multiply(power))
            t.factors[least].exponent.add(-whole);
    }
    detail::buffer<normal_factor> left;
    for (const normal_factor& f : t.factors)
        if (!f.exponent.is(0)) left.push(f);
    t.factors = static_cast<detail::buffer<normal_factor>&&>(left);
}

/// A number as a term.
constexpr normal_term number_term(program& p, ref n) {
    const node x = p.nodes[n];
    normal_term t;
    std::int32_t tens = 0;
    quotient value = 0;
    if (!exact_value(p, x, value, tens)) {
        ref atom = n;
        if (x.value < 0) {  // what is a factor is positive
            node positive = x;
            positive.value = -x.value;
            atom = p.nodes.push(positive);
            t.coefficient = -1;
        }
        t.factors.push({atom, 1});
        return t;
    }
    t.coefficient = value;
    if (tens == 0 || value.is(0)) return t;
    multiply_by_prime(p, t, 2, tens);
    multiply_by_prime(p, t, 5, tens);
    settle_numbers(p, t);
    return t;
}

/// To a power, where that is one term again; otherwise the term is as it was.
constexpr bool raise_term(program& p, normal_term& t, const quotient& exponent) {
    normal_term out;
    std::int32_t variables = 0;
    for (const normal_factor& f : t.factors) {
        if (is_infinite(p, f)) return false;
        // sqrt(x z) is more than sqrt(x) sqrt(z): both may be negative. sqrt(x^2) is not x.
        if (!exponent.is_whole() && !is_number_factor(p, f)) {
            quotient half = f.exponent;
            if (++variables > 1 || !half.multiply(quotient(1, 2)) || half.is_whole()) return false;
        }
        quotient e = f.exponent;
        if (!e.multiply(exponent)) return false;
        out.factors.push({f.atom, e});
    }
    quotient c = t.coefficient, less = exponent;
    if (exponent.is_whole() && c.raise(exponent.above())) {
        out.coefficient = c;
    } else {
        std::int64_t above = c.above();
        if (above < 0 && exponent.is_whole()) {
            if (exponent.above() % 2 != 0) out.coefficient = -1;
            above = -above;
        }
        if (above <= 0 || !less.multiply(-1) || !multiply_by_power(p, out, above, exponent) ||
            !multiply_by_power(p, out, c.below(), less))
            return false;
    }
    settle_numbers(p, out);
    t = static_cast<normal_term&&>(out);
    return true;
}

/// As a decimal where that is all of it.
constexpr ref to_node(program& p, const quotient& c) {
    if (c.is_whole()) return whole_node(p, c.above());
    const ref decimal = p.number(c.value());
    quotient value = 0;
    std::int32_t tens = 0;
    if (exact_value(p, p.nodes[decimal], value, tens) && value == c) return decimal;
    const ref above = whole_node(p, c.above());
    return p.make(op::divide, above, whole_node(p, c.below()));
}

}  // namespace ricci::ir
