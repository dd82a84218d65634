// Tiles of squared distances: sums of squared differences, or |a|^2 + |b|^2 - 2 a b, which takes
// half of the operations. Where the latter has lost its digits to the difference of large numbers,
// because two points nearly coincide or all of them are far from 0, the pair is made again as a sum
// of squared differences. So which form a pair has is a question to its two points alone, and its
// bits depend neither on tiles nor on which side are the rows.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "src/fused/lane_steps.hpp"
#include "src/fused/tiles.hpp"
#include "src/steps/packed_rows.hpp"

namespace ricci::fused {
namespace {

// Columns that are made again at once.
constexpr std::int64_t most_again = 16;

}  // namespace

// Column loops around the tiles go by with the same rows packed.
template <class T>
typename tiles<T>::weight_side tiles<T>::side_of_weights(std::int32_t operand) const {
    const auto k = static_cast<std::size_t>(operand);
    const auto moves = [&](const tile_loop& l) { return l.strides[k] != 0; };
    if (moves(geometry_.column) || std::ranges::any_of(geometry_.other_columns, moves))
        return weight_side::columns;
    return moves(geometry_.row) ? weight_side::rows : weight_side::terms;
}

template <class T>
void tiles<T>::lay_out_distances() {
    const auto width = static_cast<std::size_t>(sizes_.full.width);
    bool any = false;
    for (auto& p : products_) {
        const auto total = static_cast<std::size_t>(p.contracted.total);
        const auto lines =
            static_cast<std::size_t>(steps::packed_at_once(p.contracted.total)) * width;
        if (p.weights >= 0 && p.weighs == weight_side::terms) p.weight_line = take(total + 1);
        if (p.weights >= 0 && p.weighs == weight_side::rows) p.weighted = take(lines);
        if (!p.expanded) continue;
        any = true;
        p.norms = take(width);
        if (p.weights >= 0) p.weighted = take(lines);
    }
    if (!any) return;
    norms_at_ = take(static_cast<std::size_t>(sizes_.columns));
    direct_at_ = take(static_cast<std::size_t>(most_again) * width);
}

// Behind a line of weights stands whether distances with these can be expanded: norms say how large
// what cancels is only where no weight is below 0.
template <class T>
bool tiles<T>::is_expanded(const task& t, const product& p) const {
    return p.expanded && (p.weights < 0 || t.address(p.weight_line)[p.contracted.total] != 0);
}

template <class T>
void tiles<T>::pack_weights(const task& t, const product& p) const {
    const auto k = static_cast<std::size_t>(p.weights);
    const T* const from = t.base(k) + t.at[k];
    T* const line = t.address(p.weight_line);
    T* to = line;
    for (const std::int64_t run : p.contracted.c)
        for (std::int64_t i = 0; i < p.contracted.last.extent; ++i)
            *to++ = from[run + i * p.contracted.last.c];
    *to = std::all_of(line, to, [](T w) { return w >= 0 && std::isfinite(w); }) ? T{1} : T{0};
}

template <class T>
void tiles<T>::pack_norms(const task& t, const product& p, const T* a) const {
    const std::int64_t width = t.width.width, depth = p.contracted.last.extent;
    T* const norms = t.address(p.norms);
    std::fill_n(norms, width, T{0});
    kernels::line_squares<T> lines{.a = a,
                                   .a_row = geometry_.row.strides[p.a],
                                   .a_step = p.contracted.last.a,
                                   .rows = t.width.rows,
                                   .depth = depth,
                                   .weights = p.weights < 0 ? nullptr : t.address(p.weight_line),
                                   .out = norms,
                                   .add = false};
    for (const std::int64_t run : p.contracted.a) {
        lines.a = a + run;
        table_->sum_squares(lines);
        lines.add = true;
        if (lines.weights != nullptr) lines.weights += depth;
    }
}

template <class T>
void tiles<T>::make_directly(const task& t, const product& p, kernels::lane_product<T> x,
                             const tile_range& range) const {
    if (p.weights < 0) return multiply_runs(t, p, table_->distance, x, range);
    switch (p.weighs) {
        case weight_side::terms:
            x.weights = t.address(p.weight_line);
            return multiply_runs(t, p, table_->weighted_distance, x, range);
        case weight_side::rows:
            x.weights = t.address(p.weighted);
            x.weight_step = t.width.width;
            x.weight_lane = 1;
            return multiply_runs(t, p, table_->lane_weighted_distance, x, range);
        case weight_side::columns: {
            const auto k = static_cast<std::size_t>(p.weights);
            x.weight_row = geometry_.column.strides[k];
            x.weight_step = p.contracted.last.c;
            x.weights = t.base(k) + t.at[k] + range.column * x.weight_row;
            return multiply_runs(t, p, table_->row_weighted_distance, x, range);
        }
    }
}

// Distances of the products that `out` has.
template <class T>
void tiles<T>::expand(const task& t, const product& p, const tile_range& range, T* out) const {
    const std::int64_t stride = geometry_.column.strides[p.b], width = t.width.width;
    const T* const b = t.base(p.b) + t.at[p.b] + range.column * stride;
    T* const of_columns = t.address(norms_at_);
    kernels::line_squares<T> lines{.a = b,
                                   .a_row = stride,
                                   .a_step = p.contracted.last.b,
                                   .rows = range.column_end - range.column,
                                   .depth = p.contracted.last.extent,
                                   .weights = p.weights < 0 ? nullptr : t.address(p.weight_line),
                                   .out = of_columns,
                                   .add = false};
    for (const std::int64_t run : p.contracted.b) {
        lines.a = b + run;
        table_->sum_squares(lines);
        lines.add = true;
        if (lines.weights != nullptr) lines.weights += lines.depth;
    }
    const tile_step all{range.column, range.column_end, 0, width / table_->lanes};
    const std::span<const tile_step> steps = range.steps.empty() ? std::span(&all, 1) : range.steps;
    for (const tile_step& s : steps) {
        const std::int64_t skipped = s.column - range.column, lane = s.first_vector * table_->lanes;
        replace_cancelled(t, p, s.column,
                          {.c = out + skipped * width + lane,
                           .c_row = width,
                           .rows = s.column_end - s.column,
                           .vectors = s.vectors(),
                           .of_rows = of_columns + skipped,
                           .of_lanes = t.address(p.norms) + lane});
    }
}

// Distances of the products of a tile that begins at a column.
template <class T>
void tiles<T>::replace_cancelled(const task& t, const product& p, std::int64_t column,
                                 const kernels::distance_tile<T>& tile) const {
    std::array<bool, narrow_columns> cancels;
    table_->expand_distances(tile, cancels.data());
    const auto end = cancels.begin() + tile.rows;
    const std::int64_t lanes = tile.vectors * table_->lanes;
    const std::int64_t lane = tile.of_lanes - t.address(p.norms);
    T* const direct = t.address(direct_at_);
    for (auto first = std::find(cancels.begin(), end, true); first != end;) {
        const auto last =
            std::find(first, std::min(end, first + std::min(most_again, end - first)), false);
        const std::int64_t before = first - cancels.begin(), count = last - first;
        const std::int64_t stride = geometry_.column.strides[p.b];
        make_directly(t, p,
                      {.rows = count,
                       .depth = p.contracted.last.extent,
                       .a = t.base(p.b) + t.at[p.b] + (column + before) * stride,
                       .a_row = stride,
                       .a_step = p.contracted.last.b,
                       .b = t.address(p.packed) + lane,
                       .b_step = t.width.width,
                       .c = direct,
                       .c_row = lanes},
                      {0, 0, column + before, column + before + count});
        auto some = tile;
        some.c += before * tile.c_row;
        some.rows = count;
        some.of_rows += before;
        table_->replace_distances(some, direct);
        first = std::find(last, end, true);
    }
}

#define RICCI_INSTANTIATE(T)                                                                     \
    template typename tiles<T>::weight_side tiles<T>::side_of_weights(std::int32_t) const;       \
    template void tiles<T>::lay_out_distances();                                                 \
    template bool tiles<T>::is_expanded(const task&, const product&) const;                      \
    template void tiles<T>::pack_weights(const task&, const product&) const;                     \
    template void tiles<T>::pack_norms(const task&, const product&, const T*) const;             \
    template void tiles<T>::make_directly(const task&, const product&, kernels::lane_product<T>, \
                                          const tile_range&) const;                              \
    template void tiles<T>::expand(const task&, const product&, const tile_range&, T*) const;    \
    template void tiles<T>::replace_cancelled(const task&, const product&, std::int64_t,         \
                                              const kernels::distance_tile<T>&) const
RICCI_INSTANTIATE(float);
RICCI_INSTANTIATE(double);
#undef RICCI_INSTANTIATE

}  // namespace ricci::fused
