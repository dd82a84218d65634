// How a quotient was written, where that says what it is among whole numbers.
#pragma once

namespace ricci::ir {

/// The value of a quotient node that was written with / behind factors or a sign, as in 3 t / 2:
/// among whole numbers, whose quotients are rounded, it could be (3 t) / 2.
inline constexpr double rounded_between = 1;

}  // namespace ricci::ir
