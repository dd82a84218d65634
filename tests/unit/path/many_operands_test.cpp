// Contraction paths through more operands than all orders of are looked at: that a path is a tree,
// that it costs what it says, and how near it comes to the best one.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/catch.hpp"

#include "src/path/path.hpp"

namespace {

using namespace ricci;
using index_list = std::vector<ir::ref>;
using index_set = std::set<ir::ref>;

struct network {
    std::vector<index_list> operands;
    index_list result;
    std::vector<std::int64_t> extents;
};

path::contraction_path path_of(const network& n) {
    return path::find_path({n.operands.begin(), n.operands.end()}, n.result,
                           [&](ir::ref i) { return n.extents[static_cast<std::size_t>(i)]; });
}

struct cost {
    double multiplications = 0, stored = 0;
};

double size_of(const index_set& indices, const network& n) {
    double size = 1;
    for (const ir::ref i : indices)
        size *= static_cast<double>(n.extents[static_cast<std::size_t>(i)]);
    return size;
}

/// Operands that are still to be multiplied, each with the indices that it has.
class products {
public:
    explicit products(const network& n) : network_(n) {
        for (const auto& o : n.operands) left_.emplace_back(o.begin(), o.end());
    }
    const std::vector<index_set>& left() const { return left_; }

    index_set both(std::size_t a, std::size_t b) const {
        index_set all = left_[a];
        all.insert(left_[b].begin(), left_[b].end());
        return all;
    }
    /// What the product of two of them keeps: indices of the result, or of another one.
    index_set kept(std::size_t a, std::size_t b) const {
        index_set result;
        for (const ir::ref i : both(a, b)) {
            bool needed = std::count(network_.result.begin(), network_.result.end(), i) > 0;
            for (std::size_t c = 0; c < left_.size(); ++c)
                needed = needed || (c != a && c != b && left_[c].count(i) > 0);
            if (needed) result.insert(i);
        }
        return result;
    }
    /// Puts the product in the place of the first, and an empty one in that of the other.
    void multiply(std::size_t a, std::size_t b, cost& total, bool last) {
        total.multiplications += size_of(both(a, b), network_);
        left_[a] = kept(a, b);
        left_[b].clear();
        if (!last) total.stored += size_of(left_[a], network_);
    }
    void erase(std::size_t k) { left_.erase(left_.begin() + static_cast<std::ptrdiff_t>(k)); }

private:
    const network& network_;
    std::vector<index_set> left_;
};

/// What a path costs, counted product by product; what is wrong with it as a tree, in words.
cost count(const network& n, const path::contraction_path& path, std::string& wrong) {
    const std::size_t operands = n.operands.size();
    if (path.operands != static_cast<std::int32_t>(operands)) wrong += "operands; ";
    if (path.products.size() + 1 != operands) wrong += "products; ";
    products all(n);
    std::vector<std::size_t> place(operands);  // of each entry; none once it has been used
    constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
    for (std::size_t k = 0; k < operands; ++k) place[k] = k;
    cost total;
    for (std::size_t k = 0; k < path.products.size(); ++k) {
        const auto a = static_cast<std::size_t>(path.products[k].left);
        const auto b = static_cast<std::size_t>(path.products[k].right);
        if (a >= place.size() || b >= place.size() || a == b || place[a] == none ||
            place[b] == none) {
            wrong += "product " + std::to_string(k) + "; ";
            return total;
        }
        all.multiply(place[a], place[b], total, k + 1 == path.products.size());
        place.push_back(place[a]);
        place[a] = place[b] = none;
    }
    return total;
}

/// The greedy path: always the pair whose product is larger than the two by least, those with a
/// common index first; of equal ones the one with fewer multiplications.
double greedy(const network& n) {
    products all(n);
    cost total;
    while (all.left().size() > 1) {
        std::pair<std::size_t, std::size_t> chosen;
        bool found_common = false;
        double least = std::numeric_limits<double>::infinity(), fewest = least;
        for (std::size_t a = 0; a < all.left().size(); ++a)
            for (std::size_t b = a + 1; b < all.left().size(); ++b) {
                const index_set both = all.both(a, b);
                const bool common = both.size() < all.left()[a].size() + all.left()[b].size();
                if (found_common && !common) continue;
                const double growth = size_of(all.kept(a, b), n) - size_of(all.left()[a], n) -
                                      size_of(all.left()[b], n);
                const double work = size_of(both, n);
                if ((common && !found_common) || growth < least ||
                    (growth == least && work < fewest)) {
                    found_common = common;
                    least = growth, fewest = work;
                    chosen = {a, b};
                }
            }
        all.multiply(chosen.first, chosen.second, total, false);
        all.erase(chosen.second);
    }
    return total.multiplications;
}

/// Every operand is joined to some before it, and to others at random: by an index of their own, by
/// one that several share, or by one that the result has too.
network random_network(std::size_t operands, unsigned seed, std::int64_t most_extent) {
    std::mt19937 random(seed);
    const auto draw = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    network n;
    std::vector<index_set> sets(operands);
    const auto new_index = [&] {
        n.extents.push_back(
            2 + static_cast<std::int64_t>(draw(static_cast<std::size_t>(most_extent - 1))));
        return static_cast<ir::ref>(n.extents.size() - 1);
    };
    const auto join = [&](std::size_t a, std::size_t b) {
        if (a == b) return;
        const bool old = !sets[b].empty() && draw(4) == 0;
        const ir::ref i = old ? *sets[b].begin() : new_index();
        sets[a].insert(i);
        sets[b].insert(i);
        if (draw(12) == 0) n.result.push_back(i);
    };
    for (std::size_t k = 1; k < operands; ++k)
        if (draw(20) != 0) join(k, draw(k));  // some parts have nothing in common
    for (std::size_t k = 0; k < operands / 2; ++k) join(draw(operands), draw(operands));
    for (auto& s : sets)
        if (draw(6) == 0) {
            const ir::ref i = new_index();
            s.insert(i);
            n.result.push_back(i);
        }
    std::sort(n.result.begin(), n.result.end());
    n.result.erase(std::unique(n.result.begin(), n.result.end()), n.result.end());
    // An index that one operand alone has belongs to the result.
    std::vector<int> holders(n.extents.size());
    for (const auto& s : sets)
        for (const ir::ref i : s) ++holders[static_cast<std::size_t>(i)];
    for (auto& s : sets) {
        n.operands.emplace_back();
        for (const ir::ref i : s)
            if (holders[static_cast<std::size_t>(i)] > 1 ||
                std::binary_search(n.result.begin(), n.result.end(), i))
                n.operands.back().push_back(i);
    }
    return n;
}

/// The fewest multiplications of all paths, where every index counts from 0 to 1: from those of all
/// subsets of the operands. At most 64 indices.
double fewest_multiplications(const network& n) {
    const std::size_t operands = n.operands.size();
    std::vector<std::uint64_t> sets(operands);
    std::uint64_t result = 0;
    for (const ir::ref i : n.result) result |= std::uint64_t{1} << i;
    for (std::size_t k = 0; k < operands; ++k)
        for (const ir::ref i : n.operands[k]) sets[k] |= std::uint64_t{1} << i;
    const std::size_t subsets = std::size_t{1} << operands;
    std::vector<std::uint64_t> inside(subsets), kept(subsets);
    for (std::size_t s = 1; s < subsets; ++s)
        inside[s] = inside[s & (s - 1)] | sets[static_cast<std::size_t>(std::countr_zero(s))];
    for (std::size_t s = 1; s < subsets; ++s)
        kept[s] = inside[s] & (result | inside[subsets - 1 - s]);
    double power[65];
    for (int k = 0; k <= 64; ++k) power[k] = std::ldexp(1.0, k);
    std::vector<double> best(subsets, 0);
    for (std::size_t s = 1; s < subsets; ++s) {
        if (std::has_single_bit(s)) continue;
        best[s] = std::numeric_limits<double>::infinity();
        const std::size_t others = s & (s - 1);  // the lowest one is in the other part
        for (std::size_t part = others; part != 0; part = (part - 1) & others) {
            const double before = best[part] + best[s ^ part];
            if (before < best[s])
                best[s] =
                    std::min(best[s], before + power[std::popcount(kept[part] | kept[s ^ part])]);
        }
    }
    return best[subsets - 1];
}

}  // namespace

