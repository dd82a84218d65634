// A copy whose two sides are contiguous along different loops: tiles transposed in registers.
#include "src/elementwise/permutation.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <ricci/element.hpp>

#include "src/elementwise/walk.hpp"
#include "src/kernels/elementwise.hpp"
#include "src/runtime/parallel.hpp"

namespace ricci::elementwise {
namespace {

// A tile's sides: whole cache lines of both operands, and no more pages than the processor knows by
// heart.
constexpr std::int64_t tile_side = 64;
// Shorter sides are left to the general engine.
constexpr std::int64_t shortest_side = 4;
// Elements of a task, and of work that stays on the calling thread.
constexpr std::int64_t task_elements = std::int64_t{1} << 15;

// T stands for any element of its size: its bits are moved.
template <class T>
class permutation final : public map_engine {
public:
    permutation(walk tiles, std::int64_t from_step, std::int64_t to_step, std::size_t source,
                const std::vector<std::int64_t>& offset)
        : tiles_(std::move(tiles)), from_step_(from_step), to_step_(to_step), source_(source) {
        offset_[0] = offset[0];
        offset_[1] = offset[source];
    }

    void run(void* const* bases) const override {
        T* const to = static_cast<T*>(bases[0]);
        const T* const from = static_cast<const T*>(bases[source_]);
        const std::size_t p = tiles_.axes.size() - 2, q = p + 1;
        const std::int64_t units = tiles_.steps();
        const std::int64_t per_task = std::max<std::int64_t>(
            1, task_elements / (tiles_.axes[p].chunk * tiles_.axes[q].chunk));
        auto task = [&](std::int64_t number, int) {
            std::int64_t at[2];
            cursor c(tiles_, 2, at, offset_, number * per_task);
            const std::int64_t last = std::min(units, (number + 1) * per_task);
            for (std::int64_t unit = number * per_task; unit < last; ++unit, c.next()) {
                kernels::elementwise<T>().transpose(from + at[1], from_step_, to + at[0], to_step_,
                                                    c.size(q), c.size(p));
            }
        };
        runtime::parallel_for((units + per_task - 1) / per_task, task);
    }

private:
    walk tiles_;  // strides of the output and the source; the last two axes make a tile
    std::int64_t from_step_, to_step_;
    std::size_t source_;
    std::int64_t offset_[2] = {};
};

}  // namespace

std::unique_ptr<const map_engine> make_permutation(const plan::map& map,
                                                   const std::vector<node>& program,
                                                   const loop_nest& nest) {
    const std::size_t bytes = size_of(map.type);
    if (map.folding != plan::fold::none || program.size() != 1 ||
        !is(program[0], plan::opcode::load) || nest.outputs == 0 || (bytes != 4 && bytes != 8)) {
        return nullptr;
    }
    const auto source = static_cast<std::size_t>(program[0].operand);
    std::vector<loop> around = nest.free;
    const auto take = [&](std::size_t operand) {
        loop found;
        found.extent = 0;
        for (std::size_t k = 0; k < around.size(); ++k) {
            if (around[k].stride[operand] != 1 || around[k].extent < shortest_side) continue;
            found = around[k];
            around.erase(around.begin() + static_cast<std::ptrdiff_t>(k));
            break;
        }
        return found;
    };
    const loop q = take(0);
    const loop p = take(source);
    if (q.extent == 0 || p.extent == 0 || q.stride[source] == 0) return nullptr;
    walk tiles;
    const auto add = [&](const loop& l, std::int64_t chunk) {
        tiles.axes.push_back(
            {l.extent, std::min(chunk, l.extent), {l.stride[0], l.stride[source]}});
    };
    for (const loop& l : around) add(l, 1);
    add(p, tile_side);
    add(q, std::max(tile_side, tile_side * tile_side / std::min(p.extent, tile_side) / 16 * 16));
    if (bytes == 4)
        return std::make_unique<permutation<float>>(std::move(tiles), q.stride[source], p.stride[0],
                                                    source, nest.offset);
    return std::make_unique<permutation<double>>(std::move(tiles), q.stride[source], p.stride[0],
                                                 source, nest.offset);
}

}  // namespace ricci::elementwise
