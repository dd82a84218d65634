#include "src/plan/verify/verify_compiled.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "src/plan/pool/whole_interval.hpp"
#include "src/plan/schedule/ties.hpp"

namespace ricci::plan {
namespace {

/// The first and the last element that something reaches, and whether there is any.
struct span_of_memory {
    whole_interval elements;
    bool empty = false;

    void walk(std::int64_t extent, std::int64_t stride) {
        empty = empty || extent == 0;
        elements.add(stride, extent);
    }
    bool within(const span_of_memory& other) const {
        return empty || (!other.empty && elements.lies_within(other.elements));
    }
    bool operator==(const span_of_memory& other) const {
        return (empty && other.empty) || (empty == other.empty && elements == other.elements);
    }
};

span_of_memory reached(const operand& at, std::span<const std::int64_t> extents) {
    span_of_memory all{{at.offset, at.offset}};
    for (std::size_t l = 0; l < at.strides.size(); ++l) all.walk(extents[l], at.strides[l]);
    return all;
}

class compiled_verifier {
public:
    compiled_verifier(const program_plan& plan, const char* pass) : plan_(plan), pass_(pass) {}

    void run() {
        for (const auto& step : plan_.compiled) {
            for_each_part(step, [&](const auto& part) { check(part); });
            if (const auto* const joined = std::get_if<joined_step>(&step)) check_apart(*joined);
            ++at_;
        }
    }
    /// As long as each step is one assignment.
    void compare_with_assignments() {
        require(plan_.compiled.size() == plan_.steps.size(), "another number of steps");
        for (at_ = 0; at_ < plan_.steps.size(); ++at_) {
            const assign* const a = plan_.steps[at_].as_assign();
            if (a == nullptr) continue;
            std::visit(
                [&]<class Step>(const Step& step) {
                    if constexpr (requires { step.how; }) compare(*a, step);
                },
                plan_.compiled[at_]);
        }
    }

private:
    void require(bool holds, const char* what) const {
        if (!holds)
            throw std::logic_error(
                fmt::format("after {}: {}: compiled step {}", pass_, what, at_ + 1));
    }
    span_of_memory memory_of(slot_number number) const {
        require(number && number.index() < plan_.slots.size(), "a slot that there is not");
        const slot& s = plan_.slots[number.index()];
        require(s.kind != storage::unused && s.kind != storage::tile && s.kind != storage::number,
                "a slot without memory");
        span_of_memory all;
        for (std::size_t axis = 0; axis < s.extents.size(); ++axis)
            all.walk(s.extents[axis], s.strides[axis]);
        return all;
    }
    void check_inside(slot_number slot, const span_of_memory& walked) const {
        require(walked.within(memory_of(slot)), "an operand that leaves its memory");
    }
    void check_number(const scalar& number) const {
        for (const auto& use : number.operands) check_inside(use.slot, {{use.offset, use.offset}});
    }
    void check_walk(const walked_use& use, std::span<const std::int64_t> extents,
                    const std::vector<planned_lookup>& lookups = {}) const {
        auto all = reached(use.at, extents);
        for (const auto& l : lookups) all.walk(l.extent, l.stride);
        // Where an axis is empty, there is no place that a number could say.
        if (!std::ranges::any_of(lookups, [](const auto& l) { return l.extent == 0; }))
            check_inside(use.use.slot, all);
        for (const auto& l : lookups)
            check_inside(l.numbers.use.slot, reached(l.numbers.at, extents));
    }

