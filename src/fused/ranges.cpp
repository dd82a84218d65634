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

/// The first of [begin, end), `unit` by `unit`, where something counts; `end`: nowhere. Parts where
/// nothing does are twice as long each time, and halved where something may.
template <class Counts>
std::int64_t first_that_counts(std::int64_t begin, std::int64_t end, std::int64_t unit,
                               Counts counts) {
    bool growing = true;
    for (std::int64_t part = unit; begin < end;) {
        const std::int64_t part_end = std::min(end, begin + part);
        const bool smallest = part == unit;
        if (counts(begin, part_end)) {
            if (smallest) return begin;
            growing = false;
        } else {
            begin = part_end;
            growing = growing || smallest;
        }
        part = growing ? 2 * part : part / 2;
    }
    return end;
}

bool is_partial(std::span<const knowledge> operations) {
    return std::any_of(operations.begin(), operations.end(),
                       [](const knowledge& k) { return k.partial; });
}

}  // namespace

/// What conditions rest on.
template <class T>
void tiles<T>::find_conditions() {
    std::vector<std::size_t> compared;
    for (const operation& s : operations_) {
        has_conditions_ = has_conditions_ || !s.code.unconditional();
        for (const std::size_t k : s.code.compared())
            if (std::ranges::count(compared, k) == 0) compared.push_back(k);
    }
    bounds_ = operand_bounds<T>(geometry_, compared);
}

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

/// Moves a cursor to the first columns that count, whose range and what is known of it is given;
/// false where there are none.
template <class T>
bool tiles<T>::skip_empty(const task& t, cursor& c, tile_range& range, knowledge* known) const {
    range = {t.row, t.row + t.width.rows, c.column, c.end};
    c.column = first_that_counts(c.column, c.end, sizes_.columns,
                                 [&](std::int64_t column, std::int64_t end) {
                                     range.column = column, range.column_end = end;
                                     return look(t, range, known);
                                 });
    return c.column < c.end;
}

/// The range without columns at its ends that do not count. A part of what does not count does not
/// count either, hence steps that are halved, and none where the smallest counts.
template <class T>
tile_range tiles<T>::trimmed(const task& t, const tile_range& range) const {
    std::array<knowledge, most_operations> known;
    tile_range result = range;
    const std::int64_t most = largest_step(range.column_end - range.column, trim_step);
    const auto cut_start = [&](std::int64_t step) {
        tile_range part = result;
        part.column_end = part.column + step;
        if (part.column_end >= result.column_end || look(t, part, known.data())) return false;
        result.column = part.column_end;
        return true;
    };
    const auto cut_end = [&](std::int64_t step) {
        tile_range part = result;
        part.column += rounded_up(result.column_end - result.column, trim_step) - step;
        if (part.column <= result.column || look(t, part, known.data())) return false;
        result.column_end = part.column;
        return true;
    };
    if (cut_start(trim_step))
        for (std::int64_t step = most; step >= trim_step; step /= 2) cut_start(step);
    if (cut_end(trim_step))
        for (std::int64_t step = most; step >= trim_step; step /= 2) cut_end(step);
    return result;
}

/// How far a range is best made at once, of which conditions hold for some elements only: without
/// such a part, if there is enough before it.
template <class T>
std::int64_t tiles<T>::uniform_end(const task& t, const tile_range& range) const {
    std::array<knowledge, most_operations> known;
    const auto varies = [&](std::int64_t end) {
        if (end > range.column_end) return true;
        return look(t, {range.row, range.row_end, range.column, end}, known.data()) &&
               is_partial({known.data(), operations_.size()});
    };
    if (varies(range.column + uniform_step)) return range.column_end;
    std::int64_t uniform = range.column;
    for (std::int64_t step = largest_step(range.column_end - range.column, uniform_step);
         step >= uniform_step; step /= 2)
        if (!varies(uniform + step)) uniform += step;
    return uniform;
}

/// The next range of a cursor and what is known of it; false when nothing of it counts.
template <class T>
bool tiles<T>::choose(const task& t, cursor& c, tile_range& range, knowledge* known) const {
    const auto partial = [&] { return is_partial({known, operations_.size()}); };
    if (!skip_empty(t, c, range, known)) return false;
    if (partial()) {
        const std::int64_t end = uniform_end(t, range);
        const bool shorter = end < range.column_end;
        range.column_end = end;
        // Empty columns at the start are such a part.
        if (shorter && !look(t, range, known)) {
            c.column = end;
            return false;
        }
    }
    c.column = range.column_end;
    if (partial()) {
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
    if (!fixed || !bounds_.empty() || extent == 0 || row_tiles_ * tiles_of_row > most_pieces)
        return;
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
    tile_range range;
    return skip_empty(t, c, range, known.data());
}

template <class T>
std::int64_t tiles<T>::empty_row_tiles(const task& t, std::int64_t row_tile, std::int64_t column,
                                       std::int64_t end) const {
    if (all_count_ || !has_conditions_) return 0;
    if (has_schedule()) {
        std::int64_t count = 0;
        while (count <= row_tile && is_empty(row_tile - count, column)) ++count;
        return count;
    }
    std::array<knowledge, most_operations> known;
    const std::int64_t width = sizes_.full.width;
    const auto counts = [&](std::int64_t first, std::int64_t last) {
        const std::int64_t row_end = (row_tile - first + 1) * width;
        return look(
            t,
            {(row_tile - last + 1) * width, std::min(geometry_.row.extent, row_end), column, end},
            known.data());
    };
    return first_that_counts(0, row_tile + 1, 1, counts);
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
    const operand_memory<T> nowhere{nullptr, geometry_.offset.data()};
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
    template void tiles<T>::find_conditions();                                                 \
    template bool tiles<T>::look(const task&, const tile_range&, knowledge*) const;            \
    template bool tiles<T>::skip_empty(const task&, cursor&, tile_range&, knowledge*) const;   \
    template tile_range tiles<T>::trimmed(const task&, const tile_range&) const;               \
    template std::int64_t tiles<T>::uniform_end(const task&, const tile_range&) const;         \
    template bool tiles<T>::choose(const task&, cursor&, tile_range&, knowledge*) const;       \
    template void tiles<T>::find_schedule(std::int64_t);                                       \
    template tiles<T>::cursor tiles<T>::ranges(const task&, std::int64_t, std::int64_t) const; \
    template bool tiles<T>::make_again(task&, const tile_range&) const;                        \
    template bool tiles<T>::needs_weights() const;                                             \
    template std::int64_t tiles<T>::most_ranges() const;                                       \
    template bool tiles<T>::counts(const task&, cursor) const;                                 \
    template std::int64_t tiles<T>::empty_row_tiles(const task&, std::int64_t, std::int64_t,   \
                                                    std::int64_t) const;                       \
    template bool tiles<T>::make_next(task&, cursor&, tile_range&) const
RICCI_INSTANTIATE(float);
RICCI_INSTANTIATE(double);
#undef RICCI_INSTANTIATE

}  // namespace ricci::fused
