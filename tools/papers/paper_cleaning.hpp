// A display without what says nothing of the mathematics.
#pragma once

#include "papers/paper_tokens.hpp"

namespace ricci::papers {

/// Removes labels, spaces, sizes of brackets and the like. \left| and \right| become \lvert and
/// \rvert.
tokens cleaned(const tokens& list);

}  // namespace ricci::papers
