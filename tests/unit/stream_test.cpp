// Streamed groups: what they are formed of, and that they compute what the equations say, for every
// SIMD target, layout, shape and chain between two contractions.
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "tests/catch.hpp"
#include "tests/unit/bound_program.hpp"

#include "src/kernels/targets.hpp"
#include "src/runtime/parallel.hpp"

namespace {

using ricci::element;
using ricci::testing::bound_program;
using ricci::testing::layout;

/// Extents of the indices of the programs below.
struct sizes {
    std::int64_t h = 2, g = 3, i = 32, j = 48, a = 16, c = 8;
};

struct chain {
    const char* name;
    std::string text;
};

const std::string scores = R"(S^{hij} = \frac{1}{4} Q^{hia} K^{hja})";
const std::string values = "\nO^{hic} = A^{hij} V^{hjc}";

std::vector<chain> chains() {
    const auto softmax = [](const std::string& body) {
        return scores + "\n" + R"(A^{hij} = \operatorname{softmax}_j()" + body + ")" + values;
    };
    return {
        {"plain", softmax("S^{hij}")},
        {"written out",
         scores + "\n" + R"(A^{hij} = \frac{\exp(S^{hij})}{\sum_{j'} \exp(S^{hij'})})" + values},
        {"causal",
         scores + "\n" +
             R"(M^{hij} = \begin{cases} S^{hij} & \text{if } j \le i \\ -\infty & \text{otherwise} \end{cases}
                          A^{hij} = \operatorname{softmax}_j(M^{hij}))" +
             values},
        {"window",
         scores + "\n" +
             R"(M^{hij} = \begin{cases} S^{hij} & \text{if } j \le i \land i - j < 7 \\ -\infty & \text{otherwise} \end{cases}
                          A^{hij} = \operatorname{softmax}_j(M^{hij}))" +
             values},
        {"rows that see nothing",
         scores + "\n" +
             R"(M^{hij} = \begin{cases} S^{hij} & \text{if } j < i - 5 \\ -\infty & \text{otherwise} \end{cases}
                          A^{hij} = \operatorname{softmax}_j(M^{hij}))" +
             values},
        {"relative bias", softmax("S^{hij} + b_{i-j}")},
        {"bias tensor", softmax("S^{hij} + B^{hij}")},
        {"bias shared by heads", softmax("S^{hij} + B^{ij}")},
        {"key bias", softmax("S^{hij} + p^{j} - r^{hi}")},
        {"slopes", softmax("S^{hij} - m^{h} |i - j|")},
        {"capped", softmax(R"(30 \tanh(S^{hij} / 30))")},
        {"temperature", softmax(R"(S^{hij} / t)")},
        {"lengths",
         scores + "\n" +
             R"(M^{hij} = \begin{cases} S^{hij} & \text{if } j < n^{h} \\ -\infty & \text{otherwise} \end{cases}
                           A^{hij} = \operatorname{softmax}_j(M^{hij}))" +
             values},
        {"blocks",
         scores + "\n" +
             R"(M^{hij} = \begin{cases} S^{hij} & \text{if } j \bmod 5 \le i \bmod 5 \\ -\infty & \text{otherwise} \end{cases}
                          A^{hij} = \operatorname{softmax}_j(M^{hij}))" +
             values},
        {"no softmax", R"(S^{hij} = Q^{hia} K^{hja}
                          M^{hij} = [j \le i] S^{hij}
                          O^{hic} = M^{hij} V^{hjc})"},
        {"normalised by its sum", R"(S^{hij} = Q^{hia} K^{hja}
                          M^{hij} = [j \le i] (S^{hij})^2 + 1
                          O^{hic} = \frac{M^{hij} V^{hjc}}{\sum_{j'} M^{hij'}})"},
        {"weights without a maximum",
         R"(S^{hij} = 30 \tanh(\frac{1}{30} Q^{hia} K^{hja})
            O^{hic} = \frac{\sum_j [j \le i] \exp(S^{hij}) V^{hjc}}{\sum_{j'} [j' \le i] \exp(S^{hij'})})"},
        {"masked after the softmax", scores + R"(
            A^{hij} = Z^{hij} \operatorname{softmax}_j(S^{hij}))" +
                                         values},
        {"two terms",
         R"(A^{hij} = \operatorname{softmax}_j(Q^{hia} K^{hja} + P^{ia} R^{ja}))" + values},
        {"shared keys", R"(A^{hij} = \operatorname{softmax}_j(Q^{hia} K^{ja})
                           O^{hic} = A^{hij} V^{jc})"},
        {"keys by head, values shared", R"(A^{hij} = \operatorname{softmax}_j(Q^{hia} K^{hja})
                           O^{hic} = A^{hij} V^{jc})"},
        {"groups of heads", R"(S^{hgij} = Q^{hgia} K^{hja} - s^{hg} |i - j|
                           A^{hgij} = \operatorname{softmax}_j(S^{hgij})
                           O^{hgic} = A^{hgij} V^{hjc})"},
        {"two contracted indices", R"(A^{hij} = \operatorname{softmax}_j(Q^{hiab} K^{jba})
                           O^{hicd} = A^{hij} V^{hjdc})"},
        {"metric", R"(S^{hij} = Q^{hia} g_{ab} K^{hjb}
                      A^{hij} = \operatorname{softmax}_j(S^{hij})
                      O^{hic} = A^{hij} V^{hjc})"},
        {"rotated", R"(q^{hiak} = Q^{hia} T^{iak}
                       r^{hjak} = K^{hja} U^{jak}
                       A^{hij} = \operatorname{softmax}_j(q^{hiak} r^{hjak})
                       O^{hic} = A^{hij} V^{hjc})"},
        {"one query", R"(S^{hj} = Q^{ha} K^{hja}
                         A^{hj} = \operatorname{softmax}_j(S^{hj})
                         O^{hc} = A^{hj} V^{hjc})"},
        {"queries that share keys, one place each", R"(S^{hgj} = Q^{hga} K^{hja} - s^{hg} j
                         A^{hgj} = \operatorname{softmax}_j(S^{hgj})
                         O^{hgc} = A^{hgj} V^{hjc})"},
        {"two column indices", R"(A^{hijk} = \operatorname{softmax}_{jk}(Q^{hia} K^{hjka})
                           O^{hic} = A^{hijk} V^{hkjc})"},
    };
}

void bind(bound_program& p, const sizes& s, layout l) {
    const auto extent = [&](char index) {
        switch (index) {
            case 'h':
                return s.h;
            case 'g':
                return s.g;
            case 'i':
                return s.i;
            case 'j':
                return s.j;
            case 'a':
                return s.a;
            case 'c':
                return s.c;
            default:
                return std::int64_t{3};  // b, d, k
        }
    };
    const auto view = p.view();
    std::vector<bool> done(static_cast<std::size_t>(view.names.size()));
    for (const auto& node : view.nodes) {
        if (node.kind != ricci::ir::op::tensor || done[static_cast<std::size_t>(node.name)])
            continue;
        if (view.definition(node.name) != ricci::ir::none) continue;
        done[static_cast<std::size_t>(node.name)] = true;
        const auto text = view.name(node.name);
        const std::string name(text.begin(), text.end());
        ricci::testing::shape shape;
        for (std::int32_t k = 0; k < node.positions.count; ++k) {
            const auto& at = view.at(node.positions, k);
            if (at.kind == ricci::ir::position_kind::index) {
                shape.push_back(extent(*view.index(at.index).begin()));
            } else {
                shape.push_back(s.i + s.j - 1);  // b_{i-j}
            }
        }
        if (name == "t") {
            p.number("t", 1.7);
            continue;
        }
        auto& memory = p.allocate(shape, l);
        if (name == "n")
            memory.each([&, k = std::int64_t{0}](std::int64_t at) mutable {
                memory.set(at, static_cast<double>((k++ * 29 + 11) % (s.j + 1)));
            });
        p.input(name, memory);
    }
}

/// Against the brute-force interpreter: small shapes, it takes its time.
std::string against_oracle(const chain& which, const sizes& s, element type, layout l,
                           unsigned seed) {
    bound_program p(which.text, type, seed);
    bind(p, s, l);
    return p.compare(type == element::f32 ? 2e-5 : 1e-12, 2);
}

/// The chain with its derivatives by Q, K and V.
ricci::ir::program with_gradients(const chain& which) {
    using namespace ricci::testing;
    return program_of(gradient_of(bound_program::parsed(which.text), "O", {"Q", "K", "V"}, true));
}

/// Every output of a program against those of the same program with every intermediate stored, in
/// double; what differs, in words.
std::string against_unfused(const ricci::ir::program& program, const sizes& s, element type,
                            layout l, unsigned seed, double tolerance) {
    bound_program p(ricci::ir::program(program.view()), type, seed);
    bound_program q(ricci::ir::program(program.view()), element::f64, seed);
    bind(p, s, l);
    bind(q, s, layout::row_major);
    q.fuse = false;
    for (const auto& o : p.inputs) {
        if (o.data == nullptr) continue;
        auto& to = q.operand(o.name);
        const auto from = p.operand(o.name).values();
        to.each([&, k = std::size_t{0}](std::int64_t at) mutable {
            to.set(at, static_cast<double>(from.values[k++]));
        });
    }
    p.prepare().run();
    q.prepare().run();
    std::string words;
    for (const auto output : p.output_names()) {
        double error = 0, size = 0;
        const auto got = p.result(output).values(), want = q.result(output).values();
        for (std::size_t k = 0; k < want.values.size(); ++k) {
            error = std::max(error, static_cast<double>(std::abs(got.values[k] - want.values[k])));
            size = std::max(size, static_cast<double>(std::abs(want.values[k])));
            if (!std::isfinite(got.values[k])) return "not finite";
        }
        if (error > tolerance * size)
            words += "the largest error of output " + std::to_string(output) + " is " +
                     std::to_string(error) + " beside " + std::to_string(size) + ", seed " +
                     std::to_string(seed) + "; ";
    }
    return words;
}
std::string against_unfused(const chain& which, const sizes& s, element type, layout l,
                            unsigned seed, double tolerance) {
    return against_unfused(bound_program::parsed(which.text), s, type, l, seed, tolerance);
}

}  // namespace

