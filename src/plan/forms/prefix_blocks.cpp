// Sums up to an index under products that have it, as of linear attention: the sum over j <= i of
// Q^{ia} K^{ja} V^{jc}. What does not depend on i, the sum over j of K^{ja} V^{jc}, is a state that
// is carried from block to block of the j; within a block all pairs are multiplied, under a mask.
// So the work grows with the length, not with its square.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "src/plan/forms/path_through.hpp"
#include "src/plan/schedule/edges.hpp"
#include "src/plan/forms/lower.hpp"
#include "src/plan/forms/triangle_parts.hpp"

namespace ricci::plan {
namespace {

// Places of a block: so many that all pairs of it are a fused group, which its planes have to be
// larger for than what they are made of; then the states take no more room than the tensors.
constexpr std::int64_t least_block = 64, most_block = 256, block_step = 32;
// Of shorter loops the blocks would be too few.
constexpr std::int64_t fewest_blocks = 4;
// All pairs run as one fused group, which leaves out what is masked; blocks are several steps.
constexpr double pairs_over_blocks = 1.5;

loop_list indices_of(const graph& values, const expr_list& factors) {
    loop_list all;
    for (const expr f : factors) all = united(all, values[f].indices);
    return all;
}

double multiplications(const graph& values, const expr_list& factors, const loop_list& over) {
    if (factors.size() < 2) return values.size(indices_of(values, factors));
    return path_through(values, factors, over).multiplications;
}

expr_list together(const expr_list& a, const expr_list& b) {
    expr_list all = a;
    for (const expr e : b) all.push_back(e);
    return all;
}

// Of a loop, if it moves at all.
void add_counter(graph& values, place& to, loop l, std::int64_t factor) {
    if (values.extent(l) > 1) to.add(l, factor);
}

loop only_loop(const moved_loop& m) { return m.to.terms.empty() ? loop::none : m.to.terms[0].over; }

}  // namespace

/// Where a sum goes by blocks: what is left over comes first, counted as the sum runs.
struct lowering::blocks_of_sum {
    triangle_parts parts;
    std::int64_t size = 0, count = 0, left = 0;

