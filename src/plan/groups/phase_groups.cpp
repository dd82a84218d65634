// The step that is written for a phase of a fused group.
#include <algorithm>
#include <functional>
#include <utility>

#include "src/plan/code/emit.hpp"
#include "src/plan/groups/phases.hpp"
#include "src/plan/groups/group_memory.hpp"
#include "src/plan/pool/scalar.hpp"
#include "src/plan/pool/weights_again.hpp"

namespace ricci::plan {
namespace {

// What a worker's memory has room for.
constexpr std::size_t most_tiles = 32, most_operands = 96;
// Quick operations that take longer than writing and reading a tile.
constexpr double costly_part = 4;

expr squared_difference(graph& values, const distance_parts& of) {
    const expr minus = values.as_written(opcode::multiply, {values.constant(-1), of.b});
    const expr square =
        values.as_written(opcode::square, {values.as_written(opcode::add, {of.a, minus})});
    return of.weight ? values.as_written(opcode::multiply, {of.weight, square}) : square;
}

bool in_effects(const std::vector<made_step::timed_effect>& effects, slot_number slot) {
    return std::ranges::any_of(effects, [&](const auto& t) { return t.slot == slot; });
}

}  // namespace

// The products that values are made of, in the order in which they were found.
void phases::add_tiles(fused& group, const expr_list& of) {
    slot_set read;
    plan_.values.for_each_load(of, [&](const access& a) { read.insert(a.slot); });
    for (const auto& p : tiles_.products()) {
        if (!read.contains(p.tile.slot)) continue;
        const assign& made = group_.at(p.step);
        member m;
        const auto distance = distance_of(plan_.values, made);
        m.kind = distance ? member_kind::distance : member_kind::product;
        m.what = made;
        m.what.target = p.tile;
        m.what.loops = loops_of(p.tile);
        m.what.over = renamed(made.over, tiles_.names_of(p.step));
        m.what.body = tiles_.renamed(p.step, made.body);
        if (distance) {
            m.what.folding = fold::sum;
            m.what.body = tiles_.renamed(p.step, squared_difference(plan_.values, *distance));
        }
        m.what.beta = 0;
        group.members.push_back(std::move(m));
    }
}

// The weights of softmaxes, with what the next phase needs; in that phase the same again.
void phases::add_weights(fused& group, bool late, const std::vector<consumer*>& chosen,
                         expr_list& roots) {
    auto& values = plan_.values;
    const loop_list columns = sorted(loops_of(group.loops, loop_role::column));
    for (std::size_t k = 0; k < tiles_.softmaxes().size(); ++k) {
        const auto softmax = tiles_.softmaxes()[k];
        assign made;
        made.equation = group.equation;
        made.body = softmax.score;
        made.loops = loops_of(softmax.tile);
        if (late) {
            const bool used = std::ranges::any_of(
                roots, [&](expr root) { return reads(root, softmax.tile.slot); });
            if (!used) continue;
            const access again = tiles_.new_tile(plan_.slot_of(softmax.tile).name);
            made.target = again;
            made.body = weights_again(values, {softmax.score, values.load(sums_[k].maximum),
                                               values.load(sums_[k].largest)});
            group.members.push_back({member_kind::recomputed, std::move(made), {}, {}});
            for (expr& root : roots)
                root = values.substituted(root, [&](expr e) {
                    const bool weights =
                        values[e].kind == kind::load && values[e].source.slot == softmax.tile.slot;
                    return weights ? values.load(again) : expr::none;
                });
            continue;
        }
        const bool wanted = std::ranges::any_of(
            chosen, [&](const consumer* c) { return c->weights == static_cast<std::int32_t>(k); });
        if (!wanted && !sums_[k].any()) continue;
        made.target = softmax.tile;
        made.folding = fold::softmax;
        made.over = columns;
        group.members.push_back({member_kind::weights, made, {}, {}});
        const auto add = [&](member_kind kind, fold folding, expr body, const access& target) {
            if (!target.slot) return;
            made.folding = folding;
            made.body = body;
            made.target = target;
            made.loops = loops_of(target);
            group.members.push_back({kind, made, {}, {}});
        };
        add(member_kind::log_sum, fold::logsumexp, softmax.score, sums_[k].log_sum);
        add(member_kind::excess, fold::excess, softmax.score, sums_[k].excess);
        add(member_kind::maximum, fold::maximum, softmax.score, sums_[k].maximum);
        add(member_kind::largest, fold::maximum, values.load(softmax.tile), sums_[k].largest);
    }
}

void phases::count(fused& group, const step_set& steps) const {
    for (const std::size_t number : steps) {
        const assign& a = group_.at(number);
        group.flops += flops_of(plan_, a);
        group.hides = group.hides || a.hides;
        if (std::ranges::find(group.equations, a.equation) == group.equations.end())
            group.equations.push_back(a.equation);
        const auto plane = group_.planes.find(a.target.slot);
        const bool known = std::ranges::any_of(
            group.unstored, [&](const access& u) { return u.slot == a.target.slot; });
        if (plane == group_.planes.end() || known) continue;
        group.unstored.push_back(a.target);
        double elements = 1;
        for (std::size_t g = 0; g < group_.loops.size(); ++g)
            if (plane->second[g].axis >= 0) elements *= static_cast<double>(group_.extent(g));
        group.saved_bytes += elements * static_cast<double>(size_of(plan_.computed_type()));
    }
}

// The steps whose work a phase does.
step_set phases::steps_of(std::int32_t phase) const {
    step_set steps;
    for (const auto& c : consumers_) {
        if (c.replaced || c.phase != phase) continue;
        steps.merge(c.needs);
        steps.insert(c.step);
    }
    return steps;
}

// What several values have in common and use in several ways, where it costs more to make it again
// than to read it: tiles of their own, in an order in which they can be made.
expr_list phases::common_parts(const expr_list& roots) const {
    const auto& values = plan_.values;
    struct uses {
        small_set<expr, 4> roots, users;
        double cost = 0;  // in quick operations
    };
    std::map<expr, uses> parts;
    // What it costs beside the parts of the root that were seen already.
    const std::function<double(expr, expr, expr)> look = [&](expr e, expr user, expr root) {
        const auto& node = values[e];
        if (node.kind != kind::operation) return 0.0;
        auto& mine = parts[e];
        mine.users.insert(user);
        if (!mine.roots.insert(root)) return 0.0;
        double cost = is_expensive(node.code) ? costly_part : 1;
        for (const expr a : node.arguments) cost += look(a, e, root);
        mine.cost = std::max(mine.cost, cost);
        return cost;
    };
    for (const expr root : roots) look(root, expr::none, root);
    expr_list result;
    for (const auto& [e, found] : parts)
        if (found.roots.size() > 1 && found.users.size() > 1 && found.cost >= costly_part)
            result.push_back(e);
    return result;
}

// The tile that has a value: the one there is, or a new one. What is a tile already is read, not
// made again.
access phases::tile_of(fused& group, ir::ref equation, expr value, tile_table& made) {
    auto& values = plan_.values;
    const auto& root = values[value];
    if (root.kind == kind::load && plan_.slot_of(root.source).kind == storage::tile)
        return root.source;
    if (const auto known = made.find(value); known != made.end()) return known->second;
    const access tile = tiles_.new_tile(ir::none);
    const expr body = values.substituted(value, [&](expr e) {
        const auto other = made.find(e);
        return other == made.end() ? expr::none
                                   : values.load(other->second, values.is_condition(e));
    });
    made[value] = tile;
    group.members.push_back({member_kind::tile, map_into(equation, tile, body), {}, {}});
    return tile;
}

std::vector<consumer*> phases::consumers_of(std::int32_t phase) {
    std::vector<consumer*> chosen;
    for (auto& c : consumers_)
        if (c.phase == phase && !c.replaced) chosen.push_back(&c);
    return chosen;
}

// What gives the result of a consumer, of the tile that has its value.
member phases::result_of(const consumer& c, const access& tile) {
    auto& values = plan_.values;
    member m;
    m.what = c.what;
    m.of = c.of;
    m.kind = c.what.kind == assignment_kind::scatter ? member_kind::added
             : c.summed == loop_role::column         ? member_kind::rows
             : c.summed == loop_role::row            ? member_kind::columns
                                                     : member_kind::pairs;
    m.what.body = values.load(tile);
    if (c.factor) m.what.body = values.as_written(opcode::multiply, {m.what.body, c.factor});
    m.what.loops = loops_of(m.what.target);
    m.what.over.clear();
    for (const auto& l : group_.loops)
        if (!contains(m.what.loops, l.what)) m.what.over.push_back(l.what);
    std::ranges::sort(m.what.over);
    if (c.by == steps::monoid::sum) m.what.folding = m.what.over.empty() ? fold::none : fold::sum;
    if (c.weights >= 0)
        m.weights = tiles_.softmaxes()[static_cast<std::size_t>(c.weights)].tile.slot;
    return m;
}

// What a later phase compares with an extremum of it is a tile of its own there as well, which the
// same instructions make.
void phases::pin_tiles(fused& group, const expr_list& roots, tile_table& made) {
    const auto compares = [](const consumer& c) { return c.is_late() && !c.replaced; };
    if (std::ranges::none_of(consumers_, compares)) return;
    for (const auto& c : consumers_) {
        if (!steps::is_extremum(c.by) || c.log_sum) continue;
        const bool wanted = std::ranges::any_of(roots, [&](expr root) {
            bool inside = false;
            plan_.values.substituted(root, [&](expr e) {
                inside = inside || e == c.value;
                return e == c.value ? e : expr::none;
            });
            return inside;
        });
        if (!wanted) continue;
        const std::size_t before = group.members.size();
        tile_of(group, c.what.equation, c.value, made);
        if (group.members.size() > before) group.members.back().pinned = true;
    }
}

// What a consumer gives, and behind it how many values equal that, and where it stands.
void phases::add_results(const consumer& c, const access& tile, std::vector<member>& results) {
    auto& values = plan_.values;
    results.push_back(result_of(c, tile));
    const auto add = [&](std::int32_t number, member_kind kind) {
        results.push_back(result_of(consumers_[static_cast<std::size_t>(number)], tile));
        results.back().kind = kind;
    };
    if (c.ties_by >= 0) {
        add(c.ties_by, member_kind::ties);
        results.back().what.body =
            values.as_written(opcode::equal, {values.load(tile), values.load(c.what.target)});
    }
    if (c.place_by >= 0) add(c.place_by, member_kind::place);
}

// The group of a phase: products, operations on their tiles, then the results.
fused phases::group_of(std::int32_t phase, const std::vector<consumer*>& chosen,
                       const step_set& steps) {
    fused group;
    group.loops = group_.loops;
    group.equation = group_.at(*steps.rbegin()).equation;
    expr_list roots;
    for (const auto* c : chosen) roots.push_back(c->value);
    fused operations;  // behind the products
    operations.equation = group.equation;
    operations.loops = group.loops;
    add_weights(operations, phase > 0, chosen, roots);
    auto made_of = roots;
    for (const auto& m : operations.members) made_of.push_back(m.what.body);
    add_tiles(group, made_of);
    for (auto& m : operations.members) group.members.push_back(std::move(m));

    tile_table made_tiles;
    pin_tiles(group, roots, made_tiles);
    for (const expr part : common_parts(roots)) tile_of(group, group.equation, part, made_tiles);
    std::vector<member> results;
    for (std::size_t k = 0; k < chosen.size(); ++k) {
        const consumer& c = *chosen[k];
        if (c.log_sum || c.is_beside()) continue;
        add_results(c, tile_of(group, c.what.equation, roots[k], made_tiles), results);
    }
    for (auto& m : results) group.members.push_back(std::move(m));
    count(group, steps);
    return group;
}

// Whether a worker can run it; `reason_` says why not.
bool phases::fits(const fused& group) {
    const auto compiled = compile(plan_, group);
    if (compiled.group.products.size() + compiled.group.operations.size() > most_tiles ||
        compiled.group.operands.size() > most_operands) {
        reason_ = "it takes too many steps";
        return false;
    }
    if (most_bytes_of(compiled.group) > task_room) {
        reason_ = "its tiles and sums take more memory than a task has";
        return false;
    }
    const pair_price price = price_of_pair(compiled);
    price_.moved += price.moved;
    price_.cycles += price.cycles;
    if (is_dear()) {
        reason_ = "with so few rows or columns its tiles take longer";
        return false;
    }
    return true;
}

// What the group of a phase touches, each as the step did whose work it does, and sums as what runs
// before all steps or behind them.
void phases::add_effects(made_step& made, bool late, const std::vector<consumer*>& chosen,
                         const step_set& steps) const {
    // What a map writes in the place of a step, the group does not.
    const auto writes = [&](std::size_t number, slot_number slot) {
        return std::ranges::any_of(chosen, [&](const consumer* c) {
            const auto own = c->log_sum ? sums_[static_cast<std::size_t>(c->weights)].log_sum.slot
                                        : c->what.target.slot;
            return c->step == number && own == slot;
        });
    };
    // Ties are counted of what the group gives itself.
    const auto reads_own = [&](std::size_t number, const effect& t) {
        return !t.writes && std::ranges::any_of(chosen, [&](const consumer* c) {
            return c->ties_by >= 0 && c->what.target.slot == t.slot &&
                   consumers_[static_cast<std::size_t>(c->ties_by)].step == number;
        });
    };
    for (const std::size_t number : steps)
        for (const effect& t : plan_.steps[number].effects)
            if (!group_.is_plane(t.slot) && made.what.touches(t.slot) && !reads_own(number, t) &&
                (!t.writes || writes(number, t.slot)))
                made.effects.push_back({t.slot, number, t.writes});
    for (const auto& found : sums_)
        for (const access* sum : {&found.log_sum, &found.excess, &found.maximum, &found.largest}) {
            const bool read =
                late && found.largest.slot && (sum == &found.maximum || sum == &found.largest);
            const bool written = !late && !in_effects(made.effects, sum->slot);
            if (sum->slot && (read || written))
                made.effects.push_back({sum->slot, late ? plan_.steps.size() : 0, !late});
        }
    for (const consumer* c : chosen)
        if (c->partial || c->apart) made.effects.push_back({c->what.target.slot, c->step, true});
}

bool phases::write(std::int32_t phase) {
    auto steps = steps_of(phase);
    if (phase == 0)  // softmaxes without consumers of their own
        for (std::size_t k = 0; k < sums_.size(); ++k)
            if (sums_[k].any()) steps.merge(tiles_.softmaxes()[k].needs);
    if (steps.empty()) return true;
    const auto chosen = consumers_of(phase);
    made_step made;
    made.what = make_step(plan_.values, group_of(phase, chosen, steps));
    if (!fits(*made.what.as_fused())) return false;
    add_effects(made, phase > 0, chosen, steps);
    made_.push_back(std::move(made));
    return true;
}

}  // namespace ricci::plan
