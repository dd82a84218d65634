// Places that need not exist, as a bracket above them is false: against loops, and in the
// derivatives.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <ricci/error.hpp>
#include <ricci/engine/executable.hpp>

#include "tests/catch.hpp"
#include "tests/front.hpp"
#include "tests/unit/bound_program.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

constexpr std::int64_t rows = 9, width = 5, wide = 4;
const std::vector<element> all_types{element::f32,  element::f64,  element::c64,
                                     element::c128, element::bf16, element::f16};

/// Whole numbers of another type, where a text says places or conditions.
struct whole_numbers {
    std::vector<std::int32_t> values;
    std::int64_t extent = 0, stride = 1;
};

whole_numbers targets(std::int32_t wrong) {
    whole_numbers y{{}, rows, 1};
    for (std::int32_t i = 0; i < rows; ++i) y.values.push_back(i % 3 == 1 ? wrong : i % width);
    return y;
}

void bind_whole(bound_program& p, const char* name, whole_numbers& x) {
    engine::operand o;
    o.name = p.name(name);
    if (o.name == ir::none) return;
    o.rank = 1;
    o.data = x.values.data();
    o.extents = &x.extent;
    o.strides = &x.stride;
    o.is_positions = true;
    o.positions = element::i32;
    p.inputs.push_back(o);
}

/// Inputs by their names: Z and X positive, y with places that do not exist, s and n for places of
/// places.
struct given {
    whole_numbers y, s{{}, rows, 1}, n{{}, width, 1};
    explicit given(std::int32_t wrong) : y(targets(wrong)) {
        for (std::int32_t i = 0; i < rows; ++i) s.values.push_back(i % 4 == 0 ? wrong : i % width);
        for (std::int32_t i = 0; i < width; ++i) n.values.push_back(i == 2 ? wrong : i);
    }
    static double z(std::int64_t i, std::int64_t v) {
        return 0.25 + 0.1 * static_cast<double>((3 * i + 5 * v) % 7);
    }
    static double x(std::int64_t i, std::int64_t j) {
        return 0.5 - 0.2 * static_cast<double>((2 * i + 3 * j) % 5);
    }
    static double w(std::int64_t i) { return 1 + 0.5 * static_cast<double>(i % 3); }

    void bind(bound_program& p) {
        const auto matrix = [&](const char* name, const shape& extents, auto value) {
            if (p.name(name) == ir::none) return;
            memory& m = p.allocate(extents);
            std::int64_t k = 0;
            m.each([&](std::int64_t at) {
                const std::int64_t columns = extents.size() > 1 ? extents[1] : 1;
                m.set(at, value(k / columns, k % columns));
                ++k;
            });
            p.input(name, m);
        };
        matrix("Z", {rows, width}, z);
        matrix("X", {rows, wide}, x);
        matrix("w", {rows}, [](std::int64_t i, std::int64_t) { return w(i); });
        bind_whole(p, "y", y);
        bind_whole(p, "s", s);
        bind_whole(p, "n", n);
    }
    std::int64_t at(std::int64_t i) const { return y.values[static_cast<std::size_t>(i)]; }
    bool is_true(std::int64_t i) const { return at(i) >= 0; }
    bool exists(std::int64_t i) const { return at(i) >= 0 && at(i) < width; }
};

using formula = std::function<double(const given&, std::int64_t, std::int64_t)>;

struct place_case {
    const char* text;
    std::int64_t first, second;  // extents of Y
    formula value;
    std::vector<element> types = {element::f32, element::f64};
};

double sum(const std::function<double(std::int64_t)>& term) {
    double total = 0;
    for (std::int64_t i = 0; i < rows; ++i) total += term(i);
    return total;
}
/// Of row i of Z at y_i, or what it is where the place is not wanted.
double picked(const given& g, std::int64_t i, double otherwise = 0) {
    return g.is_true(i) ? given::z(i, g.at(i)) : otherwise;
}

