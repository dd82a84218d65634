// Products of rows that tensors look up: E^{n_b a} W^{ac} is (E W)^{n_b c}. Where there are fewer
// rows than are looked up, the product of all of them is made once, and its rows are looked up.
#include <utility>

#include "src/plan/forms/lower.hpp"

namespace ricci::plan {
namespace {

// A product of all rows is made where each is looked up so often.
constexpr double least_lookups_of_row = 2;

}  // namespace

// The product of looked up rows and another factor, summed, as rows that are looked up of a
// product; none where there are no such rows, or that takes longer.
expr lowering::looked_up_product(expr rows, expr other, const loop_list& summed) {
    const expression node = graph_[rows];
    if (!graph_.solves_places() || node.kind != kind::gather || node.condition || node.edged ||
        node.arguments.size() != node.lookups.size() || !plan_.holds(node.source.slot, type_))
        return expr::none;
    loop_list by_number;
    for (const expr a : node.arguments) by_number = united(by_number, graph_[a].indices);
    if (!common(by_number, united(graph_[other].indices, summed)).empty() ||
        !common(by_number, loops_of(node.source)).empty())
        return expr::none;
    double all_rows = 1;
    access table = node.source;
    std::vector<loop> places;
    for (const auto& l : node.lookups) {
        place& at = table.at[static_cast<std::size_t>(l.axis)];
        const std::int64_t extent = plan_.slot_of(table).extents[static_cast<std::size_t>(l.axis)];
        if (l.may_stray || !at.terms.empty() || at.offset != 0 || extent < 2) return expr::none;
        all_rows *= static_cast<double>(extent);
        places.push_back(graph_.loops().fresh(ir::none, extent));
        at.add(places.back(), 1);
    }
    if (all_rows * least_lookups_of_row > graph_.size(by_number)) return expr::none;
    const expr sum = graph_.sum(summed, graph_.multiply({graph_.load(std::move(table)), other}));
    if (graph_[sum].kind != kind::sum) return expr::none;
    // One row behind the other.
    loop_list rows_first(places.begin(), places.end());
    for (const loop l : axis_order(without(graph_[sum].indices, rows_first)))
        rows_first.push_back(l);
    const access product = memory_over(rows_first, type_);
    access picked = product;
    into(product, sum, 0);
    auto lookups = node.lookups;
    for (std::size_t k = 0; k < lookups.size(); ++k) {
        picked.at[k] = {};
        lookups[k].axis = static_cast<std::int32_t>(k);
    }
    return graph_.regathered(rows, node.arguments, std::move(picked), std::move(lookups));
}

expr lowering::product_of_rows(expr a, expr b, const loop_list& summed) {
    const expr found = looked_up_product(a, b, summed);
    return found ? found : looked_up_product(b, a, summed);
}

}  // namespace ricci::plan
