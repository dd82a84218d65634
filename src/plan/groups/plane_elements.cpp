// Elements of a group's planes that a step reads alone.
#include "src/plan/groups/plane_elements.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace ricci::plan {
namespace {

/// Where a plane is read: a place for each of its axes, or a number that a tensor says.
struct reading {
    access at;
    std::vector<lookup_axis> lookups;
    expr_list numbers;  // one for each of these
    expr wanted;        // where it is 0 the places need not exist; none: everywhere
};

reading reading_of(const expression& node) {
    reading result{node.source, node.lookups, {}, expr::none};
    for (std::size_t k = 0; k < node.arguments.size(); ++k)
        if (k < node.lookups.size()) result.numbers.push_back(node.arguments[k]);
        else result.wanted = node.arguments[k];
    return result;
}

/// The axis of what a step makes along which its loop runs, -1: it is summed.
std::int32_t axis_of(const assign& maker, loop l) {
    for (std::size_t axis = 0; axis < maker.target.at.size(); ++axis)
        if (maker.target.at[axis].factor(l) != 0) return static_cast<std::int32_t>(axis);
    return -1;
}

const lookup_axis* lookup_at(const std::vector<lookup_axis>& lookups, std::int32_t axis) {
    const auto found =
        std::ranges::find_if(lookups, [&](const lookup_axis& l) { return l.axis == axis; });
    return found == lookups.end() ? nullptr : &*found;
}

/// Where an operand of a step is read for one element of what it makes; `fresh`: other names for
/// the loops that it sums.
reading read_for(const assign& maker, const reading& element, const access& operand,
                 const loop_map& fresh) {
    reading result{operand, {}, {}, element.wanted};
    for (std::size_t axis = 0; axis < operand.at.size(); ++axis) {
        place& now = result.at.at[axis];
        now = {operand.at[axis].offset, {}};
        for (const term& t : operand.at[axis].terms) {
            const std::int32_t from = axis_of(maker, t.over);
            if (from < 0) {
                now.add(renamed(t.over, fresh), t.factor);
            } else if (const auto* found = lookup_at(element.lookups, from)) {
                lookup_axis there = *found;
                there.axis = static_cast<std::int32_t>(axis);
                result.lookups.push_back(there);
                result.numbers.push_back(
                    element.numbers[static_cast<std::size_t>(found - element.lookups.data())]);
            } else {
                now.add(element.at.at[static_cast<std::size_t>(from)], t.factor);
            }
        }
    }
    return result;
}

/// Whether the steps that write a plane can be followed to single elements.
class followed_makers {
public:
    followed_makers(const program_plan& plan, const std::vector<slot_uses>& uses,
                    const plane_test& is_plane)
        : plan_(plan), values_(plan.values), uses_(uses), is_plane_(is_plane) {}

    /// `lookups`: the axes of it that are looked up. The steps have to be before `end`.
    bool follow(slot_number plane, const std::vector<lookup_axis>& lookups, std::size_t end) const {
        const auto& writers = uses_[plane.index()].writers;
        if (writers.empty() || writers.back() >= end) return false;
        return std::ranges::all_of(writers, [&](std::size_t w) {
            const assign* maker = plan_.steps[w].as_assign();
            const bool first = w == writers.front();
            return maker != nullptr && std::ranges::all_of(maker->target.at, is_whole_axis) &&
                   (follows_product(*maker, lookups, first) ||
                    follows_map(*maker, w, lookups, first));
        });
    }

private:
    bool follows_product(const assign& maker, const std::vector<lookup_axis>& lookups,
                         bool first) const {
        return maker.kind == assignment_kind::contract && maker.beta == (first ? 0 : 1) &&
               std::ranges::all_of(values_[maker.body].arguments, [&](expr e) {
                   const auto& factor = values_[e];
                   return factor.kind == kind::load && !factor.edged &&
                          stands_alone(maker, lookups, factor.source);
               });
    }

    bool follows_map(const assign& maker, std::size_t step, const std::vector<lookup_axis>& lookups,
                     bool first) const {
        return maker.kind == assignment_kind::map && maker.folding == fold::none &&
               maker.over.empty() && follows_value(maker, step, maker.body, lookups, first);
    }

