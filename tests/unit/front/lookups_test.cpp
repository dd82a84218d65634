// Products of rows that tensors look up.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <ricci/error.hpp>

#include "tests/unit/front/texts.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

array numbers_below(std::size_t count, std::size_t bound, std::size_t step) {
    array a(element::i32, {count});
    for (std::size_t k = 0; k < count; ++k)
        static_cast<int*>(a.data())[k] = static_cast<int>((k * step + 1) % bound);
    return a;
}
std::size_t number(const array& a, std::size_t k) {
    return static_cast<std::size_t>(static_cast<const int*>(a.data())[k]);
}

}  // namespace

TEST_CASE("a product of looked up rows is made of whichever rows are fewer", "[lookups]") {
    const std::size_t inner = 6, columns = 4;
    const program p = text("Y^{ic} = 2 E^{x_i a} W^{ac}");
    for (const auto& [rows, looked_up] : {std::pair{5, 40}, std::pair{40, 5}, std::pair{7, 14}}) {
        const auto v = static_cast<std::size_t>(rows), n = static_cast<std::size_t>(looked_up);
        INFO(v << " rows, " << n << " looked up");
        const array e = drawn({v, inner}, 1), w = drawn({inner, columns}, 2);
        const array x = numbers_below(n, v, 3);
        const std::vector<named> operands{{"E", e}, {"W", w}, {"x", x}};
        const array y = run(p, operands)["Y"];
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t c = 0; c < columns; ++c) {
                double sum = 0;
                for (std::size_t a = 0; a < inner; ++a)
                    sum += 2 * entry(e, number(x, i) * inner + a) * entry(w, a * columns + c);
                CHECK(std::abs(entry(y, i * columns + c) - sum) < 1e-12);
            }
        const std::string words = explain(p, operands);
        INFO(words);
        CHECK((words.find("t1[.,c]") != std::string::npos) == (2 * v <= n));
    }
}

TEST_CASE("rows that two tensors look up, of a product in a batch", "[lookups]") {
    const std::size_t u = 3, v = 4, n = 50, heads = 2, inner = 5, columns = 3;
    const program p = text(
        "Y^{hic} = E^{x_i y_i h a} W^{hac}\n Z^{ic} = \\sum_h Y^{hic} + \\sum_{h,a} E^{x_i y_i h "
        "a} "
        "W^{hac}");
    const array e = drawn({u, v, heads, inner}, 1), w = drawn({heads, inner, columns}, 2);
    const array x = numbers_below(n, u, 2), y = numbers_below(n, v, 3);
    const arrays got = run(p, {{"E", e}, {"W", w}, {"x", x}, {"y", y}});
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t c = 0; c < columns; ++c) {
            double all = 0;
            for (std::size_t h = 0; h < heads; ++h) {
                double sum = 0;
                for (std::size_t a = 0; a < inner; ++a)
                    sum += entry(e, ((number(x, i) * v + number(y, i)) * heads + h) * inner + a) *
                           entry(w, (h * inner + a) * columns + c);
                all += 2 * sum;
            }
            CHECK(std::abs(entry(got["Z"], i * columns + c) - all) < 1e-12);
        }
}

TEST_CASE("a number that is no row is refused before a product of rows is written", "[lookups]") {
    const program p = text("Y^{ic} = E^{x_i a} W^{ac}");
    array x = numbers_below(20, 4, 1);
    static_cast<int*>(x.data())[7] = 4;
    CHECK_THROWS_WITH(run(p, {{"E", drawn({4, 3}, 1)}, {"W", drawn({3, 2}, 2)}, {"x", x}}),
                      Contains("E"));
    // What nobody looks up does not count.
    array e = drawn({4, 3}, 1);
    for (std::size_t a = 0; a < 3; ++a) entry(e, 9 + a) = std::nan("");
    const array y =
        run(p, {{"E", e}, {"W", drawn({3, 2}, 2)}, {"x", numbers_below(20, 3, 1)}})["Y"];
    for (const double v : values_of(y)) CHECK(!std::isnan(v));
}

