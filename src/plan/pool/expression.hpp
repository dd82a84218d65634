// The planner's own form of right sides: one pool for a plan, in which equal expressions are one
// node, constants are folded, and quotients are products. A tensor is read axis by axis; strides
// come with emission.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <ricci/ir/program.hpp>
#include "src/base/hashed_numbers.hpp"
#include "src/base/number_of.hpp"
#include "src/base/short_list.hpp"
#include "src/base/small_map.hpp"
#include "src/base/stable_list.hpp"
#include "src/plan/pool/loops.hpp"
#include "src/plan/pool/slot_number.hpp"
#include "src/plan/pool/whole_interval.hpp"
#include "src/steps/map.hpp"

namespace ricci::plan {

using namespace steps;

/// Both are numbered as in the table of functions.
constexpr opcode code_of(ir::function f) {
    return static_cast<opcode>(first_function + static_cast<int>(f));
}

struct expression;
class graph;
/// The number of an expression in its graph.
using expr = number_of<expression>;
using expr_list = short_list<expr, 4>;
/// A list that lies elsewhere.
using expr_span = std::span<const expr>;
inline expr_list list_of(expr_span all) { return {all.begin(), all.end()}; }

/// A loop and how far a place moves when it advances by one.
struct term {
    loop over;
    std::int64_t factor = 0;
    bool operator==(const term&) const = default;
};

/// What is read at a place of an axis that is not within the bounds of the place.
enum class edge : std::uint8_t {
    none,     // the place has no bounds: it is always one of the axis
    zero,     // 0, a number like others: times infinity it is none
    nothing,  // 0, and so is the product that it is a factor of, whatever the other factors are
    clamp,    // what is at the nearer bound
    wrap,     // the places within the bounds again, as on a ring
};
/// Whether there is 0 beyond it.
constexpr bool is_empty(edge e) { return e == edge::zero || e == edge::nothing; }

/// offset + sum of factor * loop: where an axis is read or written, or a position as a number.
/// Sorted by loop; without factors of 0 and loops of extent 1, so that the loops listed are those
/// which the value depends on. Of an axis no value is below 0, and none beyond its extent, but
/// where the place has an edge: there the values from `low` to `high` are such.
struct place {
    std::int64_t offset = 0;
    short_list<term, 2> terms;
    plan::edge edge = plan::edge::none;
    std::int64_t low = 0, high = 0;
    bool operator==(const place&) const = default;

    std::int64_t factor(loop l) const;
    /// Adds a multiple of a loop, or of another place.
    void add(loop l, std::int64_t factor);
    void add(const place& other, std::int64_t factor);
    /// The sum with such a multiple, and the place without what a loop adds.
    place plus(const place& other, std::int64_t factor = 1) const;
    place without(loop) const;
};

/// Elements of a slot, one for each combination of loops: a place for each axis. An axis along
/// which the memory does not move is read at its first place.
struct access {
    slot_number slot;
    short_list<place, 4> at;
    ir::range positions{0, -1};  // as written, for words
};

/// Loops and those that take their place; others stay.
using loop_map = std::vector<std::pair<loop, loop>>;
loop renamed(loop, const loop_map&);
loop_list renamed(loop_list, const loop_map&);
place renamed(const place&, const loop_map&);
access renamed(const access&, const loop_map&);

/// Whether an axis is read by one loop as it is, or at its first place.
bool is_whole_axis(const place&);

/// The loop that the place is, as it is: i, not i + 1; none: it is another place.
loop loop_at(const place&);

/// The place as if its axis went on.
place without_edge(place);

/// Whether any of its places has an edge; this one.
bool has_edge(const access&);
bool has_edge(const access&, edge);

/// A loop, and what stands in its place: 2i + 1, where one of two loops or a part of it is meant, a
/// place with an edge, or instead of a place the number that a tensor says.
struct moved_loop {
    loop what;
    place to;
    expr number{};
};
using moved_loops = std::span<const moved_loop>;

loop_list loops_of(const access&);
/// Whether these are all elements of a tensor of these extents, each axis by a loop of its own, or
/// of one place.
bool is_whole_tensor(const graph&, const access&, const std::vector<std::int64_t>& extents);
/// The same as an address: offset and strides in elements.
place address_of(const access&, const std::vector<std::int64_t>& strides);
/// The same where a place with an edge lies within: how the elements there follow each other.
place inner_address_of(const access&, const std::vector<std::int64_t>& strides);

/// What messages call an axis that is read where a tensor says, of those in `program_plan`.
struct lookup_words;
/// An axis that is read where a tensor says.
struct lookup_axis {
    std::int32_t axis = -1;
    number_of<lookup_words> words{};  // which it is: of the first equation that reads it so
    bool may_stray = false;  // of lookups or a contraction: where it is no place, the product is 0
    bool operator==(const lookup_axis& other) const {
        return axis == other.axis && may_stray == other.may_stray;
    }
};

enum class kind : std::uint8_t {
    constant,   // value
    load,       // source
    gather,     // source, at the value of each argument along an axis, as `lookups` say; where one
                // argument more is 0, nobody wants the value and the places need not exist; in a
                // contraction it is 0 there
    position,   // `at`, as a number
    operation,  // code; its arguments (add and multiply: any number of them)
    sum,        // over `over` of a product whose order is still open
    fold,       // folding over `over` of an element-wise body, in one step
};

struct expression {
    plan::kind kind = kind::constant;
    opcode code = opcode::constant;  // of an operation; nothing else has another one
    fold folding = fold::none;
    double value = 0;
    access source;
    place at;
    std::vector<lookup_axis> lookups;  // gather: one for each argument but the last of more
    expr_list arguments;
    loop_list over;
    loop_list indices;       // what the value depends on
    loop_list bound;         // by sums and folds below, or here: once on each way down
    bool sums = false;       // a sum is somewhere below, or here
    bool edged = false;      // a place with an edge is somewhere below, or here
    bool condition = false;  // load, gather: of a tensor that is 1 or 0 everywhere
    expr widest;             // the load below that has most indices
    expr self;               // its own number: what a list of it alone refers to

