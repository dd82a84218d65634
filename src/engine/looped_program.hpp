// A program whose steps run in a loop, its operands moving from one pass to the next: planned once,
// for all passes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ricci/ir/program.hpp>
#include <ricci/engine/executable.hpp>

#include "src/engine/execution.hpp"
#include "src/plan/schedule/plan.hpp"

namespace ricci::engine {

class looped_program {
public:
    enum class direction : std::uint8_t { forwards, backwards };
    looped_program(ir::program program, element type, std::int64_t passes, direction way);
    looped_program(const looped_program&) = delete;
    looped_program& operator=(const looped_program&) = delete;

    ir::program_view view() const { return program_.view(); }

    /// `one`: the operand as one pass sees it, whose address does not count. A place without an
    /// address is memory that nobody has yet.
    void bind_input(ir::ref name, const operand& one, const plan::moving_slot& place);
    void bind_output(ir::ref name, const operand& one, const plan::moving_slot& place);
    /// An output that is the sum over all passes, in the memory of `total`, which begins with
    /// zeros.
    void add_up(ir::ref name, const operand& total);
    void set_index(const index_extent& e) { extents_.push_back(e); }
    void set_exact_distances(bool exact) { exact_distances_ = exact; }

    /// Once all is bound. Throws ricci::error where operands do not fit.
    void make_plan();
    const plan::program_plan& plan() const { return plan_; }
    /// Makes kernels for the plan. All workspace is the caller's.
    void prepare(std::byte* workspace);

    // What follows runs while the caller holds its loans, and allocates nothing then.
    const runtime::loan_book& loans() const { return loans_; }
    /// Throws ricci::error for operands of any pass; writes to the workspace alone.
    void check();
    void run();

    std::string explain() const;
    std::string explain_passes() const;

private:
    void keep(ir::ref name, const operand& one, const plan::moving_slot& place, bool output);
    request for_first() const;

    ir::program program_;
    element type_;
    std::vector<operand> inputs_, outputs_;
    std::deque<std::vector<std::int64_t>> numbers_;  // their extents and strides
    std::vector<index_extent> extents_;
    plan::step_loop loop_;  // of names
    plan::program_plan plan_;
    bool is_planned_ = false, exact_distances_ = false;
    std::vector<engine::planned_execution> clears_;  // what is added up
    std::optional<engine::execution> execution_;
    runtime::loan_book loans_;
    std::optional<plan::pass_counter> passes_;
};

}  // namespace ricci::engine
