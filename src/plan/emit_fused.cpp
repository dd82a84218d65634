// Fused groups with strides and programs of instructions.
#include <algorithm>
#include <map>
#include <utility>

#include "src/plan/assembler.hpp"
#include "src/plan/emit.hpp"

namespace ricci::plan {
namespace {

class fused_emitter {
public:
    fused_emitter(const program_plan& plan, const fused& group)
        : plan_(plan), values_(plan.values), group_(group) {}

    compiled_step make() {
        compiled_step s;
        s.equation = group_.equation;
        s.is_stream = true;
        s.hides = group_.hides;
        s.flops = group_.flops;
        for (const auto& l : group_.loops) {
            made_.loops.push_back({values_.extent(l.what), l.role});
            made_.loop_names.push_back(values_.loops().letter(l.what));
        }
        for (const auto& m : group_.members) add(m);
        made_.equations = group_.equations;
        for (const auto& a : group_.unstored) made_.unstored.push_back({a.slot, a.positions});
        made_.saved_bytes = group_.saved_bytes;
        s.bytes = bytes();
        s.stream = std::move(made_);
        return s;
    }

    /// The number of a tile among the products.
    std::int32_t tile_of(std::int32_t slot) const { return tiles_.at(slot); }

    /// A sum of rows of the group: number * the sum over own loops of a product of two loads.
    row_sum_step make_row_sum(const assign& a) const {
        row_sum_step sum;
        expr product = a.body;
        const auto& whole = values_[a.body].arguments;
        if (values_[whole[0]].kind == kind::constant) {
            sum.number = values_[whole[0]].value;
            product = whole[1];
        }
        const auto& factors = values_[product].arguments;
        const access &left = values_[factors[0]].source, &right = values_[factors[1]].source;
        sum.a = walked(left);
        sum.b = walked(right);
        sum.output = walked(a.target);
        const place at_a = address(left), at_b = address(right);
        for (const loop l : a.over)
            sum.summed.push_back({values_.extent(l), at_a.factor(l), at_b.factor(l)});
        return sum;
    }

private:
    map_step::operand walked(const access& a) const {
        const place at = address(a);
        map_step::operand o;
        o.slot = a.slot;
        o.offset = at.offset;
        o.use = {a.slot, a.positions};
        for (const auto& l : group_.loops) o.strides.push_back(at.factor(l.what));
        return o;
    }

    void add(const member& m) {
        switch (m.as) {
            case part::product:
                return add_product(m);
            case part::weights:
                return add_operation(operation_kind::weights, m, m.what.body);
            case part::log_sum:
                made_.stages.back().log_sum_exp = operand(m.what.target, true);
                made_.stages.back().empty = m.what.of_nothing;
                return;
            case part::recomputed: {
                const auto& difference = values_[values_[m.what.body].arguments[0]];
                add_operation(operation_kind::recomputed, m, difference.arguments[0]);
                made_.stages.back().log_sum_exp =
                    operand(values_[difference.arguments[1]].source, false);
                return;
            }
            case part::tile:
                return add_operation(operation_kind::values, m, m.what.body);
            case part::rows:
            case part::columns:
            case part::pairs:
            case part::added:
                return add_consumer(m);
        }
    }

    std::int32_t place_operand(std::int32_t slot, const place& at, ir::range positions,
                               bool written) {
        fused_step::operand o;
        o.slot = slot;
        o.offset = at.offset;
        o.use = {slot, positions};
        o.written = written;
        for (const auto& l : group_.loops) o.strides.push_back(at.factor(l.what));
        auto& all = made_.operands;
        for (std::size_t k = 0; k < all.size(); ++k)
            if (all[k].slot == slot && all[k].offset == o.offset && all[k].strides == o.strides &&
                all[k].written == written)
                return static_cast<std::int32_t>(k);
        all.push_back(std::move(o));
        return static_cast<std::int32_t>(all.size()) - 1;
    }
    place address(const access& a) const { return address_of(a, plan_.slot_of(a).strides); }
    std::int32_t operand(const access& a, bool written) {
        return place_operand(a.slot, address(a), a.positions, written);
    }

    bool moves_along(const access& a, loop_role role) const {
        const place at = address(a);
        return std::any_of(group_.loops.begin(), group_.loops.end(), [&](const group_loop& l) {
            return l.role == role && at.factor(l.what) != 0;
        });
    }

