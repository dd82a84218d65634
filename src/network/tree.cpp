#include "src/network/tree.hpp"

#include <algorithm>
#include <utility>

namespace ricci::networks {
namespace {

using index_list_of_axes = std::vector<std::int32_t>;

index_list_of_axes distinct(std::span<const std::int32_t> axes) {
    index_list_of_axes list(axes.begin(), axes.end());
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    return list;
}

/// The order as a tree, with the indices of every node.
class tree_maker {
public:
    explicit tree_maker(const tree_request& asked) : asked_(asked) {
        tree_.operands = asked.operands.size();
        for (const auto& axes : asked.operands) tree_.axes.emplace_back(axes.begin(), axes.end());
        uses_.resize(asked.extents.size());
        is_open_.resize(asked.extents.size());
        for (const std::int32_t i : asked.open) is_open_[at(i)] = true;
        for (const auto& axes : asked.operands) {
            nodes_.push_back({distinct(axes), -1, -1, -1, 0, 0});
            for (const std::int32_t i : nodes_.back().indices) ++uses_[at(i)];
        }
    }
    step_tree take() {
        for (std::size_t k = 0; k < tree_.operands; ++k) sum_lone(k);
        for (const auto& [left, right] : asked_.products) multiply(left, right);
        emit();
        tree_.root = tree_.steps.back().result;
        lay_out();
        return std::move(tree_);
    }

private:
    struct node {
        index_list_of_axes indices;  // of what its product takes: lone ones are summed
        std::int32_t left, right;
        std::int32_t tensor;  // in the tree, once it is made; of operands what is summed
        double size, peak;    // elements
    };

    double size_of_indices(const index_list_of_axes& list) const {
        double size = 1;
        for (const std::int32_t i : list) size *= static_cast<double>(asked_.extents[at(i)]);
        return size;
    }

    // What no other operand has, and the result has not, is summed first.
    void sum_lone(std::size_t k) {
        node& n = nodes_[k];
        std::erase_if(n.indices,
                      [&](std::int32_t i) { return uses_[at(i)] == 1 && !is_open_[at(i)]; });
        const bool summed = n.indices.size() < distinct(asked_.operands[k]).size();
        n.size = summed ? size_of_indices(n.indices) : 0;  // operands have memory of their own
        n.peak = n.size;
    }

    void multiply(std::int32_t left, std::int32_t right) {
        node made{{}, left, right, -1, 0, 0};
        const node &a = nodes_[at(left)], &b = nodes_[at(right)];
        for (const node* n : {&a, &b})
            for (const std::int32_t i : n->indices) --uses_[at(i)];
        std::set_union(a.indices.begin(), a.indices.end(), b.indices.begin(), b.indices.end(),
                       std::back_inserter(made.indices));
        std::erase_if(made.indices,
                      [&](std::int32_t i) { return uses_[at(i)] == 0 && !is_open_[at(i)]; });
        for (const std::int32_t i : made.indices) ++uses_[at(i)];
        made.size = size_of_indices(made.indices);
        const double apart =
            std::min(std::max(a.peak, a.size + b.peak), std::max(b.peak, b.size + a.peak));
        made.peak = std::max(apart, a.size + b.size + made.size);
        nodes_.push_back(std::move(made));
    }

    // The factor first that leaves least beside the other one.
    void emit() {
        const auto root = static_cast<std::int32_t>(nodes_.size()) - 1;
        std::vector<std::pair<std::int32_t, bool>> stack{{root, false}};
        while (!stack.empty()) {
            const auto [number, ready] = stack.back();
            stack.pop_back();
            node& n = nodes_[at(number)];
            if (n.left < 0) {
                take_operand(number);
            } else if (ready) {
                n.tensor = step(nodes_[at(n.left)].tensor, nodes_[at(n.right)].tensor, n.indices);
            } else {
                const node &a = nodes_[at(n.left)], &b = nodes_[at(n.right)];
                const bool left_first =
                    std::max(a.peak, a.size + b.peak) <= std::max(b.peak, b.size + a.peak);
                stack.push_back({number, true});
                stack.push_back({left_first ? n.right : n.left, false});
                stack.push_back({left_first ? n.left : n.right, false});
            }
        }
        // A network of one tensor.
        if (tree_.steps.empty()) step(0, -1, nodes_[0].indices);
    }
    void take_operand(std::int32_t number) {
        node& n = nodes_[at(number)];
        n.tensor = number;
        if (nodes_.size() > 1 && n.indices.size() < distinct(asked_.operands[at(number)]).size())
            n.tensor = step(number, -1, n.indices);
    }
    std::int32_t step(std::int32_t left, std::int32_t right, const index_list_of_axes& indices) {
        const auto result = static_cast<std::int32_t>(tree_.axes.size());
        tree_.axes.push_back(indices);
        tree_.steps.push_back({left, right, result});
        return result;
    }

    // From the result back to the operands.
    void lay_out() {
        node_of_.resize(tree_.axes.size());
        for (std::size_t k = 0; k < nodes_.size(); ++k)
            node_of_[at(nodes_[k].tensor)] = static_cast<std::int32_t>(k);
        tree_.axes.back().assign(asked_.open.begin(), asked_.open.end());
        for (auto s = tree_.steps.rbegin(); s != tree_.steps.rend(); ++s) lay_out_factors(*s);
    }
    bool is_operand(std::int32_t tensor) const { return at(tensor) < tree_.operands; }

