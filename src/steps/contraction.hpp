// The step of a contraction: loops over strided memory. No text, no names, no cache sizes and no
// thread counts. Strides and offsets count elements, not bytes; they may be zero or negative.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <ricci/element.hpp>

namespace ricci::steps {

/// One loop of a contraction: its extent, and how far each operand moves when it advances by one.
/// An operand that lacks the index has stride 0.
struct contraction_loop {
    std::int64_t extent = 1;
    std::int64_t a = 0;
    std::int64_t b = 0;
    std::int64_t c = 0;
};

/// What is read at a place outside an axis: 0; the element at its nearest end; or the one at the
/// place modulo the extent.
enum class edge : std::uint8_t { zero, clamp, wrap };

/// An axis of A or of B whose place, `offset` + the sum of factor * counter over all loops, may lie
/// outside 0 .. extent - 1. What the axis adds to the position in memory, stride * the place that
/// is read, is not in the loops' strides. Where any axis with `edge::zero` is outside, the operand
/// is 0; so it is where an axis has no element.
struct edged_axis {
    edge kind = edge::zero;
    std::int64_t extent = 0;
    std::int64_t stride = 1;
    std::int64_t offset = 0;
    std::vector<std::int64_t> factors;  // of the loops of batch, then of m, n and k
    bool operator==(const edged_axis&) const = default;
};

/// An operand whose elements lie where a list of offsets says: list[the sum of factor * counter],
/// on top of what its strides say of the other loops, and of these. Places in the list are within
/// 0 .. length - 1; an offset may lead to other memory than the operand's, such as zeros.
struct listed_operand {
    std::int64_t length = 0;
    std::vector<std::int64_t> factors;  // of the loops of batch, then of m, n and k
};

/// C[batch, m, n] = alpha * sum over k of A[batch, m, k] B[batch, k, n] + beta * C[batch, m, n].
/// Each group holds any number of loops, in any order; an empty group is one iteration.
///   batch: in A, B and C     m: in A and C (b == 0)     n: in B and C (a == 0)     k: c == 0
/// A loop of extent 0 in batch, m or n means no work; in k it means a sum of nothing, which is 0.
/// C does not overlap A or B, and no two iterations of (batch, m, n) reach the same element of C.
struct contraction {
    element type = element::f32;
    std::span<const contraction_loop> batch;
    std::span<const contraction_loop> m;
    std::span<const contraction_loop> n;
    std::span<const contraction_loop> k;
    // Complex numbers: A, or B, is conjugated on the way.
    bool conjugate_a = false;
    bool conjugate_b = false;
    // Axes whose places may lie outside; the operand that is run on is at place 0 of each. Memory
    // outside them is never read. Those of A have no factors of loops of n, of B none of m.
    std::span<const edged_axis> a_edges = {};
    std::span<const edged_axis> b_edges = {};
    // Lists through which A, or B, is read; then there are no edges.
    const listed_operand* a_list = nullptr;
    const listed_operand* b_list = nullptr;
};

}  // namespace ricci::steps
