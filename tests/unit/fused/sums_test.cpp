// Several sums over the same tensor that is not stored: those that read what others of them give,
// through a factor, a number or a product, and those whose factor varies along one axis of the
// tiles only.
#include <cstdint>
#include <string>
#include <vector>

#include "tests/catch.hpp"
#include "tests/unit/bound_program.hpp"
#include "tests/unit/fused/chains.hpp"

#include "src/kernels/targets.hpp"

namespace {

using namespace ricci::testing;
using ricci::element;

const std::string bounded = "M^{hij} = \\exp(\\tanh(Q^{hia} K^{hja}))\n";
const std::string weights = "M^{hij} = \\operatorname{softmax}_j(Q^{hia} K^{hja})\n";

/// A later sum reads what an earlier one gives.
std::vector<chain> dependent_sums() {
    return {
        {"rows read columns",
         bounded + "C^{hj} = \\sum_i M^{hij}\nR^{hi} = \\sum_j M^{hij} C^{hj}"},
        {"columns read rows",
         bounded + "R^{hi} = \\sum_j M^{hij}\nC^{hj} = \\sum_i M^{hij} R^{hi}"},
        {"values of columns read rows", bounded + R"(O^{hic} = M^{hij} V^{hjc}
                                                     C^{hjc} = \sum_i M^{hij} O^{hic})"},
        {"columns of a softmax read rows", weights + R"(O^{hic} = M^{hij} V^{hjc}
                                                        C^{hjc} = \sum_i M^{hij} O^{hic})"},
        {"rows read sums over the batch", bounded + R"(C^j = \sum_{h,i} M^{hij}
                                                       R^{hi} = \sum_j M^{hij} C^j)"},
        {"a product reads rows", weights + R"(O^{hic} = M^{hij} V^{hjc}
                                              R^{hi} = \sum_j M^{hij} \tanh(O^{hic} V^{hjc}))"},
        {"a product without more", bounded + R"(O^{hic} = M^{hij} V^{hjc}
                                                R^{hi} = \sum_j M^{hij} (O^{hic} V^{hjc}))"},
        {"a product reads columns", bounded + R"(O^{hja} = M^{hij} Q^{hia}
                                                 R^{hi} = \sum_j M^{hij} \tanh(Q^{hia} O^{hja}))"},
        {"the square of a product", bounded + R"(O^{hic} = M^{hij} V^{hjc}
                                                 R^{hi} = \sum_j M^{hij} (O^{hic} V^{hjc})^2)"},
        {"a softmax reads rows", bounded + R"(O^{hia} = M^{hij} K^{hja}
                                              A^{hij} = \operatorname{softmax}_j(O^{hia} K^{hja})
                                              R^{hi} = \sum_j A^{hij} M^{hij})"},
        {"a chain of three", bounded + R"(C^{hj} = \sum_i M^{hij}
                                          R^{hi} = \sum_j M^{hij} C^{hj}
                                          D^{hj} = \sum_i M^{hij} R^{hi})"},
        {"a number of a softmax", R"(w^j = \operatorname{softmax}_j(Q^a K^{ja})
                                     s = \sum_j w^j p^j
                                     G^c = \exp(s) \sum_j w^j V^{jc})"},
        {"the sum itself is the number", R"(w^j = \operatorname{softmax}_j(Q^a K^{ja})
                                            s = \sum_j w^j p^j
                                            G^c = s \sum_j w^j V^{jc})"},
        {"a number of all tiles", R"(M^{ij} = \exp(\tanh(Q^{ia} K^{ja}))
                                     s = \sum_{i,j} M^{ij}
                                     O^{ic} = \frac{1}{s} \sum_j M^{ij} V^{jc})"},
        {"a number before a product", R"(M^{ij} = \exp(\tanh(Q^{ia} K^{ja}))
                                         s = \sum_{i,j} M^{ij} p^j
                                         R^i = \sum_j M^{ij} \tanh(s \sum_a U^{ia} W^{ja}))"},
    };
}

/// A factor of a sum varies along rows or columns only.
std::vector<chain> factors_of_one_axis() {
    return {
        {"of columns, over rows", bounded + R"(C^{hi} = \sum_j M^{hij} p^j
                                               D^{hj} = \sum_i p^j (M^{hij} - n^i))"},
        {"of rows, over columns", bounded + R"(C^{hi} = \sum_j M^{hij} p^j
                                               D^{hi} = \sum_j n^i (M^{hij} - p^j))"},
        {"of columns, with values", bounded + R"(O^{hic} = M^{hij} V^{hjc}
                                                 D^{hj} = \sum_i p^j (M^{hij} - n^i))"},
        {"of columns, over the batch too", bounded + R"(C^{hi} = \sum_j M^{hij} p^j
                                                        D^j = \sum_{h,i} p^j (M^{hij} - n^{hi}))"},
        {"of rows, over the batch too", bounded + R"(C^{hj} = \sum_i M^{hij} p^i
                                                     D^i = \sum_{h,j} p^i (M^{hij} - n^{hj}))"},
        {"of a softmax", weights + R"(O^{hic} = M^{hij} V^{hjc}
                                      D^{hi} = \sum_j n^i (M^{hij} - p^j)
                                      E^{hj} = \sum_i p^j (M^{hij} - n^i))"},
        {"of both", bounded + R"(C^{hi} = \sum_j M^{hij} p^j
                                 D^{hj} = \sum_i B^{ij} (M^{hij} - n^i)
                                 E^{hi} = \sum_j B^{ij} (M^{hij} - n^i))"},
        {"of one axis of two", R"(M^{hgij} = \exp(\tanh(Q^{hgia} K^{hja}))
                                  C^{hgi} = \sum_j M^{hgij} p^j
                                  D^{hj} = \sum_{g,i} n^g (M^{hgij} - p^j)
                                  E^{hgi} = \sum_j m^{gi} (M^{hgij} - p^j))"},
    };
}

std::string words_of(const chain& which, const sizes& s) {
    bound_program p(which.text, element::f64, 1);
    bind(p, s, layout::row_major);
    return p.prepare().explain();
}

void check_all(const std::vector<chain>& all, unsigned seed) {
    for (const auto& which : all)
        for (const element type : {element::f32, element::f64})
            for (const layout l : {layout::row_major, layout::shuffled}) {
                INFO(which.name << " " << ricci::name_of(type) << "\n"
                                << words_of(which, {2, 2, 6, 9, 3, 2}));
                CHECK(against_oracle(which, {2, 2, 6, 9, 3, 2}, type, l, seed) == "");
                const double tolerance = type == element::f32 ? 1e-4 : 1e-12;
                for (const sizes& s : {sizes{}, sizes{2, 2, 131, 97, 5, 11}})
                    CHECK(against_unfused(which, s, type, l, seed, tolerance) == "");
                ++seed;
            }
}

}  // namespace

