// What a plan is a list of: assignments over named loops, and groups of them that run as one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <ricci/ir/program.hpp>

#include "src/plan/pool/expression.hpp"
#include "src/plan/pool/loops.hpp"
#include "src/plan/schedule/matrix_task.hpp"
#include "src/steps/fused.hpp"

namespace ricci::plan {

/// What an assignment is, and which of its fields mean something.
enum class assignment_kind : std::uint8_t {
    contract,  // body: a product of two loads or gathers of loads, each perhaps conjugated; loads
               // perhaps with edges
    map,       // body: element-wise; folded where `folding` says so
    gather,    // body: a load of another type, or a gather of loads
    lookups,   // body: a product of loads and gathers of loads, or a constant; of another fold
               // than a sum a load, which is `scattered`
    scatter,  // target += body, a load, in any order; an element may be reached any number of times
    matrix,   // body: a load of matrices, or of their factors; `matrix` says what is made of them
    extremum,  // body: a load. The target has whole numbers of 32 bits: the place along the loop
               // of `over` where the value is that `folding` gives, a maximum or a minimum; the
               // first of equals
    scan,  // body: a load. Each element is the fold of all up to it along `along`, or from it on
           // where it runs backwards; with a decay target = body + decay * the target before
};

/// For all `loops`: target = scale * fold over `over` of body + beta * target. The target is not
/// read where beta is 0.
struct assign {
    ir::ref equation = ir::none;
    assignment_kind kind = assignment_kind::map;
    access target;
    loop_list loops;  // those of the target; of a scatter all
    fold folding = fold::none;
    loop_list over;
    expr body;
    expr scale;       // contract: a number, of constants and single elements
    double beta = 0;  // contract; lookups: 0 or 1
    // lookups: this loop of the target is where `numbers` say, and nowhere where they are no place
    // of it; none: the target has no such loop.
    loop scattered;
    expr numbers;
    loop along;               // scan: one of `loops`
    bool backwards = false;   // scan: from the last one on
    expr decay;               // scan of a sum: a load, which is not read where the scan begins
    bool logarithms = false;  // of the decay, which is exp of what is loaded
    matrix_part matrix = {};
    expr right;  // matrix: a load, the right-hand sides
    // A product under a bracket is one by zeros here: where what it writes is no number, something
    // may have come through that the bracket excludes.
    bool hides = false;
};

/// One of an equation that is still without a body.
inline assign begun(ir::ref equation, assignment_kind kind, const access& target) {
    assign made;
    made.equation = equation;
    made.kind = kind;
    made.target = target;
    made.loops = loops_of(target);
    return made;
}

/// target = the body, or a fold of it.
inline assign map_into(ir::ref equation, const access& target, expr body, fold folding = fold::none,
                       const loop_list& over = {}) {
    assign made = begun(equation, assignment_kind::map, target);
    made.folding = folding;
    made.over = over;
    made.body = body;
    return made;
}

/// target = scale * the sum over loops of a product + beta * target.
inline assign contract_into(ir::ref equation, const access& target, expr product,
                            const loop_list& over, expr scale, double beta = 0) {
    assign made = begun(equation, assignment_kind::contract, target);
    made.folding = fold::sum;
    made.over = over;
    made.body = product;
    made.scale = scale;
    made.beta = beta;
    return made;
}

/// The factors of a body of lookups.
inline expr_list lookup_factors(const graph& values, expr body) {
    const auto& node = values[body];
    if (node.kind == kind::constant) return {};
    if (node.kind == kind::operation) return node.arguments;
    return {body};
}

/// Calls visit(access) for every tensor that the right side of an assignment reads, once each.
template <class F>
void for_each_load(const graph& values, const assign& a, F visit) {
    values.for_each_load({a.body, a.scale, a.numbers, a.decay, a.right}, visit);
}
template <class F>
bool any_load(const graph& values, const assign& a, F is) {
    return values.any_load({a.body, a.scale, a.numbers, a.decay, a.right}, is);
}
template <class F>
bool all_loads(const graph& values, const assign& a, F are) {
    return values.all_loads({a.body, a.scale, a.numbers, a.decay, a.right}, are);
}

/// A loop of a fused group. Tiles span rows and columns of one batch.
struct group_loop {
    loop what;
    loop_role role = loop_role::batch;
};

inline bool has_loop(const std::vector<group_loop>& loops, loop l) {
    return std::ranges::find(loops, l, &group_loop::what) != loops.end();
}
/// The loops of a role, in their order, and all others.
inline loop_list loops_of(const std::vector<group_loop>& loops, loop_role role) {
    loop_list found;
    for (const group_loop& l : loops)
        if (l.role == role) found.push_back(l.what);
    return found;
}
inline loop_list loops_beside(const std::vector<group_loop>& loops, loop_role role) {
    loop_list found;
    for (const group_loop& l : loops)
        if (l.role != role) found.push_back(l.what);
    return found;
}

/// Where a tensor is read or written, its loops beside the group's left out.
inline short_list<place, 4> places_in(const std::vector<group_loop>& loops, const access& a) {
    auto at = a.at;
    for (place& p : at) erase_if(p.terms, [&](const term& t) { return !has_loop(loops, t.over); });
    return at;
}

/// What an assignment is in its group: products, operations on their tiles, and results, in the
/// order in which a group runs them.
enum class member_kind : std::uint8_t {
    product,   // tile = scale * sum of a product of what lacks columns and what lacks rows
    distance,  // tile = sum of a squared difference of two such
    weights,   // tile = softmax over the columns, exact in the end only: what is summed with it is
               // rescaled while the maximum rises
    log_sum,   // a result of rows: logsumexp over the columns of what the weights before it are of
    maximum,   // a result of rows: the largest of what the weights before it are of
    excess,    // a result of rows: by how much the logsumexp is larger than that
    largest,   // behind that: the largest of the weights themselves
    recomputed,  // tile = exp(x - maximum) * largest, of an earlier group: these weights again, 0
                 // in rows whose maximum is -infinity. Large scores leave a logsumexp no room for
                 // the logarithm of a sum, so that exp(x - logsumexp) would be anything
    tile,        // tile = body
    rows,        // a result of rows: a sum over all columns of body, a tile times at most one load,
                 // or another fold of a tile
    columns,     // a result of columns: the same over all rows
    ties,        // behind a maximum or minimum of rows or columns: how many values equal it
    place,       // behind such a one: where it stands, as of an assignment of the kind `extremum`
    pairs,       // a tile written as it is, perhaps summed over loops of the batch
    added,       // target += body, where rows and columns that differ may reach one element
};

/// Whether it is a result of rows that the operation of the weights before it gives.
constexpr bool is_found_with_weights(member_kind k) {
    return k == member_kind::log_sum || k == member_kind::maximum || k == member_kind::excess ||
           k == member_kind::largest;
}

/// Whether it is found with the result before it.
constexpr bool is_beside_extremum(member_kind k) {
    return k == member_kind::ties || k == member_kind::place;
}

enum class stage : std::uint8_t { product, operation, result };
constexpr stage stage_of(member_kind k) {
    return k <= member_kind::distance ? stage::product
           : k <= member_kind::tile   ? stage::operation
                                      : stage::result;
}
/// Whether it makes a tile of two tensors that lack columns and rows; a tile of whatever.
constexpr bool is_product(member_kind k) { return stage_of(k) == stage::product; }
constexpr bool makes_tile(member_kind k) {
    return stage_of(k) != stage::result && !is_found_with_weights(k);
}

struct member {
    member_kind kind = member_kind::tile;
    assign what;
    slot_number weights;  // rows: the tile of the weights that the body is proportional to
    access of;            // what gives a result: the tensor whose tile it is, as written
    // A tile that another group makes again and compares with an extremum of it: it has to have the
    // same bits there.
    bool pinned = false;
};

/// Assignments that run tile by tile. It means: run the members in order, and store everything,
/// tiles too. Tiles are touched at the group's loops, by members alone.
struct fused {
    ir::ref equation = ir::none;
    std::vector<group_loop> loops;
    std::vector<member> members;
    std::vector<ir::ref> equations;  // that it carries out
    std::vector<access> unstored;    // tensors that are tiles only
    double flops = 0;
    double saved_bytes = 0;  // of those
    bool hides = false;
};

/// A product that two groups make of the same factors: its tile in each.
struct kept_tile {
    slot_number first, second;
};

/// Two groups over the same loops, and the sums of rows between them, a block of rows at a time.
/// For each row the sums need nothing of the first group but what it gives for that row, and the
/// second nothing of both but that. The first group sums over columns only. All loops are the first
/// group's.
struct chained {
    fused first;
    std::vector<assign> between;  // number * the sum over own loops of a product of two loads
    fused second;
    std::vector<kept_tile> kept;
};

}  // namespace ricci::plan
