// Sums of products of several factors, and what two of the factors give before the others come in.
#pragma once

#include <cstddef>

#include "src/plan/pool/expression.hpp"

namespace ricci::plan {

/// The factors of a summed product, and apart from them those without loops.
struct summed_product {
    expr_list factors, scalars;
    loop_list over;

    /// Of a sum; of nothing else there are factors.
    summed_product(const graph&, expr sum);

    /// Whether sums of two of the factors are looked at. Of more than `most`, planning would take
    /// longer than most programs run.
    bool has_pairs() const { return factors.size() > 2 && factors.size() <= most; }
    static constexpr std::size_t most = 8;

    /// What two of the factors are summed over before the others come in.
    loop_list closed_by(const graph&, std::size_t a, std::size_t b) const;
    expr sum_of_pair(graph&, std::size_t a, std::size_t b) const;
    /// Whether a sum under a condition between two loops, as [j <= i], would be one over all pairs
    /// of them with the product of these two in it. Without, it carries a state, as in
    /// prefix_blocks.cpp, or is of the few pairs that the condition leaves.
    bool pairs_places(graph&, std::size_t a, std::size_t b) const;
    /// Whether it has more loops than any of the factors.
    bool is_contracted(const graph&) const;
    /// Multiplications along the best path through it.
    double multiplications(const graph&) const;
};

/// Whether a sum is a tensor that is read at another place, or where a number says, as x^{i+1} is
/// written out: \sum_p [p = i + 1] x^p. It takes up one value at most.
bool is_read_elsewhere(const graph&, expr sum);

}  // namespace ricci::plan
