// Sub-trees of networks run at the same time: how trees are cut, what shares memory then, and that
// nothing of it is seen in results.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include <ricci/network.hpp>

#include "src/network/network_run.hpp"
#include "src/network/order_data.hpp"
#include "src/network/prepared_state.hpp"
#include "src/network/sliced_plan.hpp"
#include "src/network/sub_trees.hpp"
#include "src/runtime/parallel.hpp"
#include "tests/catch.hpp"
#include "tests/unit/network/brute_force.hpp"
#include "tests/words_of.hpp"

using namespace ricci;
using ricci::testing::brute_force;
using ricci::testing::Contains;
using ricci::testing::words_of;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// Whatever it gains.
constexpr networks::sub_tree_limits always{16, infinity, 0, -infinity};
constexpr networks::sub_tree_limits never{1, infinity, 0, -infinity};

using pairs = std::vector<std::pair<std::size_t, std::size_t>>;

array random_values(const std::vector<std::size_t>& extents, std::mt19937_64& random) {
    array a(element::f64, extents);
    std::uniform_real_distribution<double> in_range(-1, 1);
    for (std::size_t k = 0; k < a.size(); ++k) static_cast<double*>(a.data())[k] = in_range(random);
    return a;
}

/// Tensors of one to four of so many indices, each of which is in two or three of them.
struct random_case {
    random_case(std::uint64_t seed, std::size_t tensors, std::size_t most_extent, bool is_open)
        : random(seed) {
        std::vector<std::vector<std::int64_t>> axes(tensors);
        std::vector<std::size_t> extents;
        const auto count = static_cast<std::int64_t>(tensors * 3 / 2);
        for (std::int64_t i = 0; i < count; ++i) {
            extents.push_back(1 + random() % most_extent);
            for (std::size_t k = 2 + random() % 2; k-- > 0;) {
                auto& list = axes[random() % tensors];
                if (list.size() < 4) list.push_back(i);
            }
        }
        for (const auto& list : axes) {
            std::vector<std::size_t> shape;
            for (const std::int64_t i : list) shape.push_back(extents[static_cast<std::size_t>(i)]);
            made.add(random_values(shape, random), list);
        }
        const auto there = made.indices();
        if (is_open && there.size() > 1) made.keep({there[0], there[there.size() / 2]});
        std::vector<std::size_t> left(tensors);
        for (std::size_t k = 0; k < tensors; ++k) left[k] = k;
        for (std::size_t next = tensors; left.size() > 1; ++next) {
            std::shuffle(left.begin(), left.end(), random);
            order.emplace_back(left[left.size() - 1], left[left.size() - 2]);
            left.resize(left.size() - 2);
            left.push_back(next);
        }
    }
    std::mt19937_64 random;
    network made;
    pairs order;
};

/// So many matrices of n x n in a row, multiplied by twos.
network matrices(std::size_t count, std::size_t n, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    network made;
    for (std::size_t k = 0; k < count; ++k) {
        array a = random_values({n, n}, random);
        auto* const values = static_cast<double*>(a.data());
        for (std::size_t e = 0; e < a.size(); ++e) values[e] /= std::sqrt(static_cast<double>(n));
        made.add(a, {k, k + 1});
    }
    made.keep({std::size_t{0}, count});
    return made;
}
pairs by_twos(std::size_t count) {
    pairs all;
    for (std::size_t k = 0; k + 1 < 2 * count - 1; k += 2) all.emplace_back(k, k + 1);
    return all;
}

/// What is asked of a run, with its tensors and its result.
struct asked_run {
    asked_run(const network& n, const contraction_order& order,
              const networks::sub_tree_limits& limits, const contract_options& options = {})
        : bound(n.data(), order.data(), options), result(bound.result_of(n.data().kept)) {
        bound.asked.sub_trees = limits;
    }
    networks::bound_network bound;
    array result;
};

struct run_outcome {
    array result;
    std::size_t parts = 0, steps = 0;
};
run_outcome run_with(const network& n, const contraction_order& order,
                     const networks::sub_tree_limits& limits, int threads,
                     const contract_options& options = {}) {
    runtime::set_worker_count(threads);
    asked_run asked(n, order, limits, options);
    networks::network_run run(asked.bound.asked);
    CHECK(run.run());
    runtime::set_worker_count(0);
    return {asked.result, run.parts(), run.steps_run()};
}

bool are_same_bits(const array& a, const array& b) {
    return a.size() == b.size() &&
           std::memcmp(a.data(), b.data(), a.size() * size_of(a.type())) == 0;
}