    /// Whether a gather says for whom something is looked up.
    bool has_condition() const { return arguments.size() > lookups.size(); }
};

/// Whether an operation compares two values.
constexpr bool is_comparison(opcode code) {
    return code >= opcode::less && code <= opcode::not_equal;
}
inline bool is_comparison(const expression& e) { return is_comparison(e.code); }
inline bool is_softmax(const expression& e) {
    return e.kind == kind::fold && e.folding == fold::softmax;
}

/// The loop that it is the position of; none: it is something else.
inline loop loop_at(const expression& e) {
    return e.kind == kind::position ? loop_at(e.at) : loop::none;
}

/// The expressions of a plan. They do not change and do not move. Constructors know their arguments
/// and what is said of all expressions before the first, so that one value has one number.
class graph {
public:
    /// What is computed in.
    void set_type(element type) { type_ = type; }
    element type() const { return type_; }
    /// Whether conditions between places are solved, so that what they pick is read there.
    bool solves_places() const { return solves_places_; }
    void set_solves_places(bool solves) { solves_places_ = solves; }
    /// Whether all squared distances are sums of squared differences.
    bool exact_distances() const { return exact_distances_; }
    void set_exact_distances(bool exact) { exact_distances_ = exact; }
    /// From here on sums that are factors of a sum stay what they are, for others that need them;
    /// and `as_written` no condition is solved, so that a value is the same wherever it stands.
    /// `whole`: a factor that is a sum of terms is one factor, as a right-hand side u^i - w^k.
    void keep_sums(bool as_written, bool whole) {
        joins_sums_ = false;
        distributes_ = !whole;
        solves_places_ = solves_places_ && !as_written;
    }
    /// Once it is known what equations have in common: see `settled_sums`.
    void settle_sums(bool solves_places);
    /// Which slots the plan makes itself, and may make tile by tile instead of storing them.
    void set_made(std::vector<bool> slots) { made_ = std::move(slots); }
    loop_table& loops() { return loops_; }
    const loop_table& loops() const { return loops_; }
    /// A function that changes no number of this element type.
    bool is_identity(ir::function f) const {
        namespace types = detail::function_types;
        return (ir::says(f, types::keeps_reals) && !is_complex(type_)) ||
               (ir::says(f, types::keeps_whole) && is_integer(type_));
    }

    const expression& operator[](expr e) const { return nodes_[e.index()]; }
    std::int64_t extent(loop l) const { return loops_.extent(l); }
    double size(const loop_list& loops) const { return loops_.size(loops); }

