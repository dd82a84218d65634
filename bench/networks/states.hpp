// Inner products of states of many sites: matrix products, their operators, and trees with
// disentanglers (MERA).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/networks/parts.hpp"

namespace ricci::bench {

namespace states {

/// Bond k of a chain, before site k; the ends have none.
inline void add_site(network& n, std::size_t site, std::size_t sites, std::size_t bond,
                     std::int64_t first_bond, const std::vector<std::size_t>& extents,
                     const index_numbers& physical, random_numbers& random) {
    std::vector<std::size_t> shape = extents;
    index_numbers indices = physical;
    for (const std::size_t k : {site, site + 1}) {
        if (k == 0 || k == sites) continue;
        shape.push_back(bond);
        indices.push_back(first_bond + static_cast<std::int64_t>(k));
    }
    n.add(random_tensor(shape, random), indices);
}

}  // namespace states

/// The inner product of two matrix product states of random numbers, from left to right.
inline network mps_inner_product(std::size_t sites, std::size_t physical, std::size_t bond,
                                 std::uint64_t seed) {
    random_numbers random(seed);
    network n;
    const auto count = static_cast<std::int64_t>(sites);
    for (std::size_t s = 0; s < sites; ++s)
        for (const std::int64_t layer : {0, 1})
            states::add_site(n, s, sites, bond, count + layer * (count + 1), {physical},
                             {static_cast<std::int64_t>(s)}, random);
    return n;
}

/// A matrix product operator between two states.
inline network mps_mpo_mps(std::size_t sites, std::size_t physical, std::size_t bond,
                           std::size_t operator_bond, std::uint64_t seed) {
    random_numbers random(seed);
    network n;
    const auto count = static_cast<std::int64_t>(sites);
    const auto bonds = [&](std::int64_t layer) { return 2 * count + layer * (count + 1); };
    for (std::size_t s = 0; s < sites; ++s) {
        const auto ket = static_cast<std::int64_t>(s), bra = ket + count;
        states::add_site(n, s, sites, bond, bonds(0), {physical}, {ket}, random);
        states::add_site(n, s, sites, operator_bond, bonds(1), {physical, physical}, {ket, bra},
                         random);
        states::add_site(n, s, sites, bond, bonds(2), {physical}, {bra}, random);
    }
    return n;
}

/// A binary MERA of 2^levels sites on a ring, closed with itself: in each layer isometries split
/// every site in two, and disentanglers act on neighbours that came from different ones.
inline network mera_norm(std::size_t levels, std::size_t extent, std::uint64_t seed) {
    network n;
    std::int64_t next = 0;
    std::vector<index_numbers> ends(2);
    for (index_numbers& sites : ends) {
        random_numbers random(seed);  // both halves are the same
        sites = {next++};
        n.add(random_tensor({extent}, random), sites);
        for (std::size_t level = 0; level < levels; ++level) {
            index_numbers split;
            for (const std::int64_t site : sites) {
                n.add(random_tensor({extent, extent, extent}, random), {site, next, next + 1});
                split.insert(split.end(), {next, next + 1});
                next += 2;
            }
            sites = split;
            if (sites.size() < 4) continue;
            for (std::size_t k = 1; k < sites.size(); k += 2) {
                std::int64_t& left = sites[k];
                std::int64_t& right = sites[(k + 1) % sites.size()];
                n.add(random_tensor({extent, extent, extent, extent}, random),
                      {left, right, next, next + 1});
                left = next++;
                right = next++;
            }
        }
    }
    // The second half's last indices are the first one's: joined by unit matrices.
    array unit(element::f64, {extent, extent});
    for (std::size_t k = 0; k < extent; ++k) static_cast<double*>(unit.data())[k * extent + k] = 1;
    for (std::size_t k = 0; k < ends[0].size(); ++k) n.add(unit, {ends[0][k], ends[1][k]});
    return n;
}

}  // namespace ricci::bench
