// What zeros in the values of a network's tensors say of its indices: found, and checked again.
#pragma once

#include <span>
#include <vector>

#include <ricci/array.hpp>

#include "src/network/index_places.hpp"
#include "src/network/network_data.hpp"

namespace ricci::networks {

/// Everything that one tensor after another says, each in the light of those before: places of an
/// index where a tensor has nothing but zeros, and pairs of indices that are one, as of a diagonal
/// or an anti-diagonal. None where a tensor holds infinities or NaN, which zeros do not hide.
/// Comparisons with zero are exact. For networks whose tensors are no shapes.
std::vector<zero_fact> find_zeros(const network_data& n);

/// Whether no element of a tensor is infinite or NaN.
bool is_finite(const array& operand);

/// Whether what is left of a tensor has zeros where the fact says so, which is about two of its
/// axes or one.
bool holds(const zero_fact& fact, const array& operand, const reduced_operand& left);

}  // namespace ricci::networks
