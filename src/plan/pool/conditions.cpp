// What conditions say of places, and what a fold takes up under them.
#include "src/plan/pool/conditions.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <utility>

#include "src/base/arithmetic.hpp"

namespace ricci::plan {
namespace {

bool is_inequality(opcode code) { return code == opcode::less || code == opcode::less_equal; }

// Whether it compares places anywhere: elsewhere it is a value like others.
bool says_places(const graph& values, expr condition) {
    const auto& node = values[condition];
    if (node.kind != kind::operation) return false;
    if (!is_comparison(node))
        return values.is_condition(condition) &&
               std::ranges::any_of(node.arguments, [&](expr a) { return says_places(values, a); });
    return std::ranges::any_of(node.arguments, [&](expr a) {
        const auto& side = values[a];
        const bool is_size = side.code == opcode::absolute;
        const auto at = place_of(values, is_size ? side.arguments[0] : a);
        return at && !at->terms.empty();
    });
}

/// [|p| <= n] as two bounds of p.
bool add_bounds(graph& values, expr condition, expr_list& to) {
    const auto& node = values[condition];
    if (node.kind != kind::operation || !is_inequality(node.code)) return false;
    const auto& size = values[node.arguments[0]];
    if (size.kind != kind::operation || size.code != opcode::absolute) return false;
    const auto most = whole_number(values, node.arguments[1]);
    const opcode code = node.code;
    const expr inside = size.arguments[0], last = node.arguments[1];
    if (!most || !place_of(values, inside)) return false;
    to.push_back(values.apply(code, values.constant(static_cast<double>(-*most)), inside));
    to.push_back(values.apply(code, inside, last));
    return true;
}

void add_conjuncts(graph& values, expr condition, expr_list& to) {
    for (const expr f : values.factors(condition)) {
        const auto& node = values[f];
        if (node.kind == kind::operation && node.code == opcode::logical_and &&
            values.is_bracket(node.arguments[0]) && values.is_bracket(node.arguments[1])) {
            for (const expr a : node.arguments) add_conjuncts(values, a, to);
        } else if (!add_bounds(values, f, to)) {
            to.push_back(f);
        }
    }
}

// Whether it says of places alone how they lie; `both` is set where it is those of two loops.
bool says_how_places_lie(graph& values, expr condition, bool& both) {
    return std::ranges::all_of(conjuncts_of(values, condition), [&](expr c) {
        const auto& node = values[c];
        if (node.kind == kind::operation && node.code == opcode::logical_or)
            return std::ranges::all_of(expr_list(node.arguments), [&](expr side) {
                return says_how_places_lie(values, side, both);
            });
        const auto compared = compared_in(values, c);
        if (!compared || compared->has_edge()) return false;
        const place difference = compared->difference();
        both = both || difference.terms.size() > 1;
        return std::ranges::any_of(difference.terms,
                                   [](const term& t) { return std::abs(t.factor) == 1; });
    });
}

class fold_reader {
public:
    fold_reader(graph& values, fold folding, beside_cases beside)
        : values_(values), folding_(folding), beside_(beside) {}

    void take(expr part) {
        const expression& node = values_[part];
        if (folding_ == fold::sum && node.kind == kind::operation &&
            node.code == opcode::multiply) {
            const auto outer = std::exchange(alone_, alone_ && is_alone(node.arguments));
            for (const expr f : node.arguments) take(f);
            alone_ = outer;
        } else if ((alone_ || beside_ == beside_cases::hidden) &&
                   is_guarded(values_, folding_, part)) {
            const bool kept = values_.is_constant(node.arguments[2], identity_of(folding_));
            const expr condition = kept ? node.arguments[0] : values_.opposite(node.arguments[0]);
            add_conjuncts(values_, condition, found_.parts);
            take(node.arguments[kept ? 1 : 2]);
        } else if (folding_ != fold::sum) {
            found_.value = part;
        } else if (values_.is_bracket(part)) {
            add_conjuncts(values_, part, found_.parts);
        } else {
            found_.parts.push_back(part);
        }
    }
    guarded found() { return std::move(found_); }

private:
    // Whether of these factors one at most is neither a bracket nor a number; asked for where there
    // are cases that it decides about.
    bool is_alone(expr_span factors) const {
        const auto has_parts = [&](expr f) {
            const auto& factor = values_[f];
            return factor.kind == kind::operation &&
                   (factor.code == opcode::select || factor.code == opcode::multiply);
        };
        if (std::ranges::none_of(factors, has_parts)) return false;
        return std::ranges::count_if(factors, [&](expr f) {
                   const auto& factor = values_[f];
                   const bool is_number =
                       factor.kind == kind::constant && std::isfinite(factor.value);
                   return !is_number && !values_.is_bracket(f);
               }) <= 1;
    }

