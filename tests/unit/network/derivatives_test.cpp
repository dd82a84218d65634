// Derivatives of networks beyond the range of their elements, with exponents beside them and of
// log-sum-exps, compared with loops over all indices in long double.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include <ricci/network.hpp>

#include "src/runtime/parallel.hpp"
#include "tests/catch.hpp"
#include "tests/words_of.hpp"

using namespace ricci;
using ricci::testing::Contains;
using ricci::testing::words_of;

namespace {

/// A network of doubles, of few places, whose tensors are multiplied by powers of ten.
struct drawn_network {
    network n;
    std::vector<array> tensors;
    std::vector<std::vector<std::int64_t>> indices;
    std::vector<std::size_t> extents;

    explicit drawn_network(std::uint64_t seed, bool positive, int most_power) {
        std::mt19937_64 random(seed);
        const auto in = [&](int least, int most) {
            return std::uniform_int_distribution<int>(least, most)(random);
        };
        const int letters = in(1, 6);
        for (int i = 0; i < letters; ++i) extents.push_back(static_cast<std::size_t>(in(1, 3)));
        const int count = in(1, 7);
        for (int k = 0; k < count; ++k) {
            std::vector<std::int64_t> mine;
            std::vector<std::size_t> sizes;
            for (int axis = in(0, 3); axis > 0; --axis) {
                mine.push_back(in(0, letters - 1));  // now and then a diagonal
                sizes.push_back(extents[static_cast<std::size_t>(mine.back())]);
            }
            array a(element::f64, sizes);
            const double power = std::pow(10.0, in(-most_power, most_power));
            for (std::size_t e = 0; e < a.size(); ++e)
                static_cast<double*>(a.data())[e] =
                    power * (positive ? in(1, 9) : in(-9, 9)) * std::pow(10.0, in(-2, 2));
            tensors.push_back(std::move(a));
            indices.push_back(std::move(mine));
            n.add(tensors.back(), indices.back());
        }
    }

    static std::size_t place_in(const array& a, const std::vector<std::int64_t>& axes,
                                const std::vector<std::size_t>& at) {
        std::size_t place = 0;
        for (std::size_t axis = 0; axis < axes.size(); ++axis)
            place = place * a.extent(axis) + at[static_cast<std::size_t>(axes[axis])];
        return place;
    }
    /// By each element of tensor k: the sum of the products of all others.
    std::vector<long double> derivative(std::size_t k) const {
        std::vector<long double> made(tensors[k].size(), 0);
        std::vector<std::size_t> at(extents.size(), 0);
        std::vector<bool> used(extents.size(), false);
        for (const auto& list : indices)
            for (const std::int64_t i : list) used[static_cast<std::size_t>(i)] = true;
        for (;;) {
            long double product = 1;
            for (std::size_t other = 0; other < tensors.size(); ++other)
                if (other != k)
                    product *= static_cast<const double*>(
                        tensors[other].data())[place_in(tensors[other], indices[other], at)];
            made[place_in(tensors[k], indices[k], at)] += product;
            std::size_t i = 0;
            while (i < at.size() && (!used[i] || ++at[i] == extents[i])) at[i++] = 0;
            if (i == at.size()) return made;
        }
    }
    std::vector<std::size_t> all() const {
        std::vector<std::size_t> numbers;
        for (std::size_t k = 0; k < tensors.size(); ++k) numbers.push_back(k);
        return numbers;
    }
    network logarithms() const {
        network made;
        for (std::size_t k = 0; k < tensors.size(); ++k) {
            array a = tensors[k].clone();
            for (std::size_t e = 0; e < a.size(); ++e)
                static_cast<double*>(a.data())[e] = std::log(static_cast<double*>(a.data())[e]);
            made.add(a, indices[k]);
        }
        return made;
    }
};

long double largest_of(const std::vector<long double>& values) {
    long double most = 0;
    for (const long double x : values) most = std::max(most, std::abs(x));
    return most;
}

void check_scaled(const drawn_network& d, const contraction_order& order) {
    const auto found = gradient_scaled(d.n, order, d.all());
    for (std::size_t k = 0; k < found.size(); ++k) {
        const auto expected = d.derivative(k);
        const long double most = largest_of(expected);
        CAPTURE(k, found[k].exponent10);
        REQUIRE(found[k].mantissa.size() == expected.size());
        long double mantissa = 0;
        for (std::size_t e = 0; e < expected.size(); ++e) {
            const long double x = static_cast<const double*>(found[k].mantissa.data())[e];
            mantissa = std::max(mantissa, std::abs(x));
            const long double value = x * std::pow(10.0L, found[k].exponent10);
            // Sums may cancel: digits of what was added are what there is.
            CHECK(std::abs(value - expected[e]) <= 1e-10L * most + 1e-4900L);
        }
        CHECK((most == 0 || (mantissa >= 1 && mantissa < 10)));
    }
}

contraction_order sliced_order(const drawn_network& d) {
    const auto order = find_order(d.n, {.trials = 1});
    for (const std::int64_t i : d.n.indices())
        if (d.n.extent(i) > 1) return contraction_order::from_ssa(d.n, order.ssa(), {{i, 2}});
    return order;
}

}  // namespace

