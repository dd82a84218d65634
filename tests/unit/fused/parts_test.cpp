// Fused groups of few rows and many columns, which are cut in parts: that parts are merged rightly,
// also those that see nothing, and to the same bits for any number of threads.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tests/catch.hpp"
#include "tests/few.hpp"
#include "tests/unit/bound_program.hpp"
#include "tests/unit/fused/chains.hpp"

#include "src/kernels/targets.hpp"

namespace {

using namespace ricci::testing;
using ricci::element;

constexpr std::int64_t rows = 4, keys = 9000, width = 20, depth = 12;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// What stands in B: row 0 sees nothing, row 1 a few keys of one part, row 2 all but some whole
/// parts, row 3 every third key.
double bias(std::int64_t i, std::int64_t j) {
    const bool seen = i == 1   ? j >= 5000 && j < 5007
                      : i == 2 ? j < 1200 || j > 7700
                      : i == 3 ? j % 3 == 1
                               : false;
    return seen ? static_cast<double>((i * 31 + j * 17) % 23) / 7 : -infinity;
}

void set_bias(memory& b) {
    b.each([&, k = std::int64_t{0}](std::int64_t at) mutable {
        b.set(at, bias(k / keys, k % keys));
        ++k;
    });
}

/// Operands and softmax weights in long double, by definition.
struct oracle {
    std::vector<long double> q, k, v, weights;

    explicit oracle(bound_program& p)
        : q(p.operand(p.name("Q")).values().values),
          k(p.operand(p.name("K")).values().values),
          v(p.operand(p.name("V")).values().values),
          weights(static_cast<std::size_t>(rows * keys)) {
        for (std::int64_t i = 0; i < rows; ++i) {
            long double sum = 0;
            for (std::int64_t j = 0; j < keys; ++j) {
                weight(i, j) = std::exp(score(i, j) + static_cast<long double>(bias(i, j)));
                sum += weight(i, j);
            }
            for (std::int64_t j = 0; j < keys && sum > 0; ++j) weight(i, j) /= sum;
        }
    }
    static long double at(const std::vector<long double>& x, std::int64_t i, std::int64_t c,
                          std::int64_t n) {
        return x[static_cast<std::size_t>(i * n + c)];
    }
    long double& weight(std::int64_t i, std::int64_t j) {
        return weights[static_cast<std::size_t>(i * keys + j)];
    }
    long double score(std::int64_t i, std::int64_t j) const {
        long double sum = 0;
        for (std::int64_t a = 0; a < depth; ++a) sum += at(q, i, a, depth) * at(k, j, a, depth);
        return sum;
    }
};

/// The largest difference beside the largest value.
double error_of(const dense& got, const std::vector<long double>& want) {
    long double error = 0, size = 0;
    REQUIRE(got.values.size() == want.size());
    for (std::size_t k = 0; k < want.size(); ++k) {
        const long double difference = std::abs(got.values[k] - want[k]);
        if (!(difference <= error)) error = difference;
        size = std::max(size, std::abs(want[k]));
    }
    return static_cast<double>(error / size);
}

void bind_bias(bound_program& p, const std::vector<std::string>& more, layout l) {
    p.input("Q", {rows, depth}, l).input("K", {keys, depth}, l).input("V", {keys, width}, l);
    for (const auto& name : more) p.input(name, {rows, width}, l);
    auto& b = p.allocate({rows, keys}, l);
    set_bias(b);
    p.input("B", b);
}

const std::string biased = "A^{ij} = \\operatorname{softmax}_j(Q^{ia} K^{ja} + B^{ij})\n";

}  // namespace

TEST_CASE("parts that see nothing, and several sums over the same parts") {
    const std::string text = biased +
                             "O^{ic} = A^{ij} V^{jc}\n"
                             "m^{i} = \\frac{1}{9000} A^{ij} j\n"
                             "T^{ic} = \\tanh(Q^{ia} K^{ja}) V^{jc}";
    for (const auto& target : ricci::kernels::supported_targets()) {
        REQUIRE(ricci::kernels::force_target(target));
        for (const element type : {element::f32, element::f64})
            for (const layout l : {layout::row_major, layout::shuffled}) {
                bound_program p(text, type, 11);
                bind_bias(p, {}, l);
                auto step = p.prepare();
                INFO(target << "\n" << step.explain());
                CHECK(step.explain().find("columns in parts of") != std::string::npos);
                step.run();
                oracle o(p);
                std::vector<long double> sums(rows * width), means(rows), plain(rows * width);
                for (std::int64_t i = 0; i < rows; ++i)
                    for (std::int64_t j = 0; j < keys; ++j) {
                        means[static_cast<std::size_t>(i)] +=
                            o.weight(i, j) * static_cast<long double>(j) / 9000;
                        const long double t = std::tanh(o.score(i, j));
                        for (std::int64_t c = 0; c < width; ++c) {
                            const auto at = static_cast<std::size_t>(i * width + c);
                            sums[at] += o.weight(i, j) * oracle::at(o.v, j, c, width);
                            plain[at] += t * oracle::at(o.v, j, c, width);
                        }
                    }
                const double tolerance = type == element::f32 ? 3e-6 : 1e-14;
                const auto got = p.result(p.name("O")).values();
                CHECK(error_of(got, sums) < tolerance);
                CHECK(error_of(p.result(p.name("m")).values(), means) < tolerance);
                CHECK(error_of(p.result(p.name("T")).values(), plain) < tolerance);
                CHECK(std::all_of(got.values.begin(), got.values.begin() + width,
                                  [](long double x) { return x == 0; }));
            }
    }
    ricci::kernels::reset_target();
}

