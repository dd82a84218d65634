// A contraction as a blocked matrix product: how it is cut, packed and handed out.
#include "src/contract/blocked.hpp"

#include <algorithm>
#include <complex>
#include <utility>

#include "src/base/arithmetic.hpp"
#include "src/contract/element_types.hpp"
#include "src/contract/offsets.hpp"
#include "src/contract/sharing.hpp"
#include "src/runtime/buffers.hpp"
#include "src/runtime/cache_sizes.hpp"
#include "src/runtime/interruption.hpp"

namespace ricci::contractions {
namespace {

// What of B is packed by one task.
constexpr std::int64_t panels_per_pack = 24;
constexpr std::int64_t depth_per_pack = 64;
// Less than this is packed on the calling thread.
constexpr std::int64_t serial_pack_elements = std::int64_t{1} << 16;
// Elements of a panel of B that are packed on the stack rather than in a worker's memory.
constexpr std::int64_t stack_elements = 2048;

template <class T, class Stored>
panel_operands<T, Stored> make_operands(flat_contraction& flat, const index_groups& groups,
                                        const kernels::kernel_table<T, Stored>& table,
                                        const operand_lists& lists) {
    const bool swapped = groups.origin.swapped;
    left_panels<T, Stored> left(flat, table, swapped ? lists.b : lists.a);
    right_panels<T, Stored> right(flat, groups, left.tile_vectors(), table,
                                  swapped ? lists.a : lists.b);
    if (table.transpose != nullptr && right.stretch() == 1) left.find_stretches();
    const auto is_far = [](std::int64_t elements) {
        return elements * static_cast<std::int64_t>(sizeof(T)) > runtime::caches().second;
    };
    return {&table,
            std::move(left),
            std::move(right),
            result_lines<T, Stored>(flat, table),
            is_far(flat.batch * flat.m * flat.k),
            is_far(flat.batch * flat.k * flat.n)};
}

// The halves of a worker's memory, for A and for B.
template <class T>
T* memory_for_a(int worker) {
    return reinterpret_cast<T*>(runtime::worker_memory(worker));
}
template <class T>
T* memory_for_b(int worker) {
    return reinterpret_cast<T*>(runtime::worker_memory(worker) + runtime::worker_bytes / 2);
}

}  // namespace

template <class T, class Stored>
blocked<T, Stored>::blocked(index_groups groups, const kernels::kernel_table<T, Stored>& table,
                            bool alone, const operand_lists& lists)
    : blocked(flat_contraction(groups), std::move(groups), table, alone, lists) {}

template <class T, class Stored>
blocked<T, Stored>::blocked(flat_contraction flat, index_groups&& groups,
                            const kernels::kernel_table<T, Stored>& table, bool alone,
                            const operand_lists& lists)
    : groups_(std::move(groups)),
      batch_(flat.batch),
      operands_(make_operands(flat, groups_, table, lists)),
      cut_(choose_sizes(flat, alone)),
      blocks_(make_blocks(flat.k)),
      rows_(operands_.left, blocks_, groups_),
      sums_(cut_, operands_, flat.m) {
    // Where the walk starts is a place in the list.
    const auto& [left, right] =
        groups_.origin.swapped ? std::pair(lists.b, lists.a) : std::pair(lists.a, lists.b);
    if (left.how != listing::none) first_a_ = std::exchange(groups_.origin.a, 0);
    if (right.how != listing::none) first_b_ = std::exchange(groups_.origin.b, 0);
    packs_own_b_ = uses_b_once();
    if (!packs_own_b_)
        packed_elements_ = static_cast<std::size_t>(cut_.packed_columns * cut_.packed_depth);
    if (!cut_.sums_apart && cut_.k_blocks == 1)
        operands_.result.find_lines(groups_.batch, panels(), operands_.left.tile_rows());
    if (!needs_no_memory()) runtime::worker_memory(0);
}

template <class T, class Stored>
block_sizes blocked<T, Stored>::choose_sizes(const flat_contraction& flat, bool alone) {
    const left_panels<T, Stored>& left = operands_.left;
    right_panels<T, Stored>& right = operands_.right;
    k_unit_ = block_unit(std::max(left.stretch(), right.stretch()));
    right.pack_in_units(k_unit_);
    problem_size size{flat.batch,
                      flat.m,
                      flat.n,
                      flat.k,
                      operands_.table->lanes,
                      static_cast<int>(left.tile_rows()),
                      left.tile_vectors(),
                      sizeof(T),
                      widens<T, Stored>};
    const std::int64_t b_step = right.step(0, flat.k);
    const auto in_place = [&](const column_panel& p) { return right.reads_in_place(p); };
    const auto dense = [&](const column_panel& p) { return p.columns == b_step; };
    size.b_in_place = b_step != 0 && std::all_of(panels().begin(), panels().end(), in_place);
    size.b_dense = size.b_in_place && std::all_of(panels().begin(), panels().end(), dense);
    size.k_unit = k_unit_;
    size.most_depth = left.most_depth();
    size.long_lines = right.has_grid();
    block_sizes cut = choose_blocks(size);
    cut.serial = cut.serial || alone;
    if (cut.in_place) right.forget_grid();
    operands_.left.meet(cut.panels);
    return cut;
}

template <class T, class Stored>
std::vector<k_block> blocked<T, Stored>::make_blocks(std::int64_t k) {
    std::vector<k_block> blocks;
    const right_panels<T, Stored>& right = operands_.right;
    for (std::int64_t number = 0; number < cut_.k_blocks; ++number) {
        k_block made;
        made.first = part_start(k, cut_.k_blocks, number, k_unit_);
        made.end = part_start(k, cut_.k_blocks, number + 1, k_unit_);
        made.a_step = operands_.left.step_in_place(made.first, made.end);
        made.b_step = right.step(made.first, made.end);
        blocks.push_back(made);
        for (const column_panel& which : panels()) {
            if (!right.reads_in_place(made, which))
                operands_.largest_buffer =
                    std::max(operands_.largest_buffer, made.depth() * panels().width(which));
        }
    }
    return blocks;
}

// Whether a unit neither packs A nor a panel of B that does not find room on the stack.
template <class T, class Stored>
bool blocked<T, Stored>::needs_no_memory() const {
    return cut_.in_place && operands_.largest_buffer <= stack_elements &&
           std::none_of(blocks_.begin(), blocks_.end(),
                        [](const k_block& block) { return block.a_step == 0; });
}

// Whether one tile of rows passes over B, of which the part that a unit needs for a block of k
// finds room in a worker's memory.
template <class T, class Stored>
bool blocked<T, Stored>::uses_b_once() const {
    if (cut_.in_place || cut_.m_tiles > 1 || operands_.right.has_grid()) return false;
    std::int64_t widest = 0, deepest = 0;
    for (std::int64_t n = 0; n < cut_.n_chunks; ++n) {
        const std::int64_t first = part_start(cut_.panels, cut_.n_chunks, n, 1);
        const std::int64_t count = part_start(cut_.panels, cut_.n_chunks, n + 1, 1) - first;
        for (std::int64_t tile = 0; tile < cut_.n_tiles; ++tile) {
            const std::int64_t begin = first + part_start(count, cut_.n_tiles, tile, 1);
            const std::int64_t end = first + part_start(count, cut_.n_tiles, tile + 1, 1);
            widest = std::max(widest, panels().start(end) - panels().start(begin));
        }
    }
    for (const k_block& one : blocks_) deepest = std::max(deepest, one.depth());
    return widest * deepest * static_cast<std::int64_t>(sizeof(T)) <=
           static_cast<std::int64_t>(runtime::worker_bytes / 2);
}

template <class T, class Stored>
bool blocked<T, Stored>::packs_rows() const {
    return !cut_.in_place && !operands_.left.packs_across() &&
           std::any_of(blocks_.begin(), blocks_.end(),
                       [](const k_block& block) { return block.a_step == 0; });
}

template <class T, class Stored>
bound_operands<T, Stored> blocked<T, Stored>::bound(const bound_contraction& given) const {
    operands from =
        bind<T, Stored>(groups_.origin, given.a, given.b, given.c, given.alpha, given.beta);
    from.a_list = given.a_list;
    from.b_list = given.b_list;
    if (groups_.origin.swapped) std::swap(from.a_list, from.b_list);
    return from;
}

template <class T, class Stored>
void blocked<T, Stored>::run_bound(const bound_contraction& of) const {
    const operands from = bound(of);
    if (cut_.in_place) {
        run_in_place(from);
        return;
    }
    const runtime::lent_memory memory(sizeof(T) * borrowed());
    run_with_rows(from, {}, reinterpret_cast<T*>(memory.data()));
}

template <class T, class Stored>
runtime::loan_list blocked<T, Stored>::loans() const {
    if (cut_.in_place) return {};
    return {{sizeof(T) * borrowed()}};
}

// C from its element `c` on, for its first block of k or a later one.
template <class T, class Stored>
destination<T, Stored> blocked<T, Stored>::output(const operands& from, std::int64_t c,
                                                  bool first) const {
    const result_lines<T, Stored>& result = operands_.result;
    const bool begins_line =
        from.beta == T{0} && reinterpret_cast<std::uintptr_t>(from.c) % runtime::line_bytes == 0;
    destination<T, Stored> to;
    to.c = from.c + c;
    to.rows = result.rows();
    to.columns = result.columns();
    to.alpha = from.alpha;
    to.beta = first ? from.beta : T{1};
    to.stream = begins_line && result.streams_rows();
    to.fold = begins_line && result.streams_tiles();
    return to;
}

// Every unit, which is a tile of C of one batch, reads B in place or packs it for itself.
template <class T, class Stored>
void blocked<T, Stored>::run_in_place(const operands& from) const {
    const std::int64_t units = batch_ * cut_.m_tiles * cut_.n_tiles;
    if (needs_no_memory() && (cut_.serial || units == 1)) {
        alignas(64) T packed_b[stack_elements];
        for (std::int64_t unit = 0; unit < units; ++unit) {
            runtime::interruption::poll();
            compute_in_place(from, unit, nullptr, packed_b);
        }
        return;
    }
    distribute_units(units, cut_.units_per_task, cut_.serial, [&](std::int64_t unit, int worker) {
        compute_in_place(from, unit, memory_for_a<T>(worker), memory_for_b<T>(worker));
    });
}

template <class T, class Stored>
void blocked<T, Stored>::compute_in_place(const operands& from, std::int64_t unit, T* packed_a,
                                          T* packed_b) const {
    const std::int64_t n_tile = unit % cut_.n_tiles;
    const std::int64_t m_tile = unit / cut_.n_tiles % cut_.m_tiles;
    const position at = locate(groups_.batch, unit / cut_.n_tiles / cut_.m_tiles);
    const std::int64_t m = first_row(m_tile), m_end = first_row(m_tile + 1);
    const std::int64_t panel = part_start(cut_.panels, cut_.n_tiles, n_tile, 1);
    const std::int64_t panel_end = part_start(cut_.panels, cut_.n_tiles, n_tile + 1, 1);
    destination<T, Stored> to = output(from, at.c, true);
    for (const k_block& one : blocks_) {
        runtime::interruption::poll();
        const operand_start<Stored> left = start_of_a(from, at);
        if (one.a_step == 0) operands_.left.pack(left, m, m_end, one, packed_a);
        multiply_block<T, Stored>(operands_, {left, m, m_end, &one, packed_a},
                                  {panel, panel_end, nullptr, start_of_b(from, at), packed_b}, to);
        to.beta = 1;
    }
    if (to.stream || to.fold) operands_.table->end_streams();
}

template <class T, class Stored>
void blocked<T, Stored>::run_with_rows(const operands& from, const rows_in_common<T, Stored>& rows,
                                       T* borrowed) const {
    T* const packed = borrowed;
    T* const sums = borrowed + packed_size();
    chunk part;
    for (part.batch = 0; part.batch < batch_; part.batch = part.batch_end) {
        part.batch_end = std::min(batch_, part.batch + cut_.batch_chunk);
        for (std::int64_t n = 0; n < cut_.n_chunks; ++n) {
            part.panel = part_start(cut_.panels, cut_.n_chunks, n, 1);
            part.panel_end = part_start(cut_.panels, cut_.n_chunks, n + 1, 1);
            for (std::int64_t k = 0; k < cut_.k_chunks; ++k) {
                part.block = part_start(cut_.k_blocks, cut_.k_chunks, k, 1);
                part.block_end = part_start(cut_.k_blocks, cut_.k_chunks, k + 1, 1);
                if (!packs_own_b_) pack_chunk(from, part, packed);
                compute_chunk(from, part, packed, rows, sums);
            }
            if (cut_.sums_apart) {
                operands to = from;
                to.c += locate(groups_.batch, part.batch).c;
                sums_.add(to, part.panel, part.panel_end, sums, cut_.serial);
            }
        }
    }
}

// Packs the chunk's B, every panel by itself.
template <class T, class Stored>
void blocked<T, Stored>::pack_chunk(const operands& from, const chunk& part, T* packed) const {
    const right_panels<T, Stored>& right = operands_.right;
    const std::int64_t batches = part.batch_end - part.batch;
    const std::int64_t blocks = part.block_end - part.block;
    const std::int64_t columns = panels().start(part.panel_end) - panels().start(part.panel);
    // Tiles that are transposed are packed whole, for fewer k at a time.
    const std::int64_t panels_at_once = right.has_grid() ? 4 * panels_per_pack : panels_per_pack;
    const std::int64_t depth_at_once =
        right.has_grid() ? depth_per_pack / 4 : std::max(depth_per_pack, k_unit_);
    const std::int64_t groups = ceil_divide(part.panel_end - part.panel, panels_at_once);
    std::int64_t deepest = 1;
    for (const k_block& one : blocks_) deepest = std::max(deepest, one.depth());
    const std::int64_t slices = ceil_divide(deepest, depth_at_once);
    auto pack = [&](std::int64_t task, int) {
        const std::int64_t slice = task / groups % slices;
        const std::int64_t batch = task / groups / slices / blocks;
        const k_block& one = block(part.block + task / groups / slices % blocks);
        packed_part what;
        what.panel = part.panel + task % groups * panels_at_once;
        what.panel_end = std::min(part.panel_end, what.panel + panels_at_once);
        what.k = one.first;
        what.k_end = one.end;
        what.from = std::min(one.end, one.first + slice * depth_at_once);
        what.to = std::min(one.end, one.first + (slice + 1) * depth_at_once);
        T* const to = packed + batch * static_cast<std::int64_t>(packed_elements_) +
                      (one.first - block(part.block).first) * columns +
                      (panels().start(what.panel) - panels().start(part.panel)) * one.depth();
        right.pack(start_of_b(from, locate(groups_.batch, part.batch + batch)), what, to);
    };
    const bool little =
        static_cast<std::int64_t>(packed_elements_) * batches < serial_pack_elements;
    distribute(batches * blocks * slices * groups, cut_.serial || little, pack);
}

// Computes all tiles of C that need the chunk's B.
template <class T, class Stored>
void blocked<T, Stored>::compute_chunk(const operands& from, const chunk& part, const T* packed,
                                       const rows_in_common<T, Stored>& rows, T* sums) const {
    const std::int64_t batches = part.batch_end - part.batch;
    const std::int64_t units = batches * cut_.k_splits * cut_.m_tiles * cut_.n_tiles;
    distribute_units(units, cut_.units_per_task, cut_.serial, [&](std::int64_t unit, int worker) {
        compute_unit(from, part, unit, packed, rows, sums, worker);
    });
}

// A unit is one tile of C (or of partial sums): its blocks of k are added in order.
template <class T, class Stored>
void blocked<T, Stored>::compute_unit(const operands& from, const chunk& part, std::int64_t unit,
                                      const T* packed, const rows_in_common<T, Stored>& rows,
                                      T* sums, int worker) const {
    const std::int64_t n_tile = unit % cut_.n_tiles;
    const std::int64_t m_tile = unit / cut_.n_tiles % cut_.m_tiles;
    const std::int64_t split = unit / cut_.n_tiles / cut_.m_tiles % cut_.k_splits;
    const std::int64_t batch = unit / cut_.n_tiles / cut_.m_tiles / cut_.k_splits;
    const position at = locate(groups_.batch, part.batch + batch);
    const std::int64_t count = part.panel_end - part.panel;
    const std::int64_t panel = part.panel + part_start(count, cut_.n_tiles, n_tile, 1);
    const std::int64_t panel_end = part.panel + part_start(count, cut_.n_tiles, n_tile + 1, 1);
    const std::int64_t m = first_row(m_tile), m_end = first_row(m_tile + 1);
    const std::int64_t columns = panels().start(part.panel_end) - panels().start(part.panel);
    const std::int64_t before = panels().start(panel) - panels().start(part.panel);
    const std::int64_t blocks = part.block_end - part.block;

    destination<T, Stored> to = cut_.sums_apart ? sums_.split(sums, split, part.block == 0)
                                                : output(from, at.c, part.block == 0);
    T* const packed_a = memory_for_a<T>(worker);
    const std::int64_t first = part.block + part_start(blocks, cut_.k_splits, split, 1);
    const std::int64_t last = part.block + part_start(blocks, cut_.k_splits, split + 1, 1);
    for (std::int64_t number = first; number < last; ++number) {
        runtime::interruption::poll();
        const k_block& one = block(number);
        block_columns<T, Stored> right{panel, panel_end, nullptr, {}, nullptr};
        if (packs_own_b_) {
            T* const own = memory_for_b<T>(worker);
            operands_.right.pack(start_of_b(from, at),
                                 {panel, panel_end, one.first, one.end, one.first, one.end}, own);
            right.packed = own;
        } else {
            right.packed = packed + batch * static_cast<std::int64_t>(packed_elements_) +
                           (one.first - block(part.block).first) * columns + before * one.depth();
        }
        block_rows<T, Stored> left{start_of_a(from, at), m, m_end, &one, packed_a};
        if (rows.packed != nullptr)
            left.packed = rows.packed + rows.rows->at(part.batch + batch, number, m);
        else if (one.a_step == 0) operands_.left.pack(left.a, m, m_end, one, packed_a);
        multiply_block<T, Stored>(operands_, left, right, to);
        to.beta = 1;
    }
    if (to.stream || to.fold) operands_.table->end_streams();
}

#define RICCI_INSTANTIATE(...) template class blocked<__VA_ARGS__>
RICCI_FOR_CONTRACTED_TYPES(RICCI_INSTANTIATE);
#undef RICCI_INSTANTIATE

}  // namespace ricci::contractions
