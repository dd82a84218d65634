// Places with edges that no cut settles: of what is looked up, and of whole numbers.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "tests/unit/front/texts.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

array whole(element type, std::vector<std::size_t> extents, const std::vector<int>& values) {
    array a(type, std::move(extents));
    for (std::size_t k = 0; k < a.size(); ++k) {
        if (type == element::i64) static_cast<std::int64_t*>(a.data())[k] = values[k];
        else static_cast<std::int32_t*>(a.data())[k] = values[k];
    }
    return a;
}
int wrapped(int place, int round) { return ((place % round) + round) % round; }

}  // namespace

TEST_CASE("numbers are looked up, beside their axis too, and say where", "[places]") {
    // t is read at a number and an edge, and what it says there is a place of A.
    const program p = text("Y^{ijk} = \\sum_v [v = i + j - 2] A^{t_{u_k v}} B^j");
    const std::vector<int> t{3, 1, 0, 2, 4, 4, 2, 0, 1, 3}, u{1, 0, 1};
    const array a = drawn({5}, 1), b = drawn({3}, 2);
    for (const element type : {element::i32, element::i64}) {
        const array y = run(p, {{"A", a},
                                {"B", b},
                                {"t", whole(type, {2, 5}, t)},
                                {"u", whole(type, {3}, u)},
                                {"i", extent(6)}})["Y"];
        for (int i = 0; i < 6; ++i)
            for (int j = 0; j < 3; ++j)
                for (int k = 0; k < 3; ++k) {
                    const int v = i + j - 2, row = u[static_cast<std::size_t>(k)] * 5 + v;
                    const double want =
                        v < 0 || v >= 5
                            ? 0
                            : entry(a, static_cast<std::size_t>(t[static_cast<std::size_t>(row)])) *
                                  entry(b, static_cast<std::size_t>(j));
                    const auto at = static_cast<std::size_t>((i * 3 + j) * 3 + k);
                    CHECK(std::abs(entry(y, at) - want) < 1e-12);
                }
    }
}

TEST_CASE("what a lookup gives is differentiated where its numbers are read beside an axis",
          "[places]") {
    const program p = text("P^{il} = \\sum_k [i = u_k] A^{l+2, t_{il}}");
    const array a = drawn({9, 3}, 1), seeds = drawn({4, 5}, 2);
    std::vector<int> t(20), u{3, 1, 1, 0, 3, 3};
    for (std::size_t k = 0; k < t.size(); ++k) t[k] = static_cast<int>(k * 7 % 3);
    const arrays slopes = run(gradient(p, "P", {"A"}), {{"A", a},
                                                        {"t", whole(element::i32, {4, 5}, t)},
                                                        {"u", whole(element::i32, {6}, u)},
                                                        {"dL/dP", seeds}});
    std::vector<double> wanted(27, 0);
    for (const int i : u)
        for (int l = 0; l < 5; ++l) {
            const auto at = static_cast<std::size_t>(i * 5 + l);
            wanted[static_cast<std::size_t>((l + 2) * 3 + t[at])] += entry(seeds, at);
        }
    CHECK(near(slopes["dL/dA"], doubles({9, 3}, wanted), 1e-12));
}

TEST_CASE("few places of a large box are read one by one", "[places]") {
    // All places between the first and the last one of each axis are ten million.
    const program p = text(
        "Y^{jk} = \\tanh(C^{\\operatorname{wrap}(30 j + k) \\operatorname{pad}(20 j - 3 k) "
        "\\operatorname{clamp}(50 k - j) j}) + k");
    const int n = 9;
    array c = drawn({7, 5, 6, 9}, 3);
    // Beyond an edge there is nothing, whatever stands at the nearest place.
    for (std::size_t x = 0; x < 7; ++x)
        for (std::size_t rest = 0; rest < 54; ++rest)
            entry(c, (x * 5 + 4) * 54 + rest) = std::numeric_limits<double>::quiet_NaN();
    const std::vector<named> operands{{"C", c}, {"k", extent(9)}};
    const array y = run(p, operands)["Y"];
    for (int j = 0; j < n; ++j)
        for (int k = 0; k < n; ++k) {
            const int pad = 20 * j - 3 * k, clamp = std::min(std::max(50 * k - j, 0), 5);
            double x = 0;
            if (pad >= 0 && pad < 5)
                x = entry(c, static_cast<std::size_t>(
                                 ((wrapped(30 * j + k, 7) * 5 + pad) * 6 + clamp) * 9 + j));
            const double got = entry(y, static_cast<std::size_t>(j * n + k)),
                         want = std::tanh(x) + k;
            CHECK((std::isnan(want) ? std::isnan(got) : std::abs(got - want) < 1e-12));
        }
    const std::string words = explain(p, operands);
    INFO(words);
    CHECK(words.find("gather") != std::string::npos);
}