TEST_CASE("every chain is streamed and right") {
    unsigned seed = 1;
    for (const auto& which : chains())
        for (const element type : {element::f32, element::f64})
            for (const layout l : {layout::row_major, layout::shuffled}) {
                INFO(which.name << " " << ricci::name_of(type));
                CHECK(against_oracle(which, {2, 2, 6, 9, 3, 2}, type, l, seed) == "");
                const double tolerance = type == element::f32 ? 2e-5 : 1e-13;
                CHECK(against_unfused(which, {}, type, l, seed, tolerance) == "");
                CHECK(against_unfused(which, {2, 2, 153, 349, 5, 11}, type, l, seed, tolerance) ==
                      "");
                ++seed;
                bound_program p(which.text, type, seed);
                bind(p, {}, l);
                const auto words = p.prepare().explain();
                INFO(words);
                CHECK(words.find("  stream  O") != std::string::npos);
            }
}

TEST_CASE("every SIMD target streams alike") {
    for (const auto& target : ricci::kernels::supported_targets()) {
        REQUIRE(ricci::kernels::force_target(target));
        unsigned seed = 100;
        for (const auto& which : chains()) {
            INFO(which.name << " on " << target);
            const sizes s{1, 2, 21, 75, 7, 5};
            CHECK(against_unfused(which, s, element::f32, layout::row_major, seed++, 1e-5) == "");
            CHECK(against_unfused(which, s, element::f64, layout::shuffled, seed++, 1e-13) == "");
        }
    }
    ricci::kernels::reset_target();
}

