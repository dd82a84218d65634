// The loops of a contraction, simplified and put in the order in which memory is best walked.
#include "src/contract/index_groups.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <span>
#include <tuple>
#include <utility>

#include "src/base/arithmetic.hpp"
#include "src/contract/offsets.hpp"

namespace ricci::contractions {
namespace {

using steps::contraction_loop;
using stride_member = std::int64_t contraction_loop::*;

loop_list without_single_iterations(std::span<const contraction_loop> loops) {
    loop_list kept;
    for (const contraction_loop& loop : loops) {
        if (loop.extent != 1) kept.push_back(loop);
    }
    return kept;
}

// Walks a loop from its other end when that makes `stride` positive.
void walk_upwards(loop_list& loops, stride_member stride, index_groups& groups) {
    for (contraction_loop& loop : loops) {
        if (loop.*stride >= 0) continue;
        groups.origin.a += (loop.extent - 1) * loop.a;
        groups.origin.b += (loop.extent - 1) * loop.b;
        groups.origin.c += (loop.extent - 1) * loop.c;
        loop.a = -loop.a;
        loop.b = -loop.b;
        loop.c = -loop.c;
    }
}

bool has_unit_stride(const loop_list& loops, stride_member stride) {
    return std::any_of(loops.begin(), loops.end(),
                       [&](const contraction_loop& loop) { return loop.*stride == 1; });
}

// Sorts by the steps of `first`, the longest outermost; a loop in which that operand stands still
// goes outside all others.
void sort_by(loop_list& loops, stride_member first, stride_member second) {
    const auto key = [](const contraction_loop& loop, stride_member stride) {
        const std::int64_t step = std::abs(loop.*stride);
        return step == 0 ? std::numeric_limits<std::int64_t>::max() : step;
    };
    std::sort(loops.begin(), loops.end(),
              [&](const contraction_loop& x, const contraction_loop& y) {
                  return std::tuple(key(x, first), key(x, second), x.extent) >
                         std::tuple(key(y, first), key(y, second), y.extent);
              });
}

// The largest divisor of `extent` that is at most `most`.
std::int64_t largest_divisor(std::int64_t extent, std::int64_t most) {
    std::int64_t divisor = std::min(extent, most);
    while (extent % divisor != 0) --divisor;
    return divisor;
}

// An operand is much larger than the other one if it has so many times its elements.
constexpr std::int64_t much_larger = 4;
// Sides shorter than this are not worth a transposition in registers.
constexpr std::int64_t least_part = 4;

// The part of a loop that is walked just outside the innermost one: whole cache lines of its
// operand.
std::int64_t long_part(std::int64_t extent) { return largest_divisor(extent, 72); }

// The innermost part of a loop of n: a row of a transposed tile of B and C.
std::int64_t line_part(std::int64_t extent) {
    return extent <= 128 ? extent : largest_divisor(extent, 96);
}

// The innermost part of a loop of k: about a cache line, since the other operand steps over all of
// it.
std::int64_t short_part(std::int64_t extent) {
    for (const std::int64_t part : {16, 24, 8}) {
        if (extent % part == 0) return part;
    }
    return largest_divisor(extent, most_stretch);
}

loop_list::iterator unit_loop(loop_list& loops, stride_member stride) {
    return std::find_if(loops.begin(), loops.end(),
                        [&](const contraction_loop& loop) { return loop.*stride == 1; });
}

// Splits a loop: returns its first `extent` iterations, and leaves it with steps over all of them.
contraction_loop part_of(contraction_loop& loop, std::int64_t extent) {
    const contraction_loop inner{extent, loop.a, loop.b, loop.c};
    loop.extent /= extent;
    loop.a *= extent;
    loop.b *= extent;
    loop.c *= extent;
    return inner;
}

// Where two operands are contiguous along different loops, walks a part of each of the two inside
// all other loops: a block of cache lines is then used whole by both operands. `fast_part` says how
// much of the loop of `fast` becomes the innermost one.
template <class Part>
void interleave(loop_list& loops, stride_member fast, stride_member other, Part fast_part) {
    const auto along_fast = unit_loop(loops, fast), along_other = unit_loop(loops, other);
    if (along_fast == loops.end() || along_other == loops.end() || along_fast == along_other)
        return;
    const std::int64_t inner = long_part(along_other->extent);
    const std::int64_t innermost = fast_part(along_fast->extent);
    if (inner < least_part || innermost < least_part) return;
    const contraction_loop first = part_of(*along_other, inner);
    const contraction_loop second = part_of(*along_fast, innermost);
    loops.push_back(first);
    loops.push_back(second);
    std::erase_if(loops, [](const contraction_loop& loop) { return loop.extent == 1; });
}

// Walks a part of the loop along which `fast` is contiguous inside all others.
void put_innermost(loop_list& loops, stride_member fast) {
    const auto along = unit_loop(loops, fast);
    if (along == loops.end() || along + 1 == loops.end()) return;
    const std::int64_t innermost = short_part(along->extent);
    if (innermost < least_part) return;
    const contraction_loop inner = part_of(*along, innermost);
    loops.push_back(inner);
    std::erase_if(loops, [](const contraction_loop& loop) { return loop.extent == 1; });
}

// Whether B can be read where it lies, with k in this order: it is contiguous along n as C is, and
// all its steps along k are equal. A is then not contiguous along k; it must not lie too scattered
// to be packed.
bool lies_ready(const loop_list& k, const loop_list& n, int lanes) {
    const auto ready = [&](const contraction_loop& loop) {
        return loop.b == 1 && loop.c == 1 && loop.extent % lanes == 0;
    };
    if (std::none_of(n.begin(), n.end(), ready)) return false;
    std::int64_t inside = 1;
    for (std::size_t l = k.size(); l-- > 0;) {
        if (l + 1 < k.size() && k[l].b != k[l + 1].b * k[l + 1].extent) return false;
        if (k[l].a == 1 && inside > most_row_stretch) return false;
        inside *= k[l].extent;
    }
    return true;
}

// Orders k after the operand that is contiguous along it. When both are, along different loops, B
// is transposed as it is packed, and A keeps pieces of a few elements. A keeps such pieces, too,
// when B is the larger one and is walked in its own order; but not when B is so much larger that it
// is not packed at all.
void order_k(index_groups& groups, int lanes) {
    constexpr stride_member a = &contraction_loop::a, b = &contraction_loop::b;
    const bool a_unit = has_unit_stride(groups.k, a);
    const bool b_unit = has_unit_stride(groups.k, b);
    if (a_unit && b_unit) {
        sort_by(groups.k, a, b);
        interleave(groups.k, a, b, short_part);
    } else if (a_unit && iterations(groups.m) >= iterations(groups.n)) {
        sort_by(groups.k, a, b);
    } else {
        sort_by(groups.k, b, a);
        const bool reads_b = iterations(groups.n) >= much_larger * iterations(groups.m) &&
                             lies_ready(groups.k, groups.n, lanes);
        if (a_unit && !reads_b) put_innermost(groups.k, a);
    }
}

// Makes one loop of two where the outer one goes on, in every operand, where the inner one ends.
void fuse(loop_list& loops) {
    loop_list fused;
    for (const contraction_loop& inner : loops) {
        if (!fused.empty()) {
            contraction_loop& outer = fused.back();
            if (outer.a == inner.a * inner.extent && outer.b == inner.b * inner.extent &&
                outer.c == inner.c * inner.extent) {
                outer = {outer.extent * inner.extent, inner.a, inner.b, inner.c};
                continue;
            }
        }
        fused.push_back(inner);
    }
    loops = std::move(fused);
}

// The share of vectors along `loops` that does useful work; less when C is not contiguous there.
double worth_as_vectors(const loop_list& loops, int lanes) {
    const auto count = static_cast<double>(iterations(loops));
    const auto vectors = static_cast<double>(ceil_divide(iterations(loops), lanes));
    const double used = count / std::max(1.0, vectors * lanes);
    return has_unit_stride(loops, &contraction_loop::c) ? used : 0.6 * used;
}

void swap_operands(index_groups& groups) {
    std::swap(groups.m, groups.n);
    std::swap(groups.origin.a, groups.origin.b);
    for (loop_list* loops : {&groups.batch, &groups.m, &groups.n, &groups.k}) {
        for (contraction_loop& loop : *loops) std::swap(loop.a, loop.b);
    }
    groups.origin.swapped = !groups.origin.swapped;
}

// Each group in the order in which memory is best walked.
void put_in_order(index_groups& groups, int lanes) {
    sort_by(groups.batch, &contraction_loop::c, &contraction_loop::a);
    if (has_unit_stride(groups.m, &contraction_loop::a)) {
        sort_by(groups.m, &contraction_loop::a, &contraction_loop::c);
    } else {
        sort_by(groups.m, &contraction_loop::c, &contraction_loop::a);
    }
    if (has_unit_stride(groups.n, &contraction_loop::c)) {
        sort_by(groups.n, &contraction_loop::c, &contraction_loop::b);
        interleave(groups.n, &contraction_loop::c, &contraction_loop::b, line_part);
    } else {
        sort_by(groups.n, &contraction_loop::b, &contraction_loop::c);
    }
    order_k(groups, lanes);
    for (loop_list* loops : {&groups.batch, &groups.m, &groups.n, &groups.k}) fuse(*loops);
}

}  // namespace

std::int64_t iterations(const loop_list& loops) {
    std::int64_t count = 1;
    for (const contraction_loop& loop : loops) count *= loop.extent;
    return count;
}

index_groups make_index_groups(const steps::contraction& what, int lanes) {
    index_groups groups;
    groups.batch = without_single_iterations(what.batch);
    groups.m = without_single_iterations(what.m);
    groups.n = without_single_iterations(what.n);
    groups.k = without_single_iterations(what.k);
    for (const loop_list* loops : {&groups.batch, &groups.m, &groups.n, &groups.k}) {
        if (iterations(*loops) == 0) return groups;
    }

    walk_upwards(groups.batch, &contraction_loop::c, groups);
    walk_upwards(groups.m, &contraction_loop::c, groups);
    walk_upwards(groups.n, &contraction_loop::c, groups);
    walk_upwards(groups.k, &contraction_loop::a, groups);
    if (worth_as_vectors(groups.m, lanes) > worth_as_vectors(groups.n, lanes)) {
        swap_operands(groups);
    }

    put_in_order(groups, lanes);
    groups.conjugate_a = groups.origin.swapped ? what.conjugate_b : what.conjugate_a;
    groups.conjugate_b = groups.origin.swapped ? what.conjugate_a : what.conjugate_b;
    return groups;
}

index_groups exchanged(index_groups groups, int lanes) {
    swap_operands(groups);
    std::swap(groups.conjugate_a, groups.conjugate_b);
    put_in_order(groups, lanes);
    return groups;
}

}  // namespace ricci::contractions
