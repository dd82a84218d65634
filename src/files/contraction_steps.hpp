// Steps of a contraction that take any number of operands, as products of two.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "src/files/words.hpp"

namespace ricci::files {

/// Steps one after another: entries[first[k]] .. entries[first[k + 1] - 1] are what step k takes.
struct contraction_steps {
    std::vector<std::size_t> first{0};
    std::vector<std::size_t> entries;

    std::size_t size() const { return first.size() - 1; }
    void end_step() { first.push_back(entries.size()); }
};

using ssa_pairs = std::vector<std::pair<std::size_t, std::size_t>>;

/// Steps that name positions in the list of what is left, as numpy's paths do. Throws for a
/// position that is not there, or that is there twice.
ssa_pairs ssa_of_positions(const contraction_steps& steps, std::size_t operands,
                           const place& where);
/// Steps that name entries: the operands, then what each step gave.
ssa_pairs ssa_of_entries(const contraction_steps& steps, std::size_t operands, const place& where);

}  // namespace ricci::files
