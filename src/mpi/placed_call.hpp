// A call placed, planned and allocated on all ranks.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "src/mpi/grid.hpp"
#include "src/mpi/rank_program.hpp"
#include "src/placement/shared_call.hpp"

namespace ricci::mpi {

/// Memory of a call's operands on this rank, and of outputs that are to be copied there.
rank_memory memory_of(const shared_call& call);

class placed_call {
public:
    /// Asks no other rank: where this throws, others may not.
    placed_call(const grid_of_ranks& grid, shared_call call, rank_memory memory,
                const prepare_options& options, const run_options& together);
    placed_call(const placed_call&) = delete;
    placed_call& operator=(const placed_call&) = delete;

    /// All ranks call this at a time; see rank_program.
    void run(std::string& wrong);
    /// Other memory of the inputs of these names, which `memory` has said to move.
    void bind(const rank_memory& moved) { step_->bind(moved); }

    const shared_call& call() const { return call_; }
    bool has_output(std::string_view name) const { return number_of(name) < call_.outputs.size(); }
    const array& output(std::string_view name) const { return step_->output(number_of(name)); }
    /// What adds up, over the ranks that an output is yet to be added up over, what has been added
    /// to it before: from `sums`, one for each, to the next of them or `to`.
    struct waiting_sum {
        std::vector<std::string> letters;
        std::vector<array> sums;
        std::vector<std::unique_ptr<collective>> folds;
        std::int64_t bytes_sent() const;
    };
    waiting_sum sum_that_waits(std::string_view output, const array& to);
    std::string explain() const { return step_->explain(); }
    std::int64_t bytes_sent() const { return step_->bytes_sent(); }

private:
    std::size_t number_of(std::string_view output) const;

    shared_call call_;
    rank_context context_;
    std::unique_ptr<letter_program> step_;
};

/// An output of all ranks' call: refused where what is bound for it has other extents than what is
/// made. Throws ricci::error.
void check_bound(const std::string& name, const array& bound, const array& made);

/// What a runner does: one call, or one for each layer.
class rank_run {
public:
    virtual ~rank_run() = default;
    virtual void run() = 0;
    /// nullptr where there is none of this name, in canonical spelling.
    virtual const array* output(const std::string& name) const = 0;
    virtual std::string explain() const = 0;
    virtual std::int64_t bytes_sent() const = 0;
};
std::unique_ptr<rank_run> run_of_layers(MPI_Comm comm, const program& p,
                                        const std::vector<std::string>& shared_out,
                                        const std::vector<named>& operands,
                                        const prepare_options& options,
                                        const run_options& together);

}  // namespace ricci::mpi
