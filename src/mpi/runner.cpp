// A program on several ranks, as who prepares it sees it.
#include <ricci/mpi.hpp>

#include <map>
#include <utility>

#include <fmt/core.h>

#include <ricci/error.hpp>
#include <ricci/engine/between_steps.hpp>

#include "src/base/texts.hpp"
#include "src/mpi/agreement.hpp"
#include "src/mpi/collectives.hpp"
#include "src/mpi/grid.hpp"
#include "src/mpi/operands.hpp"
#include "src/mpi/rank_program.hpp"

namespace ricci::mpi {
namespace {

void poll(void* under_way) { static_cast<exchanges_under_way*>(under_way)->poll(); }

}  // namespace

struct runner::state {
    state(MPI_Comm outside, const program& p, const std::vector<std::string>& shared_out,
          const std::vector<named>& operands, const prepare_options& options,
          const run_options& together)
        : grid(outside, shared_out),
          call(shared_call_of(grid, p, shared_out, operands, options, together)),
          context{{}, together} {
        refuse_together(grid.comm(), words_of_failure([&] {
                            take_operands();
                            for (const std::size_t k : call.dimensions)
                                context.comms.push_back(grid.comm(k));
                            sharing_request request = call.request(memory);
                            request.exact_distances = options.exact_distances;
                            request.overlap = together.overlap;
                            step = program_of_letter(std::move(request), memory, context);
                            check_bound();
                        }));
    }

    void take_operands() {
        const ir::program_view p = call.program.view();
        for (const named& o : call.operands) {
            const ir::ref n = p.find(detail::view_of(o.name));
            if (o.value.kind() == detail::operand_kind::number)
                memory.numbers[n] = o.value.number();
            if (o.value.kind() != detail::operand_kind::tensor) continue;
            const bool input = p.definition(n) == ir::none;
            (input ? memory.arrays : bound).insert_or_assign(n, o.value.value());
            if (input && o.value.watch() != nullptr) memory.watches[n] = o.value.watch();
        }
    }
    // A part that was bound for an output has the extents of what this rank gets.
    void check_bound() const {
        for (std::size_t k = 0; k < call.outputs.size(); ++k) {
            const array& made = step->output(k);
            const auto b = bound.find(call.outputs[k]);
            for (std::size_t axis = 0; b != bound.end() && axis < made.rank(); ++axis)
                if (b->second.extent(axis) != made.extent(axis))
                    throw error(fmt::format(
                        "ricci: axis {} of what is bound for {} has extent {}, and this rank's "
                        "part "
                        "has {}.",
                        axis, detail::string_of(call.program.view().name(call.outputs[k])),
                        b->second.extent(axis), made.extent(axis)));
        }
    }

    void run() {
        std::string wrong;
        {
            const engine::between_steps polling(poll, &context.under_way);
            step->run(wrong);
        }
        refuse_together(grid.comm(), wrong);
        for (std::size_t k = 0; k < call.outputs.size(); ++k)
            if (const auto b = bound.find(call.outputs[k]); b != bound.end())
                copy_elements(step->output(k), b->second);
    }

    grid_of_ranks grid;
    shared_call call;
    rank_memory memory;
    std::map<ir::ref, array> bound;
    rank_context context;
    std::unique_ptr<letter_program> step;
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
    : state_(std::make_unique<state>(comm, p, shared_out,
                                     std::vector<named>(operands.begin(), operands.end()), options,
                                     together)) {}
runner::runner(runner&&) noexcept = default;
runner& runner::operator=(runner&&) noexcept = default;
runner::~runner() = default;

void runner::operator()() { state_->run(); }
array runner::operator[](std::string_view name) const {
    const std::string spelled = canonical_name(name);
    const shared_call& call = state_->call;
    for (std::size_t k = 0; k < call.outputs.size(); ++k) {
        const ir::ref n = call.outputs[k];
        if (ricci::detail::string_of(call.program.view().name(n)) != spelled) continue;
        const auto b = state_->bound.find(n);
        return b != state_->bound.end() ? b->second : state_->step->output(k);
    }
    throw error(fmt::format("ricci: there is no output {}.", spelled));
}
std::string runner::explain() const {
    return state_->step->explain() +
           fmt::format("whether a rank has failed: this rank sends {} bytes\n", sizeof(int));
}
std::int64_t runner::bytes_sent() const {
    return state_->step->bytes_sent() + static_cast<std::int64_t>(sizeof(int));
}

}  // namespace ricci::mpi
