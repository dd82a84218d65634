// Hashes of expressions up to the names of their loops and the order of factors and terms.
#pragma once

#include <cstdint>
#include <vector>

#include "src/plan/pool/expression.hpp"

namespace ricci::plan {

/// Whether the arguments of an operation may stand in any order: a sum, a product, an equality.
bool is_commutative(const expression&);

/// Expressions that match in some order of their factors and terms have one form, and others seldom
/// have the same one.
class forms {
public:
    explicit forms(const graph& values) : values_(values) {}

    std::uint64_t of(expr e);
    /// Of the sum over some loops of a product of these; numbers without loops count for nothing.
    std::uint64_t of_sum(const loop_list& over, expr_span factors);

private:
    std::uint64_t made(const expression&);

    const graph& values_;
    std::vector<std::uint64_t> known_;  // by expression; 0: not known yet
};

}  // namespace ricci::plan
