#include "src/network/network_plan.hpp"

#include <algorithm>
#include <utility>

#include <ricci/error.hpp>

#include "src/plan/emit.hpp"
#include "src/plan/workspace.hpp"

namespace ricci::networks {
namespace {

using plan::access;
using plan::assign;
using plan::expr;
using plan::form;
using plan::loop;
using plan::loop_list;
using plan::storage;

class network_planner {
public:
    explicit network_planner(const plan_request& asked) : asked_(asked), tree_(*asked.tree) {
        made_.plan.type = asked.type;
        values().begin(0, asked.type);
        for (const std::int64_t extent : asked.extents)
            loops_.push_back(extent == 1 ? -1 : values().loops().fresh(ir::none, extent));
        for (std::size_t k = 0; k < tree_.axes.size(); ++k) make_slot(k);
    }

    network_plan take() {
        for (const tree_step& s : tree_.steps) {
            if (s.right < 0) sum(s);
            else multiply(s);
        }
        emit(made_.plan);
        find_lasting();
        lay_out_workspace(made_.plan);
        return std::move(made_);
    }

private:
    plan::graph& values() { return made_.plan.values; }
    const output_memory* output_of(std::int32_t tensor) const {
        for (const output_memory& o : asked_.outputs)
            if (o.tensor == tensor) return &o;
        return nullptr;
    }
    bool adds(std::int32_t tensor) const {
        const output_memory* const o = output_of(tensor);
        return o != nullptr && o->adds;
    }

    void make_slot(std::size_t tensor) {
        plan::slot s;
        const auto number = static_cast<std::int32_t>(tensor);
        for (const std::int32_t i : tree_.axes[tensor]) s.extents.push_back(asked_.extents[at(i)]);
        if (tensor < tree_.operands) {
            const operand_memory& o = asked_.operands[tensor];
            s.kind = storage::input;
            s.strides.assign(o.strides.begin(), o.strides.end());
            s.data = const_cast<void*>(o.data);  // only read
        } else if (const output_memory* const o = output_of(number)) {
            s.kind = storage::output;
            s.strides.assign(o->strides.begin(), o->strides.end());
            s.data = o->data;
        } else {
            s.kind = storage::workspace;
            make_row_major(s);
        }
        made_.slots.push_back(static_cast<std::int32_t>(made_.plan.slots.size()));
        made_.plan.slots.push_back(std::move(s));
    }
    void make_row_major(plan::slot& s) const {
        std::int64_t elements = 1;
        bool overflow = false;
        s.strides.assign(s.extents.size(), 0);
        for (std::size_t axis = s.extents.size(); axis-- > 0;) {
            s.strides[axis] = elements;
            overflow = overflow || __builtin_mul_overflow(elements, s.extents[axis], &elements);
        }
        if (overflow || elements > INT64_MAX / static_cast<std::int64_t>(4 * size_of(asked_.type)))
            throw error(
                "ricci: an intermediate of the network has more elements than memory has "
                "addresses.");
        s.bytes = static_cast<std::size_t>(elements) * size_of(asked_.type);
    }

    access access_of(std::int32_t tensor) const {
        access made;
        made.slot = made_.slots[at(tensor)];
        for (const std::int32_t i : tree_.axes[at(tensor)]) {
            plan::place p;
            if (loops_[at(i)] >= 0) p.add(loops_[at(i)], 1);
            made.at.push_back(std::move(p));
        }
        return made;
    }
    expr load(std::int32_t tensor) {
        const expr e = values().load(access_of(tensor));
        const bool conjugate = at(tensor) < tree_.operands && asked_.operands[at(tensor)].conjugate;
        return conjugate && is_complex(asked_.type) ? values().apply(plan::opcode::conjugate, e)
                                                    : e;
    }
    loop_list loops_of(expr e) { return values()[e].indices; }

    // Beside what is multiplied: the target, its loops, and what is summed.
    assign begun(const tree_step& s, form as, const loop_list& all) {
        assign made;
        made.equation = 0;
        made.as = as;
        made.target = access_of(s.result);
        made.loops = plan::loops_of(made.target);
        made.over = plan::without(all, made.loops);
        if (!made.over.empty()) made.folding = plan::fold::sum;
        return made;
    }
    void push(assign made) { made_.plan.steps.push_back(make_step(values(), std::move(made))); }

