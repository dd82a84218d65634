// Which indices are fixed so that no intermediate is larger than the bound.
#pragma once

#include <vector>

#include "src/path/search/annealer.hpp"

namespace ricci::path {

/// log2 of the number of runs that these indices make.
double log2_slices(const core_network& network, const std::vector<char>& sliced);

/// Whether some intermediate is larger than the tree's limit.
bool is_too_large(const tree_annealer& tree);

/// Slices the tree further, one index after the other, until everything is within the limit: each
/// time the one that leaves the least work. `noise` (in log2 of work) makes choices differ. The
/// flags in `sliced` are those of the tree before and after.
void slice_to_limit(tree_annealer& tree, std::vector<char>& sliced, double noise,
                    random_stream& random);

}  // namespace ricci::path
