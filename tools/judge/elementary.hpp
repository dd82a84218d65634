// Elementary functions written with few: exponentials of single terms, logarithms of what is no
// product, sines and cosines of single angles.
#pragma once

#include <ricci/ir/normal.hpp>
#include <ricci/ir/program.hpp>

namespace ricci::judge {

/// The expression `n` with e^{a+b} as e^a e^b, \tanh and its like as quotients of exponentials,
/// \log of a product as a sum, and \sin(a+b) by the sines and cosines of a and b. It equals `n`
/// wherever both are finite. `complex`: logarithms stay, as theirs are the same up to 2 \pi i only.
ir::ref with_few_functions(ir::program& p, ir::ref n, bool complex);

/// Takes what derivatives of powers have before them, [a \ne 0] \lor [x \ne 0] beside x^a, for 1:
/// where both are 0, x^{a-1} is not finite. Else x and a would be drawn as conditions, 0 or 1.
void drop_guards(ir::program& p);

/// Whether a factor is a cosine.
bool is_cosine(const ir::program& p, ir::ref atom);

/// The sum with 1 - \sin^2 for squares of cosines; none where there are none.
ir::ref without_squared_cosines(ir::program& p, const ir::normal_sum& sum);

}  // namespace ricci::judge
