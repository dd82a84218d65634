// The invariants of fused groups and chains, checked.
#include "src/plan/verify/verify_group.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "src/plan/pool/proportional.hpp"
#include "src/plan/schedule/grown_group.hpp"
#include "src/plan/pool/weights_again.hpp"

namespace ricci::plan {
namespace {

// Each loop once, however often it stands in a group that is broken.
loop_list loops_with(const fused& group, loop_role role) {
    loop_list once;
    for (const loop l : loops_of(group.loops, role)) add_loop(once, l);
    return once;
}

class group_check {
public:
    group_check(const program_plan& plan, const fused& group, const requirement& require)
        : plan_(plan),
          values_(plan.values),
          group_(group),
          require_(require),
          batch_(loops_with(group, loop_role::batch)),
          rows_(loops_with(group, loop_role::row)),
          columns_(loops_with(group, loop_role::column)),
          all_(united(united(batch_, rows_), columns_)) {}

    void run() {
        require_(all_.size() == group_.loops.size(), "a loop of a group that stands twice");
        require_(!columns_.empty(), "a group without columns");
        auto last = stage::product;
        for (const member& m : group_.members) {
            require_(stage_of(m.kind) >= last, "a product or an operation behind what comes later");
            last = stage_of(m.kind);
            require_((plan_.slot_of(m.what.target).kind == storage::tile) == makes_tile(m.kind),
                     "a tile that is stored, or a result that is not");
            if (m.kind == member_kind::ties) check_ties(m);
            else for_each_load(values_, m.what, [&](const access& from) { check_load(from); });
            check(m);
            if (!is_beside_extremum(m.kind)) before_ = &m;
            // What is found with weights stands behind them.
            if (!is_found_with_weights(m.kind))
                found_with_ = m.kind == member_kind::weights ? &m : nullptr;
            if (makes_tile(m.kind)) {
                require_(is_whole_tile(m.what.target),
                         "a tile made at other loops than its group's");
                tiles_[m.what.target.slot] =
                    m.kind == member_kind::weights ? m.what.target.slot : weights_in(m.what.body);
            } else {
                check_writer(m);
                results_.insert(m.what.target.slot);
            }
        }
    }

private:
    static constexpr slot_number no_weights{};

    void check_load(const access& from) const {
        require_(!results_.contains(from.slot), "a group that reads its own result");
        if (plan_.slot_of(from).kind != storage::tile) return;
        require_(tiles_.contains(from.slot), "a tile that its group has not made");
        require_(is_whole_tile(from), "a tile read at other loops than its group's");
    }
    /// Each axis is walked by one loop, from one end to the other.
    bool is_whole_tile(const access& a) const {
        const auto& extents = plan_.slot_of(a).extents;
        for (std::size_t axis = 0; axis < a.at.size(); ++axis) {
            const place& p = a.at[axis];
            if (p.offset != 0 || p.terms.size() > 1) return false;
            const std::int64_t reached =
                p.terms.empty() ? 1 : values_.extent(p.terms[0].over) * p.terms[0].factor;
            if (reached != extents[axis]) return false;
        }
        return loops_of(a) == all_;
    }

    void check(const member& m) const {
        const assign& a = m.what;
        require_(!m.weights || m.kind == member_kind::rows,
                 "a result that is rescaled, and not of rows");
        switch (m.kind) {
            case member_kind::product:
                require_(a.kind == assignment_kind::contract && a.beta == 0,
                         "a product that is none");
                return check_sides(factors_of(values_, a).a->indices,
                                   factors_of(values_, a).b->indices);
            case member_kind::distance: {
                const auto parts = distance_of(values_, a);
                require_(parts && parts->is_alone(), "a tile of distances that is none");
                if (parts->weight) check_lacks_side(values_[parts->weight].indices);
                return check_sides(values_[parts->a].indices, values_[parts->b].indices);
            }
            case member_kind::ties:
                return;
            case member_kind::place:
                return check_place(m);
            case member_kind::weights:
                require_(a.folding == fold::softmax && a.over == columns_,
                         "weights that are no softmax over the columns");
                return require_(weights_in(a.body) == no_weights, "weights that depend on weights");
            case member_kind::log_sum:
                return require_(is_found(a, fold::logsumexp) && found_with_->what.body == a.body,
                                "a log-sum-exp that does not stand behind its weights");
            case member_kind::maximum:
                return require_(is_found(a, fold::maximum) && found_with_->what.body == a.body,
                                "a largest score that does not stand behind its weights");
            case member_kind::excess:
                return require_(is_found(a, fold::excess) && found_with_->what.body == a.body,
                                "a part of a log-sum-exp that does not stand behind its weights");
            case member_kind::largest:
                return require_(is_found(a, fold::maximum) && values_[a.body].kind == kind::load &&
                                    values_[a.body].source.slot == found_with_->what.target.slot,
                                "a largest weight that does not stand behind its weights");
            case member_kind::recomputed:
                require_(is_made_again(a.body), "weights that are made again in another form");
                return require_(weights_in(a.body) == no_weights, "weights that depend on weights");
            case member_kind::tile:
                return require_(a.kind == assignment_kind::map && a.folding == fold::none,
                                "a tile that is a fold");
            case member_kind::rows:
            case member_kind::columns:
            case member_kind::pairs:
            case member_kind::added:
                return check_result(m);
        }
    }
    bool is_found(const assign& a, fold folding) const {
        return found_with_ != nullptr && a.over == columns_ && a.folding == folding &&
               a.loops == united(batch_, rows_);
    }
    // exp(x - y) z, y and z in memory and the same for all columns.
    bool is_made_again(expr e) const {
        const auto again = weights_made_again(values_, e);
        const auto is_of_rows = [&](expr x) {
            return values_[x].kind == kind::load &&
                   plan_.slot_of(values_[x].source).kind != storage::tile &&
                   common(values_[x].indices, columns_).empty();
        };
        return again && is_of_rows(again->maximum) && is_of_rows(again->largest);
    }
    void check_lacks_side(const loop_list& weight) const {
        require_(common(weight, rows_).empty() || common(weight, columns_).empty(),
                 "weights of distances that have rows and columns both");
    }
    void check_sides(const loop_list& a, const loop_list& b) const {
        const auto lacks = [&](const loop_list& side, const loop_list& loops) {
            return common(side, loops).empty();
        };
        require_((lacks(a, rows_) && lacks(b, columns_)) || (lacks(b, rows_) && lacks(a, columns_)),
                 "a product whose factors have rows and columns both");
    }

