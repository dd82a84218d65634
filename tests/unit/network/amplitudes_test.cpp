// Some elements of results, compared with the whole result and with loops over all indices.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <ricci/network.hpp>

#include "src/network/choice_rows.hpp"
#include "src/network/network_data.hpp"
#include "src/network/network_run.hpp"
#include "src/network/passes.hpp"
#include "src/runtime/parallel.hpp"
#include "tests/catch.hpp"
#include "tests/unit/network/brute_force.hpp"
#include "tests/words_of.hpp"

using namespace ricci;
using ricci::testing::brute_force;
using ricci::testing::Contains;
using ricci::testing::words_of;

namespace {

using pairs = std::vector<std::pair<std::size_t, std::size_t>>;

/// A network of small tensors, places of some of its kept indices, and orders, all at random.
struct random_choices {
    explicit random_choices(std::uint64_t seed) : random(seed) {
        for (std::size_t i = 0; i < 7; ++i) extents.push_back(1 + below(4));
        const std::size_t tensors = 1 + below(6);
        for (std::size_t t = 0; t < tensors; ++t) add(1 + below(4));
        std::vector<std::int64_t> there = n.indices();
        std::shuffle(there.begin(), there.end(), random);
        there.resize(std::min<std::size_t>(there.size(), 1 + below(4)));
        n.keep(there);
        std::shuffle(there.begin(), there.end(), random);
        there.resize(below(there.size() + 1));
        chosen = there;
        choices = array(element::i64, {1 + below(9), chosen.size()});
        for (std::size_t k = 0; k < choices.size(); ++k)
            static_cast<std::int64_t*>(choices.data())[k] = static_cast<std::int64_t>(
                below(extents[static_cast<std::size_t>(chosen[k % chosen.size()])]));
    }
    std::size_t below(std::size_t most) { return random() % most; }
    void add(std::size_t rank) {
        std::vector<std::int64_t> list;
        std::vector<std::size_t> shape;
        for (std::size_t k = 0; k < rank; ++k) {
            list.push_back(static_cast<std::int64_t>(below(extents.size())));
            shape.push_back(extents[static_cast<std::size_t>(list.back())]);
        }
        array a(element::f64, shape);
        for (std::size_t k = 0; k < a.size(); ++k)
            static_cast<double*>(a.data())[k] = static_cast<double>(below(9)) - 4;
        n.add(a, list);
    }
    contraction_order order(std::size_t slices) {
        std::vector<std::size_t> left;
        for (std::size_t k = 0; k < n.size(); ++k) left.push_back(k);
        pairs all;
        for (std::size_t next = left.size(); left.size() > 1; ++next) {
            std::shuffle(left.begin(), left.end(), random);
            all.push_back({left[left.size() - 1], left[left.size() - 2]});
            left.resize(left.size() - 2);
            left.push_back(next);
        }
        std::vector<sliced_index> sliced;
        for (const std::int64_t i : n.indices()) {
            const auto extent = static_cast<std::int64_t>(n.extent(i));
            if (sliced.size() < slices && extent > 1 && below(2) == 0)
                sliced.push_back({i, 2 + static_cast<std::int64_t>(below(n.extent(i) - 1))});
        }
        return contraction_order::from_ssa(n, all, sliced);
    }
    /// The part of a whole result that row r asks for.
    std::vector<double> part(const std::vector<double>& whole, std::size_t r) const {
        std::vector<double> found;
        const auto kept = n.kept();
        for (std::size_t k = 0; k < whole.size(); ++k) {
            std::size_t rest = k;
            bool wanted = true;
            for (std::size_t axis = kept.size(); axis-- > 0;) {
                const auto place = static_cast<std::int64_t>(rest % n.extent(kept[axis]));
                rest /= n.extent(kept[axis]);
                for (std::size_t c = 0; c < chosen.size(); ++c)
                    if (chosen[c] == kept[axis])
                        wanted = wanted && place == static_cast<const std::int64_t*>(
                                                        choices.data())[r * chosen.size() + c];
            }
            if (wanted) found.push_back(whole[k]);
        }
        return found;
    }

