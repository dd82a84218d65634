// The terms of a value that is folded, by the loops that they have.
#pragma once

#include <vector>

#include "src/plan/pool/expression.hpp"

namespace ricci::plan {

/// Terms of the same loops.
struct term_group {
    loop_list loops;
    expr_list terms;
};

struct term_groups {
    expr_list beside;  // that lack all folded loops
    std::vector<term_group> groups;
    std::size_t count = 0;  // of all terms
    bool masks = false;     // a bracket is among the factors of some term
};

/// What has no loop that another group has not is added to the smallest such group. A number in
/// front of a sum of terms is one in front of each.
term_groups grouped_terms(graph& values, expr body, const loop_list& over);

/// The number of the smallest group, other than `but`, that has all of these loops, or how many
/// groups there are.
std::size_t holder_of(const graph& values, const std::vector<term_group>& groups,
                      const loop_list& loops, std::size_t but = SIZE_MAX);

/// Whether numbers are compared in a value that are no positions.
bool compares_numbers(const graph& values, expr e);

/// The number itself, or 0 where it is infinite or none.
expr finite_or_zero(graph& values, expr number, element type);

/// The elements of the largest one.
double largest_of(const graph& values, const std::vector<term_group>& groups);

}  // namespace ricci::plan
