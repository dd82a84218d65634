// How the rows of a block of A pass over panels of B: one panel after the other, several abreast, or as
// many as make whole lines of C.
#include <algorithm>
#include <complex>
#include <cstdint>

#include "src/contract/blocked.hpp"
#include "src/contract/element_types.hpp"
#include "src/runtime/cache_sizes.hpp"
#include "src/runtime/caches.hpp"

namespace ricci::contract {
namespace {

// Rows pass over so many panels together, if these take up so many bytes at most: of panels that are near,
// or over as few as that, which the first cache holds, where B comes from far away, a longer piece of every
// line then. Of how many panels it is worth it.
constexpr std::int64_t most_abreast = 16;
constexpr std::int64_t fewest_far = 2;
constexpr std::int64_t abreast_bytes = std::int64_t{1} << 16;
constexpr std::int64_t panels_worth = 8;
// Bytes of panels that make whole lines together: they stay in the first cache.
constexpr std::int64_t folded_bytes = 24576;

}  // namespace

template <class T, class Stored>
class blocked<T, Stored>::block_pass {
public:
    block_pass(const blocked& owner, const block_rows& rows, const right_operand& right,
               const destination& to)
        : owner_(owner),
          rows_(rows),
          block_(*rows.block),
          right_(right),
          to_(to),
          depth_(block_.end - block_.first),
          mr_(owner.panel_rows(rows.end - rows.first)),
          row_panels_(ceil_divide(rows.end - rows.first, mr_)),
          in_place_(block_.a_step != 0) {
        left_.step = block_.a_step;
        left_.row_step = owner.a_row_step_;
        if constexpr (!widens) {
            if (in_place_) {
                a_ = rows.a;
                if (depth_ > 0) a_ += owner.a_depth_.offset[static_cast<std::size_t>(block_.first)];
            }
            out_.origin = to.c;
        }
        if (to.partial) out_.origin = to.sums;
        out_.alpha = to.alpha;
        out_.beta = to.beta;
        if (rounds()) {
            out_.origin = sums_;
            out_.alpha = T{1};
            out_.beta = T{0};
        }
    }

    void run(std::int64_t first_panel, std::int64_t panel_end) {
        first_panel_ = first_panel;
        panel_end_ = panel_end;
        const std::int64_t abreast = panel_end - first_panel >= panels_worth ? panels_abreast() : 1;
        for (std::int64_t p = first_panel; p < panel_end;) {
            std::int64_t count = to_.fold ? panels_of_lines(p) : 0;
            if (count > 0) {
                pass_folded(p, count);
            } else {
                count = to_.fold ? 1 : std::min(abreast, panel_end - p);
                if (count > 1 && abreast < most_abreast) count = adjacent_panels(p, count);
                if (count > 1) pass_abreast(p, count);
                else pass(p);
            }
            p += count;
        }
    }

private:
    // Where a panel of B is, and what is asked for while the rows pass it, a share in each of the first calls.
    struct placed_panel {
        const T* b = nullptr;
        std::int64_t b_step = 0;
        kernels::asked_lines<T> next;
        std::int64_t share = 0;  // elements from what one call asks for to what the next one does
        std::int64_t calls = 0;
    };

    // What is stored narrower is rounded once, from a tile of complete sums.
    bool rounds() const { return widens && !to_.partial; }
    const column_panel& panel(std::int64_t p) const {
        return owner_.panels_[static_cast<std::size_t>(p)];
    }

    // Of panels that are so small that several of them stay near, and none of which is packed into memory
    // that the next one needs: how many. Otherwise 1.
    std::int64_t panels_abreast() const {
        if (right_.packed == nullptr && owner_.largest_buffer_ != 0) return 1;
        const std::int64_t bytes =
            std::max<std::int64_t>(1, depth_ * owner_.vectors_ * owner_.table_->lanes *
                                          static_cast<std::int64_t>(sizeof(T)));
        if (bytes * most_abreast <= abreast_bytes) return most_abreast;
        const std::int64_t near = runtime::caches().first;
        return comes_from_far() && bytes * fewest_far <= near ? near / bytes : 1;
    }

