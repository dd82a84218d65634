// Which elements of memory a strided tensor reaches, and whether two tensors share one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ricci::plan {

/// Strided elements in memory; strides count elements.
struct footprint {
    const void* data = nullptr;
    std::vector<std::int64_t> extents;
    std::vector<std::int64_t> strides;
    std::size_t element_size = 0;
};

/// Some byte belongs to an element of both, of whatever sizes. Exact, but for layouts so irregular
/// that a bounded search does not settle it: those count as overlapping.
bool overlap(const footprint& a, const footprint& b);

/// Both reach the same addresses in the same order.
bool identical(const footprint& a, const footprint& b);

/// Two different elements have one address. Exact within the same bound.
bool overlaps_itself(const footprint& a);

}  // namespace ricci::plan