TEST_CASE("numbers called n are printed as they are read", "[lookups]") {
    const program p = text("Y^{bc} = E^{n^b a} W^{ac}");
    const std::string printed = to_latex(p);
    INFO(printed);
    CHECK(to_latex(text(printed)) == printed);
    const auto refused = parse("Y^{bc} = E^{n_b a} W^{ac}");
    REQUIRE(!refused.has_value());
    CHECK_THAT(refused.error().message, Contains("E^{n^b a}"));
}

namespace {

/// A product of rows that are looked up, fewer than there are, and its plain sum.
struct product_of_rows {
    const char* equation;
    const char* line;  // of explain
    std::vector<std::size_t> w, n;
};

const std::vector<product_of_rows> products_of_rows{
    {"Y^{bc} = 2 E^{n^b a} W^{ac}", "E[*,a] W[a,c], places n[b]", {6, 8}, {9}},
    {"Y^{cb} = W^{ca} E^{n^b a}", "E[*,a], places n[b]", {8, 6}, {9}},
    {"Y^{ac} = \\sum_b E^{n^b a} W^{bc}", "E[*,a] W[b,c], places n[b]", {9, 8}, {9}},
    {"Y^{hbc} = E^{n^{hb} a} W^{hac}", "E[*,a] W[h,a,c], places n[h,b]", {3, 6, 8}, {3, 5}},
    {"Y^{bd} = E^{n^b a} E^{n^d a}", "places n[b], places n[d]", {1}, {9}},
};

}  // namespace

TEST_CASE("products of few rows that are looked up read them where they lie", "[lookups]") {
    const std::size_t rows = 100, inner = 6;
    const array e = drawn({rows, inner}, 1);
    for (const auto& c : products_of_rows) {
        INFO(c.equation);
        const program p = text(c.equation);
        const array w = drawn(c.w, 2);
        array n(element::i64, c.n);
        for (std::size_t k = 0; k < n.size(); ++k)
            static_cast<std::int64_t*>(n.data())[k] = static_cast<std::int64_t>(k * 37 % rows);
        std::vector<named> operands{{"E", e}, {"n", n}};
        if (c.w.size() > 1) operands.push_back({"W", w});
        const std::string words = explain(p, operands);
        INFO(words);
        CHECK(words.find(c.line) != std::string::npos);
        CHECK(words.find("gather") == std::string::npos);
        // The same of rows that are stored first.
        std::string stored = c.equation;
        std::string with_rows =
            c.n.size() > 1 ? "T^{hba} = E^{n^{hb} a}\n" : "T^{ba} = E^{n^b a}\n";
        for (const auto& [from, to] :
             {std::pair<std::string, std::string>{"E^{n^{hb} a}", "T^{hba}"},
              {"E^{n^b a}", "T^{ba}"},
              {"E^{n^d a}", "T^{da}"}})
            if (const auto at = stored.find(from); at != std::string::npos)
                stored.replace(at, from.size(), to);
        const arrays apart = run(text(with_rows + stored).keep({"T"}), operands);
        CHECK(near(run(p, operands)["Y"], apart["Y"], 1e-13));
        // Its derivatives by the rows, which are added up, and by the other factor.
        const array y = apart["Y"];
        const array seeds = drawn({y.extents().begin(), y.extents().end()}, 3);
        operands.push_back({"dL/dY", seeds});
        const arrays slopes = run(gradient(p, "Y", {"E"}), operands);
        const arrays others = run(gradient(text(with_rows + stored), "Y", {"E"}), operands);
        CHECK(near(slopes["dL/dE"], others["dL/dE"], 1e-13));
    }
}

TEST_CASE("numbers of a product of rows are checked before anything is written", "[lookups]") {
    const program p = text("Z^{a} = \\exp(v^a)\n Y^{bc} = E^{n^b a} W^{ac}");
    array n = numbers_below(8, 50, 3);
    static_cast<int*>(n.data())[5] = 50;
    array z(element::f64, {6}), y(element::f64, {8, 7});
    for (array* const out : {&z, &y})
        for (std::size_t k = 0; k < out->size(); ++k) entry(*out, k) = -7;
    runner step = prepare(p, {{"E", drawn({50, 6}, 1)},
                              {"W", drawn({6, 7}, 2)},
                              {"v", drawn({6}, 3)},
                              {"n", n},
                              {"Y", y},
                              {"Z", z}});
    CHECK_THROWS_WITH(step(), Contains("E") && Contains("50"));
    for (const double x : values_of(z)) CHECK(x == -7);
    for (const double x : values_of(y)) CHECK(x == -7);
    // Other numbers of the same memory are looked up when it runs.
    static_cast<int*>(n.data())[5] = 49;
    step();
    const array e = drawn({50, 6}, 1), w = drawn({6, 7}, 2);
    double sum = 0;
    for (std::size_t a = 0; a < 6; ++a) sum += entry(e, 49 * 6 + a) * entry(w, a * 7 + 2);
    CHECK(std::abs(entry(y, 5 * 7 + 2) - sum) < 1e-12);
}

