// Programs over all pairs, run on several numbers of threads, and what they are compared with:
// matrices of long double.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <vector>

#include <ricci/program.hpp>

#include "src/runtime/parallel.hpp"
#include "tests/catch.hpp"

namespace ricci::testing::pairs {

using numbers = std::vector<long double>;
using extents = std::vector<std::size_t>;

/// Rows of a matrix, or the elements of a vector.
struct matrix {
    std::size_t rows = 0, columns = 1;
    numbers values;
    long double operator()(std::size_t i, std::size_t k = 0) const {
        return values[i * columns + k];
    }
    long double& operator()(std::size_t i, std::size_t k = 0) { return values[i * columns + k]; }
};

template <class T>
ricci::array array_of(const matrix& m, std::size_t rank = 2) {
    extents shape{m.rows};
    if (rank == 2) shape.push_back(m.columns);
    ricci::array a(ricci::element_v<T>, std::span<const std::size_t>(shape));
    T* const data = static_cast<T*>(a.data());
    for (std::size_t k = 0; k < m.values.size(); ++k) data[k] = static_cast<T>(m.values[k]);
    return a;
}

/// Numbers that T holds exactly, around 0.
template <class T>
matrix random_matrix(std::size_t rows, std::size_t columns, unsigned seed, long double scale = 1) {
    matrix m{rows, columns, {}};
    std::mt19937 generator(seed);
    std::uniform_real_distribution<double> number(-1, 1);
    for (std::size_t k = 0; k < rows * columns; ++k)
        m.values.push_back(static_cast<T>(scale * number(generator)));
    return m;
}

template <class T>
void check_close(const ricci::array& got, const matrix& expected) {
    REQUIRE(got.size() == expected.values.size());
    const T* const data = static_cast<const T*>(got.data());
    long double largest = 1e-30L, worst = 0;
    for (const long double x : expected.values) largest = std::max(largest, std::abs(x));
    for (std::size_t k = 0; k < got.size(); ++k)
        worst = std::max(worst, std::abs(data[k] - expected.values[k]));
    // Of what is allowed, so that a failure says by how much.
    CHECK(static_cast<double>(worst / largest) / (sizeof(T) == 4 ? 2e-5 : 2e-14) <= 1);
}

/// Runs on several numbers of threads, which must not matter; no intermediate has as many elements
/// as there are pairs.
template <class T>
ricci::arrays run_everywhere(const ricci::program& p, const std::vector<ricci::named>& operands,
                             std::size_t pairs) {
    const ricci::prepare_options options{.exact_distances = false};
    const auto workspace = ricci::memory_of(p, operands, options).workspace;
    INFO(ricci::explain(p, operands, options));
    CHECK(workspace < pairs * sizeof(T));
    ricci::runtime::set_worker_count(1);
    auto first = ricci::run(p, operands, options);
    for (const int threads : {2, 3, 7}) {
        ricci::runtime::set_worker_count(threads);
        const auto again = ricci::run(p, operands, options);
        for (const auto& [name, value] : first) {
            INFO(name << " on " << threads << " threads");
            const std::size_t bytes = value.size() * ricci::size_of(value.type());
            CHECK(std::memcmp(value.data(), again[name].data(), bytes) == 0);
        }
    }
    ricci::runtime::set_worker_count(0);
    return first;
}

inline long double dot(const matrix& a, std::size_t i, const matrix& b, std::size_t j) {
    long double sum = 0;
    for (std::size_t k = 0; k < a.columns; ++k) sum += a(i, k) * b(j, k);
    return sum;
}

}  // namespace ricci::testing::pairs
