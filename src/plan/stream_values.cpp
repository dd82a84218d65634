// What every tile of a streamed group is, as instructions.
#include <algorithm>
#include <cstdlib>

#include "src/plan/scalar.hpp"
#include "src/plan/stream_group.hpp"
#include "src/plan/stream_tiles.hpp"

namespace ricci::plan {
namespace {

bool same(const instruction& a, const instruction& b) {
    return a.code == b.code && a.first == b.first && a.second == b.second && a.third == b.third &&
           a.operand == b.operand && a.value == b.value;
}

}  // namespace

std::int32_t stream_group::push(instruction i) {
    for (std::size_t k = 0; k < values_.size(); ++k)
        if (same(values_[k], i)) return static_cast<std::int32_t>(k);
    values_.push_back(i);
    return static_cast<std::int32_t>(values_.size()) - 1;
}

std::int32_t stream_group::load(std::int32_t number) {
    instruction i;
    i.code = opcode::load;
    i.operand = number;
    return push(i);
}

std::int32_t stream_group::position(std::int64_t offset, layout strides) {
    instruction i;
    if (std::all_of(strides.begin(), strides.end(), [](std::int64_t s) { return s == 0; })) {
        i.value = static_cast<double>(offset);
        return push(i);
    }
    i.code = opcode::position;
    i.operand = operand(-1, offset, std::move(strides), {}, false);
    return push(i);
}

// Differences and sums of positions are positions.
std::int32_t stream_group::operation(opcode code, std::int32_t first, std::int32_t second) {
    instruction i;
    i.code = code;
    i.first = first;
    i.second = second;
    if (code != opcode::add && code != opcode::subtract) return push(i);
    const auto place = [&](std::int32_t value, std::int64_t sign, std::int64_t& offset,
                           layout& strides) {
        const auto& v = values_[static_cast<std::size_t>(value)];
        if (v.code == opcode::constant) {
            const auto whole = static_cast<std::int64_t>(v.value);
            if (std::abs(v.value) > 1e9 || static_cast<double>(whole) != v.value) return false;
            offset += sign * whole;
            return true;
        }
        if (v.code != opcode::position) return false;
        const auto& o = operands_[static_cast<std::size_t>(v.operand)];
        offset += sign * o.offset;
        for (std::size_t g = 0; g < strides.size(); ++g) strides[g] += sign * o.strides[g];
        return true;
    };
    std::int64_t offset = 0;
    layout strides(loops_.size(), 0);
    if (place(first, 1, offset, strides) &&
        place(second, code == opcode::add ? 1 : -1, offset, strides))
        return position(offset, std::move(strides));
    return push(i);
}

std::int32_t stream_group::operand(std::int32_t slot, std::int64_t offset, layout strides,
                                   tensor_use use, bool written) {
    auto& all = operands_;
    for (std::size_t k = 0; k < all.size(); ++k)
        if (all[k].slot == slot && all[k].offset == offset && all[k].strides == strides &&
            all[k].written == written)
            return static_cast<std::int32_t>(k);
    all.push_back({slot, offset, std::move(strides), use, written});
    return static_cast<std::int32_t>(all.size()) - 1;
}

std::int32_t stream_group::inlined(const map_step& m, std::size_t number) {
    const auto& found = matched_.at(number);
    std::vector<std::int32_t> value;
    for (const auto& i : m.program) {
        const auto argument = [&](std::int32_t n) {
            return n < 0 ? -1 : value[static_cast<std::size_t>(n)];
        };
        if (i.code == opcode::load) {
            const auto& o = m.operands[static_cast<std::size_t>(i.operand)];
            if (is_plane(o.slot)) {
                value.push_back(value_of(o.slot, number));
                continue;
            }
            value.push_back(
                load(operand(o.slot, o.offset, strides_of(found, o.strides), o.use, false)));
        } else if (i.code == opcode::position) {
            const auto& o = m.operands[static_cast<std::size_t>(i.operand)];
            value.push_back(position(o.offset, strides_of(found, o.strides)));
        } else if (arity(i.code) == 2) {
            value.push_back(operation(i.code, argument(i.first), argument(i.second)));
        } else {
            auto copy = i;
            copy.first = argument(i.first);
            copy.second = argument(i.second);
            copy.third = argument(i.third);
            value.push_back(push(copy));
        }
    }
    return value.back();
}

// The value that the slot's last writer before a step gives it.
std::int32_t stream_group::value_of(std::int32_t slot, std::size_t before) {
    const auto& writers = uses_[static_cast<std::size_t>(slot)].writers;
    const auto after = std::lower_bound(writers.begin(), writers.end(), before);
    const std::size_t writer = *(after - 1);
    const std::pair key{slot, writer};
    if (const auto k = known_.find(key); k != known_.end()) {
        collecting_->insert(needs_[key].begin(), needs_[key].end());
        return k->second;
    }
    std::set<std::size_t>* const outer = collecting_;
    std::set<std::size_t> needs{writer};
    collecting_ = &needs;
    const auto& s = plan_.compiled[writer];
    instruction tile;
    tile.code = opcode::load;
    std::int32_t value = -1;
    if (s.is_contraction) {
        tile.operand = tile_operand(static_cast<std::int32_t>(products_.size()));
        products_.push_back(writer);
        value = push(tile);
        if (s.contraction.beta == 1) value = operation(opcode::add, value_of(slot, writer), value);
    } else if (s.map.folding == fold::softmax) {
        const auto score = inlined(s.map, writer);
        tile.operand = tile_operand(weights_base + static_cast<std::int32_t>(scores_.size()));
        scores_.push_back(score);
        value = push(tile);
    } else {
        value = inlined(s.map, writer);
    }
    collecting_ = outer;
    collecting_->insert(needs.begin(), needs.end());
    needs_[key] = std::move(needs);
    known_[key] = value;
    return value;
}

// The softmax that a value is proportional to; nothing where it depends on one in another way.
std::optional<std::int32_t> stream_group::linear_in(std::int32_t value) const {
    const auto& v = values_[static_cast<std::size_t>(value)];
    if (is_tile(v)) {
        const auto number = tile_number(v);
        return number >= weights_base ? number - weights_base : -1;
    }
    std::optional<std::int32_t> part[3] = {-1, -1, -1};
    const std::int32_t arguments[3] = {v.first, v.second, v.third};
    int dependent = 0;
    for (int k = 0; k < 3; ++k) {
        if (arguments[k] < 0) continue;
        part[k] = linear_in(arguments[k]);
        if (!part[k]) return {};
        dependent += *part[k] >= 0 ? 1 : 0;
    }
    if (dependent == 0) return -1;
    const auto zero = [&](int k) {
        const auto& x = values_[static_cast<std::size_t>(arguments[k])];
        return x.code == opcode::constant && x.value == 0;
    };
    switch (v.code) {
        case opcode::negate:
            return part[0];
        case opcode::multiply:
            if (dependent == 1) return std::max(*part[0], *part[1]);
            return {};
        case opcode::divide:
            if (*part[1] < 0) return part[0];
            return {};
        case opcode::add:
        case opcode::subtract:
            if (part[0] == part[1]) return part[0];
            return {};
        case opcode::select:
            if (*part[0] >= 0) return {};
            if (part[1] == part[2]) return part[1];
            if (zero(1)) return part[2];
            if (zero(2)) return part[1];
            return {};
        default:
            return {};
    }
}

// Which values a value is made of, itself included.
std::vector<char> stream_group::reached(std::int32_t value) const {
    std::vector<char> needed(values_.size(), 0);
    needed[static_cast<std::size_t>(value)] = 1;
    for (std::size_t k = static_cast<std::size_t>(value) + 1; k-- > 0;) {
        if (needed[k] == 0) continue;
        for (const auto argument : {values_[k].first, values_[k].second, values_[k].third})
            if (argument >= 0) needed[static_cast<std::size_t>(argument)] = 1;
    }
    return needed;
}

void stream_group::add_consumer(std::size_t number) {
    const auto& s = plan_.compiled[number];
    const auto& found = matched_.at(number);
    consumer made;
    made.step = number;
    collecting_ = &made.needs;
    auto& sink = made.sink;
    sink.summed = swept(number);
    const auto summed = summed_by(number);
    std::vector<ir::ref> value_names;
    if (s.is_contraction) {
        const auto& c = s.contraction;
        const bool a = is_plane(c.a.slot);
        std::vector<std::int64_t> side, out;
        const std::vector<named_loop>* names[] = {&c.batch_names, &c.m_names, &c.n_names,
                                                  &c.k_names};
        for (const auto* list : {&c.batch, &c.m, &c.n, &c.k}) {
            const auto& named = *names[list == &c.batch ? 0
                                       : list == &c.m   ? 1
                                       : list == &c.n   ? 2
                                                        : 3];
            for (const auto& l : *list) {
                const auto place = side.size();
                const auto k = static_cast<std::size_t>(&l - list->data());
                side.push_back(a ? l.b : l.a);
                out.push_back(l.c);
                if (found[place] >= 0 || l.extent == 1) continue;
                sink.values.push_back({l.extent, side.back(), out.back()});
                value_names.push_back(k < named.size() ? named[k].index : ir::none);
            }
        }
        const auto& other = a ? c.b : c.a;
        const auto strides = strides_of(found, side);
        made.value = value_of(a ? c.a.slot : c.b.slot, number);
        if (is_plane(other.slot)) {
            made.value = operation(opcode::multiply, made.value, value_of(other.slot, number));
        } else {
            const auto b = operand(other.slot, a ? c.b_offset : c.a_offset, strides, other, false);
            // A sum over columns reads its factor at each of them, for all rows the same, and a sum
            // over rows at each row: what follows the other axis is a factor of the tile.
            const auto kept = sink.summed == loop_role::row ? loop_role::column : loop_role::row;
            if (sink.values.empty() && (spans_tile(strides) || follows(strides, kept) ||
                                        sink.summed == loop_role::batch)) {
                made.value = operation(opcode::multiply, made.value, load(b));
            } else {
                sink.b = b;
            }
        }
        sink.output = operand(c.c.slot, c.c_offset, strides_of(found, out), c.c, true);
        sink.number = c.alpha;
        sink.beta = c.beta;
        sink.of = a ? c.a : c.b;
    } else if (s.is_gather) {
        const auto& g = s.gather;
        made.value = value_of(g.in.slot, number);
        sink.output =
            operand(g.out.slot, g.out.offset, strides_of(found, g.out.strides), g.out.use, true);
        sink.added = true;
        sink.of = g.in.use;
    } else {
        const auto& m = s.map;
        made.value = inlined(m, number);
        const auto& out = m.operands[0];
        sink.output = operand(out.slot, out.offset, strides_of(found, out.strides), out.use, true);
        double count = 1;
        for (std::size_t g = 0; g < loops_.size(); ++g)
            if (summed[g]) count *= static_cast<double>(loops_[g].extent);
        for (const auto& o : m.operands)
            if (o.slot >= 0 && is_plane(o.slot)) sink.of = o.use;
        if (m.folding == fold::mean) sink.number.value = 1 / count;
    }
    collecting_ = nullptr;
    if (sink.added) add_partial(made);
    else sum_partial(made, summed, value_names);
    consumers_.push_back(std::move(made));
}

fused_step::product stream_group::product_of(std::size_t number) {
    const auto& c = plan_.compiled[number].contraction;
    const auto& found = matched_.at(number);
    std::vector<std::int64_t> a, b;
    for (const auto* list : {&c.batch, &c.m, &c.n, &c.k})
        for (const auto& l : *list) {
            a.push_back(l.a);
            b.push_back(l.b);
        }
    bool swapped = false;  // A has the columns
    for (std::size_t l = 0; l < found.size(); ++l)
        swapped = swapped || (found[l] >= 0 && a[l] != 0 &&
                              loops_[static_cast<std::size_t>(found[l])].axis == loop_role::column);
    fused_step::product result;
    for (const auto& l : c.k)
        if (l.extent != 1)
            result.contracted.push_back({l.extent, swapped ? l.b : l.a, swapped ? l.a : l.b});
    const auto left = operand(c.a.slot, c.a_offset, strides_of(found, a), c.a, false);
    const auto right = operand(c.b.slot, c.b_offset, strides_of(found, b), c.b, false);
    result.a = swapped ? right : left;
    result.b = swapped ? left : right;
    result.number = c.alpha;
    return result;
}

}  // namespace ricci::plan
