// Weights of pairs that are 1-semiseparable, as they are written.
#include "src/plan/pool/semiseparable.hpp"

#include <algorithm>
#include <cstdlib>

namespace ricci::plan {
namespace {

class weight_reader {
    using weight_kind = pair_weight::weight_kind;

public:
    weight_reader(graph& values, const definitions& defined, const triangle& pairs)
        : values_(values), defined_(defined), pairs_(pairs) {}

    std::optional<pair_weight> read(expr factor) const {
        const auto& node = values_[factor];
        if (node.kind == kind::fold && node.over.size() == 1) {
            if (node.folding == fold::softmax) return softmax(node);
            if (node.folding == fold::product) {
                const auto other = others(node);
                return other ? other : between(weight_kind::product_between, node);
            }
        }
        if (node.kind == kind::operation && node.code == opcode::exp)
            if (const auto between_places = difference(node.arguments[0])) return between_places;
        if (const auto by_distance = of_distance(factor)) return by_distance;
        if (node.code == opcode::equal)
            for (const std::size_t side : {std::size_t{0}, std::size_t{1}})
                if (auto w = extreme(node.arguments[side], node.arguments[1 - side])) return w;
        return {};
    }

private:
    // The value under the condition of the pairs, of which `j` is the loop.
    expr value_under(fold folding, expr body, loop j) const {
        const auto found = pairs_in(values_, folding, body, j);
        return found && is_of(found->pairs) ? found->value : expr(expr::none);
    }
    // Whether these are the pairs, of whichever loop as j.
    bool is_of(triangle t) const {
        t.j = pairs_.j;
        return t == pairs_;
    }
    std::optional<pair_weight> weight(pair_weight::weight_kind kind, fold folding, expr of,
                                      loop j) const {
        if (!of || contains(values_[of].indices, pairs_.i)) return {};
        if (j != pairs_.j) {
            if (contains(values_[of].indices, pairs_.j)) return {};
            of = values_.renamed(of, {{j, pairs_.j}});
        }
        if (!contains(values_[of].indices, pairs_.j)) return {};
        return pair_weight{kind, folding, of, expr::none};
    }

    std::optional<pair_weight> softmax(const expression& node) const {
        const loop j = node.over[0];
        if (j != pairs_.j) return {};
        return weight(pair_weight::weight_kind::softmax, fold::maximum,
                      value_under(fold::softmax, node.arguments[0], j), j);
    }

    // The product over k of x_k under the condition and where k is not j.
    std::optional<pair_weight> others(const expression& node) const {
        const loop k = node.over[0];
        if (k == pairs_.j || values_.extent(k) != values_.extent(pairs_.j)) return {};
        const auto found = guarded_in(values_, fold::product, node.arguments[0]);
        bool under = false, other = false;
        for (const expr c : found.parts) {
            const auto pairs = triangle_in(values_, c, k);
            if (pairs && is_of(*pairs)) under = true;
            else if (is_other(c, k)) other = true;
            else return {};
        }
        if (!under || !other) return {};
        return weight(pair_weight::weight_kind::others, fold::product, found.value, k);
    }
    bool is_other(expr condition, loop k) const {
        const auto compared = compared_in(values_, condition);
        if (!compared || compared->code != opcode::not_equal || compared->has_edge()) return false;
        const place difference = compared->difference();
        return difference.offset == 0 && difference.terms.size() == 2 &&
               std::abs(difference.factor(k)) == 1 &&
               difference.factor(k) + difference.factor(pairs_.j) == 0;
    }

