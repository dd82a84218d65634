// Scores of any size: rows and columns that are apart by up to 1e30, hidden by finite masks, or all
// of them hidden. What groups make of them, and all gradients, is as exact as a softmax in long
// double of the very scores that the run had.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "tests/catch.hpp"
#include "tests/few.hpp"
#include "tests/unit/bound_program.hpp"
#include "tests/unit/fused/softmax_oracle.hpp"

#include "src/kernels/targets.hpp"

namespace {

using ricci::element;
using ricci::testing::bound_program;
using ricci::testing::layout;
using ricci::testing::memory;
using ricci::testing::softmax_oracle;
using ricci::testing::softmax_sizes;

// S^{hij} are the scores; what A is the softmax of stands in their place in a causal text.
const std::string scores = R"(S^{hij} = \frac{1}{4} Q^{hia} K^{hja} + B^{hij})";
const std::string of_one_key = R"(S^{hij} = \frac{1}{4} Q^{hia} K^{ja} + B^{hij})";
const std::string plain = R"(
    A^{hij} = \operatorname{softmax}_j(S^{hij}))";
const std::string by_hand = R"(
    A^{hij} = \frac{\exp(S^{hij})}{\sum_{j'} \exp(S^{hij'})})";
const std::string causal = R"(
    A^{hij} = \operatorname{softmax}_j(\begin{cases} S^{hij} & \text{if } j \le i \\
        -\infty & \text{otherwise} \end{cases}))";
const std::string values = R"(
    O^{hic} = A^{hij} V^{hjc})";
const std::string received = R"(
    W^{hj} = \sum_i A^{hij})";
const std::string of_products = R"(S^{hij} = \frac{1}{4} Q^{hia} K^{hja})";
const std::string by_logsumexp = R"(
    l^{hi} = \operatorname{logsumexp}_j(S^{hij})
    A^{hij} = \exp(S^{hij} - l^{hi}))";
const std::string losses = R"(
    O^{hi} = \operatorname{logsumexp}_j(S^{hij}) - S^{hi y_{hi}})";
const std::string entropy = R"(
    l^{hi} = \operatorname{logsumexp}_j(S^{hij})
    O^{hi} = l^{hi} - T^{hij} S^{hij})";

struct kind {
    std::string text;
    bool is_causal = false, one_key = false;
    bool has_values = true;  // else the logarithms of sums, less some scores
    bool is_loss = false;
};

const std::vector<kind> kinds = {
    {scores + plain + values},
    {scores + plain + values + received},
    {scores + by_hand + values},
    {scores + causal + values, true},
    {of_one_key + plain + values, false, true},
    {scores + entropy, false, false, false},
    {scores + by_logsumexp + values},
    {of_products + by_logsumexp + values},
    {scores + losses, false, false, false, true},
    {of_products + losses, false, false, false, true},
};

/// How far apart the rows and columns of a case are.
enum class apart { none, rows, columns, masks, hidden, products };

/// What is added to scores: 0, offsets up to 1e30 either way, or masks as they are written.
void draw_added(memory& b, const softmax_sizes& s, apart how, bool infinite, std::mt19937& random) {
    const double lowest = b.type == element::f32 ? -3.4e38 : -1.7e308;
    const double masks[] = {-1e9, -1e10, 1e9, infinite ? -INFINITY : -1e4, lowest};
    std::uniform_real_distribution<double> size(0, 30), unit(-1, 1);
    const auto offset = [&] { return std::copysign(std::pow(10, size(random)), unit(random)); };
    std::vector<double> row(static_cast<std::size_t>(s.rows)),
        column(static_cast<std::size_t>(s.columns));
    for (double& x : row) x = how == apart::rows ? offset() : 0;
    for (double& x : column) x = how == apart::columns && random() % 4 == 0 ? offset() : 0;
    std::int64_t k = 0;
    b.each([&](std::int64_t at) {
        const std::int64_t i = k / s.columns % s.rows, j = k % s.columns;
        ++k;
        double x =
            unit(random) + row[static_cast<std::size_t>(i)] + column[static_cast<std::size_t>(j)];
        if (how == apart::masks && random() % 3 == 0) x += masks[static_cast<std::size_t>(i) % 5];
        if (how == apart::hidden && i % 2 == 0) x += masks[static_cast<std::size_t>(i / 2) % 5];
        b.set(at, x);
    });
}

