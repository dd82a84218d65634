// How the loops of a fused group become tiles.
#include "src/fused/geometry.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <span>
#include <utility>

#include "src/fused/conditions.hpp"

namespace ricci::fused {
namespace {

// Makes one loop of neighbours that walk through every operand as one would: fewer loops around
// longer ones.
void join_neighbours(std::vector<tile_loop>& loops) {
    std::size_t count = 0;
    for (tile_loop& inner : loops) {
        tile_loop* const outer = count > 0 ? &loops[count - 1] : nullptr;
        const auto follows = [&](std::int64_t before, std::int64_t stride) {
            return before == inner.extent * stride;
        };
        if (outer != nullptr && std::equal(outer->strides.begin(), outer->strides.end(),
                                           inner.strides.begin(), follows)) {
            inner.extent *= outer->extent;
            *outer = std::move(inner);
        } else {
            if (&loops[count] != &inner) loops[count] = std::move(inner);
            ++count;
        }
    }
    loops.resize(count);
}

// A tile has so many rows, and columns, at least that a loop around it is no loss.
constexpr std::int64_t enough_for_tiles = 32;

// Operands of which conditions see rows and columns, such as masks of blocks.
std::vector<std::size_t> masks_of(const steps::fused_group& what) {
    std::vector<std::size_t> masks;
    const auto moves = [&](const steps::operand& o, steps::loop_role role) {
        for (std::size_t l = 0; l < what.loops.size(); ++l)
            if (what.loops[l].axis == role && what.loops[l].extent != 1 && o.strides[l] != 0)
                return true;
        return false;
    };
    for (const auto& operation : what.operations) {
        const auto decides = deciding(operation.program);
        for (std::size_t k = 0; k < decides.size(); ++k) {
            const auto& i = operation.program[k];
            if (decides[k] == 0 || i.code != steps::opcode::load || i.operand < 0) continue;
            const auto number = static_cast<std::size_t>(i.operand);
            if (moves(what.operands[number], steps::loop_role::row) &&
                moves(what.operands[number], steps::loop_role::column))
                masks.push_back(number);
        }
    }
    return masks;
}

// Takes the longest loop out of the list: of those along which no mask moves, if it is long enough,
// so that a mask of blocks is a number of each tile.
tile_loop take_longest(std::vector<tile_loop>& loops, std::size_t operands,
                       std::span<const std::size_t> masks) {
    if (loops.empty()) return {1, std::vector<std::int64_t>(operands, 0)};
    const auto length = [&](const tile_loop& l) {
        const bool masked =
            std::ranges::any_of(masks, [&](std::size_t k) { return l.strides[k] != 0; });
        return std::pair(!masked && l.extent >= enough_for_tiles, l.extent);
    };
    const auto longest = std::max_element(
        loops.begin(), loops.end(),
        [&](const tile_loop& x, const tile_loop& y) { return length(x) < length(y); });
    tile_loop taken = std::move(*longest);
    loops.erase(longest);
    return taken;
}

}  // namespace

std::int64_t iterations(const std::vector<tile_loop>& loops) {
    std::int64_t count = 1;
    for (const auto& l : loops) count *= l.extent;
    return count;
}

geometry make_geometry(const steps::fused_group& what) {
    geometry g;
    for (const auto& o : what.operands) g.offset.push_back(o.offset);
    for (std::size_t l = 0; l < what.loops.size(); ++l) {
        if (what.loops[l].extent == 1) continue;
        tile_loop loop{what.loops[l].extent, {}};
        for (const auto& o : what.operands) loop.strides.push_back(o.strides[l]);
        auto& list = what.loops[l].axis == steps::loop_role::batch ? g.batch
                     : what.loops[l].axis == steps::loop_role::row ? g.other_rows
                                                                   : g.other_columns;
        list.push_back(std::move(loop));
    }
    const auto is_summed = [&](const tile_loop& loop) {
        return std::any_of(what.consumers.begin(), what.consumers.end(),
                           [&](const steps::tile_consumer& s) {
                               return s.summed == steps::loop_role::batch &&
                                      loop.strides[static_cast<std::size_t>(s.output)] == 0;
                           });
    };
    // In their order, with those summed over behind the others.
    std::vector<tile_loop> summed;
    std::copy_if(g.batch.begin(), g.batch.end(), std::back_inserter(summed), is_summed);
    g.batch.erase(std::remove_if(g.batch.begin(), g.batch.end(), is_summed), g.batch.end());
    for (const tile_loop& l : summed) g.summed *= l.extent;
    g.batch.insert(g.batch.end(), summed.begin(), summed.end());
    for (auto* list : {&g.batch, &g.other_rows, &g.other_columns}) join_neighbours(*list);
    const auto masks = masks_of(what);
    g.row = take_longest(g.other_rows, g.operands(), masks);
    g.column = take_longest(g.other_columns, g.operands(), masks);
    return g;
}

void move(const std::vector<tile_loop>& loops, std::int64_t index, std::int64_t* at) {
    for (std::size_t l = loops.size(); l-- > 0;) {
        const std::int64_t counter = index % loops[l].extent;
        index /= loops[l].extent;
        if (counter == 0) continue;
        for (std::size_t k = 0; k < loops[l].strides.size(); ++k)
            at[k] += counter * loops[l].strides[k];
    }
}

inner_loops flatten(std::span<const steps::inner_loop> loops) {
    inner_loops flat;
    std::vector<steps::inner_loop> all;
    for (const auto& l : loops)
        if (l.extent != 1) all.push_back(l);
    if (all.empty()) {
        flat.a = flat.b = flat.c = {0};
        return flat;
    }
    // The last loop has the smallest step, and is the longest of those that have it.
    std::sort(all.begin(), all.end(), [](const auto& x, const auto& y) {
        const auto p = std::abs(x.a), q = std::abs(y.a);
        return p != q ? p > q : x.extent < y.extent;
    });
    flat.last = all.back();
    all.pop_back();
    std::int64_t runs = 1;
    for (const auto& l : all) runs *= l.extent;
    for (std::int64_t run = 0; run < runs; ++run) {
        std::int64_t a = 0, b = 0, c = 0, rest = run;
        for (std::size_t l = all.size(); l-- > 0;) {
            a += rest % all[l].extent * all[l].a;
            b += rest % all[l].extent * all[l].b;
            c += rest % all[l].extent * all[l].c;
            rest /= all[l].extent;
        }
        flat.a.push_back(a);
        flat.b.push_back(b);
        flat.c.push_back(c);
    }
    flat.total = runs * flat.last.extent;
    return flat;
}

}  // namespace ricci::fused
