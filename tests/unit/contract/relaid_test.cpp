// Contractions of operands in another order in memory.
#include <complex>
#include <cstdint>
#include <random>
#include <string>

#include "src/contract/candidates.hpp"
#include "src/contract/contraction.hpp"
#include "src/contract/relaid.hpp"
#include "src/kernels/gemm/gemm.hpp"
#include "tests/catch.hpp"
#include "tests/unit/contract/contract_check.hpp"
#include "tests/unit/contract/contract_patterns.hpp"

namespace {

namespace contractions = ricci::contractions;
using namespace ricci::testing;

template <class T>
contractions::relaid relaid_as(const pattern& p, const contractions::layout& how) {
    const contraction what = describe<T>(p);
    const contractions::regrouped there = contractions::laid_out(what, how);
    const auto& kernels = ricci::kernels::gemm_kernels<T>();
    return {what, how,
            contractions::choose_strategy(
                contractions::make_index_groups(there.made, kernels.lanes), kernels)};
}

template <class T>
void check_layouts(std::mt19937& random, int patterns) {
    for (int i = 0; i < patterns; ++i) {
        const pattern p = random_pattern(random, 20000);
        for (const auto& how : contractions::layouts_of(describe<T>(p))) {
            const contractions::relaid made = relaid_as<T>(p, how);
            for (const double beta : {0.0, 0.5})
                check_run<T>(p, static_cast<unsigned>(i), 1.5, beta,
                             [&](const T* a, const T* b, T* c) { made.run(a, b, c, 1.5, beta); });
        }
    }
}

// C[d][b][a] of A[d][a][c] and B[b][c][d]: of B, each line has one element of each batch.
pattern scattered() {
    const std::int64_t a = 32, b = 77, c = 142, d = 6;
    return {{{d, a * c, 1, b * a}}, {{a, c, 0, 1}}, {{b, 0, c * d, a}}, {{c, 1, d, 0}}};
}

}  // namespace

TEST_CASE("operands in another order give the same product", "[contract]") {
    std::mt19937 random(5);
    check_layouts<float>(random, 60);
    check_layouts<double>(random, 60);
}

TEST_CASE("what lies scattered is copied where that is cheaper", "[contract]") {
    const prepared_contraction made(describe<float>(scattered()));
    INFO(made.words());
    CHECK_THAT(made.words(), Contains("copied in another order"));
    check<float>(scattered(), 1, 1, 0);
    check<float>(scattered(), 2, 2, 0.5);
    const prepared_contraction given(describe<float>(scattered()), kernel_choice::best,
                                     contractions::layout_choice::as_given);
    CHECK(given.words().find("copied in another order") == std::string::npos);
    CHECK_THAT(
        prepared_contraction(
            describe<float>({{}, {{640, 640, 0, 640}}, {{640, 0, 1, 1}}, {{640, 1, 640, 0}}}))
            .words(),
        !Contains("copied"));
}

TEST_CASE("a product with a vector is written in another order where no line is whole",
          "[contract]") {
    const std::int64_t h = 100, g = 16, d = 8, k = 64;
    // C[h][g][d] of A[h][k][d][g] and B[k]: no loop has neighbours in both A and C.
    const pattern p = {
        {}, {{h, k * d * g, 0, g * d}, {g, 1, 0, d}, {d, g, 0, 1}}, {}, {{k, d * g, 1, 0}}};
    const prepared_contraction made(describe<double>(p));
    INFO(made.words());
    CHECK_THAT(made.words(), Contains("result written in another order"));
    check<double>(p, 1, 1, 0);
    check<double>(p, 2, 2, 0.5);
    // What is read once, of a line with gaps, is not worth a copy.
    for (const std::int64_t gap : {2, 3, 40})
        for (const std::int64_t terms : {100000, 1000000}) {
            const pattern dot = {{}, {}, {}, {{terms, gap, 1, 0}}};
            CHECK_THAT(prepared_contraction(describe<double>(dot)).words(), !Contains("copied"));
            CHECK_THAT(prepared_contraction(describe<float>(dot)).words(), !Contains("copied"));
        }
}

TEST_CASE("copies of operands are the same on any number of threads", "[contract]") {
    const pattern p = scattered();
    const data<float> in(p, 3);
    for (const auto& how : contractions::layouts_of(describe<float>(p))) {
        const contractions::relaid made = relaid_as<float>(p, how);
        check_threads(p, in,
                      [&](const float* a, const float* b, float* c) { made.run(a, b, c, 1, 0.5); });
    }
}
