// A claim that is not equal for arbitrary inputs, tried under assumptions on them.
#pragma once

#include <vector>

#include <ricci/derive/judge.hpp>

#include "judge/judge.hpp"

namespace ricci::judge {

/// `j` holds both sides as a program. Sets the verdict and words, and what is assumed.
void try_assumptions(const derive::judgement& j, bool complex,
                     const std::vector<assumption>& declared, finding& out);

}  // namespace ricci::judge
