// A call placed, planned and allocated on all ranks.
#include "src/mpi/placed_call.hpp"

#include <utility>

#include <fmt/core.h>

#include <ricci/engine/between_steps.hpp>
#include <ricci/error.hpp>

#include "src/base/texts.hpp"

namespace ricci::mpi {
namespace {

void poll(void* under_way) { static_cast<exchanges_under_way*>(under_way)->poll(); }

}  // namespace

rank_memory memory_of(const shared_call& call) {
    rank_memory memory;
    const ir::program_view p = call.program.view();
    for (const named& o : call.operands) {
        const ir::ref n = p.find(detail::view_of(o.name));
        if (n == ir::none || p.definition(n) != ir::none) continue;
        if (o.value.kind() == detail::operand_kind::number) memory.numbers[n] = o.value.number();
        if (o.value.kind() != detail::operand_kind::tensor) continue;
        memory.arrays.insert_or_assign(n, o.value.value());
        if (o.value.watch() != nullptr) memory.watches[n] = o.value.watch();
    }
    return memory;
}

placed_call::placed_call(const grid_of_ranks& grid, shared_call call, rank_memory memory,
                         const prepare_options& options, const run_options& together)
    : call_(std::move(call)), context_{{}, together} {
    for (const std::size_t k : call_.dimensions) context_.comms.push_back(grid.comm(k));
    sharing_request request = call_.request(memory);
    request.exact_distances = options.exact_distances;
    request.overlap = together.overlap;
    step_ = program_of_letter(std::move(request), std::move(memory), context_);
}

void placed_call::run(std::string& wrong) {
    const engine::between_steps polling(poll, &context_.under_way);
    step_->run(wrong);
}

placed_call::waiting_sum placed_call::sum_that_waits(std::string_view output, const array& to) {
    waiting_sum waiting;
    const std::vector<std::size_t> letters = step_->waits(number_of(output));
    for (std::size_t k = 0; k < letters.size(); ++k) {
        waiting.letters.push_back(call_.shared[letters[k]].letter);
        waiting.sums.emplace_back(to.type(), to.extents());
    }
    for (std::size_t k = 0; k < letters.size(); ++k)
        waiting.folds.push_back(all_reduce(context_.settings_of(letters[k]), waiting.sums[k],
                                           k + 1 < letters.size() ? waiting.sums[k + 1] : to,
                                           fold::sum));
    return waiting;
}
std::int64_t placed_call::waiting_sum::bytes_sent() const {
    std::int64_t bytes = 0;
    for (const array& a : sums) bytes += static_cast<std::int64_t>(a.size() * size_of(a.type()));
    return bytes;
}

std::size_t placed_call::number_of(std::string_view output) const {
    const ir::program_view p = call_.program.view();
    std::size_t k = 0;
    while (k < call_.outputs.size() && p.name(call_.outputs[k]) != detail::view_of(output)) ++k;
    return k;
}

void check_bound(const std::string& name, const array& bound, const array& made) {
    if (bound.type() != made.type())
        throw error(fmt::format("ricci: what is bound for {} is of {}, and {} of {}.", name,
                                name_of(bound.type()), name, name_of(made.type())));
    for (std::size_t axis = 0; axis < made.rank(); ++axis)
        if (bound.rank() != made.rank() || bound.extent(axis) != made.extent(axis))
            throw error(fmt::format(
                "ricci: axis {} of what is bound for {} has extent {}, and this rank's part has "
                "{}.",
                axis, name, axis < bound.rank() ? bound.extent(axis) : 0, made.extent(axis)));
}

}  // namespace ricci::mpi
