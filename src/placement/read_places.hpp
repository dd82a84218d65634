// Which places a condition [p = place] picks, and where letters stand.
#pragma once

#include <cstddef>
#include <optional>

#include <ricci/ir/rewrite.hpp>
#include <ricci/ir/written_place.hpp>

#include "src/placement/windows.hpp"

namespace ricci::mpi {

/// [p = place], where what place is beyond the ends is one of three things.
struct read_place {
    ir::written_place place;
    beyond ends = beyond::nothing;
};
read_place place_in(const ir::program_view& p, ir::ref n);

/// [p = place], or [place = p].
struct picked_place {
    ir::ref letter = ir::none;  // p
    ir::ref place = ir::none;   // a node
};
std::optional<picked_place> picked_in(const ir::program_view& p, const ir::node& condition);

/// In how many positions of an expression a letter stands.
std::size_t count_letter(const ir::program_view& p, ir::ref root, ir::ref letter);

}  // namespace ricci::mpi
