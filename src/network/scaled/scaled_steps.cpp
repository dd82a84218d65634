#include "src/network/scaled/scaled_steps.hpp"

#include <algorithm>
#include <utility>

#include "src/network/scaled/block_kernels.hpp"
#include "src/network/scaled/powers_of_two.hpp"

namespace ricci::networks {

scaled_steps::scaled_steps(const sliced_plan& plan, const scaled_operands& operands,
                           std::span<const std::int32_t> block_indices, std::byte* workspace,
                           const scaled_steps* first)
    : type_(plan.planned.plan.type),
      block_indices_(block_indices.begin(), block_indices.end()),
      operands_(plan.tree.operands),
      results_(plan.results) {
    make_operands(operands, plan.loops);
    make_tensors(plan, workspace, first);
    const auto& planned = plan.planned;
    const auto walk = [&](std::int32_t tensor) {
        if (tensor < 0) return block_walk();
        return walk_of(block_indices_, plan.tree.axes[at(tensor)],
                       planned.plan.slots[planned.slots[at(tensor)].index()].strides, plan.extents,
                       is_complex(type_));
    };
    for (const tree_step& s : plan.tree.steps) {
        steps_.push_back(made_of(s, plan));
        steps_.back().walk = walk(s.result);
    }
    for (const aligned_sum& a : plan.aligned) {
        made_step& s = steps_[a.step];
        s.alignment = static_cast<std::int32_t>(alignments_.size());
        (s.left == a.taker ? s.right : s.left) = -1;
        alignments_.emplace_back(a, plan.tree, block_indices_, plan.extents, tensors_,
                                 walk(a.taker), walk(a.other));
    }
}

// Their tables are those of all ranges.
void scaled_steps::make_operands(const scaled_operands& operands,
                                 std::span<const range_loop> loops) {
    for (std::size_t k = 0; k < operands_; ++k) {
        tensors_.push_back({operands.table(k), operands.exponents(k), nullptr, nullptr});
        moving m{k, operands.exponents(k), {}};
        bool moves = false;
        for (const range_loop& l : loops) {
            std::int64_t step = 0;
            for (std::size_t b = 0; b < block_indices_.size(); ++b)
                if (block_indices_[b] == l.index) step = operands.table(k).steps[b];
            moves = moves || step != 0;
            m.first += step * l.first;
            m.advance.push_back(step * l.width);
        }
        if (moves) moving_.push_back(std::move(m));
    }
}

void scaled_steps::make_tensors(const sliced_plan& plan, std::byte* workspace,
                                const scaled_steps* first) {
    std::int64_t exponents = 0, most = 1;
    for (std::size_t k = operands_; k < plan.tree.axes.size(); ++k) {
        scaled_tensor t;
        t.table = table_of(block_indices_, plan.tree.axes[k], plan.extents);
        t.memory =
            workspace + plan.planned.plan.slots[plan.planned.slots[k].index()].workspace_offset;
        exponents += t.table.entries;
        most = std::max(most, t.table.entries);
        tensors_.push_back(std::move(t));
    }
    exponents_.resize(static_cast<std::size_t>(exponents), no_exponent);
    largest_.resize(static_cast<std::size_t>(most));
    powers_.resize(static_cast<std::size_t>(most));
    std::int64_t* next = exponents_.data();
    for (std::size_t k = operands_; k < tensors_.size(); ++k) {
        scaled_tensor& t = tensors_[k];
        t.exponents = t.own_exponents = next;
        next += t.table.entries;
        if (first != nullptr && plan.is_constant[plan.planned.slots[k].index()])
            t.exponents = first->tensors_[k].exponents;
    }
}

scaled_steps::made_step scaled_steps::made_of(const tree_step& s, const sliced_plan& plan) const {
    made_step made{s.left, s.right, s.result, {}, {}, -1};
    const auto step_in = [&](std::int32_t tensor, std::size_t k) {
        return tensor < 0 ? 0 : tensors_[at(tensor)].table.steps[k];
    };
    for (std::size_t k = 0; k < block_indices_.size(); ++k)
        if (has_index(plan.tree.axes[at(s.result)], block_indices_[k]))
            made.loops.push_back({plan.extents[at(block_indices_[k])], step_in(s.left, k),
                                  step_in(s.right, k), step_in(s.result, k)});
    return made;
}

void scaled_steps::place(std::span<const std::int64_t> counters) {
    for (const moving& m : moving_) {
        const std::int64_t* at = m.first;
        for (std::size_t l = 0; l < counters.size(); ++l) at += counters[l] * m.advance[l];
        tensors_[m.operand].exponents = at;
    }
}

void scaled_steps::before(std::size_t step) {
    if (steps_[step].alignment >= 0) alignments_[at(steps_[step].alignment)].run(type_, tensors_);
}

void scaled_steps::after(std::size_t step) {
    const made_step& s = steps_[step];
    const scaled_tensor& result = tensors_[at(s.result)];
    const auto exponent = [&](std::int32_t tensor, std::int64_t entry) {
        return tensor < 0 ? 0 : tensors_[at(tensor)].exponents[entry];
    };
    each_place(s.loops, [&](std::int64_t a, std::int64_t b, std::int64_t c) {
        result.own_exponents[c] = exponent(s.left, a) + exponent(s.right, b);
    });
    measure_blocks(s.walk, type_, result.memory, largest_.data());
    const kept_range range = range_of(type_);
    bool moves = false;
    for (std::int64_t b = 0; b < result.table.entries; ++b) {
        const double largest = largest_[static_cast<std::size_t>(b)];
        const std::int64_t power = shift_into(range, 0, range.top / 2, exponent_of(largest));
        powers_[static_cast<std::size_t>(b)] = power;
        moves = moves || power != 0;
        if (largest == 0) result.own_exponents[b] = no_exponent;
        else result.own_exponents[b] -= power;
    }
    if (moves) multiply_blocks(s.walk, type_, result.memory, powers_.data());
}

}  // namespace ricci::networks
