// Planes that are read where whole numbers say, as B^{m_i n_j}: a tile looks up its elements, and
// what numbers are no places is found before.
#pragma once

#include <cstddef>
#include <vector>

#include "src/plan/groups/consumers.hpp"
#include "src/plan/schedule/grown_group.hpp"

namespace ricci::plan {

/// Whether a tile can look up what a gather does: elements of what is computed with, at places that
/// whole numbers in memory say.
bool looks_up_in_tiles(const program_plan&, const assign&);

/// The gather as a tile reads it: whatever its condition says, what is at no place reads 1.
expr looked_up_in_tiles(program_plan&, expr gather);

/// Whether each number of a gather belongs to rows, or to columns, and its condition is no plane.
bool suits_lookups(const grown_group&, std::size_t step);

/// Whether a sum of lookups adds up tiles where whole numbers in memory say, one for each row or
/// each column that it sums.
bool lands_from_tiles(const program_plan&, const assign&);
bool suits_landing(const grown_group&, std::size_t step, loop_role summed);

/// Steps that refuse what the gather would: each looks up one of its numbers, for all that this one
/// has, and nobody reads what is there.
void check_lookups(program_plan&, const grown_group&, std::size_t step,
                   std::vector<made_step>& made);

}  // namespace ricci::plan
