#include "src/network/sub_trees.hpp"

#include <algorithm>
#include <array>
#include <queue>
#include <utility>

#include "src/network/step_costs.hpp"

namespace ricci::networks {
namespace {

// Numbers of threads that a cut has to pay for.
constexpr std::array<double, 2> few_and_many{2, 8};
using time_by_threads = std::array<double, few_and_many.size()>;

time_by_threads operator+(time_by_threads a, const time_by_threads& b) {
    for (std::size_t p = 0; p < a.size(); ++p) a[p] += b[p];
    return a;
}

// A step that has all threads: products are cut into tasks of a million multiplications.
time_by_threads time_of_step(double multiplications) {
    constexpr double task = 1e6;
    const double tasks = std::max(1.0, multiplications / task);
    time_by_threads made{};
    for (std::size_t p = 0; p < made.size(); ++p)
        made[p] = step_itself + multiplications / std::min(tasks, few_and_many[p]);
    return made;
}

/// A step and all that are made for it.
struct sub_tree {
    std::array<std::int32_t, 2> factors{-1, -1};  // steps
    double cost = 0;                              // on one thread
    time_by_threads step{}, all{};                // where each step has all threads
    bool fits = false;                            // a thread by itself runs all of it
    bool branches = false;  // both factors of some product in it are large enough for parts
};

/// Sub-trees that are taken, and how long all that was looked at takes then.
struct taken_state {
    double cost = 0, dearest = 0;  // of those that are taken
    time_by_threads trunk{};       // what was left to the trunk

    double time(std::size_t p) const {
        return trunk[p] + std::max(dearest, cost / few_and_many[p]);
    }
};

class part_finder {
public:
    part_finder(const step_tree& tree, std::span<const std::int64_t> extents,
                std::span<const range_loop> loops, const sub_tree_limits& limits)
        : tree_(tree), limits_(limits), nodes_(tree.steps.size()) {
        find_sub_trees(multiplications_of(tree, extents), moving_tensors(extents.size(), loops));
    }

    /// Of each step the number of its part; -1: the trunk's. Empty: there are no parts.
    std::vector<std::int32_t> find() {
        take_whole();
        const taken_state best = split();
        const bool gains = before_[0] - best.time(0) >= limits_.least_gain &&
                           before_[1] - best.time(1) >= limits_.least_gain;
        return gains ? share_out() : std::vector<std::int32_t>();
    }

private:
    // Of each tensor, whether it is another one in each pass.
    std::vector<char> moving_tensors(std::size_t indices, std::span<const range_loop> loops) const {
        std::vector<char> is_moving(indices), tensors(tree_.axes.size());
        for (const range_loop& l : loops)
            if (l.count > 1) is_moving[at(l.index)] = true;
        for (std::size_t k = 0; k < tree_.operands; ++k)
            for (const std::int32_t i : tree_.axes[k]) tensors[k] |= is_moving[at(i)];
        for (const tree_step& s : tree_.steps)
            for (const std::int32_t factor : {s.left, s.right})
                if (factor >= 0) tensors[at(s.result)] |= tensors[at(factor)];
        return tensors;
    }

    void find_sub_trees(const std::vector<double>& costs, const std::vector<char>& moves) {
        std::vector<std::int32_t> makers(tree_.axes.size(), -1);
        for (std::size_t k = 0; k < nodes_.size(); ++k) {
            const tree_step& s = tree_.steps[k];
            sub_tree& n = nodes_[k];
            makers[at(s.result)] = static_cast<std::int32_t>(k);
            n.cost = costs[k] + step_itself;
            n.all = n.step = time_of_step(costs[k]);
            n.fits = costs[k] < limits_.product && !moves[at(s.result)];
            if (s.left >= 0) n.factors[0] = makers[at(s.left)];
            if (s.right >= 0) n.factors[1] = makers[at(s.right)];
            int large = 0;
            for (const std::int32_t f : n.factors) {
                if (f < 0) continue;
                const sub_tree& from = nodes_[at(f)];
                n.cost += from.cost;
                n.all = n.all + from.all;
                n.fits = n.fits && from.fits;
                n.branches = n.branches || from.branches;
                if (from.cost >= limits_.sub_tree) ++large;
            }
            n.branches = n.branches || large == 2;
        }
    }

    // The largest sub-trees that threads run by themselves.
    void take_whole() {
        is_taken_.assign(nodes_.size(), false);
        for (const sub_tree& n : nodes_)
            for (const std::int32_t f : n.factors)
                if (f >= 0 && !n.fits && nodes_[at(f)].fits) take(f, state_);
        if (!nodes_.empty() && nodes_.back().fits)
            take(static_cast<std::int32_t>(nodes_.size()) - 1, state_);
        before_ = state_.trunk;
        for (std::size_t k = 0; k < nodes_.size(); ++k)
            if (is_taken_[k]) before_ = before_ + nodes_[k].all;
    }
    void take(std::int32_t step, taken_state& to) {
        const sub_tree& n = nodes_[at(step)];
        if (n.cost < limits_.sub_tree) {
            to.trunk = to.trunk + n.all;
            return;
        }
        to.cost += n.cost;
        is_taken_[at(step)] = true;
        dearest_.push({n.cost, step});
    }

