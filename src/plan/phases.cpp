// The phases of a fused group: which consumers wait, and the steps that are written for each phase.
#include "src/plan/phases.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "src/plan/emit.hpp"
#include "src/plan/same_names.hpp"

namespace ricci::plan {
namespace {

// What a worker's memory has room for.
constexpr std::size_t most_tiles = 16, most_operands = 40;

/// The factors of a product, through nested ones, sorted; constants are multiplied into `number`.
void collect_factors(const graph& values, expr e, std::vector<expr>& all, double& number) {
    const auto& node = values[e];
    if (node.kind == kind::constant) {
        number *= node.value;
    } else if (node.kind == kind::operation && node.code == opcode::multiply) {
        for (const expr f : node.arguments) collect_factors(values, f, all, number);
    } else {
        all.push_back(e);
    }
}

std::vector<expr> factors_in(const graph& values, expr e, double& number) {
    std::vector<expr> all;
    collect_factors(values, e, all, number);
    std::sort(all.begin(), all.end());
    return all;
}

}  // namespace

bool phases::reads(expr value, std::int32_t slot) const {
    bool found = false;
    plan_.values.for_each_load({value}, [&](const access& a) { found = found || a.slot == slot; });
    return found;
}

/// The slots that a value reads: of its own, or through the products that make its tiles.
phases::slot_set phases::read_by(expr value, bool through_products) const {
    slot_set own, below;
    plan_.values.for_each_load({value}, [&](const access& a) { own.insert(a.slot); });
    if (!through_products) return own;
    for (const std::int32_t slot : own)
        if (const auto* product = tiles_.product_of(slot))
            for_each_load(plan_.values, group_.at(product->step),
                          [&](const access& a) { below.insert(a.slot); });
    return below;
}

/// The slots that a consumer reads beside what makes its tile: its factor and its number.
phases::slot_set phases::read_by(const consumer& c) const {
    auto slots = read_by(c.value, false);
    slots.merge(read_by(c.what.scale, false));
    if (c.factor >= 0) slots.insert(plan_.values[c.factor].source.slot);
    return slots;
}

// Which consumers have to wait: a phase reads nothing of what it writes itself.
bool phases::assign_phases() {
    slot_set given;
    for (const auto& c : consumers_) given.insert(group_.at(c.step).target.slot);
    const auto waits = [&](const slot_set& slots) {
        return std::any_of(slots.begin(), slots.end(),
                           [&](std::int32_t slot) { return given.contains(slot); });
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
                        [&](std::int32_t slot) { return given.contains(slot); })) {
            reason_ = "sums over it depend on one another";
            return true;
        }
    }
    return false;
}

// sum_j X_ij (sum_c A_ic B_jc) is sum_c A_ic (sum_j X_ij B_jc), where another consumer gives the
// bracket.
bool phases::replace(consumer& sum, const consumer& bracket) {
    auto& values = plan_.values;
    if (bracket.factor < 0 || bracket.what.beta != 0 || bracket.late || bracket.partial ||
        bracket.summed != loop_role::column || !values.is_scalar(bracket.what.scale) ||
        values[bracket.what.scale].kind != kind::constant || values[bracket.what.scale].value == 0)
        return false;
    double number = values[sum.what.scale].value, other_number = values[bracket.what.scale].value;
    const auto all = factors_in(values, sum.value, number);
    const auto wanted = factors_in(values, bracket.value, other_number);
    for (std::size_t k = 0; k < all.size(); ++k) {
        const auto* product = tiles_.product_of(values[all[k]].source.slot);
        if (values[all[k]].kind != kind::load || product == nullptr) continue;
        auto others = all;
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(k));
        if (others != wanted) continue;
        const assign& made = group_.at(product->step);
        if (values[made.scale].kind != kind::constant) continue;
        const auto f = factors_of(values, made);
        access a = f.a->source, b = f.b->source;
        const auto& found = group_.matched.at(product->step);
        if (group_.follows(group_.walked(found, a), loop_role::column)) std::swap(a, b);
        loop_list contracted;
        for (const loop l : made.over)
            contracted.push_back(renamed(l, tiles_.names_of(product->step)));
        std::sort(contracted.begin(), contracted.end());
        b = tiles_.renamed(product->step, b);
        const auto names = same_but_for(b, values[bracket.factor].source, contracted);
        if (names.size() != contracted.size() || contracted.size() != bracket.own.size()) continue;

        const double factor = number * values[made.scale].value / other_number;
        const access left = renamed(tiles_.renamed(product->step, a), names);
        expr body = values.as_written(opcode::multiply,
                                      {values.load(left), values.load(bracket.what.target)});
        if (factor != 1)
            body = values.as_written(opcode::multiply, {values.constant(factor), body});
        assign map;
        map.equation = sum.what.equation;
        map.target = sum.what.target;
        map.loops = loops_of(map.target);
        map.folding = fold::sum;
        map.over = bracket.own;
        std::sort(map.over.begin(), map.over.end());
        map.body = body;
        made_.push_back(
            {make_step(values, std::move(map)),
             {{sum.what.target.slot, sum.step, true},
              {left.slot, product->step, false},
              {bracket.what.target.slot, std::max(sum.step, bracket.step + 1), false}}});
        return true;
    }
    return false;
}

