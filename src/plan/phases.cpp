// The phases of a fused group: which consumers wait, and the steps that are written for each phase.
#include "src/plan/phases.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "src/plan/emit.hpp"
#include "src/plan/picked_factors.hpp"
#include "src/plan/room.hpp"
#include "src/plan/scalar.hpp"
#include "src/plan/sums_of_outputs.hpp"
#include "src/plan/weights_again.hpp"

namespace ricci::plan {
namespace {

// What a worker's memory has room for.
constexpr std::size_t most_tiles = 16, most_operands = 40;
// Quick operations that take longer than writing and reading a tile.
constexpr double costly_part = 4;

bool in_effects(const std::vector<made_step::timed_effect>& effects, slot_number slot) {
    return std::any_of(effects.begin(), effects.end(),
                       [&](const auto& t) { return t.slot == slot; });
}

}  // namespace

bool phases::reads(expr value, slot_number slot) const {
    bool found = false;
    plan_.values.for_each_load({value}, [&](const access& a) { found = found || a.slot == slot; });
    return found;
}

/// The slots that a value reads: of its own, or through the products that make its tiles.
phases::slot_set phases::read_by(expr value, bool through_products) const {
    slot_set own, below;
    plan_.values.for_each_load({value}, [&](const access& a) { own.insert(a.slot); });
    if (!through_products) return own;
    for (const slot_number slot : own)
        if (const auto* product = tiles_.product_of(slot))
            for_each_load(plan_.values, group_.at(product->step),
                          [&](const access& a) { below.insert(a.slot); });
    return below;
}

/// The slots that a consumer reads beside what makes its tile: its factor and its number.
phases::slot_set phases::read_by(const consumer& c) const {
    auto slots = read_by(c.value, false);
    slots.merge(read_by(c.what.scale, false));
    if (c.factor) slots.insert(plan_.values[c.factor].source.slot);
    return slots;
}

// Which consumers have to wait: a phase reads nothing of what it writes itself.
bool phases::assign_phases() {
    slot_set given;
    for (const auto& c : consumers_) given.insert(group_.at(c.step).target.slot);
    const auto waits = [&](const slot_set& slots) {
        return std::any_of(slots.begin(), slots.end(),
                           [&](slot_number slot) { return given.contains(slot); });
    };
    for (const auto& s : tiles_.softmaxes()) {
        const auto inside = tiles_.linear_in(s.score);
        if (!inside || *inside >= 0 || waits(read_by(s.score, false)) ||
            waits(read_by(s.score, true))) {
            reason_ = "a softmax of it depends on another sum over it";
            return false;
        }
    }
    // What is not summed over columns runs without any softmax to find.
    for (auto& c : consumers_) {
        const auto softmax = tiles_.linear_in(c.value);
        c.late = !softmax || waits(read_by(c)) ||
                 (c.summed != loop_role::column && !tiles_.softmaxes().empty());
        c.late_by_product = !c.late && waits(read_by(c.value, true));
        c.late = c.late || c.late_by_product;
        c.weights = c.late ? -1 : *softmax;
    }
    return true;
}

/// Whether what waits for the first phase depends on something that waits, too.
bool phases::late_ones_wait() {
    slot_set given;
    for (const auto& c : consumers_)
        if (c.late) given.insert(group_.at(c.step).target.slot);
    for (const auto& c : consumers_) {
        if (!c.late) continue;
        auto slots = read_by(c);
        slots.merge(read_by(c.value, true));
        if (std::any_of(slots.begin(), slots.end(),
                        [&](slot_number slot) { return given.contains(slot); })) {
            reason_ = "sums over it depend on one another";
            return true;
        }
    }
    return false;
}

/// Whether nobody writes what makes two values between the steps that read it: where it is the same
/// tensor, it is the same value.
bool phases::unchanged(const consumer& a, const consumer& b) const {
    auto steps = a.needs;
    steps.merge(b.needs);
    steps.insert(a.step);
    steps.insert(b.step);
    small_map<slot_number, std::size_t, 8> first_read;  // by slot
    for (const std::size_t s : steps)
        for (const effect& t : plan_.steps[s].effects) {
            if (t.writes || group_.is_plane(t.slot)) continue;
            if (!first_read.contains(t.slot)) first_read[t.slot] = s;
            const std::size_t first = first_read.at(t.slot);
            const auto& writers = uses_[t.slot.index()].writers;
            const auto next = std::lower_bound(writers.begin(), writers.end(), first);
            if (next != writers.end() && *next < s) return false;
        }
    return true;
}

void phases::replace_by_sums_of_outputs() {
    for (auto& sum : consumers_) {
        if (sum.factor || sum.summed != loop_role::column || sum.what.beta != 0 ||
            (sum.late && !sum.late_by_product) || sum.partial ||
            plan_.values[sum.what.scale].kind != kind::constant)
            continue;
        for (auto& bracket : consumers_) {
            if (&bracket == &sum || bracket.step > sum.step || !unchanged(sum, bracket)) continue;
            // Its other terms, or a function of it, are written over it.
            const slot_number target = group_.at(bracket.step).target.slot;
            const bool changes = uses_[target.index()].writers.size() > 1;
            auto map = sum_of_output(plan_, group_, tiles_, sum, bracket, changes, made_);
            if (!map) continue;
            made_.push_back(std::move(*map));
            sum.replaced = true;
            sum.late = false;
            break;
        }
    }
}

/// Whether two consumers of one target may write it themselves, the second after the first: those
/// of one phase reach each element at the same time, each in its turn.
bool phases::may_share(const consumer& first, const consumer& second) const {
    if (first.replaced || first.partial || first.apart || first.log_sum) return false;
    if (first.late != second.late) return second.late;
    if (are_apart(plan_.values, first.what.target, second.what.target)) return true;
    return first.summed == second.summed && first.what.as == second.what.as &&
           first.what.target.at == second.what.target.at &&
           (second.what.beta == 1 || second.what.as == form::scatter);
}

// Sums over rows come when all rows are done, sums over columns with each row: what one of them
// writes, the other one would overwrite, or add to what is not there yet. Each but the first is
// added by a map.
void phases::separate_writers() {
    for (auto& c : consumers_) {
        if (c.replaced || c.partial || c.apart || c.log_sum) continue;
        const auto cannot_share = [&](const consumer& before) {
            return before.step < c.step &&
                   group_.at(before.step).target.slot == group_.at(c.step).target.slot &&
                   !may_share(before, c);
        };
        if (std::any_of(consumers_.begin(), consumers_.end(), cannot_share))
            write_apart(plan_, group_, c, made_);
    }
}

// Where the logarithms of the sums of weights go, which results ask for, and in memory what late
// consumers need to make weights again.
void phases::find_sums() {
    sums_.resize(tiles_.softmaxes().size());
    loop_list axes;
    for (const auto& l : group_.loops)
        if (l.role != loop_role::column) axes.push_back(l.what);
    for (const auto& c : consumers_) {
        if (!c.log_sum) continue;
        access& sum = sums_[static_cast<std::size_t>(c.weights)].of(c.what.folding);
        // A result that others write later is no place to read it from.
        if (!sum.slot && uses_[c.what.target.slot.index()].writers.size() == 1) {
            sum = c.what.target;
            continue;
        }
        if (!sum.slot) sum = add_slot(plan_, storage::workspace, axes);
        assign copy = c.what;
        copy.folding = fold::none;
        copy.over.clear();
        copy.body = plan_.values.load(sum);
        made_.push_back({make_step(plan_.values, std::move(copy)),
                         {{sum.slot, c.step + 1, false}, {c.what.target.slot, c.step, true}}});
    }
    for (std::size_t k = 0; k < sums_.size(); ++k) {
        const auto makes_again = [&](const consumer& c) {
            return c.late && reads(c.value, tiles_.softmaxes()[k].tile.slot);
        };
        if (std::none_of(consumers_.begin(), consumers_.end(), makes_again)) continue;
        if (!sums_[k].maximum.slot) sums_[k].maximum = add_slot(plan_, storage::workspace, axes);
        sums_[k].largest = add_slot(plan_, storage::workspace, axes);
    }
}

// What is read for the planes is not to be read once more for a second phase.
bool phases::pays() const {
    if (!group_.reads_large || !tiles_.softmaxes().empty() || !tiles_.products().empty())
        return true;
    return std::none_of(consumers_.begin(), consumers_.end(),
                        [](const consumer& c) { return c.late && !c.replaced; });
}

// The products that values are made of, in the order in which they were found.
void phases::add_tiles(fused& group, const expr_list& of) {
    slot_set read;
    plan_.values.for_each_load(of, [&](const access& a) { read.insert(a.slot); });
    for (const auto& p : tiles_.products()) {
        if (!read.contains(p.tile.slot)) continue;
        const assign& made = group_.at(p.step);
        member m;
        m.as = part::product;
        m.what = made;
        m.what.target = p.tile;
        m.what.loops = loops_of(p.tile);
        for (loop& l : m.what.over) l = renamed(l, tiles_.names_of(p.step));
        std::sort(m.what.over.begin(), m.what.over.end());
        m.what.body = tiles_.renamed(p.step, made.body);
        m.what.beta = 0;
        group.members.push_back(std::move(m));
    }
}

// The weights of softmaxes, with what the next phase needs; in that phase the same again.
void phases::add_weights(fused& group, bool late, const std::vector<consumer*>& chosen,
                         expr_list& roots) {
    auto& values = plan_.values;
    loop_list columns;
    for (const auto& l : group.loops)
        if (l.role == loop_role::column) columns.push_back(l.what);
    std::sort(columns.begin(), columns.end());
    for (std::size_t k = 0; k < tiles_.softmaxes().size(); ++k) {
        const auto softmax = tiles_.softmaxes()[k];
        assign made;
        made.equation = group.equation;
        made.body = softmax.score;
        made.loops = loops_of(softmax.tile);
        if (late) {
            const bool used = std::any_of(roots.begin(), roots.end(), [&](expr root) {
                return reads(root, softmax.tile.slot);
            });
            if (!used) continue;
            const access again = tiles_.new_tile(plan_.slot_of(softmax.tile).name);
            made.target = again;
            made.body = weights_again(values, {softmax.score, values.load(sums_[k].maximum),
                                               values.load(sums_[k].largest)});
            group.members.push_back({part::recomputed, std::move(made), {}, {}});
            for (expr& root : roots)
                root = values.substituted(root, [&](expr e) {
                    const bool weights =
                        values[e].kind == kind::load && values[e].source.slot == softmax.tile.slot;
                    return weights ? values.load(again) : expr::none;
                });
            continue;
        }
        const bool wanted = std::any_of(chosen.begin(), chosen.end(), [&](const consumer* c) {
            return c->weights == static_cast<std::int32_t>(k);
        });
        if (!wanted && !sums_[k].any()) continue;
        made.target = softmax.tile;
        made.folding = fold::softmax;
        made.over = columns;
        group.members.push_back({part::weights, made, {}, {}});
        const auto add = [&](part as, fold folding, expr body, const access& target) {
            if (!target.slot) return;
            made.folding = folding;
            made.body = body;
            made.target = target;
            made.loops = loops_of(target);
            group.members.push_back({as, made, {}, {}});
        };
        add(part::log_sum, fold::logsumexp, softmax.score, sums_[k].log_sum);
        add(part::excess, fold::excess, softmax.score, sums_[k].excess);
        add(part::maximum, fold::maximum, softmax.score, sums_[k].maximum);
        add(part::largest, fold::maximum, values.load(softmax.tile), sums_[k].largest);
    }
}

void phases::count(fused& group, const step_set& steps) const {
    for (const std::size_t number : steps) {
        const assign& a = group_.at(number);
        group.flops += flops_of(plan_, a);
        group.hides = group.hides || a.hides;
        if (std::find(group.equations.begin(), group.equations.end(), a.equation) ==
            group.equations.end())
            group.equations.push_back(a.equation);
        const auto plane = group_.planes.find(a.target.slot);
        const bool known = std::any_of(group.unstored.begin(), group.unstored.end(),
                                       [&](const access& u) { return u.slot == a.target.slot; });
        if (plane == group_.planes.end() || known) continue;
        group.unstored.push_back(a.target);
        double elements = 1;
        for (std::size_t g = 0; g < group_.loops.size(); ++g)
            if (plane->second[g].axis >= 0) elements *= static_cast<double>(group_.extent(g));
        group.saved_bytes += elements * static_cast<double>(size_of(plan_.type));
    }
}

// The steps whose work a phase does.
step_set phases::steps_of(bool late) const {
    step_set steps;
    for (const auto& c : consumers_) {
        if (c.replaced || c.late != late) continue;
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
    assign a;
    a.equation = equation;
    a.target = tile;
    a.loops = loops_of(tile);
    a.body = values.substituted(value, [&](expr e) {
        const auto other = made.find(e);
        return other == made.end() ? expr::none
                                   : values.load(other->second, values.is_condition(e));
    });
    made[value] = tile;
    group.members.push_back({part::tile, std::move(a), {}, {}});
    return tile;
}

bool phases::write(bool late) {
    auto& values = plan_.values;
    std::vector<consumer*> chosen;
    for (auto& c : consumers_)
        if (c.late == late && !c.replaced) chosen.push_back(&c);
    fused group;
    group.loops = group_.loops;
    auto steps = steps_of(late);
    if (!late)  // softmaxes without consumers of their own
        for (std::size_t k = 0; k < sums_.size(); ++k)
            if (sums_[k].any()) steps.merge(tiles_.softmaxes()[k].needs);
    if (steps.empty()) return true;
    group.equation = group_.at(*steps.rbegin()).equation;

    expr_list roots;
    for (const auto* c : chosen) roots.push_back(c->value);
    fused operations;  // behind the products
    operations.equation = group.equation;
    operations.loops = group.loops;
    add_weights(operations, late, chosen, roots);
    auto made_of = roots;
    for (const auto& m : operations.members) made_of.push_back(m.what.body);
    add_tiles(group, made_of);
    for (auto& m : operations.members) group.members.push_back(std::move(m));

    tile_table made_tiles;
    for (const expr part : common_parts(roots)) tile_of(group, group.equation, part, made_tiles);
    std::vector<member> given;
    for (std::size_t k = 0; k < chosen.size(); ++k) {
        const consumer& c = *chosen[k];
        if (c.log_sum) continue;
        const access tile = tile_of(group, c.what.equation, roots[k], made_tiles);
        member m;
        m.what = c.what;
        m.of = c.of;
        m.as = c.what.as == form::scatter      ? part::added
               : c.summed == loop_role::column ? part::rows
               : c.summed == loop_role::row    ? part::columns
                                               : part::pairs;
        m.what.body = values.load(tile);
        if (c.factor) m.what.body = values.as_written(opcode::multiply, {m.what.body, c.factor});
        m.what.loops = loops_of(m.what.target);
        m.what.over.clear();
        for (const auto& l : group_.loops)
            if (!contains(m.what.loops, l.what)) m.what.over.push_back(l.what);
        std::sort(m.what.over.begin(), m.what.over.end());
        m.what.folding = m.what.over.empty() ? fold::none : fold::sum;
        if (c.weights >= 0)
            m.weights = tiles_.softmaxes()[static_cast<std::size_t>(c.weights)].tile.slot;
        given.push_back(std::move(m));
    }
    for (auto& m : given) group.members.push_back(std::move(m));
    count(group, steps);

    made_step made;
    made.what = make_step(values, std::move(group));
    const auto compiled = compile(plan_, *made.what.as_fused());
    if (compiled.group.products.size() + compiled.group.operations.size() > most_tiles ||
        compiled.group.operands.size() > most_operands) {
        reason_ = "it takes too many steps";
        return false;
    }
    if (most_bytes_of(compiled.group) > worker_room) {
        reason_ = "its tiles and sums take more memory than a worker has";
        return false;
    }
    const auto touched = [&](slot_number slot) {
        const auto& all = made.what.effects;
        return std::any_of(all.begin(), all.end(), [&](const effect& t) { return t.slot == slot; });
    };
    // What a map writes in the place of a step, the group does not.
    const auto writes = [&](std::size_t number, slot_number slot) {
        return std::any_of(chosen.begin(), chosen.end(), [&](const consumer* c) {
            const auto own = c->log_sum ? sums_[static_cast<std::size_t>(c->weights)].log_sum.slot
                                        : c->what.target.slot;
            return c->step == number && own == slot;
        });
    };
    for (const std::size_t number : steps)
        for (const effect& t : plan_.steps[number].effects)
            if (!group_.is_plane(t.slot) && touched(t.slot) &&
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
    for (const auto& c : consumers_)
        if ((c.partial || c.apart) && !c.replaced && c.late == late)
            made.effects.push_back({c.what.target.slot, c.step, true});
    made_.push_back(std::move(made));
    return true;
}

bool phases::run() {
    for (const std::size_t step : group_.consumers)
        for (auto& c : make_consumers(plan_, group_, tiles_, step)) {
            split_sum(plan_, group_, c, made_);
            consumers_.push_back(std::move(c));
        }
    for (const std::size_t step : group_.picked) pick_factors(plan_, uses_, step, made_);
    if (!assign_phases()) return false;
    replace_by_sums_of_outputs();
    if (late_ones_wait()) return false;
    separate_writers();
    find_sums();
    return pays() && write(false) && write(true);
}

}  // namespace ricci::plan