    expr constant(double value);
    expr number(std::int64_t whole) { return constant(static_cast<double>(whole)); }
    expr load(access source, bool condition = false);
    /// `wanted`: conditions; where one is false the value does not count. `condition`: it picks
    /// elements of a tensor that is 1 or 0 everywhere.
    expr gather(access source, std::vector<lookup_axis> lookups, expr_list numbers,
                expr_span wanted = {}, bool condition = false);
    /// The same gather of other numbers; as many as it had.
    expr regathered(expr gather, expr_list arguments);
    expr regathered(expr gather, expr_list arguments, access source,
                    std::vector<lookup_axis> lookups);
    expr position(place at);
    expr apply(opcode code, expr first, expr second = expr::none, expr third = expr::none);
    expr add(expr_span terms);
    expr multiply(expr_span factors);
    expr add(std::initializer_list<expr> terms) { return add(expr_span(terms)); }
    expr multiply(std::initializer_list<expr> factors) { return multiply(expr_span(factors)); }
    expr power(expr base, expr exponent);
    /// The sum, mean, ... of `body` over `over`; recognises what a contraction computes better.
    expr reduce(ir::reduction r, loop_list over, expr body);
    /// A sum, or a fold where no condition between places is left that is solved.
    expr folded(fold folding, loop_list over, expr body);
    /// A fold that runs as one step.
    expr row(fold folding, loop_list over, expr body);
    expr sum(loop_list over, expr body);
    /// The same where a sum that is a factor of another one has joined that: the order of all its
    /// products is then chosen together. And where conditions are solved.
    expr settled_sums(expr e);
    /// The same of other arguments, made anew.
    expr remade(expr e, expr_list arguments);

    /// The same with other loops, and nothing else changed: not the order of terms and factors.
    expr renamed(expr e, const loop_map& loops);
    /// The same where loops are elsewhere, made anew: what is 0 there beyond an edge, or under a
    /// bracket that does not hold there, is left out. What is read where a number says is 1 where
    /// it says no place. None: some place has no form then. `covered`, if given, is set where the
    /// whole is 0 beyond the edge of what stands in a loop's place.
    expr moved(expr e, moved_loops loops, bool* covered = nullptr);
    expr moved(expr e, const moved_loop& m) { return moved(e, {&m, 1}); }
    /// Whether a factor that is `now` where loops are elsewhere makes its product 0 there, whatever
    /// the other factors are: a bracket that is false, or what lies wholly beyond such an edge.
    bool vanishes(expr before, expr now) const;
    /// The condition that a place is 0 or more.
    expr not_negative(place p) {
        return apply(opcode::less_equal, constant(0), position(std::move(p)));
    }
    /// Conditions that a place, its edge aside, is within bounds.
    expr_list within(const place&, std::int64_t low, std::int64_t high);
    /// The condition that a number is a place of an axis, if that is a whole number.
    expr is_place(expr number, std::int64_t extent);
    /// The least and the largest value of a place, its edge aside.
    whole_interval reach(const place&) const;
    /// The places of an axis that are read there: within the bounds, where it has an edge.
    whole_interval bounds(const place& p) const {
        return p.edge == edge::none ? reach(p) : whole_interval{p.low, p.high};
    }
    /// The same with `replaced(part)` in the place of a part, where that is an expression.
    expr substituted(expr e, const std::function<expr(expr)>& replaced);
    /// An operation on values that were rounded each on their own: not simplified any further.
    expr as_written(opcode code, expr_list arguments);
    /// Calls visit(access) for every load, gathers too, once each. No expression has none.
    template <class F>
    void for_each_load(const expr_list& of, F visit) const {
        ++visit_;
        marks_.resize(nodes_.size(), 0);
        visit_loads(of, visit);
    }
    /// Whether `is(access)` of any load, gathers too; of all of them.
    template <class F>
    bool any_load(const expr_list& of, F is) const {
        bool any = false;
        for_each_load(of, [&](const access& from) { any = any || is(from); });
        return any;
    }
    template <class F>
    bool all_loads(const expr_list& of, F are) const {
        return !any_load(of, [&](const access& from) { return !are(from); });
    }

    /// Whether there are both maxima or minima and comparisons for equality.
    bool compares_extrema() const { return has_extremum_ && has_equality_; }
    /// Whether there are comparisons: where there are none, no sum or fold is under a condition on
    /// places.
    bool compares() const { return has_comparison_; }
    /// A value that comes to stand where these are bound, of which it binds none: what it binds of
    /// them has other loops.
    expr apart(const loop_list& over, expr body);
    /// Whether no sum or fold binds a loop that something in it binds, too.
    bool binds_once() const;

