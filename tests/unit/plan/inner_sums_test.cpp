// Elements of 16 bits: what an equation computes on the way is float, and each tensor of the text is
// rounded once, when it is written.
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "tests/catch.hpp"
#include "tests/unit/bound_program.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

double rounded(double value, element type) {
    const auto single = static_cast<float>(value);
    return type == element::bf16 ? static_cast<float>(bf16(single))
                                 : static_cast<float>(f16(single));
}

struct operand_values {
    std::string name;
    shape extents;
    std::function<double(std::int64_t)> value;
};

bound_program bound(const std::string& text, element type, const std::vector<operand_values>& all) {
    bound_program p(text, type, 1);
    for (const auto& o : all) {
        auto& m = p.allocate(o.extents, layout::row_major);
        std::int64_t k = 0;
        m.each([&](std::int64_t offset) { m.set(offset, o.value(k++)); });
        p.input(o.name, m);
    }
    return p;
}
double first_of(bound_program& p, const std::string& name) {
    p.prepare().run();
    return p.result(p.name(name)).get(0);
}

const auto sixteen = [](std::int64_t) { return 16.0; };

}  // namespace

TEST_CASE("inner sums beyond the range of 16 bits") {
    // The sum of the squares is 262144, more than an f16 holds.
    const std::pair<const char*, double> cases[] = {
        {R"(y = \lVert x^j \rVert)", 512},
        {R"(y = \sqrt{\sum_j x^j x^j})", 512},
        {R"(y^i = \frac{x^i}{\sqrt{\sum_j x^j x^j}})", 0.03125},
        {R"(y^i = \frac{x^i}{\lVert x^j \rVert})", 0.03125},
        {R"(y = \log \sum_j x^j x^j)", std::log(262144.0)},
        {R"(y = \frac{x^j x^j}{\sum_k x^k x^k})", 1},
        {R"(y^i = \frac{1}{262144} x^i \sum_j x^j x^j)", 16},
    };
    for (const auto& [text, want] : cases) {
        INFO(text);
        auto p = bound(text, element::f16, {{"x", {1024}, sixteen}});
        CHECK(first_of(p, "y") == rounded(want, element::f16));
    }
    auto cosine =
        bound(R"(C^{ij} = \frac{Q^{ia} K^{ja}}{\sqrt{Q^{ib} Q^{ib}} \sqrt{K^{jc} K^{jc}}})",
              element::f16, {{"Q", {4, 1024}, sixteen}, {"K", {4, 1024}, sixteen}});
    CHECK(first_of(cosine, "C") == 1);
    auto layer_norm = bound(
        R"(y^i = \frac{x^i - \operatorname{mean}_a x^a}{\sqrt{\operatorname{mean}_a ((x^a - \operatorname{mean}_b x^b)^2) + 10^{-5}}})",
        element::f16, {{"x", {1024}, [](std::int64_t k) { return k % 2 == 0 ? -300.0 : 300.0; }}});
    CHECK(first_of(layer_norm, "y") == -1);
    auto share = bound(R"(y^i = \frac{x^i}{\sum_j x^j})", element::f16,
                       {{"x", {70000}, [](std::int64_t) { return 1.0; }}});
    CHECK(first_of(share, "y") == rounded(1.0 / 70000, element::f16));
}

