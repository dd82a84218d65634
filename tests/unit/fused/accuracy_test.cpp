// How exact fused groups are, what they do with scores that are huge or masked, and how much memory
// they take beside their operands and results.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "tests/catch.hpp"
#include "tests/few.hpp"
#include "tests/unit/bound_program.hpp"

#include "src/kernels/fused/fused.hpp"
#include "src/kernels/targets.hpp"
#include "src/runtime/buffers.hpp"

namespace {

using ricci::element;
using ricci::testing::bound_program;
using ricci::testing::layout;

constexpr double infinity = std::numeric_limits<double>::infinity();

const std::string attention = R"(S^{hij} = \frac{1}{8} Q^{hia} K^{hja}
    A^{hij} = \operatorname{softmax}_j(S^{hij})
    O^{hic} = A^{hij} V^{hjc})";
const std::string causal = R"(S^{hij} = \frac{1}{8} Q^{hia} K^{hja}
    M^{hij} = \begin{cases} S^{hij} & \text{if } j \le i \\ -\infty & \text{otherwise} \end{cases}
    A^{hij} = \operatorname{softmax}_j(M^{hij})
    O^{hic} = A^{hij} V^{hjc})";
const std::string masked = R"(S^{ij} = Q^{ia} K^{ja}
    A^{ij} = \operatorname{softmax}_j(S^{ij} + B^{ij})
    O^{ic} = A^{ij} V^{jc})";

ricci::ir::program with_gradients(const std::string& text, const std::string& letters) {
    using namespace ricci::testing;
    std::vector<std::string> wrt;
    for (const char letter : letters) wrt.emplace_back(1, letter);
    return program_of(gradient_of(bound_program::parsed(text), "O", wrt, true));
}

/// How far weights are from the exponentials of their scores.
struct weight_errors {
    double of_one = 0;   // of the largest weight, 1, in its units in the last place
    double of_each = 0;  // of the weight itself, less what the size of its score explains
};

/// The worst errors of weigh() and weigh_again() over `count` scores: so much below a maximum.
template <class T, class Score>
weight_errors worst_weights(const ricci::kernels::fused_table<T>& table, T most, std::int64_t count,
                            Score score) {
    constexpr std::int64_t rows = 64;
    constexpr long double ulp = std::numeric_limits<T>::epsilon();
    const auto width = static_cast<std::size_t>(table.lanes);
    std::vector<T> tile(width * rows), given, again(width * rows), maximum(width, most), sum(width),
        factor(width, T{0.5});
    weight_errors worst;
    for (std::int64_t start = 0; start < count; start += table.lanes * rows) {
        for (std::size_t k = 0; k < tile.size(); ++k)
            tile[k] = most + score(std::min(count - 1, start + static_cast<std::int64_t>(k)));
        given = tile;
        table.weigh_again(again.data(), tile.data(), table.lanes, rows, width, maximum.data(),
                          factor.data());
        table.weigh(tile.data(), tile.data(), table.lanes, rows, width,
                    {maximum.data(), sum.data(), factor.data()});
        for (std::size_t k = 0; k < tile.size(); ++k) {
            const long double x = static_cast<long double>(given[k]) - most, want = std::exp(x);
            const long double error =
                std::max(std::abs(static_cast<long double>(tile[k]) - want),
                         std::abs(2 * static_cast<long double>(again[k]) - want));
            worst.of_one = std::max(worst.of_one, static_cast<double>(error / ulp));
            // Near the smallest normal number a weight may count as 0.
            if (want < 1.0001L * std::numeric_limits<T>::min()) continue;
            // The difference times log2(e) is rounded, to the precision of its own size.
            const long double relative = error / want / ulp + x;
            worst.of_each = std::max(worst.of_each, static_cast<double>(relative));
        }
    }
    return worst;
}