std::vector<place_case> all_cases() {
    const auto each = [](auto f) {
        return formula([f](const given& g, std::int64_t i, std::int64_t) { return f(g, i); });
    };
    const auto plain = each([](const given& g, std::int64_t i) { return picked(g, i); });
    const auto total = [](auto f) {
        return formula([f](const given& g, std::int64_t, std::int64_t) {
            return sum([&](std::int64_t i) { return f(g, i); });
        });
    };
    return {
        {"Y^i = [y_i \\ge 0] Z^{i y_i}", rows, 1, plain, all_types},
        {"Y^i = Z^{i y_i} [y_i \\ge 0]", rows, 1, plain},
        {"Y^i = [y_i \\ge 0] (Z^{i y_i})", rows, 1, plain},
        {"Y^i = \\begin{cases} Z^{i y_i} & \\text{if } y_i \\ge 0 \\\\ 0 & \\text{otherwise} "
         "\\end{cases}",
         rows, 1, plain},
        {"Y^i = \\begin{cases} 0 & \\text{if } y_i < 0 \\\\ Z^{i y_i} & \\text{otherwise} "
         "\\end{cases}",
         rows, 1, plain},
        {"Y^i = [y_i \\ge 0] \\log Z^{i y_i}", rows, 1,
         each([](const given& g, std::int64_t i) { return std::log(picked(g, i, 1)); })},
        {"Y^i = [y_i \\ge 0] \\max(Z^{i y_i}, 2 w^i)", rows, 1,
         each([](const given& g, std::int64_t i) {
             return g.is_true(i) ? std::max(picked(g, i), 2 * given::w(i)) : 0;
         })},
        {"Y^i = \\frac{[y_i \\ge 0]}{Z^{i y_i}}", rows, 1,
         each([](const given& g, std::int64_t i) { return g.is_true(i) ? 1 / picked(g, i) : 0; })},
        {"Y^i = [y_i \\ge 0] (Z^{i y_i} - w^i)^2 + w^i", rows, 1,
         each([](const given& g, std::int64_t i) {
             const double d = picked(g, i) - given::w(i);
             return (g.is_true(i) ? d * d : 0) + given::w(i);
         })},
        {"Y = \\sum_i [y_i \\ge 0] Z^{i y_i}", 1, 1,
         total([](const given& g, std::int64_t i) { return picked(g, i); })},
        {"Y = \\sum_i [y_i \\ge 0] Z^{i y_i} w^i", 1, 1,
         total([](const given& g, std::int64_t i) { return picked(g, i) * given::w(i); })},
        {"Y = -\\frac{\\sum_i [y_i \\ge 0] \\log Z^{i y_i}}{\\sum_i [y_i \\ge 0]}", 1, 1,
         formula([](const given& g, std::int64_t, std::int64_t) {
             return -sum([&](std::int64_t i) { return std::log(picked(g, i, 1)); }) /
                    sum([&](std::int64_t i) { return g.is_true(i) ? 1 : 0; });
         })},
        {"m^i = [y_i \\ge 0]\nY = -\\frac{\\sum_i m^i \\log Z^{i y_i}}{\\sum_i m^i}", 1, 1,
         formula([](const given& g, std::int64_t, std::int64_t) {
             return -sum([&](std::int64_t i) { return std::log(picked(g, i, 1)); }) /
                    sum([&](std::int64_t i) { return g.is_true(i) ? 1 : 0; });
         })},
        {"m^i = \\begin{cases} 1 & \\text{if } y_i \\ge 0 \\\\ 0 & \\text{otherwise} \\end{cases}\n"
         "k^i = m^i [w^i < 2]\nY^i = k^i Z^{i y_i}",
         rows, 1,
         each([](const given& g, std::int64_t i) { return given::w(i) < 2 ? picked(g, i) : 0; })},
        {"Y^j = \\sum_i [y_i \\ge 0] Z^{i y_i} X^{ij}", wide, 1,
         formula([](const given& g, std::int64_t j, std::int64_t) {
             return sum([&](std::int64_t i) { return picked(g, i) * given::x(i, j); });
         })},
        {"Y^{ij} = [y_i \\ge 0] Z^{i y_i} X^{ij}", rows, wide,
         formula([](const given& g, std::int64_t i, std::int64_t j) {
             return picked(g, i) * given::x(i, j);
         })},
        {"Y^{j} = \\sum_i [y_i \\ge 0] \\log(Z^{i y_i}) X^{ij}", wide, 1,
         formula([](const given& g, std::int64_t j, std::int64_t) {
             return sum([&](std::int64_t i) { return std::log(picked(g, i, 1)) * given::x(i, j); });
         })},
        {"Y^{ic} = \\sum_j [y_j \\ge 0] X^{ic} X^{jc} Z^{j y_j}", rows, wide,
         formula([](const given& g, std::int64_t i, std::int64_t c) {
             return given::x(i, c) *
                    sum([&](std::int64_t j) { return given::x(j, c) * picked(g, j); });
         })},
        {"Y^{i} = \\sum_j [y_j \\ge 0] [j \\le i] Z^{j y_j} w^j", rows, 1,
         formula([](const given& g, std::int64_t i, std::int64_t) {
             return sum([&](std::int64_t j) { return j <= i ? picked(g, j) * given::w(j) : 0; });
         })},
        {"Y^{ij} = \\exp(Z^{j y_j} w^i - \\infty \\cdot [y_j < 0])", rows, rows,
         formula([](const given& g, std::int64_t i, std::int64_t j) {
             return g.is_true(j) ? std::exp(picked(g, j) * given::w(i)) : 0;
         })},
        {"S^{ij} = Z^{j y_j} w^i - \\infty \\cdot [y_j < 0]\n"
         "A^{ij} = \\operatorname{softmax}_j(S^{ij})\nY^{ic} = A^{ij} X^{jc}",
         rows, wide, formula([](const given& g, std::int64_t i, std::int64_t c) {
             const auto weight = [&](std::int64_t j) {
                 return g.is_true(j) ? std::exp(picked(g, j) * given::w(i)) : 0;
             };
             return sum([&](std::int64_t j) { return weight(j) * given::x(j, c); }) / sum(weight);
         })},
        {"Y^{i} = [y_i \\ge 0 \\land Z^{i y_i} > 0.5]", rows, 1,
         each([](const given& g, std::int64_t i) {
             return g.is_true(i) && picked(g, i) > 0.5 ? 1 : 0;
         })},
        {"Y^{i} = [y_i < 0 \\lor Z^{i y_i} > 0.5]", rows, 1,
         each([](const given& g, std::int64_t i) {
             return !g.is_true(i) || picked(g, i) > 0.5 ? 1 : 0;
         })},
        {"Y^{i} = [y_i \\ge 0] [Z^{i y_i} > 0.5] Z^{i y_i}", rows, 1,
         each(
             [](const given& g, std::int64_t i) { return picked(g, i) > 0.5 ? picked(g, i) : 0; })},
        {"Y^{i} = \\begin{cases} 2 & \\text{if } y_i < 0 \\\\ 1 & \\text{if } Z^{i y_i} > 0.5 \\\\ "
         "Z^{i y_i} & \\text{otherwise} \\end{cases}",
         rows, 1, each([](const given& g, std::int64_t i) {
             return !g.is_true(i) ? 2 : picked(g, i) > 0.5 ? 1 : picked(g, i);
         })},
        {"T^i = [y_i \\ge 0] \\sum_c Z^{i y_i} X^{ic}\n"
         "Y^i = T^i + [y_i \\ge 0] \\sum_c Z^{i y_i} X^{ic}",
         rows, 1, each([](const given& g, std::int64_t i) {
             double row = 0;
             for (std::int64_t c = 0; c < wide; ++c) row += picked(g, i) * given::x(i, c);
             return 2 * row;
         })},
        {"T = \\sum_{i,c} [y_i \\ge 0] Z^{i y_i} X^{ic} w^i\n"
         "Y = T + \\sum_{i,c} [y_i \\ge 0] Z^{i y_i} X^{ic} w^i",
         1, 1, total([](const given& g, std::int64_t i) {
             double inner = 0;
             for (std::int64_t c = 0; c < wide; ++c) inner += given::x(i, c);
             return 2 * picked(g, i) * inner * given::w(i);
         })},
        {"Y^i = [s_i \\ge 0] [n_{s_i} \\ge 0] Z^{i n_{s_i}} + 0 w^i", rows, 1,
         each([](const given& g, std::int64_t i) {
             const auto s = g.s.values[static_cast<std::size_t>(i)];
             if (s < 0) return 0.0;
             const auto n = g.n.values[static_cast<std::size_t>(s)];
             return n < 0 ? 0.0 : given::z(i, n);
         })},
    };
}

