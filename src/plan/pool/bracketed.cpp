// Tensors that are 0 where a bracket of their definition is false: in front of one of them that
// bracket says nothing new.
#include <algorithm>

#include "src/plan/pool/definitions.hpp"

namespace ricci::plan {
namespace {

// Cases of 1 and 0 as the condition that they have.
expr condition_of(const graph& values, expr bracket) {
    const auto& node = values[bracket];
    if (node.code != opcode::select || node.kind != kind::operation) return bracket;
    const expr condition = node.arguments[0];
    if (!values.is_bracket(condition)) return bracket;
    if (values.is_constant(node.arguments[1], 1) && values.is_constant(node.arguments[2], 0))
        return condition;
    return bracket;
}

// Conditions of which one is false only where the value is 0. Brackets stand in front of a product,
// or of all terms of a sum; below that nothing is looked for.
expr_list hiding(const graph& values, expr value, int depth = 0) {
    constexpr int deepest = 4;
    const auto& node = values[value];
    expr_list found;
    if (depth > deepest) return found;
    if (node.kind == kind::sum || (node.kind == kind::fold && node.folding == fold::sum)) {
        for (const expr c : hiding(values, node.arguments[0], depth + 1))
            if (common(values[c].indices, node.over).empty()) found.push_back(c);
        return found;
    }
    const auto terms = values.terms(value);
    if (terms.size() > 1) {
        found = hiding(values, terms[0], depth + 1);
        for (std::size_t k = 1; k < terms.size() && !found.empty(); ++k) {
            const auto other = hiding(values, terms[k], depth + 1);
            erase_if(found, [&](expr c) {
                return std::find(other.begin(), other.end(), c) == other.end();
            });
        }
        return found;
    }
    if (node.kind == kind::operation && node.code == opcode::select &&
        values.is_bracket(node.arguments[0]) && values.is_constant(node.arguments[2], 0))
        return {node.arguments[0]};
    for (const expr f : values.factors(value)) {
        if (values.is_bracket(f)) {
            found.push_back(condition_of(values, f));
        } else if (f != value) {
            for (const expr c : hiding(values, f, depth + 1)) found.push_back(c);
        }
    }
    return found;
}

}  // namespace

expr without_implied(graph& values, const definitions& defined, expr product) {
    expr only;
    expr_list brackets;
    for (const expr f : values.factors(product)) {
        if (values.is_bracket(f)) brackets.push_back(f);
        else if (only) return product;
        else only = f;
    }
    if (!only || brackets.empty() || values[only].kind != kind::load) return product;
    const access& read = values[only].source;
    const definition* const of = defined.of(read.slot);
    if (of == nullptr) return product;
    const loop_list loops = loops_of(of->target);
    expr_list here;
    for (const expr c : hiding(values, of->value))
        if (without(values[c].indices, loops).empty())
            here.push_back(defined.part_at(*of, c, read));
    for (const expr b : brackets)
        if (std::find(here.begin(), here.end(), condition_of(values, b)) == here.end())
            return product;
    return only;
}

}  // namespace ricci::plan
