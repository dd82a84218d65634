// A copy of an operand in which no place lies outside: what is read beside the ends of its axes is
// written out. A contraction of the copy has no edges, and can go any way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "src/steps/contraction.hpp"

namespace ricci::contractions {

/// Where each element of the copy comes from. An axis of it holds all places that a sum of loops
/// reaches, or, where those are more, all iterations of these loops. Axes have no loops in common:
/// the copy never holds more elements than the loops have iterations.
class inside_copy {
public:
    /// `loops`: all of them, none without iterations, and `strides` of the operand in each, without
    /// what `edges` add.
    inside_copy(const std::vector<std::int64_t>& extents, const std::vector<std::int64_t>& strides,
                std::span<const steps::edged_axis> edges, std::size_t element_bytes);

    /// Makes a loop the outermost of the copy, where no other one moves along its axis.
    bool put_outermost(std::size_t loop);
    /// Lays out the copy. No more is put outermost after that.
    void lay_out();

    /// How far each loop moves in the copy, and where it starts.
    const std::vector<std::int64_t>& strides() const { return copy_strides_; }
    std::int64_t origin() const { return origin_; }
    /// Iterations of the outermost axis, and elements in each.
    std::int64_t outer() const { return axes_[0].extent(); }
    std::int64_t inner() const { return inner_; }

    /// Copies iterations [first, first + count) of the outermost axis to the beginning of `to`.
    void run(const void* from, std::int64_t first, std::int64_t count, void* to) const;

private:
    // Positions of an axis of the copy in the operand. Each loop makes so many steps along it.
    struct axis {
        std::vector<std::pair<std::size_t, std::int64_t>> steps;
        std::int64_t first = 0;     // where the loops start
        std::int64_t distance = 0;  // in the operand, between neighbours that are inside
        std::vector<std::int64_t> from;
        std::int64_t extent() const { return static_cast<std::int64_t>(from.size()); }
    };
    // Elements [begin, next one's begin) of a row come from `from` on, `step` apart.
    struct segment {
        std::int64_t begin = 0, from = 0, step = 0;
    };

    using parts = std::vector<std::pair<std::size_t, std::int64_t>>;
    axis all_places(const parts& factors, std::int64_t offset) const;
    void add_edges(std::span<const steps::edged_axis> edges, std::size_t first,
                   std::vector<bool>& left, std::vector<std::int64_t>& inside);
    using edge_list = std::vector<const steps::edged_axis*>;
    edge_list edges_with(std::span<const steps::edged_axis> edges, std::size_t first,
                         std::vector<bool>& left, std::vector<bool>& member) const;
    void add_joined(const edge_list& together, parts loops, std::vector<std::int64_t>& inside);
    void add_inside(parts strides);
    void cut_row();
    void copy_part(const std::byte* from, std::int64_t begin, std::int64_t end,
                   std::byte* to) const;

    std::vector<std::int64_t> extents_;
    std::size_t element_bytes_;
    std::vector<axis> axes_;  // the outermost first
    std::vector<std::int64_t> copy_strides_;
    std::int64_t origin_ = 0, inner_ = 1;
    std::size_t row_axis_ = 0;  // axes from here on make a row
    std::int64_t row_ = 1;      // its elements
    std::vector<segment> segments_;
};

}  // namespace ricci::contractions