TEST_CASE("derivatives of networks have exponents of their own", "[derivatives]") {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        CAPTURE(seed);
        const drawn_network d(seed, true, 280);
        check_scaled(d, find_order(d.n, {.trials = 1}));
        check_scaled(d, sliced_order(d));
    }
}

TEST_CASE("derivatives of networks of any sign have exponents of their own", "[derivatives]") {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        CAPTURE(seed);
        const drawn_network d(seed, false, 3);
        check_scaled(d, find_order(d.n, {.trials = 1}));
    }
}

TEST_CASE("derivatives of a log-sum-exp are probabilities", "[derivatives]") {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        CAPTURE(seed);
        const drawn_network d(seed, true, 280);
        const network n = d.logarithms();
        for (const bool sliced : {false, true}) {
            const auto order = sliced ? contraction_order::from_json(n, sliced_order(d).json())
                                      : find_order(n, {.trials = 1});
            const auto found = gradient(n, order, d.all(), {.algebra = algebra::logsumexp_sum});
            for (std::size_t k = 0; k < found.size(); ++k) {
                auto expected = d.derivative(k);
                long double all = 0;
                for (std::size_t e = 0; e < expected.size(); ++e)
                    all += expected[e] *= static_cast<const double*>(d.tensors[k].data())[e];
                for (std::size_t e = 0; e < expected.size(); ++e)
                    CHECK(std::abs(static_cast<const double*>(found[k].data())[e] -
                                   expected[e] / all) <= 1e-11L);
            }
        }
    }
}

namespace {

// A hidden Markov model: at each of `steps` times one of two states, and what is seen there.
struct hidden_model {
    std::size_t steps;
    bool logarithms;
    network n;
    std::vector<std::size_t> seen;  // tensors

    explicit hidden_model(std::size_t length, bool logs) : steps(length), logarithms(logs) {
        for (std::size_t t = 0; t < steps; ++t) {
            const auto at = static_cast<std::int64_t>(t);
            seen.push_back(n.size());
            n.add(table({weight(t, 0), weight(t, 1)}, {2}), {at});
            if (t > 0) n.add(table({0.9, 0.1, 0.2, 0.8}, {2, 2}), {at - 1, at});
        }
    }
    static double weight(std::size_t t, std::size_t state) {
        return std::exp(7.9 - static_cast<double>(state * (t % 3)));
    }
    array table(std::vector<double> values, std::vector<std::size_t> extents) const {
        array a(element::f64, extents);
        for (std::size_t e = 0; e < values.size(); ++e)
            static_cast<double*>(a.data())[e] = logarithms ? std::log(values[e]) : values[e];
        return a;
    }
    /// The probability of state 0 at each time, by the forward-backward algorithm.
    std::vector<long double> posterior() const {
        const long double move[2][2] = {{0.9L, 0.1L}, {0.2L, 0.8L}};
        std::vector<std::pair<long double, long double>> forward(steps), back(steps);
        const auto normed = [](long double a, long double b) {
            return std::pair(a / (a + b), b / (a + b));
        };
        for (std::size_t t = 0; t < steps; ++t) {
            long double a = 1, b = 1;
            if (t > 0) {
                const auto [p, q] = forward[t - 1];
                a = p * move[0][0] + q * move[1][0], b = p * move[0][1] + q * move[1][1];
            }
            forward[t] = normed(a * weight(t, 0), b * weight(t, 1));
        }
        back[steps - 1] = {0.5L, 0.5L};
        for (std::size_t t = steps - 1; t-- > 0;) {
            const long double a = back[t + 1].first * weight(t + 1, 0),
                              b = back[t + 1].second * weight(t + 1, 1);
            back[t] = normed(move[0][0] * a + move[0][1] * b, move[1][0] * a + move[1][1] * b);
        }
        std::vector<long double> made;
        for (std::size_t t = 0; t < steps; ++t) {
            const long double a = forward[t].first * back[t].first,
                              b = forward[t].second * back[t].second;
            made.push_back(a / (a + b));
        }
        return made;
    }
};

}  // namespace

