// Layout of the copy, and copying.
#include "src/contract/inside_copy.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include "src/base/arithmetic.hpp"
#include "src/contract/sharing.hpp"

namespace ricci::contractions {
namespace {

// Not in the operand: 0.
constexpr std::int64_t outside = std::numeric_limits<std::int64_t>::min();
// Axes are joined to rows of at most so many elements.
constexpr std::int64_t row_elements = 4096;
// Elements that one task copies, and fewer than what is shared out.
constexpr std::int64_t part_elements = std::int64_t{1} << 14;
constexpr std::int64_t serial_elements = std::int64_t{1} << 15;

// Where the element that is read at a place lies, along its axis.
std::int64_t element_of(const steps::edged_axis& axis, std::int64_t place) {
    const std::int64_t extent = axis.extent;
    if (extent <= 0) return outside;
    switch (axis.kind) {
        case steps::edge::zero:
            if (place < 0 || place >= extent) return outside;
            break;
        case steps::edge::clamp:
            place = std::clamp<std::int64_t>(place, 0, extent - 1);
            break;
        case steps::edge::wrap:
            place %= extent;
            if (place < 0) place += extent;
            break;
    }
    return place * axis.stride;
}

// How far the loop moves along the edge.
std::int64_t factor_of(const steps::edged_axis& edge, std::size_t loop) {
    return loop < edge.factors.size() ? edge.factors[loop] : 0;
}

std::int64_t add(std::int64_t x, std::int64_t y) {
    return x == outside || y == outside ? outside : x + y;
}

// Makes `extent` copies of the positions, each `step` further on.
void repeat(std::vector<std::int64_t>& positions, std::int64_t step, std::int64_t extent) {
    const std::size_t filled = positions.size(), count = filled * static_cast<std::size_t>(extent);
    for (std::size_t i = filled; i < count; ++i) positions.push_back(positions[i - filled] + step);
}

// Elements of any type of so many bytes.
template <std::size_t bytes>
void copy_steps(const std::byte* from, std::int64_t step, std::int64_t count, std::byte* to) {
    for (std::int64_t i = 0; i < count; ++i)
        std::memcpy(to + i * std::int64_t{bytes}, from + i * step * std::int64_t{bytes}, bytes);
}

}  // namespace

inside_copy::inside_copy(const std::vector<std::int64_t>& extents,
                         const std::vector<std::int64_t>& strides,
                         std::span<const steps::edged_axis> edges, std::size_t element_bytes)
    : extents_(extents), element_bytes_(element_bytes) {
    std::vector<bool> left(edges.size(), true);
    std::vector<std::int64_t> inside = strides;
    for (std::size_t e = 0; e < edges.size(); ++e)
        if (left[e]) add_edges(edges, e, left, inside);
    parts moved;
    for (std::size_t l = 0; l < inside.size(); ++l)
        if (inside[l] != 0 && extents_[l] > 1) moved.emplace_back(l, inside[l]);
    add_inside(std::move(moved));
    // By insertion: few axes, and equals keep their order.
    for (auto a = axes_.begin(); a != axes_.end(); ++a)
        std::rotate(
            std::upper_bound(axes_.begin(), a, *a,
                             [](const axis& x, const axis& y) { return x.distance > y.distance; }),
            a, a + 1);
}

// The places of a sum of loops, in `from`: all between the lowest and the highest one that can be
// reached, or one for each iteration where those are fewer.
inside_copy::axis inside_copy::all_places(const parts& factors, std::int64_t offset) const {
    std::int64_t unit = 0, low = offset, span = 0, iterations = 1;
    for (const auto& [loop, factor] : factors) {
        const std::int64_t reach = factor * (extents_[loop] - 1);
        unit = std::gcd(unit, factor);
        low += std::min<std::int64_t>(0, reach);
        span += std::abs(reach);
        iterations *= extents_[loop];
    }
    axis made;
    made.distance = std::max<std::int64_t>(1, unit);
    if (unit == 0 || span / unit + 1 <= iterations) {
        for (const auto& [loop, factor] : factors) made.steps.emplace_back(loop, factor / unit);
        made.first = unit == 0 ? 0 : (offset - low) / unit;
        for (std::int64_t at = 0; at <= span; at += made.distance) made.from.push_back(low + at);
        return made;
    }
    made.from.assign(1, 0);
    for (const auto& [loop, factor] : factors) {
        made.steps.emplace_back(loop, made.extent());
        repeat(made.from, factor, extents_[loop]);
    }
    for (std::int64_t& at : made.from) at += offset;
    return made;
}

// An edge, and all others, that have loops in common, and what these loops move inside: each
// iteration of the loops has an element of its own where that is more than one edge alone.
void inside_copy::add_edges(std::span<const steps::edged_axis> edges, std::size_t first,
                            std::vector<bool>& left, std::vector<std::int64_t>& inside) {
    std::vector<bool> member(extents_.size(), false);
    const edge_list together = edges_with(edges, first, left, member);
    parts loops;
    bool moved = false;
    for (std::size_t l = 0; l < extents_.size(); ++l) {
        if (!member[l]) continue;
        moved = moved || inside[l] != 0;
        std::int64_t step = std::abs(inside[l]);
        for (const steps::edged_axis* const edge : together)
            step += std::abs(factor_of(*edge, l) * edge->stride);
        loops.emplace_back(l, step);
    }
    if (together.size() > 1 || moved) {
        add_joined(together, std::move(loops), inside);
        return;
    }
    const steps::edged_axis& edge = *together[0];
    for (auto& [loop, factor] : loops) factor = edge.factors[loop];
    axis made = all_places(loops, edge.offset);
    for (std::int64_t& at : made.from) at = element_of(edge, at);
    made.distance *= std::abs(edge.stride);
    axes_.push_back(std::move(made));
}

// The edge `first` and those that it shares loops with, one by way of another: they are no longer
// `left`, and their loops are `member`.
inside_copy::edge_list inside_copy::edges_with(std::span<const steps::edged_axis> edges,
                                               std::size_t first, std::vector<bool>& left,
                                               std::vector<bool>& member) const {
    const auto moves = [&](const steps::edged_axis& edge, std::size_t l) {
        return factor_of(edge, l) != 0 && extents_[l] > 1;
    };
    edge_list together{&edges[first]};
    left[first] = false;
    for (std::size_t known = 0; known < together.size(); ++known)
        for (std::size_t l = 0; l < extents_.size(); ++l) {
            if (member[l] || !moves(*together[known], l)) continue;
            member[l] = true;
            for (std::size_t e = 0; e < edges.size(); ++e) {
                if (!left[e] || !moves(edges[e], l)) continue;
                left[e] = false;
                together.push_back(&edges[e]);
            }
        }
    return together;
}

// One axis for all iterations of loops that move along several edges, or inside as well: `loops`,
// with how far each moves in the operand.
void inside_copy::add_joined(const edge_list& together, parts loops,
                             std::vector<std::int64_t>& inside) {
    std::sort(loops.begin(), loops.end(), [](const auto& x, const auto& y) {
        return x.second != y.second ? x.second < y.second : x.first < y.first;
    });
    axis made;
    std::int64_t filled = 1;
    for (const auto& [loop, step] : loops) {
        made.steps.emplace_back(loop, filled);
        filled *= extents_[loop];
    }
    made.distance = loops.empty() ? 1 : std::max<std::int64_t>(1, loops[0].second);
    made.from.assign(1, 0);
    for (const auto& [loop, step] : loops) {
        repeat(made.from, inside[loop], extents_[loop]);
        inside[loop] = 0;
    }
    for (const steps::edged_axis* const edge : together) {
        std::vector<std::int64_t> places{edge->offset};
        for (const auto& [loop, step] : loops)
            repeat(places, factor_of(*edge, loop), extents_[loop]);
        for (std::size_t i = 0; i < places.size(); ++i)
            made.from[i] = add(made.from[i], element_of(*edge, places[i]));
    }
    axes_.push_back(std::move(made));
}

// Loops that move inside: those whose steps lie within the reach of others, as the counters of a
// window do, make an axis together.
void inside_copy::add_inside(parts strides) {
    std::sort(strides.begin(), strides.end(),
              [](const auto& x, const auto& y) { return std::abs(x.second) < std::abs(y.second); });
    while (!strides.empty()) {
        parts together{strides.front()};
        const std::int64_t unit = std::abs(strides.front().second);
        std::int64_t places = extents_[strides.front().first];
        std::int64_t iterations = places;
        parts others;
        for (std::size_t s = 1; s < strides.size(); ++s) {
            const auto& [loop, stride] = strides[s];
            const std::int64_t steps = std::abs(stride) / unit;
            const std::int64_t more = places + steps * (extents_[loop] - 1);
            if (stride % unit == 0 && steps < places && more <= iterations * extents_[loop]) {
                together.push_back(strides[s]);
                places = more;
                iterations *= extents_[loop];
            } else {
                others.push_back(strides[s]);
            }
        }
        axes_.push_back(all_places(together, 0));
        strides = std::move(others);
    }
}

bool inside_copy::put_outermost(std::size_t loop) {
    std::size_t found = axes_.size();
    for (std::size_t x = 0; x < axes_.size(); ++x)
        for (const auto& step : axes_[x].steps) {
            if (step.first != loop) continue;
            // The axis counts what the loop counts.
            if (found != axes_.size() || axes_[x].steps.size() > 1 || step.second != 1)
                return false;
            found = x;
        }
    if (found == axes_.size()) return false;
    std::rotate(axes_.begin(), axes_.begin() + static_cast<std::ptrdiff_t>(found),
                axes_.begin() + static_cast<std::ptrdiff_t>(found) + 1);
    return true;
}

void inside_copy::lay_out() {
    // The outermost axis is never a part of a row.
    if (axes_.size() < 2) {
        axis single;
        single.from.push_back(0);
        axes_.insert(axes_.begin(), std::move(single));
    }
    copy_strides_.assign(extents_.size(), 0);
    std::int64_t stride = 1;
    for (std::size_t x = axes_.size(); x-- > 0;) {
        for (const auto& [loop, steps] : axes_[x].steps) copy_strides_[loop] += steps * stride;
        origin_ += axes_[x].first * stride;
        if (x == 0) break;
        stride *= axes_[x].extent();
    }
    inner_ = stride;
    cut_row();
}

// Joins the innermost axes to a row, and notes where its elements come from.
void inside_copy::cut_row() {
    row_axis_ = axes_.size() - 1;
    std::vector<std::int64_t> from = std::move(axes_[row_axis_].from);
    while (row_axis_ > 1) {
        const axis& next = axes_[row_axis_ - 1];
        if (next.extent() * static_cast<std::int64_t>(from.size()) > row_elements) break;
        std::vector<std::int64_t> longer;
        for (const std::int64_t start : next.from)
            for (const std::int64_t more : from) longer.push_back(add(start, more));
        from = std::move(longer);
        --row_axis_;
    }
    axes_.resize(row_axis_);
    row_ = static_cast<std::int64_t>(from.size());
    for (std::size_t i = 0; i < from.size();) {
        segment made{static_cast<std::int64_t>(i), from[i], 1};
        std::size_t end = i + 1;
        if (from[i] == outside) {
            while (end < from.size() && from[end] == outside) ++end;
        } else if (end < from.size() && from[end] != outside) {
            made.step = from[end] - from[i];
            while (end < from.size() && from[end] != outside &&
                   from[end] - from[end - 1] == made.step)
                ++end;
        }
        segments_.push_back(made);
        i = end;
    }
}

void inside_copy::run(const void* from, std::int64_t first, std::int64_t count, void* to) const {
    const std::int64_t rows = inner_ / row_;
    const std::int64_t pieces = ceil_divide(row_, part_elements);
    const auto copy = [&](std::int64_t unit, int) {
        std::int64_t start = 0;
        const std::int64_t number = unit / pieces + first * rows;
        for (std::int64_t x = static_cast<std::int64_t>(row_axis_) - 1, rest = number; x >= 0;
             --x) {
            const axis& outer = axes_[static_cast<std::size_t>(x)];
            start = add(start, outer.from[static_cast<std::size_t>(rest % outer.extent())]);
            rest /= outer.extent();
        }
        const std::int64_t begin = unit % pieces * part_elements;
        const std::int64_t end = std::min(row_, begin + part_elements);
        auto* const target = static_cast<std::byte*>(to) +
                             static_cast<std::size_t>(unit / pieces * row_) * element_bytes_;
        if (start == outside) {
            std::memset(target + static_cast<std::size_t>(begin) * element_bytes_, 0,
                        static_cast<std::size_t>(end - begin) * element_bytes_);
            return;
        }
        copy_part(
            static_cast<const std::byte*>(from) + start * static_cast<std::int64_t>(element_bytes_),
            begin, end, target);
    };
    const std::int64_t units = count * rows * pieces;
    const std::int64_t per_task =
        std::max<std::int64_t>(1, part_elements / std::min(row_, part_elements));
    distribute_units(units, per_task, count * inner_ < serial_elements, copy);
}

// Elements [begin, end) of the row that begins at `to`.
void inside_copy::copy_part(const std::byte* from, std::int64_t begin, std::int64_t end,
                            std::byte* to) const {
    auto at = std::upper_bound(segments_.begin(), segments_.end(), begin,
                               [](std::int64_t x, const segment& s) { return x < s.begin; }) -
              1;
    for (; begin < end; ++at) {
        const std::int64_t stop = at + 1 == segments_.end() ? end : std::min(end, at[1].begin);
        const std::int64_t count = stop - begin;
        std::byte* const target = to + static_cast<std::size_t>(begin) * element_bytes_;
        const auto bytes = static_cast<std::size_t>(count) * element_bytes_;
        const std::byte* const source = at->from == outside
                                            ? nullptr
                                            : from + (at->from + (begin - at->begin) * at->step) *
                                                         static_cast<std::int64_t>(element_bytes_);
        if (source == nullptr) std::memset(target, 0, bytes);
        else if (at->step == 1) std::memcpy(target, source, bytes);
        else if (element_bytes_ == 2) copy_steps<2>(source, at->step, count, target);
        else if (element_bytes_ == 4) copy_steps<4>(source, at->step, count, target);
        else if (element_bytes_ == 8) copy_steps<8>(source, at->step, count, target);
        else copy_steps<16>(source, at->step, count, target);
        begin = stop;
    }
}

}  // namespace ricci::contractions