    // Its factors instead of the dearest one, as long as there are such; as far as is best.
    taken_state split() {
        find_dearest();
        taken_state best = state_;
        std::vector<std::int32_t> steps;
        std::size_t kept = 0;
        while (can_split_dearest()) {
            const std::int32_t step = dearest_.top().second;
            const sub_tree& n = nodes_[at(step)];
            dearest_.pop();
            steps.push_back(step);
            is_taken_[at(step)] = false;
            state_.cost -= n.cost;
            state_.trunk = state_.trunk + n.step;
            for (const std::int32_t f : n.factors)
                if (f >= 0) take(f, state_);
            find_dearest();
            if (state_.time(1) < best.time(1)) best = state_, kept = steps.size();
        }
        for (; steps.size() > kept; steps.pop_back()) {
            for (const std::int32_t f : nodes_[at(steps.back())].factors)
                if (f >= 0) is_taken_[at(f)] = false;
            is_taken_[at(steps.back())] = true;
        }
        return best;
    }
    void find_dearest() { state_.dearest = dearest_.empty() ? 0 : dearest_.top().first; }
    bool can_split_dearest() const {
        return !dearest_.empty() && nodes_[at(dearest_.top().second)].branches &&
               state_.dearest * static_cast<double>(limits_.parts) > state_.cost;
    }

    // The dearest sub-trees first, each to the part that has least.
    std::vector<std::int32_t> share_out() const {
        std::vector<std::pair<double, std::size_t>> sub_trees;
        for (std::size_t k = 0; k < nodes_.size(); ++k)
            if (is_taken_[k]) sub_trees.emplace_back(-nodes_[k].cost, k);
        if (sub_trees.size() < 2) return {};
        std::sort(sub_trees.begin(), sub_trees.end());
        struct part {
            double cost = 0;
            std::vector<std::size_t> roots;
        };
        std::vector<part> parts(std::min(limits_.parts, sub_trees.size()));
        for (const auto& [cost, root] : sub_trees) {
            part& least =
                *std::min_element(parts.begin(), parts.end(),
                                  [](const part& a, const part& b) { return a.cost < b.cost; });
            least.cost -= cost;
            least.roots.push_back(root);
        }
        std::sort(parts.begin(), parts.end(), [](const part& a, const part& b) {
            return a.cost != b.cost ? a.cost > b.cost : a.roots[0] < b.roots[0];
        });
        std::vector<std::int32_t> of_steps(nodes_.size(), -1);
        for (std::size_t p = 0; p < parts.size(); ++p)
            for (const std::size_t root : parts[p].roots)
                of_steps[root] = static_cast<std::int32_t>(p);
        for (std::size_t k = nodes_.size(); k-- > 0;)
            for (const std::int32_t f : nodes_[k].factors)
                if (f >= 0 && of_steps[k] >= 0) of_steps[at(f)] = of_steps[k];
        return of_steps;
    }

    const step_tree& tree_;
    const sub_tree_limits& limits_;
    std::vector<sub_tree> nodes_;  // of each step
    std::vector<char> is_taken_;
    taken_state state_;
    time_by_threads before_{};  // of all sub-trees, without parts
    std::priority_queue<std::pair<double, std::int32_t>> dearest_;
};

}  // namespace

std::vector<std::size_t> take_parts_apart(step_tree& tree, std::span<const std::int64_t> extents,
                                          std::span<const range_loop> loops,
                                          const sub_tree_limits& limits) {
    if (limits.parts < 2) return {};
    const std::vector<std::int32_t> part_of = part_finder(tree, extents, loops, limits).find();
    std::vector<std::size_t> ends;
    for (const std::int32_t p : part_of) {
        if (p < 0) continue;
        if (ends.size() <= at(p)) ends.resize(at(p) + 1, 0);
        ++ends[at(p)];
    }
    if (ends.empty()) return ends;
    std::size_t trunk = 0;
    std::vector<std::size_t> next;  // of each part: where its next step goes
    for (std::size_t& end : ends) {
        next.push_back(trunk);
        end = trunk += end;
    }
    std::vector<tree_step> steps(tree.steps.size());
    for (std::size_t k = 0; k < steps.size(); ++k)
        steps[part_of[k] < 0 ? trunk++ : next[at(part_of[k])]++] = tree.steps[k];
    tree.steps = std::move(steps);
    return ends;
}

}  // namespace ricci::networks