/// Which step goes before which, however parts take turns.
struct step_sequence {
    const std::vector<std::size_t>& ends;
    std::size_t part_of(std::size_t step) const {
        std::size_t p = 0;
        while (p < ends.size() && step >= ends[p]) ++p;
        return p;
    }
    bool is_before(std::size_t a, std::size_t b) const {
        const std::size_t of_a = part_of(a), of_b = part_of(b);
        if (of_a == of_b) return a < b;
        return of_b == ends.size();
    }
};

/// Pairs of intermediates that have bytes in common while both may be needed.
std::size_t clashes(const networks::sliced_plan& made) {
    const auto& plan = made.planned.plan;
    const step_sequence sequence{made.part_ends};
    std::vector<std::vector<std::size_t>> users(plan.slots.size());
    for (std::size_t k = 0; k < plan.compiled.size(); ++k)
        for_each_slot(plan.compiled[k],
                      [&](plan::slot_number s, bool) { users[s.index()].push_back(k); });
    // The first step of one may write over what it reads last.
    const auto all_before = [&](std::size_t a, std::size_t b) {
        for (const std::size_t x : users[a])
            for (const std::size_t y : users[b])
                if (x != y && !sequence.is_before(x, y)) return false;
        return true;
    };
    std::size_t found = 0;
    for (std::size_t a = 0; a < users.size(); ++a)
        for (std::size_t b = 0; b < a; ++b) {
            const auto &x = plan.slots[a], &y = plan.slots[b];
            if (x.kind != plan::storage::workspace || y.kind != plan::storage::workspace) continue;
            if (users[a].empty() || users[b].empty()) continue;
            const bool together = x.workspace_offset < y.workspace_offset + y.bytes &&
                                  y.workspace_offset < x.workspace_offset + x.bytes;
            if (!together) continue;
            if (x.lasts || y.lasts || (!all_before(a, b) && !all_before(b, a))) ++found;
        }
    return found;
}

}  // namespace

TEST_CASE("parts of a tree read operands and what they have made themselves", "[sub_trees]") {
    std::size_t cut = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        random_case c(seed, 3 + seed % 25, 4, seed % 2 == 0);
        const auto& data = c.made.data();
        networks::tree_request wanted;
        std::vector<std::int64_t> extents(data.extents.begin(), data.extents.end());
        for (std::size_t k = 0; k < c.made.size(); ++k) wanted.operands.push_back(data.axes(k));
        std::vector<std::pair<std::int32_t, std::int32_t>> products(c.order.begin(), c.order.end());
        wanted.open = data.kept, wanted.extents = extents, wanted.products = products;
        const networks::step_tree before = networks::make_tree(wanted);
        networks::step_tree tree = before, again = before;
        networks::sub_tree_limits limits = always;
        limits.parts = 2 + seed % 7;
        const auto ends = networks::take_parts_apart(tree, extents, {}, limits);
        CHECK(ends == networks::take_parts_apart(again, extents, {}, limits));
        REQUIRE(tree.steps.size() == before.steps.size());
        CHECK(tree.steps.back().result == before.root);
        CHECK(ends.size() <= limits.parts);
        if (ends.empty()) continue;
        ++cut;
        REQUIRE(ends.back() < tree.steps.size());
        const step_sequence sequence{ends};
        std::vector<std::size_t> maker(tree.axes.size(), tree.steps.size());
        for (std::size_t k = 0; k < tree.steps.size(); ++k) {
            for (const std::int32_t factor : {tree.steps[k].left, tree.steps[k].right}) {
                if (factor < static_cast<std::int32_t>(tree.operands)) continue;
                REQUIRE(maker[static_cast<std::size_t>(factor)] < k);
                CHECK(sequence.is_before(maker[static_cast<std::size_t>(factor)], k));
            }
            maker[static_cast<std::size_t>(tree.steps[k].result)] = k;
            CHECK(tree.steps[k].result == again.steps[k].result);
        }
    }
    CHECK(cut > 40);
}

TEST_CASE("what parts use at the same time shares no memory", "[sub_trees]") {
    std::size_t cut = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        random_case c(seed, 4 + seed % 20, 3, seed % 3 == 0);
        const auto order = contraction_order::from_ssa(c.made, c.order);
        INFO("seed " << seed);
        asked_run asked(c.made, order, always);
        asked.bound.asked.keeps = seed % 4 == 3;
        std::vector<networks::run_output> outputs{{{}, {asked.result.data()}, 8, {}, false, 0}};
        for (const std::int32_t i : c.made.data().kept) outputs[0].axes.push_back(i);
        outputs[0].strides.assign(asked.result.strides().begin(), asked.result.strides().end());
        const networks::sliced_plan made(asked.bound.asked, {}, outputs, false);
        cut += made.part_ends.empty() ? 0 : 1;
        CHECK(clashes(made) == 0);
    }
    CHECK(cut > 20);
}

