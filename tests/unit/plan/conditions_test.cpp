// Conditions made of tensors: bool and whole numbers among tensors of another type, against loops.
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <ricci/ricci.hpp>

#include "tests/catch.hpp"
#include "tests/unit/bound_program.hpp"

using namespace ricci;
using namespace ricci::literals;
using namespace ricci::testing;

namespace {

/// An input of bool or of whole numbers, row-major.
template <class T>
struct whole_input {
    shape extents, strides;
    std::unique_ptr<T[]> values;
    std::size_t count = 1;

    explicit whole_input(const shape& s) : extents(s), strides(s.size()) {
        for (std::size_t axis = s.size(); axis-- > 0;) {
            strides[axis] = static_cast<std::int64_t>(count);
            count *= static_cast<std::size_t>(s[axis]);
        }
        values = std::make_unique<T[]>(count);
    }
    T& operator()(std::int64_t i, std::int64_t j = 0) {
        return values[static_cast<std::size_t>(i * strides[0] +
                                               (strides.size() > 1 ? j * strides[1] : 0))];
    }
    void bind(bound_program& p, const char* name) {
        engine::operand o;
        o.name = p.name(name);
        o.rank = static_cast<std::int32_t>(extents.size());
        o.data = values.get();
        o.extents = extents.data();
        o.strides = strides.data();
        o.is_positions = true;
        o.positions = element_v<T>;
        p.inputs.push_back(o);
    }
};

const std::vector<element> all_types{element::f32, element::f64,  element::bf16, element::f16,
                                     element::c64, element::c128, element::i32,  element::i64};
constexpr std::int64_t rows = 6, columns = 7;

bool fits(double got, long double want, element type) {
    const double tolerance = size_of(type) == 2 ? 2e-2 : 1e-5;
    return std::abs(got - static_cast<double>(want)) <=
           tolerance * (1 + std::abs(static_cast<double>(want)));
}

/// Y of a text over x_i, of 1 to rows, and what `bind` binds.
template <class Bind, class Want>
void check(const std::string& text, element type, Bind bind, Want want) {
    INFO(text << ", " << name_of(type));
    bound_program p(text, type, 3);
    memory& x = p.allocate({rows}, layout::row_major);
    for (std::int64_t i = 0; i < rows; ++i) x.set(i, static_cast<double>(i + 1));
    p.input("x", x);
    bind(p);
    auto step = p.prepare();
    for (int times = 0; times < 2; ++times) {
        step.run();
        const auto got = p.result(p.name("Y")).values();
        const std::int64_t n = got.extents.size() > 1 ? got.extents[1] : 1;
        for (std::size_t k = 0; k < got.values.size(); ++k) {
            const auto at = static_cast<std::int64_t>(k);
            CHECK(fits(static_cast<double>(got.values[k]), want(at / n, at % n), type));
        }
    }
}

}  // namespace

TEST_CASE("masks of bool and of whole numbers", "[conditions]") {
    const auto with = [](auto tag) {
        using T = decltype(tag);
        whole_input<T> m({rows, columns});
        for (std::int64_t i = 0; i < rows; ++i)
            for (std::int64_t j = 0; j < columns; ++j) m(i, j) = T((3 * i + 2 * j) % 5 < 2);
        const auto bind = [&](bound_program& p) { m.bind(p, "m"); };
        const auto is = [&](std::int64_t i, std::int64_t j) { return m(i, j) != T(0); };
        for (const element type : all_types) {
            check("Y^{ij} = [m^{ij}] x^i", type, bind,
                  [&](auto i, auto j) { return is(i, j) ? i + 1 : 0; });
            check("Y^{i} = \\sum_j [m^{ij}] [j > 1] x^i", type, bind, [&](auto i, auto) {
                std::int64_t total = 0;
                for (std::int64_t j = 2; j < columns; ++j) total += is(i, j) ? i + 1 : 0;
                return total;
            });
            check(
                "Y^{ij} = \\begin{cases} x^i & \\text{if } m^{ij} \\\\ 2 & \\text{otherwise} "
                "\\end{cases}",
                type, bind, [&](auto i, auto j) { return is(i, j) ? i + 1 : 2; });
            check("Y^{ij} = [\\lnot m^{ij} \\lor i = j] x^i", type, bind,
                  [&](auto i, auto j) { return !is(i, j) || i == j ? i + 1 : 0; });
        }
    };
    with(bool{});
    with(std::int32_t{});
    with(std::int64_t{});
}