/// Y of a case that runs twice.
std::vector<long double> run(const std::string& text, element type, given& g, bool fuse) {
    bound_program p(text, type, 3);
    p.fuse = fuse;
    g.bind(p);
    auto step = p.prepare();
    step.run();
    step.run();
    return p.result(p.name("Y")).values().values;
}

}  // namespace

TEST_CASE("a place under a false bracket need not exist", "[brackets]") {
    for (const auto& c : all_cases())
        for (const element type : c.types)
            for (const bool fuse : {true, false}) {
                INFO(c.text << ", " << name_of(type));
                given g(-1);
                const auto got = run(c.text, type, g, fuse);
                REQUIRE(static_cast<std::int64_t>(got.size()) == c.first * c.second);
                const bool narrow = size_of(type) == 2;
                for (std::int64_t k = 0; k < c.first * c.second; ++k) {
                    const double want = c.value(g, k / c.second, k % c.second);
                    const double tolerance = narrow ? 1e-2 : type == element::f64 ? 1e-12 : 1e-5;
                    CHECK(std::abs(static_cast<double>(got[static_cast<std::size_t>(k)]) - want) <=
                          tolerance * (1 + std::abs(want)));
                }
            }
}

TEST_CASE("a place under a true bracket has to exist", "[brackets]") {
    for (const auto& c : all_cases()) {
        INFO(c.text);
        // y_i >= 0 holds, and the axis has no place 7
        given g(7);
        bound_program p(c.text, element::f64, 3);
        g.bind(p);
        memory& out = p.allocate(c.second > 1  ? shape{c.first, c.second}
                                 : c.first > 1 ? shape{c.first}
                                               : shape{});
        out.each([&](std::int64_t at) { out.set(at, 3); });
        p.output("Y", out);
        auto step = p.prepare();
        try {
            step.run();
            FAIL("not refused");
        } catch (const error& e) {
            CHECK(std::string(e.what()).find(" is 7.") != std::string::npos);
        }
        for (const auto v : out.values().values) CHECK(v == 3);
    }
}

