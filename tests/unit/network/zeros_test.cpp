// Orders that rest on zeros in the tensors' values, compared with loops over all indices.
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <ricci/network.hpp>

#include "src/network/order_data.hpp"
#include "tests/catch.hpp"
#include "tests/unit/network/brute_force.hpp"
#include "tests/words_of.hpp"

using namespace ricci;
using ricci::testing::brute_force;
using ricci::testing::Contains;
using ricci::testing::words_of;

namespace {

using places = std::vector<std::size_t>;

/// A tensor of doubles: value(places) at each.
template <class Value>
array filled(const places& extents, const Value& value) {
    array a(element::f64, extents);
    auto* x = static_cast<double*>(a.data());
    places at(extents.size(), 0);
    for (std::size_t left = a.size(); left > 0; --left) {
        *x++ = value(at);
        for (std::size_t axis = at.size(); axis > 0 && ++at[axis - 1] == extents[axis - 1]; --axis)
            at[axis - 1] = 0;
    }
    return a;
}

class draws {
public:
    explicit draws(unsigned seed) : engine_(seed) {}
    std::size_t below(std::size_t n) { return engine_() % n; }
    double number() { return static_cast<double>(1 + below(8)) / 4; }

    /// One of many structures: dense, diagonal along two axes or from the other end, along all,
    /// shifted, few places of an axis, scattered zeros, zeros alone.
    array tensor(const places& extents) {
        const std::size_t kind = below(9), rank = extents.size();
        const std::size_t a = rank > 0 ? below(rank) : 0, b = rank > 0 ? below(rank) : 0;
        const std::size_t start = rank > 0 ? below(extents[a]) : 0, shift = below(3);
        return filled(extents, [&](const places& at) {
            bool there = true;
            if (rank > 0) switch (kind) {
                    case 1:
                        there = at[a] == at[b];
                        break;
                    case 2:
                        there = a == b || at[a] + at[b] + 1 == extents[a];
                        break;
                    case 3:
                        for (std::size_t k = 1; k < rank; ++k) there = there && at[k] == at[0];
                        break;
                    case 4:
                        there = a == b || at[a] == at[b] + shift;
                        break;
                    case 5:
                        there = at[a] == start;
                        break;
                    case 6:
                        there = at[a] >= start && (at[a] - start) % 2 == 0;
                        break;
                    case 7:
                        there = below(3) == 0;
                        break;
                    case 8:
                        there = shift > 0;
                        break;
                    default:
                        break;
                }
            return there ? number() : 0;
        });
    }

    network net() {
        network n;
        const std::size_t indices = 3 + below(4);
        places extents;
        for (std::size_t i = 0; i < indices; ++i) extents.push_back(1 + below(4));
        if (below(2) == 0) extents.assign(indices, 2 + below(3));
        std::vector<bool> used(indices, false);
        const std::size_t tensors = 1 + below(6);
        for (std::size_t k = 0; k < tensors; ++k) {
            std::vector<std::int64_t> axes;
            places shape;
            for (std::size_t rank = below(4); rank > 0; --rank) {
                const std::size_t i = below(indices);
                axes.push_back(static_cast<std::int64_t>(10 * i));
                shape.push_back(extents[i]);
                used[i] = true;
            }
            n.add(tensor(shape), axes);
        }
        std::vector<std::int64_t> kept;
        for (std::size_t i = 0; i < indices; ++i)
            if (used[i] && below(4) == 0) kept.push_back(static_cast<std::int64_t>(10 * i));
        n.keep(kept);
        return n;
    }

private:
    std::mt19937 engine_;
};

order_options by_values() {
    order_options want{.trials = 1};
    want.simplify = simplify::values;
    return want;
}

bool rests_on_zeros(const contraction_order& o) { return !o.data().zeros.empty(); }

void check_values(const array& result, const std::vector<double>& right) {
    REQUIRE(result.size() == right.size());
    for (std::size_t k = 0; k < right.size(); ++k)
        CHECK(static_cast<const double*>(result.data())[k] == Approx(right[k]).epsilon(1e-12));
}

const auto controlled_not = [](const places& at) {
    return at[2] == at[0] && at[3] == (at[0] ^ at[1]) ? 1.0 : 0.0;
};
const auto controlled_phase = [](const places& at) {
    return at[2] == at[0] && at[3] == at[1] ? (at[0] + at[1] == 2 ? -1.0 : 1.0) : 0.0;
};
const auto flip = [](const places& at) { return at[0] + at[1] == 1 ? 1.0 : 0.0; };
const auto hadamard = [](const places& at) { return at[0] + at[1] == 2 ? -0.5 : 0.5; };

/// Gates on three qubits: all that a circuit has of zeros.
network circuit() {
    network n;
    for (int q = 0; q < 3; ++q)
        n.add(filled({2}, [](const places& at) { return at[0] == 0 ? 1.0 : 0.0; }), {q});
    n.add(filled({2, 2}, hadamard), {0, 10});
    n.add(filled({2, 2}, hadamard), {1, 11});
    n.add(filled({2, 2}, flip), {2, 12});
    n.add(filled({2, 2, 2, 2}, controlled_phase), {10, 11, 20, 21});
    n.add(filled({2, 2, 2, 2}, controlled_not), {21, 12, 31, 32});
    n.add(filled({2, 2}, hadamard), {20, 40});
    n.keep({40, 31, 32});
    return n;
}

}  // namespace