TEST_CASE("a scatter of what is read beside an axis", "[places]") {
    const program p = text("P^{ikj} = \\operatorname{logsumexp}_{l} (B^{3j+1, s_{ik}, l+3})");
    const array b = drawn({5, 5, 10}, 4);
    std::vector<int> s(6);
    for (std::size_t k = 0; k < s.size(); ++k) s[k] = static_cast<int>(k * 3 % 5);
    const std::vector<named> operands{
        {"B", b}, {"s", whole(element::i32, {2, 3}, s)}, {"j", extent(2)}, {"l", extent(7)}};
    auto with_seeds = operands;
    array seeds(element::f64, {2, 3, 2});
    for (std::size_t k = 0; k < seeds.size(); ++k) entry(seeds, k) = 1;
    with_seeds.push_back({"dL/dP", seeds});
    const array slopes = run(gradient(p, "P", {"B"}), with_seeds)["dL/dB"];
    const std::vector<named> others(operands.begin() + 1, operands.end());
    CHECK(near(slopes, differences(p, others, "P", "B", b), 1e-7));
}

TEST_CASE("a bracket beside a norm of rows that are looked up on a ring", "[places]") {
    const program p = text(
        "y^{a} = [a = 1] \\lVert \\frac{\\exp(Q^{\\operatorname{wrap}(a+2),i} M^{u_{a "
        "i}})}{\\sum_{k}"
        "\\exp(Q^{\\operatorname{wrap}(k+2),i} M^{u_{k i}})} \\rVert_{i}");
    const array q = drawn({3, 2}, 31), m = doubles({2}, {0.5, 0.25});
    std::vector<named> others{{"Q", q},
                              {"u", whole(element::i64, {3, 2}, {0, 1, 0, 1, 0, 1})},
                              {"a", extent(3)},
                              {"i", extent(2)}};
    for (const bool by_m : {true, false}) {
        others[0] = by_m ? named{"Q", q} : named{"M", m};
        auto all = others;
        all.push_back(by_m ? named{"M", m} : named{"Q", q});
        all.push_back({"dL/dy", doubles({3}, {1, 1, 1})});
        const char* const by = by_m ? "M" : "Q";
        const array got = run(gradient(p, "y", {by}), all)[std::string("dL/d") + by];
        CHECK(near(got, differences(p, others, "y", by, by_m ? m : q), 1e-7));
    }
}

TEST_CASE("the weights of a row of minus infinity, or of nothing, sum to 0", "[places]") {
    const double none = -std::numeric_limits<double>::infinity();
    const array k = doubles({2, 2}, {none, none, 1, 2});
    for (const char* const place : {"\\operatorname{clamp}(i-1)", "\\operatorname{wrap}(i)", "i"}) {
        INFO(place);
        const std::string at = "K^{" + std::string(place) + ", l}",
                          other = "K^{" + std::string(place) + ", l'}",
                          weights = "\\frac{\\exp(" + at + ")}{\\sum_{l'} \\exp(" + other + ")}";
        const bool plain = *place == 'i', clamped = !plain && place[15] == 'l';
        const std::vector<double> want = plain     ? std::vector<double>{0, 1}
                                         : clamped ? std::vector<double>{0, 0, 1}
                                                   : std::vector<double>{0, 1, 0};
        const std::vector<std::string> sums{"N^i = \\sum_l " + weights,
                                            "A^{il} = " + weights + "\nN^i = \\sum_l A^{il}",
                                            "N^i = \\sum_l \\operatorname{softmax}_l(" + at + ")"};
        for (const std::string& equations : sums) {
            INFO(equations);
            std::vector<named> operands{{"K", k}};
            if (!plain) operands.push_back({"i", extent(3)});
            CHECK(near(run(text(equations), operands)["N"], doubles({want.size()}, want), 1e-14));
            operands[0] = {"K", array(element::f64, {2, 0})};
            CHECK(near(run(text(equations), operands)["N"],
                       doubles({want.size()}, std::vector<double>(want.size(), 0)), 0));
        }
    }
}

