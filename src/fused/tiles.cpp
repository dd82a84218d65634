// Making the tiles of a fused group.
#include "src/fused/tiles.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>

#include "src/runtime/cache_sizes.hpp"
#include "src/fused/lane_steps.hpp"
#include "src/steps/packed_rows.hpp"

namespace ricci::fused {
namespace {

constexpr std::int64_t chunk_elements = 768;   // what an operation transforms at once
constexpr std::int64_t tile_bytes = 24 << 10;  // of one tile, so that it stays in the first cache
// Sums over columns are rounded once for each column of a tile: longer tiles are less exact.
constexpr std::int64_t least_columns = 64, most_columns = 128;
constexpr double near_part = 0.6;   // of the second cache
constexpr double kept_part = 0.25;  // the same, of copies that stay there
// Tiles of rows that a batch has at most for its columns to count as passing.
constexpr std::int64_t few_row_tiles = 4;

bool sums_narrow(const steps::tile_consumer& s) {
    return s.summed == steps::loop_role::column && s.b >= 0 && flatten(s.values).last.a == 1;
}

}  // namespace

template <class T>
tiles<T>::tiles(const steps::fused_group& what, const kernels::fused_table<T>& table,
                const kernels::kernel_table<T>& packing, kept_products kept)
    : geometry_(make_geometry(what)),
      table_(&table),
      packing_(&packing),
      elementwise_(&kernels::elementwise<T>()),
      kept_(std::move(kept)) {
    kept_.place.resize(what.products.size(), -1);
    choose_sizes(what);
    for (const auto& p : what.products) add_product(p);
    add_operations(what);
    for (const auto& s : what.consumers)
        consumed_tiles_.push_back(static_cast<std::size_t>(s.tile));
    assign_buffers(what);
    pointers_ = what.operands.size();
    find_passing();
    lay_out();
}

// What a value is where nothing of a tile counts: the identity of the folds that take it up, if
// these are of one kind and nobody else reads it.
template <class T>
void tiles<T>::add_operations(const steps::fused_group& what) {
    for (std::size_t k = 0; k < what.operations.size(); ++k) {
        const auto& s = what.operations[k];
        const auto tile = static_cast<std::int32_t>(products_.size() + k);
        std::optional<steps::monoid> by;
        bool alone = true;
        for (const auto& c : what.consumers) {
            if (c.tile != tile) continue;
            alone = alone && (!by || *by == c.by) && c.count < 0;
            by = c.by;
        }
        const auto loads = [&](const steps::instruction& i) {
            return i.code == steps::opcode::load && i.operand == steps::tile_operand(tile);
        };
        for (const auto& other : what.operations)
            alone = alone && std::ranges::none_of(other.program, loads);
        const bool folded = by && steps::is_extremum(*by);
        const double nothing = alone && folded ? steps::entry_of(*by).identity : 0;
        operations_.push_back(
            {prepared_operation<T>(what, s, geometry_, sizes_, *packing_, nothing),
             s.kind == steps::operation_kind::weights, s.kind == steps::operation_kind::recomputed,
             s.log_sum_exp, s.maximum, s.excess, s.largest, 0, static_cast<T>(nothing)});
    }
    find_conditions();
    // Where 0 is a value like any other, no tile is left out.
    all_count_ = std::ranges::any_of(what.consumers, [&](const steps::tile_consumer& c) {
        const auto number = static_cast<std::size_t>(c.tile);
        return c.by != steps::monoid::sum &&
               (number < products_.size() || operations_[number - products_.size()].nothing == 0);
    });
}

template <class T>
void tiles<T>::choose_sizes(const steps::fused_group& what) {
    const std::int64_t rows = geometry_.row.extent, lanes = table_->lanes;
    const std::int64_t widest = lanes * table_->vectors;
    sizes_.full.width = std::min(widest, std::max(lanes, rounded_up(rows, lanes)));
    sizes_.full.rows = std::min(rows, sizes_.full.width);
    row_tiles_ = rows == 0 ? 0 : (rows + sizes_.full.width - 1) / sizes_.full.width;
    const std::int64_t rest = rows - (row_tiles_ - 1) * sizes_.full.width;
    sizes_.last = {rest, std::max(lanes, rounded_up(rest, lanes))};
    const auto row_bytes = sizes_.full.width * static_cast<std::int64_t>(sizeof(T));
    const bool narrow =
        rows <= table_->most_narrow && std::ranges::all_of(what.consumers, sums_narrow);
    sizes_.columns = narrow
                         ? narrow_columns
                         : std::clamp(tile_bytes / row_bytes / 8 * 8, least_columns, most_columns);
    const std::int64_t all = std::max<std::int64_t>(rounded_up(geometry_.column.extent, 8), 8);
    sizes_.columns = std::min(sizes_.columns, all);
    sizes_.chunk = std::clamp<std::int64_t>(chunk_elements / sizes_.full.width, 2, sizes_.columns);
}

// The columns of a batch are read a few times, where it has few tiles of rows; those of the next
// one mostly lie behind them.
template <class T>
void tiles<T>::find_passing() {
    const bool soon = iterations(geometry_.other_rows) * row_tiles_ <= few_row_tiles;
    for (std::size_t k = 0; k < geometry_.operands(); ++k)
        passing_.push_back(soon && std::ranges::any_of(geometry_.batch, [&](const tile_loop& l) {
                               return l.strides[k] != 0;
                           }));
}

template <class T>
void tiles<T>::place_columns(double work) {
    if (work * static_cast<double>(geometry_.column.extent) * sizeof(T) <=
        near_part * static_cast<double>(runtime::caches().second))
        keep_columns_near();
}

template <class T>
std::size_t tiles<T>::take(std::size_t elements) {
    const std::size_t at = elements_;
    elements_ += (elements + 63) / 64 * 64;
    return at;
}

template <class T>
std::size_t tiles<T>::take_shared(std::size_t elements) {
    const std::size_t at = shared_elements_;
    shared_elements_ += (elements + 63) / 64 * 64;
    return at;
}

template <class T>
std::size_t tiles<T>::bytes() const {
    return elements_ * sizeof(T) + 4 * pointers_ * sizeof(void*) +
           slots_ * sizeof(kernels::line_operand<T>);
}

template <class T>
bool tiles<T>::has_room(std::size_t elements) const {
    return bytes() + elements * sizeof(T) <= static_cast<std::size_t>(steps::most_task_bytes);
}

template <class T>
void tiles<T>::check_room() const {
    if (!has_room(0))
        throw std::length_error("a fused group needs more memory than a task may take");
}

template <class T>
std::int64_t tiles<T>::tiles_of_batch() const {
    return row_tiles_ * ((geometry_.column.extent + sizes_.columns - 1) / sizes_.columns);
}

template <class T>
void tiles<T>::keep_copies() {
    if (geometry_.batch.empty() ||
        iterations(geometry_.other_rows) * iterations(geometry_.other_columns) != 1)
        return;
    std::vector<char> still;  // planes
    for (std::size_t k = 0; k < geometry_.operands(); ++k) {
        const tile_stride s = geometry_.strides(k);
        still.push_back(geometry_.batch.back().strides[k] == 0 && s.row != 0 && s.column != 0);
    }
    const auto count = static_cast<std::size_t>(tiles_of_batch());
    const std::size_t elements =
        count * static_cast<std::size_t>(sizes_.columns * sizes_.full.width);
    std::size_t kept = 0;
    for (auto& s : operations_) kept += s.kept_count = s.code.keep_copies(still);
    const auto near =
        static_cast<std::size_t>(kept_part * static_cast<double>(runtime::caches().second));
    keeps_copies_ =
        kept > 0 && kept * elements * sizeof(T) <= near && has_room(2 * kept * elements);
    for (auto& s : operations_) {
        if (!keeps_copies_) s.kept_count = 0;
        if (s.kept_count == 0) continue;
        s.kept = take(s.kept_count * elements);
        s.kept_copies = take(s.kept_count * count *
                             sizeof(typename prepared_operation<T>::kept_copy) / sizeof(T));
    }
}

// An operation writes over a tile that nobody needs after it.
template <class T>
void tiles<T>::assign_buffers(const steps::fused_group& what) {
    const std::size_t count = products_.size() + operations_.size();
    std::vector<std::size_t> last(count, 0);
    for (std::size_t s = 0; s < operations_.size(); ++s)
        for (std::size_t t = 0; t < products_.size() + s; ++t)
            if (operations_[s].code.loads(static_cast<std::int32_t>(t))) last[t] = s + 1;
    for (const auto& s : what.consumers)
        last[static_cast<std::size_t>(s.tile)] = operations_.size() + 1;
    for (std::size_t p = 0; p < products_.size(); ++p) {
        tile_buffer_.push_back(p);
        // What another group is to read stays as it is.
        if (kept_.place[p] >= 0 && !kept_.reused) last[p] = operations_.size() + 1;
    }
    buffers_ = products_.size();
    for (std::size_t s = 0; s < operations_.size(); ++s) {
        std::size_t buffer = buffers_;
        for (std::size_t t = 0; t < products_.size() + s && buffer == buffers_; ++t)
            if (last[t] == s + 1) buffer = tile_buffer_[t];
        if (buffer == buffers_) ++buffers_;
        tile_buffer_.push_back(buffer);
    }
}

template <class T>
void tiles<T>::lay_out() {
    const auto width = static_cast<std::size_t>(sizes_.full.width);
    const auto tile = width * static_cast<std::size_t>(sizes_.columns);
    tile_at_ = take(buffers_ * tile);
    for (auto& p : products_)
        p.packed =
            take(static_cast<std::size_t>(steps::packed_at_once(p.contracted.total)) * width);
    lay_out_distances();
    for (auto& s : operations_) s.state = take(3 * width);
    maximum_at_ = take(2 * width);
    std::size_t copied = 0, numbers = 0;
    for (const auto& s : operations_) {
        copied = std::max(copied, s.code.copied());
        numbers = std::max(numbers, s.code.numbers());
        slots_ = std::max(slots_, s.code.slots());
        pointers_ = std::max(pointers_, s.code.pointers());
    }
    copied_at_ = take(copied * tile);
    numbers_at_ = take(numbers);
}

template <class T>
tile_task<T> tiles<T>::start(std::byte* memory, void* const* bases, const double* numbers,
                             const T* trees) const {
    task t;
    if (!bounds_.empty()) t.bounds = &bounds_;
    t.trees = trees;
    t.memory = reinterpret_cast<T*>(memory);
    auto* pointers = reinterpret_cast<void**>(memory + elements_ * sizeof(T));
    t.operation_bases = pointers;
    t.operation_at = reinterpret_cast<std::int64_t*>(pointers + pointers_);
    t.origin = t.operation_at + pointers_;
    t.at = t.origin + pointers_;
    t.slots = reinterpret_cast<kernels::line_operand<T>*>(t.at + pointers_);
    t.bases = bases;
    t.numbers = numbers;
    const std::size_t tile =
        static_cast<std::size_t>(sizes_.full.width) * static_cast<std::size_t>(sizes_.columns);
    for (std::size_t k = 0; k < tile_buffer_.size(); ++k)
        t.tile[k] = t.memory + tile_at_ + tile_buffer_[k] * tile;
    for (const auto& s : operations_)
        std::fill_n(copies_of(t, s), s.kept_count * static_cast<std::size_t>(tiles_of_batch()),
                    typename prepared_operation<T>::kept_copy());
    return t;
}

template <class T>
void tiles<T>::choose_rows(task& t, std::int64_t row_tile) const {
    t.last = row_tile == row_tiles_ - 1;
    t.row = row_tile * sizes_.full.width;
    t.width = t.last ? sizes_.last : sizes_.full;
}

// Few rows, and lines of which each fills vectors.
template <class T>
void tiles<T>::forget_scores(const task& t) const {
    const auto width = static_cast<std::size_t>(t.width.width);
    for (const auto& s : operations_) {
        if (!s.weights) continue;
        T* const state = t.address(s.state);
        std::fill_n(state, width, -std::numeric_limits<T>::infinity());
        std::fill_n(state + width, 2 * width, T{0});
    }
}

template <class T>
void tiles<T>::write_sums(const task& t, T* scratch) const {
    const auto write = [&](std::int32_t operand, const T* from) {
        const auto k = static_cast<std::size_t>(operand);
        T* to = static_cast<T*>(t.bases[k]) + t.at[k];
        const std::int64_t stride = geometry_.row.strides[k];
        for (std::int64_t i = 0; i < t.width.rows; ++i) to[(t.row + i) * stride] = from[i];
    };
    for (std::size_t k = 0; k < operations_.size(); ++k) {
        const operation& s = operations_[k];
        if (!s.weights) continue;
        const auto state = state_of(t, k);
        if (s.log_sum_exp >= 0) {
            table_->log_sum_exp(scratch, state, static_cast<std::size_t>(t.width.width));
            write(s.log_sum_exp, scratch);
        }
        if (s.maximum >= 0) write(s.maximum, state.maximum);
        if (s.excess >= 0) {
            for (std::int64_t i = 0; i < t.width.rows; ++i)
                scratch[i] = std::isinf(state.maximum[i]) ? T{0} : std::log(state.sum[i]);
            write(s.excess, scratch);
        }
        if (s.largest < 0) continue;
        for (std::int64_t i = 0; i < t.width.rows; ++i)
            scratch[i] = state.sum[i] == 0 ? T{0} : 1 / state.sum[i];
        write(s.largest, scratch);
    }
}

template <class T>
kernels::softmax_state<T> tiles<T>::state_of(const task& t, std::size_t number) const {
    T* const state = t.address(operations_[number].state);
    const std::int64_t width = t.width.width;
    return {state, state + width, state + 2 * width};
}

template <class T>
void tiles<T>::make(task& t, const tile_range& range, const knowledge* known) const {
    // The maximum of a score that is a product as it stands is found while that is computed.
    T* const maximum = t.address(maximum_at_);
    const bool first = !operations_.empty() && operations_[0].weights && !known[0].nothing;
    const std::int32_t scored = first ? operations_[0].code.identity(known[0].variant) : -1;
    const bool found =
        scored >= 0 && scored < products() && !products_[static_cast<std::size_t>(scored)].expanded;
    for (std::size_t p = 0; p < products_.size(); ++p) {
        if (kept_.place[p] >= 0) use_kept(t, p, range);
        if (is_reused(p)) continue;
        const bool here = found && static_cast<std::size_t>(scored) == p;
        if (here) std::fill_n(maximum, t.width.width, -std::numeric_limits<T>::infinity());
        multiply(t, products_[p], range, t.tile[p], here ? maximum : nullptr);
    }
    for (std::size_t s = 0; s < operations_.size(); ++s)
        run_operation(t, s, range, known[s], s == 0 && found);
}

// The tile of a kept product, and all that take its place, lie where it is kept.
template <class T>
void tiles<T>::use_kept(task& t, std::size_t number, const tile_range& range) const {
    T* const at = t.kept + kept_.place[number] * panel() + range.column * t.width.width;
    for (std::size_t k = 0; k < tile_buffer_.size(); ++k)
        if (tile_buffer_[k] == tile_buffer_[number]) t.tile[k] = at;
}

// Weights of a softmax whose sums are known.
template <class T>
void tiles<T>::recompute(const task& t, const operation& s, T* tile, const T* scores,
                         const tile_range& range) const {
    const std::int64_t width = t.width.width;
    const auto of_rows = [&](std::int32_t operand) {
        const auto k = static_cast<std::size_t>(operand);
        return t.base(k) + t.at[k] + t.row * geometry_.row.strides[k];
    };
    const auto stride = [&](std::int32_t operand) {
        return geometry_.row.strides[static_cast<std::size_t>(operand)];
    };
    const T *from = of_rows(s.maximum), *factors = of_rows(s.largest);
    T* const maximum = t.address(maximum_at_);
    T* const factor = maximum + width;
    // A row that saw nothing has no weights, and lanes without a row have none.
    constexpr T infinity = std::numeric_limits<T>::infinity();
    for (std::int64_t i = 0; i < t.width.rows; ++i) {
        const T most = from[i * stride(s.maximum)];
        maximum[i] = most == -infinity ? infinity : most;
        factor[i] = factors[i * stride(s.largest)];
    }
    std::fill(maximum + t.width.rows, factor, infinity);
    std::fill(factor + t.width.rows, factor + width, T{0});
    weigh_steps_again(*table_, tile, scores, width, range, maximum, factor);
}

template <class T>
void tiles<T>::run_operation(task& t, std::size_t number, const tile_range& range,
                             const knowledge& known, bool maximum_found) const {
    const operation& made = operations_[number];
    const auto width = static_cast<std::size_t>(t.width.width);
    const auto columns = static_cast<std::size_t>(range.column_end - range.column);
    T* const tile = t.tile[products_.size() + number];
    if (known.nothing) {
        std::fill_n(tile, width * columns, made.nothing);
        // Nothing is added, and nothing changes: a factor of 1.
        if (made.weights) std::fill_n(state_of(t, number).factor, width, T{1});
        return;
    }
    const std::int32_t same = made.code.identity(known.variant);
    const T* values = same < 0 ? tile : t.tile[static_cast<std::size_t>(same)];
    if (same < 0 || (values != tile && !made.weights && !made.recomputed)) {
        typename prepared_operation<T>::memory memory{
            t.address(numbers_at_), t.slots,       t.operation_bases,
            t.operation_at,         t.tile.data(), t.address(copied_at_)};
        if (made.kept_count > 0) {
            memory.kept = t.address(made.kept);
            memory.kept_copies = copies_of(t, made);
            memory.tiles = tiles_of_batch();
            memory.tile_number = t.row / sizes_.full.width * (memory.tiles / row_tiles_) +
                                 range.column / sizes_.columns;
        }
        made.code.run(known.variant, range, t.last, t.operands(), memory, tile);
        values = tile;
    }
    if (made.recomputed) recompute(t, made, tile, values, range);
    if (made.weights) {
        T* const maximum = t.address(maximum_at_);
        if (!maximum_found) {
            std::fill_n(maximum, width, -std::numeric_limits<T>::infinity());
            fold_steps(*table_, steps::monoid::maximum, values, t.width.width, range, maximum);
        }
        table_->raise(state_of(t, number), maximum, width);
        weigh_steps(*table_, tile, values, t.width.width, range, state_of(t, number));
    }
    // Products left these lanes as they were: nothing of that may get anywhere.
    if (!range.steps.empty()) clear_others(tile, range, t.width.width, table_->lanes);
}

template class tiles<float>;
template class tiles<double>;

}  // namespace ricci::fused