    std::mt19937_64 random;
    std::vector<std::size_t> extents;
    network n;
    std::vector<std::int64_t> chosen;
    array choices;
};

void check_parts(const random_choices& r, const std::vector<array>& found,
                 const std::vector<double>& whole) {
    REQUIRE(found.size() == r.choices.extent(0));
    for (std::size_t row = 0; row < found.size(); ++row) {
        const auto wanted = r.part(whole, row);
        REQUIRE(found[row].rank() == r.n.kept().size() - r.chosen.size());
        REQUIRE(found[row].size() == wanted.size());
        for (std::size_t k = 0; k < wanted.size(); ++k)
            CHECK(static_cast<const double*>(found[row].data())[k] == wanted[k]);
    }
}

array table(const std::vector<std::vector<std::int64_t>>& rows) {
    array made(element::i64, {rows.size(), rows.empty() ? 0 : rows[0].size()});
    auto* place = static_cast<std::int64_t*>(made.data());
    for (const auto& row : rows) place = std::copy(row.begin(), row.end(), place);
    return made;
}

array drawn(std::mt19937_64& random, const std::vector<std::size_t>& shape, element type) {
    array a(type, shape);
    std::uniform_real_distribution<double> number(-1, 1);
    const std::size_t numbers = is_complex(type) ? 2 * a.size() : a.size();
    for (std::size_t k = 0; k < numbers; ++k) static_cast<double*>(a.data())[k] = number(random);
    return a;
}

// A ladder of matrices with an open index at each rung.
network ladder(std::size_t rungs, std::size_t bond, element type) {
    std::mt19937_64 random(1);
    network n;
    std::vector<std::int64_t> open;
    for (std::size_t k = 0; k < rungs; ++k) {
        const auto number = static_cast<std::int64_t>(k);
        n.add(drawn(random, {bond, 3, bond}, type), {number, 1000 + number, number + 1});
        open.push_back(1000 + number);
    }
    n.add(drawn(random, {bond, bond}, type), {static_cast<std::int64_t>(rungs), std::int64_t{0}});
    n.keep(open);
    return n;
}

}  // namespace

TEST_CASE("amplitudes are parts of the whole result", "[network]") {
    for (std::uint64_t seed = 0; seed < 150; ++seed) {
        random_choices r(seed);
        INFO("seed " << seed);
        const auto whole = brute_force(r.n);
        check_parts(r, amplitudes(r.n, r.order(0), r.chosen, r.choices), whole);
        check_parts(r, amplitudes(r.n, r.order(1 + seed % 3), r.chosen, r.choices), whole);
    }
}

TEST_CASE("amplitudes in other algebras are parts of the whole result", "[network]") {
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        random_choices r(seed);
        INFO("seed " << seed);
        for (const algebra a : {algebra::max_sum, algebra::min_sum}) {
            const array whole = contract(r.n, r.order(0), {.algebra = a});
            const auto* const values = static_cast<const double*>(whole.data());
            check_parts(r, amplitudes(r.n, r.order(2), r.chosen, r.choices, {.algebra = a}),
                        {values, values + whole.size()});
        }
    }
}

TEST_CASE("amplitudes of complex and of narrow numbers", "[network]") {
    const network n = ladder(5, 4, element::c128);
    const auto order = find_order(n, {.trials = 1, .choices = 3});
    const auto found = amplitudes(n, order, {1000, 1001, 1002, 1003, 1004},
                                  table({{0, 1, 2, 0, 1}, {2, 2, 2, 2, 2}, {0, 1, 2, 0, 1}}));
    const array whole = contract(n);
    const auto* const values = static_cast<const std::complex<double>*>(whole.data());
    REQUIRE(found.size() == 3);
    CHECK(found[0].rank() == 0);
    const auto value = [&](std::size_t k) {
        return *static_cast<const std::complex<double>*>(found[k].data());
    };
    CHECK(std::abs(value(0) - values[81 * 0 + 27 + 18 + 0 + 1]) < 1e-10);
    CHECK(std::abs(value(1) - values[242]) < 1e-10);
    CHECK(value(2) == value(0));
    CHECK(found[2].data() != found[0].data());

    network narrow;
    narrow.add(array(element::f16, {2, 3}), {0, 1});
    narrow.keep({0, 1});
    const auto halves =
        amplitudes(narrow, contraction_order::from_ssa(narrow, {}), {1}, table({{2}, {0}}));
    CHECK(halves.size() == 2);
    CHECK(halves[1].type() == element::f16);
    CHECK(halves[1].size() == 2);
}

