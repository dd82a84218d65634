// The element types beside float and double.
#pragma once

#include <complex>
#include <cstdint>

#include <ricci/half.hpp>

namespace ricci::testing {

/// Calls body.operator()<T>() for each.
template <class F>
void for_other_types(F body) {
    body.template operator()<std::int32_t>();
    body.template operator()<std::int64_t>();
    body.template operator()<bf16>();
    body.template operator()<f16>();
    body.template operator()<std::complex<float>>();
    body.template operator()<std::complex<double>>();
}

}  // namespace ricci::testing