TEST_CASE("gradients read the logarithms that parts are merged to") {
    const auto program = program_of(gradient_of(
        bound_program::parsed(biased + "O^{ic} = A^{ij} V^{jc}"), "O", {"Q", "K", "V"}, true));
    for (const element type : {element::f32, element::f64}) {
        bound_program p(ricci::ir::program(program.view()), type, 12);
        bind_bias(p, {"dL/dO"}, layout::row_major);
        auto step = p.prepare();
        INFO(step.explain());
        CHECK(step.explain().find("columns in parts of") != std::string::npos);
        step.run();
        oracle o(p);
        const auto d = p.operand(p.name("dL/dO")).values().values;
        std::vector<long double> dq(rows * depth), dk(keys * depth), dv(keys * width);
        for (std::int64_t i = 0; i < rows; ++i) {
            std::vector<long double> da(keys);
            long double mean = 0;
            for (std::int64_t j = 0; j < keys; ++j) {
                auto& sum = da[static_cast<std::size_t>(j)];
                for (std::int64_t c = 0; c < width; ++c) {
                    const long double out = oracle::at(d, i, c, width);
                    sum += out * oracle::at(o.v, j, c, width);
                    dv[static_cast<std::size_t>(j * width + c)] += o.weight(i, j) * out;
                }
                mean += o.weight(i, j) * sum;
            }
            for (std::int64_t j = 0; j < keys; ++j) {
                const long double ds = o.weight(i, j) * (da[static_cast<std::size_t>(j)] - mean);
                for (std::int64_t a = 0; a < depth; ++a) {
                    dq[static_cast<std::size_t>(i * depth + a)] +=
                        ds * oracle::at(o.k, j, a, depth);
                    dk[static_cast<std::size_t>(j * depth + a)] +=
                        ds * oracle::at(o.q, i, a, depth);
                }
            }
        }
        const double tolerance = type == element::f32 ? 1e-5 : 1e-13;
        CHECK(error_of(p.result(p.name("dL/dQ")).values(), dq) < tolerance);
        CHECK(error_of(p.result(p.name("dL/dK")).values(), dk) < tolerance);
        CHECK(error_of(p.result(p.name("dL/dV")).values(), dv) < tolerance);
    }
}

TEST_CASE("every chain whose columns are cut in parts is right") {
    unsigned seed = 700;
    const auto counts = few_or<std::vector<std::int64_t>>({4}, {1, 4, 33});
    for (const auto& which : chains())
        for (const std::int64_t queries : counts) {
            INFO(which.name << ", " << queries << " rows");
            const sizes s{1, 2, queries, 4500, 24, 40};
            bound_program p(which.text, element::f32, 1);
            bind(p, s, layout::row_major);
            const auto words = p.prepare().explain();
            INFO(words);
            const bool fused = words.find("  fused  O") != std::string::npos;
            CHECK((fused || queries < 4));
            CHECK((words.find("columns in parts of") != std::string::npos) == fused);
            // Slopes give scores of the size of j, rounded to so many bits.
            const bool sloped = which.text.find("m^{h}") != std::string::npos ||
                                which.text.find("s^{hg}") != std::string::npos;
            const double score = sloped ? static_cast<double>(s.j) : 100;
            // One of the two where there are to be few.
            const int kinds = few() ? 1 << (seed / 2 % 2) : 3;
            if ((kinds & 1) != 0)
                CHECK(against_unfused(which, s, element::f32, layout::row_major, seed,
                                      score * 0x1p-23) == "");
            if ((kinds & 2) != 0)
                CHECK(against_unfused(which, s, element::f64, layout::shuffled, seed + 1,
                                      score * 0x1p-50) == "");
            seed += 2;
        }
}

TEST_CASE("parts of columns give the same bits for any number of threads") {
    unsigned number = 0;
    for (const auto& which : chains())
        if (!few() || number++ % 3 == 0)
            CHECK(differences_between_threads(which, {1, 2, 5, 4500, 24, 40}) == "");
}