TEST_CASE("what choices have in common is made once", "[network]") {
    // (((0 1) 2) 3): the last tensor alone has what is chosen.
    const std::vector<std::vector<std::int32_t>> axes{{0, 1}, {1, 2}, {2, 3}, {3, 4}};
    const std::vector<std::int32_t> open{0, 4};
    const std::vector<std::size_t> extents(5, 2);
    const std::vector<std::int64_t> strides{2, 1};
    const std::vector<std::pair<std::int32_t, std::int32_t>> products{{0, 1}, {4, 2}, {5, 3}};
    const double matrix[] = {1, 1, 0, 1};
    double results[2][2] = {};
    const networks::choice_rows rows{{4}, {1, 0}, 2};
    networks::run_request asked;
    asked.type = element::f64;
    asked.axes.assign(axes.begin(), axes.end());
    asked.operands.assign(4, {matrix, strides, false});
    asked.open = open, asked.extents = extents, asked.products = products;
    asked.results = {results[0], results[1]};
    asked.choices = &rows;
    asked.memory = 1e6;
    networks::network_run run(asked);
    run.run();
    CHECK(run.steps_run() == 4);
    CHECK(results[0][0] == 4);  // the fourth power of the matrix is 1 4 0 1
    CHECK(results[0][1] == 1);
    CHECK(results[1][0] == 1);
    CHECK(results[1][1] == 0);
}

TEST_CASE("passes go through all combinations, one change at a time", "[network]") {
    const std::vector<networks::range_loop> loops{
        {0, 0, 2, 3}, {1, 0, 1, 4}, {2, 0, 1, 5}, {3, 0, 1, 2}};
    const networks::choice_rows rows{{2, 3}, {4, 1, 0, 0, 4, 0}, 3};
    const std::vector<double> costs{5, 1, 7, 2};
    const networks::pass_sequence passes(loops, &rows, costs, 8);
    CHECK(passes.count() == 36);
    std::vector<std::vector<std::int64_t>> seen;
    std::vector<std::int64_t> counters(4);
    for (std::int64_t pass = 0; pass < passes.count(); ++pass) {
        const std::size_t row = passes.find(pass, counters);
        CHECK(counters[2] == rows.row(row)[0]);
        CHECK(counters[3] == rows.row(row)[1]);
        if (!seen.empty()) {
            const auto& last = seen.back();
            const int changed = (counters[0] != last[0]) + (counters[1] != last[1]) +
                                (counters[2] != last[2] || counters[3] != last[3]);
            CHECK(changed == 1);
        }
        seen.push_back(counters);
    }
    std::sort(seen.begin(), seen.end());
    CHECK(std::unique(seen.begin(), seen.end()) == seen.end());
    CHECK(networks::distinct_of({{2}, {3, 1, 3, 3}, 4}).number ==
          std::vector<std::size_t>{1, 0, 1, 1});
}

TEST_CASE("amplitudes and slices give the same bits with any number of threads", "[network]") {
    const network n = ladder(8, 12, element::f64);
    pairs one_by_one;
    for (std::size_t k = 1; k < n.size(); ++k)
        one_by_one.push_back({k == 1 ? 0 : n.size() + k - 2, k});
    const auto order = contraction_order::from_ssa(n, one_by_one, {{0, 12}, {4, 5}});
    std::vector<std::vector<std::int64_t>> rows;
    for (std::int64_t k = 0; k < 30; ++k) rows.push_back({k % 3, k / 3 % 3, k / 9 % 3});
    std::vector<std::vector<array>> found;
    std::vector<array> wholes;
    for (const int threads : {1, 2, 3, 7}) {
        runtime::set_worker_count(threads);
        found.push_back(amplitudes(n, order, {1001, 1004, 1006}, table(rows)));
        wholes.push_back(contract(n, order));
    }
    runtime::set_worker_count(0);
    const auto same = [](const array& a, const array& b) {
        return std::memcmp(a.data(), b.data(), a.size() * size_of(a.type())) == 0;
    };
    const array whole = contract(n, contraction_order::from_ssa(n, one_by_one));
    for (std::size_t k = 0; k < wholes.size(); ++k) {
        CHECK(same(wholes[k], wholes[0]));
        for (std::size_t r = 0; r < rows.size(); ++r) CHECK(same(found[k][r], found[0][r]));
    }
    const auto* const exact = static_cast<const double*>(whole.data());
    const auto* const sliced = static_cast<const double*>(wholes[0].data());
    double largest = 0, apart = 0;
    for (std::size_t k = 0; k < whole.size(); ++k) {
        largest = std::max(largest, std::abs(exact[k]));
        apart = std::max(apart, std::abs(exact[k] - sliced[k]));
    }
    CHECK(apart < 1e-11 * largest);
}

