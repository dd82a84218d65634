// Networks from their definitions, for tests, measurements and examples: each with values, and
// where the value of the whole is known, the comment says it.
#pragma once

#include <cstdio>
#include <string>

#include "bench/networks/circuits.hpp"
#include "bench/networks/lattices.hpp"
#include "bench/networks/models.hpp"
#include "bench/networks/parts.hpp"
#include "bench/networks/states.hpp"
#include "src/network/network_data.hpp"

namespace ricci::bench {

/// `made-NAME-N` as shapes, NAME one of grid, torus, regular, relations, formula, queens, mera,
/// mps; no operands where the name is another.
inline path::hypergraph generated_network(const std::string& name) {
    char kind[16] = {};
    int number = 0;
    if (std::sscanf(name.c_str(), "made-%15[a-z]-%d", kind, &number) != 2 || number < 1) return {};
    const std::string is = kind;
    const auto size = static_cast<std::size_t>(number);
    const auto shapes = [](const network& n) { return networks::hypergraph_of(n.data()); };
    if (is == "grid") return shapes(bond_network(box({size, size}), 2, 1));
    if (is == "torus") return shapes(bond_network(box({size, size}, true), 2, 1));
    if (is == "regular") return shapes(bond_network(random_regular(size, 3, 1), 2, 1));
    if (is == "relations") return shapes(relations(size, size, 1));
    if (is == "formula") return shapes(sliding_formula(size, 1));
    if (is == "queens") return shapes(queens(size));
    if (is == "mera") return shapes(mera_norm(size, 2, 1));
    if (is == "mps") return shapes(mps_inner_product(size, 2, 64, 1));
    return {};
}

}  // namespace ricci::bench