TEST_CASE("networks with zeros of many kinds are what they are by their definition") {
    int resting = 0;
    for (unsigned seed = 0; seed < 500; ++seed) {
        draws random(seed);
        const network n = random.net();
        const contraction_order o = find_order(n, by_values());
        resting += rests_on_zeros(o) ? 1 : 0;
        INFO("seed " << seed);
        check_values(contract(n, o), brute_force(n));
        check_values(contract(n, contraction_order::from_json(n, o.json())), brute_force(n));
        CHECK(o.ssa().size() + 1 == n.size());
        CHECK(o.multiplications() <= find_order(n, {.trials = 1}).multiplications());
    }
    CHECK(resting > 250);
}

TEST_CASE("gates of a circuit lose the indices that their zeros join") {
    const network n = circuit();
    const contraction_order o = find_order(n, by_values());
    check_values(contract(n, o), brute_force(n));
    CHECK(o.multiplications() < find_order(n, {.trials = 1}).multiplications());
    CHECK_THAT(o.words(), Contains("zeros: "));
    CHECK(contraction_order::from_json(n, o.json()).json() == o.json());
    check_values(contract(n, contraction_order::from_ssa(n, o.ssa())), brute_force(n));
}

TEST_CASE("a chain of copies is a product of vectors") {
    network n;
    const auto copy = [](const places& at) { return at[0] == at[1] && at[1] == at[2] ? 2.0 : 0.0; };
    for (int k = 0; k < 6; ++k) n.add(filled({5, 5, 5}, copy), {k, k + 1, 10 + k});
    n.keep({0, 6, 15});
    const contraction_order o = find_order(n, by_values());
    CHECK(o.multiplications() == 25);  // five products of five places
    const array r = contract(n, o);
    for (std::size_t k = 0; k < 125; ++k)
        CHECK(static_cast<const double*>(r.data())[k] == (k % 31 == 0 ? 64 : 0));
}

TEST_CASE("zeros are found in tensors of any strides, and in conjugates") {
    using complex = std::complex<double>;
    std::vector<complex> memory(16);
    for (std::size_t k = 0; k < 4; ++k) memory[5 * k] = complex(1, static_cast<double>(k));
    // Read by columns, from the end, and one column again and again.
    network n;
    n.add(tensor_view<const complex, 2>(memory.data(), {4, 4}, {1, 4}), {0, 1});
    n.add_conjugate(tensor_view<const complex, 2>(memory.data() + 15, {4, 4}, {-4, -1}), {1, 2});
    n.add(tensor_view<const complex, 2>(memory.data(), {4, 4}, {0, 5}), {2, 3});
    n.keep({3, 0});
    const contraction_order o = find_order(n, by_values());
    CHECK(rests_on_zeros(o));
    const array r = contract(n, o), plain = contract(n, find_order(n));
    for (std::size_t k = 0; k < 16; ++k) {
        const complex x = static_cast<const complex*>(r.data())[k];
        CHECK(std::abs(x - static_cast<const complex*>(plain.data())[k]) < 1e-12);
        const double row = static_cast<double>(k % 4);
        const complex right = complex(1, row) * complex(1, row - 3) * memory[k / 4 * 5];
        CHECK(std::abs(x - right) < 1e-12);
    }
}

