// What becomes of tiles.
#include "src/fused/consumers.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "src/fused/lane_steps.hpp"

namespace ricci::fused {
namespace {

// Sums are rounded once for each column: sums of sums are more exact.
constexpr std::int64_t columns_at_once = 128;

/// to = factor * from + beta * to, for `count` values.
template <class T>
void write_values(T* to, std::int64_t stride, const T* from, std::int64_t count, T factor, T beta) {
    for (std::int64_t c = 0; c < count; ++c) {
        T& value = to[c * stride];
        value = beta == 0 ? factor * from[c] : factor * from[c] + beta * value;
    }
}

}  // namespace

template <class T>
row_consumer<T>::row_consumer(const steps::tile_consumer& consumer, tiles<T>& made)
    : tiles_(&made),
      tile_(static_cast<std::size_t>(consumer.tile)),
      output_(static_cast<std::size_t>(consumer.output)),
      b_(consumer.b),
      weights_(consumer.weights),
      values_(flatten(consumer.values)),
      padded_(rounded_up(values_.total, made.packing().lanes)),
      beta_(static_cast<T>(consumer.beta)),
      sums_(made.take(static_cast<std::size_t>(most_sums()))) {}

template <class T>
std::int64_t row_consumer<T>::most_sums() const {
    return std::max(values_.total * tiles_->sizes().full.width,
                    padded_ * tiles_->table().most_narrow);
}

template <class T>
std::int64_t row_consumer<T>::sums_of(const tile_task<T>& t) const {
    return is_narrow(t) ? t.width.rows * padded_ : values_.total * t.width.width;
}

template <class T>
bool row_consumer<T>::is_narrow(const tile_task<T>& t) const {
    return b_ >= 0 && values_.last.a == 1 && t.width.rows <= tiles_->table().most_narrow;
}

template <class T>
std::size_t row_consumer<T>::scratch(const std::vector<row_consumer>& consumers,
                                     const tiles<T>& made) {
    std::int64_t most = 1;
    for (const auto& s : consumers) most = std::max(most, s.values_.last.extent);
    return static_cast<std::size_t>(
        made.sizes().full.width * (rounded_up(most, made.packing().lanes) + made.packing().lanes));
}

template <class T>
void row_consumer<T>::clear(const tile_task<T>& t) const {
    std::fill_n(t.address(sums_), sums_of(t), T{0});
}

template <class T>
void row_consumer<T>::add(const tile_task<T>& t, const tile_range& range, T* scratch) const {
    const std::int64_t width = t.width.width;
    const T* factor =
        weights_ < 0 ? nullptr : tiles_->state_of(t, static_cast<std::size_t>(weights_)).factor;
    T* const sums = t.address(sums_);
    if (b_ < 0) {
        const auto lanes = static_cast<std::size_t>(width);
        std::fill_n(scratch, lanes, T{0});
        const auto columns = static_cast<std::size_t>(range.column_end - range.column);
        tiles_->elementwise().add_rows(scratch, t.tile[tile_], width, columns, lanes);
        for (std::size_t x = 0; x < lanes; ++x)
            sums[x] = (factor != nullptr ? sums[x] * factor[x] : sums[x]) + scratch[x];
        return;
    }
    auto x = product(t, range);
    x.c = sums;
    x.mode = factor != nullptr ? kernels::product_mode::rescale : kernels::product_mode::add;
    x.scale = factor;
    const bool narrow = is_narrow(t);
    x.c_row = narrow ? padded_ : width;
    const T* const b = x.a;
    for (const std::int64_t run : values_.a) {
        x.a = b + run;
        if (narrow) {
            add_narrow(x);
        } else {
            sum_steps(tiles_->table(), x, range);
        }
        x.c += narrow ? x.rows : x.rows * width;
    }
}

template <class T>
void row_consumer<T>::add_narrow(kernels::lane_product<T> x) const {
    for (std::int64_t rest = x.depth; rest > 0; rest -= columns_at_once) {
        x.depth = std::min(rest, columns_at_once);
        tiles_->table().narrow_values(x);
        x.a += x.depth * x.a_step;
        x.b += x.depth * x.b_step;
        x.mode = kernels::product_mode::add;
        x.scale = nullptr;
    }
}

// The tile times B, all but where that goes; A of the kernels is B at its first value.
template <class T>
kernels::lane_product<T> row_consumer<T>::product(const tile_task<T>& t,
                                                  const tile_range& range) const {
    const auto operand = static_cast<std::size_t>(b_);
    const std::int64_t stride = tiles_->shape().column.strides[operand];
    // All members at once: the compiler would clear the whole of it otherwise.
    return {.rows = values_.last.extent,
            .depth = range.column_end - range.column,
            .a = t.base(operand) + t.at[operand] + range.column * stride,
            .a_row = values_.last.a,
            .a_step = stride,
            .b = t.tile[tile_],
            .b_step = t.width.width,
            .c = nullptr,
            .c_row = 0,
            .mode = kernels::product_mode::store,
            .scale = nullptr,
            .ahead = tiles_->ahead(stride),
            .used = t.width.rows,
            .factor = 1,
            .maximum = nullptr};
}

// Few rows, whose values lie side by side, are written as they are summed.
template <class T>
void row_consumer<T>::sum(const tile_task<T>& t, const tile_range& range, double number,
                          T* scratch) const {
    if (!is_narrow(t) || values_.last.b != 1 || beta_ != 0 ||
        range.column_end - range.column > columns_at_once) {
        clear(t);
        add(t, range, scratch);
        finish(t, number, true, scratch);
        return;
    }
    find_factors(t, number, scratch);
    auto x = product(t, range);
    x.mode = kernels::product_mode::store;
    x.scale = scratch;
    x.c_row = tiles_->shape().row.strides[output_];
    T* const out = static_cast<T*>(t.bases[output_]) + t.at[output_] + t.row * x.c_row;
    const T* const b = x.a;
    for (std::size_t run = 0; run < values_.a.size(); ++run) {
        x.a = b + values_.a[run];
        x.c = out + values_.b[run];
        tiles_->table().narrow_values(x);
    }
}

template <class T>
void row_consumer<T>::add_sums(const tile_task<T>& t, const T* from) const {
    const std::int64_t count = sums_of(t);
    T* const sums = t.address(sums_);
    if (weights_ < 0) {
        for (std::int64_t k = 0; k < count; ++k) sums[k] += from[k];
        return;
    }
    const T* const factor = tiles_->state_of(t, static_cast<std::size_t>(weights_)).factor;
    if (is_narrow(t)) {
        for (std::int64_t i = 0; i < t.width.rows; ++i)
            for (std::int64_t k = i * padded_; k < (i + 1) * padded_; ++k)
                sums[k] += factor[i] * from[k];
        return;
    }
    const std::int64_t width = t.width.width;
    for (std::int64_t k = 0; k < count; k += width)
        for (std::int64_t x = 0; x < width; ++x) sums[k + x] += factor[x] * from[k + x];
}

template <class T>
void row_consumer<T>::finish(const tile_task<T>& t, double number, bool first, T* scratch) const {
    find_factors(t, number, scratch);
    write(t, first ? beta_ : T{1}, scratch, scratch + t.width.width);
}

// What the sums of each row are multiplied by at the end.
template <class T>
void row_consumer<T>::find_factors(const tile_task<T>& t, double number, T* factors) const {
    const T factor = static_cast<T>(number);
    const T* total =
        weights_ < 0 ? nullptr : tiles_->state_of(t, static_cast<std::size_t>(weights_)).sum;
    for (std::int64_t x = 0; x < t.width.rows; ++x)
        factors[x] = total == nullptr ? factor : total[x] == 0 ? T{0} : factor / total[x];
}

// Writes rows where columns of sums are, each with its factor.
template <class T>
void row_consumer<T>::write(const tile_task<T>& t, T beta, const T* factors, T* scratch) const {
    const std::int64_t width = t.width.width, rows = t.width.rows;
    const std::int64_t row_stride = tiles_->shape().row.strides[output_];
    T* const out = static_cast<T*>(t.bases[output_]) + t.at[output_] + t.row * row_stride;
    const std::int64_t values = values_.last.extent;
    const std::int64_t step = rounded_up(values, tiles_->packing().lanes);
    const bool narrow = is_narrow(t);
    for (std::size_t run = 0; run < values_.b.size(); ++run) {
        const T* from =
            t.address(sums_) + static_cast<std::int64_t>(run) * values * (narrow ? 1 : width);
        if (!narrow)
            transpose(tiles_->packing(), from, values, width, rows, std::int64_t{1}, scratch, step);
        const T* row = narrow ? from : scratch;
        const std::int64_t row_step = narrow ? padded_ : step;
        T* to = out + values_.b[run];
        if (values_.last.b == 1) {
            tiles_->table().write_rows(to, row_stride, row, row_step, rows, values, factors, beta);
            continue;
        }
        for (std::int64_t i = 0; i < rows; ++i, to += row_stride, row += row_step)
            write_values(to, values_.last.b, row, values, factors[i], beta);
    }
}

template <class T>
column_consumer<T>::column_consumer(const steps::tile_consumer& consumer, tiles<T>& made,
                                    std::int64_t columns)
    : tiles_(&made),
      tile_(static_cast<std::size_t>(consumer.tile)),
      output_(static_cast<std::size_t>(consumer.output)),
      b_(consumer.b),
      values_(flatten(consumer.values)),
      padded_(rounded_up(values_.total, made.packing().lanes)),
      in_place_(b_ >= 0 && values_.a.size() == 1 && values_.last.a == 1 &&
                padded_ == values_.total),
      beta_(static_cast<T>(consumer.beta)),
      sums_(made.take_shared(static_cast<std::size_t>(padded_ * columns))),
      packed_(made.take(
          static_cast<std::size_t>(padded_ * made.sizes().full.width + made.packing().lanes))) {}

template <class T>
void column_consumer<T>::clear(const tile_task<T>& t, std::int64_t columns) const {
    std::fill_n(t.shared_address(sums_), padded_ * columns, T{0});
}

template <class T>
void column_consumer<T>::pack(const tile_task<T>& t) const {
    if (in_place_) return;
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
    x.c_row = padded_;
    x.mode = kernels::product_mode::add;
    const std::int64_t vectors = padded_ / table.lanes;
    const std::int64_t parts = (vectors + table.most_vectors - 1) / table.most_vectors;
    for (std::int64_t part = 0; part < parts; ++part) {
        const std::int64_t first = vectors * part / parts, last = vectors * (part + 1) / parts;
        x.b = b + first * table.lanes;
        x.c = t.shared_address(sums_) + (range.column - block) * padded_ + first * table.lanes;
        sum_row_steps(table, last - first, x, range);
    }
}

template <class T>
void column_consumer<T>::finish(const tile_task<T>& t, std::int64_t block, std::int64_t end,
                                double number, bool first) const {
    const std::int64_t stride = tiles_->shape().column.strides[output_];
    T* to = static_cast<T*>(t.bases[output_]) + t.at[output_] + block * stride;
    const T* sums = t.shared_address(sums_);
    const T factor = static_cast<T>(number), beta = first ? beta_ : T{1};
    for (std::int64_t c = block; c < end; ++c, to += stride, sums += padded_) {
        const T* from = sums;
        for (const std::int64_t run : values_.b) {
            const std::int64_t count = values_.last.extent;
            if (values_.last.b == 1) {
                tiles_->table().write_rows(to + run, count, from, count, 1, count, &factor, beta);
            } else {
                write_values(to + run, values_.last.b, from, count, factor, beta);
            }
            from += count;
        }
    }
}

// A few columns, whose values lie side by side, are written as they are summed.
template <class T>
void column_consumer<T>::sum(const tile_task<T>& t, const tile_range& range, std::int64_t end,
                             double number, T* scratch) const {
    const bool narrow = b_ >= 0 && values_.last.a == 1 && values_.last.b == 1 && beta_ == 0 &&
                        end <= tiles_->table().most_narrow;
    if (!narrow || range.column != 0 || range.column_end != end) {
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
plane_consumer<T>::plane_consumer(const steps::tile_consumer& consumer, tiles<T>& made)
    : tiles_(&made),
      tile_(static_cast<std::size_t>(consumer.tile)),
      output_(static_cast<std::size_t>(consumer.output)),
      beta_(static_cast<T>(consumer.beta)) {}

template <class T>
std::size_t plane_consumer<T>::scratch(const tiles<T>& made) {
    const auto& sizes = made.sizes();
    return static_cast<std::size_t>((sizes.full.width + 1) *
                                    rounded_up(sizes.columns, made.packing().lanes));
}

template <class T>
bool plane_consumer<T>::is_first(std::int64_t batch) const {
    const auto& loops = tiles_->shape().batch;
    for (std::size_t l = loops.size(); l-- > 0;) {
        if (batch % loops[l].extent != 0 && loops[l].strides[output_] == 0) return false;
        batch /= loops[l].extent;
    }
    return true;
}

// Rows of columns side by side: the tile is transposed, then its rows are written.
template <class T>
void plane_consumer<T>::add(const tile_task<T>& t, const tile_range& range, double number,
                            bool first, T* scratch) const {
    const auto stride = tiles_->shape().strides(output_);
    const std::int64_t columns = range.column_end - range.column;
    const std::int64_t step = rounded_up(tiles_->sizes().columns, tiles_->packing().lanes);
    transpose(tiles_->packing(), t.tile[tile_], columns, t.width.width, t.width.rows,
              std::int64_t{1}, scratch, step);
    T* to = static_cast<T*>(t.bases[output_]) + t.at[output_] + t.row * stride.row +
            range.column * stride.column;
    const T factor = static_cast<T>(number);
    for (std::int64_t i = 0; i < t.width.rows; ++i, to += stride.row, scratch += step) {
        write_values(to, stride.column, scratch, columns, factor, first ? beta_ : T{1});
    }
}

template <class T>
void plane_consumer<T>::add_nothing(const tile_task<T>& t, const tile_range& range,
                                    bool first) const {
    if (!first || beta_ == 1) return;
    const auto stride = tiles_->shape().strides(output_);
    T* to = static_cast<T*>(t.bases[output_]) + t.at[output_] + t.row * stride.row +
            range.column * stride.column;
    for (std::int64_t i = 0; i < t.width.rows; ++i, to += stride.row)
        for (std::int64_t c = 0; c < range.column_end - range.column; ++c) {
            T& x = to[c * stride.column];
            x = beta_ == 0 ? T{0} : beta_ * x;
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

template class row_consumer<float>;
template class row_consumer<double>;
template class column_consumer<float>;
template class column_consumer<double>;
template class plane_consumer<float>;
template class plane_consumer<double>;
template class line_consumer<float>;
template class line_consumer<double>;

}  // namespace ricci::fused
