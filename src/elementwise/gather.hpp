// Rows read or added up at places that a tensor of numbers says: plan::gather, prepared once.
#pragma once

#include <cstdint>
#include <vector>

#include <ricci/plan/steps.hpp>

namespace ricci::elementwise {

/// A number that is no place of its axis.
struct stray_number {
    std::int32_t lookup = -1;  // none when negative
    double value = 0;
    bool found() const { return lookup >= 0; }
};

/// A gather whose loops are cut into tasks in a way that does not depend on the number of threads: a
/// scatter adds the rows of one place in their order, so that results are bitwise the same.
class prepared_gather {
public:
    /// Copies what it needs. Throws std::invalid_argument for element types that it has no code for.
    explicit prepared_gather(const plan::gather& gather);

    /// The first number in the order of the loops that is not whole or outside its axis.
    /// numbers[k] is the base pointer of lookup k.
    stray_number find_stray(const void* const* numbers) const;

    /// Every number has to be a place of its axis; a scatter leaves out rows whose number is none.
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
    };
    struct counters;
    struct place;

    place place_at(const counters& at, const void* const* numbers) const;
    template <class T>
    void copy(T* out, const T* in, const void* const* numbers) const;
    template <class T>
    void add(T* out, const T* in, const void* const* numbers) const;
    template <class T, class Source>
    void convert(T* out, const Source* in) const;

    element type_;
    element source_;
    bool scatter_;
    std::vector<std::int64_t> extents_;
    std::size_t outer_ = 0;  // loops up to the last that a number depends on
    walk out_, in_;
    std::vector<lookup> lookups_;
};

}  // namespace ricci::elementwise
