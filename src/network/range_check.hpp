// Results that have left the range of their elements: said instead of given.
#pragma once

#include <span>
#include <string_view>

#include <ricci/array.hpp>

namespace ricci::networks {

/// Throws ricci::error where a result, without gaps, holds what is infinite or no number though all
/// of the tensors are finite. `instead`: what to write.
void refuse_beyond_range(const array& result, std::span<const array> tensors,
                         std::string_view instead);

}  // namespace ricci::networks