/// Bytes of the workspace that a plan of these shapes needs; nothing is run.
std::size_t workspace_of(const ricci::ir::program& program, std::int64_t heads, std::int64_t n,
                         std::int64_t width) {
    bound_program p(ricci::ir::program(program.view()), element::f32, 1);
    std::vector<float> shared(static_cast<std::size_t>(heads * n * width));
    const std::int64_t extents[] = {heads, n, width}, strides[] = {n * width, width, 1};
    for (const char* name : {"Q", "K", "V", "dL/dO"}) {
        const auto number = p.name(name);
        if (number < 0) continue;
        p.inputs.push_back({number, 3, shared.data(), extents, strides, 0});
    }
    const auto words = p.prepare().explain();
    INFO(words);
    CHECK(words.find("not stored: ") != std::string::npos);
    const auto at = words.rfind("workspace ") + 10;
    char* unit = nullptr;
    const double number = std::strtod(words.c_str() + at, &unit);
    const double scale = unit[1] == 'k' ? 1e3 : unit[1] == 'M' ? 1e6 : unit[1] == 'G' ? 1e9 : 1;
    return static_cast<std::size_t>(number * scale);
}

}  // namespace

template <class T, class Score>
void check_weights(const ricci::kernels::fused_table<T>& table, std::int64_t count, Score score) {
    for (const T most :
         {T(0), T(1e4), T(-1e6), T(-1e9), T(1e20), std::numeric_limits<T>::lowest()}) {
        INFO(table.target << ", below " << most);
        // What is below the lowest number is -infinity.
        const auto below = [&](std::int64_t k) { return most < T(-1e30) ? T(0) : T(score(k)); };
        const auto worst = worst_weights(table, most, most == 0 ? count : 20000, below);
        CHECK(worst.of_one < 2);
        CHECK(worst.of_each < 2);
    }
}

TEST_CASE("fused weights are exponentials for every SIMD target") {
    // Every 509th float from -0 to -88, below which the exponential is no normal number.
    const auto at_float = [](std::int64_t k) {
        const auto bits = 0x80000000u + static_cast<std::uint32_t>(k) * 509u;
        float x;
        std::memcpy(&x, &bits, sizeof x);
        return x;
    };
    const std::int64_t floats = (0xc2b00000ll - 0x80000000ll) / 509;
    const auto at_double = [](std::int64_t k) { return -709.0 * static_cast<double>(k) / 1e6; };
    for (const auto& target : ricci::kernels::supported_targets()) {
        REQUIRE(ricci::kernels::force_target(target));
        check_weights(ricci::kernels::fused_kernels<float>(), floats, at_float);
        check_weights(ricci::kernels::fused_kernels<double>(), 1000000, at_double);
    }
    ricci::kernels::reset_target();
    check_weights(ricci::kernels::scalar_fused_kernels<float>(), 20000, at_float);
    check_weights(ricci::kernels::scalar_fused_kernels<double>(), 20000, at_double);
}

TEST_CASE("in float, long rows are as exact as float is") {
    constexpr std::int64_t width = 64;
    const std::int64_t n = ricci::testing::few_or(1024, 4096);
    for (const auto& target : ricci::kernels::supported_targets())
        for (const auto& text : {attention, causal}) {
            REQUIRE(ricci::kernels::force_target(target));
            bound_program p(text, element::f32, 3);
            std::normal_distribution<double> normal(0, 1);
            ricci::testing::memory* given[3] = {};
            for (int k = 0; k < 3; ++k) {
                given[k] = &p.allocate({1, n, width}, layout::row_major);
                given[k]->each([&](std::int64_t at) { given[k]->set(at, normal(p.random())); });
                p.input(std::string(1, "QKV"[k]), *given[k]);
            }
            p.prepare().run();
            const auto got = p.result(p.name("O")).values();
            const auto q = given[0]->values(), keys = given[1]->values(), v = given[2]->values();
            const auto at = [](const ricci::testing::dense& t, std::int64_t i, std::int64_t a) {
                return static_cast<double>(t.values[static_cast<std::size_t>(i * width + a)]);
            };
            double error = 0, size = 0;
            for (std::int64_t i = 5; i < n; i += 61) {
                const std::int64_t seen = text == causal ? i + 1 : n;
                std::vector<double> weight(static_cast<std::size_t>(seen)), sum(width);
                double most = -infinity, total = 0;
                for (std::int64_t j = 0; j < seen; ++j) {
                    double s = 0;
                    for (std::int64_t a = 0; a < width; ++a) s += at(q, i, a) * at(keys, j, a);
                    most = std::max(most, weight[static_cast<std::size_t>(j)] = s / 8);
                }
                for (std::int64_t j = 0; j < seen; ++j) {
                    const double w = std::exp(weight[static_cast<std::size_t>(j)] - most);
                    total += w;
                    for (std::int64_t c = 0; c < width; ++c)
                        sum[static_cast<std::size_t>(c)] += w * at(v, j, c);
                }
                for (std::int64_t c = 0; c < width; ++c) {
                    const double want = sum[static_cast<std::size_t>(c)] / total;
                    error = std::max(error, std::abs(at(got, i, c) - want));
                    size = std::max(size, std::abs(want));
                }
            }
            INFO(target << ": largest error " << error << " beside " << size);
            CHECK(error < 4e-7 * size);
        }
    ricci::kernels::reset_target();
}