TEST_CASE("sums of a group read nothing that the group writes") {
    check_all(dependent_sums(), 2100);
}

TEST_CASE("factors that vary along rows or columns only") {
    check_all(factors_of_one_axis(), 2200);
    for (const auto& which : factors_of_one_axis()) {
        const auto words = words_of(which, {});
        INFO(which.name << "\n" << words);
        CHECK(words.find("  fused  ") != std::string::npos);
        CHECK(words.find("not fused") == std::string::npos);
    }
}

TEST_CASE("sums that read others are made by a group of their own") {
    const auto all = dependent_sums();
    for (const std::size_t k : {0u, 1u, 2u, 3u, 5u}) {
        const auto words = words_of(all[k], {});
        INFO(all[k].name << "\n" << words);
        const auto first = words.find("  fused  ");
        REQUIRE(first != std::string::npos);
        CHECK(words.find("  fused  ", first + 1) != std::string::npos);
        CHECK(words.find("not fused") == std::string::npos);
    }
}

TEST_CASE("gradients whose number is a sum over the same weights") {
    unsigned seed = 2300;
    for (const std::string by_key : {"1", "p^j", "Q^a K^{ja}"}) {
        const auto text =
            "O = \\tanh(\\sum_j (V^{jc} n^c) \\operatorname{softmax}_j(" + by_key + "))";
        const auto program =
            program_of(gradient_of(bound_program::parsed(text), "O", {"n", "V"}, true));
        for (const auto& s : {sizes{}, sizes{1, 1, 1, 2, 2, 2}, sizes{1, 1, 1, 700, 5, 11}})
            for (const layout l : {layout::row_major, layout::shuffled}) {
                INFO(text);
                CHECK(against_unfused(program, s, element::f64, l, seed++, 1e-12) == "");
            }
    }
}