    bool follows_value(const assign& maker, std::size_t step, expr e,
                       const std::vector<lookup_axis>& lookups, bool first) const {
        const auto& node = values_[e];
        if (node.edged) return false;
        switch (node.kind) {
            case kind::constant:
                return true;
            case kind::position:
                return std::ranges::none_of(node.at.terms, [&](const term& t) {
                    return lookup_at(lookups, axis_of(maker, t.over)) != nullptr;
                });
            case kind::load:
                if (node.source.slot == maker.target.slot)
                    return !first && node.source.at == maker.target.at;
                return stands_alone(maker, lookups, node.source) &&
                       (!is_plane_(node.source.slot) ||
                        follow(
                            node.source.slot,
                            read_for(maker,
                                     {maker.target, lookups, expr_list(lookups.size()), expr::none},
                                     node.source, {})
                                .lookups,
                            step));
            case kind::operation:
                return std::ranges::all_of(node.arguments, [&](expr a) {
                    return follows_value(maker, step, a, lookups, first);
                });
            default:
                return false;
        }
    }

    // Loops that are looked up stand alone in their axes of an operand.
    static bool stands_alone(const assign& maker, const std::vector<lookup_axis>& lookups,
                             const access& operand) {
        return std::ranges::all_of(operand.at, [&](const place& p) {
            return is_whole_axis(p) || std::ranges::none_of(p.terms, [&](const term& t) {
                       return lookup_at(lookups, axis_of(maker, t.over)) != nullptr;
                   });
        });
    }

    const program_plan& plan_;
    const graph& values_;
    const std::vector<slot_uses>& uses_;
    const plane_test& is_plane_;
};

/// Makes the steps that give elements of planes, for one step that reads them.
class element_maker {
public:
    element_maker(program_plan& plan, const std::vector<slot_uses>& uses, std::size_t step,
                  const plane_test& is_plane, std::vector<made_step>& made)
        : plan_(plan),
          values_(plan.values),
          uses_(uses),
          step_(step),
          is_plane_(is_plane),
          made_(made),
          reader_(*plan.steps[step].as_assign()) {}

    void run() {
        for (const effect& t : plan_.steps[step_].effects)
            if (!is_plane_(t.slot)) effects_.push_back({t.slot, step_, t.writes});
        const auto& body = values_[reader_.body];
        if (reader_.kind == assignment_kind::gather) {
            const reading picked = reading_of(body);
            const auto& writers = uses_[picked.at.slot.index()].writers;
            if (writers.size() == 1 &&
                plan_.steps[writers.front()].as_assign()->kind == assignment_kind::contract) {
                product_into(reader_.target, picked, writers.front());
                return;
            }
            reader_.kind = assignment_kind::map;
            reader_.body = value_of(picked);
            if (picked.wanted)
                reader_.body =
                    values_.apply(opcode::select, picked.wanted, reader_.body, values_.constant(0));
        } else {
            reader_.body = values_.substituted(reader_.body, [&](expr e) {
                const bool line =
                    values_[e].kind == kind::load && is_plane_(values_[e].source.slot);
                return line ? value_of(reading_of(values_[e])) : expr::none;
            });
        }
        made_.push_back({make_step(values_, std::move(reader_)), std::move(effects_)});
    }

private:
    using timed_effects = std::vector<made_step::timed_effect>;

    /// The value of a plane's element: what its writers make of it, one after the other.
    expr value_of(const reading& element) {
        expr value = expr::none;
        const auto writers = uses_[element.at.slot.index()].writers;
        for (const std::size_t w : writers) {
            const assign maker = *plan_.steps[w].as_assign();
            if (maker.kind == assignment_kind::map) {
                value = mapped(maker, w, element, value);
                continue;
            }
            const access target = add_memory(plan_, loops_of(element));
            product_into(target, element, w);
            effects_.push_back({target.slot, step_ + 1, false});
            const expr product = values_.load(target);
            value = value ? values_.add({value, product}) : product;
        }
        return value;
    }

    /// What a map makes of the element; `before`: its value until then.
    expr mapped(const assign& maker, std::size_t when, const reading& element, expr before) {
        return values_.substituted(maker.body, [&](expr e) {
            const expression node = values_[e];
            if (node.kind == kind::position) {
                access at;
                at.at.push_back(node.at);
                return values_.position(read_for(maker, element, at, {}).at.at[0]);
            }
            if (node.kind != kind::load) return expr::none;
            if (node.source.slot == maker.target.slot) return before;
            const auto there = read_for(maker, element, node.source, {});
            if (is_plane_(node.source.slot)) return value_of(there);
            return operand(there, when, node.condition, effects_);
        });
    }