TEST_CASE("networks are what loops say, in parts on any number of threads", "[sub_trees]") {
    std::size_t cut = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        random_case c(seed, 4 + seed % 5, 3, seed % 2 == 0);
        const auto order = contraction_order::from_ssa(c.made, c.order);
        INFO("seed " << seed);
        const std::vector<double> wanted = brute_force(c.made);
        const run_outcome whole = run_with(c.made, order, never, 2);
        CHECK(whole.parts == 0);
        for (const int threads : {1, 2, 3, 7}) {
            const run_outcome found = run_with(c.made, order, always, threads);
            cut += found.parts > 0 ? 1 : 0;
            CHECK(found.steps == whole.steps);
            CHECK(are_same_bits(found.result, whole.result));
        }
        for (std::size_t k = 0; k < wanted.size(); ++k)
            CHECK(std::abs(static_cast<const double*>(whole.result.data())[k] - wanted[k]) <=
                  1e-10 * (1 + std::abs(wanted[k])));
    }
    CHECK(cut > 60);
}

TEST_CASE("large networks of small tensors run in parts", "[sub_trees]") {
    const network n = matrices(256, 32, 1);
    const auto order = contraction_order::from_ssa(n, by_twos(256));
    const run_outcome whole = run_with(n, order, never, 1);
    for (const int threads : {2, 3, 7}) {
        const run_outcome found = run_with(n, order, {}, threads);
        CHECK(found.parts > 4);
        CHECK(are_same_bits(found.result, whole.result));
    }
    // One thread gains nothing, nor does what waits for the product before.
    CHECK(run_with(n, order, {}, 1).parts == 0);
    pairs in_a_row{{0, 1}};
    for (std::size_t k = 2; k < 256; ++k) in_a_row.emplace_back(256 + k - 2, k);
    CHECK(run_with(n, contraction_order::from_ssa(n, in_a_row), {}, 2).parts == 0);
    const network few = matrices(16, 4, 1);
    CHECK(run_with(few, contraction_order::from_ssa(few, by_twos(16)), {}, 2).parts == 0);
}

TEST_CASE("parts run in other algebras, and find the same places", "[sub_trees]") {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        random_case c(seed, 5 + seed % 6, 3, false);
        const auto order = contraction_order::from_ssa(c.made, c.order);
        for (const algebra a : {algebra::max_sum, algebra::min_sum, algebra::logsumexp_sum}) {
            const contract_options how{.algebra = a};
            const run_outcome whole = run_with(c.made, order, never, 1, how);
            for (const int threads : {2, 7})
                CHECK(are_same_bits(run_with(c.made, order, always, threads, how).result,
                                    whole.result));
        }
        std::vector<std::int64_t> places[2];
        double values[2];
        for (const bool in_parts : {false, true}) {
            runtime::set_worker_count(in_parts ? 3 : 1);
            asked_run asked(c.made, order, in_parts ? always : never,
                            {.algebra = algebra::max_sum});
            asked.bound.asked.places = true;
            places[in_parts] = networks::network_run(asked.bound.asked).best();
            values[in_parts] = *static_cast<const double*>(asked.result.data());
        }
        runtime::set_worker_count(0);
        CHECK(places[0] == places[1]);
        CHECK(values[0] == values[1]);
    }
}

TEST_CASE("in a sliced network what all slices have in common runs in parts", "[sub_trees]") {
    std::size_t cut = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        random_case c(seed, 6 + seed % 8, 3, seed % 2 == 0);
        const auto order = contraction_order::from_ssa(c.made, c.order);
        INFO("seed " << seed);
        std::vector<path::slice> slices;
        const auto& extents = c.made.data().extents;
        for (std::size_t i = seed % 5; i < extents.size() && slices.size() < 2; i += 3)
            if (extents[i] > 1) slices.push_back({static_cast<std::int32_t>(i), 2});
        array results[2];
        for (const bool in_parts : {false, true}) {
            runtime::set_worker_count(2);
            asked_run asked(c.made, order, in_parts ? always : never);
            asked.bound.asked.slices = slices;
            networks::network_run run(asked.bound.asked);
            CHECK(run.run());
            if (in_parts && !slices.empty()) cut += run.parts() > 0 ? 1 : 0;
            results[in_parts] = asked.result;
        }
        runtime::set_worker_count(0);
        CHECK(are_same_bits(results[0], results[1]));
    }
    CHECK(cut > 10);
}

