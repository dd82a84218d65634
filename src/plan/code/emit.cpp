// The last pass: assignments become loops with strides, and programs of instructions.
#include "src/plan/code/emit.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "src/plan/code/assembler.hpp"
#include "src/plan/code/classify.hpp"
#include "src/plan/schedule/sums_of_two.hpp"
#include "src/plan/schedule/ties.hpp"

namespace ricci::plan {
namespace {

double count_flops(const std::vector<instruction>& program) {
    double flops = 0;
    for (const auto& i : program) flops += arity(i.code) > 0 ? 1 : 0;
    return flops;
}

/// Compiles one assignment.
class emitter {
public:
    explicit emitter(const program_plan& plan) : plan_(plan), graph_(plan.values) {}

    contraction_step contract(const assign& a) const {
        auto c = begun<contraction_step>(a);
        const auto& factors = graph_[a.body].arguments;
        const auto load = [&](expr factor, product_operand& to) -> const expression& {
            to.conjugated = graph_[factor].kind == kind::operation;
            return graph_[to.conjugated ? graph_[factor].arguments[0] : factor];
        };
        const expression& left = load(factors[0], c.a);
        const expression& right = load(factors[1], c.b);
        c.beta = a.beta;
        const loop_list loops = put_product(c, a, left, right);
        for (const auto& [node, to] : {std::pair(&left, &c.a), std::pair(&right, &c.b)}) {
            to->edges = edges_of(node->source, loops);
            to->lookups = lookups_of(*node, loops);
            to->wanted = wanted_of(*node, loops);
        }
        c.alpha = compile_number(plan_, a.scale);
        if (a.beta != 0) c.bytes += bytes_of(a.loops);
        return c;
    }

    algebra_step algebra(const assign& a, sum_algebra by) const {
        auto s = begun<algebra_step>(a);
        s.algebra = by;
        const auto& terms = graph_[a.body].arguments;
        put_product(s, a, graph_[terms[0]], graph_[terms[1]]);
        return s;
    }

    tie_step ties(const assign& a, const tie_form& form) const {
        auto s = begun<tie_step>(a);
        s.test = form.test;
        s.number = form.number;
        const auto by = [&](const loop_list& loops, const access& of) {
            return by_stride(loops, address_of(of));
        };
        loop_list all;
        const auto put = [&](const loop_list& loops, std::vector<named_loop>& names) {
            for (const loop l : loops) {
                all.push_back(l);
                s.extents.push_back(graph_.extent(l));
                names.push_back({graph_.loops().letter(l), graph_.extent(l)});
            }
        };
        put(by(form.batch, a.target), s.batch);
        put(by(form.m, a.target), s.m);
        put(by(form.n, graph_[form.column].source), s.n);
        put(by(form.k, graph_[form.row].source), s.k);
        const auto use = [&](expr e) {
            s.bytes += bytes_of(graph_[e].indices);
            return walked(graph_[e].source, all);
        };
        s.row = use(form.row);
        s.column = use(form.column);
        s.kept = use(form.kept);
        if (form.weight) s.weight = use(form.weight);
        s.out = walked(a.target, all);
        s.bytes += bytes_of(a.loops);
        s.flops = 3 * graph_.size(all);
        return s;
    }

    map_step map(const assign& a) const {
        auto m = begun<map_step>(a);
        m.folding = a.folding;
        m.folded = static_cast<std::int32_t>(a.over.size());
        const place target = address_of(a.target);
        const expression& value = graph_[a.body];
        const bool wide =
            value.widest && graph_[value.widest].indices.size() == value.indices.size();
        auto loops = by_stride(without(a.loops, a.over), target);
        for (const loop i :
             by_stride(a.over, wide ? address_of(graph_[value.widest].source) : target))
            loops.push_back(i);
        run_over(loops, m);

        const auto operand_at = [&](slot_number slot, const place& at, ir::range positions) {
            operand o = walked(at, loops);
            for (std::size_t k = 1; k < m.operands.size(); ++k) {
                const auto& known = m.operands[k];
                if (m.uses[k].slot == slot && known.offset == o.offset &&
                    known.strides == o.strides)
                    return static_cast<std::int32_t>(k);
            }
            if (slot) {
                double elements = 1;
                for (std::size_t k = 0; k < o.strides.size(); ++k)
                    if (o.strides[k] != 0) elements *= static_cast<double>(m.extents[k]);
                m.bytes += elements * element_bytes();
            }
            m.operands.push_back(std::move(o));
            m.uses.push_back({slot, positions});
            return static_cast<std::int32_t>(m.operands.size()) - 1;
        };
        operand_at(a.target.slot, target, a.target.positions);
        const auto load = [&](const access& from) {
            return operand_at(from.slot, address_of(from), from.positions);
        };
        const auto position = [&](const place& at) {
            return operand_at(slot_number::none, at, {});
        };
        assembler program(graph_, load, position);
        program.value(a.body);
        m.program = program.take();
        m.flops = graph_.size(united(a.loops, a.over)) *
                  (count_flops(m.program) + (a.folding == fold::none ? 0 : 1));
        return m;
    }

