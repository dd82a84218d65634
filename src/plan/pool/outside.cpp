// What values are where a condition does not hold.
#include "src/plan/pool/outside.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "src/plan/pool/conditions.hpp"

namespace ricci::plan {
namespace {

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

class outside_reader {
public:
    outside_reader(graph& values, const std::function<outside_values(expr)>& of_load)
        : values_(values), of_load_(of_load) {}

    outside_values find(expr e) {
        const expression& node = values_[e];
        if (node.kind == kind::load && !node.condition) return of_load_(e);
        if (values_.is_bracket(e)) return under(e, 0);
        if (node.kind != kind::operation && node.kind != kind::sum && node.kind != kind::fold)
            return {};
        if (const auto known = known_.find(e); known != known_.end()) return known->second;
        return known_[e] = of_node(node);
    }

private:
    outside_values under(expr condition, double number) {
        outside_values found;
        for (const expr c : conjuncts_of(values_, condition)) found.push_back({c, number, false});
        return found;
    }
    outside_values of_node(const expression& node) {
        if (node.kind == kind::sum || node.kind == kind::fold)
            return outside_of_fold(values_, node.kind == kind::sum ? fold::sum : node.folding,
                                   node.over, find(node.arguments[0]));
        if (node.code == opcode::select) return of_cases(node);
        if (node.code == opcode::multiply) return of_product(node);
        if (node.code == opcode::add) return of_sum(node);
        return {};
    }
    outside_values of_cases(const expression& node) {
        const auto& otherwise = values_[node.arguments[2]];
        if (otherwise.kind != kind::constant || !values_.is_condition(node.arguments[0])) return {};
        const double number = otherwise.value;
        auto found = under(node.arguments[0], number);
        for (const auto& inner : find(node.arguments[1]))
            if (inner.number == number) found.push_back(inner);
        return found;
    }
    // 0, where any factor is; a bracket hides whatever the others are.
    outside_values of_product(const expression& node) {
        outside_values found;
        for (const expr f : node.arguments)
            for (const auto& mine : find(f))
                if (mine.number == 0) found.push_back(mine);
        return found;
    }
    // Minus infinity, whatever is added to it; 0, where all terms are.
    outside_values of_sum(const expression& node) {
        outside_values infinite, zero;
        for (std::size_t k = 0; k < node.arguments.size(); ++k) {
            outside_values mine = find(node.arguments[k]);
            for (auto& m : mine)
                if (m.number == minus_infinity) infinite.push_back({m.condition, m.number, true});
            if (k == 0) {
                zero = std::move(mine);
                continue;
            }
            std::erase_if(zero, [&](outside_value& z) {
                const auto same = std::ranges::find(mine, z.condition, &outside_value::condition);
                if (same == mine.end() || same->number != 0) return true;
                z.by_numbers = z.by_numbers || same->by_numbers;
                return false;
            });
        }
        std::erase_if(zero, [](const outside_value& z) { return z.number != 0; });
        infinite.insert(infinite.end(), zero.begin(), zero.end());
        return infinite;
    }

    graph& values_;
    const std::function<outside_values(expr)>& of_load_;
    std::map<expr, outside_values> known_;  // of parts that stand in several places
};

}  // namespace

outside_values outside(graph& values, expr e,
                       const std::function<outside_values(expr load)>& of_load) {
    return outside_reader(values, of_load).find(e);
}

// A condition on other loops than those of the fold leaves nothing to fold; in a softmax what has
// no weight is 0.
outside_values outside_of_fold(const graph& values, fold folding, const loop_list& over,
                               outside_values of_body) {
    if (folding == fold::none) return of_body;
    const bool softmax = folding == fold::softmax;
    const bool known = softmax || folding == fold::sum || folding == fold::maximum;
    std::erase_if(of_body, [&](outside_value& v) {
        const bool folded = !common(values[v.condition].indices, over).empty();
        return !known || folded != softmax || v.number != identity_of(folding);
    });
    for (auto& v : of_body)
        if (softmax) v.number = 0;
    return of_body;
}

expr without_implied(graph& values, const definitions& defined, expr product) {
    expr only;
    expr_list brackets;
    for (const expr f : values.factors(product)) {
        if (values.is_bracket(f)) brackets.push_back(f);
        else if (only) return product;
        else only = f;
    }
    if (!only || brackets.empty() || values[only].kind != kind::load) return product;
    const access read = values[only].source;
    const definition* const of = defined.of(read.slot);
    if (of == nullptr) return product;
    const loop_list loops = loops_of(of->target);
    expr_list here;
    for (const auto& v : outside(values, of->value, [](expr) { return outside_values{}; }))
        if (v.number == 0 && !v.by_numbers && without(values[v.condition].indices, loops).empty())
            here.push_back(defined.part_at(*of, v.condition, read));
    for (const expr b : brackets)
        for (const expr c : conjuncts_of(values, b))
            if (std::ranges::find(here, c) == here.end()) return product;
    return only;
}

}  // namespace ricci::plan