TEST_CASE("zeros are found in every element type") {
    const auto diagonal = [](const places& at) { return at[0] == at[1] ? 2.0 : 0.0; };
    const auto dense = [](const places& at) { return static_cast<double>(at[0]) + 1; };
    const auto check_type = [&](const array& a, const array& b) {
        network n;
        n.add(a, {0, 1});
        n.add(b, {1});
        n.keep({0});
        const contraction_order o = find_order(n, by_values());
        CHECK(rests_on_zeros(o));
        return contract(n, o);
    };
    for (const element type : {element::f32, element::bf16, element::f16, element::c64}) {
        const array r = check_type(filled({3, 3}, diagonal).converted(type),
                                   filled({3}, dense).converted(type));
        CHECK(r.type() == type);
        const array numbers = r.converted(is_complex(type) ? element::c128 : element::f64);
        const std::size_t step = is_complex(type) ? 2 : 1;
        for (std::size_t k = 0; k < 3; ++k)
            CHECK(static_cast<const double*>(numbers.data())[step * k] ==
                  2 * (static_cast<double>(k) + 1));
    }
    std::vector<std::int32_t> four(9), one = {1, 2, 3};
    std::vector<std::int64_t> eight(9), big = {1, std::int64_t{1} << 60, 3};
    for (std::size_t k = 0; k < 9; k += 4) four[k] = 2, eight[k] = 3;
    const array r = check_type(tensor_view<std::int32_t, 2>(four.data(), {3, 3}),
                               tensor_view<std::int32_t, 1>(one.data(), {3}));
    const array s = check_type(tensor_view<std::int64_t, 2>(eight.data(), {3, 3}),
                               tensor_view<std::int64_t, 1>(big.data(), {3}));
    for (std::size_t k = 0; k < 3; ++k) {
        CHECK(static_cast<const std::int32_t*>(r.data())[k] == 2 * one[k]);
        CHECK(static_cast<const std::int64_t*>(s.data())[k] == 3 * big[k]);
    }
}

TEST_CASE("what is prepared takes other values with the same zeros, and no others") {
    const network n = circuit();
    prepared_network step = prepare(n, find_order(n, by_values()));
    step();
    check_values(step.result(), brute_force(n));
    const array other =
        filled({2, 2, 2, 2}, [](const places& at) { return 3 * controlled_phase(at); });
    step.bind(6, other);
    step();
    std::vector<double> right = brute_force(n);
    for (double& x : right) x *= 3;
    check_values(step.result(), right);
    const array dense = filled({2, 2, 2, 2}, [](const places&) { return 1.0; });
    CHECK(words_of([&] { step.bind(6, dense); }) ==
          "ricci: tensor 6 of the network has other values than those whose zeros the order rests "
          "on.");
    CHECK_THAT(words_of([&] {
                   step.bind(6, array(element::f64, {2, 2}));
               }),
               Contains("another shape"));
    step();
    check_values(step.result(), right);
}

TEST_CASE("an order is refused where the zeros that it rests on are not there") {
    network n;
    n.add(filled({3, 3}, [](const places& at) { return at[0] == at[1] ? 1.0 : 0.0; }), {0, 1});
    n.add(filled({3}, [](const places&) { return 1.0; }), {1});
    const contraction_order o = find_order(n, by_values());
    const std::string text = o.json();
    const auto changed = [&](const array& first) {
        network other;
        other.add(first, {0, 1});
        other.add(n.operand(1), {1});
        return other;
    };
    const network dense = changed(filled({3, 3}, [](const places&) { return 1.0; }));
    const std::string words =
        "ricci: tensor 0 of the network has other values than those whose zeros the order rests "
        "on.";
    CHECK(words_of([&] { contract(dense, o); }) == words);
    CHECK(words_of([&] { contraction_order::from_json(dense, text); }) == words);
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const network infinite =
        changed(filled({3, 3}, [](const places& at) { return at[0] == at[1] ? infinity : 0.0; }));
    CHECK(words_of([&] { contract(infinite, o); }) == words);
    CHECK_FALSE(rests_on_zeros(find_order(infinite, by_values())));
    const network shapes = changed(shape(element::f64, {3, 3}));
    CHECK_THAT(words_of([&] { find_order(shapes, by_values()); }), Contains("shapes, without any"));
    CHECK_THAT(words_of([&] { contraction_order::from_json(shapes, text); }),
               Contains("shapes, without any"));
    CHECK_THAT(words_of([&] { contract(shapes, o); }), Contains("is a shape"));
    for (const char* wrong : {"\"count\": 4", "\"first\": 1", "\"step\": 2"}) {
        std::string other = text;
        const std::size_t at = other.find(std::string(wrong).substr(0, 8));
        REQUIRE(at != std::string::npos);
        other.replace(at, std::string(wrong).size(), wrong);
        INFO(other);
        CHECK_THAT(words_of([&] { contraction_order::from_json(n, other); }),
                   Contains("cannot have") || Contains("other values"));
    }
}

