// Sums up to an index under products that have it, as of linear attention: the sum over j <= i of
// Q^{ia} K^{ja} V^{jc}. What does not depend on i, the sum over j of K^{ja} V^{jc}, is a state that
// is carried from block to block of the j; within a block all pairs are multiplied, under a mask.
// So the work grows with the length, not with its square.
#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include "src/path/path.hpp"
#include "src/plan/edges.hpp"
#include "src/plan/lower.hpp"
#include "src/plan/solve_places.hpp"

namespace ricci::plan {
namespace {

// Places of a block: so many that all pairs of it are a fused group, which its planes have to be
// larger for than what they are made of; then the states take no more room than the tensors.
constexpr std::int64_t least_block = 64, most_block = 256, block_step = 32;
// Fewer blocks are not worth it.
constexpr std::int64_t fewest_blocks = 4;
// All pairs run as one fused group, half of which is left out; blocks are several steps.
constexpr double pairs_over_blocks = 1.5;

double multiplications(const graph& values, const expr_list& factors, const loop_list& over) {
    std::vector<std::span<const loop>> lists;
    loop_list all;
    for (const expr f : factors) {
        lists.emplace_back(values[f].indices);
        all = united(all, values[f].indices);
    }
    if (factors.size() < 2) return values.size(all);
    return path::find_path(lists, without(all, over), [&](loop l) { return values.extent(l); })
        .multiplications;
}

loop_list indices_of(const graph& values, const expr_list& factors) {
    loop_list all;
    for (const expr f : factors) all = united(all, values[f].indices);
    return all;
}

expr_list together(const expr_list& a, const expr_list& b) {
    expr_list all = a;
    for (const expr e : b) all.push_back(e);
    return all;
}

}  // namespace

// A sum that takes fewer operations by blocks, with a state, than by all pairs.
std::optional<lowering::prefix_product> lowering::in_blocks(expr sum) const {
    if (plan_.careful || (type_ != element::f32 && type_ != element::f64)) return {};
    const loop_list& over = graph_[sum].over;
    auto p = prefix_product_of(fold::sum, over, graph_[sum].arguments[0]);
    if (!p || has_small_state(*p) || !pays_in_blocks(*p, over)) return {};
    return p;
}

std::int64_t lowering::block_of(const prefix_product& p) const {
    const auto written = without(p.state, indices_of(graph_, p.others));
    const double values = graph_.size(p.later) + graph_.size(written);
    if (values >= most_block) return most_block;
    const auto steps = (static_cast<std::int64_t>(values) + block_step - 1) / block_step;
    return std::clamp(steps * block_step, least_block, most_block);
}

bool lowering::pays_in_blocks(const prefix_product& p, const loop_list& over) const {
    const std::int64_t places = graph_.extent(p.j);
    if (graph_.extent(p.i) != places || p.end.factor(p.i) != (p.forwards ? 1 : -1)) return false;
    if (p.end.offset != 0 && p.end.offset != -1) return false;
    const std::int64_t block = block_of(p);
    if (places < fewest_blocks * block || p.summed.empty()) return false;
    auto all = together(p.summed, p.others);
    all.push_back(p.condition);
    const double pairs = multiplications(graph_, all, over) / 2;
    const double within = pairs * static_cast<double>(block) / static_cast<double>(places);
    const double state = multiplications(graph_, p.summed, p.alone) +
                         graph_.size(united(indices_of(graph_, p.others), p.state));
    return pairs > pairs_over_blocks * (within + state);
}

// Blocks of places from `origin` on, and the places that are left, behind them or, where sums run
// backwards, ahead of them.
struct lowering::blocks_of_sum {
    std::int64_t size = 0;
    std::int64_t count = 0, origin = 0;
    std::int64_t left = 0, left_at = 0;
};

// The states: for each block, and for what is left, the sum over what comes before it. Returns the
// access whose first place along `block` is that of the first one.
access lowering::emit_states(const prefix_product& p, const blocks_of_sum& blocks, loop block,
                             loop within, place& of_left) {
    const std::int64_t sums = blocks.left > 0 ? blocks.count : blocks.count - 1;
    const loop each = graph_.loops().part(p.j, 0, blocks.size, sums);
    // Backwards the first block is needed by what is left alone.
    const std::int64_t first = p.forwards || blocks.left > 0 ? 0 : 1;
    moved_loop there{p.j, {blocks.origin + first * blocks.size, {}}};
    there.to.add(each, blocks.size);
    there.to.add(within, 1);
    auto alone = without(p.alone, {p.j});
    add_loop(alone, within);
    const expr added = graph_.sum(alone, graph_.moved(graph_.multiply(p.summed), {&there, 1}));

    // One state behind the other.
    auto axes = axis_order(p.state, -1);
    axes.insert(axes.begin(), each);
    const auto states = longer_memory(axes, each, 1);
    emit_map(states.at({p.forwards ? 0 : sums, {}}), p.state, graph_.constant(0), fold::none, {});
    scan_into(fold::sum, states.at({p.forwards ? 1 : 0, {{each, 1}}}), united(p.state, {each}),
              added, each, !p.forwards);
    of_left = {p.forwards ? sums : 0, {}};
    return states.at({p.forwards ? 0 : 1 - first, {{block, 1}}});
}

// target = sum + beta * target.
void lowering::emit_in_blocks(const prefix_product& p, const access& target, const loop_list& over,
                              double beta) {
    blocks_of_sum blocks;
    blocks.size = block_of(p);
    blocks.count = graph_.extent(p.j) / blocks.size;
    blocks.left = graph_.extent(p.j) % blocks.size;
    (p.forwards ? blocks.left_at : blocks.origin) =
        p.forwards ? blocks.count * blocks.size : blocks.left;

    auto& loops = graph_.loops();
    const loop block = loops.part(p.i, blocks.origin, blocks.size, blocks.count);
    const loop within = loops.part(p.j, 0, 1, blocks.size);
    place of_left;
    const access state = emit_states(p, blocks, block, within, of_left);
    // Rows i, and the j of the same block: all pairs under the condition, then the state.
    const auto emit_rows = [&](const moved_loop& row, const moved_loop& column, loop i, loop j,
                               const access& before) {
        place ahead;  // 0 <= ahead
        if (i >= 0) ahead.add(i, p.forwards ? 1 : -1);
        if (j >= 0) ahead.add(j, p.forwards ? -1 : 1);
        ahead.offset = p.end.offset;
        const expr is_before =
            graph_.apply(opcode::less_equal, graph_.constant(0), graph_.position(std::move(ahead)));
        const moved_loop both[] = {row, column};
        expr_list pairs{is_before}, rows{graph_.load(before)};
        for (const expr f : p.summed) pairs.push_back(graph_.moved(f, both));
        for (const expr f : p.others) {
            pairs.push_back(graph_.moved(f, both));
            rows.push_back(pairs.back());
        }
        const access there = moved(graph_, target, row);
        const auto written = loops_of(there);
        auto summed = without(over, {p.j});
        if (j >= 0) add_loop(summed, j);
        into(there, written, graph_.sum(summed, graph_.multiply(pairs)), beta);
        into(there, written, graph_.sum(p.later, graph_.multiply(rows)), 1);
    };
    {
        const loop i = loops.fresh(loops.letter(p.i), blocks.size);
        moved_loop row{p.i, {blocks.origin, {}}}, column{p.j, {blocks.origin, {}}};
        for (auto* m : {&row, &column}) m->to.add(block, blocks.size);
        row.to.add(i, 1);
        column.to.add(within, 1);
        emit_rows(row, column, i, within, state);
    }
    if (blocks.left > 0) {
        access before = state;
        for (place& at : before.at)
            if (at.factor(block) != 0) at = of_left;
        const auto row = to_part(graph_, p.i, {blocks.left_at, blocks.left}),
                   column = to_part(graph_, p.j, {blocks.left_at, blocks.left});
        const auto own = [&](const moved_loop& m) {
            return m.to.terms.empty() ? loop{-1} : m.to.terms[0].over;
        };
        emit_rows(row, column, own(row), own(column), before);
    }
}

}  // namespace ricci::plan
