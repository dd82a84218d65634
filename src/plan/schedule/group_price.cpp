// What a fused group costs.
#include "src/plan/schedule/group_price.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "src/plan/schedule/nominal_core.hpp"

namespace ricci::plan {
namespace {

double vectors_of(const tile_operation& made, const numbers& of) {
    // The largest score, the weights and their sum; of those made again the weights alone.
    double vectors = made.kind == operation_kind::values ? 0 : price_of(opcode::exp, of) + 1;
    if (made.kind == operation_kind::weights) vectors += 2;
    for (const auto& i : made.program)
        if (arity(i.code) > 0) vectors += price_of(i.code, of);
    return vectors;
}

// Rows of lanes, and of a tile; of a block of pairs in registers, whose products have few terms.
constexpr double lanes_of_rows = 16, rows_of_tile = 48, rows_of_block = 32, few_terms = 8;
// So few rows are read where they lie, by groups that fold columns alone.
constexpr double narrow_rows = 8;
// To add to a sum over rows is more than to move it.
constexpr double moves_of_addition = 3.2, moves_of_operation = 2;
// What a plane that is stored moves, with what is saved by the way; and of what is computed.
constexpr double moves_of_plane = 7.5, moves_of_cycle = 0.125;

double rounded_up(double x, double multiple) { return std::ceil(x / multiple) * multiple; }

/// Vectors' operations on a pair; those of a softmax are as many where it is stored.
double operated(const fused_group& group, bool with_softmax) {
    const numbers of(group.type);
    double vectors = 0;
    for (const auto& o : group.operations)
        if (with_softmax || o.kind == operation_kind::values) vectors += vectors_of(o, of);
    return vectors;
}

/// What rows and columns move, each once for a tile.
struct moved_values {
    double packed = 0, of_columns = 0;
};

moved_values values_of(const fused_group& group) {
    moved_values all;
    for (const auto& p : group.products) all.packed += iterations_of(p.contracted);
    for (const auto& c : group.consumers) {
        const double values = iterations_of(c.values);
        if (c.b >= 0) all.packed += values;
        // Vectors of them, however few they are.
        if (c.summed == loop_role::row) all.of_columns += rounded_up(values, lanes_of_rows);
    }
    return all;
}

}  // namespace

group_price price_of(const fused_step& step) {
    const fused_group& group = step.group;
    const numbers of(group.type);
    double multiplied = 0, operated = 0;
    const double pairs = iterations_of(group.loops);
    for (const auto& p : group.products)
        multiplied += (p.is_distance ? 2 : 1) * iterations_of(p.contracted);
    for (const auto& c : group.consumers) {
        if (c.b >= 0) multiplied += iterations_of(c.values);
        else operated += static_cast<double>(numbers_carried(c));
    }
    for (const auto& o : group.operations) operated += vectors_of(o, of);
    const double a_cycle = of.lanes * vectors_a_cycle;
    return {pairs * multiplied * of.multiplications / a_cycle, pairs * operated / a_cycle,
            step.bytes / bytes_a_cycle};
}

bool pair_price::is_dearer_than_storing() const {
    return moved > std::max(moves_of_plane, moves_of_cycle * cycles);
}

pair_price price_of_pair(const fused_step& step) {
    const fused_group& group = step.group;
    const double pairs = iterations_of(group.loops);
    double rows = 1, columns = 1;
    for (const auto& l : group.loops) {
        if (l.axis == loop_role::row) rows *= static_cast<double>(l.extent);
        if (l.axis == loop_role::column) columns *= static_cast<double>(l.extent);
    }
    if (pairs == 0) return {};
    const moved_values values = values_of(group);
    const auto folds_columns = [](const tile_consumer& c) { return c.summed == loop_role::column; };
    const bool narrow = rows <= narrow_rows && std::ranges::all_of(group.consumers, folds_columns);
    const auto is_short = [](const tile_product& p) {
        return iterations_of(p.contracted) <= few_terms;
    };
    const bool block = rows >= lanes_of_rows && std::ranges::all_of(group.products, is_short);
    const double packed =
        narrow ? 0 : values.packed * rounded_up(rows, lanes_of_rows) / rows / columns;
    const double tiles = std::ceil(rows / rows_of_tile) / rows - 1 / rows_of_tile;
    const double idle = std::max(rows, block ? rows_of_block : lanes_of_rows) / rows - 1;
    const double on_idle = operated(group, rows == 1) / lanes_of_rows * idle;
    const auto [products, element_wise, memory] = price_of(step);
    return {packed + moves_of_addition * values.of_columns * tiles + moves_of_operation * on_idle,
            (products + element_wise) / pairs};
}

}  // namespace ricci::plan
