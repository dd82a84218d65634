// Networks beyond the range of their elements, compared with loops over all indices in a type with
// a wider one.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <ricci/network.hpp>

#include "bench/networks/lattices.hpp"
#include "tests/catch.hpp"
#include "tests/words_of.hpp"
#include "tests/unit/network/scaled_networks.hpp"

using namespace ricci;
using namespace ricci::testing::scaled_networks;
using ricci::testing::Contains;
using ricci::testing::words_of;

TEST_CASE("scaled networks are what loops over all their indices say", "[scaled]") {
    for (const element type : reals_and_complex)
        for (std::uint64_t seed = 0; seed < 60; ++seed) {
            drawn_network r(seed, type);
            INFO(name_of(type) << ", seed " << seed);
            r.draw();
            check_is(contract_scaled(r.made(), r.order(0)), r);
            check_is(contract_scaled(r.made(), r.order(1 + seed % 3)), r);
        }
}

TEST_CASE("tensors may be near the ends of the range", "[scaled]") {
    for (const element type : reals_and_complex)
        for (std::uint64_t seed = 0; seed < 100; ++seed) {
            drawn_network r(seed, type);
            INFO(name_of(type) << ", seed " << seed);
            r.draw();
            const int reach = is_single(type) ? 35 : 300;
            for (std::size_t t = 0; t < r.operands.size(); ++t)
                r.multiply(
                    t,
                    std::pow(10.0L, static_cast<int>(r.below(2 * static_cast<std::size_t>(reach))) -
                                        reach));
            check_is(contract_scaled(r.made(), r.order(0)), r);
            check_is(contract_scaled(r.made(), r.order(1 + seed % 3)), r);
        }
}

// At each place of an index that all tensors have, intermediates are of another size, far apart;
// the results are not.
TEST_CASE("places of an index that runs through may differ by more than the range", "[scaled]") {
    for (const element type : reals_and_complex)
        for (std::uint64_t seed = 0; seed < 100; ++seed) {
            drawn_network r(seed, type);
            INFO(name_of(type) << ", seed " << seed);
            std::vector<std::int64_t> through{r.run_through(2 + seed % 3)};
            if (seed % 4 == 0) through.push_back(r.run_through(2));
            r.draw();
            const int reach = is_single(type) ? 30 : 280;
            for (const std::int64_t i : through)
                for (std::size_t place = 0; place < r.extents[static_cast<std::size_t>(i)]; ++place)
                    for (std::size_t t = 0; t + 1 < r.operands.size(); t += 2) {
                        const int e =
                            (static_cast<int>(r.below(2 * static_cast<std::size_t>(reach))) -
                             reach) /
                            static_cast<int>(through.size());
                        r.multiply(t, i, place, std::pow(10.0L, e));
                        r.multiply(t + 1, i, place, std::pow(10.0L, -e));
                    }
            check_is(contract_scaled(r.made(), r.order(0)), r);
            check_is(contract_scaled(r.made(), r.order(1 + seed % 3)), r);
        }
}

TEST_CASE("scaled and plain agree where both are in range", "[scaled]") {
    for (const auto& l :
         {bench::box({6, 6}), bench::box({5, 5}, true), bench::random_regular(20, 3, 1)})
        for (const network& n : {bench::ising(l, 0.4), bench::matchings(l), bench::colourings(l, 3),
                                 bench::bond_network(l, 3, 2)}) {
            const contraction_order order = find_order(n, {.trials = 2});
            const scaled got = contract_scaled(n, order);
            const double plain = value_of(contract(n, order));
            check_form(got);
            CHECK(value_of(got.mantissa) * std::pow(10.0, got.exponent10) ==
                  Approx(plain).epsilon(1e-12));
        }
}

TEST_CASE("small elements beside large ones are kept", "[scaled]") {
    network n;
    n.add(tensor_of({2}, {1e300, 1e-150}), {0});
    n.add(tensor_of({2, 2}, {1e-300, 0, 0, 1e140}), {0, 1});
    n.add(tensor_of({2}, {0, 1}), {1});
    n.keep({1});
    for (const auto& pairs : {std::vector<std::pair<std::size_t, std::size_t>>{{0, 1}, {2, 3}},
                              {{1, 2}, {0, 3}},
                              {{0, 2}, {1, 3}}}) {
        const auto order = contraction_order::from_ssa(n, pairs);
        const scaled got = contract_scaled(n, order);
        CHECK(value_of(contract(n, order), 1) == Approx(1e-10));
        CHECK(value_of(got.mantissa, 0) == 0);
        CHECK(log10_of({tensor_of({}, {value_of(got.mantissa, 1)}), got.exponent10}) ==
              Approx(-10));
    }
}