TEST_CASE("a path of many operands is a tree and costs what it says") {
    for (unsigned seed = 0; seed < 60; ++seed) {
        const std::size_t operands =
            13 + seed % 3 * 4 + (seed % 5 == 0 ? 19 : 0) + (seed % 20 == 0 ? 60 : 0);
        const network n = random_network(operands, seed, 9);
        const auto path = path_of(n);
        std::string wrong;
        const cost counted = count(n, path, wrong);
        INFO("seed " << seed << ", " << operands << " operands, " << n.extents.size()
                     << " indices");
        CHECK(wrong == "");
        CHECK(path.multiplications == Approx(counted.multiplications).epsilon(1e-12));
        CHECK(path.stored == Approx(counted.stored).epsilon(1e-12));
        CHECK(path.multiplications <= greedy(n) * (1 + 1e-12));
    }
}

TEST_CASE("a path of seventeen operands comes near the best of all") {
    for (unsigned seed = 0; seed < 6; ++seed) {
        network n = random_network(17, 100 + seed, 2);
        REQUIRE(n.extents.size() <= 64);
        const double best = fewest_multiplications(n);
        const double found = path_of(n).multiplications;
        INFO("seed " << seed << ", " << found << " beside " << best);
        CHECK(found >= best);
        CHECK(found <= 1.05 * best);
    }
}