    void lay_out_factors(const tree_step& s) {
        const auto& result = tree_.axes[at(s.result)];
        if (s.right < 0) {
            if (!is_operand(s.left)) tree_.axes[at(s.left)] = in_order(s.left, result, {}, {});
            return;
        }
        // Rows of the left factor, columns of the right one: the last axis of the result is a
        // column, where elements lie next to each other.
        std::int32_t rows = s.left, columns = s.right;
        for (auto i = result.rbegin(); i != result.rend(); ++i) {
            const bool in_left = has_index(tree_.axes[at(s.left)], *i),
                       in_right = has_index(tree_.axes[at(s.right)], *i);
            if (in_left == in_right) continue;
            if (in_left) std::swap(rows, columns);
            break;
        }
        const index_list_of_axes shared = shared_of(rows, columns, result);
        const index_list_of_axes summed = summed_of(rows, columns, result);
        if (!is_operand(rows)) lay_out(rows, in_order(rows, shared, result, summed));
        if (!is_operand(columns)) lay_out(columns, in_order(columns, shared, summed, result));
    }
    /// As the product that takes the tensor wants it; but where the product that makes it is a
    /// batch of many small ones, each of these in one piece. Scattered over the whole tensor they
    /// would be written element by element, while a product that takes them packs what it reads.
    /// Short indices of a batch would leave too little next to each other for that.
    void lay_out(std::int32_t tensor, index_list_of_axes wanted) {
        constexpr std::int64_t least_extent = 16;
        constexpr double least_batches = 256, most_elements = 4096;
        tree_.axes[at(tensor)] = std::move(wanted);
        const node& made = nodes_[at(node_of_[at(tensor)])];
        if (made.left < 0) return;
        const auto &left = nodes_[at(made.left)].indices, &right = nodes_[at(made.right)].indices;
        index_list_of_axes batch;
        for (const std::int32_t i : tree_.axes[at(tensor)])
            if (asked_.extents[at(i)] >= least_extent && has_index(left, i) && has_index(right, i))
                batch.push_back(i);
        const double batches = size_of_indices(batch);
        if (batches >= least_batches && made.size / batches <= most_elements)
            tree_.axes[at(tensor)] = in_order(tensor, batch, tree_.axes[at(tensor)], {});
    }
    /// The axes of a tensor: those in the first list, then the second, then the third.
    index_list_of_axes in_order(std::int32_t tensor, const index_list_of_axes& first,
                                const index_list_of_axes& second,
                                const index_list_of_axes& third) const {
        const auto& old = tree_.axes[at(tensor)];
        index_list_of_axes made;
        for (const auto* list : {&first, &second, &third})
            for (const std::int32_t i : *list)
                if (has_index(old, i) && !has_index(made, i)) made.push_back(i);
        return made;
    }
    index_list_of_axes shared_of(std::int32_t a, std::int32_t b,
                                 const index_list_of_axes& result) const {
        index_list_of_axes shared;
        for (const std::int32_t i : result)
            if (has_index(tree_.axes[at(a)], i) && has_index(tree_.axes[at(b)], i))
                shared.push_back(i);
        return shared;
    }
    /// In the order of the factor whose order is given.
    index_list_of_axes summed_of(std::int32_t rows, std::int32_t columns,
                                 const index_list_of_axes& result) const {
        index_list_of_axes summed;
        const std::int32_t given = is_operand(columns) ? columns : rows;
        for (const std::int32_t i : tree_.axes[at(given)])
            if (!has_index(result, i) && !has_index(summed, i)) summed.push_back(i);
        return summed;
    }

    const tree_request& asked_;
    step_tree tree_;
    std::vector<node> nodes_;
    std::vector<std::int32_t> node_of_;  // of each tensor
    std::vector<std::int32_t> uses_;     // of each index, by what is not used yet
    std::vector<bool> is_open_;
};

}  // namespace

bool has_index(std::span<const std::int32_t> list, std::int32_t index) {
    return std::find(list.begin(), list.end(), index) != list.end();
}

step_tree make_tree(const tree_request& asked) { return tree_maker(asked).take(); }

std::vector<std::int32_t> add_derivatives(step_tree& tree, std::span<const std::size_t> operands) {
    std::vector<bool> wanted(tree.axes.size());
    for (const std::size_t k : operands) wanted[k] = true;
    for (const tree_step& s : tree.steps)
        wanted[at(s.result)] = wanted[at(s.left)] || (s.right >= 0 && wanted[at(s.right)]);
    // The derivative by each tensor; that by the result is 1, and no tensor.
    constexpr std::int32_t none = -2, one = -1;
    std::vector<std::int32_t> by(tree.axes.size(), none);
    by[at(tree.root)] = one;
    const std::size_t forward = tree.steps.size();
    for (std::size_t k = forward; k-- > 0;) {
        const tree_step s = tree.steps[k];
        const std::int32_t above = by[at(s.result)];
        const auto give = [&](std::int32_t factor, std::int32_t other) {
            if (factor < 0 || !wanted[at(factor)]) return;
            const auto made = static_cast<std::int32_t>(tree.axes.size());
            tree.axes.push_back(tree.axes[at(factor)]);
            by[at(factor)] = made;
            if (above == one || other < 0)
                tree.steps.push_back({above == one ? other : above, -1, made});
            else tree.steps.push_back({above, other, made});
        };
        give(s.left, s.right);
        give(s.right, s.left);
    }
    tree.steps.erase(tree.steps.begin() + static_cast<std::ptrdiff_t>(forward) -
                     1);  // the result's
    std::vector<std::int32_t> result;
    for (const std::size_t k : operands) result.push_back(by[k]);
    return result;
}

}  // namespace ricci::networks