    void sum(const tree_step& s) {
        const expr from = s.left < 0 ? values().constant(1) : load(s.left);
        assign made = begun(s, form::map, loops_of(from));
        made.body = from;
        put_map(s, std::move(made));
    }
    void multiply(const tree_step& s) {
        const expr a = load(s.left), b = load(s.right);
        const loop_list in_a = loops_of(a), in_b = loops_of(b);
        const loop_list all = plan::united(in_a, in_b);
        assign made = begun(s, form::contract, all);
        made.body = values().multiply({a, b});
        // One factor has all loops, and nothing is summed: element by element.
        if (made.over.empty() && (all == in_a || all == in_b)) {
            made.as = form::map;
            put_map(s, std::move(made));
            return;
        }
        made.folding = plan::fold::sum;
        made.scale = values().constant(1);
        made.beta = adds(s.result) ? 1 : 0;
        push(std::move(made));
    }
    // A map does not add to what is there: what it folds is added by another one.
    void put_map(const tree_step& s, assign made) {
        if (!adds(s.result)) return push(std::move(made));
        const access target = made.target;
        const expr before = values().load(target);
        if (made.over.empty()) {
            made.body = values().add({before, made.body});
            return push(std::move(made));
        }
        plan::slot part;
        part.kind = storage::workspace;
        for (const loop l : made.loops) part.extents.push_back(values().extent(l));
        make_row_major(part);
        made.target = {};
        made.target.slot = static_cast<std::int32_t>(made_.plan.slots.size());
        for (const loop l : made.loops) {
            plan::place p;
            p.add(l, 1);
            made.target.at.push_back(std::move(p));
        }
        parts_.push_back({made.target.slot, s.result});
        made_.plan.slots.push_back(std::move(part));
        assign added;
        added.equation = 0;
        added.as = form::map;
        added.target = target;
        added.loops = made.loops;
        added.body = values().add({before, values().load(made.target)});
        push(std::move(made));
        push(std::move(added));
    }

    // Of each tensor: the sliced indices below it.
    void find_lasting() {
        if (asked_.sliced.empty()) return;
        std::vector<std::vector<std::int32_t>> below(tree_.axes.size());
        for (std::size_t k = 0; k < tree_.operands; ++k)
            for (const std::int32_t i : tree_.axes[k])
                if (asked_.sliced[at(i)] && !has_index(below[k], i)) below[k].push_back(i);
        std::vector<std::int32_t> sliced;
        for (std::size_t i = 0; i < asked_.sliced.size(); ++i)
            if (asked_.sliced[i]) sliced.push_back(static_cast<std::int32_t>(i));
        const auto add = [](std::vector<std::int32_t>& to, const std::vector<std::int32_t>& from) {
            for (const std::int32_t i : from)
                if (!has_index(to, i)) to.push_back(i);
        };
        for (const tree_step& s : tree_.steps) {
            auto& all = below[at(s.result)];
            if (s.left >= 0) add(all, below[at(s.left)]);
            if (s.right >= 0) add(all, below[at(s.right)]);
            if (s.also >= 0) add(all, below[at(s.also)]);
            for (const part_of_output& p : parts_)
                if (p.output == s.result && all.size() < sliced.size())
                    made_.plan.slots[at(p.slot)].lasts = true;
            if (output_of(s.result) != nullptr) add(all, sliced);  // written for every range
            for (const std::int32_t factor : {s.left, s.right}) {
                if (factor < 0 || at(factor) < tree_.operands) continue;
                if (asked_.keeps || below[at(factor)].size() < all.size())
                    made_.plan.slots[at(made_.slots[at(factor)])].lasts = true;
            }
        }
    }

    const plan_request& asked_;
    const step_tree& tree_;
    network_plan made_;
    std::vector<loop> loops_;  // of each index; -1: its extent is 1
    /// What a map makes before it is added to an output.
    struct part_of_output {
        std::int32_t slot = -1, output = -1;
    };
    std::vector<part_of_output> parts_;
};

}  // namespace

network_plan plan_network(const plan_request& asked) { return network_planner(asked).take(); }

}  // namespace ricci::networks
