// What one thread takes to run passes over a plan: kernels, addresses, and intermediates of its
// own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "src/engine/execution.hpp"
#include "src/network/algebra_steps.hpp"
#include "src/network/scaled/scaled_run.hpp"
#include "src/network/scaled/scaled_steps.hpp"
#include "src/network/sliced_plan.hpp"

namespace ricci::networks {

class lane {
public:
    /// `workspace` is that of the plan's size, and lasts as long as the lane, as the plan does.
    /// `first`: the lane whose intermediates that are the same in all passes this one reads.
    lane(sliced_plan& of, const run_request& asked, std::byte* workspace, const lane* first);

    /// Of steps one after another, and of parts of the plan at the same time.
    runtime::loan_book& loans() {
        return has_parts() ? in_parts_ : execution_ ? execution_->loans() : algebra_->loans();
    }

    /// Other memory for an operand.
    void bind(std::size_t operand, const void* data);
    /// Forgets what has been made: the next pass makes all of it.
    void begin() { is_fresh_ = true; }
    /// Takes the addresses of the first pass, for the steps that are the same in all.
    template <class Places>
    void begin_with_constants(const Places& place_of) {
        is_fresh_ = true;
        go_to(0, place_of);
        is_fresh_ = true;
    }
    /// Takes addresses for a pass: of what is written those that `place_of(output, row)` gives.
    template <class Places>
    void go_to(std::int64_t pass, const Places& place_of);
    /// Runs the steps that depend on what the last go_to() has changed; gives how many.
    std::size_t run_pass();
    /// Runs those of [first, end) for which `is_due(step)`.
    template <class IsDue>
    void run_steps(std::size_t first, std::size_t end, const IsDue& is_due);
    /// In another algebra, the same where a result is not added to what is there.
    void write_step(std::size_t step) { algebra_->run_step(planned_, step, false); }

    /// Of a scaled run, after all steps of a pass: one of its outputs.
    void add_result(std::size_t output, const scaled_result& layout, scaled_sums& to) {
        layout.add(lands_[output], exponents_->result(output), counters_, to, row_, room_[output]);
    }

    const algebra_steps& algebra() const { return *algebra_; }
    std::span<const std::int64_t> counters() const { return counters_; }

private:
    const plan::step_loop& around() const { return planned_.plan.around; }
    bool has_parts() const { return !of_.part_ends.empty(); }
    void find_loans_in_parts();
    void run_step(std::size_t step);
    void move(const plan::moving_slot& m);

    const sliced_plan& of_;
    std::optional<network_plan> own_;  // of all lanes but the first
    network_plan& planned_;
    std::byte* workspace_;
    std::optional<engine::execution> execution_;  // of sums of products
    std::optional<algebra_steps> algebra_;        // or of another algebra
    std::optional<scaled_steps> exponents_;       // of a scaled run, as what follows
    runtime::loan_book in_parts_;
    std::vector<scaled_result::part> lands_;  // of each output, as what follows
    std::vector<scaled_result::scratch> room_;
    std::vector<std::int64_t> counters_, before_;
    std::size_t row_ = 0;
    plan::loop_set changed_;
    std::vector<char> is_due_;  // steps of a pass
    bool is_fresh_ = true;
};

template <class IsDue>
void lane::run_steps(std::size_t first, std::size_t end, const IsDue& is_due) {
    if (!execution_ || exponents_) {
        for (std::size_t k = first; k < end; ++k)
            if (is_due(k)) run_step(k);
        return;
    }
    // Addresses of a pass are known before its first step; without passes nothing moves.
    for (std::size_t k = first; k < end && !of_.loops.empty(); ++k)
        if (around().moves[k] && is_due(k)) execution_->bind_step(planned_.plan, k);
    execution_->run_steps(first, end, is_due);
}

template <class Places>
void lane::go_to(std::int64_t pass, const Places& place_of) {
    std::swap(counters_, before_);
    row_ = of_.passes.find(pass, counters_);
    changed_.reset();
    for (std::size_t l = 0; l < counters_.size(); ++l)
        if (counters_[l] != before_[l]) plan::add_loop(changed_, l);
    const bool starts = is_fresh_;
    if (starts) changed_.set();
    is_fresh_ = false;
    auto& moving = planned_.plan.around.moving;
    const std::size_t operands = of_.moving_operands.size();
    for (std::size_t k = 0; k < operands; ++k)
        if (starts || (of_.moving_operands[k].loops & changed_).any()) move(moving[k]);
    for (std::size_t k = operands; k < moving.size(); ++k) {
        moving[k].base = static_cast<std::byte*>(place_of(k - operands, row_));
        move(moving[k]);
    }
    if (exponents_) exponents_->place(counters_);
}

}  // namespace ricci::networks
