// Canonical form of the loops of a map.

#include "src/tile/loops.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <stdexcept>

namespace ricci::elementwise {
namespace {

/// Walks a loop backwards when every operand then steps forwards.
void point_forwards(loop& l, std::vector<std::int64_t>& offset) {
    const auto negative = [](std::int64_t s) { return s < 0; };
    const auto positive = [](std::int64_t s) { return s > 0; };
    if (std::none_of(l.stride.begin(), l.stride.end(), negative)) return;
    if (std::any_of(l.stride.begin(), l.stride.end(), positive)) return;
    for (std::size_t k = 0; k < offset.size(); ++k) {
        offset[k] += l.stride[k] * (l.extent - 1);
        l.stride[k] = -l.stride[k];
    }
}

/// Larger steps go outside: those of the output first, then those of all operands together.
bool slower(const loop& a, const loop& b) {
    const std::int64_t out_a = std::abs(a.stride[0]), out_b = std::abs(b.stride[0]);
    if (out_a != out_b) return out_a > out_b;
    std::int64_t all_a = 0, all_b = 0;
    for (const std::int64_t s : a.stride) all_a += std::abs(s);
    for (const std::int64_t s : b.stride) all_b += std::abs(s);
    return all_a > all_b;
}

bool continues(const loop& outer, const loop& inner) {
    for (std::size_t k = 0; k < outer.stride.size(); ++k) {
        if (outer.stride[k] != inner.stride[k] * inner.extent) return false;
    }
    return true;
}

void sort_and_fuse(std::vector<loop>& loops) {
    // By insertion: few loops, and equals keep their order.
    for (auto l = loops.begin(); l != loops.end(); ++l) {
        std::rotate(std::upper_bound(loops.begin(), l, *l, slower), l, l + 1);
    }
    for (std::size_t k = loops.size(); k-- > 1;) {
        loop& outer = loops[k - 1];
        const loop& inner = loops[k];
        if (!continues(outer, inner)) continue;
        outer.extent *= inner.extent;
        outer.stride = inner.stride;
        loops.erase(loops.begin() + static_cast<std::ptrdiff_t>(k));
    }
}

}  // namespace

loop_nest canonical_loops(const steps::map& map, const std::vector<bool>& used) {
    const std::size_t depth = map.extents.size();
    if (map.operands.empty() || map.folded < 0 || static_cast<std::size_t>(map.folded) > depth) {
        throw std::invalid_argument(
            "a map without an output, or with more folded loops than loops");
    }
    for (const steps::operand& operand : map.operands) {
        if (operand.strides.size() != depth) {
            throw std::invalid_argument("an operand of a map lacks the stride of a loop");
        }
    }
    loop_nest nest;
    for (const steps::operand& operand : map.operands) nest.offset.push_back(operand.offset);
    nest.tensor.assign(map.tensors.begin(), map.tensors.end());
    while (nest.tensor.size() < map.operands.size())
        nest.tensor.push_back(-1 - static_cast<std::int32_t>(nest.tensor.size()));
    const std::size_t first_folded = depth - static_cast<std::size_t>(map.folded);
    for (std::size_t i = 0; i < depth; ++i) {
        const bool folded = i >= first_folded;
        const std::int64_t extent = map.extents[i];
        if (extent < 0) throw std::invalid_argument("a loop of a map has a negative extent");
        (folded ? nest.values : nest.outputs) *= extent;
        if (extent <= 1) continue;
        loop l;
        l.extent = extent;
        for (std::size_t k = 0; k < map.operands.size(); ++k) {
            l.stride.push_back(used[k] ? map.operands[k].strides[i] : 0);
        }
        point_forwards(l, nest.offset);
        (folded ? nest.folded : nest.free).push_back(std::move(l));
    }
    sort_and_fuse(nest.free);
    sort_and_fuse(nest.folded);
    return nest;
}

}  // namespace ricci::elementwise
