// Networks made from their definitions, by name: shapes alone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "src/path/search.hpp"

namespace ricci::bench {

/// A network that grows operand by operand.
class network_maker {
public:
    std::int32_t index(double extent = 2) {
        network_.extents.push_back(extent);
        return network_.indices() - 1;
    }
    void operand(const std::vector<std::int32_t>& indices) {
        network_.members.insert(network_.members.end(), indices.begin(), indices.end());
        network_.first.push_back(static_cast<std::int32_t>(network_.members.size()));
    }
    void open(std::int32_t index) { network_.open.push_back(index); }
    path::hypergraph take() { return std::move(network_); }

private:
    path::hypergraph network_;
};

/// One tensor a vertex, one index an edge.
inline path::hypergraph network_of_graph(
    std::int32_t vertices, const std::vector<std::pair<std::int32_t, std::int32_t>>& edges,
    double extent = 2) {
    std::vector<std::vector<std::int32_t>> at(static_cast<std::size_t>(vertices));
    network_maker maker;
    for (const auto& [a, b] : edges) {
        const std::int32_t i = maker.index(extent);
        at[static_cast<std::size_t>(a)].push_back(i);
        at[static_cast<std::size_t>(b)].push_back(i);
    }
    for (const auto& own : at) maker.operand(own);
    return maker.take();
}

/// A rectangular lattice, periodic in both directions or in none.
inline path::hypergraph lattice(std::int32_t rows, std::int32_t columns, bool periodic) {
    std::vector<std::pair<std::int32_t, std::int32_t>> edges;
    for (std::int32_t r = 0; r < rows; ++r)
        for (std::int32_t c = 0; c < columns; ++c) {
            if (c + 1 < columns || periodic)
                edges.emplace_back(r * columns + c, r * columns + (c + 1) % columns);
            if (r + 1 < rows || periodic)
                edges.emplace_back(r * columns + c, (r + 1) % rows * columns + c);
        }
    return network_of_graph(rows * columns, edges);
}

/// A random regular graph: a random matching of stubs, repeated until no edge is a loop or twice.
inline path::hypergraph regular_graph(std::int32_t vertices, std::int32_t degree,
                                      std::uint32_t seed) {
    std::mt19937 random(seed);
    std::vector<std::int32_t> stubs;
    for (std::int32_t v = 0; v < vertices; ++v)
        for (std::int32_t k = 0; k < degree; ++k) stubs.push_back(v);
    const auto shuffle_from = [&](std::size_t first) {
        for (std::size_t k = stubs.size() - 1; k > first; --k)
            std::swap(stubs[k], stubs[first + random() % (k - first + 1)]);
    };
    shuffle_from(0);
    std::vector<std::pair<std::int32_t, std::int32_t>> edges;
    std::size_t at = 0;
    for (int tries = 0; at + 1 < stubs.size() && tries < 1000;) {
        const auto edge = std::minmax(stubs[at], stubs[at + 1]);
        // Only the latest edges of these vertices can be the same one: each has few.
        const bool bad = edge.first == edge.second ||
                         std::find(edges.begin(), edges.end(),
                                   std::pair(edge.first, edge.second)) != edges.end();
        if (bad) {
            shuffle_from(at);
            ++tries;
            continue;
        }
        edges.emplace_back(edge.first, edge.second);
        at += 2;
    }
    return network_of_graph(vertices, edges);
}

/// Every one of `count` variables with every one of as many others, through one more index a pair:
/// vectors of all pairs, and matrices from either side.
inline path::hypergraph relations(std::int32_t count) {
    network_maker maker;
    std::vector<std::int32_t> left, right;
    for (std::int32_t k = 0; k < count; ++k) left.push_back(maker.index());
    for (std::int32_t k = 0; k < count; ++k) right.push_back(maker.index());
    for (const std::int32_t a : left)
        for (const std::int32_t b : right) {
            const std::int32_t pair = maker.index();
            maker.operand({a, pair});
            maker.operand({pair, b});
            maker.operand({pair});
        }
    for (const auto* side : {&left, &right})
        for (const std::int32_t i : *side) {
            maker.operand({i});
            maker.operand({i});
        }
    return maker.take();
}

/// A formula whose clauses of one to three variables lie within windows of ten: an index a variable,
/// an operand a clause.
inline path::hypergraph banded_formula(std::int32_t clauses, std::uint32_t seed) {
    std::mt19937 random(seed);
    network_maker maker;
    const std::int32_t variables = std::max(10, clauses * 3 / 10);
    for (std::int32_t v = 0; v < variables; ++v) maker.index();
    for (std::int32_t c = 0; c < clauses; ++c) {
        const auto begin =
            static_cast<std::int32_t>(static_cast<std::int64_t>(c) * (variables - 9) / clauses);
        std::vector<std::int32_t> own;
        const std::size_t size = 1 + random() % 3;
        while (own.size() < size) {
            const auto v = begin + static_cast<std::int32_t>(random() % 10);
            if (std::find(own.begin(), own.end(), v) == own.end()) own.push_back(v);
        }
        maker.operand(own);
    }
    return maker.take();
}

/// The inner product of two matrix product states.
inline path::hypergraph mps_inner_product(std::int32_t sites, double bond) {
    network_maker maker;
    std::int32_t upper = -1, lower = -1;
    for (std::int32_t s = 0; s < sites; ++s) {
        const std::int32_t physical = maker.index();
        const bool last = s + 1 == sites;
        const std::int32_t next_upper = last ? -1 : maker.index(bond);
        const std::int32_t next_lower = last ? -1 : maker.index(bond);
        std::vector<std::int32_t> up{physical}, down{physical};
        for (const std::int32_t i : {upper, next_upper})
            if (i >= 0) up.push_back(i);
        for (const std::int32_t i : {lower, next_lower})
            if (i >= 0) down.push_back(i);
        maker.operand(up);
        maker.operand(down);
        upper = next_upper, lower = next_lower;
    }
    return maker.take();
}

/// `made-NAME-N`, NAME one of grid, torus, regular, relations, formula, mps; no operands where the
/// name is another.
inline path::hypergraph generated_network(const std::string& name) {
    char kind[16] = {};
    int size = 0;
    if (std::sscanf(name.c_str(), "made-%15[a-z]-%d", kind, &size) != 2 || size < 1) return {};
    const std::string is = kind;
    if (is == "grid") return lattice(size, size, false);
    if (is == "torus") return lattice(size, size, true);
    if (is == "regular") return regular_graph(size, 3, 1);
    if (is == "relations") return relations(size);
    if (is == "formula") return banded_formula(size, 1);
    if (is == "mps") return mps_inner_product(size, 64);
    return {};
}

}  // namespace ricci::bench
