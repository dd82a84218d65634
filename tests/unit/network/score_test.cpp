// The score of an order against its definition, carried out on sets and slice by slice.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include "src/network/score.hpp"
#include "tests/catch.hpp"

using namespace ricci;
using networks::ssa_pair;

namespace {

using index_set = std::set<std::int32_t>;

path::hypergraph random_network(std::mt19937& random, std::int32_t operands) {
    path::hypergraph h;
    const auto indices = static_cast<std::int32_t>(1 + random() % 9);
    for (std::int32_t i = 0; i < indices; ++i)
        h.extents.push_back(static_cast<double>(1 + random() % 5));
    for (std::int32_t t = 0; t < operands; ++t) {
        index_set has;
        for (std::size_t k = random() % 5; k > 0; --k)
            has.insert(static_cast<std::int32_t>(random() % h.extents.size()));
        h.members.insert(h.members.end(), has.begin(), has.end());
        h.first.push_back(static_cast<std::int32_t>(h.members.size()));
    }
    for (std::int32_t i = 0; i < indices; ++i)
        if (random() % 4 == 0 && std::count(h.members.begin(), h.members.end(), i) > 0)
            h.open.push_back(i);
    return h;
}

std::vector<ssa_pair> random_products(std::mt19937& random, std::int32_t operands) {
    std::vector<std::int32_t> left;
    for (std::int32_t t = 0; t < operands; ++t) left.push_back(t);
    std::vector<ssa_pair> products;
    while (left.size() > 1) {
        std::shuffle(left.begin(), left.end(), random);
        const std::int32_t a = left.back(), b = left[left.size() - 2];
        left.resize(left.size() - 2);
        left.push_back(operands + static_cast<std::int32_t>(products.size()));
        products.emplace_back(a, b);
    }
    return products;
}

std::vector<path::slice> random_slices(std::mt19937& random, const path::hypergraph& h) {
    std::vector<path::slice> slices;
    for (std::int32_t i = 0; i < h.indices(); ++i) {
        const auto extent = static_cast<std::int64_t>(h.extents[static_cast<std::size_t>(i)]);
        if (extent > 1 && random() % 4 == 0)
            slices.push_back({i, 2 + static_cast<std::int64_t>(random()) % (extent - 1)});
    }
    return slices;
}

struct plain_score {
    double multiplications = 0, unsliced = 0, traffic = 0, product = 0, intermediate = 0;
};

// One slice: how many places each index has in it. What depends on no slice counts in the first.
plain_score one_run(const path::hypergraph& h, const std::vector<ssa_pair>& products,
                    const std::vector<double>& extents, const index_set& sliced, bool first_run) {
    struct entry {
        index_set has;
        bool depends = false, live = true;
    };
    std::vector<entry> entries;
    const auto needed = [&](std::int32_t i, std::size_t but) {
        if (std::count(h.open.begin(), h.open.end(), i) > 0) return true;
        for (std::size_t e = 0; e < entries.size(); ++e)
            if (e != but && entries[e].live && entries[e].has.count(i) > 0) return true;
        return false;
    };
    const auto size = [&](const index_set& has) {
        double n = 1;
        for (const std::int32_t i : has) n *= extents[static_cast<std::size_t>(i)];
        return n;
    };
    for (std::size_t t = 0; t + 1 < h.first.size(); ++t) {
        entry e;
        for (std::int32_t m = h.first[t]; m < h.first[t + 1]; ++m) {
            const std::int32_t i = h.members[static_cast<std::size_t>(m)];
            e.has.insert(i);
            e.depends = e.depends || sliced.count(i) > 0;
        }
        entries.push_back(e);
    }
    for (std::size_t t = 0; t < entries.size(); ++t) {
        index_set kept;
        for (const std::int32_t i : entries[t].has)
            if (needed(i, t)) kept.insert(i);
        entries[t].has = kept;
    }
    plain_score s;
    for (const auto& [a, b] : products) {
        entry& x = entries[static_cast<std::size_t>(a)];
        entry& y = entries[static_cast<std::size_t>(b)];
        entry made;
        made.depends = x.depends || y.depends;
        index_set both = x.has;
        both.insert(y.has.begin(), y.has.end());
        x.live = y.live = false;
        for (const std::int32_t i : both)
            if (needed(i, entries.size())) made.has.insert(i);
        if (first_run || made.depends) {
            s.multiplications += size(both);
            s.traffic += size(x.has) + size(y.has) + size(made.has);
        }
        s.product = std::max(s.product, size(both));
        s.intermediate = std::max(s.intermediate, size(made.has));
        entries.push_back(made);
    }
    return s;
}

// All slices: ranges whose lengths differ by one at most.
plain_score plain(const path::hypergraph& h, const std::vector<ssa_pair>& products,
                  const std::vector<path::slice>& slices) {
    plain_score all;
    all.unsliced = one_run(h, products, h.extents, {}, true).multiplications;
    index_set sliced;
    for (const path::slice& s : slices) sliced.insert(s.index);
    std::vector<std::int64_t> at(slices.size(), 0);
    for (bool first = true;; first = false) {
        std::vector<double> extents = h.extents;
        for (std::size_t k = 0; k < slices.size(); ++k) {
            double& e = extents[static_cast<std::size_t>(slices[k].index)];
            const auto extent = static_cast<std::int64_t>(e);
            const std::int64_t wider = extent % slices[k].parts;
            e = static_cast<double>(extent / slices[k].parts + (at[k] < wider ? 1 : 0));
        }
        const plain_score run = one_run(h, products, extents, sliced, first);
        all.multiplications += run.multiplications;
        all.traffic += run.traffic;
        all.product = std::max(all.product, run.product);
        all.intermediate = std::max(all.intermediate, run.intermediate);
        std::size_t k = 0;
        while (k < at.size() && ++at[k] == slices[k].parts) at[k++] = 0;
        if (k == at.size()) return all;
    }
}

}  // namespace