TEST_CASE("rows are stored where their product would be written over them", "[lookups]") {
    // Y is bound to the memory of E.
    const program p = text("Y^{bc} = E^{n^b a} W^{ac}");
    array e = drawn({8, 8}, 1);
    const array before = e.clone(), w = drawn({8, 8}, 2), n = numbers_below(8, 8, 3);
    runner step = prepare(p, {{"E", e}, {"W", w}, {"n", n}, {"Y", e}});
    step();
    for (std::size_t b = 0; b < 8; ++b)
        for (std::size_t c = 0; c < 8; ++c) {
            double sum = 0;
            for (std::size_t a = 0; a < 8; ++a)
                sum += entry(before, number(n, b) * 8 + a) * entry(w, a * 8 + c);
            CHECK(std::abs(entry(e, b * 8 + c) - sum) < 1e-12);
        }
}

TEST_CASE("rows that a few products read are packed by each, and not stored", "[lookups]") {
    const std::size_t rows = 90, inner = 7, columns = 5, n = 40;
    const array e = drawn({rows, inner}, 1), x = numbers_below(n, rows, 7);
    const std::string first = "H^{ia} = E^{x_i a}\n";
    std::vector<named> operands{{"E", e}, {"x", x}};
    std::string equations = first;
    for (std::size_t readers = 1; readers <= 5; ++readers) {
        const std::string k(1, static_cast<char>('A' + static_cast<char>(readers)));
        const std::string w = "W_" + k, y = "Y_" + k;
        equations += y + "^{ic} = H^{ia} " + w + "^{ac}\n";
        operands.push_back({w, drawn({inner, columns}, static_cast<unsigned>(readers))});
        const program p = text(equations);
        const std::string words = explain(p, operands);
        INFO(words);
        CHECK((words.find("gather") == std::string::npos) == (readers <= 4));
        const arrays got = run(p, operands), apart = run(p.keep({"H"}), operands);
        CHECK(near(got[y], apart[y], 1e-14));
    }
}

TEST_CASE("a sum of rows in a longer product is read on the way", "[lookups]") {
    const std::size_t rows = 60, inner = 8, columns = 5, b = 9, k = 6;
    const array e = drawn({rows, inner}, 1), w = drawn({b, k}, 2), u = drawn({inner, columns}, 3);
    array n(element::i32, {b, k});
    for (std::size_t at = 0; at < n.size(); ++at)
        static_cast<int*>(n.data())[at] = static_cast<int>(at * 7 % rows);
    const program p = text("Y^{bc} = \\sum_k w^{bk} E^{n_{bk} a} U^{ac}");
    const array slope = drawn({b, columns}, 4);
    const std::vector<named> operands{{"E", e}, {"w", w}, {"U", u}, {"n", n}, {"dL/dY", slope}};
    const program slopes = gradient(p, "Y", {"w", "U"});
    CHECK(explain(slopes, operands).find("gather") == std::string::npos);
    const arrays got = run(slopes, operands);
    std::vector<double> of_w(b * k), of_u(inner * columns);
    for (std::size_t x = 0; x < b; ++x)
        for (std::size_t y = 0; y < k; ++y)
            for (std::size_t a = 0; a < inner; ++a)
                for (std::size_t z = 0; z < columns; ++z) {
                    const double row = entry(e, number(n, x * k + y) * inner + a);
                    of_w[x * k + y] +=
                        row * entry(u, a * columns + z) * entry(slope, x * columns + z);
                    of_u[a * columns + z] +=
                        row * entry(w, x * k + y) * entry(slope, x * columns + z);
                }
    CHECK(near(got["dL/dw"], doubles({b, k}, of_w), 1e-12));
    CHECK(near(got["dL/dU"], doubles({inner, columns}, of_u), 1e-12));
}

