// What becomes of tiles, but for sums over their columns, in src/fused/row_consumer.cpp, and
// planes, in src/fused/plane_consumer.cpp.
#include "src/fused/consumers.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "src/fused/lane_steps.hpp"
#include "src/fused/written_values.hpp"

namespace ricci::fused {
template <class T>
column_consumer<T>::column_consumer(const steps::tile_consumer& consumer, tiles<T>& made,
                                    std::int64_t columns, bool alone)
    : tiles_(&made),
      tile_(static_cast<std::size_t>(consumer.tile)),
      output_(static_cast<std::size_t>(consumer.output)),
      b_(consumer.b),
      by_(consumer.by),
      count_(consumer.count),
      place_(consumer.place),
      carried_(steps::numbers_carried(consumer)),
      values_(flatten(consumer.values)),
      columns_(columns),
      padded_(folds() ? made.table().lanes : rounded_up(values_.total, made.packing().lanes)),
      in_place_(b_ >= 0 && values_.a.size() == 1 && values_.last.a == 1 &&
                padded_ == values_.total),
      landing_(consumer, made.shape()),
      beta_(static_cast<T>(consumer.beta)),
      // Whole vectors are written.
      at_once_(alone && !folds() && !landing_.exists() && beta_ == 0 && values_.b.size() == 1 &&
               values_.last.b == 1 && padded_ == values_.total),
      sums_(at_once_ ? 0
                     : made.take_shared(static_cast<std::size_t>(padded_ * columns * carried_))),
      packed_(made.take(static_cast<std::size_t>(folds() ? padded_ * made.sizes().columns
                                                         : padded_ * made.sizes().full.width +
                                                               made.packing().lanes))) {}

template <class T>
void column_consumer<T>::clear(const tile_task<T>& t, std::int64_t columns) const {
    if (folds()) states_from(t, 0).clear(by_, padded_ * columns);
    else std::fill_n(t.shared_address(sums_), padded_ * columns, T{0});
}

/// Of the lanes of the columns of a block from one on.
template <class T>
auto column_consumer<T>::states_from(const tile_task<T>& t, std::int64_t column) const
    -> fold_states {
    return carried_numbers(t.shared_address(sums_) + column * padded_, columns_ * padded_,
                           count_ >= 0, place_ >= 0);
}

// Lanes that have no row are no part of it. A count begins anew where there is a larger maximum.
template <class T>
void column_consumer<T>::fold(const tile_task<T>& t, const tile_range& range,
                              std::int64_t block) const {
    const std::int64_t all = (range.column_end - range.column) * padded_;
    const auto states = states_from(t, range.column - block);
    T* const before = t.address(packed_);
    if (count_ >= 0) std::copy_n(states.values, all, before);
    if (place_ < 0) fold_values(t, range, states);
    else fold_places(t, range, states);
    if (count_ < 0) return;
    for (std::int64_t k = 0; k < all; ++k)
        states.counts[k] = before[k] == states.values[k] ? states.counts[k] : T{0};
    count_ties(t, range, states);
}

template <class T>
void column_consumer<T>::fold_values(const tile_task<T>& t, const tile_range& range,
                                     const fold_states& s) const {
    const std::int64_t width = t.width.width, lanes = padded_;
    const auto fold = tiles_->table().fold_lanes[static_cast<std::size_t>(by_)];
    for_row_lanes(
        range, t.width.rows, width, lanes, static_cast<const T*>(t.tile[tile_]),
        [&](const T* from, std::int64_t column, std::int64_t columns, std::int64_t vectors) {
            fold(s.values + (column - range.column) * lanes, from, width, columns, vectors);
        },
        [&](const T* from, std::int64_t column, std::int64_t columns, std::int64_t rest) {
            T* state = s.values + (column - range.column) * lanes;
            for (std::int64_t c = 0; c < columns; ++c, from += width, state += lanes)
                for (std::int64_t x = 0; x < rest; ++x)
                    state[x] = steps::joined(by_, state[x], from[x]);
        });
}

// The place is the row.
template <class T>
void column_consumer<T>::fold_places(const tile_task<T>& t, const tile_range& range,
                                     const fold_states& s) const {
    const std::int64_t width = t.width.width, lanes = padded_;
    const auto fold = tiles_->table().place_lanes[static_cast<std::size_t>(by_)];
    const T* const tile = t.tile[tile_];
    const auto row_at = [&](const T* from, std::int64_t column) {
        return t.row + (from - tile) - (column - range.column) * width;
    };
    for_row_lanes(
        range, t.width.rows, width, lanes, tile,
        [&](const T* from, std::int64_t column, std::int64_t columns, std::int64_t vectors) {
            const std::int64_t state = (column - range.column) * lanes;
            fold(s.values + state, s.places + state, from, width, columns, vectors,
                 row_at(from, column));
        },
        [&](const T* from, std::int64_t column, std::int64_t columns, std::int64_t rest) {
            const std::int64_t row = row_at(from, column);
            std::int64_t state = (column - range.column) * lanes;
            for (std::int64_t c = 0; c < columns; ++c, from += width, state += lanes)
                for (std::int64_t x = 0; x < rest; ++x) {
                    T& value = s.values[state + x];
                    auto& place = s.places[state + x];
                    if (!steps::stands_for_both(by_, value, place, from[x], row + x)) continue;
                    value = from[x];
                    place = static_cast<kernels::lane_place<T>>(row + x);
                }
        });
}

template <class T>
void column_consumer<T>::count_ties(const tile_task<T>& t, const tile_range& range,
                                    const fold_states& s) const {
    const std::int64_t width = t.width.width, lanes = padded_;
    const auto& table = tiles_->table();
    for_row_lanes(
        range, t.width.rows, width, lanes, static_cast<const T*>(t.tile[tile_]),
        [&](const T* from, std::int64_t column, std::int64_t columns, std::int64_t vectors) {
            const std::int64_t state = (column - range.column) * lanes;
            table.count_lanes(s.counts + state, s.values + state, from, width, columns, vectors);
        },
        [&](const T* from, std::int64_t column, std::int64_t columns, std::int64_t rest) {
            std::int64_t state = (column - range.column) * lanes;
            for (std::int64_t c = 0; c < columns; ++c, from += width, state += lanes)
                for (std::int64_t x = 0; x < rest; ++x)
                    s.counts[state + x] += from[x] == s.values[state + x] ? T{1} : T{0};
        });
}

template <class T>
void column_consumer<T>::write_folds(const tile_task<T>& t, std::int64_t block, std::int64_t end,
                                     bool first) const {
    const auto results = results_of(t, tiles_->shape().column, block, output_, count_, place_);
    const auto states = states_from(t, 0);
    for (std::int64_t c = 0; c < end - block; ++c) {
        auto all = nothing_folded<T>(by_);
        for (std::int64_t x = 0; x < padded_; ++x) all = joined(by_, all, states[c * padded_ + x]);
        write_result(by_, results, c, all, first);
    }
}

template <class T>
void column_consumer<T>::pack(const tile_task<T>& t) const {
    if (in_place_ || folds() || landing_.exists()) return;
    if (b_ < 0) {
        std::fill_n(t.address(packed_), padded_ * t.width.rows, T{0});
        for (std::int64_t i = 0; i < t.width.rows; ++i)
            *t.address(packed_ + static_cast<std::size_t>(i * padded_)) = 1;
        return;
    }
    const auto operand = static_cast<std::size_t>(b_);
    const std::int64_t stride = tiles_->shape().row.strides[operand];
    const T* from = t.base(operand) + t.at[operand] + t.row * stride;
    T* const packed = t.address(packed_);
    if (values_.a.size() == 1) {
        transpose(tiles_->packing(), from + values_.a[0], values_.last.extent, values_.last.a,
                  t.width.rows, stride, packed, padded_);
        return;
    }
    // Several runs side by side: whole vectors would write over their neighbours.
    for (std::int64_t i = 0; i < t.width.rows; ++i) {
        T* to = packed + i * padded_;
        for (const std::int64_t run : values_.a)
            for (std::int64_t c = 0; c < values_.last.extent; ++c)
                *to++ = from[i * stride + run + c * values_.last.a];
        std::fill(to, packed + (i + 1) * padded_, T{0});
    }
}

template <class T>
void column_consumer<T>::add(const tile_task<T>& t, const tile_range& range,
                             std::int64_t block) const {
    if (folds()) return fold(t, range, block);
    if (landing_.exists())
        return add_landing(t, range, t.shared_address(sums_) + (range.column - block) * padded_);
    add_to(t, range, t.shared_address(sums_) + (range.column - block) * padded_, padded_,
           kernels::product_mode::add);
}

template <class T>
void column_consumer<T>::add_landing(const tile_task<T>& t, const tile_range& range,
                                     T* sums) const {
    const std::int64_t columns = range.column_end - range.column;
    landing_.each(t.bases, t.at, t.row, t.width.rows, [&](std::int64_t x, std::int64_t value) {
        const T* from = t.tile[tile_] + x;
        T* to = sums + value;
        for (std::int64_t c = 0; c < columns; ++c, from += t.width.width, to += padded_)
            *to += *from;
    });
}

// Adds the tile to rows of C, or makes it these.
template <class T>
void column_consumer<T>::add_to(const tile_task<T>& t, const tile_range& range, T* c,
                                std::int64_t c_row, kernels::product_mode mode) const {
    const auto& table = tiles_->table();
    kernels::lane_product<T> x;
    x.rows = range.column_end - range.column;
    x.depth = t.width.rows;
    x.a = t.tile[tile_];
    x.a_row = t.width.width;
    x.a_step = 1;
    const T* b = t.address(packed_);
    x.b_step = padded_;
    if (in_place_) {
        const auto operand = static_cast<std::size_t>(b_);
        x.b_step = tiles_->shape().row.strides[operand];
        b = t.base(operand) + t.at[operand] + t.row * x.b_step + values_.a[0];
    }
    x.c_row = c_row;
    x.mode = mode;
    const std::int64_t vectors = padded_ / table.lanes;
    const std::int64_t parts = (vectors + table.most_vectors - 1) / table.most_vectors;
    for (std::int64_t part = 0; part < parts; ++part) {
        const std::int64_t first = vectors * part / parts, last = vectors * (part + 1) / parts;
        x.b = b + first * table.lanes;
        x.c = c + first * table.lanes;
        sum_row_steps(table, last - first, x, range);
    }
}

template <class T>
void column_consumer<T>::finish(const tile_task<T>& t, std::int64_t block, std::int64_t end,
                                double number, bool first) const {
    if (folds()) return write_folds(t, block, end, first);
    write_values_of(t, block, end, t.shared_address(sums_), padded_, static_cast<T>(number),
                    first ? beta_ : T{1});
}

template <class T>
T* column_consumer<T>::result(const tile_task<T>& t, std::int64_t column) const {
    return static_cast<T*>(t.bases[output_]) + t.at[output_] +
           column * tiles_->shape().column.strides[output_];
}

template <class T>
void column_consumer<T>::write_values_of(const tile_task<T>& t, std::int64_t column,
                                         std::int64_t end, const T* sums, std::int64_t step,
                                         T factor, T beta) const {
    constexpr std::int64_t lines_at_once = 64;
    const std::int64_t stride = tiles_->shape().column.strides[output_];
    const std::int64_t count = values_.last.extent;
    T factors[lines_at_once];
    std::fill_n(factors, lines_at_once, factor);
    T* to = result(t, column);
    for (std::int64_t c = column; c < end; c += lines_at_once) {
        const std::int64_t lines = std::min(lines_at_once, end - c);
        const T* from = sums;
        for (const std::int64_t run : values_.b) {
            if (values_.last.b == 1) {
                tiles_->table().write_rows(to + run, stride, from, step, lines, count, factors,
                                           beta);
            } else {
                for (std::int64_t k = 0; k < lines; ++k)
                    write_values(to + run + k * stride, values_.last.b, from + k * step, count,
                                 factor, beta);
            }
            from += count;
        }
        to += lines * stride;
        sums += lines * step;
    }
}

// Lanes that no step of the range has add nothing.
template <class T>
void column_consumer<T>::write(const tile_task<T>& t, const tile_range& range,
                               double number) const {
    const std::int64_t stride = tiles_->shape().column.strides[output_];
    T* const to = result(t, range.column);
    if (!range.steps.empty()) write_nothing(t, range.column, range.column_end);
    add_to(t, range, to, stride,
           range.steps.empty() ? kernels::product_mode::store : kernels::product_mode::add);
    if (number != 1)
        write_values_of(t, range.column, range.column_end, to, stride, static_cast<T>(number),
                        T{0});
}

template <class T>
void column_consumer<T>::write_nothing(const tile_task<T>& t, std::int64_t column,
                                       std::int64_t end) const {
    const std::int64_t stride = tiles_->shape().column.strides[output_];
    T* to = result(t, column);
    for (std::int64_t c = column; c < end; ++c, to += stride) std::fill_n(to, values_.total, T{0});
}

// A few columns, whose values lie side by side, are written as they are summed.
template <class T>
void column_consumer<T>::sum(const tile_task<T>& t, const tile_range& range, std::int64_t end,
                             double number, T* scratch) const {
    const bool narrow = b_ >= 0 && values_.last.a == 1 && values_.last.b == 1 && beta_ == 0 &&
                        end <= tiles_->table().most_narrow;
    if (!narrow || range.column != 0 || range.column_end != end) {
        if (at_once_) {
            pack(t);
            return write(t, range, number);
        }
        clear(t, end);
        pack(t);
        add(t, range, 0);
        finish(t, 0, end, number, true);
        return;
    }
    std::fill_n(scratch, end, static_cast<T>(number));
    const auto operand = static_cast<std::size_t>(b_);
    const std::int64_t stride = tiles_->shape().row.strides[operand];
    const T* const b = t.base(operand) + t.at[operand] + t.row * stride;
    T* const out = static_cast<T*>(t.bases[output_]) + t.at[output_];
    kernels::lane_product<T> x{.rows = values_.last.extent,
                               .depth = t.width.rows,
                               .a = b,
                               .a_row = 1,
                               .a_step = stride,
                               .b = t.tile[tile_],
                               .b_step = t.width.width,
                               .c = out,
                               .c_row = tiles_->shape().column.strides[output_],
                               .mode = kernels::product_mode::store,
                               .scale = scratch,
                               .ahead = 0,
                               .used = end,
                               .factor = 1,
                               .maximum = nullptr};
    for (std::size_t run = 0; run < values_.a.size(); ++run) {
        x.a = b + values_.a[run];
        x.c = out + values_.b[run];
        tiles_->table().narrow_columns(x);
    }
}

template <class T>
line_consumer<T>::line_consumer(const steps::tile_consumer& consumer, tiles<T>& made,
                                std::int64_t columns)
    : tiles_(&made),
      tile_(static_cast<std::size_t>(consumer.tile)),
      output_(static_cast<std::size_t>(consumer.output)) {
    const auto stride = made.shape().strides(output_);
    unit_ = std::max<std::int64_t>(std::gcd(stride.row, stride.column), 1);
    step_ = {stride.row / unit_, stride.column / unit_};
    const std::int64_t last_row = step_.row * (made.shape().row.extent - 1);
    const std::int64_t last_column = step_.column * (columns - 1);
    least_ = std::min<std::int64_t>(last_row, 0) + std::min<std::int64_t>(last_column, 0);
    reach_ = std::abs(last_row) + std::abs(last_column) + 1;
    sums_ = made.take(static_cast<std::size_t>(reach_));
}

template <class T>
void line_consumer<T>::clear(const tile_task<T>& t) const {
    std::fill_n(t.address(sums_), reach_, T{0});
}

template <class T>
void line_consumer<T>::add(const tile_task<T>& t, const tile_range& range,
                           std::int64_t block) const {
    const T* from = t.tile[tile_];
    T* const first = t.address(sums_) - least_ + t.row * step_.row;
    for (std::int64_t c = range.column; c < range.column_end; ++c, from += t.width.width) {
        T* const to = first + (c - block) * step_.column;
        if (step_.row == 1) {
            for (std::int64_t i = 0; i < t.width.rows; ++i) to[i] += from[i];
        } else {
            for (std::int64_t i = 0; i < t.width.rows; ++i) to[i * step_.row] += from[i];
        }
    }
}

template <class T>
void line_consumer<T>::finish(const tile_task<T>& t, std::int64_t block, double number) const {
    const std::int64_t stride = tiles_->shape().column.strides[output_];
    T* const to = static_cast<T*>(t.bases[output_]) + t.at[output_] + block * stride;
    const T* const sums = t.address(sums_);
    const T factor = static_cast<T>(number);
    // A line that nothing was added to may lie outside C: the last block can be narrower.
    for (std::int64_t k = 0; k < reach_; ++k)
        if (sums[k] != 0) to[(k + least_) * unit_] += factor * sums[k];
}

template class column_consumer<float>;
template class column_consumer<double>;
template class line_consumer<float>;
template class line_consumer<double>;

}  // namespace ricci::fused
