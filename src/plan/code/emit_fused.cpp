// Fused groups with strides and programs of instructions.
#include <algorithm>
#include <map>
#include <type_traits>
#include <utility>

#include "src/plan/code/assembler.hpp"
#include "src/plan/code/emit.hpp"
#include "src/plan/schedule/grown_group.hpp"
#include "src/plan/pool/weights_again.hpp"

namespace ricci::plan {
namespace {

class fused_emitter {
public:
    fused_emitter(const program_plan& plan, const fused& group)
        : plan_(plan), values_(plan.values), group_(group) {}

    fused_step make() {
        made_.equation = group_.equation;
        made_.hides = group_.hides;
        made_.flops = group_.flops;
        made_.group.type = plan_.computed_type();
        for (const auto& l : group_.loops) {
            made_.group.loops.push_back({values_.extent(l.what), l.role});
            made_.loop_names.push_back(values_.loops().letter(l.what));
        }
        for (const auto& m : group_.members) add(m);
        for (auto& number : consumers_) made_.numbers.push_back(std::move(number));
        made_.equations = group_.equations;
        for (const auto& a : group_.unstored) made_.unstored.push_back({a.slot, a.positions});
        made_.saved_bytes = group_.saved_bytes;
        made_.bytes = bytes();
        return std::move(made_);
    }

    /// The number of a tile among the products.
    std::int32_t tile_of(slot_number slot) const { return tiles_.at(slot); }

    /// A sum of rows of the group: number * the sum over own loops of a product of two loads. Its
    /// operands are added to `operands`.
    chained_step::row_sum make_row_sum(const assign& a,
                                       std::vector<steps::operand>& operands) const {
        chained_step::row_sum sum;
        sum.alone = std::get<map_step>(compile(plan_, a));
        const auto product = product_of_loads(values_, a.body);
        sum.of_rows.number = product->number;
        const access &left = product->a->source, &right = product->b->source;
        const place at_a = address(left), at_b = address(right);
        const auto add = [&](const access& from, const place& at) {
            sum.uses.push_back({from.slot, from.positions});
            operands.push_back(walked(at));
            return static_cast<std::int32_t>(operands.size()) - 1;
        };
        sum.of_rows.a = add(left, at_a);
        sum.of_rows.b = add(right, at_b);
        sum.of_rows.output = add(a.target, address(a.target));
        for (const loop l : a.over)
            sum.of_rows.summed.push_back({values_.extent(l), at_a.factor(l), at_b.factor(l)});
        return sum;
    }

private:
    steps::operand walked(const place& at) const {
        steps::operand o;
        o.offset = at.offset;
        o.strides.reserve(group_.loops.size());
        for (const auto& l : group_.loops) o.strides.push_back(at.factor(l.what));
        return o;
    }

    void add(const member& m) {
        switch (m.kind) {
            case member_kind::product:
            case member_kind::distance:
                return add_product(m);
            case member_kind::weights:
                return add_operation(operation_kind::weights, m, m.what.body);
            case member_kind::log_sum:
                made_.group.operations.back().log_sum_exp = operand(m.what.target, true);
                return;
            case member_kind::maximum:
                made_.group.operations.back().maximum = operand(m.what.target, true);
                return;
            case member_kind::excess:
                made_.group.operations.back().excess = operand(m.what.target, true);
                return;
            case member_kind::largest:
                made_.group.operations.back().largest = operand(m.what.target, true);
                return;
            case member_kind::recomputed: {
                const auto again = weights_made_again(values_, m.what.body);
                add_operation(operation_kind::recomputed, m, again->score);
                auto& made = made_.group.operations.back();
                made.maximum = operand(values_[again->maximum].source, false);
                made.largest = operand(values_[again->largest].source, false);
                return;
            }
            case member_kind::tile:
                return add_operation(operation_kind::values, m, m.what.body);
            case member_kind::ties:
                made_.group.consumers.back().count = operand(m.what.target, true);
                return;
            case member_kind::place:
                made_.group.consumers.back().place = operand(m.what.target, true);
                return;
            case member_kind::rows:
            case member_kind::columns:
            case member_kind::pairs:
            case member_kind::added:
                return add_consumer(m);
        }
    }