TEST_CASE("a single number that is looked up scales a product", "[lookups]") {
    array s(element::i32, {1});
    static_cast<int*>(s.data())[0] = 2;
    const program p = text("P^{kl} = \\sum_i B^{s_i} U^{km} V^{ml}");
    const array b = doubles({3}, {5, 7, 3}), u = drawn({6, 5}, 1), v = drawn({5, 8}, 2);
    const array got = run(p, {{"B", b}, {"s", s}, {"U", u}, {"V", v}})["P"];
    for (std::size_t k = 0; k < 6; ++k)
        for (std::size_t l = 0; l < 8; ++l) {
            double sum = 0;
            for (std::size_t m = 0; m < 5; ++m)
                sum += 3 * entry(u, k * 5 + m) * entry(v, m * 8 + l);
            CHECK(std::abs(entry(got, k * 8 + l) - sum) < 1e-12);
        }
}

TEST_CASE("what stands beside a scatter leaves it one", "[lookups]") {
    const std::size_t n = 50, m = 20;
    array places(element::i32, {n});
    for (std::size_t i = 0; i < n; ++i)
        places.as<std::int32_t, 1>()(i) = static_cast<std::int32_t>(7 * i % (m - 1));
    const array g = drawn({n}, 1);
    array y = drawn({m}, 2);
    entry(y, m - 1) = std::numeric_limits<double>::infinity();  // where nothing is added
    const program p = text("v^k = \\sum_i [k = t_i] g^i y^k");
    const std::vector<named> operands{{"t", places}, {"g", g}, {"y", y}};
    const array v = run(p, operands)["v"];
    for (std::size_t k = 0; k < m; ++k) {
        double expected = 0;
        for (std::size_t i = 0; i < n; ++i)
            if (7 * i % (m - 1) == k) expected += entry(g, i) * entry(y, k);
        CHECK(entry(v, k) == Approx(expected).margin(1e-12));
    }
    CHECK(explain(p, operands).find("added at") != std::string::npos);
}

TEST_CASE("numbers of which a gradient takes the shape alone are numbers still", "[lookups]") {
    array places(element::i32, {2, 3});
    for (int k = 0; k < 6; ++k) places.as<std::int32_t, 2>()(k / 3, k % 3) = 2 * k % 3;
    const array x = drawn({3}, 1);
    const std::vector<named> others{{"F", drawn({5, 2, 3}, 2)},
                                    {"t", places},
                                    {"B", drawn({2, 2}, 3)},
                                    {"R", drawn({2, 4}, 4)},
                                    {"D", drawn({2, 2}, 5)}};
    const program p = text(
        "K^{qy} = \\operatorname{mean}_k (\\tanh(F^{k+2,y,k} (X^{t_{yk}})^2) + X^k) B^{qy}\n"
        "V^{yb} = \\operatorname{mean}_o (R^{yo} K^{yy}) D^{yb}");
    array ones(element::f64, {2, 2});
    for (std::size_t k = 0; k < 4; ++k) entry(ones, k) = 1;
    std::vector<named> operands = others;
    operands.push_back({"X", x});
    operands.push_back({"dL/dV", ones});
    CHECK(near(run(gradient(p, "V", {"X"}), operands)["dL/dX"], differences(p, others, "V", "X", x),
               1e-7));
}

namespace {

/// Tokens with the experts that each goes to, and what comes of them, in long double.
struct mixture {
    std::size_t tokens = 40, experts = 4, in = 6, out = 9, each = 2;
    array E = drawn({experts, in, out}, 1), X = drawn({tokens, in}, 2),
          w = drawn({tokens, each}, 3), G = drawn({tokens, out}, 4),
          t = numbers_below(tokens * each, experts - 1, 5);

