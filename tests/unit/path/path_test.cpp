// Contraction paths against other ways to find the best one.
#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include "tests/catch.hpp"

#include "src/path/path.hpp"

using namespace ricci;

TEST_CASE("the path has the fewest multiplications of all orders") {
    // Exhaustive search over all binary trees as the oracle.
    for (unsigned seed = 0; seed < 60; ++seed) {
        std::mt19937 random(seed);
        std::vector<std::int64_t> extents(7);
        for (auto& n : extents) n = 2 + static_cast<std::int64_t>(random() % 9);
        std::vector<std::vector<ir::ref>> operands(3 + random() % 3);
        std::vector<int> holders(7);
        for (auto& o : operands) {
            std::set<ir::ref> s;
            for (int k = 0; k < 3; ++k) s.insert(static_cast<ir::ref>(random() % 7));
            o.assign(s.begin(), s.end());
            for (ir::ref i : o) ++holders[static_cast<std::size_t>(i)];
        }
        std::vector<ir::ref> result;
        for (ir::ref i = 0; i < 7; ++i) {
            const int count = holders[static_cast<std::size_t>(i)];
            if (count == 1 || (count > 1 && random() % 3 == 0)) result.push_back(i);
        }
        const auto search = [&](auto&& self, std::vector<std::set<ir::ref>> left) -> double {
            if (left.size() == 1) return 0;
            double best = 1e300;
            for (std::size_t a = 0; a < left.size(); ++a)
                for (std::size_t b = a + 1; b < left.size(); ++b) {
                    std::set<ir::ref> all = left[a], kept;
                    all.insert(left[b].begin(), left[b].end());
                    double work = 1;
                    for (ir::ref i : all) {
                        work *= static_cast<double>(extents[static_cast<std::size_t>(i)]);
                        bool needed = std::count(result.begin(), result.end(), i) > 0;
                        for (std::size_t c = 0; c < left.size(); ++c)
                            needed = needed || (c != a && c != b && left[c].count(i) > 0);
                        if (needed) kept.insert(i);
                    }
                    auto rest = left;
                    rest[a] = kept;
                    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(b));
                    best = std::min(best, work + self(self, rest));
                }
            return best;
        };
        std::vector<std::set<ir::ref>> sets;
        for (const auto& o : operands) sets.emplace_back(o.begin(), o.end());
        const auto path =
            path::find_path({operands.begin(), operands.end()}, result,
                            [&](ir::ref i) { return extents[static_cast<std::size_t>(i)]; });
        INFO("seed " << seed);
        CHECK(path.products.size() == operands.size() - 1);
        CHECK(path.multiplications == search(search, sets));
    }
}

TEST_CASE("long chains of matrices have good paths") {
    // The best bracketing of a chain, by the textbook's dynamic programming over its parts.
    const auto best_bracketing = [](const std::vector<double>& n) {
        const std::size_t count = n.size() - 1;
        std::vector<std::vector<double>> cost(count, std::vector<double>(count, 0));
        for (std::size_t length = 1; length < count; ++length)
            for (std::size_t i = 0; i + length < count; ++i) {
                cost[i][i + length] = 1e300;
                for (std::size_t k = i; k < i + length; ++k)
                    cost[i][i + length] =
                        std::min(cost[i][i + length], cost[i][k] + cost[k + 1][i + length] +
                                                          n[i] * n[k + 1] * n[i + length + 1]);
            }
        return cost[0][count - 1];
    };
    for (unsigned seed = 0; seed < 30; ++seed) {
        std::mt19937 random(seed);
        const std::size_t count = seed % 2 == 0 ? path::exact_path_operands : 16;
        std::vector<double> sizes;
        for (std::size_t k = 0; k <= count; ++k)
            sizes.push_back(static_cast<double>(2 + random() % 60));
        std::vector<std::vector<ir::ref>> operands;
        for (std::size_t k = 0; k < count; ++k)
            operands.push_back({static_cast<ir::ref>(k), static_cast<ir::ref>(k + 1)});
        const std::vector<ir::ref> ends{0, static_cast<ir::ref>(count)};
        const auto path = path::find_path({operands.begin(), operands.end()}, ends, [&](ir::ref i) {
            return static_cast<std::int64_t>(sizes[static_cast<std::size_t>(i)]);
        });
        INFO("seed " << seed << ", " << count << " matrices");
        const double allowed = count <= path::exact_path_operands ? 1 : 1.1;
        CHECK(path.multiplications <= allowed * best_bracketing(sizes));
    }
}
