// Scaled networks as they are run: in any order, in slices, by ranges, on threads, again with other values.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <ricci/network.hpp>

#include "src/runtime/parallel.hpp"
#include "tests/catch.hpp"
#include "tests/few.hpp"
#include "tests/words_of.hpp"
#include "tests/unit/network/scaled_networks.hpp"

using namespace ricci;
using namespace ricci::testing::scaled_networks;
using ricci::testing::Contains;
using ricci::testing::words_of;

TEST_CASE("what is 10^-187 of the largest elements' product is kept in any order", "[scaled]") {
    network n;
    n.add(tensor_of({2}, {1, 1}), {0});
    for (int k = 0; k < 2; ++k) n.add(tensor_of({2, 2}, {1e-60, 0, 0, 3.5e-154}), {k, k + 1});
    n.add(tensor_of({2}, {0, 1}), {2});
    for (const auto& pairs :
         {std::vector<std::pair<std::size_t, std::size_t>>{{0, 1}, {2, 4}, {3, 5}},
          {{1, 2}, {0, 4}, {3, 5}},
          {{2, 3}, {1, 4}, {0, 5}}}) {
        const scaled got = contract_scaled(n, contraction_order::from_ssa(n, pairs));
        CHECK(log10_of(got) == Approx(2 * std::log10(3.5e-154)).epsilon(1e-15));
    }
}

TEST_CASE("a power has as many factors as one likes", "[scaled]") {
    // [1 1; 1 0]^n holds Fibonacci numbers; number n is phi^n / sqrt 5.
    const int factors = testing::few_or(10000, 100000);
    const array matrix = tensor_of({2, 2}, {1, 1, 1, 0}),
                small = tensor_of({2, 2}, {1e-200, 1e-200, 1e-200, 0});
    const double log10_phi = std::log10((1 + std::sqrt(5.0)) / 2);
    for (const bool is_small : {false, true}) {
        network n;
        for (int k = 0; k < factors; ++k) n.add(is_small ? small : matrix, {k, k + 1});
        n.keep({0, factors});
        std::vector<std::pair<std::size_t, std::size_t>> pairs{{0, 1}};
        for (std::size_t k = 2; k < n.size(); ++k) pairs.push_back({n.size() + k - 2, k});
        const scaled got = contract_scaled(n, contraction_order::from_ssa(n, pairs));
        check_form(got);
        const double wanted =
            factors * log10_phi - std::log10(5.0) / 2 - (is_small ? 200.0 * factors : 0);
        CHECK(std::log10(value_of(got.mantissa, 1)) + got.exponent10 ==
              Approx(wanted).epsilon(1e-14));
        const double ratio = value_of(got.mantissa, 0) / value_of(got.mantissa, 1);
        CHECK(ratio == Approx((1 + std::sqrt(5.0)) / 2).epsilon(1e-12));
    }
}

TEST_CASE("sums of many slices beyond the range are joined with their exponents", "[scaled]") {
    // The sum over i of a_i^60, with a_i from 1e-9 to 1e9: 18 of them, sliced one by one.
    network n;
    std::vector<double> values;
    for (int k = -9; k < 9; ++k) values.push_back(std::pow(10.0, k));
    for (int k = 0; k < 60; ++k) n.add(tensor_of({18}, values), {0});
    std::vector<std::pair<std::size_t, std::size_t>> pairs{{0, 1}};
    for (std::size_t k = 2; k < 60; ++k) pairs.push_back({60 + k - 2, k});
    for (const std::int64_t parts : {1, 2, 5, 18}) {
        std::vector<sliced_index> cut;
        if (parts > 1) cut.push_back({0, parts});
        const scaled got = contract_scaled(n, contraction_order::from_ssa(n, pairs, cut));
        check_form(got);
        CHECK(log10_of(got) == Approx(480).epsilon(1e-15));
    }
}