void phases::replace_by_sums_of_outputs() {
    for (auto& sum : consumers_) {
        if (sum.factor >= 0 || sum.summed != loop_role::column || sum.what.beta != 0 ||
            (sum.late && !sum.late_by_product) || sum.partial ||
            plan_.values[sum.what.scale].kind != kind::constant)
            continue;
        for (const auto& bracket : consumers_) {
            if (&bracket == &sum || bracket.step > sum.step) continue;
            sum.replaced = replace(sum, bracket);
            if (!sum.replaced) continue;
            sum.late = false;
            break;
        }
    }
}

// Memory for the logarithms of the sums of weights that late consumers need.
void phases::make_log_sums() {
    log_sums_.resize(tiles_.softmaxes().size());
    std::vector<loop> axes;
    for (const auto& l : group_.loops)
        if (l.role != loop_role::column) axes.push_back(l.what);
    for (const auto& c : consumers_)
        for (std::size_t k = 0; c.late && k < log_sums_.size(); ++k)
            if (log_sums_[k].slot < 0 && reads(c.value, tiles_.softmaxes()[k].tile.slot))
                log_sums_[k] = add_slot(plan_, storage::workspace, axes);
}

// Without a softmax it has to be the plane that is large, not what it is made of and becomes.
bool phases::pays() const {
    if (!tiles_.softmaxes().empty()) return true;
    const auto& values = plan_.values;
    double columns = 1, contracted = 0, own = 0;
    for (const auto& l : group_.loops)
        if (l.role == loop_role::column) columns *= static_cast<double>(values.extent(l.what));
    for (const auto& p : tiles_.products())
        contracted = std::max(contracted, values.size(group_.at(p.step).over));
    for (const auto& c : consumers_) own = std::max(own, values.size(c.own));
    return columns >= contracted + own;
}

// The products that values are made of, in the order in which they were found.
void phases::add_tiles(fused& group, const std::vector<expr>& of) {
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

// The weights of softmaxes, with the logarithms that the next phase needs; in that phase the same
// again.
void phases::add_weights(fused& group, bool late, const std::vector<consumer*>& chosen,
                         std::vector<expr>& roots) {
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
            made.body = values.as_written(
                opcode::exp,
                {values.as_written(opcode::subtract, {softmax.score, values.load(log_sums_[k])})});
            group.members.push_back({part::recomputed, std::move(made), -1, {}});
            for (expr& root : roots)
                root = values.substituted(root, [&](expr e) {
                    const bool weights =
                        values[e].kind == kind::load && values[e].source.slot == softmax.tile.slot;
                    return weights ? values.load(again) : -1;
                });
            continue;
        }
        const bool wanted = std::any_of(chosen.begin(), chosen.end(), [&](const consumer* c) {
            return c->weights == static_cast<std::int32_t>(k);
        });
        if (!wanted && log_sums_[k].slot < 0) continue;
        made.target = softmax.tile;
        made.folding = fold::softmax;
        made.over = columns;
        member log_sum{part::log_sum, made, -1, {}};
        group.members.push_back({part::weights, std::move(made), -1, {}});
        if (log_sums_[k].slot < 0) continue;
        log_sum.what.folding = fold::logsumexp;
        log_sum.what.target = log_sums_[k];
        log_sum.what.loops = loops_of(log_sums_[k]);
        log_sum.what.of_nothing = std::numeric_limits<double>::infinity();
        group.members.push_back(std::move(log_sum));
    }
}

