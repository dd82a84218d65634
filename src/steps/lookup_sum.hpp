// The step of a sum with lookups.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <ricci/element.hpp>

#include "src/steps/gather.hpp"
#include "src/steps/monoid.hpp"
#include "src/steps/operand.hpp"

namespace ricci::steps {

/// out[loops] = the sum over the others of a product of factors, each perhaps read where tensors of
/// numbers say: a bag of embeddings, products of rows that are looked up. Or added up where a
/// tensor says, as the messages that reach a node of a graph are; then a number that is no place
/// adds to nothing. One factor may be joined there otherwise than by addition. float and double.
/// `out` overlaps nothing else.
struct lookup_sum {
    struct factor {
        operand at;
        std::span<const lookup> lookups;
    };
    element type = element::f32;
    monoid by = monoid::sum;                // another one: one factor, which lands somewhere
    bool adds = false;                      // to what `out` holds
    bool scaled = false;                    // each product is multiplied by a number besides
    std::span<const std::int64_t> extents;  // slowest first
    std::size_t free = 0;                   // how many of the loops are those of `out`
    operand out;
    std::span<const factor> factors;
    const lookup* scattered = nullptr;  // an axis of `out` that no loop moves along
};

}  // namespace ricci::steps
