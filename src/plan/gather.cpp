// Reading and adding up at places that a tensor says: which sums are that, and the steps for it.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "src/plan/lower.hpp"

namespace ricci::plan {

// A load from a tensor of another type than the one that is computed with here.
bool lowering::is_foreign(expr e) const {
    const auto& node = graph_[e];
    return node.kind == kind::load && !plan_.holds(node.source.slot, type_);
}

// The expression in memory, whole numbers as they are.
expr lowering::numbers_of(expr e) {
    const auto& node = graph_[e];
    const bool whole = is_foreign(e) && is_integer(plan_.type_of(node.source.slot)) &&
                       !plan_.is_truth(node.source.slot);
    return whole ? e : stored(e);
}

// An expression of whole numbers alone, of which `numbers` are operands; `within`: no number on the
// way is much larger than they are.
bool lowering::is_whole(expr e, int& numbers, bool& within) const {
    const auto& node = graph_[e];
    const auto whole_slot = [&](std::int32_t slot) {
        return is_integer(plan_.type_of(slot)) && !plan_.is_truth(slot);
    };
    switch (node.kind) {
        case kind::constant:
            within = within && std::abs(node.value) <= counted_by(element::f32);
            return std::abs(node.value) <= 0x1p53 && std::floor(node.value) == node.value;
        case kind::position:
            return true;
        case kind::load:
            numbers += whole_slot(node.source.slot) ? 1 : 0;
            return is_integer(plan_.type_of(node.source.slot));
        case kind::gather:
            ++numbers;
            if (!whole_slot(node.source.slot)) return false;
            break;
        case kind::operation: {
            const auto f = [&](ir::function name) {
                return node.code == static_cast<opcode>(first_function + static_cast<int>(name));
            };
            const bool compares = node.code >= opcode::less && node.code <= opcode::logical_or;
            const bool product =
                node.code == opcode::multiply &&
                (node.arguments.size() > 2 || !graph_.is_constant(node.arguments[0], -1));
            within =
                within && !product && node.code != opcode::square && node.arguments.size() <= 4;
            if (!compares && node.code != opcode::add && node.code != opcode::multiply &&
                node.code != opcode::square && !f(ir::function::absolute) &&
                !f(ir::function::logical_not) && !f(ir::function::maximum) &&
                !f(ir::function::minimum) && !f(ir::function::modulo))
                return false;
            break;
        }
        case kind::sum:
        case kind::fold:
            return false;
    }
    return std::all_of(node.arguments.begin(), node.arguments.end(),
                       [&](expr a) { return is_whole(a, numbers, within); });
}

// A comparison of whole numbers that may be larger than the type counts that is computed with here.
bool lowering::compares_numbers(expr e) const {
    const auto& node = graph_[e];
    if (node.kind != kind::operation || node.code < opcode::less || node.code > opcode::not_equal ||
        type_ == element::i64)
        return false;
    int numbers = 0;
    bool within = true;
    if (!is_whole(e, numbers, within) || numbers == 0) return false;
    if (type_ == element::i32)
        return std::any_of(plan_.slots.begin(), plan_.slots.end(), [](const slot& s) {
            return s.kind == storage::input && s.is_foreign && s.own_type == element::i64;
        });
    // Most are small, and compared together with what else is done; see program_plan::rules.
    const bool quick = type_ == element::f32 || type_ == element::f64;
    return !quick || (numbers > 1 && (plan_.careful || !within));
}

// The comparison in memory, made of numbers of 64 bits.
expr lowering::compared(expr e) {
    if (const auto found = stored_.find(e); found != stored_.end()) return found->second;
    const auto indices = graph_[e].indices;
    lowering whole(plan_, graph_, equation_, order_, element::i64);
    const expr truth = graph_.load(whole.computed(indices, e));
    const access target = temporary(indices, -1, type_);
    emit_gather(truth, target, indices);
    return stored_[e] = graph_.load(target, true);
}

// The expression as an address, where it is made of positions and whole numbers: i - j + 3.
std::optional<linear_form> lowering::sum_of_positions(expr e) const {
    const auto& node = graph_[e];
    if (node.kind == kind::position) return node.source.at;
    linear_form total;
    if (node.kind == kind::constant) {
        total.offset = static_cast<std::int64_t>(node.value);
        if (std::abs(node.value) > 1e9 || static_cast<double>(total.offset) != node.value)
            return {};
        return total;
    }
    if (node.kind != kind::operation) return {};
    const auto add = [&](const linear_form& x, std::int64_t factor) {
        total.offset += factor * x.offset;
        for (const auto& s : x.strides) {
            const auto same = std::find_if(total.strides.begin(), total.strides.end(),
                                           [&](const auto& t) { return t.index == s.index; });
            if (same == total.strides.end()) total.strides.push_back({s.index, factor * s.stride});
            else same->stride += factor * s.stride;
        }
    };
    std::int64_t factor = 1;
    std::optional<linear_form> only;
    for (std::size_t k = 0; k < node.arguments.size(); ++k) {
        if (node.arguments[k] < 0) continue;
        const auto x = sum_of_positions(node.arguments[k]);
        if (!x) return {};
        switch (node.code) {
            case opcode::add:
                add(*x, 1);
                break;
            case opcode::subtract:
                add(*x, k == 0 ? 1 : -1);
                break;
            case opcode::negate:
                add(*x, -1);
                break;
            case opcode::multiply:
                if (x->strides.empty()) factor *= x->offset;
                else if (only) return {};
                else only = x;
                break;
            default:
                return {};
        }
    }
    if (only) add(*only, factor);
    else if (node.code == opcode::multiply) total.offset = factor;
    return total;
}

// The same where all of it are places of the axis.
std::optional<linear_form> lowering::place_on(ir::ref axis, expr numbers) const {
    auto place = sum_of_positions(numbers);
    if (!place) return {};
    std::int64_t least = place->offset, most = place->offset;
    for (const auto& s : place->strides) {
        const std::int64_t reach = s.stride * std::max<std::int64_t>(graph_.extent(s.index) - 1, 0);
        (reach < 0 ? least : most) += reach;
    }
    if (least < 0 || most >= graph_.extent(axis)) return {};
    return place;
}

// [v = x_i] y_{ia} summed over i, and over what only the y have, adds row i of y to row x_i of the
// result. As a product it would have one column for each v.
bool lowering::is_scatter(expr sum, scattered_sum& found) {
    if (type_ != element::f32 && type_ != element::f64) return false;
    const auto over = graph_[sum].over;
    const auto all = graph_.factors(graph_[sum].arguments[0]);
    for (std::size_t k = 0; k < all.size(); ++k) {
        const auto test = graph_[all[k]];  // a copy: the graph grows below
        if (test.kind != kind::operation || test.code != opcode::equal) continue;
        for (int side = 0; side < 2; ++side) {
            const expr place = test.arguments[static_cast<std::size_t>(side)];
            const expr numbers = test.arguments[static_cast<std::size_t>(1 - side)];
            const auto& at = graph_[place].source.at;
            if (graph_[place].kind != kind::position || at.offset != 0 || at.strides.size() != 1 ||
                at.strides[0].stride != 1)
                continue;
            const ir::ref axis = at.strides[0].index;
            std::vector<expr> rest;
            bool free = !contains(over, axis) && !contains(graph_[numbers].indices, axis);
            for (std::size_t other = 0; other < all.size(); ++other) {
                if (other == k) continue;
                rest.push_back(all[other]);
                free = free && !contains(graph_[all[other]].indices, axis);
            }
            const auto summed = common(over, graph_[numbers].indices);
            if (!free || summed.empty()) continue;
            const auto varying = std::count_if(rest.begin(), rest.end(),
                                               [&](expr f) { return !graph_.is_scalar(f); });
            expr rows = rest.empty() ? graph_.constant(1) : graph_.multiply(rest);
            const auto more = without(over, summed);
            // One tensor is summed on the way, a product of several before.
            auto address = place_on(axis, numbers);
            const bool at_once =
                address && varying == 1 && without(more, graph_[rows].indices).empty();
            if (!more.empty() && !at_once) rows = graph_.sum(more, rows);
            found = {axis, numbers, std::move(address), rows};
            return true;
        }
    }
    return false;
}

map_step::operand lowering::walked(const access& a, const std::vector<ir::ref>& loops) const {
    map_step::operand o;
    o.slot = a.slot;
    o.offset = a.at.offset;
    for (ir::ref i : loops) o.strides.push_back(a.at.stride(i));
    o.use = {a.slot, a.positions};
    return o;
}

void lowering::emit_gather(expr e, const access& target, const std::vector<ir::ref>& indices) {
    const auto node = graph_[e];
    step s;
    s.equation = equation_;
    s.is_gather = true;
    auto& g = s.gather;
    g.indices = indices;
    std::sort(g.indices.begin(), g.indices.end(), [&](ir::ref x, ir::ref y) {
        const auto a = std::abs(target.at.stride(x)), b = std::abs(target.at.stride(y));
        return a != b ? a > b : x < y;
    });
    for (ir::ref i : g.indices) g.extents.push_back(graph_.extent(i));
    if (node.arguments.size() > node.lookups.size())
        g.wanted = walked(graph_[stored(node.arguments.back())].source, g.indices);
    for (std::size_t k = 0; k < node.lookups.size(); ++k) {
        const expr numbers = numbers_of(node.arguments[k]);
        g.lookups.push_back({walked(graph_[numbers].source, g.indices), node.lookups[k].stride,
                             node.lookups[k].extent, node.lookups[k].words});
    }
    g.out = walked(target, g.indices);
    g.in = walked(node.source, g.indices);
    s.bytes = 2 * graph_.size(indices) * static_cast<double>(size_of(plan_.type));
    plan_.steps.push_back(std::move(s));
}

void lowering::emit_scatter(const scattered_sum& sum, const access& target,
                            const std::vector<ir::ref>& indices, double beta) {
    const expr numbers = sum.place ? -1 : numbers_of(sum.numbers);
    const expr rows = stored(sum.rows);
    if (beta != 1) {
        const expr before = beta == 0
                                ? graph_.constant(0)
                                : graph_.multiply({graph_.constant(beta), graph_.load(target)});
        emit_map(target, indices, before, fold::none, {});
    }
    const auto kept = without(indices, {sum.axis});
    const auto all = united(graph_[sum.numbers].indices, graph_[rows].indices);
    step s;
    s.equation = equation_;
    s.is_gather = true;
    auto& g = s.gather;
    g.scatter = true;
    g.indices = without(all, kept);  // what is summed: slowest, in the order of the rows
    const auto by_stride = [&](const linear_form& at) {
        return [&at](ir::ref x, ir::ref y) {
            const auto a = std::abs(at.stride(x)), b = std::abs(at.stride(y));
            return a != b ? a > b : x < y;
        };
    };
    std::sort(g.indices.begin(), g.indices.end(),
              by_stride(graph_[sum.place ? rows : numbers].source.at));
    auto inner = common(all, kept);
    std::sort(inner.begin(), inner.end(), by_stride(target.at));
    g.indices.insert(g.indices.end(), inner.begin(), inner.end());
    for (ir::ref i : g.indices) g.extents.push_back(graph_.extent(i));
    g.out = walked(target, g.indices);
    const std::int64_t stride = target.at.stride(sum.axis);
    if (sum.place) {
        g.out.offset += sum.place->offset * stride;
        for (std::size_t k = 0; k < g.indices.size(); ++k)
            g.out.strides[k] += sum.place->stride(g.indices[k]) * stride;
    } else {
        g.lookups.push_back(
            {walked(graph_[numbers].source, g.indices), stride, graph_.extent(sum.axis), {}});
    }
    g.in = walked(graph_[rows].source, g.indices);
    s.flops = graph_.size(all);
    s.bytes = 3 * graph_.size(all) * static_cast<double>(size_of(plan_.type));
    plan_.steps.push_back(std::move(s));
}

}  // namespace ricci::plan
