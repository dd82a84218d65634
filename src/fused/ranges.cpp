// Which columns a tile of rows makes, range by range: what conditions leave of them.
#include <algorithm>
#include <array>

#include "src/fused/lane_steps.hpp"
#include "src/fused/tiles.hpp"

namespace ricci::fused {
namespace {

constexpr std::int64_t trim_step = 8;  // columns
constexpr std::int64_t uniform_step = 16;
constexpr std::int64_t most_pieces = 1 << 15;       // of a schedule
constexpr std::int64_t most_range_looks = 1 << 16;  // at parts of them

/// The largest of step, 2 step, 4 step ... that is not above `extent`.
std::int64_t largest_step(std::int64_t extent, std::int64_t step) {
    while (2 * step <= extent) step *= 2;
    return step;
}

bool is_partial(std::span<const knowledge> operations) {
    return std::any_of(operations.begin(), operations.end(),
                       [](const knowledge& k) { return k.partial; });
}

}  // namespace

/// Whether anything of the range counts; what is known of each operation there.
template <class T>
bool tiles<T>::look(const task& t, const tile_range& range, knowledge* known) const {
    std::uint64_t zero_tiles = 0;
    bool anything = all_count_;
    for (std::size_t s = 0; s < operations_.size(); ++s) {
        known[s] = operations_[s].code.look(range, t.operands(), zero_tiles);
        if (known[s].nothing) zero_tiles |= std::uint64_t{1} << (products_.size() + s);
        anything = anything || (operations_[s].weights && !known[s].nothing);
    }
    for (const std::size_t number : consumed_tiles_)
        anything = anything || ((zero_tiles >> number) & 1u) == 0;
    return anything;
}

/// The range without columns at its ends that do not count. A part of what does not count does not
/// count either, hence steps that are halved.
template <class T>
tile_range tiles<T>::trimmed(const task& t, const tile_range& range) const {
    std::array<knowledge, most_operations> known;
    tile_range result = range;
    const std::int64_t most = largest_step(range.column_end - range.column, trim_step);
    for (std::int64_t step = most; step >= trim_step; step /= 2) {
        tile_range part = result;
        part.column_end = part.column + step;
        if (part.column_end < result.column_end && !look(t, part, known.data()))
            result.column = part.column_end;
    }
    for (std::int64_t step = most; step >= trim_step; step /= 2) {
        tile_range part = result;
        part.column += rounded_up(result.column_end - result.column, trim_step) - step;
        if (part.column > result.column && !look(t, part, known.data()))
            result.column_end = part.column;
    }
    return result;
}

/// The range from a column on, at most to `end`, that is best made at once: without a part at its
/// end where conditions hold for some elements only, if there is enough before it.
template <class T>
tile_range tiles<T>::next(const task& t, std::int64_t column, std::int64_t end) const {
    tile_range whole{t.row, t.row + t.width.rows, column, std::min(end, column + sizes_.columns)};
    std::array<knowledge, most_operations> known;
    const auto varies = [&](const tile_range& range) {
        return look(t, range, known.data()) && is_partial({known.data(), operations_.size()});
    };
    if (!varies(whole)) return whole;
    tile_range part = whole;
    std::int64_t uniform = whole.column;
    for (std::int64_t step = largest_step(whole.column_end - whole.column, uniform_step);
         step >= uniform_step; step /= 2) {
        part.column_end = uniform + step;
        if (part.column_end <= whole.column_end && !varies(part)) uniform = part.column_end;
    }
    // Empty columns at the start are trimmed later.
    if (uniform > column) whole.column_end = uniform;
    return whole;
}

/// The next range of a cursor and what is known of it; false when nothing of it counts.
template <class T>
bool tiles<T>::choose(const task& t, cursor& c, tile_range& range, knowledge* known) const {
    range = next(t, c.column, c.end);
    c.column = range.column_end;
    if (!look(t, range, known)) return false;
    if (is_partial({known, operations_.size()})) {
        range = trimmed(t, range);
        look(t, range, known);
    }
    return true;
}

template <class T>
void tiles<T>::find_schedule(std::int64_t columns) {
    const bool fixed = std::all_of(operations_.begin(), operations_.end(),
                                   [&](const operation& s) { return s.code.is_fixed(geometry_); });
    const std::int64_t extent = geometry_.column.extent;
    const std::int64_t starts = (extent + columns - 1) / columns;
    const std::int64_t tiles_of_row = (extent + sizes_.columns - 1) / sizes_.columns + starts;
    if (!fixed || extent == 0 || row_tiles_ * tiles_of_row > most_pieces) return;
    std::vector<std::int64_t> at = geometry_.offset;
    task t;
    t.at = at.data();
    std::array<knowledge, most_operations> known, unused;
    std::int64_t looks = 0;
    const auto counts = [&](const tile_range& part) {
        ++looks;
        return look(t, part, unused.data());
    };
    schedule found(columns, extent);
    for (std::int64_t row_tile = 0; row_tile < row_tiles_; ++row_tile) {
        choose_rows(t, row_tile);
        for (std::int64_t first = 0; first < extent; first += columns) {
            found.begin();
            cursor c{first, std::min(extent, first + columns)};
            tile_range range;
            while (c.column < c.end) {
                if (!choose(t, c, range, known.data())) continue;
                const std::span<const knowledge> operations(known.data(), operations_.size());
                std::vector<tile_step> steps;
                if (is_partial(operations) && looks < most_range_looks)
                    steps = find_steps(range, table_->lanes, counts);
                found.add(range, operations, steps);
            }
        }
    }
    found.begin();
    schedule_ = std::move(found);
}

template <class T>
typename tiles<T>::cursor tiles<T>::ranges(const task& t, std::int64_t column,
                                           std::int64_t end) const {
    cursor c{column, end};
    if (!has_schedule()) return c;
    const auto pieces = schedule_.pieces(t.row / sizes_.full.width, column);
    c.piece = pieces.first;
    c.last = pieces.last;
    return c;
}

template <class T>
bool tiles<T>::counts(const task& t, cursor c) const {
    if (has_schedule()) return c.piece < c.last;
    std::array<knowledge, most_operations> known;
    for (; c.column < c.end; c.column += sizes_.columns)
        if (look(
                t,
                {t.row, t.row + t.width.rows, c.column, std::min(c.end, c.column + sizes_.columns)},
                known.data()))
            return true;
    return false;
}

template <class T>
bool tiles<T>::make_next(task& t, cursor& c, tile_range& range) const {
    if (has_schedule()) {
        if (c.piece == c.last) return false;
        range = schedule_.range(c.piece, t.row, t.row + t.width.rows);
        make(t, range, schedule_.known(c.piece));
        ++c.piece;
        return true;
    }
    std::array<knowledge, most_operations> known;
    while (c.column < c.end) {
        if (!choose(t, c, range, known.data())) continue;
        make(t, range, known.data());
        return true;
    }
    return false;
}

template <class T>
bool tiles<T>::make_again(task& t, const tile_range& range) const {
    std::array<knowledge, most_operations> known;
    if (!look(t, range, known.data())) return false;
    make(t, range, known.data());
    return true;
}

template <class T>
bool tiles<T>::needs_weights() const {
    const tile_range all{0, geometry_.row.extent, 0, geometry_.column.extent};
    const operand_memory nowhere{nullptr, geometry_.offset.data()};
    std::uint64_t zero_tiles = 0;
    for (std::size_t s = 0; s < operations_.size(); ++s)
        if (operations_[s].recomputed || operations_[s].code.look(all, nowhere, zero_tiles).nothing)
            zero_tiles |= std::uint64_t{1} << (products_.size() + s);
    return !all_count_ &&
           std::all_of(consumed_tiles_.begin(), consumed_tiles_.end(),
                       [&](std::size_t number) { return ((zero_tiles >> number) & 1u) != 0; });
}

// What is not cut at a start of columns is cut by `uniform_step` at least.
template <class T>
std::int64_t tiles<T>::most_ranges() const {
    return geometry_.column.extent / uniform_step + geometry_.column.extent / sizes_.columns + 2;
}

#define RICCI_INSTANTIATE(T)                                                                   \
    template bool tiles<T>::look(const task&, const tile_range&, knowledge*) const;            \
    template tile_range tiles<T>::trimmed(const task&, const tile_range&) const;               \
    template tile_range tiles<T>::next(const task&, std::int64_t, std::int64_t) const;         \
    template bool tiles<T>::choose(const task&, cursor&, tile_range&, knowledge*) const;       \
    template void tiles<T>::find_schedule(std::int64_t);                                       \
    template tiles<T>::cursor tiles<T>::ranges(const task&, std::int64_t, std::int64_t) const; \
    template bool tiles<T>::make_again(task&, const tile_range&) const;                        \
    template bool tiles<T>::needs_weights() const;                                             \
    template std::int64_t tiles<T>::most_ranges() const;                                       \
    template bool tiles<T>::counts(const task&, cursor) const;                                 \
    template bool tiles<T>::make_next(task&, cursor&, tile_range&) const
RICCI_INSTANTIATE(float);
RICCI_INSTANTIATE(double);
#undef RICCI_INSTANTIATE

}  // namespace ricci::fused
