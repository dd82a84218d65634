// What each element-wise operation means, from <cmath> and the textbook: the tests' own words,
// which share nothing with src/ but the names of the operations.
#pragma once

#include <cmath>
#include <complex>
#include <concepts>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "src/kernels/elementwise/elementwise.hpp"

namespace ricci::test {

[[noreturn]] inline void no_meaning(int op) {
    throw std::logic_error("the tests do not know operation " + std::to_string(op));
}

/// Operation `op` (see kernels::operation) of up to three real numbers.
template <std::floating_point T>
T meaning(int op, T x, T y, T z) {
    using steps::opcode;
    const auto truth = [](bool is_true) { return is_true ? T(1) : T(0); };
    if (op == kernels::multiply_add) return x * y + z;
    switch (static_cast<opcode>(op)) {
        case opcode::constant:
        case opcode::load:
        case opcode::position:
            break;
        case opcode::negate:
            return -x;
        case opcode::square:
            return x * x;
        case opcode::reciprocal:
            return 1 / x;
        case opcode::exp:
            return std::exp(x);
        case opcode::log:
            return std::log(x);
        case opcode::sqrt:
            return std::sqrt(x);
        case opcode::sin:
            return std::sin(x);
        case opcode::cos:
            return std::cos(x);
        case opcode::tan:
            return std::tan(x);
        case opcode::arctan:
            return std::atan(x);
        case opcode::sinh:
            return std::sinh(x);
        case opcode::cosh:
            return std::cosh(x);
        case opcode::tanh:
            return std::tanh(x);
        case opcode::erf:
            return std::erf(x);
        case opcode::absolute:
            return std::fabs(x);
        case opcode::floor:
            return std::floor(x);
        case opcode::ceil:
            return std::ceil(x);
        case opcode::sigmoid:  // 1 / (1 + e^-x)
            return 1 / (1 + std::exp(-x));
        case opcode::relu:
            return x < 0 ? T(0) : x;
        case opcode::
            gelu:  // x times the probability that a normal number is below x; 0 far on the left
            if (std::isinf(x)) return x < 0 ? T(0) : x;
            return x * std::erfc(-x / std::sqrt(T(2))) / 2;
        case opcode::silu:
            if (std::isinf(x)) return x < 0 ? T(0) : x;
            return x / (1 + std::exp(-x));
        case opcode::elu:
            return x < 0 ? std::expm1(x) : x;
        case opcode::softplus:  // log(1 + e^x)
            return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
        case opcode::sign:
            return x < 0 ? T(-1) : x > 0 ? T(1) : x;
        case opcode::logical_not:
            return truth(!(x < 0 || x > 0 || std::isnan(x)));
        case opcode::conjugate:
        case opcode::real:
            return x;
        case opcode::imaginary:
            return T(0);
        case opcode::maximum:
            return std::isnan(x) || std::isnan(y) ? x + y : std::fmax(x, y);
        case opcode::minimum:
            return std::isnan(x) || std::isnan(y) ? x + y : std::fmin(x, y);
        case opcode::modulo: {  // with the sign of the divisor
            const T rest = std::fmod(x, y);
            const bool other_sign = rest != 0 && std::signbit(rest) != std::signbit(y);
            return other_sign ? y + rest : rest;
        }
        case opcode::add:
            return x + y;
        case opcode::subtract:
            return x - y;
        case opcode::multiply:
            return x * y;
        case opcode::divide:
            return x / y;
        case opcode::power:
            return std::pow(x, y);
        case opcode::less:
            return truth(x < y);
        case opcode::less_equal:
            return truth(x <= y);
        case opcode::equal:
            return truth(x == y);
        case opcode::not_equal:
            return truth(x != y);
        case opcode::logical_and:
            return truth(x != 0 && y != 0);
        case opcode::logical_or:
            return truth(x != 0 || y != 0);
        case opcode::select:
            return x != 0 ? y : z;
    }
    no_meaning(op);
}

/// The same for whole numbers: exact in 128 bits, of which the lower ones are kept.
template <std::integral T>
T meaning(int op, T a, T b, T c) {
    using steps::opcode;
    __extension__ using wide = __int128;
    const wide x = a, y = b, z = c;
    const auto kept = [](wide exact) {
        return static_cast<T>(static_cast<std::make_unsigned_t<T>>(exact));
    };
    // Rounded downwards.
    const auto quotient = [&] {
        wide q = x / y;
        while (q * y != x && (q * y > x) == (y > 0)) --q;
        return q;
    };
    if (op == kernels::multiply_add) return kept(x * y + z);
    switch (static_cast<opcode>(op)) {
        case opcode::negate:
            return kept(-x);
        case opcode::square:
            return kept(x * x);
        case opcode::absolute:
            return kept(x < 0 ? -x : x);
        case opcode::relu:
            return x < 0 ? T(0) : a;
        case opcode::sign:
            return x < 0 ? T(-1) : T(x > 0);
        case opcode::logical_not:
            return T(x == 0);
        case opcode::conjugate:
        case opcode::real:
        case opcode::floor:
        case opcode::ceil:
            return a;
        case opcode::imaginary:
            return 0;
        case opcode::add:
            return kept(x + y);
        case opcode::subtract:
            return kept(x - y);
        case opcode::multiply:
            return kept(x * y);
        case opcode::divide:
            return y == 0 ? T(0) : kept(quotient());
        case opcode::modulo:
            return y == 0 ? a : kept(x - y * quotient());
        case opcode::power: {
            // a^-n is the whole part of 1 / a^n.
            if (y < 0) return x == 1 || (x == -1 && y % 2 == 0) ? T(1) : x == -1 ? T(-1) : T(0);
            wide result = 1;  // from the highest binary digit of the exponent on
            for (int digit = 63; digit >= 0; --digit) {
                result = kept(result * result);
                if ((y >> digit & 1) != 0) result = kept(result * x);
            }
            return kept(result);
        }
        case opcode::maximum:
            return x < y ? b : a;
        case opcode::minimum:
            return y < x ? b : a;
        case opcode::less:
            return T(x < y);
        case opcode::less_equal:
            return T(x <= y);
        case opcode::equal:
            return T(x == y);
        case opcode::not_equal:
            return T(x != y);
        case opcode::logical_and:
            return T(x != 0 && y != 0);
        case opcode::logical_or:
            return T(x != 0 || y != 0);
        case opcode::select:
            return x != 0 ? b : c;
        default:
            no_meaning(op);
    }
}

/// The same for complex numbers, in long double. What only real numbers have is that of the real
/// parts.
template <class R>
std::complex<R> meaning(int op, std::complex<R> a, std::complex<R> b, std::complex<R> c) {
    using steps::opcode;
    using wide = std::complex<long double>;
    const wide x(a.real(), a.imag()), y(b.real(), b.imag()), z(c.real(), c.imag());
    const auto value = [&]() -> wide {
        const auto truth = [](bool is_true) { return wide(is_true ? 1 : 0); };
        if (op == kernels::multiply_add) return x * y + z;
        switch (static_cast<opcode>(op)) {
            case opcode::negate:
                return -x;
            case opcode::square:
                return x * x;
            case opcode::reciprocal:
                return wide(1) / x;
            case opcode::conjugate:
                return {x.real(), -x.imag()};
            case opcode::real:
                return x.real();
            case opcode::imaginary:
                return x.imag();
            case opcode::absolute:
                return std::hypot(x.real(), x.imag());
            case opcode::sqrt:
                return std::sqrt(x);
            case opcode::exp:
                return std::exp(x);
            case opcode::log:
                return std::log(x);
            case opcode::sin:
                return std::sin(x);
            case opcode::cos:
                return std::cos(x);
            case opcode::tan:
                return std::sin(x) / std::cos(x);
            case opcode::arctan:
                return std::atan(x);
            case opcode::sinh:
                return std::sinh(x);
            case opcode::cosh:
                return std::cosh(x);
            case opcode::tanh:
                return std::sinh(x) / std::cosh(x);
            case opcode::add:
                return x + y;
            case opcode::subtract:
                return x - y;
            case opcode::multiply:
                return x * y;
            case opcode::divide:
                return x / y;
            case opcode::power:
                if (y == wide(0)) return 1;
                return x == wide(0) ? wide(0) : std::exp(y * std::log(x));
            case opcode::equal:
                return truth(x == y);
            case opcode::not_equal:
                return truth(x != y);
            case opcode::logical_not:
                return truth(x == wide(0));
            case opcode::logical_and:
                return truth(x != wide(0) && y != wide(0));
            case opcode::logical_or:
                return truth(x != wide(0) || y != wide(0));
            case opcode::select:
                return x != wide(0) ? y : z;
            default:
                return meaning(op, x.real(), y.real(), z.real());
        }
    }();
    return {static_cast<R>(value.real()), static_cast<R>(value.imag())};
}

}  // namespace ricci::test