/// Products of these are exact in float: whole numbers, for `far` rows with powers of two up to
/// 1e15.
void draw_factor(memory& q, std::int64_t width, bool far, std::mt19937& random) {
    std::int64_t k = 0;
    double scale = 1;
    q.each([&](std::int64_t at) {
        if (k++ % width == 0 && far) scale = std::ldexp(1.0, static_cast<int>(random() % 50));
        q.set(at, scale * (static_cast<double>(random() % 9) - 4));
    });
}

enum class derived { none, by_factors, by_all };

ricci::ir::program program_of(const kind& what, derived gradients) {
    using namespace ricci::testing;
    if (gradients == derived::none) return bound_program::parsed(what.text);
    std::vector<std::string> wrt = {"Q", "K"};
    if (what.has_values) wrt.emplace_back("V");
    if (gradients == derived::by_all && what.text.find("B^") != std::string::npos)
        wrt.emplace_back("B");
    return ricci::testing::program_of(
        gradient_of(bound_program::parsed(what.text), "O", wrt, true));
}

struct settings {
    element type;
    apart how;
    bool keeps = false, inexact = false;
    unsigned seed = 1;
};

std::string check(const kind& what, const ricci::ir::program& program, const softmax_sizes& s,
                  const settings& c) {
    bound_program p(ricci::ir::program(program.view()), c.type, c.seed);
    const layout l = c.seed % 3 == 0 ? layout::shuffled : layout::row_major;
    auto& random = p.random();
    auto& q = p.allocate({s.heads, s.rows, s.width}, l);
    auto& k = what.one_key ? p.allocate({s.columns, s.width}, l)
                           : p.allocate({s.heads, s.columns, s.width}, l);
    auto& b = p.allocate({s.heads, s.rows, s.columns}, l);
    if (!c.inexact || c.how == apart::products) {
        draw_factor(q, s.width, c.how == apart::products, random);
        draw_factor(k, s.width, c.how == apart::products, random);
    }
    draw_added(b, s, c.how, c.seed % 2 == 0, random);
    p.input("Q", q).input("K", k);
    const bool added = p.name("B") >= 0;
    if (added) p.input("B", b);
    else b.each([&](std::int64_t at) { b.set(at, 0); });
    auto& g = p.allocate(what.has_values ? ricci::testing::shape{s.heads, s.rows, s.values}
                                         : ricci::testing::shape{s.heads, s.rows});
    if (p.name("dL/dO") >= 0) p.input("dL/dO", g);
    memory* v = nullptr;
    if (what.has_values) p.input("V", *(v = &p.allocate({s.heads, s.columns, s.values}, l)));
    memory *t = nullptr, *y = nullptr;
    if (what.is_loss) {
        p.input("y", *(y = &p.allocate({s.heads, s.rows}, l)));
        y->each([&](std::int64_t at) {
            y->set(at, static_cast<double>(random() % static_cast<unsigned>(s.columns)));
        });
    } else if (!what.has_values) {
        p.input("T", *(t = &p.allocate({s.heads, s.rows, s.columns}, l)));
    }
    if (c.keeps) p.keep("S");
    auto step = p.prepare();
    step.run();

    softmax_oracle oracle(s, what.is_causal, q.values(), k.values());
    if (c.keeps) oracle.scores = p.result(p.name("S")).values().values;
    else oracle.add(b.values(), c.type == element::f32);
    if (v != nullptr) oracle.attend(v->values(), g.values());
    else if (y != nullptr) oracle.take_losses(y->values(), g.values());
    else oracle.take_logarithms(t->values(), g.values());
    std::string words;
    for (const auto output : p.output_names()) {
        const auto spelled = p.view().name(output);
        const std::string name(spelled.begin(), spelled.end());
        const auto* want = oracle.find(name);
        if (want == nullptr) continue;
        const auto got = p.result(output).values().values;
        words += c.type == element::f32 ? difference<float>(*want, got, name)
                                        : difference<double>(*want, got, name);
    }
    if (!words.empty()) words += step.explain();
    return words;
}