TEST_CASE("derivatives of a network run in parts", "[sub_trees]") {
    std::size_t cut = 0;
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        random_case c(seed, 4 + seed % 12, 3, false);
        const auto order = contraction_order::from_ssa(c.made, c.order);
        std::vector<std::size_t> by;
        for (std::size_t k = seed % 2; k < c.made.size(); k += 1 + seed % 3) by.push_back(k);
        std::vector<array> slopes[2];
        for (const bool in_parts : {false, true}) {
            runtime::set_worker_count(3);
            networks::bound_network bound(c.made.data(), order.data(), {});
            for (const std::size_t k : by)
                slopes[in_parts].push_back(bound.result_of(c.made.data().axes(k)));
            bound.asked.derivatives = by;
            bound.asked.sub_trees = in_parts ? always : never;
            networks::network_run run(bound.asked);
            CHECK(run.run());
            if (in_parts) cut += run.parts() > 0 ? 1 : 0;
        }
        runtime::set_worker_count(0);
        for (std::size_t k = 0; k < by.size(); ++k)
            CHECK(are_same_bits(slopes[0][k], slopes[1][k]));
    }
    CHECK(cut > 15);
}

TEST_CASE("what does not change is not run again in parts", "[sub_trees]") {
    const std::size_t count = 32;
    network n = matrices(count, 8, 1);
    const auto order = contraction_order::from_ssa(n, by_twos(count));
    std::mt19937_64 random(5);
    for (const int threads : {2, 7}) {
        runtime::set_worker_count(threads);
        asked_run asked(n, order, always);
        asked.bound.asked.keeps = true;
        networks::network_run run(asked.bound.asked);
        CHECK(run.run());
        CHECK(run.parts() > 1);
        CHECK(run.steps_run() == count - 1);
        CHECK(run.run());
        CHECK(run.steps_run() == 0);
        std::vector<array> values;
        for (std::size_t k = 0; k < count; ++k) values.push_back(n.operand(k));
        for (const std::vector<std::size_t>& changed :
             {std::vector<std::size_t>{3}, {3, 17}, {0, 1, 2, 3}, {31}, {}}) {
            std::set<std::size_t> due;
            for (const std::size_t k : changed) {
                values[k] = random_values({8, 8}, random);
                run.bind(k, values[k].data());
                for (std::size_t node = k; node != 2 * count - 2;) {
                    node = count + node / 2;
                    due.insert(node);
                }
            }
            CHECK(run.run());
            CHECK(run.steps_run() == due.size());
            network other;
            for (std::size_t k = 0; k < count; ++k) other.add(values[k], {k, k + 1});
            other.keep({std::size_t{0}, count});
            CHECK(are_same_bits(asked.result, run_with(other, order, never, 1).result));
            runtime::set_worker_count(threads);
        }
        runtime::set_worker_count(0);
    }
}

TEST_CASE("parts tell how far they are, and can be stopped", "[sub_trees]") {
    const network n = matrices(256, 16, 2);
    const auto order = contraction_order::from_ssa(n, by_twos(256));
    for (const bool keeps : {false, true})
        for (const int threads : {1, 2, 5}) {
            runtime::set_worker_count(threads);
            asked_run asked(n, order, always);
            asked.bound.asked.keeps = keeps;
            networks::network_run run(asked.bound.asked);
            const std::thread::id caller = std::this_thread::get_id();
            double told = 0;
            bool grows = true, by_caller = true;
            const auto listen = [&](double part) {
                grows = grows && part >= told;
                by_caller = by_caller && std::this_thread::get_id() == caller;
                told = part;
                return true;
            };
            CHECK(run.run(listen));
            CHECK((grows && by_caller && told == 1));
            for (std::size_t k = 0; k < n.size(); ++k) run.bind(k, n.operand(k).data());
            // It stops where it is told to, and the next run makes what is missing.
            CHECK_FALSE(run.run([](double part) { return part < 0.99; }));
            std::memset(asked.result.data(), 0, asked.result.size() * 8);
            CHECK(run.run());
            runtime::set_worker_count(0);
            CHECK(are_same_bits(asked.result, run_with(n, order, never, 1).result));
        }
}

TEST_CASE("where memory is short there are fewer parts, or none", "[sub_trees]") {
    const network n = matrices(256, 32, 1);
    const auto order = contraction_order::from_ssa(n, by_twos(256));
    runtime::set_worker_count(2);
    std::vector<std::size_t> parts;
    bool is_refused = false;
    for (double memory = 20e6; !is_refused; memory *= 0.95) {
        asked_run asked(n, order, {});
        asked.bound.asked.memory = memory;
        try {
            networks::network_run run(asked.bound.asked);
            CHECK(run.run());
            if (parts.empty() || run.parts() != parts.back()) parts.push_back(run.parts());
        } catch (const error&) {
            is_refused = true;
        }
    }
    runtime::set_worker_count(0);
    REQUIRE(parts.size() == 3);
    CHECK(parts[0] > 4);
    CHECK((parts[1] > 1 && parts[1] <= 4));
    CHECK(parts[2] == 0);
}