    std::int64_t first_row() const { return parts.rows_at(parts.none + left, count * size).first; }
    std::int64_t first_column(std::int64_t blocks) const {
        return parts.columns_at(parts.head + left, blocks * size).first;
    }
};

/// Sums of what has j alone, each over all that comes before some rows.
struct lowering::carried_states {
    access of_blocks;  // along the loop of blocks
    std::optional<access> of_left, of_full;
};

/// Rows i, and the j of the same block.
struct lowering::block_of_pairs {
    moved_loop row, column;
    loop i, j;  // within the block
    bool strict = false;
};

// A sum that takes fewer operations by blocks, with a state, than by all pairs.
std::optional<prefix_product> lowering::in_blocks(expr sum) const {
    if (plan_.careful || !is_real(type_) || !has_conditions()) return {};
    auto p = prefix_product_of(described(graph_[sum].over, graph_[sum].arguments[0]));
    if (!p || has_small_state(*p) || !pays_in_blocks(*p)) return {};
    return p;
}

std::int64_t lowering::block_of(const prefix_product& p) const {
    const auto written = without(p.state, indices_of(graph_, p.others));
    const double values = graph_.size(p.later) + graph_.size(written);
    if (values >= most_block) return most_block;
    const auto steps = (static_cast<std::int64_t>(values) + block_step - 1) / block_step;
    return std::clamp(steps * block_step, least_block, most_block);
}

// Multiplications of all pairs that the condition leaves.
double lowering::work_of_pairs(const prefix_product& p, const triangle_parts& parts) const {
    auto all = together(p.summed, p.others);
    all.push_back(p.condition);
    return multiplications(graph_, all, p.over) * parts.pairs() /
           (static_cast<double>(parts.rows) * static_cast<double>(parts.columns));
}

// Of what is carried, and of what reads that.
double lowering::work_of_states(const prefix_product& p) const {
    return multiplications(graph_, p.summed, p.alone) +
           graph_.size(united(indices_of(graph_, p.others), p.state));
}

bool lowering::pays_in_blocks(const prefix_product& p) const {
    if (!p.pairs || p.summed.empty() || contains(p.over, p.i)) return false;
    const auto parts = parts_of(graph_, *p.pairs);
    const std::int64_t block = block_of(p);
    if (!parts || std::max(parts->rows, parts->columns) < fewest_blocks * block) return false;
    const double pairs = work_of_pairs(p, *parts);
    const double within = pairs / parts->pairs() * static_cast<double>(parts->size) *
                          static_cast<double>(std::min(block, parts->size)) / 2;
    return pairs > pairs_over_blocks * (within + work_of_states(p));
}

// Whether a sum up to an index takes fewer operations than all pairs.
bool lowering::pays_up_to_index(const prefix_product& p) const {
    if (!has_small_state(p)) return pays_in_blocks(p);
    const auto parts = p.pairs ? parts_of(graph_, *p.pairs) : std::nullopt;
    return parts && parts->columns >= least_block && !p.summed.empty() &&
           work_of_pairs(p, *parts) > pairs_over_blocks * work_of_states(p);
}

// Whether a sum of pairs is a recurrence of some length, or one of weights that few of the pairs
// have.
bool lowering::pays_along_pairs(const read_fold& sum) {
    if (!is_real(type_)) return false;
    if (const auto d = decayed_sum_of(sum)) return graph_.extent(d->pairs.j) >= least_block;
    const expr_list& all = sum.cases.parts;
    for (std::size_t k = 0; k < all.size(); ++k) {
        const auto& node = graph_[all[k]];
        if (is_softmax(node) && graph_.size(node.over) >= least_block &&
            !softmax_parts(all[k], sum.over, beside_weights(all, k)).empty())
            return true;
    }
    return false;
}

// The sum with the terms of a factor of all pairs apart, where each is then a recurrence once
// tensors of all pairs are written out. None: it is nothing of the kind.
expr lowering::with_terms_apart(expr sum) {
    if (plan_.careful || graph_[sum].kind != kind::sum || !has_conditions()) return expr::none;
    const loop_list over = graph_[sum].over;
    const expr body = graph_[sum].arguments[0];
    if (!products_.written_out(over, body)) return expr::none;
    const auto all = graph_.factors(body);
    const expr_list factors(all.begin(), all.end());
    for (std::size_t k = 0; k < factors.size(); ++k) {
        const auto terms = graph_.terms(factors[k]);
        if (terms.size() < 2) continue;
        expr_list made;
        for (const expr t : expr_list(terms.begin(), terms.end())) {
            auto product = factors;
            product[k] = t;
            const expr part = graph_.sum(over, graph_.multiply(product));
            if (graph_[part].kind != kind::sum) break;
            const auto written =
                products_.written_out(graph_[part].over, graph_[part].arguments[0]);
            if (!written) break;
            const read_fold f = described(written->over, written->body);
            if (!pays_along_pairs(f) && !bound_with_stride(f, true).what) break;
            made.push_back(part);
        }
        if (made.size() == graph_.terms(factors[k]).size()) return graph_.add(made);
    }
    return expr::none;
}

// Whether a sum with the factors of tensors of all pairs in their place need not go over all pairs,
// or none of its parts has to.
bool lowering::pays_written_out(const read_fold& sum) {
    if (const auto p = prefix_product_of(sum)) return pays_up_to_index(*p);
    if (pays_along_pairs(sum) || bound_with_stride(sum, true).what) return true;
    for (std::size_t k = 0; k < sum.cases.parts.size(); ++k) {
        const auto parts = parts_of_fold(sum, k);
        const loop_list related = graph_[sum.cases.parts[k]].indices;
        const auto pays = [&](const read_fold& part) {
            const auto p = prefix_product_of(part);
            return p ? pays_up_to_index(*p)
                     : !looks_at_pairs(graph_.sum(part.over, part.body), related);
        };
        if (!parts.empty() && std::ranges::all_of(parts, pays)) return true;
    }
    return false;
}

// The sum with the factors of a tensor of all pairs in its place, where it is then one up to an
// index that need not go over all pairs.
expr lowering::with_written_out(expr sum) {
    if (plan_.careful || graph_[sum].kind != kind::sum || !has_conditions()) return sum;
    const auto written = products_.written_out(graph_[sum].over, graph_[sum].arguments[0]);
    if (!written || !pays_written_out(described(written->over, written->body))) return sum;
    const expr made = graph_.sum(written->over, written->body);
    if (graph_[made].kind != kind::sum) return sum;
    products_.take(*written);
    return made;
}

// The sum over some columns; over a part of those for each iteration of a loop, if there is one.
expr lowering::sum_of_columns(const prefix_product& p, const moved_loop& columns, loop each) {
    auto alone = without(p.alone, {p.j});
    for (const auto& t : columns.to.terms)
        if (t.over != each) add_loop(alone, t.over);
    return graph_.sum(alone, graph_.moved(graph_.multiply(p.summed), {&columns, 1}));
}

lowering::carried_states lowering::emit_states(const prefix_product& p, const blocks_of_sum& b,
                                               loop block) {
    auto& loops = graph_.loops();
    const auto& parts = b.parts;
    // The last block is needed by what comes behind it alone.
    const std::int64_t blocks = parts.full > 0 ? b.count : b.count - 1;
    std::vector<loop_range> ahead;
    if (parts.head > 0) ahead.push_back(parts.columns_at(0, parts.head));
    if (b.left > 0) ahead.push_back(parts.columns_at(parts.head, b.left));
    const auto before = std::max<std::int64_t>(1, static_cast<std::int64_t>(ahead.size()));
    const std::int64_t all = before + blocks;

    // One state behind the other: sums of the parts first, which are added up then.
    const loop along = loops.fresh(loops.letter(p.j), all);
    auto axes = axis_order(p.state, expr::none);
    axes.insert(axes.begin(), along);
    const auto states = longer_memory(axes, along, 0);
    const auto state = [&](std::int64_t number) {
        return states.at({p.forwards ? number : all - 1 - number, {}});
    };
    if (ahead.empty()) emit_map(state(0), graph_.constant(0));
    for (std::size_t k = 0; k < ahead.size(); ++k)
        write(state(static_cast<std::int64_t>(k)),
              sum_of_columns(p, to_part(graph_, p.j, ahead[k])));
    if (blocks > 0) {
        const loop each = loops.fresh(loops.letter(p.j), blocks);
        moved_loop columns{p.j, {b.first_column(blocks), {}}};
        add_counter(graph_, columns.to, each, b.size);
        add_counter(graph_, columns.to, loops.part(p.j, 0, 1, b.size), 1);
        place at{p.forwards ? before : 0, {}};
        add_counter(graph_, at, each, 1);
        write(states.at(std::move(at)), sum_of_columns(p, columns, each));
    }
    if (all > 1) scan_into(fold::sum, states.whole, graph_.load(states.whole), along, !p.forwards);

    carried_states made;
    place at{p.forwards ? before - 1 : blocks - b.count + 1, {}};
    add_counter(graph_, at, block, 1);
    made.of_blocks = states.at(std::move(at));
    if (parts.head > 0 && b.left > 0) made.of_left = state(0);
    if (parts.full > 0) made.of_full = state(all - 1);
    return made;
}

// target = others * state + beta * target, of some rows.
void lowering::emit_rows_of_state(const prefix_product& p, const access& target,
                                  const moved_loop& row, const access& state, double beta) {
    const expr rows = graph_.moved(graph_.multiply(p.others), {&row, 1});
    const access there = moved(graph_, target, row);
    into(there, graph_.sum(p.later, graph_.multiply({graph_.load(state), rows})), beta);
}

// target = all pairs of a block under the condition + beta * target.
void lowering::emit_pairs(const prefix_product& p, const access& target, const block_of_pairs& b,
                          double beta) {
    place ahead;  // 0 <= ahead
    if (b.i) ahead.add(b.i, p.forwards ? 1 : -1);
    if (b.j) ahead.add(b.j, p.forwards ? -1 : 1);
    ahead.offset = b.strict ? -1 : 0;
    const expr condition = graph_.not_negative(std::move(ahead));
    const moved_loop both[] = {b.row, b.column};
    const expr pairs = graph_.moved(graph_.multiply(together(p.summed, p.others)), both);
    auto summed = without(p.over, {p.j});
    if (b.j) add_loop(summed, b.j);
    const access there = moved(graph_, target, b.row);
    into(there, graph_.sum(summed, graph_.multiply({condition, pairs})), beta);
}

// target = sum + beta * target.
void lowering::emit_in_blocks(const prefix_product& p, const access& target, double beta) {
    blocks_of_sum b;
    b.parts = *parts_of(graph_, *p.pairs);
    b.size = std::min(block_of(p), b.parts.size);
    b.count = b.parts.size / b.size;
    b.left = b.parts.size % b.size;
    const auto& parts = b.parts;

    auto& loops = graph_.loops();
    const loop block = loops.part(p.i, b.first_row(), b.size, b.count);
    const auto states = emit_states(p, b, block);
    if (parts.none > 0 && beta != 1) {
        const auto row = to_part(graph_, p.i, parts.rows_at(0, parts.none));
        const access there = moved(graph_, target, row);
        const expr old = beta == 0 ? graph_.constant(0)
                                   : graph_.multiply({graph_.constant(beta), graph_.load(there)});
        emit_map(there, old);
    }
    if (b.left > 0) {
        const auto row = to_part(graph_, p.i, parts.rows_at(parts.none, b.left)),
                   column = to_part(graph_, p.j, parts.columns_at(parts.head, b.left));
        emit_pairs(p, target, {row, column, only_loop(row), only_loop(column), parts.strict}, beta);
        if (states.of_left) emit_rows_of_state(p, target, row, *states.of_left, 1);
    }
    const loop i = loops.fresh(loops.letter(p.i), b.size), j = loops.part(p.j, 0, 1, b.size);
    moved_loop row{p.i, {b.first_row(), {}}}, column{p.j, {b.first_column(b.count), {}}};
    for (auto* m : {&row, &column}) add_counter(graph_, m->to, block, b.size);
    add_counter(graph_, row.to, i, 1);
    add_counter(graph_, column.to, j, 1);
    const bool moves = b.size > 1;
    emit_pairs(p, target,
               {row, column, moves ? i : loop::none, moves ? j : loop::none, parts.strict}, beta);
    emit_rows_of_state(p, target, row, states.of_blocks, 1);
    if (states.of_full) {
        const auto last = parts.rows_at(parts.none + parts.size, parts.full);
        emit_rows_of_state(p, target, to_part(graph_, p.i, last), *states.of_full, beta);
    }
}

}  // namespace ricci::plan
