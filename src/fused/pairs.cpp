// Fused groups that the register machine runs.
#include "src/fused/pairs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/core.h>

#include "src/runtime/buffers.hpp"
#include "src/runtime/parallel.hpp"

namespace ricci::fused {
namespace {

constexpr int most_tile_columns = 512;
// Of states of columns, which every block of rows goes through.
constexpr std::size_t column_state_bytes = std::size_t{32} << 10;
// Of planes, which are copied for a block of rows and a tile of columns.
constexpr std::size_t plane_bytes = std::size_t{32} << 10;
constexpr std::int64_t most_unit_rows = 256;
constexpr std::int64_t enough_pair_tasks = 16;
constexpr double few_pairs = 1 << 18;  // no more than one thread is worth

std::int64_t parts(std::int64_t extent, std::int64_t size) { return (extent + size - 1) / size; }

}  // namespace

template <class T>
pairs<T>::pairs(const steps::fused_group& what, const geometry& g, pair_body body,
                const kernels::kernel_table<T>& packing)
    : body_(std::move(body)),
      machine_(&kernels::body_machine<T>()),
      packing_(&packing),
      products_(what.products.size()),
      operands_(what.operands.size()),
      offset_(g.offset),
      batch_(g.batch),
      rows_{g.row, g.other_rows},
      columns_{g.column, g.other_columns} {
    if (body_.swapped) std::swap(rows_, columns_);
    shape_ = {machine_->lanes, machine_->columns, most_tile_columns};
    std::size_t over_rows = 0;
    for (const auto& f : body_.what.folds())
        if (f.over_rows) over_rows += kernels::carries_two(f.what) ? 2 : 1;
    while (over_rows * static_cast<std::size_t>(shape_.tile_columns * shape_.lanes) * sizeof(T) >
               column_state_bytes &&
           shape_.tile_columns > 64)
        shape_.tile_columns /= 2;
    while (body_.planes.size() * static_cast<std::size_t>(shape_.plane()) * sizeof(T) >
               plane_bytes &&
           shape_.tile_columns > 64)
        shape_.tile_columns /= 2;
    program_ = bodies::compile(
        body_.what,
        {static_cast<int>(body_.rows.size()), static_cast<int>(body_.columns.size()),
         static_cast<int>(body_.planes.size())},
        shape_);
    choose_tasks();
    if (!suitable_) return;
    runtime::worker_memory(0);  // now, not in the middle of a run
    if (program_.folds_rows) order_.reserve(split_ ? batches_ * column_tiles_ : batches_);
}

template <class T>
void pairs<T>::choose_tasks() {
    const std::int64_t extent = rows_.loop.extent, block = shape_.rows();
    batches_ = iterations(batch_);
    unit_rows_ = std::clamp(extent / enough_pair_tasks / block * block, block, most_unit_rows);
    row_units_ = iterations(rows_.others) * parts(extent, unit_rows_);
    column_tiles_ = iterations(columns_.others) * parts(columns_.loop.extent, shape_.tile_columns);
    split_ = batches_ < enough_pair_tasks;
    const double all = static_cast<double>(batches_ * iterations(rows_.others) * extent) *
                       static_cast<double>(iterations(columns_.others) * columns_.loop.extent);
    const std::int64_t tasks = !program_.folds_rows ? batches_ * row_units_
                               : split_             ? batches_ * column_tiles_
                                                    : batches_;
    // A block that is mostly empty costs as much as a full one. Without vectors a block is two
    // numbers, and choosing an instruction costs more than it does.
    suitable_ = shape_.columns > 1 && all > 0 && extent >= shape_.lanes &&
                columns_.loop.extent >= 4 * shape_.columns && packing_->lanes == shape_.lanes &&
                (2 * tasks >= enough_pair_tasks || all <= few_pairs) &&
                bytes() <= runtime::worker_bytes;
}

// Two for each row of a unit, whole lines.
template <class T>
std::size_t pairs<T>::total_elements() const {
    return body_.what.folds().size() * static_cast<std::size_t>(2 * unit_rows_) + 16;
}

template <class T>
std::size_t pairs<T>::bytes() const {
    return (program_.frame + total_elements()) * sizeof(T) + operands_ * sizeof(std::int64_t);
}

template <class T>
typename pairs<T>::task pairs<T>::start(int worker, void* const* bases,
                                        const double* numbers) const {
    task t;
    t.frame = reinterpret_cast<T*>(runtime::worker_memory(worker));
    t.totals = t.frame + program_.frame;
    t.at = reinterpret_cast<std::int64_t*>(t.totals + total_elements());
    t.bases = bases;
    t.numbers = numbers;
    const auto wide = static_cast<std::size_t>(shape_.rows());
    for (const auto& c : program_.constants)
        std::fill_n(t.frame + c.at, wide, static_cast<T>(c.value));
    return t;
}

template <class T>
void pairs<T>::move_to(task& t, std::int64_t batch, std::int64_t rows, std::int64_t columns) const {
    std::copy(offset_.begin(), offset_.end(), t.at);
    move(batch_, batch, t.at);
    move(rows_.others, rows, t.at);
    move(columns_.others, columns, t.at);
}

template <class T>
void pairs<T>::run(void* const* bases, const double* numbers) const {
    if (!program_.folds_rows) {
        auto body = [&](std::int64_t number, int worker) {
            auto t = start(worker, bases, numbers);
            run_rows(t, number);
        };
        runtime::parallel_for(batches_ * row_units_, body);
        return;
    }
    auto body = [&](runtime::turn& mine, std::int64_t number, int worker) {
        auto t = start(worker, bases, numbers);
        if (split_) return run_columns(t, mine, number / column_tiles_, number % column_tiles_);
        for (std::int64_t tile = 0; tile < column_tiles_; ++tile)
            run_columns(t, mine, number, tile);
    };
    runtime::parallel_for_in_turns(order_, split_ ? batches_ * column_tiles_ : batches_, body);
}

// Some rows and all columns, for which the rows' folds are complete.
template <class T>
void pairs<T>::run_rows(task& t, std::int64_t unit) const {
    const std::int64_t units = parts(rows_.loop.extent, unit_rows_);
    const std::int64_t row = unit % units * unit_rows_;
    const std::int64_t rows = std::min(unit_rows_, rows_.loop.extent - row);
    const std::int64_t others = iterations(rows_.others);
    const std::int64_t other = unit / units % others, batch = unit / units / others;
    clear_totals(t);
    for (std::int64_t o = 0; o < iterations(columns_.others); ++o) {
        move_to(t, batch, other, o);
        for (std::int64_t c = 0; c < columns_.loop.extent; c += shape_.tile_columns)
            add_pairs(t, {row, rows, c, pack_columns(t, c)});
    }
    move_to(t, batch, other, 0);
    write_rows(t, row, rows, true);
}

// A tile of columns and all rows, for which the columns' folds are complete. What the tile adds to
// the folds of rows it adds when the tile before it has.
template <class T>
void pairs<T>::run_columns(task& t, runtime::turn& mine, std::int64_t batch,
                           std::int64_t tile) const {
    const std::int64_t tiles = parts(columns_.loop.extent, shape_.tile_columns);
    const std::int64_t first = tile % tiles * shape_.tile_columns, other = tile / tiles;
    const std::int64_t units = parts(rows_.loop.extent, unit_rows_);
    const bool in_turns = split_ && tile > 0;
    const std::int64_t columns =
        std::min<std::int64_t>(shape_.tile_columns, columns_.loop.extent - first);
    clear_columns(t);
    for (std::int64_t unit = 0; unit < row_units_; ++unit) {
        const std::int64_t row = unit % units * unit_rows_;
        const std::int64_t rows = std::min(unit_rows_, rows_.loop.extent - row);
        move_to(t, batch, unit / units, other);
        // What a column has may change with the row loops around the blocks.
        if (row == 0) pack_columns(t, first);
        clear_totals(t);
        add_pairs(t, {row, rows, first, columns});
        if (in_turns && !mine.wait_for(1, unit + 1)) return;
        write_rows(t, row, rows, tile == 0);
        if (split_) mine.advance(unit + 1);
    }
    move_to(t, batch, 0, other);
    write_columns(t, first, columns);
}

template <class T>
void pairs<T>::add_pairs(task& t, const pair_range& all_pairs) const {
    const std::int64_t wide = shape_.rows(), columns = all_pairs.columns;
    const std::int64_t whole = columns / shape_.columns * shape_.columns;
    const std::int64_t all = parts(columns, shape_.columns) * shape_.columns;
    const auto& folds = body_.what.folds();
    for (std::int64_t r = 0; r < all_pairs.rows; r += wide) {
        const std::int64_t count = std::min(wide, all_pairs.rows - r);
        pack_rows(t, all_pairs.row + r, count);
        pack_planes(t, {all_pairs.row + r, count, all_pairs.column, columns}, all);
        for (std::size_t f = 0; f < folds.size(); ++f)
            if (!folds[f].over_rows) begin_state(t, f, r, count);
        std::fill_n(t.frame, count, T{1});
        std::fill(t.frame + count, t.frame + wide, T{0});
        const bool at_edge = program_.folds_rows && count < wide;
        const auto& code = t.finite_rows && t.finite_columns ? program_.finite_code : program_.code;
        if (!at_edge) machine_->run(code.data(), t.frame, 0, whole, columns);
        machine_->run(program_.edge_code.data(), t.frame, at_edge ? 0 : whole, all, columns);
        for (std::size_t f = 0; f < folds.size(); ++f)
            if (!folds[f].over_rows) end_state(t, f, r, count);
    }
}

// Sums of a tile of columns begin at 0, which rounds less than one long chain. States of two
// numbers go on from what they were, as it takes long to join two of them.
template <class T>
void pairs<T>::begin_state(const task& t, std::size_t fold, std::int64_t row,
                           std::int64_t count) const {
    T* const state = t.frame + program_.states[fold];
    const std::int64_t block = shape_.rows();
    std::fill_n(state, block, identity(fold));
    if (!kernels::carries_two(body_.what.folds()[fold].what)) return;
    std::fill_n(state + block, block, T{0});
    std::copy_n(total(t, fold) + row, count, state);
    std::copy_n(total(t, fold) + unit_rows_ + row, count, state + block);
}

template <class T>
void pairs<T>::end_state(const task& t, std::size_t fold, std::int64_t row,
                         std::int64_t count) const {
    const T* const state = t.frame + program_.states[fold];
    T* const to = total(t, fold) + row;
    if (kernels::carries_two(body_.what.folds()[fold].what)) {
        std::copy_n(state, count, to);
        std::copy_n(state + shape_.rows(), count, to + unit_rows_);
        return;
    }
    const auto by = monoid_of(fold);
    for (std::int64_t x = 0; x < count; ++x) to[x] = steps::joined(by, to[x], state[x]);
}

template <class T>
T pairs<T>::identity(std::size_t fold) const {
    return static_cast<T>(steps::entry_of(monoid_of(fold)).identity);
}

template <class T>
T pairs<T>::joined(std::size_t fold, T a, T b) const {
    return steps::joined(monoid_of(fold), a, b);
}

/// Of states of two numbers, but for exponentials: the second one of both together.
template <class T>
T pairs<T>::joined_beside(std::size_t fold, pair_state<T> a, pair_state<T> b) const {
    if (kernels::counts_ties(body_.what.folds()[fold].what)) {
        const T value = joined(fold, a.value, b.value);
        return (a.value == value ? a.beside : T{0}) + (b.value == value ? b.beside : T{0});
    }
    const bool second =
        steps::stands_for_both(monoid_of(fold), a.value, static_cast<std::int64_t>(a.beside),
                               b.value, static_cast<std::int64_t>(b.beside));
    return second ? b.beside : a.beside;
}

template <class T>
void pairs<T>::clear_totals(const task& t) const {
    for (std::size_t f = 0; f < body_.what.folds().size(); ++f) {
        std::fill_n(total(t, f), unit_rows_, identity(f));
        std::fill_n(total(t, f) + unit_rows_, unit_rows_, T{0});
    }
}

template <class T>
void pairs<T>::clear_columns(const task& t) const {
    const auto& folds = body_.what.folds();
    for (std::size_t f = 0; f < folds.size(); ++f) {
        if (!folds[f].over_rows) continue;
        T* const state = t.frame + program_.states[f];
        const int count = shape_.state(folds[f]);
        std::fill_n(state, count, identity(f));
        if (kernels::carries_two(folds[f].what)) std::fill_n(state + count, count, T{0});
    }
}

// Beside an extremum, of `count` results from number `from` on. A part of it is joined to what the
// parts before have found, whose value is still there: it is written after this.
template <class T>
void pairs<T>::write_beside(const task& t, const pair_result& r, std::int64_t from,
                            std::int64_t count, const T* values, const T* beside,
                            bool first) const {
    const auto& strides = (r.over_rows ? columns_ : rows_).loop.strides;
    const auto k = static_cast<std::size_t>(r.output), v = static_cast<std::size_t>(r.value);
    const std::int64_t step = strides[k], at = t.at[k] + r.offset + from * step;
    const T* const before =
        static_cast<const T*>(t.bases[v]) + t.at[v] + r.offset + from * strides[v];
    if (r.kind == pair_result_kind::ties) {
        T* const to = static_cast<T*>(t.bases[k]) + at;
        for (std::int64_t x = 0; x < count; ++x) {
            const pair_state<T> found{values[x], values[x] == values[x] ? beside[x] : T{0}};
            to[x * step] =
                first ? found.beside
                      : joined_beside(r.fold, {before[x * strides[v]], to[x * step]}, found);
        }
        return;
    }
    // Where the extremum is what a fold begins with, the first place has it.
    const T nothing = identity(r.fold);
    auto* const to = static_cast<std::int32_t*>(t.bases[k]) + at;
    for (std::int64_t x = 0; x < count; ++x) {
        pair_state<T> found{values[x], beside[x]};
        if (!first) {
            const pair_state<T> there{before[x * strides[v]], static_cast<T>(to[x * step])};
            found.beside = joined_beside(r.fold, there, found);
            found.value = joined(r.fold, there.value, found.value);
        }
        to[x * step] = found.value == nothing ? 0 : static_cast<std::int32_t>(found.beside);
    }
}

// `second`: of exponentials, their sum.
template <class T>
void pairs<T>::write(const task& t, const pair_result& r, T* to, T value, T second,
                     bool first) const {
    constexpr T infinity = std::numeric_limits<T>::infinity();
    switch (r.kind) {
        case pair_result_kind::sum: {
            const auto scale =
                static_cast<T>(t.numbers[products_ + static_cast<std::size_t>(r.consumer)]);
            const T beta = first ? static_cast<T>(r.beta) : T{1};
            *to = beta == 0 ? scale * value : scale * value + beta * *to;
            return;
        }
        case pair_result_kind::fold:
            *to = first ? value : joined(r.fold, *to, value);
            return;
        case pair_result_kind::ties:
        case pair_result_kind::place:
            return;  // write_beside does it
        case pair_result_kind::log_sum_exp:
            *to = second == 0 ? -infinity : value + std::log(second);
            return;
        case pair_result_kind::maximum:
            *to = value;
            return;
        case pair_result_kind::excess:
            *to = std::isinf(value) ? T{0} : std::log(second);
            return;
        case pair_result_kind::largest:
            *to = second == 0 ? T{0} : 1 / second;
            return;
    }
}

template <class T>
void pairs<T>::write_rows(const task& t, std::int64_t row, std::int64_t rows, bool first) const {
    for (const auto& r : body_.results) {
        if (r.over_rows) continue;
        if (r.value >= 0) {
            const T* const from = total(t, r.fold);
            write_beside(t, r, row, rows, from, from + unit_rows_, first);
            continue;
        }
        const auto k = static_cast<std::size_t>(r.output);
        const std::int64_t stride = rows_.loop.strides[k];
        T* const to = static_cast<T*>(t.bases[k]) + t.at[k] + r.offset + row * stride;
        const T* const from = total(t, r.fold);
        for (std::int64_t x = 0; x < rows; ++x)
            write(t, r, to + x * stride, from[x], from[unit_rows_ + x], first);
    }
}

template <class T>
void pairs<T>::write_columns(const task& t, std::int64_t first, std::int64_t columns) const {
    for (const auto& r : body_.results) {
        if (!r.over_rows) continue;
        const auto k = static_cast<std::size_t>(r.output);
        const std::int64_t stride = columns_.loop.strides[k];
        T* const to = static_cast<T*>(t.bases[k]) + t.at[k] + r.offset + first * stride;
        const T* state = t.frame + program_.states[r.fold];
        const auto by = monoid_of(r.fold);
        const std::int64_t apart = r.value < 0 ? 0 : shape_.state(body_.what.folds()[r.fold]);
        for (std::int64_t c = 0; c < columns; ++c, state += shape_.lanes) {
            pair_state<T> all{state[0], state[apart]};
            for (int x = 1; x < shape_.lanes; ++x) {
                if (r.value >= 0)
                    all.beside = joined_beside(r.fold, all, {state[x], state[apart + x]});
                all.value = steps::joined(by, all.value, state[x]);
            }
            if (r.value >= 0) write_beside(t, r, first + c, 1, &all.value, &all.beside, true);
            else write(t, r, to + c * stride, all.value, T{0}, true);
        }
    }
}

template <class T>
std::string pairs<T>::describe() const {
    return fmt::format("blocks of {} x {} in registers", shape_.rows(), shape_.columns);
}

template class pairs<float>;
template class pairs<double>;

}  // namespace ricci::fused
