// Tensors that are 0 where a bracket of their definition is false.
#include "src/plan/pool/bracketed.hpp"

#include <algorithm>

namespace ricci::plan {

// Cases of 1 and 0 as the condition that they have.
expr bracketed_tensors::condition_of(expr bracket) {
    const auto& node = values_[bracket];
    if (node.code != opcode::select || node.kind != kind::operation) return bracket;
    const expr condition = node.arguments[0];
    if (!values_.is_bracket(condition)) return bracket;
    if (values_.is_constant(node.arguments[1], 1) && values_.is_constant(node.arguments[2], 0))
        return condition;
    return bracket;
}

// Conditions of which one is false only where the value is 0. Brackets stand in front of a product,
// or of all terms of a sum; below that nothing is looked for.
expr_list bracketed_tensors::hiding(expr value, int depth) {
    constexpr int deepest = 4;
    const auto& node = values_[value];
    expr_list found;
    if (depth > deepest) return found;
    if (node.kind == kind::sum || (node.kind == kind::fold && node.folding == fold::sum)) {
        for (const expr c : hiding(node.arguments[0], depth + 1))
            if (common(values_[c].indices, node.over).empty()) found.push_back(c);
        return found;
    }
    const auto terms = values_.terms(value);
    if (terms.size() > 1) {
        found = hiding(terms[0], depth + 1);
        for (std::size_t k = 1; k < terms.size() && !found.empty(); ++k) {
            const auto other = hiding(terms[k], depth + 1);
            erase_if(found, [&](expr c) {
                return std::find(other.begin(), other.end(), c) == other.end();
            });
        }
        return found;
    }
    if (node.kind == kind::operation && node.code == opcode::select &&
        values_.is_bracket(node.arguments[0]) && values_.is_constant(node.arguments[2], 0))
        return {node.arguments[0]};
    for (const expr f : values_.factors(value)) {
        if (values_.is_bracket(f)) {
            found.push_back(condition_of(f));
        } else if (f != value) {
            for (const expr c : hiding(f, depth + 1)) found.push_back(c);
        }
    }
    return found;
}

void bracketed_tensors::add(const access& target, expr value) {
    const auto known = known_.find(target.slot);
    if (known != known_.end() && known->second.first.at != target.at) {
        known->second.second.clear();  // other parts of it are other values
        return;
    }
    const auto loops = loops_of(target);
    expr_list conditions;
    if (std::all_of(target.at.begin(), target.at.end(), is_whole_axis)) conditions = hiding(value);
    erase_if(conditions, [&](expr c) { return !without(values_[c].indices, loops).empty(); });
    known_[target.slot] = {target, std::move(conditions)};
}

expr bracketed_tensors::without_implied(expr product) {
    expr only;
    expr_list brackets;
    for (const expr f : values_.factors(product)) {
        if (values_.is_bracket(f)) brackets.push_back(f);
        else if (only) return product;
        else only = f;
    }
    if (!only || brackets.empty() || values_[only].kind != kind::load) return product;
    const access read = values_[only].source;
    const auto found = known_.find(read.slot);
    if (found == known_.end()) return product;
    const auto& [target, conditions] = found->second;
    loop_map names;
    for (std::size_t axis = 0; axis < target.at.size(); ++axis) {
        if (target.at[axis].terms.empty()) continue;
        if (read.at[axis].terms.empty() || !is_whole_axis(read.at[axis])) return product;
        names.emplace_back(target.at[axis].terms[0].over, read.at[axis].terms[0].over);
    }
    expr_list here;
    for (const expr c : conditions) here.push_back(values_.renamed(c, names));
    for (const expr b : brackets)
        if (std::find(here.begin(), here.end(), condition_of(b)) == here.end()) return product;
    return only;
}

}  // namespace ricci::plan
