// A network by its definition: the sum over all places of all indices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include <ricci/network.hpp>

namespace ricci::testing {

/// The result of a network of doubles, row-major. Takes the product of all extents.
inline std::vector<double> brute_force(const network& n) {
    const std::vector<std::int64_t> indices = n.indices();
    std::map<std::int64_t, std::size_t> at;
    for (const std::int64_t i : indices) at[i] = 0;
    std::size_t size = 1;
    for (const std::int64_t i : n.kept()) size *= n.extent(i);
    std::vector<double> result(size, 0);
    for (const std::int64_t i : indices)
        if (n.extent(i) == 0) return result;
    for (;;) {
        double product = 1;
        for (std::size_t k = 0; k < n.size(); ++k) {
            const array& a = n.operand(k);
            const std::vector<std::int64_t> axes = n.indices(k);
            std::int64_t offset = 0;
            for (std::size_t axis = 0; axis < axes.size(); ++axis)
                offset += a.strides()[axis] * static_cast<std::int64_t>(at[axes[axis]]);
            product *= static_cast<const double*>(a.data())[offset];
        }
        std::size_t place = 0;
        for (const std::int64_t i : n.kept()) place = place * n.extent(i) + at[i];
        result[place] += product;
        std::size_t k = 0;
        while (k < indices.size() && ++at[indices[k]] == n.extent(indices[k])) at[indices[k++]] = 0;
        if (k == indices.size()) return result;
    }
}

}  // namespace ricci::testing
