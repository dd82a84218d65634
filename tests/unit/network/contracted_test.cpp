// Networks are contracted, compared with loops over all indices.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include <ricci/network.hpp>

#include "src/runtime/parallel.hpp"
#include "tests/catch.hpp"
#include "tests/unit/network/naive_contraction.hpp"
#include "tests/words_of.hpp"
#include "tests/unit/network/drawn_networks.hpp"

using namespace ricci;
using namespace ricci::testing::drawn_networks;
using ricci::testing::Contains;
using ricci::testing::words_of;

TEST_CASE("networks are what loops over all their indices say", "[network]") {
    for (const element type : {element::f64, element::c128, element::f32, element::i64})
        for (std::uint64_t seed = 0; seed < 60; ++seed) {
            random_network r(seed, type);
            INFO(name_of(type) << ", seed " << seed);
            const network n = r.made();
            const auto wanted = r.brute_force();
            check_same(contract(n, r.order(0)), wanted);
            check_same(contract(n, r.order(1 + seed % 3)), wanted);
        }
}

TEST_CASE("batches of many small products are what loops say", "[network]") {
    // A long index runs through three tensors: what they make with it is laid out batch by batch,
    // whatever the product that takes it sums.
    const std::vector<std::size_t> extents{300, 3, 2, 4, 3, 5};
    const std::vector<std::vector<std::size_t>> axes{{0, 1, 2, 3}, {0, 3, 4}, {1, 4, 5}, {0, 5, 2}};
    std::mt19937 random(2);
    for (const std::vector<std::size_t>& kept : {std::vector<std::size_t>{0, 2}, {2, 0}, {2}}) {
        network n;
        for (const auto& list : axes) {
            std::vector<std::size_t> shape;
            for (const std::size_t i : list) shape.push_back(extents[i]);
            array a(element::f64, shape);
            for (std::size_t k = 0; k < a.size(); ++k)
                static_cast<double*>(a.data())[k] = static_cast<double>(random() % 9) - 4;
            n.add(a, list);
        }
        n.keep(kept);
        const std::vector<std::pair<std::size_t, std::size_t>> pairs{{0, 1}, {2, 4}, {3, 5}};
        const auto loops = ricci::testing::naive_contraction<double>(n).run(pairs);
        const std::vector<complex> wanted(loops.begin(), loops.end());
        check_same(contract(n, contraction_order::from_ssa(n, pairs)), wanted);
        check_same(contract(n, contraction_order::from_ssa(n, pairs, {{1, 3}})), wanted);
        check_same(contract(n, contraction_order::from_ssa(n, pairs, {{0, 7}})), wanted);
    }
}

TEST_CASE("indices without places leave results without elements, and sums of nothing",
          "[network]") {
    const auto ones = [](std::vector<std::size_t> extents) {
        array a(element::f64, extents);
        std::fill_n(static_cast<double*>(a.data()), a.size(), 1.0);
        return a;
    };
    const auto result = [&](const char* text, std::vector<array> operands) {
        const network n = network::from_einsum(text, operands);
        prepared_network p = prepare(n, find_order(n));
        p();
        const array plain = contract(n, find_order(n));
        CHECK(p.result().size() == plain.size());
        CHECK(contract_scaled(n).mantissa.size() == plain.size());
        for (std::size_t k = 0; k < plain.size(); ++k) CHECK(entry(plain, k) == 0.0);
        return plain.size();
    };
    CHECK(result("ab,bc->ac", {ones({0, 2}), ones({2, 3})}) == 0);
    CHECK(result("ba,b->a", {ones({2, 0}), ones({2})}) == 0);
    CHECK(result("ab,bc->ac", {ones({2, 0}), ones({0, 3})}) == 6);
    CHECK(result("b,baa->a", {ones({2}), ones({2, 0, 0})}) == 0);
    CHECK(result("a,b,bc,cd->d", {ones({0}), ones({2}), ones({2, 3}), ones({3, 4})}) == 4);
    CHECK(result("ab,bc,cd,de->ae", {ones({3, 2}), ones({2, 0}), ones({0, 3}), ones({3, 5})}) ==
          15);
}

