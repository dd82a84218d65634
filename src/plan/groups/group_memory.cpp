// How much memory a task of a fused group takes.
#include "src/plan/groups/group_memory.hpp"

#include <algorithm>
#include <set>

#include "src/plan/schedule/nominal_core.hpp"
#include "src/steps/instruction.hpp"

namespace ricci::plan {
namespace {

// Of one row of lanes: three vectors of 64 bytes, or four of 32, and as much again for tiles of few
// rows, whose vectors are hardly filled.
constexpr double lanes_bytes = 256;
constexpr double tile_bytes = 32 << 10;
// Sums over rows of a block of columns, and of the fewest columns that a block may have.
constexpr double block_bytes = 512 << 10, least_block_columns = 128;
constexpr double register_elements = 768;
constexpr double of_distances = 40;  // rows of lanes: norms, and pairs that are made again
constexpr double padding = 16;       // elements: values are padded to whole vectors

/// How many values of a program somebody is still to read, at most.
std::int64_t values_at_once(const std::vector<instruction>& program) {
    std::vector<std::size_t> last_use(program.size(), 0);
    for (std::size_t k = 0; k < program.size(); ++k)
        for (const std::int32_t a : {program[k].first, program[k].second, program[k].third})
            if (a >= 0) last_use[static_cast<std::size_t>(a)] = k;
    std::vector<std::int64_t> ended(program.size() + 1,
                                    0);  // values that the one before wanted last
    std::int64_t most = 0, alive = 0;
    for (std::size_t k = 0; k < program.size(); ++k) {
        alive -= ended[k];
        most = std::max(most, alive);
        if (last_use[k] <= k) continue;
        ++alive;
        ++ended[last_use[k] + 1];
    }
    return most + 1;
}

}  // namespace

double most_bytes_of(const fused_group& g) {
    const auto number = static_cast<double>(size_of(g.type));
    double bytes = (static_cast<double>(g.products.size() + g.operations.size()) + 1) * tile_bytes;
    for (const auto& p : g.products) {
        const double summed = iterations_of(p.contracted);
        const auto packed = steps::packed_at_once(static_cast<std::int64_t>(summed));
        const double rows = static_cast<double>(packed) * lanes_bytes;
        const bool expanded = p.is_distance && !p.exact;
        bytes += rows;
        if (p.weights >= 0) bytes += (summed + padding) * number + (expanded ? rows : 0);
        if (expanded) bytes += of_distances * lanes_bytes;
    }
    double copied = 0, registers = 0;
    for (const auto& stage : g.operations) {
        std::set<std::int32_t> operands;
        for (const auto& i : stage.program)
            if (i.code == opcode::load && i.operand >= 0) operands.insert(i.operand);
        copied = std::max(copied, static_cast<double>(operands.size()));
        registers = std::max(registers, static_cast<double>(values_at_once(stage.program)));
        bytes += 4 * lanes_bytes;  // the state of a softmax
    }
    bytes += copied * tile_bytes + registers * register_elements * number;
    double of_column = 0, largest = 0;
    for (const auto& c : g.consumers) {
        const double values = iterations_of(c.values) + padding;
        bytes += values * lanes_bytes;  // sums of rows, or packed rows
        largest = std::max(largest, values);
        if (c.summed != loop_role::row) continue;
        // Of a fold that is no sum a vector of lanes for each column, and those beside it.
        of_column +=
            c.by == monoid::sum ? values * number : 64 * static_cast<double>(numbers_carried(c));
    }
    if (of_column > 0) bytes += std::max(block_bytes, least_block_columns * of_column);
    return bytes + (largest + padding) * lanes_bytes;  // sums as they are written
}

}  // namespace ricci::plan
