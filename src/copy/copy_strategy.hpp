// What all copies between two layouts have in common.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include "src/tile/map_strategy.hpp"
#include "src/tile/loops.hpp"
#include "src/tile/walk.hpp"
#include "src/runtime/parallel.hpp"

namespace ricci::elementwise {

/// Elements of a task, and of work that stays on the calling thread.
inline constexpr std::int64_t copy_task_elements = std::int64_t{1} << 15;

/// Units that a task has at least where the next one is asked for while one is copied.
inline constexpr std::int64_t units_asked_for = 4;

inline std::int64_t units_in_task(const walk& units, std::int64_t least) {
    std::int64_t elements = 1;
    for (const axis& a : units.axes) elements *= a.chunk;
    return std::max(least, copy_task_elements / elements);
}

/// A unit of a copy: the chunks of its loops, and its first elements, from the operands' bases.
struct copy_unit {
    const cursor& chunk;
    std::int64_t to, from;
};

/// What every kind of copy has: the walk over units, its strides those of the output and the
/// source.
class copy_strategy : public map_strategy {
public:
    copy_strategy(walk units, std::size_t source, const std::vector<std::int64_t>& offset,
                  std::int64_t least_units = 1)
        : units_(std::move(units)),
          source_(source),
          offset_{offset[0], offset[source]},
          per_task_(units_in_task(units_, least_units)) {}

protected:
    /// Calls body(unit, next, worker) for every unit, and `end` when a task's are done; `next` is
    /// the unit that the same thread goes on with, null where that is not known: after a task's
    /// last one on several threads.
    template <class Body, class End>
    void for_units(Body body, End end) const {
        const std::int64_t units = units_.steps();
        const bool alone = runtime::worker_count() == 1;
        auto task = [&](std::int64_t number, int worker) {
            const std::int64_t first = number * per_task_;
            const std::int64_t last = std::min(units, first + per_task_);
            const std::int64_t known = alone ? units : last;
            std::int64_t at[2], next_at[2];
            cursor here(units_, 2, at, offset_, first), there(units_, 2, next_at, offset_, first);
            for (std::int64_t unit = first; unit < last; ++unit, here.next()) {
                there.next();
                const copy_unit now{here, at[0], at[1]}, next{there, next_at[0], next_at[1]};
                body(now, unit + 1 < known ? &next : nullptr, worker);
            }
            end();
        };
        runtime::parallel_for((units + per_task_ - 1) / per_task_, task);
    }

    walk units_;
    std::size_t source_;
    std::int64_t offset_[2];
    std::int64_t per_task_;
};

/// Takes a loop apart from the others as they are chosen for what they do.
class loop_picker {
public:
    loop_picker(const loop_nest& nest, std::size_t source) : left_(nest.free), source_(source) {}

    /// The first loop that `fits`; one of extent 0 when none does.
    template <class Fits>
    loop take(Fits fits) {
        const auto found = std::find_if(left_.begin(), left_.end(), fits);
        if (found == left_.end()) return {0, std::vector<std::int64_t>(source_ + 1, 0)};
        return remove(found);
    }

    /// The loop that moves an operand least; a single iteration when there is none.
    loop take_shortest_step(std::size_t operand) {
        if (left_.empty()) return {1, std::vector<std::int64_t>(source_ + 1, 0)};
        return remove(
            std::min_element(left_.begin(), left_.end(), [=](const loop& x, const loop& y) {
                return std::abs(x.stride[operand]) < std::abs(y.stride[operand]);
            }));
    }

    void add(walk& w, const loop& l, std::int64_t chunk) const {
        w.axes.push_back({l.extent, std::min(chunk, l.extent), {l.stride[0], l.stride[source_]}});
    }

    walk others() const {
        walk w;
        for (const loop& l : left_) add(w, l, 1);
        return w;
    }

private:
    std::vector<loop> left_;
    std::size_t source_;

    loop remove(std::vector<loop>::iterator which) {
        loop l = std::move(*which);
        left_.erase(which);
        return l;
    }
};

}  // namespace ricci::elementwise
