// The ways in which an assignment can run, and how one was chosen.
#pragma once

#include <cstdint>
#include <optional>

namespace ricci::plan {

/// How an assignment runs. What it is, its `kind`, leaves one or several ways; with which kernels
/// it goes a way is decided by what runs the step.
enum class way : std::uint8_t {
    contract,  // products summed tile by tile, operands packed where that pays
    algebra,   // the same with a maximum, a minimum or a log-sum-exp of sums
    ties,      // weights summed where a sum of two is a third, tile by tile
    fold,      // the values of a map summed (or folded otherwise) row by row
    map,       // element by element
    copy,      // a map that moves elements and computes nothing
    gather,    // rows that a tensor picks
    lookups,   // products summed, read or added up where a tensor says
    scatter,   // rows added where sums of positions say
    convert,   // elements become another type
    extremum,  // places of the largest or the smallest values, row by row
    scan,      // folds of all elements up to each, in one pass
    matrices,  // matrices factored, or what is made of their factors
};

/// A way and what it costs: cycles of a nominal core, the same on every machine; see classify.cpp.
struct priced_way {
    way how = way::map;
    double cycles = 0;
};

/// The cheapest way, and the next one where another would give the same values.
struct decision {
    priced_way taken;
    std::optional<priced_way> runner_up;
};

}  // namespace ricci::plan