    bool is_beside_extremum_over(const loop_list& over) const {
        const bool folds = before_ != nullptr && stage_of(before_->kind) == stage::result;
        const auto by = folds ? monoid_of(before_->what.folding) : std::nullopt;
        return by && is_extremum(*by) && before_->what.over == over;
    }
    // Where the extremum that the member before gives stands in its tile, along its only loop.
    void check_place(const member& m) const {
        const assign& a = m.what;
        require_(is_beside_extremum_over(a.over) && a.over.size() == 1 &&
                     a.kind == assignment_kind::extremum && a.folding == before_->what.folding &&
                     a.body == before_->what.body && plan_.holds(a.target.slot, element::i32),
                 "a place that does not stand behind its extremum");
        require_(a.target.slot != before_->what.target.slot && a.loops == before_->what.loops,
                 "a place of other rows or columns than its extremum's");
    }
    // How many values of its tile equal the extremum that the member before gives.
    void check_ties(const member& m) const {
        require_(is_beside_extremum_over(m.what.over),
                 "ties of something else than a maximum or minimum");
        const auto& body = values_[m.what.body];
        require_(body.code == opcode::equal && body.arguments.size() == 2 &&
                     body.arguments[0] == before_->what.body &&
                     values_[body.arguments[1]].kind == kind::load &&
                     values_[body.arguments[1]].source.slot == before_->what.target.slot &&
                     values_[body.arguments[1]].source.at == before_->what.target.at,
                 "ties that do not stand behind what they equal");
    }

    // A product, maximum or minimum of a tile: with no factor, no number, and nothing added to it.
    bool is_plain_fold(const member& m) const {
        const bool one = !m.what.scale || values_.is_constant(m.what.scale, 1);
        return (m.kind == member_kind::rows || m.kind == member_kind::columns) && one &&
               m.what.beta == 0 && !m.weights && !sums_exponentials(m.what.folding) &&
               values_[m.what.body].kind == kind::load;
    }
    void check_result(const member& m) const {
        const auto by = monoid_of(m.what.folding).value_or(monoid::sum);
        require_(entry_of(by).scales || is_plain_fold(m),
                 "a fold of something else than a tile as it is");
        const auto is_tile = [&](expr e) {
            return values_[e].kind == kind::load &&
                   plan_.slot_of(values_[e].source).kind == storage::tile;
        };
        const auto& body = values_[m.what.body];
        const bool scaled = body.code == opcode::multiply && body.arguments.size() == 2 &&
                            is_tile(body.arguments[0]) &&
                            values_[body.arguments[1]].kind == kind::load &&
                            !is_tile(body.arguments[1]);
        require_(is_tile(m.what.body) || scaled, "a result of something else than a tile");
        const auto own = loops_of(m.what.target);
        const auto has = [&](const loop_list& loops) { return without(loops, own).empty(); };
        if (m.kind == member_kind::rows)
            require_(common(own, columns_).empty() && has(united(batch_, rows_)),
                     "a result of rows that is not summed over all columns, and over these alone");
        if (m.kind == member_kind::columns)
            require_(common(own, rows_).empty() && has(united(batch_, columns_)),
                     "a result of columns that is not summed over all rows, and over these alone");
        if (m.kind == member_kind::pairs)
            require_(has(united(rows_, columns_)), "a tile written in part");
        if (m.kind == member_kind::added)
            require_(m.what.kind == assignment_kind::scatter,
                     "a tile added along lines that is no scatter");
        require_(weights_in(m.what.body) == m.weights,
                 "a result that is not proportional to its weights alone");
    }

