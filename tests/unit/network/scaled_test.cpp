// Networks beyond the range of their elements, compared with loops over all indices in a type with
// a wider one.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <ricci/network.hpp>

#include "bench/networks/lattices.hpp"
#include "src/runtime/parallel.hpp"
#include "tests/catch.hpp"
#include "tests/words_of.hpp"

using namespace ricci;
using ricci::testing::Contains;
using ricci::testing::words_of;

namespace {

// Exponents of ten to 4931.
using wide = std::complex<long double>;

wide element_of(const array& a, std::size_t k) {
    switch (a.type()) {
        case element::f64:
            return static_cast<const double*>(a.data())[k];
        case element::f32:
            return static_cast<const float*>(a.data())[k];
        case element::c64:
            return static_cast<const std::complex<float>*>(a.data())[k];
        default:
            return static_cast<const std::complex<double>*>(a.data())[k];
    }
}

void set_element(array& a, std::size_t k, wide to) {
    const auto re = static_cast<double>(to.real()), im = static_cast<double>(to.imag());
    if (a.type() == element::f64) static_cast<double*>(a.data())[k] = re;
    if (a.type() == element::f32) static_cast<float*>(a.data())[k] = static_cast<float>(re);
    if (a.type() == element::c128) static_cast<std::complex<double>*>(a.data())[k] = {re, im};
    if (a.type() == element::c64)
        static_cast<std::complex<float>*>(a.data())[k] = {static_cast<float>(re),
                                                          static_cast<float>(im)};
}

/// A random network, with tensors that can be multiplied by what is far from 1.
struct drawn_network {
    std::mt19937_64 random;
    element type;
    std::vector<std::size_t> extents;
    std::vector<std::vector<std::int64_t>> axes;
    std::vector<array> operands;
    std::vector<std::int64_t> open;

    drawn_network(std::uint64_t seed, element of_type) : random(seed), type(of_type) {
        const std::size_t tensors = 1 + below(6), indices = 1 + below(6);
        for (std::size_t i = 0; i < indices; ++i) extents.push_back(1 + below(3));
        for (std::size_t t = 0; t < tensors; ++t) {
            axes.emplace_back();
            for (std::size_t k = below(4); k > 0; --k)
                axes.back().push_back(static_cast<std::int64_t>(below(indices)));
        }
        for (std::size_t i = 0; i < indices; ++i)
            if (has(static_cast<std::int64_t>(i)) && open.size() < 3 && below(3) == 0)
                open.push_back(static_cast<std::int64_t>(i));
        std::shuffle(open.begin(), open.end(), random);
    }
    std::size_t below(std::size_t n) { return random() % n; }
    bool has(std::int64_t i) const {
        return std::any_of(axes.begin(), axes.end(), [&](const auto& list) {
            return std::find(list.begin(), list.end(), i) != list.end();
        });
    }
    /// One more index, in all tensors: its number.
    std::int64_t run_through(std::size_t extent) {
        extents.push_back(extent);
        const auto i = static_cast<std::int64_t>(extents.size() - 1);
        for (auto& list : axes)
            list.insert(list.begin() + static_cast<std::ptrdiff_t>(below(list.size() + 1)), i);
        if (below(2) == 0) open.insert(open.begin(), i);
        return i;
    }
    void draw() {
        for (const auto& list : axes) {
            std::vector<std::size_t> shape;
            for (const auto i : list) shape.push_back(extents[static_cast<std::size_t>(i)]);
            array a(type, shape);
            for (std::size_t k = 0; k < a.size(); ++k)
                set_element(a, k,
                            {0.5L + static_cast<long double>(below(1000)) / 500 - 1.0L,
                             static_cast<long double>(below(1000)) / 500 - 1.0L});
            operands.push_back(std::move(a));
        }
    }
    void multiply(std::size_t tensor, long double by) {
        for (std::size_t k = 0; k < operands[tensor].size(); ++k)
            set_element(operands[tensor], k, element_of(operands[tensor], k) * by);
    }
    /// What lies at one place of an index.
    void multiply(std::size_t tensor, std::int64_t index, std::size_t place, long double by) {
        each_place(axes[tensor], [&](const auto& at) {
            if (at.at(index) != place) return;
            const std::size_t k = offset(axes[tensor], at);
            set_element(operands[tensor], k, element_of(operands[tensor], k) * by);
        });
    }
    network made() const {
        network n;
        for (std::size_t k = 0; k < operands.size(); ++k) n.add(operands[k], axes[k]);
        n.keep(open);
        return n;
    }
    contraction_order order(std::size_t slices) {
        std::vector<std::size_t> left;
        for (std::size_t k = 0; k < operands.size(); ++k) left.push_back(k);
        std::vector<std::pair<std::size_t, std::size_t>> all;
        for (std::size_t next = left.size(); left.size() > 1; ++next) {
            std::shuffle(left.begin(), left.end(), random);
            all.push_back({left[left.size() - 1], left[left.size() - 2]});
            left.resize(left.size() - 2);
            left.push_back(next);
        }
        const network n = made();
        std::vector<sliced_index> cut;
        for (const auto i : n.indices())
            if (cut.size() < slices && n.extent(i) > 1)
                cut.push_back({i, 2 + static_cast<std::int64_t>(below(n.extent(i) - 1))});
        return contraction_order::from_ssa(n, all, cut);
    }

