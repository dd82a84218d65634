// From the planner's expressions to assignments: what is contracted, what is one element-wise pass,
// and what has to be stored in between.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "src/base/small_map.hpp"
#include "src/path/path.hpp"
#include "src/plan/pool/expression.hpp"
#include "src/plan/forms/fold_forms.hpp"
#include "src/plan/forms/known_tensors.hpp"
#include "src/plan/schedule/plan.hpp"
#include "src/plan/forms/triangle_parts.hpp"

namespace ricci::plan {

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

    /// value in memory of its own, with an axis for each of its loops, or of these; of the type
    /// that is computed with.
    access computed(expr value);
    access computed(const loop_list& loops, expr value);
    /// target = what `computed` has given, rounded to the type of the target.
    void convert(const access& value, const access& target);

    void matrix_into(const matrix_function& f, const access& target);
    /// The same in memory of its own.
    expr matrix_value(const matrix_function& f, const loop_list& indices);
    void place_into(const place_of_extremum& p, const access& target);
    /// The memory that holds a sum or a fold of what was lowered, or none.
    expr in_memory(expr e) const {
        const auto found = stored_.find(e);
        return found == stored_.end() ? expr::none : found->second;
    }

    /// Whether a product under a bracket became one by zeros, which do not hide what is no number.
    bool hides() const { return hides_; }

private:
    struct terms_by_way;
    bool is_in_another(expr sum, const expr_list& terms) const;
    bool is_sum_into(const access& target, expr term) const;
    bool is_placed_apart(expr sum, terms_by_way& found);
    void add_resolved(expr sum, terms_by_way& found);
    bool is_written_alone(const access& target, expr term, double beta, terms_by_way& found);
    void write_rest(const access& target, const terms_by_way& found, double beta);
    void write_fold(const access& target, const expression& what);

    /// Whether sums and folds may be under conditions on places that are solved.
    bool has_conditions() const { return graph_.compares() && graph_.solves_places(); }
    read_fold described(fold by, const loop_list& over, expr body) const {
        return {by, over, body, guarded_in(graph_, by, body)};
    }
    read_fold described(const loop_list& over, expr body) const {
        return described(fold::sum, over, body);
    }
    // What sums come to, in lower_sums.cpp.
    expr form_under_conditions(const read_fold& sum);
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

    std::optional<place> place_on(loop axis, expr numbers) const;
    bool is_scatter(expr sum, scattered_sum& found);
    void emit_scatter(const scattered_sum& s, const access& target, double beta);
    expr before(const access& target, double beta);
    void scale_target(const access& target, double beta);

    // Sums with lookups, in lookup_sums.cpp.
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

    expr with_axes(expr e, const loop_list& axes);
    loop_list matrix_loops(const matrix_function& f) const;
    matrix_factors factorised(const matrix_function& f, steps::factor_kind kind);
    access factors_at(const matrix_factors& f) const;
    void emit_matrix(const matrix_function& f, matrix_task task, const access& target);

