// Columns of a tile of rows in parts.
#include "src/fused/column_parts.hpp"

#include <algorithm>
#include <limits>

#include <fmt/core.h>

namespace ricci::fused {
namespace {

constexpr std::int64_t enough_tasks = 16;  // so many tiles of rows need no parts of columns
constexpr std::int64_t wanted_tasks = 32;
constexpr double flops_per_part = 8e5;
constexpr std::int64_t least_tiles = 4;     // of a part, which costs about as much as a half of one
constexpr std::int64_t tile_columns = 128;  // that longer tiles count as there

}  // namespace

template <class T>
column_parts<T>::column_parts(const steps::fused_group& what, tiles<T>& made,
                              const std::vector<row_consumer<T>>& consumers, std::int64_t units,
                              double work)
    : tiles_(&made),
      extent_(made.shape().column.extent),
      columns_(std::max<std::int64_t>(extent_, 1)),
      others_(iterations(made.shape().other_columns)),
      others_of_part_(others_) {
    if (units == 0 || units >= enough_tasks || extent_ * others_ == 0) return;
    const std::int64_t least = std::max(static_cast<std::int64_t>(flops_per_part / (1 + work)),
                                        least_tiles * std::min(made.sizes().columns, tile_columns));
    const std::int64_t wanted = std::max(least, extent_ * others_ * units / wanted_tasks);
    if (wanted < extent_) {
        others_of_part_ = 1;
        const std::int64_t runs = extent_ / std::max<std::int64_t>(wanted, 1);
        columns_ = rounded_up((extent_ + runs - 1) / runs, made.sizes().columns);
    } else {
        others_of_part_ = std::min(others_, wanted / extent_);
    }
    runs_ = (extent_ + columns_ - 1) / columns_;
    other_parts_ = (others_ + others_of_part_ - 1) / others_of_part_;
    if (count() == 1) return;
    const std::int64_t width = made.sizes().full.width;
    for (std::size_t k = 0; k < what.operations.size(); ++k)
        if (what.operations[k].kind == steps::operation_kind::weights) weights_.push_back(k);
    kept_ = 2 * width * static_cast<std::int64_t>(weights_.size());
    for (const auto& s : consumers) kept_ += s.most_sums();
    kept_ = rounded_up(kept_, 64 / static_cast<std::int64_t>(sizeof(T)));
    state_ = made.take(static_cast<std::size_t>(2 * width));
}

template <class T>
column_part column_parts<T>::part(std::int64_t number) const {
    const std::int64_t other = number / runs_ * others_of_part_, column = number % runs_ * columns_;
    return {other, std::min(others_, other + others_of_part_), column,
            std::min(extent_, column + columns_)};
}

template <class T>
std::string column_parts<T>::describe() const {
    if (count() == 1) return "";
    return fmt::format(", columns in parts of {}", columns_ * others_of_part_);
}

template <class T>
void column_parts<T>::keep(const tile_task<T>& t, const std::vector<row_consumer<T>>& consumers,
                           T* to) const {
    const std::int64_t width = t.width.width;
    for (const std::size_t operation : weights_) {
        const auto state = tiles_->state_of(t, operation);
        to = std::copy_n(state.maximum, width, to);
        to = std::copy_n(state.sum, width, to);
    }
    for (const auto& s : consumers) to = std::copy_n(s.sums(t), s.sums_of(t), to);
}

template <class T>
void column_parts<T>::merge(const tile_task<T>& t, const std::vector<row_consumer<T>>& consumers,
                            const T* kept) const {
    const std::int64_t width = t.width.width;
    const auto lanes = static_cast<std::size_t>(width);
    for (std::size_t k = 0; k < weights_.size(); ++k) {
        const auto state = tiles_->state_of(t, weights_[k]);
        tiles_->elementwise().maximum_rows(state.maximum,
                                           kept + 2 * width * static_cast<std::int64_t>(k), kept_,
                                           static_cast<std::size_t>(count()), lanes);
    }
    for (std::int64_t part = 0; part < count(); ++part, kept += kept_) {
        const T* from = kept;
        // A part is told the largest scores of all: what it is multiplied by then is where
        // consumers look for it.
        for (const std::size_t operation : weights_) {
            const auto state = tiles_->state_of(t, operation);
            T* const maximum = t.address(state_);
            const kernels::softmax_state<T> own{maximum, maximum + width, state.factor};
            std::copy_n(from, width, own.maximum);
            std::copy_n(from + width, width, own.sum);
            tiles_->table().raise(own, state.maximum, lanes);
            for (std::int64_t x = 0; x < width; ++x) state.sum[x] += own.sum[x];
            from += 2 * width;
        }
        for (const auto& s : consumers) {
            s.add_sums(t, from);
            from += s.sums_of(t);
        }
    }
}

template class column_parts<float>;
template class column_parts<double>;

}  // namespace ricci::fused
