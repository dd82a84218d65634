// Networks on lattices and on random regular graphs: tensors with a bond to each neighbour, and
// models of statistical physics whose values are known.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "bench/networks/parts.hpp"

namespace ricci::bench {

using edge = std::pair<std::size_t, std::size_t>;

/// Sites and the bonds between them; bond k is index k.
struct lattice {
    std::size_t sites = 0;
    std::vector<edge> bonds;

    /// The bonds of each site.
    std::vector<index_numbers> bonds_of_sites() const {
        std::vector<index_numbers> list(sites);
        for (std::size_t k = 0; k < bonds.size(); ++k) {
            list[bonds[k].first].push_back(static_cast<std::int64_t>(k));
            list[bonds[k].second].push_back(static_cast<std::int64_t>(k));
        }
        return list;
    }
};

/// A box of sites, each with a bond to the next one along every axis; periodic ones go round where
/// there are more than two sites along an axis.
inline lattice box(const std::vector<std::size_t>& sides, bool periodic = false) {
    lattice made;
    made.sites = 1;
    for (const std::size_t s : sides) made.sites *= s;
    for (std::size_t site = 0; site < made.sites; ++site) {
        std::size_t step = made.sites;
        for (const std::size_t side : sides) {
            step /= side;
            const std::size_t at = site / step % side;
            if (at + 1 < side) made.bonds.emplace_back(site, site + step);
            else if (periodic && side > 2) made.bonds.emplace_back(site, site - at * step);
        }
    }
    return made;
}

/// A random graph whose sites all have `degree` bonds, no two between the same sites: pairs of
/// half-bonds, of which wrong ones change partners until none is left. sites * degree is even.
inline lattice random_regular(std::size_t sites, std::size_t degree, std::uint64_t seed) {
    random_numbers random(seed);
    std::vector<std::size_t> ends;
    for (std::size_t s = 0; s < sites; ++s) ends.insert(ends.end(), degree, s);
    for (std::size_t k = ends.size(); k > 1; --k) std::swap(ends[k - 1], ends[random.below(k)]);
    const std::size_t bonds = ends.size() / 2;
    std::vector<std::vector<std::size_t>> neighbours(sites);
    const auto partners = [&](std::size_t b) { return edge(ends[2 * b], ends[2 * b + 1]); };
    const auto count = [&](edge e) {
        return std::count(neighbours[e.first].begin(), neighbours[e.first].end(), e.second);
    };
    const auto link = [&](edge e) {
        neighbours[e.first].push_back(e.second);
        neighbours[e.second].push_back(e.first);
    };
    const auto unlink = [&](edge e) {
        for (const auto& [a, b] : {e, edge(e.second, e.first)})
            neighbours[a].erase(std::find(neighbours[a].begin(), neighbours[a].end(), b));
    };
    for (std::size_t b = 0; b < bonds; ++b) link(partners(b));
    const auto is_wrong = [&](std::size_t b) {
        return ends[2 * b] == ends[2 * b + 1] || count(partners(b)) > 1;
    };
    for (bool again = true; again;) {
        again = false;
        for (std::size_t b = 0; b < bonds; ++b) {
            if (!is_wrong(b)) continue;
            again = true;
            const std::size_t other = random.below(bonds);
            if (other == b) continue;
            unlink(partners(b));
            unlink(partners(other));
            std::swap(ends[2 * b + 1], ends[2 * other + random.below(2)]);
            link(partners(b));
            link(partners(other));
        }
    }
    lattice made{sites, {}};
    for (std::size_t b = 0; b < bonds; ++b) made.bonds.push_back(partners(b));
    return made;
}

/// A random tensor for each site, with an axis for each bond.
inline network bond_network(const lattice& l, std::size_t extent, std::uint64_t seed) {
    random_numbers random(seed);
    network n;
    for (const index_numbers& bonds : l.bonds_of_sites())
        n.add(random_tensor(std::vector<std::size_t>(bonds.size(), extent), random), bonds);
    return n;
}

/// Perfect matchings: a site's tensor is 1 where exactly one of its bonds is taken. The value of a
/// box of 8 x 8 sites is 12,988,816.
inline network matchings(const lattice& l) {
    network n;
    for (const index_numbers& bonds : l.bonds_of_sites()) {
        array a(element::f64, std::vector<std::size_t>(bonds.size(), 2));
        auto* values = static_cast<double*>(a.data());
        for (std::size_t k = 0; k < bonds.size(); ++k) values[std::size_t{1} << k] = 1;
        n.add(std::move(a), bonds);
    }
    return n;
}

/// Pairs of states along bonds, a spin for each site as one index in all of its bonds.
inline network pair_network(const lattice& l, const array& pair) {
    network n;
    for (const auto& [a, b] : l.bonds) n.add(pair, {a, b});
    return n;
}

/// The partition function of Ising spins with coupling 1.
inline network ising(const lattice& l, double inverse_temperature) {
    const double same = std::exp(inverse_temperature), other = std::exp(-inverse_temperature);
    return pair_network(l, tensor_of<double>({2, 2}, {same, other, other, same}));
}

/// The number of ways to colour the sites such that neighbours differ.
inline network colourings(const lattice& l, std::size_t colours) {
    array differ(element::f64, {colours, colours});
    auto* values = static_cast<double*>(differ.data());
    for (std::size_t k = 0; k < colours * colours; ++k)
        values[k] = k / colours == k % colours ? 0 : 1;
    return pair_network(l, differ);
}

}  // namespace ricci::bench
