// The loops of a contraction and each operand's strides as lists.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/plan/plan.hpp"

namespace ricci::plan {

struct contraction_lists {
    std::vector<std::int64_t> extents, a, b, c;
    std::vector<ir::ref> names;
    std::size_t contracted = 0;  // where the contracted loops begin
};

// batch, m, n, then k
inline contraction_lists lists_of(const contraction_step& c) {
    contraction_lists all;
    const auto append = [&](const std::vector<contraction_loop>& loops,
                            const std::vector<named_loop>& names) {
        for (std::size_t l = 0; l < loops.size(); ++l) {
            all.extents.push_back(loops[l].extent);
            all.a.push_back(loops[l].a);
            all.b.push_back(loops[l].b);
            all.c.push_back(loops[l].c);
            all.names.push_back(l < names.size() ? names[l].index : ir::none);
        }
    };
    append(c.batch, c.batch_names);
    append(c.m, c.m_names);
    append(c.n, c.n_names);
    all.contracted = all.extents.size();
    append(c.k, c.k_names);
    return all;
}

}  // namespace ricci::plan