    /// `lookups`: its axes that numbers say, of an operand that is yet to be.
    std::int32_t place_operand(slot_number slot, const place& at, ir::range positions, bool written,
                               const std::vector<tile_lookup>& lookups = {}) {
        steps::operand o = walked(at);
        auto& all = made_.group.operands;
        auto& uses = made_.uses;
        for (std::size_t k = 0; k < all.size(); ++k)
            if (uses[k].slot == slot && all[k].offset == o.offset && all[k].strides == o.strides &&
                uses[k].written == written && has_lookups(static_cast<std::int32_t>(k), lookups))
                return static_cast<std::int32_t>(k);
        for (tile_lookup l : lookups) {
            l.operand = static_cast<std::int32_t>(all.size());
            made_.group.lookups.push_back(l);
        }
        all.push_back(std::move(o));
        uses.push_back({{slot, positions}, written});
        return static_cast<std::int32_t>(all.size()) - 1;
    }
    place address(const access& a) const { return address_of(a, plan_.slot_of(a).strides); }
    std::int32_t operand(const access& a, bool written) {
        return place_operand(a.slot, address(a), a.positions, written);
    }

    bool has_lookups(std::int32_t operand, const std::vector<tile_lookup>& lookups) const {
        std::size_t count = 0;
        for (const tile_lookup& mine : made_.group.lookups) {
            if (mine.operand != operand) continue;
            ++count;
            if (std::ranges::none_of(lookups, [&](const tile_lookup& l) {
                    return l.numbers == mine.numbers && l.stride == mine.stride;
                }))
                return false;
        }
        return count == lookups.size();
    }
    /// An operand that is read where numbers say.
    std::int32_t looked_up(const expression& node) {
        std::vector<tile_lookup> lookups;
        const slot& source = plan_.slot_of(node.source);
        for (std::size_t k = 0; k < node.lookups.size(); ++k) {
            const auto axis = static_cast<std::size_t>(node.lookups[k].axis);
            const access& numbers = values_[node.arguments[k]].source;
            lookups.push_back({-1, operand(numbers, false), plan_.type_of(numbers.slot),
                               source.strides[axis], source.extents[axis]});
        }
        return place_operand(node.source.slot, address(node.source), node.source.positions, false,
                             lookups);
    }

    bool moves_along(const access& a, loop_role role) const {
        const place at = address(a);
        return std::ranges::any_of(group_.loops, [&](const group_loop& l) {
            return l.role == role && at.factor(l.what) != 0;
        });
    }

    void name_tile(const access& tile) {
        const auto& group = made_.group;
        tiles_[tile.slot] =
            static_cast<std::int32_t>(group.products.size() + group.operations.size()) - 1;
    }

    std::pair<access, access> factors(const member& m) const {
        if (const auto parts = distance_of(values_, m.what))
            return {values_[parts->a].source, values_[parts->b].source};
        const auto f = factors_of(values_, m.what);
        return {f.a->source, f.b->source};
    }

    /// Whether a group folds tiles to extrema, which another one may compare with these tiles.
    /// Weights stand with the rows of a product, which in that group may be the other side.
    bool finds_extrema() const {
        const auto finds = [](const fused& group) {
            return std::ranges::any_of(group.members, [](const member& m) {
                return (m.kind == member_kind::rows || m.kind == member_kind::columns) &&
                       (m.what.folding == fold::maximum || m.what.folding == fold::minimum);
            });
        };
        return std::ranges::any_of(plan_.steps, [&](const step& s) {
            if (const auto* both = std::get_if<chained>(&s.what))
                return finds(both->first) || finds(both->second);
            return s.as_fused() != nullptr && finds(*s.as_fused());
        });
    }