TEST_CASE("derivatives of what a bracket hides", "[brackets]") {
    struct derived_case {
        const char* text;
        formula derivative;  // of L by Z^{iv}
    };
    const derived_case cases[] = {
        {"L = \\sum_i [y_i \\ge 0] \\log Z^{i y_i}",
         [](const given& g, std::int64_t i, std::int64_t v) {
             return g.at(i) == v ? 1 / given::z(i, v) : 0;
         }},
        {"m^i = [y_i \\ge 0]\nL = -\\frac{\\sum_i m^i \\log Z^{i y_i}}{\\sum_i m^i}",
         [](const given& g, std::int64_t i, std::int64_t v) {
             return g.at(i) == v ? -1 / given::z(i, v) / 6 : 0;
         }},
        {"C^i = \\begin{cases} (Z^{i y_i})^2 & \\text{if } y_i \\ge 0 \\\\ 0 & \\text{otherwise} "
         "\\end{cases}\nL = \\sum_i C^i",
         [](const given& g, std::int64_t i, std::int64_t v) {
             return g.at(i) == v ? 2 * given::z(i, v) : 0;
         }},
        {"L = \\sum_i [y_i \\ge 0] (\\operatorname{logsumexp}_v(Z^{iv}) - Z^{i y_i})",
         [](const given& g, std::int64_t i, std::int64_t v) {
             double total = 0;
             for (std::int64_t u = 0; u < width; ++u) total += std::exp(given::z(i, u));
             if (!g.is_true(i)) return 0.0;
             return std::exp(given::z(i, v)) / total - (g.at(i) == v ? 1 : 0);
         }},
    };
    for (const auto& c : cases)
        for (const element type : {element::f32, element::f64}) {
            INFO(c.text);
            auto derived = gradient_of(program_of(read_equations(c.text)), "L", {"Z"}, true);
            REQUIRE(!derived.mistake);
            bound_program p(derived.program, type, 1);
            given g(-1);
            g.bind(p);
            p.number("dL/dL", 1);
            p.prepare().run();
            const auto got = p.result(p.name("dL/dZ")).values().values;
            for (std::int64_t k = 0; k < rows * width; ++k)
                CHECK(std::abs(static_cast<double>(got[static_cast<std::size_t>(k)]) -
                               c.derivative(g, k / width, k % width)) <= 1e-5);
        }
}

