// To a path loops are indices.
#include "src/plan/forms/path_through.hpp"

namespace ricci::plan {
namespace {

std::vector<ir::ref> as_indices(const loop_list& loops) {
    std::vector<ir::ref> indices;
    for (const loop l : loops) indices.push_back(l.number());
    return indices;
}

}  // namespace

path::contraction_path path_through(const graph& values, const expr_list& factors,
                                    const loop_list& over) {
    std::vector<std::vector<ir::ref>> lists;
    for (const expr f : factors) lists.push_back(as_indices(values[f].indices));
    const loop_list all = loop_holders(values, factors).loops();
    return path::find_path({lists.begin(), lists.end()}, as_indices(without(all, over)),
                           [&](ir::ref index) { return values.extent(loop(index)); });
}

}  // namespace ricci::plan