    span_of_memory reached_by(const product_step& s, const product_tensor& tensor) const {
        const auto stride = &tensor == &s.a   ? &contraction_loop::a
                            : &tensor == &s.b ? &contraction_loop::b
                                              : &contraction_loop::c;
        span_of_memory all{{tensor.offset, tensor.offset}};
        for (const auto* group : s.groups())
            for (const auto& loop : *group) all.walk(loop.extent, loop.*stride);
        return all;
    }
    void check(const product_step& s) const {
        const auto extents = s.extents();
        bool nothing = false;  // an axis without elements, of which none is read
        span_of_memory reads[] = {reached_by(s, s.a), reached_by(s, s.b)};
        for (const auto& [from, all] : {std::pair(&s.a, &reads[0]), std::pair(&s.b, &reads[1])}) {
            for (const auto& e : from->edges) {
                nothing = nothing || e.extent == 0;
                all->walk(std::max<std::int64_t>(1, e.extent), e.stride);
            }
            for (const auto& l : from->lookups) {
                nothing = nothing || l.extent == 0;
                all->walk(l.extent, l.stride);
                check_inside(l.numbers.use.slot, reached(l.numbers.at, extents));
            }
            if (from->wanted.use.slot) check_walk(from->wanted, extents);
        }
        if (!nothing) check_inside(s.a.slot, reads[0]), check_inside(s.b.slot, reads[1]);
        check_inside(s.c.slot, reached_by(s, s.c));
    }
    void check(const contraction_step& s) const {
        check(static_cast<const product_step&>(s));
        check_number(s.alpha);
    }
    void check(const tie_step& s) const {
        for (const auto* const use : {&s.row, &s.column, &s.kept, &s.weight, &s.out})
            if (use->use.slot) check_walk(*use, s.extents);
    }
    void check_apart(const joined_step& s) const {
        for (const auto& one : s.parts)
            for (const auto& other : s.parts) {
                if (&one == &other) continue;
                for_each_slot(other.what, [&](slot_number slot, bool) {
                    require(slot != one.what.c.slot, "joined steps that need each other");
                });
            }
    }
    void check(const map_step& s) const {
        for (std::size_t k = 0; k < s.operands.size(); ++k)
            if (s.uses[k].slot) check_inside(s.uses[k].slot, reached(s.operands[k], s.extents));
    }
    void check(const gather_step& s) const {
        check_walk(s.out, s.extents);
        check_walk(s.in, s.extents, s.lookups);
        if (s.wanted.use.slot) check_walk(s.wanted, s.extents);
    }
    void check(const lookup_sum_step& s) const {
        check_walk(s.out, s.extents, s.scattered);
        for (const auto& f : s.factors) check_walk(f.from, s.extents, f.lookups);
        check_number(s.scale);
    }
    void check(const extremum_step& s) const {
        check_walk(s.out, s.extents);
        check_walk(s.in, s.extents);
        require(s.out.at.strides.back() == 0, "places that lie along their own axis");
    }
    void check(const scan_step& s) const {
        check_inside(s.to.slot, reached(s.out, s.extents));
        check_inside(s.from.slot, reached(s.in, s.extents));
        if (s.decays()) check_inside(s.decayed_by.slot, reached(s.decay, s.extents));
    }
    span_of_memory reached_by_side(const matrix_step& s, const matrix_step::side& at) const {
        span_of_memory all{{at.offset, at.offset}};
        all.walk(s.what.size, at.row);
        all.walk(s.what.size, at.column);
        for (std::size_t l = 0; l < at.batch.size(); ++l) all.walk(s.batch[l], at.batch[l]);
        for (std::size_t l = 0; l < at.columns.size(); ++l) all.walk(s.columns[l], at.columns[l]);
        return all;
    }
    void check(const matrix_step& s) const {
        if (s.from.use.slot) check_inside(s.from.use.slot, reached_by_side(s, s.from));
        if (s.what.task != matrix_task::factor)
            check_inside(s.to.use.slot, reached_by_side(s, s.to));
        require(s.factors.slot != slot_number::none, "factors that are nowhere");
    }
    void check(const fused_step& s) const {
        std::vector<std::int64_t> extents;
        for (const auto& l : s.group.loops) extents.push_back(l.extent);
        for (std::size_t k = 0; k < s.uses.size(); ++k)
            if (s.uses[k].slot) check_inside(s.uses[k].slot, reached(s.group.operands[k], extents));
        for (const auto& number : s.numbers) check_number(number);
    }

