// How a program is carried out, where that is not the caller's equations alone to say.
#pragma once

#include <ricci/element.hpp>

namespace ricci {

namespace detail {

/// An element type, or none.
struct wanted_element {
    constexpr wanted_element() = default;
    constexpr wanted_element(element type)
        : given(true), value(type) {}  // NOLINT: .type = element::f32
    bool given = false;
    element value = element::f64;
};

}  // namespace detail

struct prepare_options {
    /// The element type to compute in where no tensor says it, as numbers alone do not: double
    /// otherwise. Of programs that are known at run time; in the source the types of operands say
    /// it.
    detail::wanted_element type = {};
    /// A squared distance is a sum of squared differences, as it is written. Otherwise those of 24
    /// terms or more may be expanded into products, which is faster: |x|^2 + |z|^2 - 2 x z, but for
    /// pairs whose distance is less than 2^-10 of the norms' sum. docs/performance.md has the
    /// error.
    bool exact_distances = false;
};

}  // namespace ricci
