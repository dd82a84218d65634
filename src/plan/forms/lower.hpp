// From the planner's expressions to assignments: what is contracted, what is one element-wise pass,
// and what has to be stored in between.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "src/base/small_map.hpp"
#include "src/path/path.hpp"
#include "src/plan/pool/definitions.hpp"
#include "src/plan/pool/expression.hpp"
#include "src/plan/forms/matrix_factors.hpp"
#include "src/plan/forms/recomputed.hpp"
#include "src/plan/schedule/plan.hpp"
#include "src/plan/pool/semiseparable.hpp"
#include "src/plan/forms/triangle_parts.hpp"
#include "src/plan/forms/written_products.hpp"

namespace ricci::plan {

/// An input or an intermediate of another type, all of it converted.
struct converted_input {
    slot_number from, to;
    element type = element::f32;
    bool condition = false;
};

/// What is known of the tensors of a plan.
struct known_tensors {
    known_tensors(program_plan& plan, const std::set<slot_number>& stored)
        : defined(plan.values), recomputed(plan, defined), products(plan, stored) {}

    definitions defined;
    recomputed_differences recomputed;
    written_products products;
    factor_table factors;
    std::vector<converted_input> converted;
};

/// Appends the assignments of one equation to a plan.
class lowering {
public:
    /// `order`: the indices of the left side as written; temporaries' axes follow it. `type`: what
    /// is computed with, and what steps on the way store; the plan's, or float for a plan of a
    /// 16-bit type.
    lowering(program_plan& plan, known_tensors& known, ir::ref equation, loop_list order,
             element type)
        : plan_(plan),
          graph_(plan.values),
          known_(known),
          products_(known.products),
          equation_(equation),
          order_(std::move(order)),
          type_(type) {}

    /// target = value + beta * target.
    void into(const access& target, expr value, double beta);

    /// value in memory of its own, with an axis for each of its loops, or of these, of the type that
    /// is computed with.
    access computed(expr value);
    access computed(const loop_list& loops, expr value);
    /// target = what `computed` has given, rounded to the type of the target.
    void convert(const access& value, const access& target);

    /// A function of matrices whose rows and columns are loops, in matrix_steps.cpp. `matrix` and
    /// `right` are read where they are, or stored first.
    struct matrix_function {
        ir::reduction what = ir::reduction::solve;
        expr matrix, right;
        loop row, column;
        std::string words = {};  // where the matrix stands, for a message
        bool symmetric = false;  // by how it is written
    };
    void matrix_into(const matrix_function& f, const access& target);
    /// The same in memory of its own.
    expr matrix_value(const matrix_function& f, const loop_list& indices);
    /// The place of an extremum of a value along a loop.
    struct place_of_extremum {
        bool largest = true;
        loop along;
        expr value;
    };
    void place_into(const place_of_extremum& p, const access& target);
    /// The memory that holds a sum or a fold of what was lowered, or none.
    expr in_memory(expr e) const {
        const auto found = stored_.find(e);
        return found == stored_.end() ? expr::none : found->second;
    }

    /// Whether a product under a bracket became one by zeros, which do not hide what is no number.
    bool hides() const { return hides_; }

private:
    /// A contraction of two stored operands: scale * sum over `over`.
    struct contraction_of {
        expr a;
        expr b;
        loop_list over;
        expr scale;
        bool conjugate_a = false, conjugate_b = false;
        bool hides = false;  // a bracket is part of an operand, and the other one is not under it
    };
    /// What a sum turned out to be: a contraction yet to be written somewhere, or `value`.
    struct resolved {
        bool contracted = false;
        contraction_of product;
        expr value;
    };

    struct terms_by_way;
    bool is_in_another(expr sum, const expr_list& terms) const;
    bool is_sum_into(const access& target, expr term) const;
    bool is_placed_apart(expr sum, terms_by_way& found);
    void add_resolved(expr sum, terms_by_way& found);
    bool is_written_alone(const access& target, expr term, double beta, terms_by_way& found);
    void write_rest(const access& target, const terms_by_way& found, double beta);
    void write_fold(const access& target, const expression& what);