TEST_CASE("few rows, whose products have lanes of their own") {
    for (const auto& target : ricci::kernels::supported_targets()) {
        REQUIRE(ricci::kernels::force_target(target));
        unsigned seed = 200;
        for (const auto& which : chains())
            for (const std::int64_t rows : {1, 2, 3, 4, 5}) {
                INFO(which.name << " on " << target << ", " << rows << " rows");
                const sizes s{1, 2, rows, 150, 37, 150};
                const auto alike =
                    against_unfused(which, s, element::f32, layout::row_major, seed++, 1e-5);
                CHECK(alike == "");
                CHECK(against_unfused(which, s, element::f64, layout::row_major, seed++, 1e-13) ==
                      "");
                CHECK(against_unfused(which, s, element::f32, layout::shuffled, seed++, 1e-5) ==
                      "");
            }
    }
    ricci::kernels::reset_target();
}

TEST_CASE("gradients whose values fill vectors, on every SIMD target") {
    for (const auto& target : ricci::kernels::supported_targets()) {
        REQUIRE(ricci::kernels::force_target(target));
        unsigned seed = 300;
        for (const auto& which : chains()) {
            INFO(which.name << " on " << target);
            const auto program = with_gradients(which);
            const sizes s{1, 2, 70, 147, 64, 48};
            CHECK(against_unfused(program, s, element::f32, layout::row_major, seed++, 1e-4) == "");
            CHECK(against_unfused(program, s, element::f64, layout::row_major, seed++, 1e-12) ==
                  "");
        }
    }
    ricci::kernels::reset_target();
}

