#include "src/network/bytes_beside.hpp"

#include <algorithm>
#include <cstdint>

#include "src/contract/algebra/algebra_product.hpp"
#include "src/network/scaled/block_indices.hpp"

namespace ricci::networks {

double bytes_of_tables(const sliced_plan& plan) {
    constexpr double an_entry = sizeof(std::int64_t) + sizeof(std::int32_t), tensors = 2;
    double entries = 0;
    for (const tree_step& s : plan.tree.steps) {
        if (s.right < 0) continue;
        const auto& left = plan.tree.axes[at(s.left)];
        const auto& right = plan.tree.axes[at(s.right)];
        const auto& result = plan.tree.axes[at(s.result)];
        double rows = 1, columns = 1, terms = 1;
        for (const std::int32_t i : left) {
            const auto extent = static_cast<double>(plan.extents[at(i)]);
            if (!has_index(result, i)) terms *= extent;
            else if (!has_index(right, i)) rows *= extent;
        }
        for (const std::int32_t i : right)
            if (has_index(result, i) && !has_index(left, i))
                columns *= static_cast<double>(plan.extents[at(i)]);
        entries += rows + columns + terms;
    }
    return tensors * an_entry * entries;
}

double bytes_of_exponents(const sliced_plan& plan, std::span<const std::int32_t> block_indices) {
    std::int64_t entries = 0, most = 0;
    for (std::size_t k = plan.tree.operands; k < plan.tree.axes.size(); ++k) {
        const block_table table = table_of(block_indices, plan.tree.axes[k], plan.extents);
        entries += table.entries;
        most = std::max(most, table.entries);
    }
    return static_cast<double>(sizeof(std::int64_t)) * static_cast<double>(entries) +
           static_cast<double>(sizeof(double) + sizeof(std::int64_t)) * static_cast<double>(most);
}

double bytes_of_places(const sliced_plan& plan) {
    double places = 0;
    for (const tree_step& s : plan.tree.steps) {
        double elements = 1;
        for (const std::int32_t i : plan.tree.axes[at(s.result)])
            elements *= static_cast<double>(plan.extents[at(i)]);
        places += elements;
    }
    return places * static_cast<double>(sizeof(contractions::place));
}

}  // namespace ricci::networks
