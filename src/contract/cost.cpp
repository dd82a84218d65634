// Costs of the ways of carrying out a contraction.
#include "src/contract/cost.hpp"

#include <algorithm>
#include <cmath>

#include "src/contract/offsets.hpp"

namespace ricci::contractions {
namespace {

using steps::contraction_loop;
using stride_member = std::int64_t contraction_loop::*;

// A tile of a nominal core: rows, and vectors across; and the rows and columns of one whose lanes
// are batches.
constexpr double rows_of_tile = 8, vectors_of_tile = 2, interleaved_side = 4;
// A tile whose lanes are batches loads as much as it multiplies.
constexpr double interleaved_vectors = 2.2;
// A blocked product reads and writes C once for so many k.
constexpr double block_depth = 384;

}  // namespace

costs::costs(const index_groups& groups, int lanes, std::int64_t element_bytes)
    : groups_(groups),
      batch_(static_cast<double>(iterations(groups.batch))),
      m_(static_cast<double>(iterations(groups.m))),
      n_(static_cast<double>(iterations(groups.n))),
      k_(static_cast<double>(iterations(groups.k))),
      lanes_(lanes),
      loads_(m_ == 1 || n_ == 1 ? 2 : 1),
      a_(batch_ * m_ * k_ * static_cast<double>(element_bytes)),
      b_(batch_ * k_ * n_ * static_cast<double>(element_bytes)),
      c_(batch_ * m_ * n_ * static_cast<double>(element_bytes)),
      lie_a_(lie_of(&contraction_loop::a)),
      lie_b_(lie_of(&contraction_loop::b)),
      lie_c_(lie_of(&contraction_loop::c)) {}

// What stays in the second cache is moved faster, what leaves the third slower.
double costs::distance_of(double bytes) {
    return bytes < 1 << 19 ? 0.8 : bytes < 1 << 22 ? 1 : 1.4;
}

costs::lie costs::lie_of(stride_member stride) const {
    lie found;
    for (const auto* group : {&groups_.batch, &groups_.m, &groups_.n, &groups_.k})
        for (const auto& loop : *group) {
            if (loop.*stride != 1) continue;
            found.along = group == &groups_.batch   ? neighbours::batch
                          : &loop == &group->back() ? neighbours::innermost
                                                    : neighbours::inside;
            found.in_k = group == &groups_.k;
            found.shortness = loop.extent >= 16 ? 1 : loop.extent >= 8 ? 1.7 : 2.7;
            return found;
        }
    return found;
}

double costs::moves_of_packed_a() const {
    switch (lie_a_.along) {
        case neighbours::innermost:
            return lie_a_.shortness;
        case neighbours::inside:
            return 8 * lie_a_.shortness;
        case neighbours::batch:
            return 6.5 * lie_a_.shortness;
        case neighbours::nowhere:
            break;
    }
    return 8;
}

// It is read where it lies, packed, or transposed on the way.
double costs::moves_of_packed_b() const {
    switch (lie_b_.along) {
        case neighbours::innermost:
            return (lie_b_.in_k ? 2.2 : 1) * lie_b_.shortness;
        case neighbours::inside:
            return lie_b_.in_k ? 3.5 : 4.5;
        case neighbours::batch:
        case neighbours::nowhere:
            break;
    }
    return 10;
}

double costs::moves_of_c() const {
    const bool along_n = !groups_.n.empty() && groups_.n.back().c == 1;
    if (along_n) return lie_c_.shortness;
    return lie_c_.along == neighbours::batch ? 12 : 8.5;
}

// What is multiplied tile by tile, vectors along n, and moves so many bytes.
cost costs::tiles_of_columns(double bytes) const {
    const double vectors = std::ceil(n_ / lanes_);
    return {loads_ * batch_ * m_ * vectors * k_, bytes,
            batch_ * std::ceil(m_ / rows_of_tile) * std::ceil(vectors / vectors_of_tile)};
}

// Whether some loop walks what lies next to each other, or stands still, in all three operands, and
// is long enough for vectors.
bool costs::has_line() const {
    constexpr std::int64_t shortest = 8;
    const auto is_line = [](const contraction_loop& loop) {
        const auto stays_near = [](std::int64_t stride) { return stride == 0 || stride == 1; };
        return loop.extent >= shortest && stays_near(loop.a) && stays_near(loop.b) &&
               stays_near(loop.c);
    };
    const auto has_one = [&](const auto& loops) {
        return std::any_of(loops.begin(), loops.end(), is_line);
    };
    return has_one(groups_.batch) || has_one(groups_.m) || has_one(groups_.n) || has_one(groups_.k);
}

// Without a line products are made one by one, of lines of the cache that are fetched for a few
// elements each; still, an operand that is read once is not worth a copy.
cost costs::vector_product() const {
    const double products = batch_ * m_ * n_ * k_, bytes = a_ + 0.6 * b_ + c_;
    return has_line() ? cost{products / lanes_, bytes, 0} : cost{0.35 * products, 1.3 * bytes, 0};
}

cost costs::interleaved_batch() const {
    const double vectors = batch_ / lanes_;
    const auto moves = [](const lie& one, double in_lanes) {
        return one.along == neighbours::batch ? in_lanes * (one.shortness > 1 ? 6 : 1) : 6;
    };
    const double out = lie_c_.along == neighbours::batch && lie_c_.shortness == 1 ? 1 : 10;
    return {loads_ * interleaved_vectors * vectors * m_ * n_ * k_,
            moves(lie_a_, 1) * a_ + moves(lie_b_, 2) * b_ + out * c_,
            vectors * std::ceil(m_ / interleaved_side) * std::ceil(n_ / interleaved_side)};
}

cost costs::packed_batch() const {
    const double a = lie_a_.along == neighbours::batch ? 3 : moves_of_packed_a();
    const double b = lie_b_.along == neighbours::batch ? 3 : moves_of_packed_b();
    return tiles_of_columns(distance_of(a_) * a * a_ + distance_of(b_) * b * b_ +
                            distance_of(c_) * moves_of_c() * c_);
}

cost costs::transposed_output() const { return tiles_of_columns(3 * a_ + 2.7 * b_ + 5 * c_); }

cost costs::direct() const {
    return tiles_of_columns((lie_a_.along == neighbours::batch ? 2 : 0.5) * a_ +
                            (lie_b_.along == neighbours::batch ? 2 : 0.5) * b_ + 0.5 * c_);
}

cost costs::blocked() const {
    return tiles_of_columns(distance_of(a_) * moves_of_packed_a() * a_ +
                            distance_of(b_) * moves_of_packed_b() * b_ +
                            distance_of(c_) * moves_of_c() * c_ * std::ceil(k_ / block_depth));
}

}  // namespace ricci::contractions
