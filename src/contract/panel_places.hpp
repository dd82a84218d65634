// Where the panels of B are that a block of rows passes over, and what is prefetched meanwhile.
#pragma once

#include <algorithm>
#include <cstdint>

#include "src/base/arithmetic.hpp"
#include "src/contract/block_pass.hpp"
#include "src/runtime/cache_sizes.hpp"
#include "src/runtime/caches.hpp"

namespace ricci::contractions {

/// Panels swept by one pass of the rows, at most.
inline constexpr std::int64_t most_abreast = 16;

/// A panel of B, and the lines that are prefetched while rows pass over it: a share of them in each
/// of the first calls of a micro-kernel.
template <class T>
struct placed_panel {
    const T* b = nullptr;
    std::int64_t b_step = 0;
    kernels::asked_lines<T> next;
    std::int64_t share = 0;  // elements from what one call prefetches to what the next one does
    std::int64_t calls = 0;
};

template <class T, class Stored>
class panel_places {
public:
    /// `row_panels`: how many panels of rows pass over each.
    panel_places(const panel_operands<T, Stored>& operands, const block_columns<T, Stored>& columns,
                 const k_block& block, std::int64_t row_panels)
        : operands_(operands),
          right_(operands.right),
          panels_(operands.right.panels()),
          columns_(columns),
          block_(block),
          depth_(block.depth()),
          row_panels_(row_panels) {}

    const column_panel& panel(std::int64_t p) const { return panels_[p]; }
    std::int64_t first() const { return columns_.first; }
    std::int64_t end() const { return columns_.end; }

    /// Panels swept by one pass: `most_abreast`, if so many fit in `near_bytes`; where B comes from
    /// far away, as many as fit in the first cache, which reads longer pieces of its lines;
    /// otherwise one.
    std::int64_t abreast() const {
        if (columns_.end - columns_.first < panels_worth || packs_alone()) return 1;
        const std::int64_t vectors = operands_.left.tile_vectors();
        const std::int64_t bytes = std::max<std::int64_t>(
            1, depth_ * vectors * operands_.table->lanes * static_cast<std::int64_t>(sizeof(T)));
        if (bytes * most_abreast <= near_bytes) return most_abreast;
        const std::int64_t first_cache = runtime::caches().first;
        const bool far = columns_.packed == nullptr && operands_.right_far;
        return far && bytes * fewest_far <= first_cache ? first_cache / bytes : 1;
    }

    /// Panels from p on that make whole lines of C together, tiles of several rows at a time; 0
    /// where there are none, or they are too large for the first cache.
    std::int64_t of_lines(std::int64_t p) const {
        const std::int64_t count = operands_.result.panels_of_lines(p);
        if (count <= 1) return count;
        if (p + count > columns_.end || packs_alone()) return 0;
        const std::int64_t columns = panels_.start(p + count) - panels_.start(p);
        const std::int64_t bytes = depth_ * columns * static_cast<std::int64_t>(sizeof(T));
        return bytes <= folded_bytes ? count : 0;
    }

    /// How many panels from p on, at most `most`, are read in place and lie one beside the other.
    std::int64_t adjacent(std::int64_t p, std::int64_t most) const {
        std::int64_t count = 1;
        while (count < most && p + count < columns_.end &&
               right_.reads_in_place(block_, panel(p + count)) &&
               in_place(p + count) - in_place(p) == panel(p + count).first - panel(p).first)
            ++count;
        return count;
    }

    /// Places panel p, the `x`-th of `count` that one pass sweeps; packs it where that has to be.
    placed_panel<T> place(std::int64_t p, std::int64_t x = 0, std::int64_t count = 1) const {
        const column_panel& which = panel(p);
        const std::int64_t width = std::int64_t{which.vectors} * operands_.table->lanes;
        placed_panel<T> at{columns_.buffer, width, {}, 0, 0};
        if (columns_.packed != nullptr) {
            at.b = packed(p);
            if (p + count < columns_.end) {
                at.next.first = packed(p + count);
                at.next.step = std::max<std::int64_t>(1, width / row_panels_);
                at.share = depth_ * at.next.step;
                at.calls = std::min(row_panels_, width);
            }
            return at;
        }
        if constexpr (!widens<T, Stored>) {
            if (right_.reads_in_place(block_, which)) {
                at.b = in_place(p);
                at.b_step = block_.b_step;
                if (p + count < columns_.end) prefetch_in_place(p, x, count, at);
                return at;
            }
        }
        right_.pack(columns_.b, {p, p + 1, block_.first, block_.end, block_.first, block_.end},
                    columns_.buffer);
        return at;
    }

private:
    // A pass sweeps several panels only of so many; of a B that comes from far away so many at
    // least.
    static constexpr std::int64_t panels_worth = 8, fewest_far = 2;
    // Bytes of the panels that one pass sweeps.
    static constexpr std::int64_t near_bytes = std::int64_t{1} << 16;
    // Bytes of panels that make whole lines together: they stay in the first cache.
    static constexpr std::int64_t folded_bytes = 24576;

    // A panel may be packed into memory that the next one needs.
    bool packs_alone() const { return columns_.packed == nullptr && operands_.largest_buffer != 0; }
    const T* packed(std::int64_t p) const {
        return columns_.packed + (panels_.start(p) - panels_.start(columns_.first)) * depth_;
    }
    const Stored* in_place(std::int64_t p) const {
        return columns_.b.plain() + right_.at(block_.first, panel(p).first);
    }

    // The panels after these: a few of their rows in each call, whole rows at a time where the
    // panels lie side by side.
    void prefetch_in_place(std::int64_t p, std::int64_t x, std::int64_t count,
                           placed_panel<T>& at) const {
        constexpr auto line = runtime::line_bytes / static_cast<std::int64_t>(sizeof(T));
        const std::int64_t columns = panel(p).vectors * std::int64_t{operands_.table->lanes};
        std::int64_t lines = ceil_divide(columns, line), of = 1, turn = 0;
        std::int64_t first = p + count;
        if (count > 1 && ceil_divide(count * columns, line) <= depth_ &&
            adjacent(p + count - x, count) == count) {
            lines = ceil_divide(count * columns, line);
            of = count;
            turn = x;
            first -= x;
        }
        if (lines == 1) {
            at.next = {in_place(first), block_.b_step, 0, 0, 0};
            at.calls = 1;
            return;
        }
        const std::int64_t most = std::max<std::int64_t>(1, depth_ / lines);
        const std::int64_t rows =
            std::clamp<std::int64_t>(ceil_divide(depth_, row_panels_ * of), 1, most);
        at.next = {in_place(first) + turn * rows * block_.b_step, line, lines,
                   block_.b_step - lines * line, rows};
        at.share = of * rows * block_.b_step;
        at.calls = ceil_divide(std::max<std::int64_t>(0, ceil_divide(depth_, rows) - turn), of);
    }

    const panel_operands<T, Stored>& operands_;
    const right_panels<T, Stored>& right_;
    const column_panels& panels_;
    const block_columns<T, Stored>& columns_;
    const k_block& block_;
    const std::int64_t depth_, row_panels_;
};

}  // namespace ricci::contractions