TEST_CASE("scores are those of the definition, with and without slices") {
    std::mt19937 random(5);
    for (int round = 0; round < 2000; ++round) {
        const auto operands = static_cast<std::int32_t>(2 + random() % 7);
        const path::hypergraph h = random_network(random, operands);
        const std::vector<ssa_pair> products = random_products(random, operands);
        const std::vector<path::slice> slices =
            round % 2 == 0 ? std::vector<path::slice>{} : random_slices(random, h);
        const networks::order_score mine = networks::score_of(h, products, slices);
        const plain_score right = plain(h, products, slices);
        CHECK(mine.multiplications.value() == right.multiplications);
        CHECK(mine.unsliced.value() == right.unsliced);
        CHECK(mine.traffic.value() == right.traffic);
        CHECK(mine.largest_product.value() == right.product);
        CHECK(mine.largest_intermediate.value() == right.intermediate);
    }
}

TEST_CASE("scores without slices are the search's own") {
    std::mt19937 random(6);
    for (int round = 0; round < 200; ++round) {
        const auto operands = static_cast<std::int32_t>(2 + random() % 30);
        const path::hypergraph h = random_network(random, operands);
        const std::vector<ssa_pair> products = random_products(random, operands);
        const networks::order_score mine = networks::score_of(h, products, {});
        const path::order_cost other = path::cost_of(h, {products, {}});
        CHECK(mine.multiplications.log2() == Approx(other.log2_multiplications));
        CHECK(mine.traffic.log2() == Approx(other.log2_traffic));
        CHECK(mine.largest_product.log2() == Approx(other.log2_largest_product));
        CHECK(mine.largest_intermediate.log2() == Approx(other.log2_largest_intermediate));
    }
}

TEST_CASE("the peak is that of the better way to walk a tree") {
    // ((A B) (C D)): A B has 100 elements, C D has 10, of operands that cost nothing.
    path::hypergraph h;
    h.extents = {10, 10, 10, 2};
    const auto operand = [&](std::vector<std::int32_t> has) {
        h.members.insert(h.members.end(), has.begin(), has.end());
        h.first.push_back(static_cast<std::int32_t>(h.members.size()));
    };
    operand({0, 3});
    operand({1, 3});
    operand({0, 2});
    operand({2, 1});
    const std::vector<ssa_pair> products{{0, 1}, {2, 3}, {4, 5}};
    const networks::order_score s = networks::score_of(h, products, {});
    CHECK(s.multiplications.value() == 200 + 1000 + 100);
    CHECK(s.peak == 100 + 100 + 1);
    CHECK(s.largest_intermediate.value() == 100);
}

TEST_CASE("costs beyond the range of double have logarithms") {
    // Outer products of vectors: after k of them there are 2^(k + 1) elements.
    constexpr std::int32_t operands = 3000;
    path::hypergraph h;
    std::vector<ssa_pair> products;
    for (std::int32_t t = 0; t < operands; ++t) {
        h.extents.push_back(2);
        h.members.push_back(t);
        h.first.push_back(t + 1);
        h.open.push_back(t);
        if (t > 0) products.emplace_back(t == 1 ? 0 : operands + t - 2, t);
    }
    const networks::order_score s = networks::score_of(h, products, {});
    CHECK(s.largest_intermediate.log2() == operands);
    CHECK(s.multiplications.log2() == Approx(operands + 1).epsilon(1e-12));
    CHECK(std::isinf(s.multiplications.value()));
    CHECK(std::isinf(s.peak));
}

TEST_CASE("a front of many indices is not walked for every operand that joins it") {
    // A ladder's rungs, all of one side first: 200,000 operands, 100,000 indices at once.
    constexpr std::int32_t rungs = 100000;
    path::hypergraph h;
    for (int side = 0; side < 2; ++side)
        for (std::int32_t t = 0; t < rungs; ++t) {
            h.members.push_back(t);
            h.first.push_back(static_cast<std::int32_t>(h.members.size()));
        }
    h.extents.assign(rungs, 2);
    std::vector<ssa_pair> products;
    std::int32_t made = 0;
    for (std::int32_t t = 1; t < 2 * rungs; ++t) {
        products.emplace_back(made, t);
        made = 2 * rungs + t - 1;
    }
    const networks::order_score s = networks::score_of(h, products, {});
    CHECK(s.largest_intermediate.log2() == rungs);
}
