// Graphical models and problems of counting: pedigrees, queens, relations, formulas.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/networks/parts.hpp"

namespace ricci::bench {

/// Genotypes of people by Mendel's rules, parents among the `window` people before; some are seen
/// to carry a trait or not. Without any seen the value is 1.
inline network pedigree(std::size_t people, std::size_t window, double seen, std::uint64_t seed) {
    random_numbers random(seed);
    // Genotypes 0, 1, 2: how many of the two copies carry the trait; a parent passes one on.
    const array founders = tensor_of<double>({3}, {0.49, 0.42, 0.09});
    array child(element::f64, {3, 3, 3});
    for (std::size_t a = 0; a < 3; ++a)
        for (std::size_t b = 0; b < 3; ++b) {
            const double p = static_cast<double>(a) / 2, q = static_cast<double>(b) / 2;
            double* to = static_cast<double*>(child.data()) + 9 * a + 3 * b;
            to[0] = (1 - p) * (1 - q);
            to[1] = p * (1 - q) + q * (1 - p);
            to[2] = p * q;
        }
    const array carries = tensor_of<double>({3}, {0.05, 0.9, 0.95}),
                carries_not = tensor_of<double>({3}, {0.95, 0.1, 0.05});
    network n;
    for (std::size_t person = 0; person < people; ++person) {
        const std::size_t before = std::min(person, window);
        if (before < 2 || random.below(4) == 0) {
            n.add(founders, {person});
        } else {
            const std::size_t mother = random.below(before);
            const std::size_t father = (mother + 1 + random.below(before - 1)) % before;
            n.add(child, {person - 1 - mother, person - 1 - father, person});
        }
        if (random.unit() < seen) n.add(random.below(3) == 0 ? carries : carries_not, {person});
    }
    return n;
}

/// The ways to place n queens on a board: an index for each cell and four lines through it, along
/// which a queen may pass by only once; rows and columns have one, diagonals one at most. Each cell
/// has a weight besides, 1 for a queen and for none.
inline network queens(std::size_t side) {
    // From where no queen has been: none here, or the first; after one there is none.
    array line(element::f64, {2, 2, 2});  // before, after, here
    for (const int at : {0, 3, 6}) static_cast<double*>(line.data())[at] = 1;
    const array none = tensor_of<double>({2}, {1, 0}), one = tensor_of<double>({2}, {0, 1}),
                any = tensor_of<double>({2}, {1, 1});
    network n;
    const auto count = static_cast<std::int64_t>(side);
    std::int64_t next = count * count;
    const auto follow = [&](std::int64_t row, std::int64_t column, std::int64_t down,
                            std::int64_t right, const array& end) {
        std::int64_t before = next++;
        n.add(none, {before});
        for (; row >= 0 && row < count && column >= 0 && column < count;
             row += down, column += right) {
            n.add(line, {before, next, row * count + column});
            before = next++;
        }
        n.add(end, {before});
    };
    for (std::int64_t cell = 0; cell < count * count; ++cell) n.add(any, {cell});
    for (std::int64_t k = 0; k < count; ++k) {
        follow(k, 0, 0, 1, one);
        follow(0, k, 1, 0, one);
        follow(0, k, 1, 1, any);
        follow(0, k, 1, -1, any);
        if (k == 0) continue;
        follow(k, 0, 1, 1, any);
        follow(k, count - 1, 1, -1, any);
    }
    return n;
}

/// Relations between every one of `left` things and every one of `right` ones: three tensors for
/// each pair, with an index of its own, and two for each thing. 100 x 100 are 30,400 tensors of
/// 10,200 indices.
inline network relations(std::size_t left, std::size_t right, std::uint64_t seed) {
    random_numbers random(seed);
    network n;
    for (std::size_t thing = 0; thing < left + right; ++thing)
        for (int twice = 0; twice < 2; ++twice) n.add(random_tensor({2}, random), {thing});
    for (std::size_t a = 0; a < left; ++a)
        for (std::size_t b = 0; b < right; ++b) {
            const std::size_t pair = left + right + a * right + b;
            n.add(random_tensor({2, 2}, random), {a, pair});
            n.add(random_tensor({2, 2}, random), {pair, left + b});
            n.add(random_tensor({2}, random), {pair});
        }
    return n;
}

/// A large formula that is cheap: each variable after the first two is in a clause with an earlier
/// one, its parent, in another with that one's parent besides, and has a weight: three tensors for
/// each, some of 193,300 of them for 580,000. Every tenth parent is one of the first twenty, whose
/// indices so are in tens of thousands of tensors. Orders of some 8 multiplications a tensor exist.
inline network wide_formula(std::size_t variables, std::uint64_t seed) {
    random_numbers random(seed);
    const auto clause = [](std::size_t literals, std::size_t all_false) {
        array a(element::f64, std::vector<std::size_t>(literals, 2));
        auto* values = static_cast<double*>(a.data());
        std::fill_n(values, a.size(), 1.0);
        values[all_false] = 0;
        return a;
    };
    // Tables are shared: one for each way to choose signs.
    std::vector<array> pairs, triples;
    for (std::size_t k = 0; k < 4; ++k) pairs.push_back(clause(2, k));
    for (std::size_t k = 0; k < 8; ++k) triples.push_back(clause(3, k));
    const array weight = tensor_of<double>({2}, {0.75, 0.5});
    constexpr std::size_t hubs = 20;
    std::vector<std::size_t> parent(variables, 0);
    network n;
    for (std::size_t v = 0; v < variables; ++v) {
        n.add(weight, {v});
        if (v == 0) continue;
        parent[v] = random.below(10) == 0 ? random.below(std::min(v, hubs)) : random.below(v);
        n.add(pairs[random.below(4)], {v, parent[v]});
        if (parent[v] > 0) n.add(triples[random.below(8)], {v, parent[v], parent[parent[v]]});
    }
    return n;
}

/// Clauses of one to three variables that lie within windows of ten, which move on from the first
/// variable to the last, with random signs: near the size of the largest formulas that are about
/// with 580,000 clauses.
inline network sliding_formula(std::size_t clauses, std::uint64_t seed) {
    random_numbers random(seed);
    constexpr std::size_t window = 10;
    const std::size_t variables = std::max(window, clauses * 3 / 10);
    std::vector<array> tables;  // of one variable, two and three, for all signs
    for (std::size_t size = 1; size <= 3; ++size)
        for (std::size_t all_false = 0; all_false < std::size_t{1} << size; ++all_false) {
            array a(element::f64, std::vector<std::size_t>(size, 2));
            auto* values = static_cast<double*>(a.data());
            std::fill_n(values, a.size(), 1.0);
            values[all_false] = 0;
            tables.push_back(std::move(a));
        }
    network n;
    for (std::size_t c = 0; c < clauses; ++c) {
        const std::size_t begin = c * (variables - window + 1) / clauses;
        const std::size_t size = 1 + random.below(3);
        index_numbers own;
        while (own.size() < size) {
            const auto v = static_cast<std::int64_t>(begin + random.below(window));
            if (std::find(own.begin(), own.end(), v) == own.end()) own.push_back(v);
        }
        const std::size_t first_table = (std::size_t{1} << size) - 2;
        n.add(tables[first_table + random.below(std::size_t{1} << size)], own);
    }
    return n;
}

/// Clauses of three variables that lie within a window, each with random signs: the number of
/// assignments that make all true.
inline network band_formula(std::size_t variables, std::size_t clauses, std::size_t window,
                            std::uint64_t seed) {
    random_numbers random(seed);
    network n;
    const array any = tensor_of<double>({2}, {1, 1});
    for (std::size_t v = 0; v < variables; ++v) n.add(any, {v});
    for (std::size_t k = 0; k < clauses; ++k) {
        const std::size_t begin = random.below(variables - window + 1);
        std::size_t chosen[3];
        for (std::size_t j = 0; j < 3;) {
            chosen[j] = begin + random.below(window);
            if (std::find(chosen, chosen + j, chosen[j]) == chosen + j) ++j;
        }
        array a(element::f64, {2, 2, 2});
        auto* values = static_cast<double*>(a.data());
        std::fill_n(values, 8, 1.0);
        values[random.below(8)] = 0;
        n.add(std::move(a), {chosen[0], chosen[1], chosen[2]});
    }
    return n;
}

}  // namespace ricci::bench
