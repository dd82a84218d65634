// Costs of the ways of carrying out a contraction.
#include "src/contract/cost.hpp"

#include <algorithm>
#include <cmath>

#include "src/contract/offsets.hpp"
#include "src/runtime/caches.hpp"

namespace ricci::contract {
namespace {

using steps::contraction_loop;
using stride_member = std::int64_t contraction_loop::*;

bool has_unit(const loop_list& loops, stride_member stride) {
    return std::any_of(loops.begin(), loops.end(),
                       [&](const contraction_loop& loop) { return loop.*stride == 1; });
}

// A tile of a nominal core: rows, and vectors across; and the rows and columns of one whose lanes
// are batches.
constexpr double tile_rows = 8, tile_vectors = 2, interleaved_side = 4;

// How often a blocked product moves B: once where its rows lie as a micro-kernel reads them; three
// times where they are packed; and twice more where they are transposed on the way.
double moves_of_b(const index_groups& groups) {
    constexpr stride_member b = &contraction_loop::b;
    if (has_unit(groups.n, b) && groups.n.back().b != 1) return 5;
    const bool ready = std::any_of(groups.n.begin(), groups.n.end(),
                                   [](const auto& loop) { return loop.b == 1 && loop.c == 1; });
    return ready && uniform_step(groups.k, b) != 0 ? 1 : 3;
}

}  // namespace

costs::costs(const index_groups& groups, int lanes, std::int64_t element_bytes)
    : groups_(groups),
      batch_(static_cast<double>(iterations(groups.batch))),
      m_(static_cast<double>(iterations(groups.m))),
      n_(static_cast<double>(iterations(groups.n))),
      k_(static_cast<double>(iterations(groups.k))),
      lanes_(lanes),
      element_bytes_(static_cast<double>(element_bytes)),
      loads_(m_ == 1 || n_ == 1 ? 2 : 1),
      a_(batch_ * m_ * k_ * element_bytes_),
      b_(batch_ * k_ * n_ * element_bytes_),
      c_(batch_ * m_ * n_ * element_bytes_),
      times_b_moves_(moves_of_b(groups)) {}

// An operand that is contiguous along the batch has one element of a matrix in each cache line.
double costs::walked(double bytes, stride_member stride) const {
    if (!has_unit(groups_.batch, stride)) return bytes;
    return bytes * static_cast<double>(runtime::line_bytes) / element_bytes_;
}

// What is multiplied tile by tile, vectors along n, and moves so many bytes.
cost costs::tiles_of_columns(double bytes) const {
    const double vectors = std::ceil(n_ / lanes_);
    return {loads_ * batch_ * m_ * vectors * k_, bytes,
            batch_ * std::ceil(m_ / tile_rows) * std::ceil(vectors / tile_vectors)};
}

cost costs::vector_product() const { return {2 * batch_ * m_ * n_ * k_ / lanes_, a_ + b_ + c_, 0}; }

cost costs::interleaved_batch() const {
    const double vectors = batch_ / lanes_;
    return {loads_ * vectors * m_ * n_ * k_, 3 * (a_ + b_) + c_,
            vectors * std::ceil(m_ / interleaved_side) * std::ceil(n_ / interleaved_side)};
}

cost costs::packed_batch() const {
    const auto moves = [&](stride_member stride, double times) {
        return has_unit(groups_.batch, stride) ? times + 2 : times;
    };
    return tiles_of_columns(moves(&contraction_loop::a, 3) * a_ +
                            moves(&contraction_loop::b, times_b_moves_) * b_ + c_);
}

cost costs::transposed_output() const { return tiles_of_columns(3 * a_ + b_ + 3 * c_); }

cost costs::direct() const {
    return tiles_of_columns(walked(a_, &contraction_loop::a) + walked(b_, &contraction_loop::b) +
                            c_);
}

cost costs::blocked() const {
    return tiles_of_columns(walked(a_, &contraction_loop::a) + 2 * a_ +
                            walked(b_, &contraction_loop::b) + (times_b_moves_ - 1) * b_ +
                            walked(c_, &contraction_loop::c));
}

}  // namespace ricci::contract