    // Whether B is read where it lies, and does not stay in the caches.
    bool comes_from_far() const { return right_.packed == nullptr && owner_.b_far_; }

    // How many panels from `first` on hold whole runs of folded columns; 0: too many, or not from there on.
    std::int64_t panels_of_lines(std::int64_t first) const {
        const std::int64_t count = owner_.folded_panels_[static_cast<std::size_t>(first)];
        if (count <= 1) return count;
        if (first + count > panel_end_ || (right_.packed == nullptr && owner_.largest_buffer_ != 0))
            return 0;
        const std::int64_t columns =
            owner_.packed_column(first + count) - owner_.packed_column(first);
        const std::int64_t bytes = depth_ * columns * static_cast<std::int64_t>(sizeof(T));
        return bytes <= folded_bytes ? count : 0;
    }

    // Places panel p, the `x`-th of `count` that rows pass over together.
    placed_panel place(std::int64_t p, std::int64_t x = 0, std::int64_t count = 1) const {
        const column_panel& which = panel(p);
        const std::int64_t width = std::int64_t{which.vectors} * owner_.table_->lanes;
        placed_panel at{right_.buffer, width, {}, 0, 0};
        if (right_.packed != nullptr) {
            at.b = packed_panel(p);
            if (p + count < panel_end_) {
                at.next.first = packed_panel(p + count);
                at.next.step = std::max<std::int64_t>(1, width / row_panels_);
                at.share = depth_ * at.next.step;
                at.calls = std::min(row_panels_, width);
            }
            return at;
        }
        if constexpr (!widens) {
            if (owner_.reads_in_place(block_, which)) {
                at.b = panel_in_place(p);
                at.b_step = block_.b_step;
                if (p + count < panel_end_) ask_in_place(p, x, count, at);
                return at;
            }
        }
        owner_.pack_panels(right_.b, p, p + 1, block_.first, block_.end, block_.first, block_.end,
                           right_.buffer);
        return at;
    }

    const T* packed_panel(std::int64_t p) const {
        return right_.packed +
               (owner_.packed_column(p) - owner_.packed_column(first_panel_)) * depth_;
    }
    const Stored* panel_in_place(std::int64_t p) const {
        const Stored* const row =
            right_.b +
            (depth_ > 0 ? owner_.b_depth_.offset[static_cast<std::size_t>(block_.first)] : 0);
        return row + owner_.b_columns_.offset[static_cast<std::size_t>(panel(p).first)];
    }

    // How many panels, `most` at most, are read in place and lie one beside the other.
    std::int64_t adjacent_panels(std::int64_t p, std::int64_t most) const {
        std::int64_t count = 1;
        while (count < most && p + count < panel_end_ &&
               owner_.reads_in_place(block_, panel(p + count)) &&
               panel_in_place(p + count) - panel_in_place(p) ==
                   panel(p + count).first - panel(p).first)
            ++count;
        return count;
    }

    // The panels after those: a few rows of them in each call, whole rows at a time where they lie side
    // by side.
    void ask_in_place(std::int64_t p, std::int64_t x, std::int64_t count, placed_panel& at) const {
        if constexpr (!widens) {
            constexpr auto line = runtime::line_bytes / static_cast<std::int64_t>(sizeof(T));
            const std::int64_t columns = panel(p).vectors * std::int64_t{owner_.table_->lanes};
            std::int64_t lines = ceil_divide(columns, line), of = 1, turn = 0;
            std::int64_t first = p + count;
            if (count > 1 && ceil_divide(count * columns, line) <= depth_ &&
                adjacent_panels(p + count - x, count) == count) {
                lines = ceil_divide(count * columns, line);
                of = count;
                turn = x;
                first -= x;
            }
            if (lines == 1) {
                at.next = {panel_in_place(first), block_.b_step, 0, 0, 0};
                at.calls = 1;
                return;
            }
            const std::int64_t most = std::max<std::int64_t>(1, depth_ / lines);
            const std::int64_t rows =
                std::clamp<std::int64_t>(ceil_divide(depth_, row_panels_ * of), 1, most);
            at.next = {panel_in_place(first) + turn * rows * block_.b_step, line, lines,
                       block_.b_step - lines * line, rows};
            at.share = of * rows * block_.b_step;
            at.calls = ceil_divide(std::max<std::int64_t>(0, ceil_divide(depth_, rows) - turn), of);
        }
    }