TEST_CASE("little memory makes amplitudes slower, not other", "[network]") {
    const network n = ladder(6, 24, element::f64);
    const auto order = find_order(n, {.trials = 1, .choices = 4});
    const array choices = table({{0, 1, 2, 0, 1, 2}, {0, 1, 2, 2, 1, 2}, {1, 1, 1, 1, 1, 1}});
    const std::vector<int> numbers{1000, 1001, 1002, 1003, 1004, 1005};
    const auto usual = amplitudes(n, order, numbers, choices);
    double bytes = 7 * 24 * 24 * 8 * 3;
    for (int tries = 0; tries < 60; ++tries, bytes *= 1.1) try {
            const auto found = amplitudes(n, order, numbers, choices, {.memory = bytes});
            for (std::size_t r = 0; r < 3; ++r) {
                const double a = *static_cast<const double*>(usual[r].data()),
                             b = *static_cast<const double*>(found[r].data());
                CHECK(std::abs(a - b) <= 1e-12 * std::abs(a));
            }
        } catch (const error& e) {
            CHECK_THAT(std::string(e.what()), Contains("memory"));
        }
}

TEST_CASE("choices that mean nothing are refused", "[network]") {
    const network n = ladder(3, 2, element::f64);
    const auto order = find_order(n, {.trials = 1, .choices = 2});
    const auto words = [&](detail::index_list indices, const array& choices) {
        return words_of([&] { amplitudes(n, order, indices, choices); });
    };
    CHECK_THAT(words({1000}, table({{0}, {3}})),
               Contains("choice 1 has place 3 of index 1000, whose extent is 3"));
    CHECK_THAT(words({1000}, table({{-1}})), Contains("place -1"));
    CHECK_THAT(words({0}, table({{0}})), Contains("index 0, which the network does not keep"));
    CHECK_THAT(words({99}, table({{0}})), Contains("index 99"));
    CHECK_THAT(words({1000, 1000}, table({{0, 0}})), Contains("index 1000 are chosen twice"));
    CHECK_THAT(words({1000, 1001}, table({{0}})), Contains("2 indices") && Contains("1 columns"));
    CHECK_THAT(words({1000}, array(element::i64, {2})), Contains("1 axes"));
    CHECK_THAT(words({1000}, array(element::f64, {2, 1})), Contains("double"));
    CHECK_THAT(words({1000}, shape(element::i64, {2, 1})), Contains("without elements"));
    const network other = ladder(4, 2, element::f64);
    CHECK_THAT(words_of([&] { amplitudes(other, order, {1000}, table({{0}})); }),
               Contains("order"));
    CHECK(amplitudes(n, order, {1000}, array(element::i64, {0, 1})).empty());
    CHECK_THAT(words_of([&] { find_order(n, {.trials = 1, .choices = -1}); }),
               Contains("choices of -1"));
}

TEST_CASE("orders know how many amplitudes are wanted", "[network]") {
    // The whole result has 3^12 elements, of which two are wanted.
    const network n = ladder(12, 8, element::f64);
    const auto all = find_order(n, {.trials = 1});
    const auto some = find_order(n, {.trials = 1, .choices = 2});
    CHECK(some.multiplications() < all.multiplications() / 100);
    CHECK(some.largest() <= 8 * 8);
    CHECK_THAT(some.words(), Contains("choices: 2"));
    CHECK_NOTHROW(find_order(n, {.trials = 1, .memory = 1e6, .choices = 2}));
    CHECK_THROWS(find_order(n, {.trials = 1, .memory = 1e6}));
}