    // What sums come to, in lower_sums.cpp.
    expr other_form(expr sum);
    expr beside_scatter(expr sum);
    loop_list sum_lone_loops(expr_list& factors, const loop_list& over);
    // In weighted_distances.cpp.
    bool is_difference_of_pairs(expr e, const loop_list& over) const;
    expr weighted_distance(const loop_list& over, expr body);
    resolved resolve(expr sum);
    bool multiplies_matrices(expr left, expr right, const loop_list& summed);
    contraction_of contraction(expr left, expr right, const loop_list& summed, expr scale);
    resolved contracted(expr_list factors, const loop_list& over, expr scale);

    // Folds of values that land where numbers say, in landings.cpp.
    /// What is under [v = x_i], with v free, lands at v.
    struct landing {
        loop axis;     // v
        expr numbers;  // x_i
        expr test;     // the equality
    };
    struct landed_fold {
        std::vector<landing> at;
        guarded rest;
    };
    std::optional<landing> landing_in(expr test, const loop_list& over) const;
    bool lands(std::size_t k, const landing& there, const loop_list& over, landed_fold& found);
    std::optional<landed_fold> landed(fold folding, const loop_list& over, expr body);
    std::optional<landed_fold> landed(expr sum);
    expr landed_before_read(const loop_list& over, expr body);
    std::vector<landing> by_axis(const landed_fold& f) const;
    bool lands_together(expr sum);
    expr flat_number(const landed_fold& f) const;
    bool is_in_memory_as(expr e, element type) const;
    expr landed_in_turn(const loop_list& over, const landed_fold& f);
    expr landed_together(fold folding, const loop_list& over, const landed_fold& f);
    expr fold_of(fold folding, const loop_list& over, const landed_fold& f);
    expr landed_logarithm(const loop_list& over, landed_fold f);
    bool fold_landed(fold folding, const loop_list& over, expr body, const access& target);

    /// Rows added up where all numbers are sums of positions.
    struct scattered_sum {
        std::vector<landing> axes;
        std::vector<plan::place> at;
        expr rows;
        loop_list by_number;  // the loops of the numbers
    };
    std::optional<place> place_on(loop axis, expr numbers) const;
    bool is_scatter(expr sum, scattered_sum& found);
    void emit_scatter(const scattered_sum& s, const access& target, double beta);
    expr before(const access& target, double beta);
    void scale_target(const access& target, double beta);

    // Sums with lookups, in lookup_sums.cpp.
    /// A sum of products that are read, or added up, where tensors say; what it gives is multiplied
    /// by `beside` and summed over `later`, if there are any.
    struct lookup_sum {
        loop axis;           // that is added up at, or none
        expr numbers;        // where
        expr_list landings;  // conditions that numbers of factors are places
        expr_list implied;   // they, and that there is a place to add at
        expr_list factors;
        expr scale;  // a number
        loop_list over;
        expr_list beside;
        loop_list later;
    };
    bool can_look_up(expr gather, const expr_list& implied) const;
    expr lands(expr gather, std::size_t k) const;
    expr_list taken_landings(expr_list& factors) const;
    bool is_product_of_rows(const lookup_sum& product, const loop_list& by_number) const;
    bool carries_landings(const lookup_sum& sum) const;
    loop_list share_out(const expr_list& factors, const loop_list& over, const loop_list& by_number,
                        lookup_sum& found) const;
    expr_list multiplied_alike(const expr_list& factors, const expr_list& implied,
                               const loop_list& loops);
    std::optional<lookup_sum> lookups_of(expr sum_or_product, bool takes = true);
    expr looked_up(const lookup_sum& s);
    expr sum_of_rows(expr a, expr b, const loop_list& summed);
    // In looked_up_products.cpp.
    expr looked_up_product(expr rows, expr other, const loop_list& summed);
    expr product_of_rows(expr a, expr b, const loop_list& summed);
    void emit_lookups(const lookup_sum& s, const access& target, double beta);

    expr without_own_condition(expr gather);
    expr checked_apart(expr gather);
    expr with_stored_condition(expr gather);
    void emit_gather(expr e, const access& target);
    bool is_edged_gather(expr e) const;
    bool is_foreign(expr e) const;
    expr numbers_of(expr e);
    expr picked(expr gather);
    /// Of an expression of whole numbers alone.
    struct whole_facts {
        int numbers = 0;        // how many operands are in it
        bool within = true;     // no number on the way is much larger than they are
        double largest = 0;     // of its constants and positions
        bool computes = false;  // operands are added or multiplied
    };
    bool is_computed_place(slot_number number) const;
    bool is_whole(expr e, whole_facts& facts) const;
    bool compares_numbers(expr e) const;
    expr compared(expr e);