    void name_tile(const access& tile) {
        tiles_[tile.slot] =
            static_cast<std::int32_t>(made_.products.size() + made_.stages.size()) - 1;
    }

    void add_product(const member& m) {
        const auto& factors = values_[m.what.body].arguments;
        access a = values_[factors[0]].source, b = values_[factors[1]].source;
        if (moves_along(a, loop_role::column)) std::swap(a, b);
        const place at_a = address(a), at_b = address(b);
        fused_step::product p;
        for (const loop l : m.what.over)
            p.contracted.push_back({values_.extent(l), at_a.factor(l), at_b.factor(l)});
        p.a = operand(a, false);
        p.b = operand(b, false);
        p.number = compile_number(plan_, m.what.scale);
        made_.products.push_back(std::move(p));
        name_tile(m.what.target);
    }

    void add_operation(operation_kind kind, const member& m, expr value) {
        const auto load = [&](const access& from) {
            const auto tile = tiles_.find(from.slot);
            return tile != tiles_.end() ? tile_operand(tile->second) : operand(from, false);
        };
        const auto position = [&](const place& at) { return place_operand(-1, at, {}, false); };
        assembler program(values_, load, position);
        program.value(value);
        made_.stages.push_back({kind, program.take(), -1, 0});
        name_tile(m.what.target);
    }

    void add_consumer(const member& m) {
        fused_step::sink s;
        const auto& body = values_[m.what.body];
        const bool alone = body.kind == kind::load;
        s.tile = tiles_.at((alone ? body : values_[body.arguments[0]]).source.slot);
        s.summed = m.as == part::rows      ? loop_role::column
                   : m.as == part::columns ? loop_role::row
                                           : loop_role::batch;
        s.output = operand(m.what.target, true);
        s.added = m.as == part::added;
        s.beta = s.added ? 0 : m.what.beta;
        s.number = compile_number(plan_, m.what.scale);
        s.of = {m.of.slot, m.of.positions};
        if (m.weights >= 0)
            s.weights = tiles_.at(m.weights) - static_cast<std::int32_t>(made_.products.size());
        if (!alone) {
            const access& b = values_[body.arguments[1]].source;
            s.b = operand(b, false);
            const place at_b = address(b), at_output = address(m.what.target);
            for (const loop l : m.what.loops)
                if (std::none_of(group_.loops.begin(), group_.loops.end(),
                                 [&](const group_loop& g) { return g.what == l; }))
                    s.values.push_back({values_.extent(l), at_b.factor(l), at_output.factor(l)});
        }
        made_.sinks.push_back(std::move(s));
    }

    // Of operands, each tensor counted once.
    double bytes() const {
        std::vector<std::int32_t> counted;
        double total = 0;
        for (const auto& o : made_.operands) {
            if (o.slot < 0 || std::find(counted.begin(), counted.end(), o.slot) != counted.end())
                continue;
            counted.push_back(o.slot);
            double elements = 1;
            for (const auto n : plan_.slots[static_cast<std::size_t>(o.slot)].extents)
                elements *= static_cast<double>(n);
            total += elements;
        }
        return total * static_cast<double>(size_of(plan_.type));
    }

    const program_plan& plan_;
    const graph& values_;
    const fused& group_;
    fused_step made_;
    std::map<std::int32_t, std::int32_t> tiles_;  // by slot: its number
};

}  // namespace

compiled_step compile(const program_plan& plan, const fused& group) {
    return fused_emitter(plan, group).make();
}

std::vector<compiled_step> compile(const program_plan& plan, const chained& chain) {
    fused_emitter first(plan, chain.first), second(plan, chain.second);
    std::vector<compiled_step> steps;
    steps.push_back(first.make());
    for (const auto& a : chain.between) {
        steps.push_back(compile(plan, a));
        steps.back().row_sum = first.make_row_sum(a);
        steps.back().continues_chain = true;
    }
    steps.push_back(second.make());
    steps.back().continues_chain = true;
    for (const auto& k : chain.kept)
        steps.back().stream.kept.push_back({first.tile_of(k.first), second.tile_of(k.second)});
    return steps;
}

}  // namespace ricci::plan