    /// An element of a tensor in memory, as it is at a step; it is read by what has the `effects`.
    expr operand(const reading& there, std::size_t when, bool condition, timed_effects& effects) {
        const slot_number source = there.at.slot;
        if (there.lookups.empty()) {
            effects.push_back({source, when, false});
            return values_.load(there.at, condition);
        }
        auto numbers = there.numbers;
        if (there.wanted) numbers.push_back(there.wanted);
        const expr picked = values_.gather(there.at, there.lookups, numbers, {}, condition);
        // Loops that are summed come last.
        const loop_list& loops = values_[picked].indices;
        const loop_list summed = without(loops, reader_.loops);
        loop_list axes = without(loops, summed);
        for (const loop l : summed) axes.push_back(l);
        assign rows = begun(reader_.equation, assignment_kind::gather, add_memory(plan_, axes));
        rows.body = picked;
        timed_effects of_rows{{rows.target.slot, step_, true}, {source, when, false}};
        values_.for_each_load(numbers, [&](const access& a) {
            of_rows.push_back({a.slot, step_, false});
        });
        effects.push_back({rows.target.slot, step_ + 1, false});
        const access from = rows.target;
        made_.push_back({make_step(values_, std::move(rows)), std::move(of_rows)});
        return values_.load(from);
    }

    /// The element of a product that step `when` makes, as a sum into `target`.
    void product_into(const access& target, const reading& element, std::size_t when) {
        const assign maker = *plan_.steps[when].as_assign();
        loop_map fresh;
        loop_list over;
        for (const loop l : maker.over) {
            fresh.emplace_back(l, values_.loops().fresh(l));
            over.push_back(fresh.back().second);
        }
        std::ranges::sort(over);
        timed_effects of_sum{{target.slot, step_, true}};
        expr_list factors{maker.scale};
        const auto pair = values_[maker.body].arguments;
        for (const expr e : pair) {
            const access factor = values_[e].source;
            factors.push_back(
                operand(read_for(maker, element, factor, fresh), when, false, of_sum));
        }
        assign sum = map_into(reader_.equation, target, values_.multiply(factors), fold::sum, over);
        made_.push_back({make_step(values_, std::move(sum)), std::move(of_sum)});
    }

    loop_list loops_of(const reading& element) const {
        loop_list loops = plan::loops_of(element.at);
        for (const expr number : element.numbers) loops = united(loops, values_[number].indices);
        if (element.wanted) loops = united(loops, values_[element.wanted].indices);
        return loops;
    }

    program_plan& plan_;
    graph& values_;
    const std::vector<slot_uses>& uses_;
    std::size_t step_;
    const plane_test& is_plane_;
    std::vector<made_step>& made_;
    assign reader_;
    timed_effects effects_;  // of what is made of the reader
};

}  // namespace

bool can_read_elements(const program_plan& plan, const std::vector<slot_uses>& uses,
                       std::size_t step, const plane_test& is_plane) {
    const assign& a = *plan.steps[step].as_assign();
    const auto& body = plan.values[a.body];
    const followed_makers makers(plan, uses, is_plane);
    if (a.kind == assignment_kind::gather) {
        const auto& target = plan.slot_of(a.target);
        if (body.kind != kind::gather || target.is_foreign || target.is_truth) return false;
        const auto of_plane = [&](const access& from) { return is_plane(from.slot); };
        return !plan.values.any_load(body.arguments, of_plane) &&
               makers.follow(body.source.slot, body.lookups, step);
    }
    if (a.kind != assignment_kind::map || is_plane(a.target.slot)) return false;
    return all_loads(plan.values, a, [&](const access& from) {
        if (!is_plane(from.slot)) return true;
        const auto& writers = uses[from.slot.index()].writers;
        const assign* maker = writers.empty() ? nullptr : plan.steps[writers.front()].as_assign();
        return maker != nullptr && loops_of(from).size() < maker->loops.size() && !has_edge(from) &&
               makers.follow(from.slot, {}, step);
    });
}

void read_elements(program_plan& plan, const std::vector<slot_uses>& uses, std::size_t step,
                   const plane_test& is_plane, std::vector<made_step>& made) {
    element_maker(plan, uses, step, is_plane, made).run();
}

}  // namespace ricci::plan
