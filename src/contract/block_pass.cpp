// How the rows of a block of A pass over panels of B: one panel after the other, several in one
// sweep, or as many as make whole lines of C.
#include "src/contract/block_pass.hpp"

#include <algorithm>
#include <complex>
#include <cstdint>

#include "src/contract/element_types.hpp"
#include "src/contract/panel_places.hpp"
#include "src/contract/tile_products.hpp"

namespace ricci::contractions {
namespace {

template <class T, class Stored>
class block_pass {
public:
    block_pass(const panel_operands<T, Stored>& operands, const block_rows<T, Stored>& rows,
               const block_columns<T, Stored>& columns, const destination<T, Stored>& to)
        : operands_(operands),
          rows_(rows),
          to_(to),
          products_(operands, rows, to, operands.right.panels()[columns.first]),
          mr_(products_.panel_rows()),
          places_(operands, columns, *rows.block, ceil_divide(rows.end - rows.first, mr_)) {}

    void run() {
        const std::int64_t abreast = places_.abreast();
        for (std::int64_t p = places_.first(); p < places_.end();) {
            std::int64_t count = to_.fold ? places_.of_lines(p) : 0;
            if (count > 0) {
                pass_folded(p, count);
            } else {
                count = to_.fold ? 1 : std::min(abreast, places_.end() - p);
                if (count > 1 && abreast < most_abreast) count = places_.adjacent(p, count);
                if (count > 1) pass_abreast(p, count);
                else pass(p);
            }
            p += count;
        }
    }

private:
    void pass(std::int64_t p) {
        const column_panel& which = places_.panel(p);
        const placed_panel<T> at = places_.place(p);
        products_.write_to(which);
        for (std::int64_t i = rows_.first, number = 0; i < rows_.end; i += mr_, ++number)
            products_.multiply(which, at, i, number);
    }

    // Panels of few k are small: rows pass over several of them, and write C along its rows.
    void pass_abreast(std::int64_t p, std::int64_t count) {
        placed_panel<T> placed[most_abreast];
        for (std::int64_t x = 0; x < count; ++x) placed[x] = places_.place(p + x, x, count);
        for (std::int64_t i = rows_.first, number = 0; i < rows_.end; i += mr_, ++number) {
            for (std::int64_t x = 0; x < count; ++x) {
                const column_panel& which = places_.panel(p + x);
                products_.write_to(which);
                products_.multiply(which, placed[x], i, number);
            }
        }
    }

    // Tiles that are whole lines of C are put together apart from it. Each is written while the
    // next one is computed: what has just been stored piece by piece cannot be loaded at once.
    void pass_folded(std::int64_t p, std::int64_t count) {
        if constexpr (!widens<T, Stored>) {
            const folded_rows& folded = operands_.result.folded();
            placed_panel<T> placed[most_panels_of_lines];
            for (std::int64_t x = 0; x < count; ++x) placed[x] = places_.place(p + x, x, count);
            const column_panels& panels = operands_.right.panels();
            const std::int64_t first = panels.start(p);
            const std::int64_t columns = panels.first_column(p + count) - first;
            alignas(64) T tiles[2][most_folded];
            const std::uint8_t* const is_whole = folded.panels.data() + rows_.first / folded.rows;
            int turn = 0;
            std::int64_t pending = -1;  // the first row of a tile that is still to be written
            const auto write = [&](const T* tile) {
                if (pending < 0) return;
                T* const c = to_.c + to_.rows[pending];
                for (std::int64_t j = 0; j < columns; j += folded.step)
                    operands_.table->stream_lines(folded.run_elements(), tile + j * folded.rows,
                                                  c + to_.columns[first + j]);
            };
            for (std::int64_t i = rows_.first, number = 0; i < rows_.end; i += mr_, ++number) {
                const bool whole = is_whole[number] != 0;
                for (std::int64_t x = 0; x < count; ++x) {
                    const column_panel& which = places_.panel(p + x);
                    products_.write_to(which);
                    if (whole)
                        products_.multiply_apart(which, placed[x], i, number, tiles[turn],
                                                 folded.row.data(),
                                                 folded.column.data() + (which.first - first));
                    else products_.multiply(which, placed[x], i, number);
                }
                write(tiles[1 - turn]);
                pending = whole ? i : -1;
                turn = 1 - turn;
            }
            write(tiles[1 - turn]);
        }
    }

    const panel_operands<T, Stored>& operands_;
    const block_rows<T, Stored>& rows_;
    const destination<T, Stored>& to_;
    tile_products<T, Stored> products_;
    const std::int64_t mr_;
    const panel_places<T, Stored> places_;
};

}  // namespace

template <class T, class Stored>
void multiply_block(const panel_operands<T, Stored>& operands, const block_rows<T, Stored>& rows,
                    const block_columns<T, Stored>& columns, const destination<T, Stored>& to) {
    block_pass<T, Stored>(operands, rows, columns, to).run();
}

#define RICCI_INSTANTIATE(T, S)                                                        \
    template void multiply_block(const panel_operands<T, S>&, const block_rows<T, S>&, \
                                 const block_columns<T, S>&, const destination<T, S>&)
RICCI_FOR_CONTRACTED_TYPES(RICCI_INSTANTIATE);
#undef RICCI_INSTANTIATE

}  // namespace ricci::contractions