void phases::count(fused& group, const std::set<std::size_t>& steps) const {
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
std::set<std::size_t> phases::steps_of(bool late) const {
    std::set<std::size_t> steps;
    for (const auto& c : consumers_) {
        if (c.replaced || c.late != late) continue;
        steps.insert(c.needs.begin(), c.needs.end());
        steps.insert(c.step);
    }
    return steps;
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
        for (std::size_t k = 0; k < log_sums_.size(); ++k)
            if (log_sums_[k].slot >= 0) {
                const auto& needs = tiles_.needs_of(tiles_.softmaxes()[k]);
                steps.insert(needs.begin(), needs.end());
            }
    if (steps.empty()) return true;
    group.equation = group_.at(*steps.rbegin()).equation;

    std::vector<expr> roots;
    for (const auto* c : chosen) roots.push_back(c->value);
    fused operations;  // behind the products
    operations.equation = group.equation;
    operations.loops = group.loops;
    add_weights(operations, late, chosen, roots);
    auto made_of = roots;
    for (const auto& m : operations.members) made_of.push_back(m.what.body);
    add_tiles(group, made_of);
    for (auto& m : operations.members) group.members.push_back(std::move(m));

    std::map<expr, access> tile_of;
    std::vector<member> given;
    for (std::size_t k = 0; k < chosen.size(); ++k) {
        consumer& c = *chosen[k];
        const auto& root = values[roots[k]];
        access tile;
        if (root.kind == kind::load && plan_.slot_of(root.source).kind == storage::tile) {
            tile = root.source;
        } else if (const auto known = tile_of.find(roots[k]); known != tile_of.end()) {
            tile = known->second;
        } else {
            tile = tiles_.new_tile(ir::none);
            tile_of[roots[k]] = tile;
            assign made;
            made.equation = c.what.equation;
            made.target = tile;
            made.loops = loops_of(tile);
            // What is a tile already is read, not made again.
            made.body = values.substituted(roots[k], [&](expr e) {
                const auto other = tile_of.find(e);
                return other == tile_of.end() || e == roots[k] ? -1 : values.load(other->second);
            });
            group.members.push_back({part::tile, std::move(made), -1, {}});
        }
        member m;
        m.what = c.what;
        m.of = c.of;
        m.as = c.what.how == way::scatter      ? part::added
               : c.summed == loop_role::column ? part::rows
               : c.summed == loop_role::row    ? part::columns
                                               : part::pairs;
        m.what.body = values.load(tile);
        if (c.factor >= 0)
            m.what.body = values.as_written(opcode::multiply, {m.what.body, c.factor});
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
    if (compiled.stream.products.size() + compiled.stream.stages.size() > most_tiles ||
        compiled.stream.operands.size() > most_operands) {
        reason_ = "it takes too many steps";
        return false;
    }
    const auto touched = [&](std::int32_t slot) {
        const auto& all = made.what.touches;
        return std::any_of(all.begin(), all.end(), [&](const touch& t) { return t.slot == slot; });
    };
    for (const std::size_t number : steps)
        for (const touch& t : plan_.steps[number].touches)
            if (!group_.is_plane(t.slot) && touched(t.slot))
                made.touches.push_back({t.slot, number, t.writes});
    for (const auto& sums : log_sums_)
        if (sums.slot >= 0)
            made.touches.push_back({sums.slot, late ? plan_.steps.size() : 0, !late});
    for (const auto& c : consumers_)
        if (c.partial && !c.replaced && c.late == late)
            made.touches.push_back({c.what.target.slot, c.step, true});
    made_.push_back(std::move(made));
    return true;
}

bool phases::run() {
    for (const std::size_t step : group_.consumers) {
        consumers_.push_back(make_consumer(plan_, group_, tiles_, step));
        split_sum(plan_, group_, consumers_.back(), made_);
    }
    if (!assign_phases()) return false;
    replace_by_sums_of_outputs();
    if (late_ones_wait()) return false;
    make_log_sums();
    return pays() && write(false) && write(true);
}

}  // namespace ricci::plan
