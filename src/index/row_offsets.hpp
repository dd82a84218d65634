// Where rows lie that numbers look up: a list of offsets, for whoever reads through it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "src/index/numbers.hpp"
#include "src/steps/gather.hpp"

namespace ricci::elementwise {

/// The offsets of rows, one for each combination of the loops along which the numbers differ.
class row_offsets {
public:
    /// `lookups`: of axes of one tensor. `extents`: of the loops that it is read in; where one is 0
    /// nothing is. Throws std::invalid_argument for numbers that can be no places.
    row_offsets(std::span<const steps::lookup> lookups, std::span<const std::int64_t> extents);

    /// How many there are.
    std::int64_t length() const { return length_; }
    /// How far each of the loops moves along the list.
    const std::vector<std::int64_t>& factors() const { return factors_; }

    /// The first number that is no place of its axis. numbers[k] is the base of those of lookup k.
    stray_number find_stray(const void* const* numbers) const;
    /// Writes the offsets, in elements; every number has to be a place.
    void fill(const void* const* numbers, std::int64_t* list) const;

private:
    struct lookup {
        element type = element::i32;
        std::int64_t offset = 0;
        std::vector<std::int64_t> strides;  // of the loops that count
        std::int64_t stride = 0, extent = 0;
    };
    std::vector<std::int64_t> extents_;  // of the loops that count, slowest first
    std::vector<std::int64_t> factors_;
    std::vector<lookup> lookups_;
    std::int64_t length_ = 1;
};

}  // namespace ricci::elementwise