TEST_CASE("numbers near one are given as they are read", "[scaled]") {
    for (const double x :
         {1.0, 9.0, 10.0, 99.0, 0.001, 12988816.0, 0.1, 1e22, 3e-22, 1e23, 1e300, 1e-300, 5e-324}) {
        network n;
        n.add(tensor_of({}, {x}), std::vector<std::int64_t>{});
        const scaled got = contract_scaled(n);
        check_form(got);
        const long double worth =
            value_of(got.mantissa) * std::pow(10.0L, static_cast<long double>(got.exponent10));
        CHECK(std::abs(worth - x) <= 4e-16L * x);
        if (x >= 1e-3 && x <= 1e22)
            CHECK(value_of(got.mantissa) == (x < 1 ? x * std::pow(10.0, -got.exponent10)
                                                   : x / std::pow(10.0, got.exponent10)));
    }
}

TEST_CASE("zeros have the exponent 0, and what is no number stands where it is", "[scaled]") {
    network zero;
    zero.add(tensor_of({2}, {1e-200, 0}), {0});
    zero.add(tensor_of({2}, {0, 1e-200}), {0});
    const scaled nothing = contract_scaled(zero);
    CHECK(value_of(nothing.mantissa) == 0);
    CHECK(nothing.exponent10 == 0);
    network special;
    special.add(tensor_of({4}, {NAN, HUGE_VAL, 2e200, -HUGE_VAL}), {0});
    special.add(tensor_of({4}, {1e200, 1e200, 1e200, 1e200}), {0});
    special.keep({0});
    for (const std::int64_t parts : {1, 2, 4}) {
        std::vector<sliced_index> cut;
        if (parts > 1) cut.push_back({0, parts});
        const scaled got =
            contract_scaled(special, contraction_order::from_ssa(special, {{0, 1}}, cut));
        CHECK(std::isnan(value_of(got.mantissa, 0)));
        CHECK(value_of(got.mantissa, 1) == HUGE_VAL);
        CHECK(value_of(got.mantissa, 2) == Approx(2));
        CHECK(value_of(got.mantissa, 3) == -HUGE_VAL);
        CHECK(got.exponent10 == 400);
    }
}

TEST_CASE("whole numbers count beyond their range", "[scaled]") {
    array a(element::i64, {3, 3});
    for (std::size_t k = 0; k < 9; ++k) static_cast<std::int64_t*>(a.data())[k] = 1;
    network n;
    for (int k = 0; k < 2000; ++k) n.add(a, {k, (k + 1) % 2000});
    const scaled got = contract_scaled(n);
    CHECK(got.mantissa.type() == element::f64);
    CHECK(log10_of(got) == Approx(2000 * std::log10(3.0)).epsilon(1e-14));
}

TEST_CASE("scaled results are those of sums of products, with their exponent", "[scaled]") {
    network n;
    n.add(tensor_of({2}, {1, 2}), {0});
    CHECK_THAT(words_of([&] { contract_scaled(n, {.algebra = algebra::max_sum}); }),
               Contains("maximum of sums"));
    CHECK_THAT(words_of([&] { contract(n, {.scaled = true}); }), Contains("contract_scaled"));
    prepared_network p = prepare(n, find_order(n));
    CHECK_THAT(words_of([&] { p.exponent10(); }), Contains("no result"));
    p();
    CHECK(p.exponent10() == 0);
    network large;
    large.add(array(element::f64, {1000}), {0});
    prepared_network q = prepare(large, find_order(large), {.memory = 8500, .scaled = true});
    CHECK_THAT(words_of([&] { q.bind(0, tensor_of({1000}, std::vector<double>(1000, 1e-200))); }),
               Contains("tensor 0") && Contains("copy"));
}
