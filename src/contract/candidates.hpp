// The ways in which a contraction can be carried out, each with its cost, and the choice among
// them.
#pragma once

#include <memory>
#include <string>

#include "src/contract/cost.hpp"
#include "src/contract/index_groups.hpp"
#include "src/contract/row_list.hpp"
#include "src/contract/strategy.hpp"
#include "src/kernels/gemm/gemm.hpp"

namespace ricci::contractions {

/// The way that was chosen, and the next best one.
struct choice {
    std::unique_ptr<const strategy> how;
    const char* name = "";
    cost estimate;
    const char* runner_up = nullptr;  // nullptr: there was no other way
    cost runner_up_estimate;

    /// All that in words.
    std::string words() const;
};

/// The cheapest way. What it depends on is alike for any number of threads.
template <class T, class Stored>
choice choose_strategy(index_groups groups, const kernels::kernel_table<T, Stored>& table);

/// The way of operands that are read through lists: they are packed. `groups`: with places in the
/// lists, of which none is empty; `plain`: without them.
template <class T, class Stored>
choice choose_listed(index_groups groups, const index_groups& plain, const operand_lists& lists,
                     const kernels::kernel_table<T, Stored>& table);

/// What the cheapest way costs.
template <class T, class Stored>
cost least_cost(const index_groups& groups, const kernels::kernel_table<T, Stored>& table);

}  // namespace ricci::contractions
