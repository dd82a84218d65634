// Tensors over pairs of places that are products by their definition.
#include "src/plan/forms/written_products.hpp"

#include <algorithm>

#include "src/base/small_set.hpp"
#include "src/plan/pool/conditions.hpp"

namespace ricci::plan {
namespace {

bool is_elementwise(const graph& values, expr e, small_set<expr, 16>& seen) {
    if (!seen.insert(e)) return true;
    const auto& node = values[e];
    if (node.kind == kind::sum || node.kind == kind::fold) return false;
    return std::all_of(node.arguments.begin(), node.arguments.end(),
                       [&](expr a) { return is_elementwise(values, a, seen); });
}

// The loops of weights of a softmax of what a condition between two leaves of one.
std::optional<std::pair<loop, loop>> related_by_weights(graph& values, expr e) {
    const auto weights = related_weights_in(values, e);
    if (!weights || weights->ends.size() != 1) return {};
    return std::minmax({weights->ends[0], weights->j});
}

}  // namespace

// The factors of a value, of sums in it and of cases that are 0 otherwise; false where one that has
// all of the loops would have to be computed first.
bool written_products::flatten(expr value, definition& to) const {
    auto& values = plan_.values;
    for (const expr f : guarded_in(values, fold::sum, value).parts) {
        if (values[f].kind == kind::sum) {
            loop_map names;
            for (const loop l : values[f].over) {
                const loop own = values.loops().fresh(l);
                names.emplace_back(l, own);
                add_loop(to.over, own);
            }
            if (!flatten(values.renamed(values[f].arguments[0], names), to)) return false;
        } else {
            small_set<expr, 16> seen;
            const bool smaller = !without(loops_of(to.target), values[f].indices).empty();
            if (!smaller && !is_elementwise(values, f, seen)) return false;
            to.factors.push_back(f);
        }
    }
    return true;
}

void written_products::add(const access& target, expr value) {
    if (!is_real(plan_.computed_type()) || !plan_.holds(target.slot, plan_.computed_type())) return;
    auto& values = plan_.values;
    const auto loops = loops_of(target);
    const bool first = known_.count(target.slot) == 0;
    if (loops.size() < 2 || plan_.slot_of(target).kind != storage::workspace ||
        kept_.count(target.slot) > 0 || !values.solves_places())
        return;
    auto& known = known_[target.slot];
    known.reset();
    definition made{target, {}, {}, {}};
    if (!first || values[value].indices != loops ||
        !std::all_of(target.at.begin(), target.at.end(), is_whole_axis))
        return;
    if (const auto related = related_by_weights(values, value)) {
        made.factors = {value};
        made.compared = {*related};
    } else if (flatten(value, made) && made.factors.size() > 1) {
        made.compared = compared_in(made.factors);
    } else {
        return;
    }
    known = std::move(made);
}

void written_products::settle(const access& target, const std::function<expr(expr)>& in_memory) {
    const auto found = known_.find(target.slot);
    if (found == known_.end() || !found->second) return;
    auto& values = plan_.values;
    for (expr& f : found->second->factors) {
        small_set<expr, 16> before, after;
        if (is_elementwise(values, f, before) || related_by_weights(values, f)) continue;
        f = values.substituted(f, in_memory);
        if (!is_elementwise(values, f, after)) return found->second.reset();
    }
}

const written_products::definition* written_products::definition_of(expr factor) const {
    const auto& node = plan_.values[factor];
    if (node.kind != kind::load || node.edged) return nullptr;
    const auto found = known_.find(node.source.slot);
    return found == known_.end() || !found->second ? nullptr : &*found->second;
}

// Pairs of loops that conditions compare, in factors or in what tensors are by definition.
std::vector<written_products::pair> written_products::compared_in(expr_span factors) const {
    auto& values = plan_.values;
    std::vector<pair> all;
    const auto add = [&](loop a, loop b) {
        const pair p{std::min(a, b), std::max(a, b)};
        if (a != b && std::find(all.begin(), all.end(), p) == all.end()) all.push_back(p);
    };
    for (const expr f : factors) {
        const auto& node = values[f];
        if (const auto related = related_by(values, f)) add(related->first, related->second);
        const auto* known = definition_of(f);
        if (known == nullptr) continue;
        const auto there = [&](loop l) {  // where it is read instead, if that is one loop
            for (std::size_t axis = 0; axis < node.source.at.size(); ++axis)
                if (known->target.at[axis].factor(l) != 0)
                    return node.source.at[axis].terms.size() == 1
                               ? node.source.at[axis].terms[0].over
                               : loop(loop::none);
            return loop(loop::none);
        };
        for (const auto& [a, b] : known->compared)
            if (there(a) && there(b)) add(there(a), there(b));
    }
    return all;
}

// Appends the factors to a product, those of tensors with both loops in their place.
bool written_products::write_out(expr_span factors, const pair& compared, written_sum& to,
                                 expr_list& product) const {
    auto& values = plan_.values;
    bool any = false;
    for (const expr f : factors) {
        const auto& indices = values[f].indices;
        const auto* known = contains(indices, compared.first) && contains(indices, compared.second)
                                ? definition_of(f)
                                : nullptr;
        auto read =
            known != nullptr ? reading_at(values, known->target, values[f].source) : std::nullopt;
        expr_list own;
        loop_list over;
        if (read) {
            for (const loop l : known->over) {
                const loop fresh = values.loops().fresh(l);
                read->names.emplace_back(l, fresh);
                add_loop(over, fresh);
            }
            for (const expr g : known->factors) own.push_back(value_at(values, *read, g));
            if (std::ranges::count(own, expr(expr::none)) > 0) read.reset();
        }
        if (!read) {
            // A condition that a tensor has by its definition may stand before it, too.
            const bool holds = values.is_bracket(f);
            for (const expr part : holds ? conjuncts_of(values, f) : expr_list{f})
                if (!holds || std::ranges::count(product, part) == 0) product.push_back(part);
            continue;
        }
        any = true;
        to.slots.push_back(known->target.slot);
        to.over = united(to.over, over);
        write_out(own, compared, to, product);
    }
    return any;
}

std::optional<written_products::written_sum> written_products::written_out(const loop_list& over,
                                                                           expr body) const {
    if (known_.empty()) return {};
    auto& values = plan_.values;
    const auto all = values.factors(body);
    const expr_list factors(all.begin(), all.end());
    if (std::none_of(factors.begin(), factors.end(),
                     [&](expr f) { return definition_of(f) != nullptr; }))
        return {};
    for (const pair& compared : compared_in(factors)) {
        if (contains(over, compared.first) == contains(over, compared.second)) continue;
        written_sum made{over, expr::none, {}};
        expr_list product;
        if (!write_out(factors, compared, made, product)) continue;
        made.body = values.multiply(product);
        return made;
    }
    return {};
}

void written_products::take(const written_sum& sum) {
    taken_.insert(sum.slots.begin(), sum.slots.end());
}

}  // namespace ricci::plan