TEST_CASE("marginals of a long model are found, though its sum is beyond the range") {
    const hidden_model plain(900, false), logs(900, true);
    const auto order = find_order(plain.n, {.trials = 1});
    const auto expected = plain.posterior();
    const auto by_exponents = gradient_scaled(plain.n, order, plain.seen);
    const auto by_logarithms = gradient(logs.n, find_order(logs.n, {.trials = 1}), logs.seen,
                                        {.algebra = algebra::logsumexp_sum});
    const scaled whole = contract_scaled(plain.n, order);
    for (std::size_t t = 0; t < plain.steps; ++t) {
        const long double slope = static_cast<const double*>(by_exponents[t].mantissa.data())[0],
                          sum = static_cast<const double*>(whole.mantissa.data())[0];
        const long double probability =
            slope / sum * std::pow(10.0L, by_exponents[t].exponent10 - whole.exponent10) *
            hidden_model::weight(t, 0);
        CHECK(std::abs(probability - expected[t]) <= 1e-11L);
        CHECK(std::abs(static_cast<const double*>(by_logarithms[t].data())[0] - expected[t]) <=
              1e-11L);
    }
    const auto beyond = Contains("is beyond the range of double");
    CHECK_THAT(words_of([&] { contract(plain.n, order); }),
               beyond && Contains("contract_scaled() gives"));
    CHECK_THAT(words_of([&] { gradient(plain.n, order, plain.seen); }),
               beyond && Contains("gradient_scaled() gives"));
    prepared_network step = prepare(plain.n, order);
    CHECK_THAT(words_of([&] { step(); }), beyond && Contains("{.scaled = true} gives"));
    CHECK_THAT(words_of([&] { step.result(); }), Contains("has no result"));
}

TEST_CASE("what is infinite in a network's tensors is no mistake of its result") {
    network n;
    array a(element::f64, {2});
    static_cast<double*>(a.data())[0] = HUGE_VAL;
    n.add(a, {0});
    CHECK(*static_cast<const double*>(contract(n).data()) == HUGE_VAL);
}

TEST_CASE("float and half overflow in their own range") {
    network n;
    array a(element::f32, {2});
    static_cast<float*>(a.data())[0] = 1e30F;
    n.add(a, {0});
    n.add(a, {0});
    CHECK_THAT(words_of([&] { contract(n); }), Contains("beyond the range of float"));
    array narrow(element::f32, {2});
    static_cast<float*>(narrow.data())[0] = 3e4F;
    network halves;
    halves.add(narrow.converted(element::f16), {0});
    halves.add(narrow.converted(element::f16), {0});
    CHECK_THAT(words_of([&] { contract(halves); }), Contains("beyond the range of"));
}

TEST_CASE("derivatives of scaled networks are the same bits on any number of threads") {
    const hidden_model model(300, false);
    const auto order = contraction_order::from_ssa(
        model.n, find_order(model.n, {.trials = 1}).ssa(), {{7, 2}, {99, 2}, {150, 2}, {200, 2}});
    std::vector<double> first;
    for (const int threads : {1, 2, 5}) {
        runtime::set_worker_count(threads);
        std::vector<double> numbers;
        for (const scaled& s : gradient_scaled(model.n, order, {0, 7, 100, 2}))
            for (std::size_t e = 0; e < s.mantissa.size(); ++e)
                numbers.push_back(static_cast<const double*>(s.mantissa.data())[e]);
        if (first.empty()) first = numbers;
        CHECK(numbers == first);
    }
    runtime::set_worker_count(0);
}

TEST_CASE("derivatives that there are none of are refused with words") {
    const drawn_network d(3, true, 2);
    const auto order = find_order(d.n, {.trials = 1});
    CHECK(gradient_scaled(d.n, order, {}).empty());
    CHECK(gradient(d.n, order, {}).empty());
    CHECK_THAT(words_of([&] { gradient(d.n, order, {0}, {.algebra = algebra::max_sum}); }),
               Contains("argmax() gives the places"));
    CHECK_THAT(words_of([&] { gradient(d.n, order, {0}, {.scaled = true}); }),
               Contains("gradient_scaled() has"));
    CHECK_THAT(
        words_of([&] { gradient_scaled(d.n, order, {0}, {.algebra = algebra::logsumexp_sum}); }),
        Contains("has none"));
    CHECK_THAT(words_of([&] { gradient_scaled(d.n, order, {d.tensors.size()}); }),
               Contains("no tensor"));
    network impossible;
    array a(element::f64, {2});
    std::fill_n(static_cast<double*>(a.data()), 2, -HUGE_VAL);
    impossible.add(a, {0});
    CHECK_THAT(words_of([&] {
                   gradient(impossible, find_order(impossible, {.trials = 1}), {0},
                            {.algebra = algebra::logsumexp_sum});
               }),
               Contains("is -infinity"));
}