TEST_CASE("zeros that a text says of axes without places, or beyond them, are none") {
    network n;
    n.add(array(element::f64, {0, 0, 4}), {0, 1, 2});
    n.add(array(element::f64, {4}), {2});
    n.keep({0, 1, 2});
    const std::string text = contraction_order::from_ssa(n, {{0, 1}}).json();
    const auto with = [&](const char* zeros) {
        std::string changed = text;
        changed.replace(changed.find("\"ssa\""), 0, std::string("\"zeros\": [") + zeros + "], ");
        std::size_t size = 1;
        const std::string words =
            words_of([&] { size = contract(n, contraction_order::from_json(n, changed)).size(); });
        CHECK(size == (words.empty() ? 0U : 1U));
        return words;
    };
    CHECK(with(R"({"tensor": 0, "index": 0, "other": 1, "first": 0, "step": 1, "count": 0})")
              .empty());
    CHECK(with(R"({"tensor": 1, "index": 2, "first": 1, "step": 1, "count": 1})").empty());
    for (const char* wrong :
         {R"({"tensor": 0, "index": 0, "first": 0, "step": 1, "count": 1})",
          R"({"tensor": 1, "index": 2, "first": 0, "step": 4611686018427387904, "count": 1})",
          R"({"tensor": 1, "index": 2, "first": 0, "step": 2, "count": 3})",
          R"({"tensor": 1, "index": 2, "first": -1, "step": 1, "count": 2})",
          R"({"tensor": 1, "index": 2, "first": 0, "step": -1, "count": 2})",
          R"({"tensor": 1, "index": 0, "first": 0, "step": 1, "count": 1})",
          R"({"tensor": 0, "index": 2, "other": 2, "first": 0, "step": 1, "count": 4})",
          R"({"tensor": 0, "index": 2, "other": 1, "first": 0, "step": 1, "count": 4})"}) {
        INFO(wrong);
        CHECK_THAT(with(wrong), Contains("cannot have"));
    }
    CHECK_THAT(with(R"({"tensor": 7, "index": 2, "first": 0, "step": 1, "count": 2})"),
               Contains("a tensor that the network has not"));
    CHECK_THAT(with(R"({"tensor": 0, "index": 9, "first": 0, "step": 1, "count": 2})"),
               Contains("index 9"));
    CHECK_THAT(with(R"({"tensor": 0, "index": 2, "first": 0, "step": 1})"),
               Contains("lacks a number"));
}

TEST_CASE("derivatives and other algebras do not rest on zeros") {
    network n;
    n.add(filled({3, 3}, [](const places& at) { return at[0] == at[1] ? 1.0 : 0.0; }), {0, 1});
    const contraction_order o = find_order(n, by_values());
    REQUIRE(rests_on_zeros(o));
    const std::string words = "the order rests on zeros in the tensors' values";
    CHECK_THAT(words_of([&] { gradient(n, o, {0}); }), Contains(words));
    CHECK_THAT(words_of([&] { argmax(n, o); }), Contains(words));
    CHECK_THAT(words_of([&] { contract(n, o, {.algebra = algebra::max_sum}); }), Contains(words));
}

TEST_CASE("slices are ranges of what zeros leave") {
    network n;
    const auto band = [](const places& at) {
        return at[0] >= 8 ? 1.0 + static_cast<double>(at[1]) : 0.0;
    };
    for (int k = 0; k < 5; ++k) n.add(filled({40, 40, 40}, band), {k, (k + 1) % 5, 10 + k});
    n.keep({10, 11, 12});
    order_options want = by_values();
    want.memory = 6e6;
    const contraction_order sliced = find_order(n, want);
    CHECK(sliced.slices() > 1);
    const contraction_order whole = find_order(n, by_values());
    const contraction_order read = contraction_order::from_json(n, sliced.json());
    CHECK(read.json() == sliced.json());
    const array a = contract(n, sliced), b = contract(n, whole), c = contract(n, find_order(n));
    for (std::size_t k = 0; k < a.size(); k += 97) {
        const double right = static_cast<const double*>(c.data())[k];
        CHECK(static_cast<const double*>(a.data())[k] == Approx(right));
        CHECK(static_cast<const double*>(b.data())[k] == Approx(right));
    }
}

TEST_CASE("without simplification the same network is contracted") {
    const network n = circuit();
    order_options want{.trials = 1};
    want.simplify = simplify::none;
    check_values(contract(n, find_order(n, want)), brute_force(n));
}