TEST_CASE("a plain tensor of numbers excuses no place", "[brackets]") {
    given g(-1);
    bound_program p("Y = \\sum_i w^i Z^{i y_i}", element::f64, 3);
    g.bind(p);
    CHECK_THROWS_AS(p.prepare().run(), error);
}

TEST_CASE("arithmetic of places beside an axis: conditions on positions have to exclude it",
          "[brackets]") {
    struct use {
        std::string text;
        std::int64_t w;  // the extent of w; x has 4 places
        const char* mistake;
    };
    const use uses[] = {
        {"y_i = [i \\ge 1] w^i x_{i-1}", 4, ""},
        {"y_i = [i \\ge 1] w^i x_{i-2}", 4, "the place -1 is read where i = 1"},
        {"y_i = [i \\ge 1] w^i x_{i-1}", 6, "the place 4 is read where i = 5"},
        {"y_i = [i \\ge 1 \\land i \\le 4] w^i x_{i-1}", 6, ""},
        {"y_i = [i \\ge 1] [i < 5] w^i x_{i-1}", 6, ""},
        {"y_i = [w^i > 0] x_{i-1}", 4, "the place -1 is read where i = 0"},
        {"y_i = [w^i > 0] [i \\ge 1] x_{i-1}", 4, ""},
        {"y_i = \\begin{cases} w^i x_{i-1} & \\text{if } i \\ge 1 \\\\ 0 & \\text{otherwise} "
         "\\end{cases}",
         4, ""},
        {"y_i = \\begin{cases} 0 & \\text{if } i < 1 \\\\ w^i x_{i-1} & \\text{otherwise} "
         "\\end{cases}",
         4, ""},
        {"y_i = \\begin{cases} w^i & \\text{if } i < 1 \\\\ w^i x_{i-2} & \\text{otherwise} "
         "\\end{cases}",
         4, "the place -1 is read where i = 1"},
        {"y_i = \\sum_j [j \\ge 1] [i = 0] w^i w^j x_{i+j-1}", 4, ""},
        {"y_i = \\sum_j [j \\ge 1] w^i w^j x_{i+j-1}", 4, "the place 4 is read where i = 2, j = 3"},
        {"y_i = \\sum_j [j \\ge 1] [i + j \\le 4] w^i w^j x_{i+j-1}", 4, ""},
    };
    for (const use& u : uses) {
        INFO(u.text);
        bound_program p(u.text, element::f64, 5);
        p.input("x", {4}).input("w", {u.w});
        std::string said;
        try {
            said = p.compare();
        } catch (const error& e) {
            said = e.what();
        }
        if (*u.mistake) CHECK(said.find(u.mistake) != std::string::npos);
        else CHECK(said == "");
    }
}