    // What is written twice is reached at the same time by both, by the second after the first.
    void check_writer(const member& m) const {
        for (const member& other : group_.members) {
            if (&other == &m) return;
            if (makes_tile(other.kind)) continue;
            if (other.what.target.slot != m.what.target.slot ||
                are_apart(values_, other.what.target, m.what.target))
                continue;
            require_(other.kind == m.kind && stage_of(m.kind) == stage::result &&
                         other.what.target.at == m.what.target.at &&
                         (m.what.beta == 1 || m.kind == member_kind::added),
                     "two members that write one tensor in different ways");
        }
    }

    // Which weights a value is proportional to.
    tensor_factor weights_in(expr value) const {
        return proportional_to(values_, value, [&](slot_number tensor) {
            const auto tile = tiles_.find(tensor);
            return tile == tiles_.end() ? tensor_factor(no_weights) : tile->second;
        });
    }

    const program_plan& plan_;
    const graph& values_;
    const fused& group_;
    const requirement& require_;
    const loop_list batch_, rows_, columns_, all_;
    std::map<slot_number, tensor_factor> tiles_;  // made so far: the weights in each
    const member* found_with_ = nullptr;  // weights right before, but for what is found with them
    const member* before_ = nullptr;      // the member right before, but for ties
    std::set<slot_number> results_;
};

class chain_check {
public:
    chain_check(const program_plan& plan, const chained& chain, const requirement& require)
        : values_(plan.values),
          chain_(chain),
          require_(require),
          rows_(sorted(loops_beside(chain.first.loops, loop_role::column))) {}

    void run() {
        require_(std::ranges::equal(chain_.first.loops, chain_.second.loops,
                                    [](const group_loop& a, const group_loop& b) {
                                        return a.what == b.what && a.role == b.role;
                                    }),
                 "two groups of a chain with other loops");
        require_(has_only(chain_.first, {member_kind::rows, member_kind::ties, member_kind::place}),
                 "a chain whose first group gives more than results of rows");
        require_(has_only(chain_.second, {member_kind::rows, member_kind::columns,
                                          member_kind::ties, member_kind::place}),
                 "a chain whose second group gives more than results of rows and columns");
        for (const auto& k : chain_.kept)
            require_(is_product(chain_.first, k.first) && is_product(chain_.second, k.second),
                     "a tile that is kept and not a product of both groups");
        for (const auto& m : chain_.first.members)
            if (!makes_tile(m.kind)) given_[m.what.target.slot] = &m.what.target;
        for (const auto& sum : chain_.between) check_sum(sum);
        for (const auto& m : chain_.second.members) {
            check_reads(m);
            require_(makes_tile(m.kind) || !given_.contains(m.what.target.slot),
                     "a result of a chain that both of its groups write");
        }
    }

private:
    static bool has_only(const fused& group, std::initializer_list<member_kind> results) {
        return std::ranges::all_of(group.members, [&](const member& m) {
            return stage_of(m.kind) != stage::result ||
                   std::ranges::find(results, m.kind) != results.end();
        });
    }
    static bool is_product(const fused& group, slot_number tile) {
        return std::ranges::any_of(group.members, [&](const member& m) {
            return plan::is_product(m.kind) && m.what.target.slot == tile;
        });
    }

    // Number * the sum over loops of its own of a product of two tensors.
    void check_sum(const assign& sum) {
        require_(product_of_loads(values_, sum.body) && sum.kind == assignment_kind::map &&
                     sum.folding == fold::sum && sum.beta == 0,
                 "a sum between groups of something else than two tensors");
        const auto is_group_loop = [&](loop l) { return has_loop(chain_.first.loops, l); };
        require_(sum.loops == rows_ && std::ranges::none_of(sum.over, is_group_loop),
                 "a sum between groups that is not one for each row");
        for_each_load(values_, sum, [&](const access& from) {
            const auto known = given_.find(from.slot);
            require_(known == given_.end() || known->second->at == from.at,
                     "a sum between groups that reads other rows than its own");
        });
        given_[sum.target.slot] = &sum.target;
    }

    void check_reads(const member& m) const {
        const auto at_rows = [&](const access& a) { return places_in(chain_.first.loops, a); };
        for_each_load(values_, m.what, [&](const access& from) {
            const auto known = given_.find(from.slot);
            if (known == given_.end()) return;
            require_(stage_of(m.kind) == stage::operation,
                     "a result of a chain that is read by a product or a sum of its second group");
            require_(at_rows(*known->second) == at_rows(from),
                     "a result of a chain that is read at other rows than its own");
        });
    }

    const graph& values_;
    const chained& chain_;
    const requirement& require_;
    const loop_list rows_;
    std::map<slot_number, const access*> given_;  // by the first group and the sums, by slot
};

}  // namespace

void verify_group(const program_plan& plan, const fused& group, const requirement& require) {
    group_check(plan, group, require).run();
}

void verify_chain(const program_plan& plan, const chained& chain, const requirement& require) {
    chain_check(plan, chain, require).run();
}

}  // namespace ricci::plan