    mixture() {
        t = reshaped_numbers();
        // Nobody goes to the last expert, and what he would say is not read.
        for (std::size_t k = 0; k < in * out; ++k)
            entry(E, (experts - 1) * in * out + k) = std::nan("");
        entry(X, 7 * in + 2) = std::nan("");
    }
    array reshaped_numbers() const {
        array a(element::i32, {tokens, each});
        for (std::size_t k = 0; k < a.size(); ++k)
            static_cast<int*>(a.data())[k] = static_cast<const int*>(std::as_const(t).data())[k];
        return a;
    }
    std::vector<named> operands() const { return {{"E", E}, {"X", X}, {"w", w}, {"t", t}}; }

    long double y(std::size_t b, std::size_t f) const {
        long double sum = 0;
        for (std::size_t k = 0; k < each; ++k)
            for (std::size_t a = 0; a < in; ++a)
                sum += static_cast<long double>(entry(w, b * each + k)) *
                       entry(E, (number(t, b * each + k) * in + a) * out + f) *
                       entry(X, b * in + a);
        return sum;
    }
    long double slope_of_E(std::size_t e, std::size_t a, std::size_t f) const {
        long double sum = 0;
        for (std::size_t b = 0; b < tokens; ++b)
            for (std::size_t k = 0; k < each; ++k)
                if (number(t, b * each + k) == e)
                    sum += static_cast<long double>(entry(w, b * each + k)) * entry(X, b * in + a) *
                           entry(G, b * out + f);
        return sum;
    }
    long double slope_of_X(std::size_t b, std::size_t a) const {
        long double sum = 0;
        for (std::size_t k = 0; k < each; ++k)
            for (std::size_t f = 0; f < out; ++f)
                sum += static_cast<long double>(entry(w, b * each + k)) *
                       entry(E, (number(t, b * each + k) * in + a) * out + f) *
                       entry(G, b * out + f);
        return sum;
    }
    long double slope_of_w(std::size_t b, std::size_t k) const {
        long double sum = 0;
        for (std::size_t a = 0; a < in; ++a)
            for (std::size_t f = 0; f < out; ++f)
                sum += static_cast<long double>(entry(X, b * in + a)) * entry(G, b * out + f) *
                       entry(E, (number(t, b * each + k) * in + a) * out + f);
        return sum;
    }
};

void check_near(double got, long double want) {
    if (want != want) CHECK(got != got);
    else CHECK(std::abs(static_cast<long double>(got) - want) < 1e-12L);
}

}  // namespace

TEST_CASE("tokens that go to several experts are one product for each of these", "[lookups]") {
    const mixture m;
    const program p = text("Y^{bf} = \\sum_k w^{bk} E^{t_{bk} a f} X^{ba}");
    const std::string words = explain(p, m.operands());
    INFO(words);
    CHECK_THAT(words, Contains("by groups of rows: 4 products"));
    const array y = run(p, m.operands())["Y"];
    for (std::size_t b = 0; b < m.tokens; ++b)
        for (std::size_t f = 0; f < m.out; ++f) check_near(entry(y, b * m.out + f), m.y(b, f));
    auto slopes = m.operands();
    slopes.push_back({"dL/dY", m.G});
    const arrays got = run(gradient(p, "Y", {"E", "X", "w"}), slopes);
    for (std::size_t e = 0; e < m.experts; ++e)
        for (std::size_t a = 0; a < m.in; ++a)
            for (std::size_t f = 0; f < m.out; ++f)
                check_near(entry(got["dL/dE"], (e * m.in + a) * m.out + f), m.slope_of_E(e, a, f));
    for (std::size_t b = 0; b < m.tokens; ++b) {
        for (std::size_t a = 0; a < m.in; ++a)
            check_near(entry(got["dL/dX"], b * m.in + a), m.slope_of_X(b, a));
        for (std::size_t k = 0; k < m.each; ++k)
            check_near(entry(got["dL/dw"], b * m.each + k), m.slope_of_w(b, k));
    }
}

TEST_CASE("a token of no expert is refused before anything is written", "[lookups]") {
    mixture m;
    static_cast<int*>(m.t.data())[11] = 4;
    array y(element::f64, {m.tokens, m.out});
    auto operands = m.operands();
    operands.push_back({"Y", y});
    auto step = prepare(text("Y^{bf} = \\sum_k w^{bk} E^{t_{bk} a f} X^{ba}"), operands);
    CHECK_THROWS_WITH(step(), Contains("E"));
    for (const double v : values_of(y)) CHECK(v == 0);
}
