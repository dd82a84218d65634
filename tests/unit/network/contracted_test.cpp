// Networks are contracted, compared with loops over all indices.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <ricci/network.hpp>

#include "src/network/network_run.hpp"
#include "src/runtime/parallel.hpp"
#include "tests/catch.hpp"
#include "tests/unit/network/naive_contraction.hpp"
#include "tests/words_of.hpp"

using namespace ricci;
using ricci::testing::Contains;
using ricci::testing::words_of;

namespace {

using complex = std::complex<double>;

complex entry(const array& a, std::size_t k) {
    switch (a.type()) {
        case element::f64:
            return static_cast<const double*>(a.data())[k];
        case element::f32:
            return static_cast<const float*>(a.data())[k];
        case element::c128:
            return static_cast<const complex*>(a.data())[k];
        case element::i64:
            return static_cast<double>(static_cast<const std::int64_t*>(a.data())[k]);
        default:
            return entry(a.converted(element::f64), k);
    }
}

struct random_network {
    std::mt19937_64 random;
    std::map<std::int64_t, std::size_t> extents;
    std::vector<std::vector<std::int64_t>> axes;
    std::vector<bool> conjugate;
    std::vector<array> operands;
    std::vector<std::int64_t> open;
    element type;

    explicit random_network(std::uint64_t seed, element of_type, std::size_t most = 6)
        : random(seed), type(of_type) {
        const std::size_t tensors = 1 + below(most), indices = 1 + below(8);
        for (std::size_t i = 0; i < indices; ++i)
            extents[static_cast<std::int64_t>(7 * i)] = 1 + below(4);
        for (std::size_t t = 0; t < tensors; ++t) add(below(5));
        std::vector<std::int64_t> there;
        for (const auto& list : axes)
            for (const auto i : list)
                if (std::find(there.begin(), there.end(), i) == there.end()) there.push_back(i);
        std::shuffle(there.begin(), there.end(), random);
        for (const auto i : there)
            if (open.size() < 3 && below(3) == 0) open.push_back(i);
    }
    std::size_t below(std::size_t n) { return random() % n; }
    void add(std::size_t rank) {
        std::vector<std::int64_t> list;
        std::vector<std::size_t> shape;
        for (std::size_t k = 0; k < rank; ++k) {
            list.push_back(static_cast<std::int64_t>(7 * below(extents.size())));
            shape.push_back(extents.at(list.back()));
        }
        array a(element::c128, shape);
        for (std::size_t k = 0; k < a.size(); ++k)
            static_cast<complex*>(a.data())[k] = {static_cast<double>(below(9)) - 4,
                                                  static_cast<double>(below(9)) - 4};
        if (type != element::c128) {
            array real(element::i64, shape);
            for (std::size_t k = 0; k < a.size(); ++k)
                static_cast<std::int64_t*>(real.data())[k] =
                    static_cast<std::int64_t>(static_cast<complex*>(a.data())[k].real());
            a = type == element::i64 ? std::move(real) : real.converted(type);
        }
        axes.push_back(std::move(list));
        operands.push_back(std::move(a));
        conjugate.push_back(below(3) == 0);
    }

    network made() const {
        network n;
        for (std::size_t k = 0; k < operands.size(); ++k)
            conjugate[k] ? n.add_conjugate(operands[k], axes[k]) : n.add(operands[k], axes[k]);
        n.keep(open);
        return n;
    }
    std::vector<std::pair<std::size_t, std::size_t>> pairs() {
        std::vector<std::size_t> left;
        for (std::size_t k = 0; k < operands.size(); ++k) left.push_back(k);
        std::vector<std::pair<std::size_t, std::size_t>> all;
        for (std::size_t next = left.size(); left.size() > 1; ++next) {
            std::shuffle(left.begin(), left.end(), random);
            all.push_back({left[left.size() - 1], left[left.size() - 2]});
            left.resize(left.size() - 2);
            left.push_back(next);
        }
        return all;
    }
    contraction_order order(std::size_t slices) {
        const network n = made();
        const auto plain = contraction_order::from_ssa(n, pairs());
        std::string text = plain.json(), cut;
        std::vector<std::int64_t> there = n.indices();
        std::shuffle(there.begin(), there.end(), random);
        for (const auto i : there) {
            if (cut.size() >= slices * 20 || extents.at(i) < 2) continue;
            cut += fmt::format("{}{{\"index\": {}, \"parts\": {}}}", cut.empty() ? "" : ", ", i,
                               2 + below(extents.at(i) - 1));
        }
        const std::string none = "\"slices\": [";
        const auto at = text.find(none);
        REQUIRE(at != std::string::npos);
        text.insert(at + none.size(), cut);
        return contraction_order::from_json(n, text);
    }

    // In another algebra; the conjugate of a real number is the number.
    std::vector<double> brute_force(algebra a) const {
        std::size_t results = 1;
        for (const auto i : open) results *= extents.at(i);
        const double nothing = a == algebra::min_sum ? HUGE_VAL : -HUGE_VAL;
        std::vector<double> sums(results, nothing);
        each_place([&](const auto& at) {
            double term = 0;
            for (std::size_t t = 0; t < operands.size(); ++t)
                term += entry(operands[t], place(axes[t], at)).real();
            double& sum = sums[place(open, at)];
            if (a == algebra::min_sum) sum = std::min(sum, term);
            else if (a == algebra::max_sum) sum = std::max(sum, term);
            else sum = std::max(sum, term) + std::log1p(std::exp(-std::abs(sum - term)));
        });
        return sums;
    }
    template <class Visit>
    void each_place(const Visit& visit) const {
        std::size_t all = 1;
        for (const auto& [i, n] : extents)
            if (made_of(i)) all *= n;
        for (std::size_t k = 0; k < all; ++k) {
            std::map<std::int64_t, std::size_t> at;
            std::size_t rest = k;
            for (const auto& [i, n] : extents)
                if (made_of(i)) at[i] = rest % n, rest /= n;
            visit(at);
        }
    }
    std::vector<complex> brute_force() const {
        std::size_t results = 1;
        for (const auto i : open) results *= extents.at(i);
        std::vector<complex> sums(results);
        each_place([&](const auto& at) {
            complex product = 1;
            for (std::size_t t = 0; t < operands.size(); ++t) {
                const complex x = entry(operands[t], place(axes[t], at));
                product *= conjugate[t] ? std::conj(x) : x;
            }
            sums[place(open, at)] += product;
        });
        return sums;
    }
    bool made_of(std::int64_t i) const {
        for (const auto& list : axes)
            if (std::find(list.begin(), list.end(), i) != list.end()) return true;
        return false;
    }
    std::size_t place(const std::vector<std::int64_t>& list,
                      const std::map<std::int64_t, std::size_t>& at) const {
        std::size_t k = 0;
        for (const auto i : list) k = k * extents.at(i) + at.at(i);
        return k;
    }
};

array vector_of(const std::vector<double>& values) {
    array a(element::f64, {values.size()});
    std::copy(values.begin(), values.end(), static_cast<double*>(a.data()));
    return a;
}

void check_same(const array& got, const std::vector<complex>& wanted) {
    REQUIRE(got.size() == wanted.size());
    for (std::size_t k = 0; k < wanted.size(); ++k)
        CHECK(std::abs(entry(got, k) - wanted[k]) <=
              (got.type() == element::f32 ? 1e-5 : 1e-12) * (1 + std::abs(wanted[k])));
}

}  // namespace

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