    __attribute__((always_inline)) void write_to(const column_panel& which) {
        out_.columns = rounds() ? owner_.tile_columns_.data() : to_.columns + which.first;
        out_.column_count = which.columns;
        out_.stream = to_.stream && which.lines;
        out_.prefetch = owner_.far_ && !out_.stream;
        out_.halves = which.halves;
        out_.split = which.split;
        out_.adjacent = rounds() ? ~0u : which.adjacent | to_.adjacency;
    }

    // The panel of rows from `i` on, the `number`-th, with a panel of columns.
    __attribute__((always_inline)) void multiply(const column_panel& which, const placed_panel& at,
                                                 std::int64_t i, std::int64_t number) {
        const auto rows = static_cast<std::size_t>(std::min(mr_, rows_.end - i));
        const auto vectors = static_cast<std::size_t>(which.vectors);
        if (number < at.calls) {
            out_.next = at.next;
            out_.next.first += number * at.share;
        } else {
            out_.next.first = at.b;
            out_.next.step = out_.next.row_lines = 0;
        }
        const kernels::kernel_table<T, Stored>& table = *owner_.table_;
        const std::int64_t packed = (i - rows_.first) * pitch_;
        if (in_place_) {
            if constexpr (!widens)
                left_.origin = a_ + owner_.a_rows_.offset[static_cast<std::size_t>(i)];
            // The next rows come from far away when the first panel meets them.
            const bool asks =
                owner_.a_far_ && i + mr_ < owner_.m_ && &which == &panel(first_panel_);
            left_.ahead = asks && block_.a_step == 1 ? mr_ * left_.row_step : 0;
            if (asks && block_.a_step != 1 && left_.row_step == 1) {
                constexpr auto line = runtime::line_bytes / static_cast<std::int64_t>(sizeof(T));
                out_.next = {left_.origin + line, block_.a_step, 0, 0, 0};
            }
            table.gemm_in_place[rows - 1][vectors - 1](depth_, left_, at.b, at.b_step, out_);
        } else if (owner_.packs_across_) {
            const kernels::row_panel<T> across{rows_.packed + packed, 1,
                                               static_cast<std::int64_t>(rows)};
            table.gemm_in_place[rows - 1][vectors - 1](depth_, across, at.b, at.b_step, out_);
        } else {
            table.gemm[rows - 1][vectors - 1](depth_, rows_.packed + packed, at.b, at.b_step, out_);
        }
    }

    // The same, where it belongs in C.
    __attribute__((always_inline)) void multiply_into(const column_panel& which,
                                                      const placed_panel& at, std::int64_t i,
                                                      std::int64_t number) {
        out_.rows = rounds() ? owner_.tile_rows_.data() : to_.rows + i;
        multiply(which, at, i, number);
        if constexpr (widens) {
            if (!rounds()) return;
            const std::int64_t rows = std::min(mr_, rows_.end - i);
            for (std::int64_t r = 0; r < rows; ++r)
                owner_.write_row(which, sums_ + owner_.tile_rows_[static_cast<std::size_t>(r)],
                                 to_.alpha, to_.beta, to_.c + to_.rows[i + r]);
        }
    }

    void pass(std::int64_t p) {
        const column_panel& which = panel(p);
        const placed_panel at = place(p);
        write_to(which);
        for (std::int64_t i = rows_.first, number = 0; i < rows_.end; i += mr_, ++number)
            multiply_into(which, at, i, number);
    }

