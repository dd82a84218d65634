// What is known of values beyond a condition between two loops.
#include "src/plan/forms/masked_values.hpp"

#include <algorithm>
#include <limits>

namespace ricci::plan {
namespace {

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

triangle in_one_form(const triangle& t) { return t.j < t.i ? t : exchanged(t); }

}  // namespace

triangle exchanged(const triangle& t) { return {t.i, t.j, !t.up, -t.offset}; }

void masked_tensors::look(const step& s) {
    const assign* a = s.as_assign();
    std::optional<masked_value> made;
    if (a != nullptr && a->kind == assignment_kind::map) made = made_by(*a);
    for (const effect& t : s.effects) {
        if (!t.writes) continue;
        known_.erase(t.slot);
        const bool product = a != nullptr && a->kind == assignment_kind::contract;
        if (product) products_.insert(t.slot);
        else products_.erase(t.slot);
    }
    if (!made || !plan_.is_whole(a->target)) return;
    if (!contains(a->loops, made->pairs.i) || !contains(a->loops, made->pairs.j)) return;
    made->by_numbers = true;
    known_[a->target.slot] = {a->target, *made};
}

std::optional<masked_value> masked_tensors::made_by(const assign& map) const {
    auto found = value_of(map.body);
    if (!found || map.folding == fold::none) return found;
    if (map.folding == fold::sum && found->beyond == 0) return found;
    // The weight of minus infinity is 0.
    const loop i = found->pairs.i, j = found->pairs.j;
    if (map.folding != fold::softmax || found->beyond == 0 || map.over.size() != 1 ||
        (map.over[0] != i && map.over[0] != j))
        return {};
    found->beyond = 0;
    return found;
}

std::optional<masked_value> masked_tensors::under(expr condition, double beyond) const {
    for (const loop j : values_[condition].indices)
        if (const auto t = triangle_in(values_, condition, j))
            return masked_value{in_one_form(*t), beyond, false};
    return {};
}

std::optional<masked_value> masked_tensors::value_of(expr e) const {
    memo known;
    return find(e, known);
}

std::optional<masked_value> masked_tensors::find(expr e, memo& known) const {
    const auto& node = values_[e];
    if (node.kind == kind::load) return of_load(e);
    if (node.kind != kind::operation) return {};
    if (values_.is_bracket(e)) return under(e, 0);
    for (const double otherwise : {0.0, minus_infinity})
        if (const auto cases = chosen_in(values_, e, otherwise))
            return under(cases->condition, otherwise);
    if (node.code != opcode::multiply && node.code != opcode::add) return {};
    if (const auto found = known.find(e); found != known.end()) return found->second;
    const auto made = node.code == opcode::multiply ? of_product(node, known) : of_sum(node, known);
    return known[e] = made;
}

// 0, where any factor is; a bracket hides whatever the others are.
std::optional<masked_value> masked_tensors::of_product(const expression& product,
                                                       memo& known) const {
    std::optional<masked_value> found;
    for (const expr f : product.arguments) {
        const auto mine = find(f, known);
        if (!mine || mine->beyond != 0) continue;
        if (!found || !mine->by_numbers) found = mine;
    }
    return found;
}

// Minus infinity, whatever is added to it; 0, where all terms are.
std::optional<masked_value> masked_tensors::of_sum(const expression& terms, memo& known) const {
    std::optional<masked_value> all;
    bool zero = true;
    for (const expr t : terms.arguments) {
        auto mine = find(t, known);
        if (mine && mine->beyond == minus_infinity) {
            mine->by_numbers = true;
            return mine;
        }
        zero = zero && mine && (!all || all->pairs == mine->pairs);
        if (!zero) continue;
        mine->by_numbers = mine->by_numbers || (all && all->by_numbers);
        all = mine;
    }
    return zero ? all : std::nullopt;
}

std::optional<masked_value> masked_tensors::of_load(expr load) const {
    const access& read = values_[load].source;
    const auto found = known_.find(read.slot);
    if (found == known_.end() || values_[load].edged) return {};
    const auto names = names_at(found->second.target, read);
    if (!names) return {};
    auto value = found->second.value;
    value.pairs.i = renamed(value.pairs.i, *names);
    value.pairs.j = renamed(value.pairs.j, *names);
    if (value.pairs.i == value.pairs.j) return {};
    value.pairs = in_one_form(value.pairs);
    return value;
}

// What is no number beyond the condition comes from a row or a column of it, which has others.
bool masked_tensors::shows_elsewhere(expr body, const triangle& pairs) const {
    bool shows = true;
    values_.for_each_load({body}, [&](const access& read) {
        const auto loops = loops_of(read);
        if (contains(loops, pairs.i) && contains(loops, pairs.j))
            shows = shows && (known_.count(read.slot) > 0 || products_.count(read.slot) > 0);
    });
    return shows;
}

}  // namespace ricci::plan
