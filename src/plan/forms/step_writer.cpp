#include "src/plan/forms/step_writer.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "src/plan/forms/path_through.hpp"

namespace ricci::plan {

void step_writer::write(const access& target, expr value, bool hides) {
    const auto& node = values_[value];
    assign made = node.kind == kind::fold
                      ? map_into(equation_, target, node.arguments[0], node.folding, node.over)
                      : map_into(equation_, target, value);
    made.hides = hides;
    put(std::move(made));
}

expr step_writer::stored(expr value) {
    loop_list order = values_[value].indices;
    const expr widest = values_[value].widest;
    if (widest && without(order, values_[widest].indices).empty()) {
        const access& like = values_[widest].source;
        order = by_stride(std::move(order), address_of(like, plan_.slot_of(like).strides));
    }
    const access target = add_memory(plan_, order, type_);
    write(target, value);
    return values_.load(target);
}

expr step_writer::contracted(expr left, expr right, const loop_list& over, const access* target) {
    const loop_list loops = without(united(values_[left].indices, values_[right].indices), over);
    const expr product = values_.multiply({left, right});
    const bool there = target != nullptr && loops_of(*target) == loops;
    const access written = there ? *target : add_memory(plan_, loops, type_);
    put(contract_into(equation_, written, product, over, values_.constant(1)));
    return values_.load(written);
}

// The loads, those of loops that another one has multiplied by it.
expr_list step_writer::merged(const expr_list& loads) {
    std::vector<expr_list> groups;
    const auto loops = [&](std::size_t g) {
        loop_list all;
        for (const expr e : groups[g]) all = united(all, values_[e].indices);
        return all;
    };
    expr_list by_size = loads;
    std::ranges::sort(by_size, [&](expr x, expr y) {
        const auto a = values_[x].indices.size(), b = values_[y].indices.size();
        return a != b ? a > b : x < y;
    });
    for (const expr e : by_size) {
        std::size_t best = groups.size();
        for (std::size_t g = 0; g < groups.size(); ++g)
            if (without(values_[e].indices, loops(g)).empty() &&
                (best == groups.size() || values_.size(loops(g)) < values_.size(loops(best))))
                best = g;
        if (best == groups.size()) groups.emplace_back();
        groups[best].push_back(e);
    }
    expr_list products;
    for (const expr_list& g : groups)
        products.push_back(g.size() == 1 ? g[0] : stored(values_.multiply(g)));
    return products;
}

expr step_writer::sum_of_product(const expr_list& loads, const loop_list& over,
                                 const access* target) {
    expr_list beside, inside;
    for (const expr e : loads)
        (common(values_[e].indices, over).empty() ? beside : inside).push_back(e);
    expr_list operands = merged(inside);
    if (operands.size() == 1) {
        beside.push_back(stored(values_.row(fold::sum, over, operands[0])));
        return values_.multiply(beside);
    }
    beside.push_back(folded_in_pairs(
        values_, std::move(operands), over,
        [&](expr left, expr right, const loop_list& summed, bool last) {
            return summed.empty() ? stored(values_.multiply({left, right}))
                                  : contracted(left, right, summed, last ? target : nullptr);
        }));
    return values_.multiply(beside);
}

}  // namespace ricci::plan