    gather_step gather(const assign& a) const {
        auto g = begun<gather_step>(a);
        const expression& node = graph_[a.body];
        const auto loops = by_stride(a.loops, address_of(a.target));
        run_over(loops, g);
        g.wanted = wanted_of(node, loops);
        g.lookups = lookups_of(node, loops);
        g.out = walked(a.target, loops);
        g.in = walked(node.source, loops);
        g.bytes = 2 * bytes_of(a.loops);
        return g;
    }

    gather_step scatter(const assign& a) const {
        auto g = begun<gather_step>(a);
        g.scatter = true;
        const expression& rows = graph_[a.body];
        // What is summed comes first, in the order of the rows.
        auto loops = by_stride(a.over, address_of(rows.source));
        for (const loop i : by_stride(without(a.loops, a.over), address_of(a.target)))
            loops.push_back(i);
        run_over(loops, g);
        g.out = walked(a.target, loops);
        g.in = walked(rows.source, loops);
        g.flops = graph_.size(a.loops);
        g.bytes = 3 * bytes_of(a.loops);
        return g;
    }

    lookup_sum_step lookups(const assign& a) const {
        auto s = begun<lookup_sum_step>(a);
        s.adds = a.beta != 0;
        s.by = monoid_of(a.folding).value_or(monoid::sum);
        s.scale = compile_number(plan_, a.scale);
        access target = a.target;
        for (place& p : target.at) p = p.without(a.scattered);
        const auto factors = lookup_factors(graph_, a.body);
        const expression* widest = nullptr;
        for (const expr f : factors)
            if (widest == nullptr || graph_.size(graph_[f].indices) > graph_.size(widest->indices))
                widest = &graph_[f];
        auto loops = by_stride(without(a.loops, {a.scattered}), address_of(target));
        s.free = loops.size();
        // What is summed goes in the order of the numbers, or of the largest factor.
        const auto summed_by = [&]() -> place {
            if (a.scattered) return address_of(graph_[a.numbers].source);
            for (const expr f : factors)
                if (graph_[f].kind == kind::gather)
                    return address_of(graph_[graph_[f].arguments[0]].source);
            return widest == nullptr ? place{} : address_of(widest->source);
        };
        for (const loop i : by_stride(a.over, summed_by())) loops.push_back(i);
        run_over(loops, s);
        s.out = walked(target, loops);
        for (const expr f : factors) {
            const auto& node = graph_[f];
            auto& made = s.factors.emplace_back();
            made.from = walked(node.source, loops);
            made.lookups = lookups_of(node, loops);
        }
        if (a.scattered)
            s.scattered.push_back({walked(graph_[a.numbers].source, loops),
                                   address_of(a.target).factor(a.scattered),
                                   graph_.extent(a.scattered),
                                   {}});
        const double products = graph_.size(united(without(a.loops, {a.scattered}), a.over));
        s.flops = products * static_cast<double>(std::max<std::size_t>(factors.size(), 1));
        for (const expr f : factors) s.bytes += bytes_of(graph_[f].indices);
        s.bytes += bytes_of(a.loops);
        return s;
    }

    extremum_step extremum(const assign& a) const {
        auto s = begun<extremum_step>(a);
        s.largest = a.folding == fold::maximum;
        const access& source = graph_[a.body].source;
        auto loops = by_stride(a.loops, address_of(source));
        loops.push_back(a.over[0]);
        run_over(loops, s);
        s.out = walked(a.target, loops);
        s.in = walked(source, loops);
        s.flops = graph_.size(united(a.loops, a.over));
        s.bytes = bytes_of(graph_[a.body].indices) +
                  graph_.size(a.loops) * static_cast<double>(size_of(element::i32));
        return s;
    }