TEST_CASE("a mask is looked up", "[conditions]") {
    whole_input<bool> m({5});
    whole_input<std::int64_t> y({rows});
    for (std::int64_t i = 0; i < rows; ++i) y(i) = i == 2 ? -1 : (2 * i) % 5;
    for (std::int64_t k = 0; k < 5; ++k) m(k) = k % 2 == 0;
    for (const element type : all_types)
        check(
            "Y^{i} = [y_i \\ge 0] [m^{y_i}] x^i", type,
            [&](bound_program& p) {
                m.bind(p, "m");
                y.bind(p, "y");
            },
            [&](auto i, auto) { return y(i) >= 0 && m(y(i)) ? i + 1 : 0; });
}

TEST_CASE("whole numbers are compared as they are", "[conditions]") {
    // neither float nor, for the last, double tells these apart
    for (const std::int64_t large :
         {std::int64_t{0}, std::int64_t{1} << 24, std::int64_t{1} << 54}) {
        whole_input<std::int64_t> s({rows}), t({columns});
        for (std::int64_t i = 0; i < rows; ++i) s(i) = large + i;
        for (std::int64_t j = 0; j < columns; ++j) t(j) = large + 4 - j;
        const auto bind = [&](bound_program& p) {
            s.bind(p, "s");
            t.bind(p, "t");
        };
        for (const element type : all_types) {
            check("Y^{ij} = [s_i = t_j] x^i", type, bind,
                  [&](auto i, auto j) { return s(i) == t(j) ? i + 1 : 0; });
            check("Y^{ij} = [s_i < t_j] x^i", type, bind,
                  [&](auto i, auto j) { return s(i) < t(j) ? i + 1 : 0; });
            check("Y^{ij} = [s_i - t_j \\ge 1 \\land j < 3] x^i", type, bind,
                  [&](auto i, auto j) { return s(i) - t(j) >= 1 && j < 3 ? i + 1 : 0; });
            check("Y^{i} = \\sum_j [|s_i - t_j| \\le 1] x^i", type, bind, [&](auto i, auto) {
                std::int64_t total = 0;
                for (std::int64_t j = 0; j < columns; ++j)
                    total += std::abs(s(i) - t(j)) <= 1 ? i + 1 : 0;
                return total;
            });
        }
    }
    whole_input<std::int32_t> y({rows});
    for (std::int64_t i = 0; i < rows; ++i) y(i) = static_cast<std::int32_t>(1000 + 3 * i);
    for (const element type : all_types) {
        const auto bind = [&](bound_program& p) { y.bind(p, "y"); };
        check("Y^{i} = [y_i \\ge 1003] x^i", type, bind,
              [&](auto i, auto) { return y(i) >= 1003 ? i + 1 : 0; });
        check("Y^{i} = [2 y_i \\bmod 4 = 0] x^i", type, bind,
              [&](auto i, auto) { return 2 * y(i) % 4 == 0 ? i + 1 : 0; });
    }
}

