// What each element-wise operation means for complex numbers, one at a time.
#pragma once

#include <complex>

#include "src/kernels/scalar/scalar_twin.hpp"

namespace ricci::kernels::scalar {

/// The operations that complex numbers do in a way of their own; those that only real numbers have
/// are done on the real parts.
template <class R>
std::complex<R> apply_to_complex(int op, std::complex<R> a, std::complex<R> b, std::complex<R> c) {
    using steps::opcode;
    const std::complex<R> zero(0);
    switch (static_cast<opcode>(op)) {
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
        case opcode::power:
            return a == zero && b != zero ? zero : std::pow(a, b);
        default:
            return apply<R>(op, a.real(), b.real(), c.real());
    }
}

/// Operation `op` (see kernels::operation) of up to three numbers. Where only real numbers have the
/// operation, the planner sees to it that the imaginary parts are 0.
template <class R>
std::complex<R> apply(int op, std::complex<R> a, std::complex<R> b, std::complex<R> c) {
    return apply_to_any(op, a, b, c, [&] { return apply_to_complex(op, a, b, c); });
}

}  // namespace ricci::kernels::scalar
