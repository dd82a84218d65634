// An operand folded, before the product, over the indices of k that it alone has: each of its
// elements is then used once, not once for every element of C.
#pragma once

#include <cstdint>
#include <vector>

#include "src/contract/algebra/algebra_strategy.hpp"
#include "src/steps/algebra.hpp"

namespace ricci::contractions {

/// The loops of a product, to be changed.
struct algebra_loops {
    explicit algebra_loops(const steps::algebra_product& what)
        : batch(what.batch.begin(), what.batch.end()),
          m(what.m.begin(), what.m.end()),
          n(what.n.begin(), what.n.end()),
          k(what.k.begin(), what.k.end()) {}
    steps::algebra_product product(const steps::algebra_product& like) const;

    loop_list batch, m, n, k;
};

/// Which operand.
enum class operand_side { a, b };

/// Its loops that only it has, folded into memory of their own.
struct lone_fold {
    loop_list kept;    // what the folded operand is walked by: strides of A and of C
    loop_list folded;  // strides of A
    std::int64_t elements = 1;

    steps::algebra_product product(const steps::algebra_product& like) const;
};

/// Takes lone loops out of k where folding them first saves work, and gives the operand in the
/// other loops the strides of its folds, which lie densely. Nothing folded: nothing changed.
lone_fold take_lone_loops(algebra_loops& loops, operand_side side);

}  // namespace ricci::contractions