TEST_CASE("derivatives of networks are what the network says without one tensor", "[network]") {
    for (const element type : {element::f64, element::c128})
        for (std::uint64_t seed = 0; seed < 40; ++seed) {
            random_network r(seed, type);
            INFO(name_of(type) << ", seed " << seed);
            r.open.clear();
            const auto order = r.order(seed % 3);
            std::vector<std::size_t> by;
            for (std::size_t k = 0; k < r.operands.size(); ++k)
                if (r.below(3) > 0) by.push_back(k);
            if (by.size() > 1) by.push_back(by[0]);
            const auto slopes = gradient(r.made(), order, by);
            REQUIRE(slopes.size() == by.size());
            for (std::size_t n = 0; n < by.size(); ++n) {
                const array kept = r.operands[by[n]];
                REQUIRE(slopes[n].size() == kept.size());
                std::vector<complex> wanted;
                for (std::size_t e = 0; e < kept.size(); ++e) {
                    array unit(element::i64, kept.extents());
                    static_cast<std::int64_t*>(unit.data())[e] = 1;
                    r.operands[by[n]] = unit.converted(type);
                    wanted.push_back(r.brute_force()[0]);
                }
                r.operands[by[n]] = kept;
                check_same(slopes[n], wanted);
            }
        }
}

TEST_CASE("networks in other algebras are what loops say, and so are their places", "[network]") {
    for (const element type : {element::f64, element::f32})
        for (std::uint64_t seed = 0; seed < 40; ++seed) {
            random_network r(seed, type);
            INFO(name_of(type) << ", seed " << seed);
            for (const algebra a : {algebra::max_sum, algebra::min_sum, algebra::logsumexp_sum}) {
                const auto wanted = r.brute_force(a);
                const std::vector<complex> numbers(wanted.begin(), wanted.end());
                check_same(contract(r.made(), r.order(seed % 3), {.algebra = a}), numbers);
            }
            r.open.clear();
            const most_likely best = argmax(r.made(), r.order(seed % 3));
            CHECK(best.value == r.brute_force(algebra::max_sum)[0]);
            double sum = 0;
            std::map<std::int64_t, std::size_t> at;
            for (const auto& [i, place] : best.places) {
                REQUIRE(place >= 0);
                at[i] = static_cast<std::size_t>(place);
            }
            for (std::size_t t = 0; t < r.operands.size(); ++t)
                sum += entry(r.operands[t], r.place(r.axes[t], at)).real();
            CHECK(sum == best.value);
        }
}

TEST_CASE("networks give the same bits with any number of threads", "[network]") {
    for (std::uint64_t seed = 100; seed < 110; ++seed) {
        random_network r(seed, element::f64);
        const auto order = r.order(2);
        std::vector<array> results;
        for (const int threads : {1, 2, 5}) {
            runtime::set_worker_count(threads);
            results.push_back(contract(r.made(), order).clone());
        }
        runtime::set_worker_count(0);
        for (const array& a : results)
            CHECK(std::memcmp(a.data(), results[0].data(), a.size() * size_of(a.type())) == 0);
    }
}

TEST_CASE("networks that cannot be contracted are refused", "[network]") {
    network n;
    n.add(shape(element::f64, {3, 3}), {0, 1});
    n.add(array(element::f64, {3, 3}), {1, 2});
    n.keep({0, 2});
    const auto order = contraction_order::from_ssa(n, {{0, 1}});
    CHECK_THAT(words_of([&] { contract(n, order); }), Contains("tensor 0") && Contains("shape"));
    network other;
    other.add(array(element::f64, {3, 3}), {0, 1});
    CHECK_THAT(words_of([&] { contract(other, order); }), Contains("order"));
    network chain;
    for (int k = 0; k < 4; ++k) chain.add(array(element::f64, {300, 300}), {k, k + 1});
    chain.keep({0, 4});
    const auto in_pairs = contraction_order::from_ssa(chain, {{0, 1}, {2, 3}, {4, 5}});
    CHECK_THAT(words_of([&] { contract(chain, in_pairs, {.memory = 4.0e6}); }),
               Contains("memory") && Contains("1.5e+06"));
    bool asked = false;
    CHECK_THAT(words_of([&] {
                   contract(chain, in_pairs, {.progress = [&](double, double) {
                                asked = true;
                                return false;
                            }});
               }),
               Contains("stopped"));
    CHECK(asked);
    CHECK_THAT(words_of([&] { gradient(chain, in_pairs, {0}); }), Contains("keeps 2 indices"));
    network whole;
    whole.add(array(element::i32, {3}), {0});
    CHECK_THAT(words_of([&] {
                   contract(whole, contraction_order::from_ssa(whole, {}),
                            {.algebra = algebra::max_sum});
               }),
               Contains("maximum of sums"));
    CHECK_THAT(words_of([&] { argmax(chain, in_pairs); }), Contains("keeps 2 indices"));
    prepared_network p = prepare(chain, in_pairs);
    CHECK_THAT(words_of([&] { p.bind(0, array(element::f64, {300, 301})); }), Contains("tensor 0"));
    CHECK_THAT(words_of([&] {
                   p.bind(9, array(element::f64, {300, 300}));
               }),
               Contains("no tensor 9"));
}
