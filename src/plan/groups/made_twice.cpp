// Tensors of which exponentials are summed along both sides, made once for each.
#include "src/plan/groups/made_twice.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "src/base/small_map.hpp"
#include "src/plan/groups/tile_values.hpp"
#include "src/plan/pool/scalar.hpp"

namespace ricci::plan {
namespace {

/// Along which axes of a tensor exponentials are summed.
struct side {
    slot_number tensor;
    std::vector<bool> axes;
};

class second_sides {
public:
    explicit second_sides(program_plan& plan) : plan_(plan), values_(plan.values) {}

    std::vector<slot_number> run() {
        find();
        if (seconds_.empty()) return {};
        std::vector<step> steps;
        std::swap(steps, plan_.steps);
        const auto is_copied = [&](const step& s) {
            return std::ranges::any_of(
                s.effects, [&](const effect& t) { return t.writes && copies_.contains(t.slot); });
        };
        for (std::size_t s = 0; s < steps.size(); ++s) {
            const bool copied = is_copied(steps[s]);
            if (std::ranges::binary_search(seconds_, s)) take_from_copy(*steps[s].as_assign());
            else plan_.steps.push_back(steps[s]);
            if (copied) add(read_copies(*steps[s].as_assign(), true));
        }
        return made_;
    }

private:
    /// The side along which a map sums exponentials of a tensor that steps make, all of it.
    std::optional<side> side_of(const assign& a) const {
        if (a.kind != assignment_kind::map || !sums_exponentials(a.folding) ||
            values_[a.body].edged)
            return {};
        std::optional<side> found;
        bool unique = true;
        const auto all = united(a.loops, a.over);
        for_each_load(values_, a, [&](const access& from) {
            if (plan_.slot_of(from).kind != storage::workspace ||
                !plan_.holds(from.slot, plan_.computed_type()) ||
                !std::ranges::all_of(from.at, is_whole_axis) || loops_of(from) != all)
                return;
            unique = unique && !found;
            found = side{from.slot, {}};
            for (const place& p : from.at)
                found->axes.push_back(std::ranges::any_of(
                    p.terms, [&](const term& t) { return contains(a.over, t.over); }));
        });
        return unique ? found : std::nullopt;
    }

    // Steps along another side than the first one of their tensor, and what is to be copied.
    void find() {
        std::vector<side> firsts;
        for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
            const assign* a = plan_.steps[s].as_assign();
            const auto here = a == nullptr ? std::nullopt : side_of(*a);
            if (!here) continue;
            const auto first = std::ranges::find(firsts, here->tensor, &side::tensor);
            if (first == firsts.end()) firsts.push_back(*here);
            else if (first->axes != here->axes && copy(here->tensor, s)) seconds_.push_back(s);
        }
        const std::size_t sums = seconds_.size();
        for (std::size_t s = 0; s < plan_.steps.size(); ++s)
            for (std::size_t k = 0; k < sums; ++k)
                if (is_maximum_beside(s, seconds_[k])) {
                    seconds_.push_back(s);
                    break;
                }
        std::ranges::sort(seconds_);
    }

    /// The maximum of the same values, which is found with what is beyond it.
    bool is_maximum_beside(std::size_t step, std::size_t sums) const {
        const assign* a = plan_.steps[step].as(assignment_kind::map);
        const assign& b = *plan_.steps[sums].as_assign();
        return a != nullptr && a->folding == fold::maximum && b.folding == fold::excess &&
               a->body == b.body && a->over == b.over;
    }

    /// Gives a tensor a copy, and those of its size that it is made of; false where what writes
    /// them is not followed.
    bool copy(slot_number tensor, std::size_t end) {
        if (copies_.contains(tensor)) return true;
        std::vector<slot_number> chain{tensor};
        for (std::size_t k = 0; k < chain.size(); ++k) {
            bool written = false;
            for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
                if (!plan_.steps[s].writes(chain[k])) continue;
                const assign* a = plan_.steps[s].as_assign();
                const bool makes = a != nullptr && s < end &&
                                   (a->kind == assignment_kind::contract ||
                                    (a->kind == assignment_kind::map &&
                                     (a->folding == fold::none || a->folding == fold::sum)));
                if (!makes) return false;
                written = true;
                for_each_load(values_, *a, [&](const access& from) {
                    const slot& memory = plan_.slot_of(from);
                    if (memory.kind == storage::workspace &&
                        memory.bytes >= plan_.slots[tensor.index()].bytes &&
                        std::ranges::find(chain, from.slot) == chain.end())
                        chain.push_back(from.slot);
                });
            }
            if (!written) return false;
        }
        for (const slot_number s : chain) {
            if (copies_.contains(s)) continue;
            slot memory = plan_.slots[s.index()];
            memory.name = ir::none;
            memory.axes.assign(memory.extents.size(), ir::none);
            made_.push_back(copies_[s] = plan_.add(std::move(memory)));
        }
        return true;
    }

    void add(assign a) { plan_.steps.push_back(make_step(values_, std::move(a))); }

    /// The same of the copies; `writes`: into a copy, too.
    assign read_copies(assign a, bool writes) {
        const auto copied = [&](expr e) {
            const auto& node = values_[e];
            const auto found =
                node.kind == kind::load ? copies_.find(node.source.slot) : copies_.end();
            if (found == copies_.end()) return expr::none;
            access from = node.source;
            const bool condition = node.condition;
            from.slot = found->second;
            return values_.load(std::move(from), condition);
        };
        a.body = values_.substituted(a.body, copied);
        if (writes) a.target.slot = copies_.at(a.target.slot);
        return a;
    }

    // What sums exponentials does so of the copy. A softmax is exp(x - maximum) / sum; where all of
    // a line is -infinity its weights are 0, as a group finds them.
    void take_from_copy(const assign& a) {
        if (a.folding != fold::softmax) return add(read_copies(a, false));
        const loop_list rows = without(a.loops, a.over);
        const auto found = [&](fold folding) {
            assign made = a;
            made.folding = folding;
            made.loops = rows;
            made.target = add_memory(plan_, rows);
            add(read_copies(made, false));
            return made.target;
        };
        const auto mapped = [&](expr body) {
            const access target = add_memory(plan_, rows);
            add(map_into(a.equation, target, body));
            return values_.load(target);
        };
        const access maximum = found(fold::maximum), excess = found(fold::excess);
        const expr least = values_.constant(-largest_number(plan_.computed_type()));
        const expr above = mapped(values_.apply(opcode::maximum, values_.load(maximum), least));
        // Where the maximum is no number, or infinite, none of the weights is one.
        const expr nothing = values_.as_written(opcode::subtract, {above, above});
        const expr largest = mapped(values_.as_written(
            opcode::exp, {values_.as_written(opcode::subtract, {nothing, values_.load(excess)})}));
        assign weights = a;
        weights.folding = fold::none;
        weights.over.clear();
        const expr difference = values_.as_written(opcode::subtract, {a.body, above});
        weights.body = values_.as_written(opcode::multiply,
                                          {values_.as_written(opcode::exp, {difference}), largest});
        add(weights);
    }

    program_plan& plan_;
    graph& values_;
    std::vector<std::size_t> seconds_;  // steps, in order
    small_map<slot_number, slot_number, 4> copies_;
    std::vector<slot_number> made_;
};

}  // namespace

std::vector<slot_number> make_twice(program_plan& plan) { return second_sides(plan).run(); }

}  // namespace ricci::plan