    expr stored(expr e);
    expr stored(const contraction_of& product);
    expr plain(expr e, double loops);
    expr_list spread(expr value);

    /// Memory with an axis for each loop, of which one is longer than its loop: as it is read and
    /// written where the place along that axis is said.
    struct longer_axis {
        access whole;
        std::size_t axis = 0;
        access at(place along) const {
            access a = whole;
            a.at[axis] = std::move(along);
            return a;
        }
    };

    expr with_axes(expr e, const loop_list& axes);
    loop_list matrix_loops(const matrix_function& f) const;
    matrix_factors factorised(const matrix_function& f, steps::factor_kind kind);
    access factors_at(const matrix_factors& f) const;
    void emit_matrix(const matrix_function& f, matrix_task task, const access& target);

    // Sums up to an index, in prefixes.cpp.
    /// A fold over all j up to, or from, a place that i says, of what has j and of what has not.
    struct prefix_product {
        loop i, j;
        bool forwards = true;
        place end;                      // j <= end, or -end <= j where it is backwards
        expr number;                    // instead of i: j <= number - end, or number - end <= j
        loop_list ends;                 // i, or what the number has
        std::optional<triangle> pairs;  // where it moves with i as it is
        expr condition;
        loop_list over;    // all folded loops
        expr_list summed;  // the factors that have j; of other folds than a sum conditions
        expr_list others;
        expr value;       // of such folds
        loop_list alone;  // folded loops that no other factor has, j among them
        loop_list later;  // the others
        loop_list state;  // the loops of what is folded over those
    };
    struct number_bound {
        expr number;
        bool forwards = true;
        std::int64_t less = 0;
    };
    std::optional<number_bound> number_bound_in(expr condition, loop j) const;
    std::optional<prefix_product> split_at_bound(fold folding, const loop_list& over,
                                                 const guarded& body, std::size_t k, loop j) const;
    std::optional<prefix_product> prefix_product_of(fold folding, const loop_list& over,
                                                    expr body) const;
    prefix_product with_related(prefix_product p) const;
    bool may_be_empty(const prefix_product& p) const;
    bool has_small_state(const prefix_product& p) const;
    bool is_read_as_it_stands(const prefix_product& p, const access& target) const;
    expr summed_of(fold folding, const prefix_product& p);
    bool hides_beside(const prefix_product& p);
    std::optional<prefix_product> scanned(fold folding, const loop_list& over, expr body);
    expr read_at_end(const prefix_product& p, const longer_axis& memory);
    void write(const access& target, expr value);
    void scan_into(fold folding, const access& target, expr value, loop along, bool backwards,
                   expr decay = expr::none, bool logarithms = false);
    std::optional<expr> prefix_of(fold folding, const loop_list& over, expr body,
                                  const access* target = nullptr);
    // Folds under conditions that are several, of which one holds at a time, in folds_in_parts.cpp.
    expr_list parts_of_condition(expr condition, const loop_list& over);
    std::vector<expr_list> parts_of_conditions(const expr_list& conditions, loop j);
    expr without_other(expr condition, expr other, const loop_list& over);
    bool looks_at_pairs(expr e, const loop_list& related) const;
    bool runs_by_index(fold folding, const loop_list& over, expr body);
    bool is_short(fold folding, const loop_list& over, expr body, const loop_list& related);
    expr_list bodies_of_parts(fold folding, const loop_list& over, const guarded& read,
                              std::size_t k);
    expr in_parts(fold folding, const loop_list& over, expr body);
    // Weights of a softmax under such conditions, in softmax_parts.cpp.
    /// Of x_j, under conditions between j and other loops.
    struct weights_of_part {
        expr_list conditions;
        expr value;
        std::optional<triangle> pairs;  // a recurrence gives them, or none
        expr most, sum;                 // of exp(x_j - most) for each i
    };
    bool is_taken_alone(weights_of_part& part, loop j, const loop_list& over,
                        const expr_list& beside);
    void find_state(weights_of_part& part, loop j);
    expr_list shares_of(const std::vector<weights_of_part>& parts);
    std::vector<weights_of_part> softmax_parts(expr weights, const loop_list& over,
                                               const expr_list& beside);
    expr_list beside_weights(const expr_list& factors, std::size_t k);
    expr with_folds_in_memory(expr factor, loop j);
    expr_list summed_beside(const expr_list& beside, const loop_list& weighed, loop_list& over);
    expr weights_in_parts(const loop_list& over, expr body);
    // Sums of pairs as linear recurrences, in decayed_sums.cpp.
    /// A sum over i or j, under a condition between them, of weights of the pairs, of what has the
    /// summed one of them and of what has not.
    struct decayed_sum {
        triangle pairs;
        bool over_i = false;
        std::vector<pair_weight> weights;
        expr_list summed, others;
        loop_list alone;  // summed loops that nothing else has, i or j among them
        loop_list later;  // the others
        std::vector<std::int64_t> binomials;  // the product of all distances, of d over 0, 1 ...
    };
    /// From each place to the next: a factor, or its logarithm.
    struct link_of_pairs {
        expr factor;
        bool is_logarithm = false;
    };
    /// The weights of the pairs as numbers of j: those of i are at the j that i stands for. A link
    /// is between a place and the next one.
    struct pair_parts {
        loop link_loop;
        expr_list start, links, end;
        expr_list rates;         // logarithms of links
        expr carried;            // links that are in memory,
        longer_axis carried_in;  // and where
    };
    std::optional<decayed_sum> decayed_sum_of(const loop_list& over, expr body) const;
    std::optional<decayed_sum> decayed_sum_under(const triangle& pairs, const loop_list& over,
                                                 expr_span factors) const;
    void add_parts(const pair_weight& weight, const triangle& pairs, pair_parts& parts);
    /// Of the weights exp(x_j - m_i) of pairs, at the places of j: what a place has at itself, the
    /// link to the next one, the largest x, and the sum of the weights up to each.
    struct running_weights {
        expr most, start, link, sum;
    };
    running_weights weights_up_to_each(expr x, expr extremum, const triangle& pairs,
                                       pair_parts& parts);
    double lowest_number() const;
    place place_inside(loop l, std::int64_t by, loop of, expr_list& conditions);
    expr up_to_each(fold folding, expr value, const triangle& pairs, std::int64_t apart);
    bool take_distances(decayed_sum& d) const;
    expr read_links(const link_of_pairs& links, pair_parts& parts, loop along, bool forwards);
    expr recurrence(expr value, const link_of_pairs& links, pair_parts& parts, loop along,
                    bool forwards);
    link_of_pairs links_of(const pair_parts& parts);
    expr carried_by_distance(const decayed_sum& d, expr value, const link_of_pairs& links,
                             pair_parts& parts, bool forwards);
    expr extremum_of(const pair_weight& weight, expr x, const triangle& pairs);
    expr at_place(expr value, loop l, place to);
    bool ends_inside(const triangle& pairs) const;
    place end_of_pairs(const triangle& pairs, expr_list& conditions);
    expr at_ends(expr value, const triangle& pairs);
    /// Whether sums may be recurrences: what they multiply by 0 is not hidden.
    bool may_carry() const {
        return !plan_.careful && graph_.compares() && graph_.solves_places() &&
               (type_ == element::f32 || type_ == element::f64);
    }
    expr decayed(const decayed_sum& d);
    std::optional<expr> recurrence_of(const loop_list& over, expr body);
    // Sums of [x_j = m_i] with the extremum m_i of all x, in extrema_parts.cpp.
    struct asked_extremum {
        loop j;
        fold folding;
        expr_list conditions;  // between j and other loops
        expr value;            // x_j, of any of these
        expr extremum;
    };
    /// Of a part of the conditions: a recurrence, for which `most` is its extremum, or a sum.
    struct asked_part {
        std::optional<decayed_sum> carried;
        expr most, sum;
    };
    std::optional<asked_extremum> asked_extremum_in(expr test);
    std::optional<asked_part> asked_part_of(const asked_extremum& asked,
                                            const expr_list& conditions, bool alone,
                                            const loop_list& over, const expr_list& beside);
    std::optional<expr_list> asked_beyond(const asked_extremum& asked, const loop_list& over,
                                          const expr_list& beside, const expr_list& held);
    expr extrema_in_parts(const loop_list& over, expr body);
    // The same by blocks, in prefix_blocks.cpp.
    struct blocks_of_sum;
    struct carried_states;
    struct block_of_pairs;
    std::int64_t block_of(const prefix_product& p) const;
    double work_of_pairs(const prefix_product& p, const triangle_parts& parts) const;
    double work_of_states(const prefix_product& p) const;
    bool pays_in_blocks(const prefix_product& p) const;
    bool pays_up_to_index(const prefix_product& p) const;
    bool pays_along_pairs(const loop_list& over, expr body);
    bool pays_written_out(const loop_list& over, expr body);
    expr with_terms_apart(expr sum);
    expr with_written_out(expr sum);
    expr sum_of_columns(const prefix_product& p, const moved_loop& columns, loop each = loop::none);
    carried_states emit_states(const prefix_product& p, const blocks_of_sum& b, loop block);
    void emit_rows_of_state(const prefix_product& p, const access& target, const moved_loop& row,
                            const access& state, double beta);
    void emit_pairs(const prefix_product& p, const access& target, const block_of_pairs& b,
                    double beta);
    std::optional<prefix_product> in_blocks(expr sum) const;
    void emit_in_blocks(const prefix_product& p, const access& target, double beta);
    void use_target_memory(const access& target, expr body);
    void forget(const access& target);

