// A program on several ranks, as who prepares it sees it.
#include <ricci/mpi.hpp>

#include <map>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include <ricci/error.hpp>

#include "src/base/texts.hpp"
#include "src/mpi/agreement.hpp"
#include "src/mpi/collectives.hpp"
#include "src/mpi/operands.hpp"
#include "src/mpi/placed_call.hpp"
#include "src/placement/layer_programs.hpp"

namespace ricci::mpi {
namespace {

class run_of_call final : public rank_run {
public:
    run_of_call(MPI_Comm comm, const program& p, const std::vector<std::string>& shared_out,
                const std::vector<named>& operands, const prepare_options& options,
                const run_options& together)
        : grid_(comm, shared_out) {
        shared_call call = shared_call_of(
            grid_,
            [&] {
                return asked_call{p, operands, {}};
            },
            shared_out, options, together);
        refuse_together(grid_.comm(), words_of_failure([&] {
                            rank_memory memory = memory_of(call);
                            placed_.emplace(grid_, std::move(call), std::move(memory), options,
                                            together);
                            take_bound();
                        }));
    }

    void run() override {
        std::string wrong;
        placed_->run(wrong);
        refuse_together(grid_.comm(), wrong);
        for (auto& [name, to] : bound_) copy_elements(placed_->output(name), to);
    }
    const array* output(const std::string& name) const override {
        if (const auto b = bound_.find(name); b != bound_.end()) return &b->second;
        return placed_->has_output(name) ? &placed_->output(name) : nullptr;
    }
    std::string explain() const override { return placed_->explain(); }
    std::int64_t bytes_sent() const override { return placed_->bytes_sent(); }

private:
    // A part that was bound for an output has the extents of what this rank gets.
    void take_bound() {
        const ir::program_view p = placed_->call().program.view();
        for (const named& o : placed_->call().operands) {
            if (o.value.kind() != detail::operand_kind::tensor) continue;
            if (p.definition(p.find(detail::view_of(o.name))) == ir::none) continue;
            check_bound(o.name, o.value.value(), placed_->output(o.name));
            bound_.insert_or_assign(o.name, o.value.value());
        }
    }

    grid_of_ranks grid_;
    std::optional<placed_call> placed_;
    std::map<std::string, array> bound_;
};

}  // namespace

struct runner::state {
    std::unique_ptr<rank_run> run;
};

std::vector<std::size_t> parts_of(std::size_t places, int ranks, int blocks) {
    if (ranks < 1 || blocks < 1)
        throw error(fmt::format("ricci: {} blocks are shared out over {} ranks.", blocks, ranks));
    const distribution d = parts_of_blocks(static_cast<std::int64_t>(places), ranks, blocks);
    return {d.counts.begin(), d.counts.end()};
}

runner::runner(MPI_Comm comm, const program& p, const std::vector<std::string>& shared_out,
               ricci::detail::operand_list operands, const prepare_options& options,
               const run_options& together)
    : state_(std::make_unique<state>()) {
    const std::vector<named> list(operands.begin(), operands.end());
    if (layer_programs::repeats(p))
        state_->run = run_of_layers(comm, p, shared_out, list, options, together);
    else state_->run = std::make_unique<run_of_call>(comm, p, shared_out, list, options, together);
}
runner::runner(runner&&) noexcept = default;
runner& runner::operator=(runner&&) noexcept = default;
runner::~runner() = default;

void runner::operator()() { state_->run->run(); }
array runner::operator[](std::string_view name) const {
    const std::string spelled = canonical_name(name);
    if (const array* const a = state_->run->output(spelled)) return *a;
    throw error(fmt::format("ricci: there is no output {}.", spelled));
}
std::string runner::explain() const {
    return state_->run->explain() +
           fmt::format("whether a rank has failed: this rank sends {} bytes\n", sizeof(int));
}
std::int64_t runner::bytes_sent() const {
    return state_->run->bytes_sent() + static_cast<std::int64_t>(sizeof(int));
}

}  // namespace ricci::mpi
