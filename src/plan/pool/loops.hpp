// The loops that a plan's assignments run over, by number, and sorted lists of them.
#pragma once

#include <cstdint>
#include <vector>

#include <ricci/ir/program.hpp>

#include "src/base/number_of.hpp"
#include "src/base/short_list.hpp"

namespace ricci::plan {

/// A loop by its number in the plan's table.
using loop = number_of<struct loop_info>;
/// Sorted, unless said otherwise.
using loop_list = short_list<loop, 6>;

/// A loop has one extent wherever it stands. Letters do not identify loops: one letter may have two
/// extents in two equations, and two loops may have one letter.
struct loop_info {
    ir::ref letter = ir::none;  // none: nobody wrote one
    std::int64_t extent = 1;
    loop next;  // of the same letter, with another extent
};

/// The loops of a plan. Numbers keep the order of the letters within each equation.
class loop_table {
public:
    /// The loop of this letter and extent, the same one each time.
    loop of(ir::ref letter, std::int64_t extent);
    /// A loop that no other assignment has.
    loop fresh(ir::ref letter, std::int64_t extent);
    /// The same with the letter of another loop, and its extent.
    loop fresh(loop like, std::int64_t extent) { return fresh(letter(like), extent); }
    loop fresh(loop like) { return fresh(like, extent(like)); }
    /// Part of a loop, first + step * k for k below the count: the same one each time, of those
    /// that are not among the others.
    loop part(loop of, std::int64_t first, std::int64_t step, std::int64_t count,
              const loop_list& others = {});
    /// A loop that runs as this one does and is not among the others: the same one each time.
    loop another(loop l, const loop_list& others) { return part(l, 0, 1, extent(l), others); }

    std::int64_t extent(loop l) const { return loops_[l.index()].extent; }
    ir::ref letter(loop l) const { return loops_[l.index()].letter; }
    /// Elements of a block with these loops.
    double size(const loop_list& loops) const;

private:
    struct loop_part {
        loop of;
        std::int64_t first, step, count;
        loop made;
    };
    std::vector<loop_info> loops_;
    std::vector<loop_part> parts_;
    std::vector<loop> by_letter_;  // the last that was made of each
};

/// The union of two sorted lists, the first without the second, and what is in both.
loop_list united(const loop_list& a, const loop_list& b);
loop_list without(const loop_list& a, const loop_list& b);
loop_list common(const loop_list& a, const loop_list& b);
bool contains(const loop_list& a, loop l);
loop_list sorted(loop_list loops);
/// Adds a loop to a sorted list that may have it.
void add_loop(loop_list& to, loop l);

}  // namespace ricci::plan
