// The memory of one task of a map, carved out of its stack, and the walk over the tiles of a unit.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "src/map/tiled_map.hpp"
#include "src/map/line_writer.hpp"
#include "src/runtime/buffers.hpp"
#include "src/tile/strided.hpp"

namespace ricci::elementwise {

template <class T, class S>
struct tiled_map<T, S>::task_memory {
    alignas(64) std::byte bytes[scratch_bytes];
    runtime::lent_memory lent;
    typename code_type::memory_type tile;
    T* stage = nullptr;
    T* column[buffers] = {};
    std::int64_t* unit_at = nullptr;  // the element that each operand has at the unit's start
    std::int64_t* at = nullptr;       // and at the current tile
    std::int64_t q = 1;               // columns of the current unit

    task_memory(const tiled_map& e, void* const* bases) : lent(e.lent_bytes_) {
        std::byte* next = e.lent_bytes_ > 0 ? lent.data() : bytes;
        const auto take = [&next]<class U>(U*& pointer, std::size_t count) {
            pointer = reinterpret_cast<U*>(next);
            next += (count * sizeof(U) + 63) / 64 * 64;
        };
        take(tile.numbers, e.code_.number_elements());
        take(tile.slots, e.code_.slot_count());
        take(stage, e.stage_);
        if (e.layout_.how == traversal::columns) {
            for (std::size_t b = 0; b < e.column_buffers(); ++b)
                take(column[b], static_cast<std::size_t>(e.layout_.shape.q_chunk));
        }
        take(unit_at, e.operands_);
        take(at, e.operands_);
        tile.bases = bases;
        e.code_.start(tile);
    }
};

template <class T, class S>
S* tiled_map<T, S>::output(const task_memory& m) const {
    return static_cast<S*>(m.tile.bases[0]) + m.at[0];
}

/// Where a tile of the output may be written as it is computed; otherwise nullptr.
template <class T, class S>
T* tiled_map<T, S>::direct(const task_memory& m) const {
    if constexpr (converts) return nullptr;
    else return direct_output_ ? output(m) : nullptr;
}

/// Writes a tile to the output.
template <class T, class S>
void tiled_map<T, S>::put(task_memory& m, const T* from, std::int64_t from_stride, std::int64_t p,
                          std::int64_t q) const {
    const tile_strides out = code_.strides(0);
    if constexpr (converts) scatter_converted(output(m), out.p, out.q, from, from_stride, p, q);
    else scatter(output(m), out.p, out.q, from, from_stride, p, q);
}

/// The same past the caches, of an output whose rows are contiguous.
template <class T, class S>
void tiled_map<T, S>::put_past(task_memory& m, line_writer<T>& writer, const tile_view<T>& view,
                               std::int64_t p, std::int64_t q) const {
    if constexpr (is_real<T> && !converts) {
        const std::int64_t step = direct_output_ ? q : code_.strides(0).p;
        if (p == 1) writer.put(output(m), view.data, q);
        else if (view.stride == q && step == q) writer.put(output(m), view.data, p * q);
        else kernels_.copy_past(view.data, view.stride, output(m), step, p, q);
    }
}

/// Calls body(p, q, view) for tiles [first, last) of the unit that m is at.
template <class T, class S>
template <class Body>
void tiled_map<T, S>::for_tiles(task_memory& m, std::int64_t first, std::int64_t last, pass what,
                                Body body) const {
    if (first >= last) return;
    const std::size_t axes = layout_.tiles.axes.size();
    const bool columns = layout_.how == traversal::columns;
    const bool evaluates = converts || what != pass::revisit || code_.in_place();
    cursor c(layout_.tiles, operands_, m.at, m.unit_at, first);
    if (evaluates) code_.begin(m.tile, m.at);
    for (std::int64_t t = first;;) {
        const std::int64_t p = c.size(axes - (columns ? 1 : 2));
        const std::int64_t q = columns ? m.q : c.size(axes - 1);
        T* to = what == pass::keep ? direct(m) : nullptr;
        tile_view<T> view;
        if (evaluates) view = code_.run(m.tile, m.at, p, q, to);
        if (what == pass::keep && !direct_output_) put(m, view.data, view.stride, p, q);
        body(p, q, view);
        if (++t == last) return;
        if (c.next() < layout_.first_tile_axis && evaluates) code_.begin(m.tile, m.at);
    }
}

template <class T, class S>
template <class Body>
void tiled_map<T, S>::for_walk(task_memory& m, Body body) const {
    const std::size_t axes = layout_.tiles.axes.size();
    const bool columns = layout_.how == traversal::columns;
    cursor c(layout_.tiles, operands_, m.at, m.unit_at, 0);
    for (std::int64_t t = 0; t < tiles_; ++t, c.next()) {
        body(c.size(axes - (columns ? 1 : 2)), columns ? m.q : c.size(axes - 1));
    }
}

/// The tile of values that a softmax goes on with: the program's own operand when it is nothing but
/// a load, otherwise what the first pass left in the output. `stride` is between its rows.
template <class T, class S>
const T* tiled_map<T, S>::source_of(task_memory& m, const tile_view<T>& view, std::int64_t p,
                                    std::int64_t q, std::int64_t& stride) const {
    const tile_strides out = code_.strides(0);
    stride = q;
    if (converts || code_.in_place()) {
        stride = view.stride;
        return view.data;
    }
    if (direct_output_) return direct(m);
    if constexpr (!converts) gather(m.stage, static_cast<const T*>(output(m)), p, out.p, q, out.q);
    return m.stage;
}

}  // namespace ricci::elementwise