    bool is_constant(expr e, double value) const;
    bool is_scalar(expr e) const { return (*this)[e].indices.empty(); }
    /// Whether it is a condition as a number, 1 or 0: an Iverson bracket. Where it is 0, the
    /// product that it is a factor of is 0, whatever the other factors are.
    bool is_bracket(expr e) const;
    bool has_bracket(expr product) const;
    /// Whether it is a bracket, or a product of nothing else.
    bool is_condition(expr e) const;
    /// What holds where a condition does not.
    expr opposite(expr condition);
    /// The factors of a product, or `e` alone.
    expr_span factors(expr e) const { return parts_of(opcode::multiply, e); }
    /// Whether it is a sum of two terms of which one is taken away.
    bool is_difference(expr e) const {
        const auto all = terms(e);
        return all.size() == 2 && is_subtracted(all[0]) != is_subtracted(all[1]);
    }
    /// The terms of a sum of terms, or `e` alone.
    expr_span terms(expr e) const { return parts_of(opcode::add, e); }

private:
    /// What is found once of each expression.
    using memo = small_map<expr, expr, 8>;

    expr moved(expr e, moved_loops loops, memo& known, bool* covered);
    expr moved_read(expr e, moved_loops loops, memo& known, bool* covered);
    expr moved_position(place at, moved_loops loops);
    expr moved_fold(expr e, moved_loops loops, memo& known);
    expr moved_operation(const expression& node, moved_loops loops, memo& known, bool* covered);
    expr compared_positions(opcode code, expr first, expr second);
    expr negated(expr condition);
    expr chosen(expr condition, expr value, expr otherwise);
    expr intern(expression&& node);
    expr find(std::uint64_t hash, const expression& node);
    expr keep(std::uint64_t hash, expression&& node);
    expr renamed(expr e, const loop_map& loops, memo& known);
    expr bound_elsewhere(expr e, const loop_list& taken, const loop_list& others, memo& known);
    expr looked_up(expr read, const moved_loop& m);
    expr substituted(expr e, const std::function<expr(expr)>& replaced, memo& known);
    bool is_subtracted(expr term) const {
        const auto& first = (*this)[factors(term)[0]];
        return first.kind == kind::constant && first.value < 0;
    }
    expr_span parts_of(opcode code, expr e) const {
        const auto& node = (*this)[e];
        if (node.code == code) return node.arguments;
        return {&node.self, 1};
    }
    template <class F>
    void visit_loads(expr_span of, F& visit) const {
        for (const expr e : of) {
            if (!e || std::exchange(marks_[e.index()], visit_) == visit_) continue;
            const auto& node = (*this)[e];
            if (node.kind == kind::load || node.kind == kind::gather) visit(node.source);
            visit_loads(node.arguments, visit);
        }
    }
    /// A product over more loops than any one factor has: better contracted than folded.
    bool expands(expr product) const;
    /// base^times by repeated squares.
    expr raised(expr base, std::int64_t times);
    expr distributed(const loop_list& over, expr body);
    expr about_mean(const loop_list& over, expr body);
    expr with_inner(const loop_list& over, expr body);
    expr settled_sums(expr e, memo& known);
    bool keeps_difference(const loop_list& over, expr product, expr bracket) const;
    bool is_made(expr e) const;

    expr sum_of_positions(expr_span terms, double constants);
    expr quotient(expr numerator, expr denominator);
    expr holds_somewhere(expr_span conditions, const loop_list& indices);
    expr exists(expr condition, const loop_list& others);
    bool folds(opcode code, double argument) const;

    loop_table loops_;
    element type_ = element::f64;
    bool has_extremum_ = false, has_equality_ = false, has_comparison_ = false;
    bool solves_places_ = true;
    bool joins_sums_ = true, distributes_ = true, settles_all_ = false;
    bool exact_distances_ = true;
    stable_list<expression, 32> nodes_;
    hashed_numbers known_;  // of the nodes
    std::vector<bool> made_;
    mutable std::vector<std::int32_t> marks_;
    mutable std::int32_t visit_ = 0;
};

/// The place without an edge where it stays within its bounds, or is beyond them and the same
/// everywhere; nothing where what is read there is 0.
std::optional<place> settled(const graph&, place);

/// The place when a loop is elsewhere; nothing where that has no form. `beyond` is set where the
/// place is beyond its edge wherever `to` is.
std::optional<place> moved(const graph&, const place&, const moved_loop&, bool* beyond = nullptr);

/// The loops by how far a place moves with them, the furthest first.
loop_list by_stride(loop_list, const place&);

/// Whether no element is reached by both: along some axis their places lie apart.
bool are_apart(const graph&, const access& a, const access& b);

}  // namespace ricci::plan