TEST_CASE("ranges of kept indices have exponents of their own", "[scaled]") {
    // Rows, columns and terms that differ by hundreds of powers of ten, cut into unequal ranges.
    for (const element type : {element::f64, element::c128})
        for (const std::int64_t row_parts : {1, 3, 4, 10})
            for (const std::int64_t column_parts : {1, 2, 5}) {
                drawn_network r(1, type);
                r.extents = {10, 5, 7};
                r.axes = {{0, 1}, {1, 2}};
                r.open = {2, 0};
                r.operands = {array(type, {10, 5}), array(type, {5, 7})};
                for (std::size_t k = 0; k < 50; ++k) {
                    const long double row = std::pow(10.0L, 50 * static_cast<int>(k / 5) - 250);
                    const auto small = static_cast<long double>(1 + k % 3);
                    set_element(r.operands[0], k, wide(small * row, small * row / 2));
                }
                for (std::size_t k = 0; k < 35; ++k) {
                    const int place = static_cast<int>(k % 7), term = static_cast<int>(k / 7);
                    const long double size = std::pow(10.0L, 20 * term - 40 * place + 100);
                    set_element(r.operands[1], k, wide(size, -size / 4));
                }
                std::vector<sliced_index> cut{{1, 2}};
                if (row_parts > 1) cut.push_back({0, row_parts});
                if (column_parts > 1) cut.push_back({2, column_parts});
                INFO(name_of(type) << ", rows in " << row_parts << ", columns in " << column_parts);
                check_is(
                    contract_scaled(r.made(), contraction_order::from_ssa(r.made(), {{0, 1}}, cut)),
                    r);
            }
}

TEST_CASE("scaled networks give the same bits with any number of threads", "[scaled]") {
    network n;
    for (int k = 0; k < 4; ++k) {
        array a(element::f64, {300, 300});
        for (std::size_t e = 0; e < a.size(); ++e)
            static_cast<double*>(a.data())[e] =
                std::ldexp(static_cast<double>((e * 37 + 11) % 101) - 50, k % 2 == 0 ? 400 : 500);
        n.add(a, {k, k + 1});
    }
    n.keep({0, 4});
    const auto order = contraction_order::from_ssa(n, {{0, 1}, {2, 3}, {4, 5}}, {{2, 7}});
    std::vector<scaled> results;
    for (const int threads : {1, 2, 5}) {
        runtime::set_worker_count(threads);
        results.push_back(contract_scaled(n, order));
    }
    runtime::set_worker_count(0);
    for (const scaled& s : results) {
        CHECK(s.exponent10 == results[0].exponent10);
        CHECK(std::memcmp(s.mantissa.data(), results[0].mantissa.data(),
                          s.mantissa.size() * sizeof(double)) == 0);
    }
}

TEST_CASE("a network prepared scaled takes values of any size", "[scaled]") {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        drawn_network r(seed, element::f64);
        INFO("seed " << seed);
        const std::int64_t through = seed % 2 == 0 ? r.run_through(3) : -1;
        r.draw();
        prepared_network p = prepare(r.made(), r.order(seed % 3), {.scaled = true});
        for (int round = 0; round < 6; ++round) {
            p();
            check_is({p.result(), p.exponent10()}, r);
            const std::size_t k = r.below(r.operands.size());
            r.operands[k] = r.operands[k].clone();
            const long double by = round % 2 == 0 ? 1e-150L : 1e150L;
            if (through >= 0) r.multiply(k, through, r.below(3), by);
            else r.multiply(k, by);
            p.bind(k, r.operands[k]);
        }
    }
}