    /// What an access reaches, from its places and the strides of its slot alone.
    span_of_memory reached_by(const access& a, const loop_list& loops) const {
        const auto& strides = plan_.slot_of(a).strides;
        span_of_memory all;
        place address;  // of what has no edges
        for (std::size_t axis = 0; axis < a.at.size(); ++axis) {
            const place& p = a.at[axis];
            const std::int64_t stride = strides[axis];
            if (p.edge == edge::none) {
                address.add(p, stride);
                continue;
            }
            all.elements.least += stride < 0 ? p.high * stride : p.low * stride;
            all.elements.most += stride < 0 ? p.low * stride : p.high * stride;
        }
        all.elements.least += address.offset;
        all.elements.most += address.offset;
        for (const auto& t : address.terms) all.walk(plan_.values.extent(t.over), t.factor);
        for (const loop l : loops) all.empty = all.empty || plan_.values.extent(l) == 0;
        return all;
    }
    template <class Step>
    bool walks(const Step& s, const walked_use& use, const access& a, const loop_list& all) const {
        return reached(use.at, s.extents) == reached_by(a, all);
    }
    void compare(const assign& a, const contraction_step& s) const {
        const auto all = united(a.loops, a.over);
        const auto factor = [&](std::size_t k) -> const expression& {
            const auto& f = plan_.values[plan_.values[a.body].arguments[k]];
            return f.code == opcode::conjugate ? plan_.values[f.arguments[0]] : f;
        };
        require(reached_by(s, s.c) == reached_by(a.target, all),
                "a contraction that writes elsewhere");
        for (const auto& [from, k] : {std::pair(&s.a, 0u), std::pair(&s.b, 1u)}) {
            require(from->lookups.size() == factor(k).lookups.size(), "lookups that got lost");
            require(bool(from->wanted.use.slot) == factor(k).has_condition(),
                    "a condition of lookups that got lost");
            require(factor(k).edged == !from->edges.empty(), "edges that got lost");
            require(factor(k).edged || reached_by(s, *from) == reached_by(factor(k).source, all),
                    "a contraction that reads elsewhere");
        }
    }
    void compare(const assign& a, const algebra_step& s) const {
        const auto all = united(a.loops, a.over);
        const auto term = [&](std::size_t k) -> const access& {
            return plan_.values[plan_.values[a.body].arguments[k]].source;
        };
        require(reached_by(s, s.c) == reached_by(a.target, all),
                "a fold of sums that is written elsewhere");
        require(reached_by(s, s.a) == reached_by(term(0), all) &&
                    reached_by(s, s.b) == reached_by(term(1), all),
                "a fold of sums that are read elsewhere");
    }
    void compare(const assign& a, const tie_step& s) const {
        const auto all = united(a.loops, a.over);
        require(walks(s, s.out, a.target, all), "a sum over ties that is written elsewhere");
        const auto form = ties_of(plan_, a);
        require(form.has_value(), "a sum over ties that is another sum");
        const auto reads = [&](const walked_use& use, expr e) {
            return e ? walks(s, use, plan_.values[e].source, all) : !use.use.slot;
        };
        require(reads(s.row, form->row) && reads(s.column, form->column) &&
                    reads(s.kept, form->kept) && reads(s.weight, form->weight),
                "a sum over ties that is read elsewhere");
    }
    void compare(const assign& a, const map_step& s) const {
        // Folded loops do not move the result; only a softmax has them in it.
        require(reached(s.operands[0], s.extents) == reached_by(a.target, united(a.loops, a.over)),
                "a map that writes elsewhere");
    }
    void compare(const assign& a, const gather_step& s) const {
        require(walks(s, s.out, a.target, united(a.loops, a.over)),
                "a gather that writes elsewhere");
    }
    void compare(const assign& a, const lookup_sum_step& s) const {
        auto out = reached(s.out.at, s.extents);
        for (const auto& l : s.scattered) out.walk(l.extent, l.stride);
        require(out.empty || out == reached_by(a.target, a.loops),
                "lookups that are written elsewhere");
    }
    void compare(const assign& a, const matrix_step& s) const {
        const auto all = united(a.loops, a.over);
        if (s.what.task == matrix_task::factor)
            return require(
                reached_by_side(s, s.from) == reached_by(plan_.values[a.body].source, all),
                "factors of other matrices");
        require(reached_by_side(s, s.to) == reached_by(a.target, a.loops),
                "a function of matrices that is written elsewhere");
        require(
            !a.right || reached_by_side(s, s.from) == reached_by(plan_.values[a.right].source, all),
            "right-hand sides that are read elsewhere");
    }
    void compare(const assign& a, const extremum_step& s) const {
        const auto all = united(a.loops, a.over);
        require(walks(s, s.out, a.target, all), "places that are written elsewhere");
        require(walks(s, s.in, plan_.values[a.body].source, all), "values that are read elsewhere");
    }
    void compare(const assign& a, const scan_step& s) const {
        require(reached(s.out, s.extents) == reached_by(a.target, a.loops),
                "a scan that writes elsewhere");
        require(reached(s.in, s.extents) == reached_by(plan_.values[a.body].source, a.loops),
                "a scan that reads elsewhere");
        require(s.decays() == (a.decay != expr::none) && s.logarithms == a.logarithms,
                "a decay that got lost");
        require(!s.decays() || reached(s.decay, s.extents) ==
                                   reached_by(plan_.values[a.decay].source, a.loops),
                "a decay that is read elsewhere");
    }

    const program_plan& plan_;
    const char* pass_;
    std::size_t at_ = 0;
};

}  // namespace

void verify_compiled(const program_plan& plan, const char* pass) {
    const bool joined = std::ranges::any_of(
        plan.compiled, [](const auto& step) { return std::holds_alternative<joined_step>(step); });
    if (!joined) compiled_verifier(plan, pass).compare_with_assignments();
    compiled_verifier(plan, pass).run();
}

}  // namespace ricci::plan
