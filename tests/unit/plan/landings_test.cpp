// Folds of values that land where numbers say, along one axis or several: beside loops in long
// double, with numbers that are no places and with NaN and infinity where a condition hides them.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "tests/catch.hpp"
#include "tests/unit/bound_program.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

constexpr std::int64_t count = 61, rows = 5, columns = 4, wide = 3;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Numbers a, b with some that are no places; w with NaN and infinities, some of which land where
/// they are seen; W and u without.
struct operands {
    static std::int64_t a(std::int64_t n) { return n % 11 == 3 ? -1 : (n * 7) % (rows + 1); }
    static std::int64_t b(std::int64_t n) { return n % 13 == 5 ? columns + 2 : (n * 5) % columns; }
    static double w(std::int64_t n) {
        if (n == 3 || n == 14) return std::nan("");  // lands nowhere
        if (n == 20) return -infinity;
        if (n == 12) return infinity;
        return 0.25 * static_cast<double>((n * 29) % 23) - 2;
    }
    static double plain(std::int64_t n) { return 0.25 * static_cast<double>((n * 29) % 23) - 2; }
    static double W(std::int64_t n, std::int64_t c) {
        return 0.5 * static_cast<double>((n * 17 + c * 5) % 19) - 4;
    }
    static double u(std::int64_t k) { return 0.5 * static_cast<double>(k) - 1; }

    static void bind(bound_program& p, const ir::program& program) {
        const auto vector = [&](const char* name, std::int64_t size, auto value) {
            if (p.name(name) == ir::none) return;
            memory& m = p.allocate({size});
            std::int64_t k = 0;
            m.each([&](std::int64_t at) { m.set(at, value(k++)); });
            p.input(name, m);
        };
        const auto numbers = [&](const char* name, auto value) {
            if (p.name(name) == ir::none) return;
            memory& m = p.allocate({count}, layout::shuffled, element::i32);
            std::int64_t k = 0;
            m.each([&](std::int64_t at) { m.set(at, static_cast<double>(value(k++))); });
            p.input(name, m);
            p.inputs.back().is_positions = true;
            p.inputs.back().positions = element::i32;
        };
        vector("w", count, w);
        vector("x", count, plain);
        vector("u", rows, u);
        if (p.name("W") != ir::none) {
            memory& m = p.allocate({count, wide});
            std::int64_t k = 0;
            m.each([&](std::int64_t at) { m.set(at, W(k / wide, k % wide)), ++k; });
            p.input("W", m);
        }
        numbers("a", a);
        numbers("b", b);
        for (const auto& [letter, extent] : {std::pair{"k", rows}, {"l", columns}})
            if (program.find_index({letter, 1}) != ir::none) p.extent(letter, extent);
    }
};

/// h of one or two axes: `start`, joined with `value` of each n with `lands`, then `end`.
struct landed_case {
    std::string text;
    std::vector<std::int64_t> extents;
    std::function<long double(std::int64_t, std::int64_t)> value;
};

using lands_at = std::function<bool(std::int64_t n)>;

long double sum(const lands_at& lands, const std::function<long double(std::int64_t)>& value) {
    long double total = 0;
    for (std::int64_t n = 0; n < count; ++n)
        if (lands(n)) total += value(n);
    return total;
}
long double folded(bool largest, const lands_at& lands, double (*value)(std::int64_t)) {
    long double found = largest ? -infinity : infinity;
    for (std::int64_t n = 0; n < count; ++n)
        if (lands(n)) {
            const long double x = value(n);
            if (std::isnan(x) || std::isnan(found)) found = std::nan("");
            else found = largest ? std::max(found, x) : std::min(found, x);
        }
    return found;
}
std::string cases(const std::string& value, const std::string& condition,
                  const std::string& otherwise) {
    return "\\begin{cases} " + value + " & \\text{if } " + condition + " \\\\ " + otherwise +
           " & \\text{otherwise} \\end{cases}";
}

