// The ways of carrying out contractions: which is chosen, at what cost, and what words say of it.
#include <cstdint>
#include <string>
#include <string_view>

#include "src/contract/candidates.hpp"
#include "src/contract/contraction.hpp"
#include "src/kernels/gemm/gemm.hpp"
#include "tests/catch.hpp"
#include "tests/unit/contract/contract_check.hpp"
#include "tests/unit/contract/contract_patterns.hpp"

namespace {

namespace contractions = ricci::contractions;
using namespace ricci::testing;
using ricci::contractions::choice;
using ricci::contractions::choose_strategy;
using ricci::kernels::gemm_kernels;

// The way is chosen, costs no more than the next best one, and both are named with their cost.
void check_choice(const pattern& p, const char* name, bool has_runner_up) {
    const choice made = choose_strategy(groups_of<float>(p), gemm_kernels<float>());
    const std::string words = prepared_contraction(describe<float>(p), kernel_choice::best,
                                                   contractions::layout_choice::as_given)
                                  .words();
    INFO(words);
    CHECK(std::string_view(made.name) == name);
    CHECK(made.estimate.cycles() > 0);
    CHECK(words.rfind(name, 0) == 0);
    CHECK_THAT(words, Contains(" cycles of one core"));
    REQUIRE((made.runner_up != nullptr) == has_runner_up);
    if (!has_runner_up) return;
    CHECK(std::string_view(made.runner_up) != name);
    CHECK(made.estimate.cycles() <= made.runner_up_estimate.cycles());
    CHECK_THAT(words, Contains(" (" + std::string(made.runner_up) + ": "));
}

// C[l][m][n] of A[l][m][k] and B[l][k][n]; A, or all three, with the batch innermost.
pattern batches(std::int64_t l, std::int64_t m, std::int64_t n, std::int64_t k, bool a_inside,
                bool all_inside) {
    const std::int64_t a = a_inside || all_inside ? l : 1, other = all_inside ? l : 1;
    return {{{l, a == l ? 1 : m * k, all_inside ? 1 : k * n, all_inside ? 1 : m * n}},
            {{m, k * a, 0, n * other}},
            {{n, 0, other, other}},
            {{k, a, n * other, 0}}};
}

}  // namespace

TEST_CASE("each contraction is carried out the cheapest way", "[contract]") {
    const auto& table = gemm_kernels<float>();
    check_choice(product(1, 640, 200), "vector product", true);
    check_choice(product(900, 800, 700), "blocked product", false);
    check_choice(batches(64, 12, 10, 8, false, true), "interleaved batch", true);
    if (table.transpose != nullptr) {
        // C[l][n][m] of A[m][k][l] and B[l][k][n].
        const std::int64_t l = 64, m = 40, n = 61, k = 30;
        check_choice({{{l, 1, k * n, m * n}}, {{m, k * l, 0, 1}}, {{n, 0, 1, m}}, {{k, l, n, 0}}},
                     "packed batch", true);
    }
    if (table.direct_rows[0] != 0 && 48 % table.lanes == 0)
        check_choice(batches(50, 16, 48, 16, false, false), "direct product", true);
    if (table.transpose != nullptr && table.panel_pitch != 0) {
        // C[m][x][y] of A[m][k] and B[k][y][x].
        const std::int64_t m = 16, x = 640, y = 512, k = 48;
        check_choice({{}, {{m, k, 0, x * y}}, {{x, 0, 1, y}, {y, 0, x, 1}}, {{k, 1, x * y, 0}}},
                     "transposed output", true);
    }
}

TEST_CASE("a contraction without terms says so", "[contract]") {
    CHECK_THAT(prepared_contraction(describe<float>(product(4, 5, 0))).words(),
               Contains("empty sum"));
}
