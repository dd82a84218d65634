// Chains between two contractions that are fused, with random operands of any layout; what they are
// compared with.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "src/runtime/parallel.hpp"
#include "tests/unit/bound_program.hpp"

namespace ricci::testing {

/// Extents of the indices of the programs below.
struct sizes {
    std::int64_t h = 2, g = 3, i = 32, j = 48, a = 16, c = 8;
};

struct chain {
    const char* name;
    std::string text;
};

inline const std::string scores = R"(S^{hij} = \frac{1}{4} Q^{hia} K^{hja})";
inline const std::string values = "\nO^{hic} = A^{hij} V^{hjc}";

inline std::vector<chain> chains() {
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

inline void bind(bound_program& p, const sizes& s, layout l) {
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
        shape extents;
        for (std::int32_t k = 0; k < node.positions.count; ++k) {
            const auto& at = view.at(node.positions, k);
            if (at.kind == ricci::ir::position_kind::index) {
                extents.push_back(extent(*view.index(at.index).begin()));
            } else {
                extents.push_back(s.i + s.j - 1);  // b_{i-j}
            }
        }
        if (name == "t") {
            p.number("t", 1.7);
            continue;
        }
        auto& memory = p.allocate(extents, l);
        if (name == "n")
            memory.each([&, k = std::int64_t{0}](std::int64_t at) mutable {
                memory.set(at, static_cast<double>((k++ * 29 + 11) % (s.j + 1)));
            });
        p.input(name, memory);
    }
}

/// Against the brute-force interpreter: small shapes, it takes its time.
inline std::string against_oracle(const chain& which, const sizes& s, element type, layout l,
                                  unsigned seed) {
    bound_program p(which.text, type, seed);
    bind(p, s, l);
    return p.compare(type == element::f32 ? 2e-5 : 1e-12, 2);
}

/// The chain with its derivatives by Q, K and V.
inline ricci::ir::program with_gradients(const chain& which) {
    return program_of(gradient_of(bound_program::parsed(which.text), "O", {"Q", "K", "V"}, true));
}

/// Every output of a program against those of the same program with every intermediate stored, in
/// double; what differs, in words.
inline std::string against_unfused(const ricci::ir::program& program, const sizes& s, element type,
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
inline std::string against_unfused(const chain& which, const sizes& s, element type, layout l,
                                   unsigned seed, double tolerance) {
    return against_unfused(bound_program::parsed(which.text), s, type, l, seed, tolerance);
}

/// Which outputs of a chain and its gradients have other bits on several threads than on one, in
/// words.
inline std::string differences_between_threads(const chain& which, const sizes& s) {
    const auto program = with_gradients(which);
    std::vector<dense> first;
    std::string words;
    for (const int threads : {1, 2, 3, 5}) {
        ricci::runtime::set_worker_count(threads);
        bound_program p(ricci::ir::program(program.view()), element::f32, 7);
        bind(p, s, layout::row_major);
        p.prepare().run();
        std::size_t k = 0;
        for (const auto output : p.output_names()) {
            const auto got = p.result(output).values();
            if (threads == 1) first.push_back(got);
            if (got.values != first[k++].values)
                words += which.name + (" with " + std::to_string(threads)) + " threads, output " +
                         std::to_string(output) + "; ";
        }
    }
    ricci::runtime::set_worker_count(0);
    return words;
}

}  // namespace ricci::testing