std::vector<landed_case> all_cases() {
    using o = operands;
    const auto at = [](std::int64_t k) { return [k](std::int64_t n) { return o::a(n) == k; }; };
    const auto both = [](std::int64_t k, std::int64_t l) {
        return [=](std::int64_t n) { return o::a(n) == k && o::b(n) == l; };
    };
    const auto sum_of_w = [=](std::int64_t k, std::int64_t l) { return sum(both(k, l), o::w); };
    return {
        {R"(h^{kl} = \sum_n [k = a_n] [l = b_n] w^n)", {rows, columns}, sum_of_w},
        {R"(h^{kl} = \sum_n [k = a_n \land b_n = l] w^n)", {rows, columns}, sum_of_w},
        {R"(h^{lk} = \sum_n [k = a_n] [l = b_n] w^n)",
         {columns, rows},
         [=](std::int64_t l, std::int64_t k) { return sum_of_w(k, l); }},
        {R"(h^{kl} = u^k \sum_n [k = a_n \land l = b_n] x^n)",
         {rows, columns},
         [=](std::int64_t k, std::int64_t l) { return o::u(k) * sum(both(k, l), o::plain); }},
        {R"(h^{kl} = 1 + \sum_n [k = a_n \land l = b_n \land x^n > 0])",
         {rows, columns},
         [=](std::int64_t k, std::int64_t l) {
             return 1 + sum(both(k, l), [](std::int64_t n) { return o::plain(n) > 0 ? 1 : 0; });
         }},
        {R"(h^k = \sum_n [k = a_n \land w^n > -100] w^n)",
         {rows},
         [=](std::int64_t k, std::int64_t) {
             return sum(at(k), [](std::int64_t n) { return o::w(n) > -100 ? o::w(n) : 0; });
         }},
        {"h^k = \\sum_n " + cases("w^n", "k = a_n", "0"),
         {rows},
         [=](std::int64_t k, std::int64_t) { return sum(at(k), o::w); }},
        {"h^k = \\max_n " + cases("w^n", "k = a_n", "-\\infty"),
         {rows},
         [=](std::int64_t k, std::int64_t) { return folded(true, at(k), o::w); }},
        {"h^k = \\min_n " + cases("w^n", "a_n = k", "\\infty"),
         {rows},
         [=](std::int64_t k, std::int64_t) { return folded(false, at(k), o::w); }},
        {"h^{kl} = \\max_n " + cases("w^n", "k = a_n \\land l = b_n", "-\\infty"),
         {rows, columns},
         [=](std::int64_t k, std::int64_t l) { return folded(true, both(k, l), o::w); }},
        {"h^k = \\prod_n " + cases("x^n", "k = a_n", "1"),
         {rows},
         [=](std::int64_t k, std::int64_t) {
             long double product = 1;
             for (std::int64_t n = 0; n < count; ++n)
                 if (o::a(n) == k) product *= o::plain(n);
             return product;
         }},
        {R"(h^k = \log \sum_n [k = a_n] \exp(w^n))",
         {rows},
         [=](std::int64_t k, std::int64_t) {
             return std::log(sum(at(k), [](std::int64_t n) -> long double {
                 return std::exp(static_cast<long double>(o::w(n)));
             }));
         }},
        {R"(h^k = \sum_n [k = a_n] (x^n - u^k)^2)",
         {rows},
         [=](std::int64_t k, std::int64_t) {
             return sum(at(k), [&](std::int64_t n) {
                 const long double d = o::plain(n) - static_cast<long double>(o::u(k));
                 return d * d;
             });
         }},
        {"h^{ck} = \\max_n " + cases("W^{nc} - u^k", "k = a_n", "-\\infty"),
         {wide, rows},
         [=](std::int64_t c, std::int64_t k) {
             long double found = -infinity;
             for (std::int64_t n = 0; n < count; ++n)
                 if (o::a(n) == k) found = std::max<long double>(found, o::W(n, c) - o::u(k));
             return found;
         }},
    };
}