    // Places with edges, in lower_edges.cpp.
    expr padded(expr load);
    bool pays_by_iterations(expr load) const;
    expr picked_by_iterations(expr load);
    expr place_within(const place& p);
    expr copied_axes(expr load);
    expr native(expr load);
    expr with_conditions(expr load, expr value);
    access converted(const access& from, bool condition);
    expr operand_of(expr factor);
    expr without_edges(expr e, const loop_list& cut);
    loop_list shifts_of(expr body, const loop_list& over) const;
    bool has_strides(expr sum);
    struct strided_bound {
        loop what;
        std::int64_t stride = 0;
    };
    expr_list conditions_within(fold folding, expr body);
    bool is_short_by_index(fold folding, const loop_list& over, expr body);
    strided_bound bound_with_stride(fold folding, const loop_list& over, expr body, bool folded);
    strided_bound bound_with_stride(expr fold);
    expr in_residues(const loop_list& over, expr body);
    moved_loop residue_of(loop l, std::int64_t stride, std::int64_t residue);
    bool splits_strides(const access& target, expr value, double beta);
    void unroll_shifts(expr& body, fold folding, loop_list& over);
    expr log_of_sum(const expr_list& values);
    expr combined(fold folding, const expr_list& values);
    expr folded(fold folding, const loop_list& over, expr value);
    expr both_factors(const contraction_of& product);
    void emit_part(contraction_of product, const access& target, double beta);
    bool is_cut_in_few(const contraction_of& product) const;
    bool has_edged_operands(const contraction_of& product) const;
    void emit_edged_map(const access& target, expr body, fold folding, loop_list over);
    void emit_gather_boxes(expr e, const access& target);
    void emit_boxes(const access& target, expr body, fold folding = fold::none,
                    const loop_list& over = {});
    void emit_boxes(const contraction_of& product, const access& target, double beta);
    void emit_value(const access& target, expr value);

    access temporary(const loop_list& indices, expr like = expr::none);
    longer_axis longer_memory(const loop_list& axes, loop longer, std::int64_t by);
    access memory_over(const loop_list& axes, element type, bool is_truth = false);
    loop_list rows_order(expr gather) const;
    place inner_address_of(const access& a) const;
    loop_list axis_order(const loop_list& indices, expr like = expr::none) const;

    assign begun(assignment_kind kind, const access& target) const;
    void put(assign made);
    void emit(const contraction_of& product, const access& target, double beta);
    void emit_map(const access& target, expr body, fold folding = fold::none,
                  const loop_list& over = {});

    program_plan& plan_;
    graph& graph_;
    known_tensors& known_;
    written_products& products_;
    ir::ref equation_;
    loop_list order_;
    element type_;
    small_map<expr, expr, 8> stored_;
    small_map<expr, expr, 8> padded_;
    small_map<expr, expr, 8> picked_;
    bool hides_ = false;
};

}  // namespace ricci::plan