TEST_CASE("an axis of nothing has no nearest place and no ring", "[places]") {
    for (const char* const edge : {"clamp", "wrap", "pad"}) {
        const program p = text("y^i = x^{\\operatorname{" + std::string(edge) + "}(i-1)} + b^i");
        const std::vector<named> operands{{"x", array(element::f64, {0})},
                                          {"b", doubles({3}, {1, 2, 3})}};
        INFO(edge);
        if (*edge == 'p') {
            CHECK(near(run(p, operands)["y"], doubles({3}, {1, 2, 3}), 0));
            continue;
        }
        std::string words;
        try {
            run(p, operands);
        } catch (const error& e) {
            words = e.what();
        }
        INFO(words);
        CHECK(words.find("axis 0 of x has extent 0") != std::string::npos);
    }
}

TEST_CASE("a delta moves what is read at an edge, whose axis stays as long as it is", "[places]") {
    const array t = drawn({5}, 41), c = drawn({2}, 42);
    const auto at = [&](const char* edge) {
        const program p = text("P^b = \\sum_j \\delta_{jb} T^{\\operatorname{" + std::string(edge) +
                               "}(3j-1)} c^b");
        return run(p, {{"T", t}, {"c", c}})["P"];
    };
    CHECK(near(at("clamp"), doubles({2}, {entry(t, 0) * entry(c, 0), entry(t, 2) * entry(c, 1)}),
               1e-14));
    CHECK(near(at("wrap"), doubles({2}, {entry(t, 4) * entry(c, 0), entry(t, 2) * entry(c, 1)}),
               1e-14));
    CHECK(near(at("pad"), doubles({2}, {0, entry(t, 2) * entry(c, 1)}), 1e-14));
}

TEST_CASE("beyond an edge nothing is added, whatever is looked up there", "[places]") {
    // where pad leaves the axis the numbers are no places, and these are not read
    const array a = drawn({3, 2, 4}, 5);
    const std::vector<int> h{1, 3, -1, 5, -7, 2};  // of k and p
    const array numbers = whole(element::i32, {3, 2}, h);
    const auto entry_of = [&](int k, int p) {
        return k + 2 < 3
                   ? entry(a, static_cast<std::size_t>(((k + 2) * 2 + p) * 4 +
                                                       h[static_cast<std::size_t>(k * 2 + p)]))
                   : 0;
    };
    const program each = text("Y^{kp} = A^{\\operatorname{pad}(k+2), p, h_{kp}}");
    const program sums = text("y^k = \\sum_p A^{\\operatorname{pad}(k+2), p, h_{kp}}");
    const program later =
        text("y^k = \\sum_p [p \\ge 1] A^{\\operatorname{pad}(k+2), p-1, h_{kp}}");
    const std::vector<named> operands{{"A", a}, {"h", numbers}};
    const array y = run(each, operands)["Y"];
    const array sum = run(sums, operands)["y"], shifted = run(later, operands)["y"];
    for (int k = 0; k < 3; ++k) {
        for (int p = 0; p < 2; ++p)
            CHECK(entry(y, static_cast<std::size_t>(k * 2 + p)) == entry_of(k, p));
        const auto at = static_cast<std::size_t>(k);
        CHECK(std::abs(entry(sum, at) - entry_of(k, 0) - entry_of(k, 1)) < 1e-14);
        const double only = k == 0 ? entry(a, static_cast<std::size_t>(2 * 8 + h[1])) : 0;
        CHECK(entry(shifted, at) == only);
    }
    // what a tensor says inside the axis has to be a place
    std::string words;
    try {
        run(text("Y^{kp} = A^{\\operatorname{pad}(k+1), p, h_{kp}}"), operands);
    } catch (const error& e) {
        words = e.what();
    }
    CHECK(words.find("axis 2 of A has the places 0 to 3") != std::string::npos);
}

TEST_CASE("letters that differ in primes alone stand at edges of one tensor", "[places]") {
    const program p = text(
        "B^{jj'} = w^{\\operatorname{clamp}(j-1)} \\sum_a a Y^{\\operatorname{clamp}(j'+3), "
        "\\operatorname{wrap}(j-1)}");
    const array y = drawn({5, 4}, 1), w = drawn({7}, 2);
    const array b =
        run(p, {{"Y", y}, {"w", w}, {"j", extent(6)}, {"j'", extent(3)}, {"a", extent(3)}})["B"];
    for (int j = 0; j < 6; ++j)
        for (int k = 0; k < 3; ++k) {
            const int row = std::min(k + 3, 4), column = wrapped(j - 1, 4);
            const double want = 3 * entry(w, static_cast<std::size_t>(std::max(j - 1, 0))) *
                                entry(y, static_cast<std::size_t>(row * 4 + column));
            CHECK(std::abs(entry(b, static_cast<std::size_t>(j * 3 + k)) - want) < 1e-14);
        }
}
