// Prepared networks take other values, and make only what these change.
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include <ricci/network.hpp>

#include "src/network/network_run.hpp"
#include "tests/catch.hpp"
#include "tests/words_of.hpp"
#include "tests/unit/network/drawn_networks.hpp"

using namespace ricci;
using namespace ricci::testing::drawn_networks;
using ricci::testing::Contains;
using ricci::testing::words_of;

TEST_CASE("a prepared network takes other values, and makes only what they change", "[network]") {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        random_network r(seed, element::f64);
        INFO("seed " << seed);
        prepared_network p = prepare(r.made(), r.order(seed % 2));
        p();
        check_same(p.result(), r.brute_force());
        for (int round = 0; round < 3; ++round) {
            const std::size_t k = r.below(r.operands.size());
            r.operands[k] = r.operands[k].clone();
            auto* const values = static_cast<double*>(r.operands[k].data());
            for (std::size_t e = 0; e < r.operands[k].size(); ++e) values[e] = 1 + values[e] / 2;
            p.bind(k, r.operands[k]);
            p();
            check_same(p.result(), r.brute_force());
        }
    }
}

TEST_CASE("a prepared network has a result after a run that came to its end", "[network]") {
    network n;
    n.add(vector_of({1, 2}), {0});
    n.add(vector_of({3, 4}), {0});
    bool goes_on = true;
    contract_options how;
    how.progress = [&](double, double) { return goes_on; };
    prepared_network p = prepare(n, find_order(n), how);
    CHECK_THAT(words_of([&] { p.result(); }), Contains("no result"));
    p();
    check_same(p.result(), {11});
    goes_on = false;
    p.bind(0, vector_of({5, 6}));
    CHECK_THAT(words_of([&] { p(); }), Contains("stopped"));
    CHECK_THAT(words_of([&] { p.result(); }), Contains("no result"));
    goes_on = true;
    p();
    check_same(p.result(), {39});
}

TEST_CASE("the memory of its result is no tensor of a prepared network", "[network]") {
    network n;  // in place a permutation would write what it has yet to read
    array square(element::f64, {2, 2});
    std::iota(static_cast<double*>(square.data()), static_cast<double*>(square.data()) + 4, 1);
    n.add(square, {0, 1});
    n.keep({1, 0});
    prepared_network p = prepare(n, find_order(n));
    p();
    array result = p.result();
    auto* const first = static_cast<double*>(result.data());
    const tensor_view<double, 2> last_element(first + 3, {2, 2}, {0, 0});
    const tensor_view<double, 2> backwards(first + 3, {2, 2}, {-2, -1});
    for (const array& one : {result, array(last_element), array(backwards)})
        CHECK_THAT(words_of([&] { p.bind(0, one); }), Contains("the memory of the result"));
    check_same(p.result(), {1, 3, 2, 4});
    p.bind(0, result.clone());
    p();
    check_same(p.result(), {1, 2, 3, 4});
}

TEST_CASE("what other values do not change is not made again", "[network]") {
    // (((0 1) 2) 3) 4: the first tensor is in all products, the last one in one.
    const std::vector<std::vector<std::int32_t>> axes{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}};
    const std::vector<std::int32_t> open{0, 5};
    const std::vector<std::size_t> extents(6, 2);
    const std::vector<std::int64_t> strides{2, 1};
    const std::vector<std::pair<std::int32_t, std::int32_t>> products{
        {0, 1}, {5, 2}, {6, 3}, {7, 4}};
    const double matrix[] = {1, 1, 0, 1}, other[] = {1, 0, 2, 1};
    double result[4];
    networks::run_request asked;
    asked.type = element::f64;
    asked.axes.assign(axes.begin(), axes.end());
    asked.operands.assign(5, {matrix, strides, false});
    asked.open = open, asked.extents = extents, asked.products = products;
    asked.results = {result};
    asked.keeps = true, asked.memory = 1e6;
    networks::network_run run(asked);
    run.run();
    CHECK(run.steps_run() == 4);
    CHECK(result[1] == 5);
    run.run();
    CHECK(run.steps_run() == 0);
    run.bind(4, other);
    run.run();
    CHECK(run.steps_run() == 1);
    CHECK(result[0] == 9);
    run.bind(0, other);
    run.run();
    CHECK(run.steps_run() == 4);
}

TEST_CASE("a network prepared in another algebra takes other values", "[network]") {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        random_network r(seed, element::f64);
        INFO("seed " << seed);
        prepared_network p = prepare(r.made(), r.order(seed % 2), {.algebra = algebra::max_sum});
        for (int round = 0; round < 3; ++round) {
            p();
            const auto wanted = r.brute_force(algebra::max_sum);
            check_same(p.result(), {wanted.begin(), wanted.end()});
            const std::size_t k = r.below(r.operands.size());
            r.operands[k] = r.operands[k].clone();
            auto* const values = static_cast<double*>(r.operands[k].data());
            for (std::size_t e = 0; e < r.operands[k].size(); ++e) values[e] = 3 - values[e];
            p.bind(k, r.operands[k]);
        }
    }
}