const apart all_ways[] = {apart::none,  apart::rows,   apart::columns,
                          apart::masks, apart::hidden, apart::products};

}  // namespace

TEST_CASE("scores of any size, and their gradients, on every SIMD target") {
    const softmax_sizes sizes[] = {{1, 3, 90, 8, 8}, {2, 70, 150, 8, 5}, {1, 150, 37, 4, 16}};
    for (const auto& target : ricci::kernels::supported_targets()) {
        REQUIRE(ricci::kernels::force_target(target));
        unsigned seed = 100;
        for (const auto& what : kinds)
            for (const derived gradients : {derived::none, derived::by_factors, derived::by_all}) {
                const auto program = program_of(what, gradients);
                for (const auto& s : sizes)
                    for (const apart how : all_ways) {
                        const auto type = ++seed % 2 == 0 ? element::f32 : element::f64;
                        // 7 divides no count of anything here: of every kind some are left
                        if (ricci::testing::few() && seed % 7 > 1) continue;
                        const bool keeps = seed % 5 == 0;
                        INFO(target << ", seed " << seed << ", " << ricci::name_of(type) << ", way "
                                    << static_cast<int>(how) << (keeps ? ", kept\n" : "\n")
                                    << what.text);
                        CHECK(check(what, program, s, {type, how, keeps, keeps, seed}) == "");
                    }
            }
    }
    ricci::kernels::reset_target();
}

// Scores that no oracle knows, as they are stored nowhere: where weights are made again of others,
// those of a row do not add up to 1.
TEST_CASE("weights that are made again are of the scores that gave the maximum") {
    const std::string text = scores + plain + values;
    const auto program = program_of({text}, derived::by_factors);
    for (const auto& target : ricci::kernels::supported_targets()) {
        REQUIRE(ricci::kernels::force_target(target));
        for (const element type : {element::f32, element::f64})
            for (const softmax_sizes& s :
                 {softmax_sizes{2, 70, 600, 19, 5}, {1, 3, 700, 17, 8}, {1, 7, 90, 24, 8}}) {
                bound_program p(ricci::ir::program(program.view()), type, 7);
                const auto l = layout::row_major;
                auto& q = p.allocate({s.heads, s.rows, s.width}, l);
                auto& b = p.allocate({s.heads, s.rows, s.columns}, l);
                const double large = type == element::f32 ? 1e8 : 1e17;
                q.each([&](std::int64_t at) { q.set(at, large * q.get(at)); });
                b.each([&](std::int64_t at) { b.set(at, large * b.get(at)); });
                auto& g = p.allocate({s.heads, s.rows, s.values}, l);
                g.each([&](std::int64_t at) { g.set(at, 1); });
                p.input("Q", q).input("K", {s.heads, s.columns, s.width}, l).input("B", b);
                p.input("V", {s.heads, s.columns, s.values}, l).input("dL/dO", g);
                auto step = p.prepare();
                CHECK(step.explain().find("softmax again") != std::string::npos);
                step.run();
                const auto got = p.result(p.name("dL/dV")).values();
                for (std::int64_t h = 0; h < s.heads; ++h) {
                    long double sum = 0;
                    for (std::int64_t j = 0; j < s.columns; ++j)
                        sum += got.values[static_cast<std::size_t>((h * s.columns + j) * s.values)];
                    INFO(target << " " << ricci::name_of(type) << " " << s.rows);
                    CHECK(std::abs(static_cast<double>(sum) - static_cast<double>(s.rows)) <
                          1e-5 * static_cast<double>(s.rows));
                }
            }
    }
    ricci::kernels::reset_target();
}