    // Panels of few k are small: rows pass over several of them, and write C along its rows.
    void pass_abreast(std::int64_t p, std::int64_t count) {
        placed_panel placed[most_abreast];
        for (std::int64_t x = 0; x < count; ++x) placed[x] = place(p + x, x, count);
        for (std::int64_t i = rows_.first, number = 0; i < rows_.end; i += mr_, ++number) {
            for (std::int64_t x = 0; x < count; ++x) {
                write_to(panel(p + x));
                multiply_into(panel(p + x), placed[x], i, number);
            }
        }
    }

    // Tiles that are whole lines of C are put together, and written while the next one is computed: what
    // has just been stored piece by piece cannot be loaded at once.
    void pass_folded(std::int64_t p, std::int64_t count) {
        if constexpr (!widens) {
            const folded_rows& folded = owner_.folded_;
            placed_panel placed[most_panels_of_lines];
            for (std::int64_t x = 0; x < count; ++x) placed[x] = place(p + x, x, count);
            const std::int64_t first = owner_.packed_column(p);
            const std::int64_t columns =
                std::min(owner_.n_, owner_.packed_column(p + count)) - first;
            alignas(64) T tiles[2][most_folded];
            const std::uint8_t* const is_whole = folded.panels.data() + rows_.first / folded.rows;
            int turn = 0;
            std::int64_t pending = -1;  // the first row of a tile that is still to be written
            const auto write = [&](const T* tile) {
                if (pending < 0) return;
                T* const c = to_.c + to_.rows[pending];
                for (std::int64_t j = 0; j < columns; j += folded.step)
                    owner_.table_->stream_lines(folded.run_elements(), tile + j * folded.rows,
                                                c + to_.columns[first + j]);
            };
            for (std::int64_t i = rows_.first, number = 0; i < rows_.end; i += mr_, ++number) {
                const bool whole = is_whole[number] != 0;
                for (std::int64_t x = 0; x < count; ++x) {
                    const column_panel& which = panel(p + x);
                    write_to(which);
                    if (!whole) {
                        multiply_into(which, placed[x], i, number);
                        continue;
                    }
                    out_.origin = tiles[turn];
                    out_.rows = folded.row.data();
                    out_.columns = folded.column.data() + (which.first - first);
                    out_.prefetch = false;
                    multiply(which, placed[x], i, number);
                    out_.origin = to_.c;
                }
                write(tiles[1 - turn]);
                pending = whole ? i : -1;
                turn = 1 - turn;
            }
            write(tiles[1 - turn]);
        }
    }

    const blocked& owner_;
    const block_rows& rows_;
    const k_block& block_;
    const right_operand& right_;
    const destination& to_;
    const std::int64_t depth_, mr_, row_panels_;
    const std::int64_t pitch_ = owner_.pitch_of(block_);
    const bool in_place_;
    const T* a_ = nullptr;
    std::int64_t first_panel_ = 0, panel_end_ = 0;
    kernels::row_panel<T> left_;
    kernels::output_tile<T> out_;
    alignas(64) T sums_[widens ? largest_tile : 1];
};

// Multiplies rows of A, packed or in place, with panels [first_panel, panel_end) of B over one block of k.
template <class T, class Stored>
void blocked<T, Stored>::multiply_block(const block_rows& rows, std::int64_t first_panel,
                                        std::int64_t panel_end, const right_operand& right,
                                        const destination& to) const {
    block_pass(*this, rows, right, to).run(first_panel, panel_end);
}

#define RICCI_INSTANTIATE(...)                                                                   \
    template void blocked<__VA_ARGS__>::multiply_block(                                          \
        const block_rows&, std::int64_t, std::int64_t, const right_operand&, const destination&) \
        const
RICCI_FOR_CONTRACTED_TYPES(RICCI_INSTANTIATE);

}  // namespace ricci::contract
