// Arithmetic of printed numbers and small matrices.
#pragma once

#include <vector>

#include "judge/printed_numbers.hpp"

namespace ricci::judge {

/// Thrown within a side that is no number, and caught around it.
struct no_number {};

printed_value number_value(const measured& x);
printed_value column(const std::vector<printed_value>& entries);
printed_value of_rows(const std::vector<std::vector<printed_value>>& rows);

printed_value negated(printed_value v);
printed_value sum(const printed_value& a, const printed_value& b);
printed_value product(const printed_value& a, const printed_value& b);
printed_value inverse(const printed_value& v);
/// A matrix is raised to whole powers, the inverse among them.
printed_value raised(const printed_value& base, const printed_value& exponent);
printed_value transposed(const printed_value& v);
printed_value determinant(const printed_value& v);  // of a square matrix
printed_value trace(const printed_value& v);
/// The root of the sum of squares of a vector's entries.
printed_value norm(const printed_value& v);
printed_value mapped(const printed_value& v, real_function f);
printed_value softmax(const printed_value& v);
printed_value extremum(const std::vector<printed_value>& list, bool largest);
printed_value factorial(const printed_value& v);
printed_value binomial(const printed_value& n, const printed_value& k);
int small_whole(const printed_value& v);

}  // namespace ricci::judge