    graph& values_;
    const fold folding_;
    const beside_cases beside_;
    bool alone_ = true;  // brackets and numbers are all that stands beside it
    guarded found_;
};

}  // namespace

place compared_places::difference() const { return without_edge(left).plus(right, -1); }

place compared_places::margin() const {
    place d = without_edge(right).plus(left, -1);
    if (code == opcode::less) d.offset -= 1;
    std::int64_t common_factor = 0;
    for (const auto& t : d.terms) common_factor = std::gcd(common_factor, t.factor);
    if (common_factor <= 1) return d;
    for (auto& t : d.terms) t.factor /= common_factor;
    d.offset = floor_divide(d.offset, common_factor);
    return d;
}

std::optional<compared_places> compared_in(const graph& values, expr condition) {
    const auto& test = values[condition];
    if (!is_comparison(test)) return {};
    auto left = place_of(values, test.arguments[0]);
    if (!left) return {};
    auto right = place_of(values, test.arguments[1]);
    if (!right) return {};
    return compared_places{test.code, *std::move(left), *std::move(right)};
}

std::optional<bound_of_fold> bound_in(const graph& values, expr condition, const loop_list& over) {
    const auto compared = compared_in(values, condition);
    if (!compared || !is_inequality(compared->code) || compared->has_edge()) return {};
    bound_of_fold found;
    found.rest = compared->margin();
    for (const auto& t : found.rest.terms) {
        if (!contains(over, t.over)) continue;
        if (found.j || std::abs(t.factor) != 1) return {};
        found.j = t.over;
        found.sign = t.factor;
    }
    if (!found.j) return {};
    found.rest = found.rest.without(found.j);
    return found;
}

std::optional<triangle> triangle_in(const graph& values, expr condition, loop j) {
    const auto bound = bound_in(values, condition, {j});
    if (!bound || bound->rest.terms.size() != 1) return {};
    const term& other = bound->rest.terms[0];
    const std::int64_t stride = -bound->sign * other.factor;
    if (stride < 1) return {};
    const bool up = bound->sign < 0;
    return triangle{j, other.over, up, up ? bound->rest.offset : -bound->rest.offset, stride};
}

std::optional<std::pair<loop, loop>> related_by(graph& values, expr condition) {
    const loop_list loops = values[condition].indices;
    if (values[condition].kind != kind::operation || loops.size() != 2) return {};
    bool both = false;
    if (!says_how_places_lie(values, condition, both) || !both) return {};
    return std::pair{loops[0], loops[1]};
}

std::optional<std::int64_t> only_place(const graph& values, expr_span conditions, loop j) {
    for (const expr c : conditions) {
        const auto compared = compared_in(values, c);
        if (!compared || compared->code != opcode::equal || compared->has_edge()) continue;
        const place difference = compared->difference();
        if (difference.terms.size() != 1 || std::abs(difference.factor(j)) != 1) continue;
        const std::int64_t at = -difference.offset * difference.factor(j);
        if (at >= 0 && at < values.extent(j)) return at;
    }
    return {};
}

expr_list conjuncts_of(graph& values, expr condition) {
    expr_list all;
    add_conjuncts(values, condition, all);
    return all;
}

double identity_of(fold f) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    switch (f) {
        case fold::product:
            return 1;
        case fold::maximum:
        case fold::logsumexp:
        case fold::softmax:
            return -infinity;
        case fold::minimum:
            return infinity;
        default:
            return 0;
    }
}

bool is_guarded(const graph& values, fold folding, expr part) {
    const auto& node = values[part];
    if (node.kind != kind::operation || node.code != opcode::select) return false;
    if (folding == fold::mean || folding == fold::excess) return false;  // nothing changes these
    const auto is_nothing = [&](expr e) { return values.is_constant(e, identity_of(folding)); };
    return (is_nothing(node.arguments[1]) || is_nothing(node.arguments[2])) &&
           says_places(values, node.arguments[0]);
}

guarded guarded_in(graph& values, fold folding, expr body, beside_cases beside) {
    fold_reader reader(values, folding, beside);
    reader.take(body);
    return reader.found();
}

std::optional<related_weights> related_weights_in(graph& values, expr e) {
    const expression& node = values[e];
    if (!is_softmax(node) || node.over.size() != 1) return {};
    related_weights found{node.over[0], guarded_in(values, fold::softmax, node.arguments[0]), {}};
    for (const expr c : found.cases.parts)
        found.ends = united(found.ends, without(values[c].indices, {found.j}));
    if (found.ends.empty() || !found.cases.value ||
        !common(values[found.cases.value].indices, found.ends).empty())
        return {};
    return found;
}

expr body_of(graph& values, fold folding, const guarded& of) {
    const expr parts = values.multiply(of.parts);
    if (folding == fold::sum) return parts;
    return values.apply(opcode::select, parts, of.value, values.constant(identity_of(folding)));
}

}  // namespace ricci::plan
