// What reads and writes a tile by its steps.
#include "src/fused/lane_steps.hpp"

#include <cstddef>

namespace ricci::fused {

template <class T>
void clear_others(T* tile, const tile_range& range, std::int64_t width, std::int64_t lanes) {
    std::int64_t column = range.column;
    for (const tile_step& s : range.steps) {
        const std::int64_t before = s.first_vector * lanes, end = s.last_vector * lanes;
        tile = std::fill_n(tile, (s.column - column) * width, T{0});
        for (column = s.column; column < s.column_end; ++column, tile += width) {
            std::fill_n(tile, before, T{0});
            std::fill_n(tile + end, width - end, T{0});
        }
    }
    std::fill_n(tile, (range.column_end - column) * width, T{0});
}

template <class T>
void fold_steps(const kernels::fused_table<T>& table, steps::monoid by, const T* tile,
                std::int64_t width, const tile_range& range, T* state) {
    const auto fold = table.fold_rows[static_cast<std::size_t>(by)];
    if (range.steps.empty())
        return fold(state, tile, width, range.column_end - range.column,
                    static_cast<std::size_t>(width));
    for (const tile_step& s : range.steps) {
        const std::int64_t lane = s.first_vector * table.lanes;
        fold(state + lane, tile + (s.column - range.column) * width + lane, width,
             s.column_end - s.column, static_cast<std::size_t>(s.vectors() * table.lanes));
    }
}

template <class T>
void place_steps(const kernels::fused_table<T>& table, steps::monoid by, const T* tile,
                 std::int64_t width, const tile_range& range, T* value,
                 kernels::lane_place<T>* place) {
    const auto fold = table.place_rows[static_cast<std::size_t>(by)];
    if (range.steps.empty())
        return fold(value, place, tile, width, range.column_end - range.column,
                    static_cast<std::size_t>(width), range.column);
    for (const tile_step& s : range.steps) {
        const std::int64_t lane = s.first_vector * table.lanes;
        fold(value + lane, place + lane, tile + (s.column - range.column) * width + lane, width,
             s.column_end - s.column, static_cast<std::size_t>(s.vectors() * table.lanes),
             s.column);
    }
}

template <class T>
void count_steps(const kernels::fused_table<T>& table, const T* tile, std::int64_t width,
                 const tile_range& range, const T* value, T* count) {
    if (range.steps.empty())
        return table.count_rows(count, value, tile, width, range.column_end - range.column,
                                static_cast<std::size_t>(width));
    for (const tile_step& s : range.steps) {
        const std::int64_t lane = s.first_vector * table.lanes;
        table.count_rows(
            count + lane, value + lane, tile + (s.column - range.column) * width + lane, width,
            s.column_end - s.column, static_cast<std::size_t>(s.vectors() * table.lanes));
    }
}

template <class T>
void weigh_steps(const kernels::fused_table<T>& table, T* tile, const T* scores, std::int64_t width,
                 const tile_range& range, const kernels::softmax_state<T>& state) {
    if (range.steps.empty())
        return table.weigh(tile, scores, width, range.column_end - range.column,
                           static_cast<std::size_t>(width), state);
    for (const tile_step& s : range.steps) {
        const std::int64_t lane = s.first_vector * table.lanes;
        const std::int64_t at = (s.column - range.column) * width + lane;
        table.weigh(tile + at, scores + at, width, s.column_end - s.column,
                    static_cast<std::size_t>(s.vectors() * table.lanes),
                    {state.maximum + lane, state.sum + lane, nullptr});
    }
}

template <class T>
void weigh_steps_again(const kernels::fused_table<T>& table, T* tile, const T* scores,
                       std::int64_t width, const tile_range& range, const T* maximum,
                       const T* factor) {
    if (range.steps.empty())
        return table.weigh_again(tile, scores, width, range.column_end - range.column,
                                 static_cast<std::size_t>(width), maximum, factor);
    for (const tile_step& s : range.steps) {
        const std::int64_t lane = s.first_vector * table.lanes;
        const std::int64_t at = (s.column - range.column) * width + lane;
        table.weigh_again(tile + at, scores + at, width, s.column_end - s.column,
                          static_cast<std::size_t>(s.vectors() * table.lanes), maximum + lane,
                          factor + lane);
    }
}

template <class T>
void multiply_steps(
    const kernels::fused_table<T>& table,
    void (*const (&multiply)[kernels::max_fused_vectors])(const kernels::lane_product<T>&),
    const kernels::lane_product<T>& whole, const tile_range& range) {
    // Maxima are of all lanes.
    if (range.steps.empty() || whole.maximum != nullptr)
        return multiply[whole.c_row / table.lanes - 1](whole);
    auto x = whole;
    for (const tile_step& s : range.steps) {
        const std::int64_t skipped = s.column - range.column, lane = s.first_vector * table.lanes;
        x.rows = s.column_end - s.column;
        x.a = whole.a + skipped * x.a_row;
        x.b = whole.b + lane;
        x.c = whole.c + skipped * x.c_row + lane;
        if (whole.weights != nullptr)
            x.weights = whole.weights + skipped * x.weight_row + lane * x.weight_lane;
        multiply[s.vectors() - 1](x);
    }
}

// A lane that no step has needs no factor: it is 1, as the largest score stays what it was. Where
// that is -infinity, the sums are 0 still; where it is NaN, so is the sum of weights, by which all
// is divided.
template <class T>
void sum_steps(const kernels::fused_table<T>& table, const kernels::lane_product<T>& whole,
               const tile_range& range) {
    if (range.steps.empty()) return table.multiply[whole.c_row / table.lanes - 1](whole);
    std::uint32_t seen = 0;  // vectors
    const auto is_seen = [&](std::int64_t v) { return (seen >> v & 1u) != 0; };
    auto x = whole;
    const auto add = [&](const tile_step& s) {
        const std::int64_t skipped = s.column - range.column;
        x.depth = s.column_end - s.column;
        x.a = whole.a + skipped * x.a_step;
        for (std::int64_t v = s.first_vector, end = v; v < s.last_vector; v = end) {
            while (end < s.last_vector && is_seen(end) == is_seen(v)) ++end;
            const std::int64_t lane = v * table.lanes;
            x.b = whole.b + skipped * x.b_step + lane;
            x.c = whole.c + lane;
            x.scale = whole.scale == nullptr ? nullptr : whole.scale + lane;
            x.mode = is_seen(v) ? kernels::product_mode::add : whole.mode;
            table.multiply[end - v - 1](x);
        }
        for (std::int64_t v = s.first_vector; v < s.last_vector; ++v) seen |= 1u << v;
    };
    // The widest one first: all that it rescales is one product, mostly of all lanes.
    const auto widest = std::max_element(
        range.steps.begin(), range.steps.end(),
        [](const tile_step& a, const tile_step& b) { return a.vectors() < b.vectors(); });
    add(*widest);
    for (const tile_step& s : range.steps)
        if (&s != &*widest) add(s);
}

template <class T>
void sum_row_steps(const kernels::fused_table<T>& table, std::int64_t vectors,
                   const kernels::lane_product<T>& whole, const tile_range& range) {
    const auto multiply = table.multiply[vectors - 1];
    if (range.steps.empty()) return multiply(whole);
    auto x = whole;
    for (const tile_step& s : range.steps) {
        const std::int64_t skipped = s.column - range.column, row = s.first_vector * table.lanes;
        x.rows = s.column_end - s.column;
        x.depth = std::min(whole.depth, s.last_vector * table.lanes) - row;
        x.a = whole.a + skipped * x.a_row + row;
        x.b = whole.b + row * x.b_step;
        x.c = whole.c + skipped * x.c_row;
        multiply(x);
    }
}

#define RICCI_INSTANTIATE(T)                                                                    \
    template void clear_others(T*, const tile_range&, std::int64_t, std::int64_t);              \
    template void weigh_steps(const kernels::fused_table<T>&, T*, const T*, std::int64_t,       \
                              const tile_range&, const kernels::softmax_state<T>&);             \
    template void weigh_steps_again(const kernels::fused_table<T>&, T*, const T*, std::int64_t, \
                                    const tile_range&, const T*, const T*);                     \
    template void fold_steps(const kernels::fused_table<T>&, steps::monoid, const T*,           \
                             std::int64_t, const tile_range&, T*);                              \
    template void place_steps(const kernels::fused_table<T>&, steps::monoid, const T*,          \
                              std::int64_t, const tile_range&, T*, kernels::lane_place<T>*);    \
    template void count_steps(const kernels::fused_table<T>&, const T*, std::int64_t,           \
                              const tile_range&, const T*, T*);                                 \
    template void multiply_steps(                                                               \
        const kernels::fused_table<T>&,                                                         \
        void (*const(&)[kernels::max_fused_vectors])(const kernels::lane_product<T>&),          \
        const kernels::lane_product<T>&, const tile_range&);                                    \
    template void sum_steps(const kernels::fused_table<T>&, const kernels::lane_product<T>&,    \
                            const tile_range&);                                                 \
    template void sum_row_steps(const kernels::fused_table<T>&, std::int64_t,                   \
                                const kernels::lane_product<T>&, const tile_range&)
RICCI_INSTANTIATE(float);
RICCI_INSTANTIATE(double);
#undef RICCI_INSTANTIATE

}  // namespace ricci::fused