    scan_step scan(const assign& a) const {
        auto s = begun<scan_step>(a);
        s.folding = a.folding;
        s.backwards = a.backwards;
        const access& source = graph_[a.body].source;
        run_over(a.loops, s);
        s.along = static_cast<std::size_t>(std::ranges::find(a.loops, a.along) - a.loops.begin());
        s.out = walked(address_of(a.target), a.loops);
        s.in = walked(address_of(source), a.loops);
        s.to = {a.target.slot, a.target.positions};
        s.from = {source.slot, source.positions};
        if (a.decay) {
            const access& decay = graph_[a.decay].source;
            s.decay = walked(address_of(decay), a.loops);
            s.decayed_by = {decay.slot, decay.positions};
            s.logarithms = a.logarithms;
        }
        const double tensors = s.decays() ? 3 : 2;
        s.flops = (tensors - 1) * graph_.size(a.loops);
        s.bytes = tensors * bytes_of(a.loops);
        return s;
    }

private:
    template <class Step>
    static Step begun(const assign& a) {
        Step step;
        step.equation = a.equation;
        step.hides = a.hides;
        return step;
    }
    const slot& slot_of(const access& a) const { return plan_.slots[a.slot.index()]; }
    place address_of(const access& a) const { return plan::address_of(a, slot_of(a).strides); }

    /// Writes the operands of a product of two tensors, its loops in their groups, and its price;
    /// gives the loops in the order of the groups.
    loop_list put_product(product_step& c, const assign& a, const expression& left,
                          const expression& right) const {
        const place at_a = address_inside(left.source), at_b = address_inside(right.source),
                    at_c = address_of(a.target);
        const auto put = [](product_tensor& to, const access& from, const place& at) {
            to.slot = from.slot;
            to.positions = from.positions;
            to.offset = at.offset;
        };
        put(c.a, left.source, at_a);
        put(c.b, right.source, at_b);
        put(c.c, a.target, at_c);
        const auto all = united(left.indices, right.indices);
        const std::array groups{&c.batch, &c.m, &c.n, &c.k};
        const std::array names{&c.batch_names, &c.m_names, &c.n_names, &c.k_names};
        std::array<loop_list, 4> loops;
        c.flops = 2 * graph_.size(all);
        for (const loop i : all) {
            const std::int64_t extent = graph_.extent(i);
            const bool in_a = contains(left.indices, i), in_b = contains(right.indices, i);
            const std::size_t group = contains(a.over, i) ? 3 : in_a && in_b ? 0 : in_a ? 1 : 2;
            groups[group]->push_back({extent, at_a.factor(i), at_b.factor(i), at_c.factor(i)});
            names[group]->push_back({graph_.loops().letter(i), extent});
            loops[group].push_back(i);
        }
        c.bytes = (graph_.size(left.indices) + graph_.size(right.indices) +
                   graph_.size(without(all, a.over))) *
                  element_bytes();
        loop_list in_order;
        for (const auto& group : loops) in_order.insert(in_order.end(), group.begin(), group.end());
        return in_order;
    }
    /// Without what axes with edges add, of which it is at the first place within the bounds.
    place address_inside(access a) const {
        for (place& p : a.at) {
            if (p.edge != edge::none) p = {p.low, {}};
        }
        return address_of(a);
    }
    std::vector<edged_axis> edges_of(const access& a, const loop_list& loops) const {
        std::vector<edged_axis> edges;
        for (std::size_t axis = 0; axis < a.at.size(); ++axis) {
            const place& p = a.at[axis];
            if (p.edge == edge::none) continue;
            edged_axis made;
            made.kind = p.edge == edge::clamp  ? steps::edge::clamp
                        : p.edge == edge::wrap ? steps::edge::wrap
                                               : steps::edge::zero;
            made.extent = p.high - p.low + 1;
            made.stride = slot_of(a).strides[axis];
            made.offset = p.offset - p.low;
            for (const loop l : loops) made.factors.push_back(p.factor(l));
            edges.push_back(std::move(made));
        }
        return edges;
    }
    double element_bytes() const { return static_cast<double>(size_of(plan_.type)); }

    void run_over(const loop_list& loops, looped_step& step) const {
        for (const loop l : loops) {
            step.extents.push_back(graph_.extent(l));
            step.indices.push_back(graph_.loops().letter(l));
        }
    }
    double bytes_of(const loop_list& loops) const { return graph_.size(loops) * element_bytes(); }

