// What the columns of the table of scalar functions say.
#pragma once

#include <cstdint>

namespace ricci::detail {

/// How a function is read and printed.
enum class function_form : std::uint8_t {
    command,  // \exp(x)
    named,    // \operatorname{relu}(x)
    either,   // printed by its name; \Re x is read too
    radical,  // \sqrt{x}; read by its name too
    infix,    // in a form of its own, and not read by its name
};

/// Which tensors have a function, as bits; real ones have all. Tensors of complex numbers have the
/// others where the argument is known to be real.
namespace function_types {
enum : std::uint8_t {
    of_reals = 0,
    of_whole = 1,      // also of whole numbers
    of_complex = 2,    // also of complex numbers
    always_real = 4,   // real values of complex arguments
    leaves_reals = 8,  // among complex numbers real arguments have complex values
    keeps_whole = 16,  // whole numbers are their own values
    keeps_reals = 32,  // real and whole numbers are their own values
};
}  // namespace function_types

/// What a value costs, beside a load.
enum class function_price : std::uint8_t {
    quick,        // an instruction or a few
    division,     // one that occupies the divider
    exponential,  // a polynomial; worth computing once for all rows
    series,       // a longer one
    each_lane,    // one number at a time
};

}  // namespace ricci::detail
