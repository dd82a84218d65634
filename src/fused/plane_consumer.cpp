// Tiles that are written as planes, or summed over loops of the batch.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "src/fused/consumers.hpp"
#include "src/fused/written_values.hpp"

namespace ricci::fused {
namespace {

// Of a block of a plane whose tiles are added up before they are written: they stay in the second
// cache.
constexpr std::int64_t most_gathered_bytes = 512 << 10;

}  // namespace

template <class T>
plane_consumer<T>::plane_consumer(const steps::tile_consumer& consumer, tiles<T>& made,
                                  std::int64_t columns, std::int64_t units)
    : tiles_(&made),
      tile_(static_cast<std::size_t>(consumer.tile)),
      output_(static_cast<std::size_t>(consumer.output)),
      beta_(static_cast<T>(consumer.beta)),
      columns_(columns),
      units_(units) {}

template <class T>
void plane_consumer<T>::gather_if_room(tiles<T>& made) {
    const geometry& g = made.shape();
    std::int64_t still = 1;  // iterations of the last loops, along which C does not move
    for (std::size_t l = g.batch.size(); l-- > 0 && g.batch[l].strides[output_] == 0;)
        still *= g.batch[l].extent;
    const std::int64_t sums = units_ * columns_ * made.sizes().full.width;
    gathers_ = still > 1 && still == g.summed &&
               sums * static_cast<std::int64_t>(sizeof(T)) <= most_gathered_bytes &&
               made.has_room(static_cast<std::size_t>(sums));
    if (gathers_) sums_ = made.take(static_cast<std::size_t>(sums));
}

template <class T>
T* plane_consumer<T>::gathered(const tile_task<T>& t, std::int64_t unit) const {
    return t.address(sums_) + unit * columns_ * tiles_->sizes().full.width;
}

template <class T>
void plane_consumer<T>::clear(const tile_task<T>& t) const {
    std::fill_n(t.address(sums_), units_ * columns_ * tiles_->sizes().full.width, T{0});
}

template <class T>
void plane_consumer<T>::gather(const tile_task<T>& t, const tile_range& range, std::int64_t block,
                               std::int64_t unit) const {
    const std::int64_t width = t.width.width;
    const auto count = (range.column_end - range.column) * width;
    tiles_->elementwise().add_rows(gathered(t, unit) + (range.column - block) * width,
                                   t.tile[tile_], count, 1, static_cast<std::size_t>(count));
}

template <class T>
void plane_consumer<T>::finish(tile_task<T>& t, std::int64_t block, std::int64_t end,
                               std::int64_t unit, double number, T* scratch) const {
    T* const tile = t.tile[tile_];
    const std::int64_t columns = tiles_->sizes().columns;
    for (std::int64_t c = block; c < end; c += columns) {
        t.tile[tile_] = gathered(t, unit) + (c - block) * t.width.width;
        add(t, {t.row, t.row + t.width.rows, c, std::min(end, c + columns)}, number, true, scratch);
    }
    t.tile[tile_] = tile;
}

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

template class plane_consumer<float>;
template class plane_consumer<double>;

}  // namespace ricci::fused
