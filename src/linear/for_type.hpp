// The way from an element's tag to the type that matrices are factored in.
#pragma once

#include <complex>
#include <stdexcept>

#include <ricci/element.hpp>

namespace ricci::linear {

/// Calls go(number of the type). Throws std::invalid_argument for another type.
template <class Go>
auto for_type(element type, Go go) {
    switch (type) {
        case element::f32:
            return go(float{});
        case element::f64:
            return go(double{});
        case element::c64:
            return go(std::complex<float>{});
        case element::c128:
            return go(std::complex<double>{});
        default:
            throw std::invalid_argument("matrices of a type that none are factored in");
    }
}

}  // namespace ricci::linear
