// What a run on many ranks would do, on paper: whole tensors have shapes, and the rank with the
// most places of everything is looked at, which the others wait for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ricci/placement.hpp>
#include <ricci/program.hpp>
#include <ricci/engine/plan_work.hpp>

#include "src/placement/layer_programs.hpp"
#include "src/placement/local_request.hpp"
#include "src/placement/placed_program.hpp"
#include "src/placement/shared_call.hpp"

namespace ricci::mpi {

/// A collective, among the ranks of one line of the grid.
struct paper_exchange {
    exchange_kind kind = exchange_kind::all_reduce;
    int ranks = 1;
    double handed = 0;           // bytes that a rank hands to MPI
    double whole = 0;            // of what is folded or gathered
    bool is_for_caller = false;  // no equation reads what it makes
    std::size_t waited_in = 0;   // before which of all steps it is waited for; or in the end
    std::string words;
};

/// What a rank computes until the next exchange, or an exchange.
struct paper_step {
    std::unique_ptr<local_request> part;  // or nullptr
    paper_exchange exchange = {};
    double times = 1;  // that a run carries it out: as often as there are layers
};
/// Steps that follow on each other, all of them so many times.
struct paper_section {
    std::string words;  // nothing where they are all that there is
    std::int64_t times = 1;
    std::size_t end = 0;  // of its steps
};

class paper_run {
public:
    /// `letters` over the dimensions of `grid`; operands are shapes of whole tensors, numbers and
    /// extents. Throws ricci::error where a call would.
    paper_run(const program& p, const std::vector<std::string>& letters,
              const std::vector<int>& grid, const std::vector<named>& shapes);
    paper_run(const paper_run&) = delete;
    paper_run& operator=(const paper_run&) = delete;

    int ranks() const { return ranks_; }
    const std::vector<std::string>& letters() const { return letters_; }
    const std::vector<int>& grid() const { return grid_; }
    /// The equations; of layers those of one.
    ir::program_view text() const { return call_.program.view(); }
    bool has_layers() const { return layers_.has_value(); }
    const ir::shape_table& shapes() const { return call_.shapes; }
    element type() const { return call_.type; }
    const std::vector<paper_step>& steps() const { return steps_; }
    const std::vector<paper_section>& sections() const { return sections_; }
    /// What brings operands to all ranks that need them, of one copy among all ranks.
    const std::vector<paper_exchange>& first_copies() const { return copies_; }
    /// Bytes of operands, results and what lasts from stage to stage.
    double stored() const { return stored_; }
    /// Multiplications, as equations are placed by: before products are planned.
    double work() const { return work_; }

private:
    void find_operands(const std::vector<named>& shapes);
    void find_copies();
    array own_shape(const shared_call& call, ir::ref name, element type) const;
    void walk_layers();
    void walk_layer(const ricci::program& part, const std::string& words);
    /// By output of a program: over whose ranks it is yet to be added up.
    using waiting_letters = std::vector<std::vector<std::size_t>>;
    waiting_letters walk(sharing_request request, const rank_memory& given,
                         const std::vector<bool>& last);
    void add(const placed_program& placed, const operation& o, bool is_for_caller);
    void end_section(const std::string& words, std::int64_t times);
    void store(const array& a, double copies = 1);
    double copies_of(ir::ref operand) const { return static_cast<double>(copies_of_.at(operand)); }

    std::vector<std::string> letters_;
    std::vector<int> grid_;
    int ranks_ = 1;
    std::optional<layer_programs> layers_;
    shared_call call_;
    rank_memory memory_;
    std::map<ir::ref, std::int64_t> copies_of_;            // operands: one, or one for each layer
    std::vector<std::unique_ptr<shared_call>> parts_;      // of one layer
    std::vector<std::unique_ptr<placed_program>> placed_;  // steps refer to their stages
    std::vector<paper_step> steps_;
    std::vector<paper_section> sections_;
    std::vector<paper_exchange> copies_, waiting_;  // sums over ranks that wait for the last layer
    double times_ = 1;                              // of the steps that are being found
    double stored_ = 0, work_ = 0;
};

/// Seconds and bytes of a run, by a model.
struct paper_estimate {
    double computing = 0, exchanging = 0;
    double bytes = 0;  // that a rank sends

    double seconds() const { return computing + exchanging; }
};
/// Of the exchanges alone. `one_copy`: as in choose_options.
paper_estimate exchanges_of(const paper_run& run, const link& n, bool one_copy);

/// What the plans of all parts take: flops and bytes together, the largest workspace.
engine::plan_work work_of(const paper_run& run);

}  // namespace ricci::mpi