TEST_CASE("a plan says what is streamed, and why something is not") {
    const std::string text = scores + "\nA^{hij} = \\operatorname{softmax}_j(S^{hij})" + values;
    bound_program fused(text, element::f32, 1), kept(text, element::f32, 1);
    bind(fused, {}, layout::row_major);
    bind(kept, {}, layout::row_major);
    kept.keep("A");
    const auto words = fused.prepare().explain();
    INFO(words);
    CHECK(words.find("stream  O[h,i,c] = sum of A[h,i,j] V[h,j,c]   batch h=2  rows i=32  columns "
                     "j=48") != std::string::npos);
    CHECK(words.find("not stored: S[h,i,j], A[h,i,j]; 24.58 kB saved") != std::string::npos);
    CHECK(words.find("total: 1 steps") != std::string::npos);
    CHECK(words.find("workspace 0 B") != std::string::npos);
    const auto why = kept.prepare().explain();
    INFO(why);
    CHECK(why.find("stream") == std::string::npos);
    CHECK(why.find("not fused: A is stored: it is an output") != std::string::npos);
}

TEST_CASE("a product that reads one streamed tensor along two indices") {
    for (const std::int64_t n : {2, 40}) {
        bound_program p(
            "z^{k} = \\operatorname{softmax}_k(A^{ka} w^a)\n"
            "g = h \\operatorname{mean}_k(\\sum_l z^l z^k)",
            element::f64, 3);
        p.input("A", {n, 4}).input("w", {4}).input("h", {});
        CHECK(p.compare() == "");
    }
}

TEST_CASE("gradients are streamed and right") {
    unsigned seed = 500;
    for (const auto& which : chains()) {
        const auto program = with_gradients(which);
        for (const element type : {element::f32, element::f64})
            for (const layout l : {layout::row_major, layout::shuffled}) {
                INFO(which.name << " " << ricci::name_of(type));
                const double tolerance = type == element::f32 ? 1e-4 : 1e-12;
                CHECK(against_unfused(program, {}, type, l, seed++, tolerance) == "");
                CHECK(against_unfused(program, {2, 2, 153, 349, 5, 11}, type, l, seed++,
                                      tolerance) == "");
            }
    }
}

TEST_CASE("gradients by what scores get added or are divided by store no weights") {
    struct change {
        const char* body;
        char letter;
    };
    const change changes[] = {
        {"S^{hij} + B^{hij}", 'B'},   {"S^{hij} + B^{ij}", 'B'}, {"S^{hij} + b_{i-j}", 'b'},
        {"S^{hij} + b^h_{i-j}", 'b'}, {"S^{hij} + p^j", 'p'},    {"S^{hij} - m^h |i - j|", 'm'},
        {"S^{hij} - m |i - j|", 'm'}, {"S^{hij} / T", 'T'},      {"S^{hij} / T^h", 'T'}};
    const sizes s{3, 2, 130, 300, 8, 8};
    unsigned seed = 900;
    for (const auto& [body, letter] : changes) {
        const auto text =
            scores + "\n" + "A^{hij} = \\operatorname{softmax}_j(" + body + ")" + values;
        using namespace ricci::testing;
        const auto program = program_of(
            gradient_of(bound_program::parsed(text), "O", {"Q", "K", "V", std::string(1, letter)}));
        bound_program p(ricci::ir::program(program.view()), element::f32, 1);
        bind(p, s, layout::row_major);
        const auto words = p.prepare().explain();
        INFO(body << "\n" << words);
        CHECK(words.find("not fused") == std::string::npos);
        CHECK(words.find("contract  ") == std::string::npos);
        CHECK(against_unfused(program, s, element::f64, layout::shuffled, seed++, 1e-11) == "");
    }
}

TEST_CASE("the same bits for any number of threads") {
    for (const auto& which : chains()) {
        const auto program = with_gradients(which);
        std::vector<ricci::testing::dense> first;
        for (const int threads : {1, 2, 5}) {
            ricci::runtime::set_worker_count(threads);
            bound_program p(ricci::ir::program(program.view()), element::f32, 7);
            bind(p, {1, 2, 200, 700, 8, 8}, layout::row_major);
            p.prepare().run();
            std::size_t k = 0;
            for (const auto output : p.output_names()) {
                const auto got = p.result(output).values();
                if (threads == 1) first.push_back(got);
                INFO(which.name << " with " << threads << " threads, output " << output);
                CHECK(got.values == first[k++].values);
            }
        }
    }
    ricci::runtime::set_worker_count(0);
}