    // Sums up to an index, in prefixes.cpp.
    std::optional<number_bound> number_bound_in(expr condition, loop j) const;
    std::optional<prefix_product> split_at_bound(const read_fold& f, std::size_t k, loop j) const;
    std::optional<prefix_product> prefix_product_of(const read_fold& f) const;
    prefix_product with_related(prefix_product p) const;
    bool may_be_empty(const prefix_product& p) const;
    bool has_small_state(const prefix_product& p) const;
    bool is_read_as_it_stands(const prefix_product& p, const access& target) const;
    expr summed_of(fold folding, const prefix_product& p);
    bool hides_beside(const prefix_product& p);
    std::optional<prefix_product> scanned(const read_fold& f);
    expr read_at_end(const prefix_product& p, const longer_axis& memory);
    void write(const access& target, expr value);
    void scan_into(fold folding, const access& target, expr value, loop along, bool backwards,
                   expr decay = expr::none, bool logarithms = false);
    std::optional<expr> prefix_of(const read_fold& f, const access* target = nullptr);
    // Folds under conditions that are several, of which one holds at a time, in folds_in_parts.cpp.
    expr_list sides_of_others(expr condition, const loop_list& over);
    expr_list parts_of_condition(expr condition, const loop_list& over);
    std::vector<expr_list> parts_of_conditions(const expr_list& conditions, loop j);
    expr without_other(expr condition, expr other, const loop_list& over);
    bool looks_at_pairs(expr e, const loop_list& related) const;
    bool runs_by_index(const read_fold& f);
    bool is_short(const read_fold& f, const loop_list& related);
    std::vector<read_fold> parts_of_fold(const read_fold& f, std::size_t k);
    expr in_parts(const read_fold& f);
    // Weights of a softmax under such conditions, in softmax_parts.cpp.
    bool is_taken_alone(weights_of_part& part, loop j, const loop_list& over,
                        const expr_list& beside);
    void find_state(weights_of_part& part, loop j);
    expr_list shares_of(const std::vector<weights_of_part>& parts);
    std::vector<weights_of_part> softmax_parts(expr weights, const loop_list& over,
                                               const expr_list& beside);
    expr_list beside_weights(const expr_list& factors, std::size_t k);
    expr with_folds_in_memory(expr factor, loop j);
    expr_list summed_beside(const expr_list& beside, const loop_list& weighed, loop_list& over);
    expr weights_in_parts(const read_fold& sum);
    // Sums of pairs as linear recurrences, in decayed_sums.cpp.
    std::optional<decayed_sum> decayed_sum_of(const read_fold& sum) const;
    std::optional<decayed_sum> decayed_sum_under(const triangle& pairs, const loop_list& over,
                                                 expr_span factors) const;
    void add_parts(const pair_weight& weight, const triangle& pairs, pair_parts& parts);
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
    bool may_carry() const { return carries_numbers() && has_conditions(); }
    bool carries_numbers() const {
        return !plan_.careful && graph_.solves_places() && is_real(type_);
    }
    expr decayed(const decayed_sum& d);
    std::optional<place> sized_distance_in(expr e, const loop_list& over) const;
    std::optional<expr> recurrence_of(const read_fold& sum);
    std::optional<expr> recurrences_of(const loop_list& over, expr body);
    // Sums of [x_j = m_i] with the extremum m_i of all x, in extrema_parts.cpp.
    std::optional<asked_extremum> asked_extremum_in(expr test);
    std::optional<asked_part> asked_part_of(const asked_extremum& asked,
                                            const expr_list& conditions, bool alone,
                                            const loop_list& over, const expr_list& beside);
    std::optional<expr_list> asked_beyond(const asked_extremum& asked, const loop_list& over,
                                          const expr_list& beside, const expr_list& held);
    expr_list counted_beyond(const asked_extremum& asked, const loop_list& over,
                             const expr_list& beside, const expr_list& held);
    bool lands_alone(const loop_list& over, expr body);
    expr extrema_in_parts(const read_fold& sum);
    // The same by blocks, in prefix_blocks.cpp.
    struct blocks_of_sum;
    struct carried_states;
    struct block_of_pairs;
    std::int64_t block_of(const prefix_product& p) const;
    double work_of_pairs(const prefix_product& p, const triangle_parts& parts) const;
    double work_of_states(const prefix_product& p) const;
    bool pays_in_blocks(const prefix_product& p) const;
    bool pays_up_to_index(const prefix_product& p) const;
    bool pays_along_pairs(const read_fold& sum);
    bool pays_written_out(const read_fold& sum);
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
    expr_list conditions_within(const read_fold& f);
    bool is_short_by_index(const read_fold& f);
    strided_bound bound_with_stride(const read_fold& f, bool folded);
    strided_bound bound_with_stride(expr fold);
    expr in_residues(const read_fold& sum);
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

    assign begun(assignment_kind kind, const access& target) const {
        return plan::begun(equation_, kind, target);
    }
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