    // What is folded over all m between j and i, [j < m <= i]: nothing where they are nearest, and
    // one more with each link.
    std::optional<pair_weight> between(weight_kind kind, const expression& node) const {
        if (node.over.size() != 1 || pairs_.stride != 1) return {};
        const loop m = node.over[0];
        const bool sums = kind == weight_kind::sum_between;
        const auto found = guarded_in(values_, sums ? fold::sum : fold::product, node.arguments[0]);
        expr_list of_each{found.value ? found.value : values_.constant(1)};
        std::optional<std::int64_t> near, far;  // how far m is from j and i where these are
        for (const expr c : found.parts) {
            const auto bound = triangle_in(values_, c, m);
            if (!bound) {
                if (!sums) return {};
                of_each.push_back(c);
                continue;
            }
            if (!far && bound->i == pairs_.i && bound->up == pairs_.up) far = bound->offset;
            else if (!near && bound->i == pairs_.j && bound->up != pairs_.up) near = bound->offset;
            else return {};
        }
        if (!near || !far) return {};
        const std::int64_t by = *far - pairs_.offset;
        if (*near != by + (pairs_.up ? 1 : -1)) return {};
        const std::int64_t first = pairs_.up ? 1 : 0, last = values_.extent(pairs_.j) - (2 - first);
        if (first + by < 0 || last + by >= values_.extent(m)) return {};
        expr value = values_.multiply(of_each);
        const loop_list indices = values_[value].indices;
        if (!contains(indices, m) || contains(indices, pairs_.i) || contains(indices, pairs_.j))
            return {};
        const moved_loop there{m, {by, {{pairs_.j, 1}}}};
        value = values_.moved(value, {&there, 1});
        if (!value) return {};
        return pair_weight{kind, fold::maximum, value, expr::none};
    }

    // exp of a sum over what is between them, or of x_i - x_j.
    std::optional<pair_weight> difference(expr e) const {
        if (values_[e].kind == kind::load)
            if (const expr known = defined_.value_of(e)) e = known;
        const expression node = values_[e];
        if (node.kind == kind::sum || (node.kind == kind::fold && node.folding == fold::sum))
            return between(weight_kind::sum_between, node);
        const auto both = values_.terms(e);
        const bool same_places = pairs_.offset == 0 && pairs_.stride == 1 &&
                                 values_.extent(pairs_.i) == values_.extent(pairs_.j);
        if (both.size() != 2 || !same_places) return {};
        expr at_i = both[0], at_j = both[1];
        if (contains(values_[at_i].indices, pairs_.j)) std::swap(at_i, at_j);
        const auto &i = values_[at_i].indices, &j = values_[at_j].indices;
        if (!contains(i, pairs_.i) || contains(i, pairs_.j) || contains(j, pairs_.i)) return {};
        const expr of = values_.renamed(at_i, {{pairs_.i, pairs_.j}});
        if (values_.multiply({values_.constant(-1), of}) != at_j) return {};
        return pair_weight{weight_kind::ratio_between, fold::maximum, of, expr::none};
    }

    // [x_j = the extremum of all x].
    std::optional<pair_weight> extreme(expr value, expr compared) const {
        if (contains(values_[compared].indices, pairs_.j)) return {};
        if (values_[compared].kind != kind::load) return extreme(value, compared, compared);
        if (auto found = extreme(value, compared, defined_.written_of(compared))) return found;
        return extreme(value, compared, defined_.value_of(compared));
    }
    std::optional<pair_weight> extreme(expr value, expr compared, expr extremum) const {
        if (!extremum || values_[extremum].over.size() != 1) return {};
        const fold folding = values_[extremum].folding;
        if (folding != fold::maximum && folding != fold::minimum) return {};
        const loop k = values_[extremum].over[0];
        if (values_.extent(k) != values_.extent(pairs_.j)) return {};
        const expr of = value_under(folding, values_[extremum].arguments[0], k);
        auto found = weight(pair_weight::weight_kind::extreme, folding, of, k);
        const expr under = value_under(folding, value, pairs_.j);
        if (!found || (found->of != value && found->of != under)) return {};
        found->extremum = compared;
        return found;
    }

