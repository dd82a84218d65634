// Sums that several equations have in common are computed once.
#pragma once

#include <functional>
#include <vector>

#include "src/plan/read/equations.hpp"

namespace ricci::plan {

/// Gives a sum, a mean, a softmax ... that stands in more than one equation, or at two places of
/// one, a tensor of its own before them; where an equation is nothing else, its tensor is the one,
/// if it `may_serve` others. Equal means: the same but for the names of loops, the order of factors
/// and terms, and numbers by which a sum is multiplied.
///
/// Kept rather than recomputed because a sum costs as many operations as it has terms, and its
/// result one element's memory; an element-wise expression of it costs about as much as reading it
/// back, and stays where it is. What a fused group recomputes is still the fuser's to decide: it
/// sees these tensors as it sees any other. A sum of few terms with more loops than any of them
/// has costs less than reading it back, too.
///
/// Of longer products, of up to eight factors with loops, two factors that are summed first count
/// as such a sum too.
void share_sums(program_plan&, std::vector<read_equation>&,
                const std::function<bool(slot_number)>& may_serve);

}  // namespace ricci::plan
