#include "src/network/network_plan.hpp"

#include <algorithm>
#include <utility>

#include <ricci/error.hpp>

#include "src/plan/code/emit.hpp"
#include "src/plan/code/workspace.hpp"

namespace ricci::networks {
namespace {

using plan::access;
using plan::assign;
using plan::assignment_kind;
using plan::expr;
using plan::loop;
using plan::loop_list;
using plan::storage;

class network_planner {
public:
    explicit network_planner(const plan_request& asked) : asked_(asked), tree_(*asked.tree) {
        made_.plan.type = asked.type;
        values().set_type(asked.type);
        for (const std::int64_t extent : asked.extents)
            loops_.push_back(extent == 1 ? loop::none : values().loops().fresh(ir::none, extent));
        for (std::size_t k = 0; k < tree_.axes.size(); ++k) make_slot(k);
    }

    network_plan take() {
        for (const tree_step& s : tree_.steps) {
            if (s.right < 0) sum(s);
            else multiply(s);
        }
        emit(made_.plan);
        put_loops_around();
        lay_out_workspace(made_.plan, asked_.part_ends);
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
        made_.slots.push_back(made_.plan.add(std::move(s)));
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
            if (loops_[at(i)]) p.add(loops_[at(i)], 1);
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
    bool is_constant(expr e) { return values()[e].kind == plan::kind::constant; }

    // Beside what is multiplied: the target, its loops, and what is summed.
    assign begun(const tree_step& s, assignment_kind kind, const loop_list& all) {
        assign made;
        made.equation = 0;
        made.kind = kind;
        made.target = access_of(s.result);
        made.loops = plan::loops_of(made.target);
        made.over = plan::without(all, made.loops);
        if (!made.over.empty()) made.folding = plan::fold::sum;
        return made;
    }
    void push(assign made) { made_.plan.steps.push_back(make_step(values(), std::move(made))); }

    void sum(const tree_step& s) {
        const expr from = s.left < 0 ? values().constant(1) : load(s.left);
        assign made = begun(s, assignment_kind::map, loops_of(from));
        made.body = from;
        put_map(s, std::move(made));
    }
    void multiply(const tree_step& s) {
        const expr a = load(s.left), b = load(s.right);
        // What has no elements is read as 0: a sum of nothing, which no contraction makes.
        if (is_constant(a) || is_constant(b)) {
            assign nothing = begun(s, assignment_kind::map, {});
            nothing.body = values().constant(0);
            put_map(s, std::move(nothing));
            return;
        }
        const loop_list in_a = loops_of(a), in_b = loops_of(b);
        const loop_list all = plan::united(in_a, in_b);
        assign made = begun(s, assignment_kind::contract, all);
        made.body = values().multiply({a, b});
        // One factor has all loops, and nothing is summed: element by element.
        if (made.over.empty() && (all == in_a || all == in_b)) {
            made.kind = assignment_kind::map;
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
        made.target.slot = made_.plan.add(std::move(part));
        for (const loop l : made.loops) {
            plan::place p;
            p.add(l, 1);
            made.target.at.push_back(std::move(p));
        }
        assign added;
        added.equation = 0;
        added.kind = assignment_kind::map;
        added.target = target;
        added.loops = made.loops;
        added.body = values().add({before, values().load(made.target)});
        push(std::move(made));
        push(std::move(added));
    }

    void put_loops_around() {
        plan::step_loop& around = made_.plan.around;
        for (const range_loop& l : asked_.loops) around.counts.push_back(l.count);
        for (std::size_t k = 0; k < tree_.operands; ++k) {
            plan::moving_slot m = moving(static_cast<std::int32_t>(k), asked_.operands[k].strides);
            const bool moves = m.first != 0 || std::any_of(m.advance.begin(), m.advance.end(),
                                                           [](auto bytes) { return bytes != 0; });
            m.base = static_cast<std::byte*>(const_cast<void*>(asked_.operands[k].data));
            if (moves) around.moving.push_back(std::move(m));
        }
        for (const output_memory& o : asked_.outputs) {
            if (asked_.loops.empty()) break;
            plan::moving_slot m = moving(o.tensor, o.strides);
            m.base = static_cast<std::byte*>(o.data);
            around.moving.push_back(std::move(m));
        }
        for (std::size_t k = 0; k < tree_.steps.size(); ++k)
            if (tree_.steps[k].also >= 0) {
                around.also.resize(tree_.steps.size());
                around.also[k] = made_.slots[at(tree_.steps[k].also)];
            }
        find_dependences(made_.plan, asked_.repeats);
        for (const std::int32_t tensor : asked_.left)
            made_.plan.slots[made_.slots[at(tensor)].index()].lasts = true;
        if (!asked_.keeps) return;
        for (const auto& step : made_.plan.compiled)
            for_each_slot(step, [&](plan::slot_number slot, bool writes) {
                plan::slot& s = made_.plan.slots[slot.index()];
                if (!writes && s.kind == storage::workspace) s.lasts = true;
            });
    }
    // How its memory moves with the loops; bytes.
    plan::moving_slot moving(std::int32_t tensor, std::span<const std::int64_t> strides) const {
        const auto& axes = tree_.axes[at(tensor)];
        plan::moving_slot m;
        m.slot = made_.slots[at(tensor)];
        for (const range_loop& l : asked_.loops) {
            std::int64_t stride = 0;
            for (std::size_t axis = 0; axis < axes.size(); ++axis)
                if (axes[axis] == l.index)
                    stride += strides[axis] * static_cast<std::int64_t>(size_of(asked_.type));
            m.first += stride * l.first;
            m.advance.push_back(stride * l.width);
        }
        return m;
    }

    const plan_request& asked_;
    const step_tree& tree_;
    network_plan made_;
    std::vector<loop> loops_;  // of each index; none: its extent is 1
};

}  // namespace

network_plan plan_network(const plan_request& asked) { return network_planner(asked).take(); }

}  // namespace ricci::networks