    void add_product(const member& m) {
        auto [a, b] = factors(m);
        if (moves_along(a, loop_role::column)) std::swap(a, b);
        const place at_a = address(a), at_b = address(b);
        tile_product p;
        p.is_distance = m.kind == member_kind::distance;
        p.exact = values_.exact_distances();
        place at_weight;
        if (p.is_distance) {
            if (const expr weight = distance_of(values_, m.what)->weight) {
                at_weight = address(values_[weight].source);
                p.weights = operand(values_[weight].source, false);
                p.exact = p.exact || finds_extrema();
            }
        }
        for (const loop l : m.what.over)
            p.contracted.push_back(
                {values_.extent(l), at_a.factor(l), at_b.factor(l), at_weight.factor(l)});
        p.a = operand(a, false);
        p.b = operand(b, false);
        made_.numbers.push_back(p.is_distance ? scalar{} : compile_number(plan_, m.what.scale));
        made_.group.products.push_back(std::move(p));
        name_tile(m.what.target);
    }

    void add_operation(operation_kind kind, const member& m, expr value) {
        const auto load = [&]<class From>(const From& from) {
            if constexpr (std::is_same_v<From, expression>) return looked_up(from);
            else {
                const auto tile = tiles_.find(from.slot);
                return tile != tiles_.end() ? tile_operand(tile->second) : operand(from, false);
            }
        };
        const auto position = [&](const place& at) {
            return place_operand(slot_number::none, at, {}, false);
        };
        assembler program(values_, load, position);
        program.value(value);
        made_.group.operations.push_back({kind, program.take(), m.pinned});
        name_tile(m.what.target);
    }

    void add_consumer(const member& m) {
        tile_consumer s;
        const auto& body = values_[m.what.body];
        const bool alone = body.kind == kind::load;
        s.tile = tiles_.at((alone ? body : values_[body.arguments[0]]).source.slot);
        s.summed = m.kind == member_kind::rows      ? loop_role::column
                   : m.kind == member_kind::columns ? loop_role::row
                                                    : loop_role::batch;
        s.output = operand(m.what.target, true);
        s.by = monoid_of(m.what.folding).value_or(monoid::sum);
        s.added = m.kind == member_kind::added;
        s.beta = s.added ? 0 : m.what.beta;
        consumers_.push_back(compile_number(plan_, m.what.scale));
        made_.consumed.push_back({m.of.slot, m.of.positions});
        if (m.weights)
            s.weights =
                tiles_.at(m.weights) - static_cast<std::int32_t>(made_.group.products.size());
        if (m.what.kind == assignment_kind::lookups) {
            const access& numbers = values_[m.what.numbers].source;
            s.landing = operand(numbers, false);
            s.landing_type = plan_.type_of(numbers.slot);
            const loop l = m.what.scattered;
            s.values.push_back({values_.extent(l), 0, address(m.what.target).factor(l)});
        }
        if (!alone) {
            const access& b = values_[body.arguments[1]].source;
            s.b = operand(b, false);
            const place at_b = address(b), at_output = address(m.what.target);
            for (const loop l : m.what.loops)
                if (!has_loop(group_.loops, l))
                    s.values.push_back({values_.extent(l), at_b.factor(l), at_output.factor(l)});
        }
        made_.group.consumers.push_back(std::move(s));
    }

    // Of operands, each tensor counted once.
    double bytes() const {
        std::vector<slot_number> counted;
        double total = 0;
        for (const auto& use : made_.uses) {
            if (!use.slot || std::ranges::find(counted, use.slot) != counted.end()) continue;
            counted.push_back(use.slot);
            total += plan_.slot_of(use.slot).elements() *
                     static_cast<double>(size_of(plan_.type_of(use.slot)));
        }
        return total;
    }

    const program_plan& plan_;
    const graph& values_;
    const fused& group_;
    fused_step made_;
    std::vector<scalar> consumers_;              // the numbers of consumers
    std::map<slot_number, std::int32_t> tiles_;  // by slot: its number
};

}  // namespace

fused_step compile(const program_plan& plan, const fused& group) {
    return fused_emitter(plan, group).make();
}

chained_step compile(const program_plan& plan, const chained& chain) {
    fused_emitter first(plan, chain.first), second(plan, chain.second);
    chained_step made;
    made.first = first.make();
    for (const auto& a : chain.between)
        made.between.push_back(first.make_row_sum(a, made.operands));
    made.second = second.make();
    for (const auto& k : chain.kept)
        made.kept.push_back({first.tile_of(k.first), second.tile_of(k.second)});
    return made;
}

}  // namespace ricci::plan