TEST_CASE("scaled amplitudes are the elements of the scaled result", "[scaled]") {
    // Each factor is small where its open index is 1.
    network n;
    for (int k = 0; k < 20; ++k)
        n.add(tensor_of({2, 2, 2}, {1, 0.5, 2, 1, 1e-100, 2e-100, 3e-101, 1e-100}),
              {100 + k, k, k + 1});
    std::vector<std::int64_t> open;
    for (int k = 0; k < 20; ++k) open.push_back(100 + k);
    open.push_back(0);
    n.keep(open);
    std::vector<std::pair<std::size_t, std::size_t>> pairs{{0, 1}};
    for (std::size_t k = 2; k < 20; ++k) pairs.push_back({20 + k - 2, k});
    array choices(element::i64, {5, 20});
    auto* const rows = static_cast<std::int64_t*>(choices.data());
    for (std::size_t r = 0; r < 5; ++r)
        for (std::size_t c = 0; c < 20; ++c) rows[20 * r + c] = c < 5 * r ? 1 : 0;
    const std::vector<std::int64_t> columns(open.begin(), open.end() - 1);
    for (const bool cut : {false, true}) {
        std::vector<sliced_index> slices;
        if (cut) slices = {{4, 2}, {9, 2}};
        const auto order = contraction_order::from_ssa(n, pairs, slices);
        const auto found = amplitudes_scaled(n, order, columns, choices);
        REQUIRE(found.size() == 5);
        for (std::size_t r = 0; r < 5; ++r) {
            // The same network with the places fixed.
            network fixed;
            for (std::size_t k = 0; k < 20; ++k) {
                const auto* const all = static_cast<const double*>(n.operand(k).data());
                const double* const part = all + 4 * rows[20 * r + k];
                fixed.add(tensor_of({2, 2}, {part[0], part[1], part[2], part[3]}),
                          {static_cast<std::int64_t>(k), static_cast<std::int64_t>(k) + 1});
            }
            fixed.keep({0});
            const scaled wanted = contract_scaled(fixed, contraction_order::from_ssa(fixed, pairs));
            check_form(found[r]);
            CHECK(found[r].exponent10 == wanted.exponent10);
            CHECK(found[r].exponent10 <= -480.0 * static_cast<double>(r) + 10);
            for (std::size_t e = 0; e < 2; ++e)
                CHECK(value_of(found[r].mantissa, e) ==
                      Approx(value_of(wanted.mantissa, e)).epsilon(1e-13));
        }
    }
    const auto order = contraction_order::from_ssa(n, pairs);
    CHECK_THAT(words_of([&] { amplitudes(n, order, columns, choices, {.scaled = true}); }),
               Contains("amplitudes_scaled"));
}

TEST_CASE("a scaled network that refuses a tensor is what it was before", "[scaled]") {
    network n;
    for (int k = 0; k < 3; ++k) n.add(tensor_of({2, 2}, {1, 1, 1, 1}), {k, (k + 1) % 3});
    const auto order = find_order(n);
    const array large = tensor_of({2, 2}, {1e300, 1e300, 1e300, 1e300}),
                two = tensor_of({2, 2}, {2, 2, 2, 2});
    std::size_t prepared = 0, refusals = 0, copies = 0;
    for (double memory = 300; memory < 800; memory += 4) {
        std::optional<prepared_network> p;
        try {
            p.emplace(prepare(n, order, {.memory = memory, .scaled = true}));
        } catch (const error& e) {
            double takes = 0, has = 0;
            const std::string words = e.what();
            REQUIRE(std::sscanf(words.c_str() + words.find("take "), "take %lf", &takes) == 1);
            REQUIRE(std::sscanf(words.c_str() + words.find("for "), "for %lf", &has) == 1);
            CHECK(takes > has);
            continue;
        }
        ++prepared;
        INFO("memory " << memory);
        const auto log10_now = [&] {
            (*p)();
            return log10_of({p->result(), p->exponent10()});
        };
        double wanted = std::log10(8.0);
        CHECK(log10_now() == Approx(wanted));
        bool bound[3] = {};
        for (std::size_t k = 0; k < 3; ++k) {
            try {
                p->bind(k, large);
                wanted += 300, bound[k] = true, ++copies;
            } catch (const error&) {
                ++refusals;
            }
            CHECK(log10_now() == Approx(wanted));
        }
        for (std::size_t k = 0; k < 3; ++k) {
            p->bind(k, two);
            wanted += std::log10(2.0) - (bound[k] ? 300 : 0);
            CHECK(log10_now() == Approx(wanted));
        }
    }
    CHECK(prepared > 0);
    CHECK(refusals > 0);
    CHECK(copies > 0);
}

TEST_CASE("numbers that change in bound memory have copies within the bound, too", "[scaled]") {
    array a = tensor_of({1000}, std::vector<double>(1000, 1));
    network n;
    n.add(a, {0});
    prepared_network p = prepare(n, find_order(n), {.memory = 8500, .scaled = true});
    std::fill_n(static_cast<double*>(a.data()), 1000, 1e-200);
    CHECK_THAT(words_of([&] { p(); }), Contains("tensor 0") && Contains("copy"));
    std::fill_n(static_cast<double*>(a.data()), 1000, 3);
    p();
    CHECK(log10_of({p.result(), p.exponent10()}) == Approx(std::log10(3000.0)));
}