void check(const landed_case& c, element type, bool solves) {
    INFO(c.text << " in " << name_of(type));
    const auto program = bound_program::parsed(c.text);
    bound_program p(ir::program(program.view()), type, 3);
    p.solve_places = solves;
    operands::bind(p, program);
    auto step = p.prepare();
    step.run();
    const memory& h = p.result(p.name("h"));
    const auto got = h.values();
    REQUIRE(got.extents == c.extents);
    if (solves) CHECK(step.explain().find("lookups") != std::string::npos);
    const std::int64_t across = c.extents.size() > 1 ? c.extents[1] : 1;
    for (std::size_t k = 0; k < got.values.size(); ++k) {
        const auto at = static_cast<std::int64_t>(k);
        const long double want = c.value(at / across, at % across), have = got.values[k];
        bool is_right = have == want;
        if (std::isnan(want)) is_right = std::isnan(have);
        else if (!std::isinf(want))
            is_right = std::abs(have - want) <=
                       (type == element::f32 ? 2e-5L : 1e-13L) * (1 + std::abs(want));
        // The words take longer than all that they are of.
        if (is_right) continue;
        INFO("element " << k << " is " << static_cast<double>(have) << " and not "
                        << static_cast<double>(want) << "\n"
                        << step.explain());
        CHECK(is_right);
    }
}

}  // namespace

TEST_CASE("values are folded where they land") {
    for (const auto& c : all_cases())
        for (const element type : {element::f32, element::f64})
            for (const bool solves : {true, false}) check(c, type, solves);
}

TEST_CASE("gradients of what is folded where it lands") {
    const std::string texts[] = {
        R"(h^{kl} = \sum_n [k = a_n] [l = b_n] (x^n)^2)",
        R"(h^{kl} = u^k \sum_n [k = a_n \land l = b_n] x^n)",
        R"(h^k = \sum_n [k = a_n \land x^n > 0] (x^n)^2 u^k)",
        "h^k = \\max_n " + cases("x^n", "k = a_n", "-\\infty"),
        R"(h^k = \log \sum_n [k = a_n] \exp(x^n))",
        R"(h^k = \sum_n [k = a_n] (x^n - u^k)^2)",
    };
    for (const auto& text : texts)
        for (const bool solves : {true, false}) {
            INFO(text);
            const auto program = program_of(read_equations(text));
            const bool has_u = text.find("u^") != std::string::npos;
            const auto derived = program_of(has_u ? gradient_of(program.view(), "h", {"x", "u"})
                                                  : gradient_of(program.view(), "h", {"x"}));
            bound_program p(ir::program(derived.view()), element::f64, 7);
            p.solve_places = solves;
            operands::bind(p, derived);
            const bool pair = text.find("{kl}") != std::string::npos;
            if (p.name("dL/dh") != ir::none)
                p.input("dL/dh", pair ? shape{rows, columns} : shape{rows});
            CHECK(p.compare(1e-9) == "");
        }
}

namespace {

/// Windows of 4 x 4 elements of X, 2 and 3 apart, of which neighbours overlap.
struct windows {
    static constexpr std::int64_t height = 15, width = 19, down = 6, across = 6, size = 4;
    static double x(std::int64_t r, std::int64_t s) {
        return static_cast<double>((7 * r + 3 * s) % 5);  // with ties
    }
    static double slope(std::int64_t i, std::int64_t j) {
        return 0.5 * static_cast<double>((3 * i + 5 * j) % 7) - 1;
    }
    /// of_element(x, the largest of the window, how many are that) times the slope, where it is read.
    template <class F>
    static std::vector<long double> slopes(F of_element) {
        std::vector<long double> all(height * width);
        for (std::int64_t i = 0; i < down; ++i)
            for (std::int64_t j = 0; j < across; ++j) {
                double most = x(2 * i, 3 * j);
                int ties = 0;
                const auto each = [&](auto visit) {
                    for (std::int64_t k = 0; k < size; ++k)
                        for (std::int64_t l = 0; l < size; ++l) visit(2 * i + k, 3 * j + l);
                };
                each([&](auto r, auto s) { most = std::max(most, x(r, s)); });
                each([&](auto r, auto s) { ties += x(r, s) == most; });
                each([&](auto r, auto s) {
                    all[static_cast<std::size_t>(r * width + s)] +=
                        slope(i, j) * of_element(x(r, s), most, ties);
                });
            }
        return all;
    }
    static void check(const std::string& text, const std::vector<long double>& want, element type) {
        INFO(text);
        const auto program = program_of(read_equations(text));
        const auto derived = program_of(gradient_of(program.view(), "U", {"X"}));
        bound_program p(ir::program(derived.view()), type, 7);
        const auto filled = [&](const shape& extents, double (*value)(std::int64_t, std::int64_t)) {
            memory& m = p.allocate(extents);
            std::int64_t n = 0;
            m.each([&](std::int64_t at) {
                m.set(at, value(n / extents[1], n % extents[1]));
                ++n;
            });
            return &m;
        };
        p.input("X", *filled({height, width}, x)).input("dL/dU", *filled({down, across}, slope));
        for (const char* const letter : {"k", "l"})
            if (derived.find_index({letter, 1}) != ir::none) p.extent(letter, size);
        p.output("dL/dX", {height, width});
        auto step = p.prepare();
        step.run();
        INFO(step.explain());
        const auto got = p.result(p.name("dL/dX")).values();
        for (std::size_t n = 0; n < want.size(); ++n)
            REQUIRE(std::abs(got.values[n] - want[n]) <=
                    (type == element::f32 ? 2e-5L : 1e-12L) * (1 + std::abs(want[n])));
    }
};

}  // namespace