    // step * d + ahead, of the place of a pair or of how far it is from another one.
    struct places_between {
        std::int64_t step, ahead;
    };
    std::optional<places_between> distance_in(expr e) const {
        const auto& node = values_[e];
        if (node.code == opcode::absolute) {
            auto inside = distance_in(node.arguments[0]);
            if (!inside) return {};
            if (inside->step >= 0 && inside->ahead >= 0) return inside;
            if (inside->step > 0 || inside->ahead > 0) return {};
            return places_between{-inside->step, -inside->ahead};
        }
        if (node.code == opcode::add) {  // of a size, and a number
            for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
                const auto number = whole_number(values_, node.arguments[1 - side]);
                if (!number || values_[node.arguments[side]].code != opcode::absolute) continue;
                auto size = distance_in(node.arguments[side]);
                if (size) size->ahead += *number;
                return size;
            }
        }
        const auto at = place_of(values_, e);
        if (!at || at->edge != edge::none || at->terms.size() != 2) return {};
        const std::int64_t step = at->factor(pairs_.i);
        if (step == 0 || at->factor(pairs_.j) != -step) return {};
        // i - j is d - offset, or -d - offset where the pairs point down
        return places_between{pairs_.up ? step : -step, at->offset - step * pairs_.offset};
    }
    bool is_of_pair(expr e) const {
        return contains(values_[e].indices, pairs_.i) || contains(values_[e].indices, pairs_.j);
    }
    static pair_weight by(pair_weight::weight_kind kind, expr of, const places_between& d) {
        return {kind, fold::maximum, of, expr::none, d.step, d.ahead};
    }
    std::optional<pair_weight> of_distance(expr factor) const {
        using enum pair_weight::weight_kind;
        const auto& node = values_[factor];
        if (const auto d = distance_in(factor)) return by(distance, expr::none, *d);
        if (node.kind != kind::operation) return {};
        if (node.code == opcode::not_equal || node.code == opcode::logical_or)
            return other_place(factor);
        if (node.code == opcode::power) {
            const expr base = node.arguments[0];
            const auto d = is_of_pair(base) ? std::nullopt : distance_in(node.arguments[1]);
            if (!d) return {};
            // 1 / 0 is no number that powers are made of.
            const bool is_number = values_[base].kind == kind::constant && values_[base].value != 0;
            if (d->step < 0 && !is_number) return {};
            return by(power, base, *d);
        }
        if (node.code != opcode::exp) return {};
        std::optional<places_between> d;
        expr_list rate{values_.constant(1)};
        for (const expr f : values_.factors(node.arguments[0])) {
            if (!is_of_pair(f)) {
                rate.push_back(f);
            } else if (d || !(d = distance_in(f))) {
                return {};
            }
        }
        if (!d) return {};
        return by(exponential, values_.multiply(rate), *d);
    }
    // [d != 0], or that or a condition on other things.
    std::optional<pair_weight> other_place(expr condition) const {
        const auto& node = values_[condition];
        if (node.code == opcode::logical_or) {
            for (const expr side : node.arguments)
                if (values_[side].code == opcode::not_equal)
                    if (const auto found = other_place(side)) return found;
            return {};
        }
        const auto compared = compared_in(values_, condition);
        if (!compared || compared->has_edge()) return {};
        const auto d = distance_in(values_.position(compared->difference()));
        if (!d || d->ahead != 0) return {};
        return by(pair_weight::weight_kind::apart, expr::none, *d);
    }

    graph& values_;
    const definitions& defined_;
    const triangle& pairs_;
};

}  // namespace

std::optional<folded_pairs> pairs_in(graph& values, fold folding, expr body, loop j) {
    const auto found = guarded_in(values, folding, body);
    if (!found.value) return {};
    for (std::size_t k = 0; k < found.parts.size(); ++k) {
        const auto pairs = triangle_in(values, found.parts[k], j);
        if (!pairs) continue;
        guarded own = found;
        own.parts.erase(own.parts.begin() + static_cast<std::ptrdiff_t>(k));
        const bool related = std::ranges::any_of(
            own.parts, [&](expr c) { return contains(values[c].indices, pairs->i); });
        if (related) continue;
        const expr value = own.parts.empty() ? own.value : body_of(values, folding, own);
        return folded_pairs{*pairs, found.parts[k], value};
    }
    return {};
}

std::optional<pair_weight> pair_weight_in(graph& values, const definitions& extrema, expr factor,
                                          const triangle& pairs) {
    return weight_reader(values, extrema, pairs).read(factor);
}

}  // namespace ricci::plan