TEST_CASE("chains of matrices have a path that is near the best, the longer the less") {
    for (const std::size_t matrices : {17U, 24U, 40U, 70U}) {
        for (unsigned seed = 0; seed < 4; ++seed) {
            std::mt19937 random(seed);
            network n;
            for (std::size_t k = 0; k <= matrices; ++k)
                n.extents.push_back(2 + static_cast<std::int64_t>(random() % 60));
            for (std::size_t k = 0; k < matrices; ++k)
                n.operands.push_back({static_cast<ir::ref>(k), static_cast<ir::ref>(k + 1)});
            n.result = {0, static_cast<ir::ref>(matrices)};
            // The textbook's: the best of each part of the chain.
            std::vector<std::vector<double>> best(matrices, std::vector<double>(matrices, 0));
            const auto extent = [&](std::size_t i) { return static_cast<double>(n.extents[i]); };
            for (std::size_t length = 1; length < matrices; ++length)
                for (std::size_t i = 0; i + length < matrices; ++i) {
                    double& here = best[i][i + length];
                    here = std::numeric_limits<double>::infinity();
                    for (std::size_t k = i; k < i + length; ++k)
                        here =
                            std::min(here, best[i][k] + best[k + 1][i + length] +
                                               extent(i) * extent(k + 1) * extent(i + length + 1));
                }
            const auto path = path_of(n);
            std::string wrong;
            const cost counted = count(n, path, wrong);
            INFO(matrices << " matrices, seed " << seed << ", " << path.multiplications
                          << " beside " << best[0][matrices - 1]);
            CHECK(wrong == "");
            CHECK(path.multiplications == Approx(counted.multiplications).epsilon(1e-12));
            CHECK(path.multiplications >= best[0][matrices - 1] * (1 - 1e-12));
            CHECK(path.multiplications <= (matrices == 17 ? 1.1 : 3) * best[0][matrices - 1]);
        }
    }
}

TEST_CASE("operands without indices, and of one index that all have") {
    network n;
    n.extents = {5, 3};
    for (int k = 0; k < 20; ++k) n.operands.push_back(k % 4 == 0 ? index_list{} : index_list{0});
    n.operands.push_back({0, 1});
    n.result = {1};
    const auto path = path_of(n);
    std::string wrong;
    const cost counted = count(n, path, wrong);
    CHECK(wrong == "");
    CHECK(path.multiplications == counted.multiplications);
    CHECK(path.stored == counted.stored);
    CHECK(path.multiplications <= greedy(n));
}
