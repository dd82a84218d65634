// Sums that several equations have in common are computed once.
#pragma once

#include <optional>
#include <vector>

#include <ricci/ir/program.hpp>
#include <ricci/ir/shapes.hpp>
#include "src/plan/schedule/plan.hpp"

namespace ricci::plan {

/// A copy of `program` in which a sum, a mean, a softmax... that stands inside more than one of its
/// equations, or twice in one, is a tensor with an equation of its own before them; where an
/// equation is nothing else, that tensor is the one. Equal means: the same but for the letters of
/// indices and the order of factors and terms. Nothing where no sum is shared.
///
/// Kept rather than recomputed because a sum costs as many operations as it has terms, and its
/// result one element's memory; an element-wise expression of it costs about as much as reading it
/// back, and stays where it is. What a fused group recomputes is still the fuser's to decide: it
/// sees these tensors as it sees any other.
///
/// Of longer products, of up to eight factors with indices, two factors that are summed first count
/// as such a sum too.
///
/// Names keep their numbers, new ones come after them. `shapes` (in which an index has one extent
/// in each equation) and `slots`, of tensors of `type`, are extended to the copy.
std::optional<ir::program> share_sums(const ir::program_view& program, ir::shape_table& shapes,
                                      std::vector<slot>& slots, element type);

}  // namespace ricci::plan