    static operand walked(const place& at, const loop_list& loops) {
        operand o;
        o.offset = at.offset;
        o.strides.reserve(loops.size());
        for (const loop i : loops) o.strides.push_back(at.factor(i));
        return o;
    }
    std::vector<planned_lookup> lookups_of(const expression& node, const loop_list& loops) const {
        std::vector<planned_lookup> all;
        for (std::size_t k = 0; k < node.lookups.size(); ++k) {
            const auto axis = static_cast<std::size_t>(node.lookups[k].axis);
            const slot& source = slot_of(node.source);
            const auto words = node.lookups[k].words;
            all.push_back({walked(graph_[node.arguments[k]].source, loops), source.strides[axis],
                           source.extents[axis], words ? plan_.place_words[words.index()] : "",
                           node.lookups[k].may_stray});
        }
        return all;
    }
    /// The condition of a gather; of slot -1 where it has none.
    walked_use wanted_of(const expression& node, const loop_list& loops) const {
        if (node.kind != kind::gather || !node.has_condition()) return {};
        return walked(graph_[node.arguments.back()].source, loops);
    }
    walked_use walked(const access& a, const loop_list& loops) const {
        return {walked(address_of(a), loops), {a.slot, a.positions}};
    }

    const program_plan& plan_;
    const graph& graph_;
};

}  // namespace

scalar compile_number(const program_plan& plan, expr e) {
    const graph& values = plan.values;
    scalar result;
    if (values[e].kind == kind::constant) {
        result.value = values[e].value;
        return result;
    }
    const auto load = [&](const access& from) {
        result.operands.push_back({from.slot, address_of(from, plan.slot_of(from).strides).offset});
        return static_cast<std::int32_t>(result.operands.size()) - 1;
    };
    const auto position = [](const place&) { return -1; };  // a number has no positions
    assembler program(values, load, position);
    program.value(e);
    result.instructions = program.take();
    return result;
}

compiled_step compile(const program_plan& plan, const assign& a) {
    const emitter make(plan);
    const auto classified = [&](auto step) {
        step.how = classify(step, plan.type);
        return step;
    };
    switch (a.kind) {
        case assignment_kind::contract: {
            auto contraction = classified(make.contract(a));
            if (contraction.how.taken.how != way::fold) return contraction;
            auto fold = make.map(a);
            fold.how = contraction.how;
            return fold;
        }
        case assignment_kind::map: {
            auto map = classified(make.map(a));
            // The cheaper one of two steps, which knows of the other.
            const auto cheaper = [&](auto product) -> compiled_step {
                const bool folds = map.how.taken.cycles < product.how.taken.cycles;
                auto& how = folds ? map.how : product.how;
                how.runner_up = (folds ? product.how : map.how).taken;
                if (folds) return map;
                return product;
            };
            if (const auto by = algebra_of(plan, a))
                return cheaper(classified(make.algebra(a, *by)));
            if (const auto form = ties_of(plan, a)) return cheaper(classified(make.ties(a, *form)));
            return map;
        }
        case assignment_kind::gather:
            return classified(make.gather(a));
        case assignment_kind::lookups:
            return classified(make.lookups(a));
        case assignment_kind::scatter:
            return classified(make.scatter(a));
        case assignment_kind::extremum:
            return classified(make.extremum(a));
        case assignment_kind::scan:
            return classified(make.scan(a));
        case assignment_kind::matrix:
            return classified(compile_matrix(plan, a));
    }
    return {};
}

double flops_of(const program_plan& plan, const assign& a) {
    const graph& values = plan.values;
    if (a.kind == assignment_kind::contract) return 2 * values.size(united(a.loops, a.over));
    if (a.kind == assignment_kind::gather) return 0;
    if (a.kind == assignment_kind::matrix) return compile_matrix(plan, a).flops;
    if (a.kind == assignment_kind::scatter || a.kind == assignment_kind::scan)
        return values.size(a.loops);
    if (a.kind == assignment_kind::extremum) return values.size(united(a.loops, a.over));
    if (a.kind == assignment_kind::lookups)
        return 2 * values.size(united(without(a.loops, {a.scattered}), a.over));
    const auto load = [](const access&) { return 0; };
    const auto position = [](const place&) { return 0; };
    assembler program(values, load, position);
    program.value(a.body);
    return values.size(united(a.loops, a.over)) *
           (count_flops(program.take()) + (a.folding == fold::none ? 0 : 1));
}

void emit(program_plan& plan) {
    plan.compiled.clear();
    plan.compiled.reserve(plan.steps.size());
    plan.compiled_passes = plan.passes;
    for (const auto& s : plan.steps) {
        std::visit([&](const auto& what) { plan.compiled.push_back(compile(plan, what)); }, s.what);
    }
}

}  // namespace ricci::plan
