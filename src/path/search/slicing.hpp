// Which indices are fixed so that no intermediate is larger than the bound.
#pragma once

#include <vector>

#include "src/path/search/annealer.hpp"
#include "src/path/search/seeds.hpp"

namespace ricci::path {

/// log2 of the number of runs that these indices make.
double log2_slices(const core_network& network, const std::vector<char>& sliced);

/// Whether some intermediate is larger than the tree's limit.
bool is_too_large(const tree_annealer& tree);

/// Slices of a tree within its limit that are none any more where all results keep it without
/// them: others that were chosen later may do. The flags in `sliced` are the tree's.
void let_needless_go(tree_annealer& tree, std::vector<char>& sliced);

/// Slices the tree further until everything is within the limit, each time the index that leaves
/// the least work, and lets go of those that are needless then. `noise` (in log2 of work) makes
/// choices differ. The flags in `sliced` are those of the tree before and after. False where
/// `go_on`, which is asked before each choice, ended it above the limit.
bool slice_to_limit(tree_annealer& tree, std::vector<char>& sliced, double noise,
                    random_stream& random, const keep_going& go_on);

}  // namespace ricci::path
