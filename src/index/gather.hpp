// Rows read at places that a tensor of numbers says: steps::gather, prepared once.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "src/index/numbers.hpp"
#include "src/steps/gather.hpp"

namespace ricci::elementwise {

/// A gather whose loops are cut into tasks in a way that does not depend on the number of threads.
class prepared_gather {
public:
    /// Where it is 0 a number need not be a place.
    struct condition {
        element type = element::f32;
        steps::operand values;
    };
    /// `of_truths`: `in` holds bytes, 0 or 1. Copies what it needs. Throws std::invalid_argument
    /// for element types that it has no code for.
    explicit prepared_gather(const steps::gather& gather, const condition* wanted = nullptr,
                             bool of_truths = false);

    /// The first number in the order of the loops that is not whole or outside its axis. numbers[k]
    /// is the base pointer of lookup k, the last one that of the condition, if there is one.
    stray_number find_stray(const void* const* numbers) const;
    /// Whether there is a number that is no place, wanted or not: the condition is not read.
    bool has_stray(const void* const* numbers) const;

    /// Every number that is wanted has to be a place of its axis; what is not wanted and looked up
    /// nowhere is 1 in the end.
    void run(void* out, const void* in, const void* const* numbers) const;

private:
    struct walk {
        std::int64_t offset = 0;
        std::vector<std::int64_t> strides;
    };
    struct lookup {
        element type = element::f32;
        walk numbers;
        std::int64_t stride = 0;
        std::int64_t extent = 0;
        /// Of the loops that move the numbers alone.
        std::vector<std::int64_t> moving_extents = {}, moving_strides = {};
    };
    struct place;
    /// Iterations of the loops that the numbers depend on, and of those within them.
    struct loop_counts {
        std::int64_t outer = 1, inner = 1;
    };

    loop_counts counts() const;
    /// Calls row(counters) for each iteration of the outer loops, on all threads.
    template <class Row>
    void for_rows(const Row& row) const;

    place place_at(const loop_counters& at, const void* const* numbers) const;
    bool is_wanted(const loop_counters& at, const void* const* numbers) const;
    template <class Counts>
    stray_number first_stray(const void* const* numbers, Counts counts) const;
    bool are_places(const lookup& l, const void* numbers) const;
    template <class T>
    void copy(T* out, const T* in, const void* const* numbers, T one) const;
    template <class T>
    void copy_elements(T* out, const T* in, const void* numbers, T one) const;
    template <class T>
    void add(T* out, const T* in) const;
    template <class T, class Source>
    void convert(T* out, const Source* in) const;
    template <class T>
    void convert_to(T* out, const void* in) const;

    element type_;
    element source_;
    bool scatter_;
    bool of_truths_;
    std::vector<std::int64_t> extents_;
    std::size_t outer_ = 0;  // loops up to the last that a number depends on
    walk out_, in_;
    std::vector<lookup> lookups_;
    std::optional<element> wanted_type_;
    walk wanted_;
};

}  // namespace ricci::elementwise
