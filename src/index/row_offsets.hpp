// Where rows lie that numbers look up: a list of offsets, for whoever reads through it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "src/index/numbers.hpp"
#include "src/steps/gather.hpp"

namespace ricci::elementwise {

/// The offsets of rows, one for each combination of the loops along which the numbers differ.
class row_offsets {
public:
    /// Where it is 0 nothing is looked up, and the numbers need not be places.
    struct condition {
        element type = element::f32;
        steps::operand values;
    };
    /// `lookups`: of axes of one tensor. `extents`: of the loops that it is read in; where one is 0
    /// nothing is. Throws std::invalid_argument for numbers that can be no places.
    row_offsets(std::span<const steps::lookup> lookups, std::span<const std::int64_t> extents,
                const condition* wanted = nullptr);

    /// How many there are.
    std::int64_t length() const { return length_; }
    /// How far each of the loops moves along the list.
    const std::vector<std::int64_t>& factors() const { return factors_; }
    /// Whether a row may be nowhere.
    bool may_exclude() const;

    /// The first number that is wanted, may not stray, and is no place of its axis. numbers[k] is
    /// the base of those of lookup k, the last one that of the condition, if there is one.
    stray_number find_stray(const void* const* numbers) const;
    /// Whether there is such a number, wanted or not: the condition is not read.
    bool has_stray(const void* const* numbers) const;
    /// Writes the offsets, in elements; `nowhere` for a row that is not wanted, or of a number that
    /// may stray and does. Every other number has to be a place.
    void fill(const void* const* numbers, std::int64_t nowhere, std::int64_t* list) const;

private:
    struct walk {
        std::int64_t offset = 0;
        std::vector<std::int64_t> strides;  // of the loops that count
    };
    struct lookup {
        element type = element::i32;
        walk numbers;
        std::int64_t stride = 0, extent = 0;
        bool may_stray = false;
    };
    bool is_wanted(const loop_counters& at, const void* const* numbers) const;
    template <class Counts>
    stray_number first_stray(const void* const* numbers, Counts counts) const;

    std::vector<std::int64_t> extents_;  // of the loops that count, slowest first
    std::vector<std::int64_t> factors_;
    std::vector<lookup> lookups_;
    std::optional<element> wanted_type_;
    walk wanted_;
    std::int64_t length_ = 1;
};

}  // namespace ricci::elementwise
