// The loops of a contraction in one list, and the contraction with others in their place.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "src/steps/contraction.hpp"

namespace ricci::contractions {

/// Those of batch, then of m, n and k.
inline std::vector<steps::contraction_loop> all_loops(const steps::contraction& what) {
    std::vector<steps::contraction_loop> all;
    for (const auto& group : {what.batch, what.m, what.n, what.k})
        all.insert(all.end(), group.begin(), group.end());
    return all;
}

/// The groups of `what`, as long as they were, with the loops of `given`, and neither edges nor
/// lists. It owns its loops.
struct regrouped {
    regrouped(const steps::contraction& what, std::vector<steps::contraction_loop> given)
        : all(std::move(given)) {
        made = what;
        made.a_edges = made.b_edges = {};
        made.a_list = made.b_list = nullptr;
        std::size_t first = 0;
        for (auto* const group : {&made.batch, &made.m, &made.n, &made.k}) {
            *group = std::span(all).subspan(first, group->size());
            first += group->size();
        }
    }
    regrouped(const regrouped&) = delete;
    regrouped& operator=(const regrouped&) = delete;
    std::vector<steps::contraction_loop> all;
    steps::contraction made;
};

}  // namespace ricci::contractions
