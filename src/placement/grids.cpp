// Indices that may be shared out, and counts of ranks that divide well.
#include "src/placement/grids.hpp"

#include <algorithm>
#include <optional>

#include <ricci/error.hpp>
#include <ricci/ir/roles.hpp>

#include "src/base/texts.hpp"
#include "src/placement/layer_programs.hpp"
#include "src/placement/shared_call.hpp"

namespace ricci::mpi {
namespace {

/// Whether it has no factors but 2, 3 and 5.
bool divides_well(int count) {
    for (const int factor : {2, 3, 5})
        while (count % factor == 0) count /= factor;
    return count == 1;
}

}  // namespace

std::vector<letter_places> letters_to_share(const program& p, const std::vector<named>& shapes) {
    std::vector<named> operands = shapes;
    for (named& o : operands)
        if (o.value.kind() != detail::operand_kind::index) o.name = canonical_name(o.name);
    std::optional<layer_programs> layers;
    if (layer_programs::repeats(p)) layers.emplace(p);
    shared_call call(layers ? layers->one() : p);
    call.operands = layers ? layers->operands_of(operands, 0) : operands;
    call.complete(call.operands, {});
    const ir::program_view view = call.program.view();
    std::vector<std::string> spelled;
    std::vector<letter_places> all;
    for (ir::ref i = 0; i < view.indices.size(); ++i) {
        const std::string letter = detail::string_of(view.index(i));
        if (std::find(spelled.begin(), spelled.end(), letter) != spelled.end()) continue;
        spelled.push_back(letter);
        try {
            const shared_axes axes = axes_with(view, letter);
            letter_places one{letter, 1};
            const auto see = [&](ir::ref n) {
                if (const std::int32_t axis = axes[static_cast<std::size_t>(n)]; axis >= 0)
                    one.extent = std::max(one.extent, call.shapes.extent(n, axis));
            };
            for (const ir::ref n : call.inputs) see(n);
            for (const ir::ref n : call.outputs) see(n);
            if (one.extent > 1) all.push_back(one);
        } catch (const error&) {
            continue;  // a tensor has it in two axes
        }
    }
    return all;
}

std::vector<int> counts_of_ranks(int ranks) {
    constexpr std::size_t others = 4;
    std::vector<int> counts{ranks};
    for (int count = ranks - 1; 2 * count > ranks && counts.size() <= others; --count)
        if (divides_well(count)) counts.push_back(count);
    return counts;
}

}  // namespace ricci::mpi