// The slope of what is read at 2 i + k lands there again, from all k.
TEST_CASE("windows that overlap give their slopes back") {
    const auto shared = windows::slopes(
        [](double x, double most, int ties) { return x == most ? 1.0L / ties : 0.0L; });
    const auto exponentials = windows::slopes(
        [](double x, double, int) { return std::exp(static_cast<long double>(x)); });
    for (const element type : {element::f32, element::f64}) {
        windows::check(R"(U^{ij} = \max_{k,l}(X^{2 i + k, 3 j + l}))", shared, type);
        windows::check(R"(U^{ij} = \sum_{k,l} \exp(X^{2 i + k, 3 j + l}))", exponentials, type);
    }
}

TEST_CASE("what is unfolded is folded up again") {
    const auto program = program_of(read_equations("U^{ik} = x^{2 i + k}"));
    const auto derived = program_of(gradient_of(program.view(), "U", {"x"}));
    for (const std::int64_t size : {2, 3, 4, 6})
        for (const element type : {element::f32, element::f64}) {
            const std::int64_t rounds = 7, length = 2 * (rounds - 1) + size;
            bound_program p(ir::program(derived.view()), type, 7);
            memory& slopes = p.allocate({rounds, size});
            std::int64_t n = 0;
            slopes.each([&](std::int64_t at) { slopes.set(at, static_cast<double>(++n % 11)); });
            p.input("dL/dU", slopes).output("dL/dx", {length});
            if (p.name("x") != ir::none) p.input("x", {length});
            p.prepare().run();
            std::vector<double> want(static_cast<std::size_t>(length));
            const auto given = slopes.values();
            for (std::int64_t i = 0; i < rounds; ++i)
                for (std::int64_t k = 0; k < size; ++k)
                    want[static_cast<std::size_t>(2 * i + k)] +=
                        static_cast<double>(given.values[static_cast<std::size_t>(i * size + k)]);
            const auto got = p.result(p.name("dL/dx")).values();
            for (std::size_t k = 0; k < want.size(); ++k) CHECK(got.values[k] == want[k]);
        }
}

TEST_CASE("the gradient of a part is that of its place") {
    const auto program = program_of(
        read_equations("N^{0ic} = a^{ic} w^c\n N^{1ic} = b^{ic} a^{ic}\n N^{2ic} = b^{ic}"));
    for (const element type : {element::f32, element::f64}) {
        bound_program p(program_of(gradient_of(program.view(), "N", {"a", "b", "w"})), type, 7);
        for (const char* const name : {"a", "b"})
            if (p.name(name) != ir::none) p.input(name, {5, 6});
        if (p.name("w") != ir::none) p.input("w", {6});
        p.input("dL/dN", {3, 5, 6});
        CHECK(p.compare() == "");
    }
}
