// Planes over all pairs of rows and columns that are folded without a product behind them:
// log-sum-exps, differences along few values, sums of any function of a product.
#include <cstdint>
#include <string>
#include <vector>

#include "tests/catch.hpp"
#include "tests/unit/bound_program.hpp"
#include "tests/unit/fused/chains.hpp"

namespace {

using namespace ricci::testing;
using ricci::element;

const std::string product = "S^{hij} = Q^{hia} K^{hja}\n";

/// Log-sum-exps of planes, with others that want the same weights.
std::vector<chain> log_sums() {
    return {
        {"of a product", product + R"(l^{hi} = \operatorname{logsumexp}_j(S^{hij}))"},
        {"written out", product + R"(l^{hi} = \log \sum_j \exp(S^{hij}))"},
        {"of two columns", R"(l^{hi} = \operatorname{logsumexp}_{jk}(Q^{hia} K^{hjka}))"},
        {"with the mean value", product + R"(l^{hi} = \operatorname{logsumexp}_j(S^{hij})
                                             A^{hij} = \operatorname{softmax}_j(S^{hij})
                                             O^{hic} = A^{hij} V^{hjc})"},
        {"with both sums of its weights", product + R"(l^{hi} = \operatorname{logsumexp}_j(S^{hij})
                      A^{hij} = \operatorname{softmax}_j(S^{hij})
                      O^{hic} = A^{hij} V^{hjc}
                      C^{hja} = \sum_i A^{hij} Q^{hia})"},
        {"times a number that is written later",
         product + R"(l^{hi} = -3 \operatorname{logsumexp}_j(S^{hij})
                      A^{hij} = \operatorname{softmax}_j(S^{hij})
                      C^{hja} = \sum_i A^{hij} Q^{hia})"},
        {"twice", product + R"(l^{hi} = \operatorname{logsumexp}_j(S^{hij})
                               m^{hi} = \operatorname{logsumexp}_j(S^{hij} + p^j)
                               C^{hj} = \sum_i \operatorname{softmax}_j(S^{hij}) n^i)"},
        {"of rows that see nothing",
         product +
             R"(M^{hij} = \begin{cases} S^{hij} & \text{if } j < i - 5 \\ -\infty & \text{otherwise} \end{cases}
                      l^{hi} = \operatorname{logsumexp}_j(M^{hij})
                      u^{hi} = \frac{1}{1 + (l^{hi})^2}
                      A^{hij} = \operatorname{softmax}_j(M^{hij})
                      C^{hja} = \sum_i A^{hij} Q^{hia})"},
    };
}

/// Loops of few iterations beside those of the plane; d has 3.
std::vector<chain> few_values() {
    return {
        {"forces",
         R"(F^{id} = \sum_j p^j \frac{x^{jd} - x^{id}}{(\sum_b (x^{jb} - x^{ib})^2 + 1)^{3/2}})"},
        {"forces by differences of their own", R"(r^{ijd} = x^{jd} - x^{id}
                                                  s^{ij} = r^{ijd} r^{ijd} + 1
                                                  w^{ij} = p^j / (s^{ij})^{3/2}
                                                  F^{id} = w^{ij} r^{ijd})"},
        {"differences that others want too", R"(r^{ijd} = x^{jd} - x^{id}
                                                s^{ij} = r^{ijd} r^{ijd}
                                                F^{id} = \sum_j \exp(-s^{ij}) r^{ijd}
                                                g^{ij} = r^{ijd} v^d
                                                h^{d} = \sum_i r^{iid} v^d)"},
        {"forces of batches",
         R"(F^{hid} = \sum_j p^j \frac{x^{hjd} - x^{hid}}{(\sum_b (x^{hjb} - x^{hib})^2 + 1)^{3/2}})"},
        {"forces by a distance of its own", R"(D^{ij} = \sum_d (x^{id} - z^{jd})^2
                                               F^{id} = \sum_j \exp(-D^{ij}) (x^{id} - z^{jd}))"},
        {"both sides", R"(D^{ij} = \sum_d (x^{id} - z^{jd})^2
                          F^{id} = \sum_j \exp(-D^{ij}) (x^{id} - z^{jd})
                          G^{jd} = \sum_i \exp(-D^{ij}) (x^{id} - z^{jd}))"},
        {"a mean distance", R"(D^{ij} = \operatorname{mean}_d((x^{id} - z^{jd})^2)
                               f^{ic} = \sum_j \exp(-D^{ij}) V^{jc})"},
        {"under a bracket", R"(D^{ij} = \sum_d (x^{id} - z^{jd})^2
                               F^{id} = \sum_j [i \ne j] \frac{x^{id} - z^{jd}}{D^{ij} + 1})"},
        {"with loops of its own in the sum", R"(D^{ij} = \sum_d |x^{id} - z^{jd}|
                                                s^i = \sum_j \exp(-D^{ij}) \sum_b |x^{ib} - z^{jb}|)"},
        {"nearness", R"(D^{ij} = \sum_d (x^{id} - z^{jd})^2
                        w^{ij} = \operatorname{softmax}_j(-D^{ij})
                        y^{id} = \sum_j w^{ij} z^{jd})"},
        {"log-sum-exp of distances",
         R"(u^i = -\operatorname{logsumexp}_j(p^j - \sum_d (x^{id} - z^{jd})^2))"},
    };
}

/// Sums of functions of a plane, without a factor.
std::vector<chain> plain_sums() {
    return {
        {"of rows", product + R"(s^{hi} = \sum_j \tanh(S^{hij}))"},
        {"mean", product + R"(s^{hi} = \operatorname{mean}_j(\exp(S^{hij} / 9)))"},
        {"of rows and columns", product + R"(s^{hi} = \sum_j \tanh(S^{hij})
                                             t^{hj} = \sum_i \tanh(S^{hij}))"},
        {"of two functions", product + R"(s^{hi} = \sum_j \tanh(S^{hij} / 3) S^{hij}
                                          t^{hi} = \sum_j \tanh(S^{hij} / 3) p^j)"},
    };
}

std::string words_of(const chain& which, const sizes& s) {
    bound_program p(which.text, element::f32, 1);
    bind(p, s, layout::row_major);
    return p.prepare().explain();
}

void check_all(const std::vector<chain>& all, unsigned seed) {
    for (const auto& which : all) {
        for (const element type : {element::f32, element::f64}) {
            // Sizes of several tiles each way, of wide rows, and of a worker's whole memory.
            const layout l = type == element::f32 ? layout::shuffled : layout::row_major;
            INFO(which.name << " " << ricci::name_of(type) << "\n"
                            << words_of(which, {2, 2, 131, 97, 5, 11}));
            CHECK(against_oracle(which, {2, 2, 6, 9, 3, 2}, type, layout::shuffled, seed) == "");
            const double tolerance = type == element::f32 ? 2e-4 : 1e-12;
            for (const sizes& s : {sizes{}, sizes{2, 2, 131, 147, 5, 11},
                                   sizes{1, 1, 60, 70, 300, 7}, sizes{1, 1, 20, 40, 1000, 500}})
                CHECK(against_unfused(which, s, type, l, seed, tolerance) == "");
            ++seed;
        }
        const auto words = words_of(which, {2, 2, 131, 160, 5, 11});
        INFO(which.name << "\n" << words);
        CHECK(words.find("  fused  ") != std::string::npos);
    }
}

}  // namespace

TEST_CASE("log-sum-exps of planes") { check_all(log_sums(), 3100); }

TEST_CASE("differences along few values") { check_all(few_values(), 3200); }

TEST_CASE("sums of functions of a plane") { check_all(plain_sums(), 3300); }