TEST_CASE("huge scores and masks of minus infinity give numbers") {
    const auto program = with_gradients(masked, "QKVB");
    for (const element type : {element::f32, element::f64}) {
        constexpr std::int64_t n = 70, m = 90, width = 8;
        bound_program p(ricci::ir::program(program.view()), type, 5);
        auto& q = p.allocate({n, width}, layout::row_major);
        auto& k = p.allocate({m, width}, layout::row_major);
        auto& b = p.allocate({n, m}, layout::row_major);
        // Scores up to 1e4 both ways.
        q.each([&](std::int64_t at) { q.set(at, 100 * q.get(at)); });
        k.each([&](std::int64_t at) { k.set(at, (at % 3 == 0 ? 100 : 12.5) * k.get(at)); });
        for (std::int64_t a = 0; a < width; ++a) q.set(a, 100), k.set(a, 12.5);
        // Rows 3, 40 and 69 see nothing, and a third of everything else is masked.
        b.each([&](std::int64_t at) {
            const auto i = at / m;
            if (i == 3 || i == 40 || i == 69 || (at * 7) % 3 == 0) b.set(at, -infinity);
        });
        p.input("Q", q).input("K", k).input("B", b);
        p.input("V", {m, width}).input("dL/dO", {n, width});
        auto step = p.prepare();
        CHECK(step.explain().find("not stored: ") != std::string::npos);
        step.run();
        for (const auto output : p.output_names()) {
            const auto got = p.result(output).values();
            INFO("output " << output << " " << ricci::name_of(type));
            CHECK(std::all_of(got.values.begin(), got.values.end(),
                              [](long double x) { return std::isfinite(x); }));
            const auto name = p.view().name(output);
            const std::string spelled(name.begin(), name.end());
            if (spelled == "dL/dK" || spelled == "dL/dV") continue;
            const auto columns = static_cast<std::size_t>(got.extents[1]);
            for (const std::size_t row : {3u, 40u, 69u})
                for (std::size_t c = 0; c < columns; ++c) CHECK(got.values[row * columns + c] == 0);
        }
    }
}

// What a worker has is taken once, when the process first needs it, and shared by all plans.
TEST_CASE("memory beside operands and results does not grow with the weights") {
    constexpr std::size_t mebi = std::size_t{1} << 20;
    const std::int64_t heads = ricci::testing::few_or(2, 12);
    for (const auto& text : {attention, causal}) {
        const auto forward = workspace_of(bound_program::parsed(text), heads, 4096, 64);
        CHECK(forward + ricci::runtime::worker_bytes <= 2 * mebi);
        const auto backward = workspace_of(with_gradients(text, "QKV"), heads, 4096, 64);
        CHECK(backward + ricci::runtime::worker_bytes <= 4 * mebi);
    }
}