TEST_CASE("a condition is 0 or 1", "[conditions]") {
    constexpr auto f = "Z^a = 2 q^a; Y^{ij} = [m^{ij}] x^i"_eq;
    tensor<float, 1> x({2}), q({3}), Z({3});
    tensor<std::int32_t, 2> m({2, 2});
    x(0) = 3, x(1) = 4, q(1) = 5;
    m(1, 0) = 1;
    auto step = prepare(f, "x"_t = x, "m"_t = m, "q"_t = q, "Z"_t = Z);
    step();
    CHECK(Z(1) == 10);
    CHECK(step["Y"_t](1, 0) == 4);
    CHECK(step["Y"_t](1, 1) == 0);
    m(0, 1) = 2;
    q(1) = 6;
    try {
        step();
        FAIL("not refused");
    } catch (const error& e) {
        CHECK(
            std::string(e.what()).find("m is a condition, and holds 0 and 1, and a number of it is "
                                       "2") != std::string::npos);
    }
    CHECK(Z(1) == 10);

    // other memory, of another type
    tensor<bool, 2> b({2, 2});
    b(0, 0) = true;
    step.bind("m"_t = b);
    step();
    CHECK(Z(1) == 12);
    CHECK(step["Y"_t](0, 0) == 3);
    CHECK(step["Y"_t](1, 0) == 0);

    constexpr auto g = "Y^i = [m] x^i"_eq;
    CHECK(g("x"_t = x, "m"_t = 1)["Y"_t](1) == 4);
    CHECK_THROWS_AS(g("x"_t = x, "m"_t = 0.5), error);

    // a program of conditions alone
    constexpr auto h = "Y^{ij} = [m^{ij} \\land i \\le j]"_eq;
    CHECK(h("m"_t = b)["Y"_t](0, 0) == 1);

    // floats are no condition, where no type says so before
    bound_program p("Y^{i} = [m^{i}] x^i", element::f32, 1);
    p.input("x", {3}).input("m", {3});
    CHECK_THROWS_AS(p.prepare(), error);
}

TEST_CASE("attention under a mask of bool is fused", "[conditions]") {
    constexpr auto f = R"(
        S^{hij} = \frac{1}{2} Q^{hia} K^{hja} - \infty \cdot [\lnot m^{ij}]
        A^{hij} = \operatorname{softmax}_j(S^{hij})
        O^{hic} = A^{hij} V^{hjc}
    )"_eq;
    constexpr auto g = gradient(f, "O"_t, wrt("Q"_t));
    const std::size_t n = 53;
    tensor<double, 3> Q({2, n, 4}), K({2, n, 4}), V({2, n, 3}), dO({2, n, 3});
    tensor<bool, 2> m({n, n});
    tensor<std::int32_t, 2> numbers({n, n});
    std::mt19937 random(2);
    for (auto* t : {&Q, &K, &V, &dO})
        for (std::size_t k = 0; k < t->size(); ++k)
            t->data()[k] = static_cast<double>(random() % 1000) * 2e-3 - 1;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
            m(i, j) = i != 7 && random() % 3 > 0, numbers(i, j) = m(i, j) ? 1 : 0;
    CHECK(explain(f, "Q"_t = Q, "K"_t = K, "V"_t = V, "m"_t = m).find("not stored: S") !=
          std::string::npos);
    const auto out = f("Q"_t = Q, "K"_t = K, "V"_t = V, "m"_t = m)["O"_t];
    const auto same = f("Q"_t = Q, "K"_t = K, "V"_t = V, "m"_t = numbers)["O"_t];
    const auto d = g("Q"_t = Q, "K"_t = K, "V"_t = V, "m"_t = m, "dL/dO"_t = dO)["dL/dQ"_t];
    for (std::size_t h = 0; h < 2; ++h)
        for (std::size_t i = 0; i < n; ++i) {
            std::vector<double> weight(n, 0);
            double total = 0;
            for (std::size_t j = 0; j < n; ++j) {
                double score = 0;
                for (std::size_t a = 0; a < 4; ++a) score += 0.5 * Q(h, i, a) * K(h, j, a);
                if (m(i, j)) total += weight[j] = std::exp(score);
            }
            if (total > 0)
                for (auto& w : weight) w /= total;
            std::array<double, 3> o{};
            std::array<double, 4> dq{};
            for (std::size_t j = 0; j < n; ++j)
                for (std::size_t c = 0; c < 3; ++c) o[c] += weight[j] * V(h, j, c);
            for (std::size_t j = 0; j < n; ++j) {
                double dw = 0;
                for (std::size_t c = 0; c < 3; ++c) dw += dO(h, i, c) * (V(h, j, c) - o[c]);
                for (std::size_t a = 0; a < 4; ++a) dq[a] += 0.5 * weight[j] * dw * K(h, j, a);
            }
            for (std::size_t c = 0; c < 3; ++c) {
                CHECK(std::abs(out(h, i, c) - o[c]) < 1e-12);
                CHECK(same(h, i, c) == out(h, i, c));
            }
            for (std::size_t a = 0; a < 4; ++a) CHECK(std::abs(d(h, i, a) - dq[a]) < 1e-12);
        }
}
