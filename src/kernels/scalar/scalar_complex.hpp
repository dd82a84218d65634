// What each element-wise operation means for complex numbers, one at a time.
#pragma once

#include <complex>

#include "src/kernels/scalar/scalar_twin.hpp"

namespace ricci::kernels::scalar {

/// Operation `op` (see kernels::operation) of up to three numbers. Operations that only real numbers
/// have are done on the real parts; whoever plans sees to it that the imaginary ones are 0.
template <class R>
std::complex<R> apply(int op, std::complex<R> a, std::complex<R> b, std::complex<R> c) {
    using steps::opcode;
    const std::complex<R> zero(0);
    if (op == multiply_add) return a * b + c;
    switch (static_cast<opcode>(op)) {
        case opcode::negate:
            return -a;
        case opcode::conjugate:
            return std::conj(a);
        case opcode::absolute:
            return std::abs(a);
        case opcode::sqrt:
            return std::sqrt(a);
        case opcode::exp:
            return std::exp(a);
        case opcode::log:
            return std::log(a);
        case opcode::sin:
            return std::sin(a);
        case opcode::cos:
            return std::cos(a);
        case opcode::tanh:
            return std::tanh(a);
        case opcode::tan:
            return std::tan(a);
        case opcode::arctan:
            return std::atan(a);
        case opcode::sinh:
            return std::sinh(a);
        case opcode::cosh:
            return std::cosh(a);
        case opcode::real:
            return a.real();
        case opcode::imaginary:
            return a.imag();
        case opcode::square:
            return a * a;
        case opcode::reciprocal:
            return R(1) / a;
        case opcode::logical_not:
            return number<R>(a == zero);
        case opcode::add:
            return a + b;
        case opcode::subtract:
            return a - b;
        case opcode::multiply:
            return a * b;
        case opcode::divide:
            return a / b;
        case opcode::power:
            return a == zero && b != zero ? zero : std::pow(a, b);
        case opcode::equal:
            return number<R>(a == b);
        case opcode::not_equal:
            return number<R>(a != b);
        case opcode::logical_and:
            return number<R>(a != zero && b != zero);
        case opcode::logical_or:
            return number<R>(a != zero || b != zero);
        case opcode::select:
            return a != zero ? b : c;
        default:
            return apply<R>(op, a.real(), b.real(), c.real());
    }
}

}  // namespace ricci::kernels::scalar