TEST_CASE("results of 16 bits are the exact ones, rounded once") {
    const auto value = [](std::int64_t k) { return static_cast<double>((k * 37 + 11) % 64) / 64; };
    constexpr std::int64_t n = 64;
    for (const element type : {element::bf16, element::f16}) {
        long double sum = 0, squares = 0;
        for (std::int64_t k = 0; k < n; ++k) sum += value(k), squares += value(k) * value(k);
        const std::pair<const char*, std::function<long double(long double)>> cases[] = {
            {R"(y^i = x^i \sum_a x^a x^a)", [&](long double x) { return x * squares; }},
            {R"(y^i = \frac{x^i}{\sqrt{\sum_a x^a x^a}})",
             [&](long double x) { return x / std::sqrt(squares); }},
            {R"(y^i = \frac{x^i}{\sum_a x^a})", [&](long double x) { return x / sum; }},
            {R"(y^i = x^i - \operatorname{mean}_a x^a)",
             [&](long double x) { return x - sum / n; }},
        };
        for (const auto& [text, exact] : cases) {
            INFO(text);
            auto p = bound(text, type, {{"x", {n}, value}});
            p.prepare().run();
            int wrong = 0;
            for (std::int64_t k = 0; k < n; ++k) {
                const auto want = static_cast<double>(exact(value(k)));
                const double got = p.result(p.name("y")).get(k);
                // Half a unit of the last place, and what a float is off before that.
                wrong += std::abs(got - want) >
                         std::abs(rounded(want, type) - want) + 1e-6 * std::abs(want);
            }
            CHECK(wrong == 0);
        }
    }
}

TEST_CASE("sums that equations of 16 bits share are floats, and named ones are not") {
    auto p = bound(R"(N = x^j x^j
                      y^i = \frac{x^i}{\sqrt{\sum_j x^j x^j}}
                      z^i = x^i \sum_j x^j x^j / 262144)",
                   element::f16, {{"x", {1024}, sixteen}});
    p.prepare().run();
    CHECK(std::isinf(p.result(p.name("N")).get(0)));
    CHECK(p.result(p.name("y")).get(3) == 0.03125);
    CHECK(p.result(p.name("z")).get(3) == 16);
}

TEST_CASE("the gradient of a maximum with more equal values than 16 bits count") {
    for (const std::int64_t n : {65519, 65520, 70000}) {
        const auto maximum = program_of(read_equations(R"(m = \max_i x^i)"));
        const auto gradient = program_of(gradient_of(maximum.view(), "m", {"x"}));
        bound_program p(ir::program(gradient.view()), element::f16, 1);
        for (const char* name : {"x", "m", "dL/dm"}) {
            if (p.name(name) == ir::none || gradient.definition(p.name(name)) != ir::none) continue;
            auto& m = p.allocate(name[0] == 'x' ? shape{n} : shape{}, layout::row_major);
            m.each([&](std::int64_t offset) { m.set(offset, 1); });
            p.input(name, m);
        }
        CHECK(first_of(p, "dL/dx") == rounded(1.0 / static_cast<double>(n), element::f16));
    }
}

TEST_CASE("places that are looked up are whole numbers, whatever the elements") {
    for (const element type : {element::bf16, element::f16, element::f32, element::f64}) {
        bound_program p("y^i = E^{v_{t_i}}\nz^i = E^{v_{t_i}} + 1", type, 1);
        std::vector<memory> numbers;
        numbers.reserve(2);
        const auto whole = [&](const char* name, element held, std::vector<double> values) {
            auto& m = numbers.emplace_back(held, shape{static_cast<std::int64_t>(values.size())},
                                           layout::row_major, p.random());
            for (std::size_t k = 0; k < values.size(); ++k)
                m.set(static_cast<std::int64_t>(k), values[k]);
            p.input(name, m);
            p.inputs.back().is_positions = true;
            p.inputs.back().positions = held;
        };
        // 257 is no bf16, and 2049 no f16.
        auto& e = p.allocate({2050}, layout::row_major);
        for (std::int64_t k = 0; k < 2050; ++k) e.set(k, static_cast<double>(k % 199));
        p.input("E", e);
        whole("t", element::i64, {1, 0, 2});
        whole("v", element::i32, {2049, 257, 3});
        p.prepare().run();
        const double want[] = {257 % 199, 2049 % 199, 3};
        for (int k = 0; k < 3; ++k) {
            CHECK(p.result(p.name("y")).get(k) == want[k]);
            CHECK(p.result(p.name("z")).get(k) == want[k] + 1);
        }
    }
}
