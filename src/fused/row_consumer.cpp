// Sums over the columns of tiles.
#include <algorithm>

#include "src/fused/consumers.hpp"
#include "src/fused/lane_steps.hpp"
#include "src/fused/written_values.hpp"

namespace ricci::fused {
namespace {

// Sums are rounded once for each column: sums of sums are more exact.
constexpr std::int64_t columns_at_once = 128;

}  // namespace

template <class T>
row_consumer<T>::row_consumer(const steps::tile_consumer& consumer, tiles<T>& made)
    : tiles_(&made),
      tile_(static_cast<std::size_t>(consumer.tile)),
      output_(static_cast<std::size_t>(consumer.output)),
      b_(consumer.b),
      weights_(consumer.weights),
      by_(consumer.by),
      count_(consumer.count),
      place_(consumer.place),
      carried_(steps::numbers_carried(consumer)),
      values_(flatten(consumer.values)),
      padded_(rounded_up(values_.total, made.packing().lanes)),
      landing_(consumer, made.shape()),
      beta_(static_cast<T>(consumer.beta)),
      sums_(made.take(static_cast<std::size_t>(most_sums()))),
      part_(landing_.exists() ? made.take(static_cast<std::size_t>(most_sums())) : 0) {}

template <class T>
std::int64_t row_consumer<T>::most_sums() const {
    if (folds()) return carried_ * tiles_->sizes().full.width;
    return std::max(values_.total * tiles_->sizes().full.width,
                    padded_ * tiles_->table().most_narrow);
}

template <class T>
std::int64_t row_consumer<T>::sums_of(const tile_task<T>& t) const {
    if (folds()) return carried_ * t.width.width;
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
    const std::int64_t width = t.width.width;
    if (folds()) states_at(t.address(sums_), width).clear(by_, width);
    else std::fill_n(t.address(sums_), sums_of(t), T{0});
}

template <class T>
auto row_consumer<T>::states_at(T* first, std::int64_t width) const -> fold_states {
    return carried_numbers(first, width, count_ >= 0, place_ >= 0);
}

// A count begins anew where there is a larger maximum.
template <class T>
void row_consumer<T>::fold(const tile_task<T>& t, const tile_range& range, T* scratch) const {
    const std::int64_t width = t.width.width;
    const auto& table = tiles_->table();
    const auto state = states_at(t.address(sums_), width);
    if (count_ >= 0) std::copy_n(state.values, width, scratch);
    if (place_ < 0) fold_steps(table, by_, t.tile[tile_], width, range, state.values);
    else place_steps(table, by_, t.tile[tile_], width, range, state.values, state.places);
    if (count_ < 0) return;
    for (std::int64_t x = 0; x < width; ++x)
        state.counts[x] = scratch[x] == state.values[x] ? state.counts[x] : T{0};
    count_steps(table, t.tile[tile_], width, range, state.values, state.counts);
}

template <class T>
void row_consumer<T>::add(const tile_task<T>& t, const tile_range& range, bool first,
                          T* scratch) const {
    const bool narrow = is_narrow(t);
    // A product begins with sums, where it reaches all of them.
    const bool begins = first && !folds() && b_ >= 0 && !narrow && range.steps.empty();
    if (first && !begins) clear(t);
    if (folds()) return fold(t, range, scratch);
    const std::int64_t width = t.width.width;
    const T* factor =
        weights_ < 0 ? nullptr : tiles_->state_of(t, static_cast<std::size_t>(weights_)).factor;
    T* const sums = t.address(sums_);
    if (landing_.exists()) return add_landing(t, range, factor);
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
    x.mode = begins              ? kernels::product_mode::store
             : factor != nullptr ? kernels::product_mode::rescale
                                 : kernels::product_mode::add;
    x.scale = factor;
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

// Where a range has fewer columns than there are values, these are not summed apart first.
template <class T>
void row_consumer<T>::add_landing(const tile_task<T>& t, const tile_range& range,
                                  const T* factor) const {
    const std::int64_t width = t.width.width, columns = range.column_end - range.column;
    T* const sums = t.address(sums_);
    const bool apart = values_.total < columns;
    T* const part = apart ? t.address(part_) : sums;
    if (factor != nullptr)
        for (std::int64_t k = 0; k < values_.total * width; k += width)
            for (std::int64_t x = 0; x < width; ++x) sums[k + x] *= factor[x];
    if (apart) std::fill_n(part, values_.total * width, T{0});
    landing_.each(t.bases, t.at, range.column, columns, [&](std::int64_t c, std::int64_t value) {
        const T* const from = t.tile[tile_] + c * width;
        T* const to = part + value * width;
        for (std::int64_t x = 0; x < width; ++x) to[x] += from[x];
    });
    if (apart)
        for (std::int64_t k = 0; k < values_.total * width; ++k) sums[k] += part[k];
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
            .ahead = tiles_->ahead(operand),
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
        add(t, range, true, scratch);
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
    if (folds()) {
        const std::int64_t width = t.width.width;
        const auto mine = states_at(sums, width), other = states_at(const_cast<T*>(from), width);
        for (std::int64_t x = 0; x < width; ++x) mine.set(x, joined(by_, mine[x], other[x]));
        return;
    }
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
    if (folds()) return write_fold(t, first);
    find_factors(t, number, scratch);
    write(t, first ? beta_ : T{1}, scratch, scratch + t.width.width);
}

// What is there already was folded of other columns.
template <class T>
void row_consumer<T>::write_fold(const tile_task<T>& t, bool first) const {
    const auto state = states_at(t.address(sums_), t.width.width);
    const auto results = results_of(t, tiles_->shape().row, t.row, output_, count_, place_);
    for (std::int64_t x = 0; x < t.width.rows; ++x) write_result(by_, results, x, state[x], first);
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

template class row_consumer<float>;
template class row_consumer<double>;

}  // namespace ricci::fused