    std::size_t offset(const std::vector<std::int64_t>& list,
                       const std::map<std::int64_t, std::size_t>& at) const {
        std::size_t k = 0;
        for (const auto i : list) k = k * extents[static_cast<std::size_t>(i)] + at.at(i);
        return k;
    }
    template <class Visit>
    void each_place(const std::vector<std::int64_t>& list, const Visit& visit) const {
        std::map<std::int64_t, std::size_t> at;
        std::size_t all = 1;
        for (const auto i : list)
            if (at.emplace(i, 0).second) all *= extents[static_cast<std::size_t>(i)];
        for (std::size_t k = 0; k < all; ++k) {
            std::size_t rest = k;
            for (auto& [i, place] : at) {
                place = rest % extents[static_cast<std::size_t>(i)];
                rest /= extents[static_cast<std::size_t>(i)];
            }
            visit(at);
        }
    }
    /// The result, and the sums of absolute values.
    std::pair<std::vector<wide>, std::vector<long double>> brute_force() const {
        std::size_t results = 1;
        for (const auto i : open) results *= extents[static_cast<std::size_t>(i)];
        std::vector<wide> sums(results);
        std::vector<long double> sizes(results);
        std::vector<std::int64_t> all;
        for (std::size_t i = 0; i < extents.size(); ++i)
            if (has(static_cast<std::int64_t>(i))) all.push_back(static_cast<std::int64_t>(i));
        each_place(all, [&](const auto& at) {
            wide product = 1;
            for (std::size_t t = 0; t < operands.size(); ++t)
                product *= element_of(operands[t], offset(axes[t], at));
            sums[offset(open, at)] += product;
            sizes[offset(open, at)] += std::abs(product);
        });
        return {sums, sizes};
    }
};

const element reals_and_complex[] = {element::f64, element::c128, element::f32, element::c64};
bool is_single(element type) { return type == element::f32 || type == element::c64; }

void check_form(const scaled& got) {
    CHECK(got.exponent10 == std::floor(got.exponent10));
    long double largest = 0;
    for (std::size_t k = 0; k < got.mantissa.size(); ++k)
        largest = std::max(largest, std::abs(element_of(got.mantissa, k)));
    if (largest == 0) {
        CHECK(got.exponent10 == 0);
    } else {
        CHECK(largest >= 1 - 1e-15L);
        CHECK(largest < 10 + 1e-14L);
    }
}

void check_is(const scaled& got, const drawn_network& r) {
    check_form(got);
    const auto [wanted, sizes] = r.brute_force();
    REQUIRE(got.mantissa.size() == wanted.size());
    const long double unit = std::pow(10.0L, static_cast<long double>(got.exponent10));
    const long double precision = is_single(r.type) ? 2e-6L : 1e-14L;
    const long double lost = is_single(r.type) ? 1e-36L : 1e-300L;
    for (std::size_t k = 0; k < wanted.size(); ++k) {
        const wide mantissa = wanted[k] / unit;
        INFO("wanted " << static_cast<double>(mantissa.real()) << ", got "
                       << static_cast<double>(element_of(got.mantissa, k).real()));
        CHECK(std::abs(element_of(got.mantissa, k) - mantissa) <=
              precision * (sizes[k] / unit) + lost);
    }
}

double value_of(const array& a, std::size_t k = 0) {
    return static_cast<double>(element_of(a, k).real());
}
double log10_of(const scaled& s) { return std::log10(value_of(s.mantissa)) + s.exponent10; }

array tensor_of(const std::vector<std::size_t>& extents, const std::vector<double>& values) {
    return bench::tensor_of(extents, values);
}

}  // namespace

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
    constexpr int factors = 100000;
    const array matrix = tensor_of({2, 2}, {1, 1, 1, 0}),
                small = tensor_of({2, 2}, {1e-200, 1e-200, 1e-200, 0});
    const double log10_phi = std::log10((1 + std::sqrt(5.0)) / 2);
    for (const bool is_small : {false, true}) {
        network n;
        for (int k = 0; k < factors; ++k) n.add(is_small ? small : matrix, {k, k + 1});
        n.keep({0, factors});
        std::vector<std::pair<std::size_t, std::size_t>> pairs{{0, 1}};
        for (std::size_t k = 2; k < factors; ++k) pairs.push_back({factors + k - 2, k});
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
