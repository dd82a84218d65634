// Contractions of random patterns, shapes and strides, on every SIMD target, against plain loops.
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "src/contract/contraction.hpp"
#include "src/kernels/targets.hpp"
#include "src/runtime/parallel.hpp"
#include "tests/catch.hpp"
#include "tests/few.hpp"
#include "tests/unit/contract/contract_check.hpp"
#include "tests/unit/contract/contract_patterns.hpp"
#include "src/steps/contraction.hpp"

namespace {

using namespace ricci::testing;
using ricci::steps::contraction_loop;

template <class T>
void check_random(unsigned seed, std::int64_t largest,
                  kernel_choice kernels = kernel_choice::best) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const pattern p = random_pattern(random, largest);
    const double alphas[] = {1, -0.5, 2};
    const double betas[] = {0, 1, 0.25};
    check<T>(p, seed, alphas[random() % 3], betas[random() % 3], kernels);
}

}  // namespace

TEST_CASE("random patterns on every target agree with plain loops", "[contract]") {
    on_every_target([&] {
        for (unsigned seed = 0; seed < few_or(40u, 120u); ++seed) {
            check_random<float>(seed, 20000);
            check_random<double>(seed + 1000, 20000);
        }
    });
}

TEST_CASE("random patterns with the scalar kernels agree with plain loops", "[contract]") {
    for (unsigned seed = 5000; seed < few_or(5020u, 5080u); ++seed) {
        check_random<float>(seed, 10000, kernel_choice::scalar);
        check_random<double>(seed, 10000, kernel_choice::scalar);
    }
}

TEST_CASE("products of every edge size, in every layout", "[contract]") {
    on_every_target([&] {
        std::mt19937 random(7);
        for (unsigned layout = 0; layout < 8; ++layout) {
            for (int trial = 0; trial < few_or(4, 12); ++trial) {
                const auto size = [&] {
                    return std::uniform_int_distribution<std::int64_t>(1, 67)(random);
                };
                const std::int64_t m = size(), n = size(), k = size();
                INFO("layout " << layout << ": " << m << " x " << n << " x " << k);
                const pattern p =
                    product(m, n, k, (layout & 1) != 0, (layout & 2) != 0, (layout & 4) != 0);
                check<float>(p, layout, 1, trial % 2);
                check<double>(p, layout, 1, trial % 2);
            }
        }
    });
}

TEST_CASE("several blocks of every kind", "[contract]") {
    check<float>(product(210, 70, 1100), 1, 1, 0);
    check<double>(product(33, 130, 900, true, true), 2, 0.5, 2);
    check<float>(product(9, 4500, 40, false, true), 3, 1, 1);
    check<float>(product(16, 16, 20000), 4, 1, 0);
    check<double>(product(20, 17, 9000, true, false, true), 5, 2, 0.5);
    check<float>({{{70, 30, 60, 50}}, {{5, 6, 0, 10}}, {{10, 0, 6, 1}}, {{6, 1, 1, 0}}}, 6, 1, 0);
    // Rows of A are contiguous across, 4096 bytes apart.
    check<float>(product(1024, 16, 280, true), 7, -1, 0.5);
}

// A[m][c][d] B[d][n][c]: both are contiguous along k, A along d and B along c.
pattern disagreeing_k(std::int64_t m, std::int64_t n, std::int64_t c, std::int64_t d) {
    return {{}, {{m, c * d, 0, n}}, {{n, 0, c, 1}}, {{c, d, 1, 0}, {d, 1, n * c, 0}}};
}

// A[d][m][e], B[e][d][n]: B is as it would be packed, and A has its unit steps d apart.
pattern ready_columns(std::int64_t m, std::int64_t n, std::int64_t e, std::int64_t d) {
    return {{}, {{m, e, 0, n}}, {{n, 0, 1, 1}}, {{d, m * e, n, 0}, {e, 1, d * n, 0}}};
}

// A[m][k] B[a][k][b][d], C[d][m][b][a]: B is contiguous along d, C along a.
pattern disagreeing_n(std::int64_t m, std::int64_t a, std::int64_t b, std::int64_t d,
                      std::int64_t k) {
    return {{},
            {{m, k, 0, b * a}},
            {{a, 0, k * b * d, 1}, {b, 0, d, a}, {d, 0, 1, m * b * a}},
            {{k, 1, b * d, 0}}};
}

// A[m][k][b] B[k][n][b], C[m][n][b]; where one of them is turned, b is its slowest index.
pattern inner_batch(std::int64_t b, std::int64_t m, std::int64_t n, std::int64_t k,
                    bool a_turned = false, bool b_turned = false, bool c_turned = false) {
    const std::int64_t in_a = a_turned ? 1 : b, in_b = b_turned ? 1 : b, in_c = c_turned ? 1 : b;
    return {{{b, a_turned ? m * k : 1, b_turned ? k * n : 1, c_turned ? m * n : 1}},
            {{m, k * in_a, 0, n * in_c}},
            {{n, 0, in_b, in_c}},
            {{k, in_a, n * in_b, 0}}};
}

TEST_CASE("unit strides that disagree, on every target", "[contract]") {
    on_every_target([&] {
        check<float>(disagreeing_k(210, 30, 72, 16), 1, 1, 0);
        check<float>(disagreeing_k(13, 200, 37, 24), 2, 2, 1);
        check<double>(disagreeing_k(205, 33, 21, 40), 3, 1, 0.5);
        check<double>(disagreeing_k(40, 70, 24, 20), 4, 1, 0);
        check<float>(disagreeing_n(24, 72, 3, 24, 19), 5, 1, 0);
        check<float>(disagreeing_n(11, 37, 2, 150, 9), 6, -1, 0.25);
        check<double>(disagreeing_n(200, 19, 5, 21, 12), 7, 1, 0);
        check<float>(disagreeing_n(9, 130, 1, 48, 20), 8, 1, 1);
    });
}

TEST_CASE("few rows, contiguous along an outer k, on every target", "[contract]") {
    on_every_target([&] {
        check<float>(ready_columns(13, 192, 11, 48), 1, 1, 0);
        check<float>(ready_columns(21, 96, 37, 21), 2, -2, 1);
        check<float>(ready_columns(5, 64, 7, 128), 3, 1, 0.5);
        check<float>(ready_columns(5, 64, 4, 130), 4, 1, 0);
        check<double>(ready_columns(12, 64, 30, 19), 5, 1, 0.5);
        check<double>(ready_columns(9, 80, 3, 2), 6, 1, 0);
    });
}

TEST_CASE("matrices by vectors, on every target", "[contract]") {
    on_every_target([&] {
        for (const std::int64_t k : {1, 7, 16, 63, 64, 65, 200}) {
            for (const std::int64_t m : {1, 2, 3, 4, 5, 9, 70, 1200}) {
                INFO(m << " rows of " << k);
                check<float>(product(m, 1, k), 1, 1, 0);
                check<double>(product(1, m, k, false, true), 2, -1, 0.5);
            }
            // Rows with room between them, of batches that go backwards in C.
            check<float>({{{3, 5 * (k + 2), k, -11}}, {{5, k + 2, 0, 2}}, {}, {{k, 1, 1, 0}}}, 3, 2,
                         1);
        }
    });
}

TEST_CASE("few rows and many k, few k and many columns, on every target", "[contract]") {
    on_every_target([&] {
        check<float>(product(50, 45, 9001), 1, 1, 0);
        check<double>(product(100, 37, 8400), 2, 0.5, 2);
        check<double>(product(31, 40, 8200, false, true), 3, 1, 1);
        check<float>(product(33, 301, 30), 4, 1, 0);
        check<double>(product(40, 515, 17), 5, 2, 0.5);
        check<float>(product(32, 640, 32, true), 6, 1, 1);
        check<double>(product(13, 400, 9, false, true), 7, 1, 0);
    });
}

TEST_CASE("a contiguous batch index, on every target", "[contract]") {
    on_every_target([&] {
        for (const std::int64_t b : {7, 16, 45}) {
            check<float>(inner_batch(b, 13, 9, 70), 1, 1, 0);
            check<float>(inner_batch(b, 4, 6, 3), 2, 2, 1);
            check<double>(inner_batch(b, 5, 7, 130), 3, -1, 0.5);
            check<double>(inner_batch(b, 131, 2, 40), 4, 1, 0);
            check<float>(inner_batch(b, 6, 5, 0), 5, 1, 0.5);
            check<float>(inner_batch(b, 9, 10, 33, true), 6, 1, 1);
            check<double>(inner_batch(b, 9, 10, 33, false, true), 7, 1, 0);
            check<float>(inner_batch(b, 10, 9, 33, false, false, true), 8, 1, 0.5);
        }
    });
}

// A[c][m][k][b] B[b][k][n][c], C[b][c][m][n]: each operand is contiguous along another batch index.
pattern crossed_batches(std::int64_t b, std::int64_t c, std::int64_t m, std::int64_t n,
                        std::int64_t k) {
    return {{{b, 1, k * n * c, c * m * n}, {c, m * k * b, 1, m * n}},
            {{m, k * b, 0, n}},
            {{n, 0, c, 1}},
            {{k, b, n * c, 0}}};
}

TEST_CASE("one operand is contiguous along a batch index, on every target", "[contract]") {
    on_every_target([&] {
        for (const std::int64_t b : {7, 16, 35}) {
            check<float>(inner_batch(b, 12, 9, 33, false, true, true), 1, 1, 0);
            check<double>(inner_batch(b, 9, 20, 31, false, true, true), 2, -1, 0.5);
            check<float>(inner_batch(b, 2, 3, 2, true, false, true), 3, 2, 1);
            check<double>(inner_batch(b, 13, 10, 47, true, false, true), 4, 1, 0);
        }
        check<float>(crossed_batches(17, 9, 5, 18, 11), 5, 1, 0.5);
        check<double>(crossed_batches(8, 30, 7, 6, 3), 6, 1, 0);
        // Not all matrices are put in order at once, and then too few.
        check<float>(inner_batch(35, 128, 2, 128, false, true, true), 7, 1, 0);
        check<double>(inner_batch(37, 3, 100, 70, true, false, true), 8, 0.5, 2);
    });
}

TEST_CASE("a large result is the same wherever its lines begin", "[contract]") {
    // Aligned, it is written past the caches.
    const std::int64_t m = 1030, n = 2304, k = 5;
    const pattern p = product(m, n, k);
    const data<float> in(p, 9);
    std::vector<float> memory(in.c.size() + 32, 0.0f);
    std::size_t first = 0;
    while (reinterpret_cast<std::uintptr_t>(memory.data() + first) % 64 != 0) ++first;
    const prepared_contraction prepared(describe<float>(p));
    std::vector<float> results[2];
    for (const std::size_t shift : {std::size_t{0}, std::size_t{3}}) {
        float* const c = memory.data() + first + shift;
        prepared.run(in.a.data(), in.b.data(), c, 2, 0);
        results[shift != 0].assign(c, c + in.c.size());
    }
    CHECK(results[0] == results[1]);
    CHECK(error_of(p, in, results[0], 2, 0) == 0);
}

TEST_CASE("sums of multiples of rows, on every target", "[contract]") {
    on_every_target([&] {
        for (std::int64_t rows = 1; rows <= 10; ++rows) {
            for (const std::int64_t n : {1, 7, 31, 64, 99, 4099}) {
                INFO("rows " << rows << ", columns " << n);
                // The numbers next to each other and further apart, with a second sum outside.
                pattern p;
                p.n = {{n, 0, 1, 1}};
                p.k = {{3, 1, rows * (n + 1), 0}, {rows, 3, n + 1, 0}};
                const double beta = rows % 3 == 0 ? 0 : 0.5;
                check<float>(p, static_cast<unsigned>(rows), 2, beta);
                check<double>(p, static_cast<unsigned>(rows), -0.5, beta);
            }
        }
    });
}

TEST_CASE("groups may be empty", "[contract]") {
    const contraction_loop batch{37, 1, 1, 1};
    for (const double beta : {0.0, 1.0}) {
        check<float>({}, 1, 1, beta);                                           // scalars
        check<float>({{}, {}, {}, {{1000, 1, 1, 0}}}, 2, 1, beta);              // dot
        check<double>({{}, {}, {}, {{100000, 1, 2, 0}}}, 3, 1, beta);           // long, strided dot
        check<float>({{}, {{50, 1, 0, 70}}, {{70, 0, 1, 1}}, {}}, 4, 1, beta);  // outer product
        check<float>({{batch}, {}, {}, {}}, 5, 1, beta);                        // Hadamard
        check<float>({{}, {{65, 33, 0, 1}}, {}, {{33, 1, 1, 0}}}, 6, 1, beta);  // matrix-vector
        check<double>({{}, {}, {{65, 0, 1, 1}}, {{33, 1, 65, 0}}}, 7, 1, beta);  // vector-matrix
        check<float>({{batch}, {}, {}, {{19, 37, 0, 0}}}, 8, 1, beta);           // row sums, scaled
    }
}

TEST_CASE("no iterations", "[contract]") {
    const pattern no_sum = product(5, 7, 0);
    check<float>(no_sum, 1, 1, 0);
    check<double>(no_sum, 2, 1, 0.5);
    for (const pattern& p : {product(0, 7, 3), product(5, 0, 3)}) {
        float c = 3;
        prepared_contraction(describe<float>(p)).run(&c, &c, &c, 1, 0);
        CHECK(c == 3);
    }
}

TEST_CASE("the result does not depend on the number of threads", "[contract]") {
    const worker_guard guard;
    const pattern shapes[] = {
        product(150, 90, 700),
        product(16, 16, 30000),
        product(100, 40, 9000),
        product(40, 2000, 24),
        {{{80, 96, 96, 64}}, {{8, 12, 0, 8}}, {{8, 0, 12, 1}}, {{12, 1, 1, 0}}},
        disagreeing_k(200, 60, 72, 16),
        disagreeing_n(24, 72, 3, 24, 40),
        inner_batch(48, 40, 30, 90),
        inner_batch(48, 40, 30, 90, false, true, true),
        product(1, 3000, 200),
        product(1, 1, 400000)};
    for (const pattern& p : shapes) {
        const data<float> in(p, 11);
        const prepared_contraction prepared(describe<float>(p));
        check_threads(p, in, [&](const float* a, const float* b, float* c) {
            prepared.run(a, b, c, 1, 0.5);
        });
    }
}

TEST_CASE("different contractions run at the same time", "[contract]") {
    const pattern one = product(120, 100, 300);
    const pattern other = product(90, 130, 400, true, true);
    const data<float> in_one(one, 1);
    const data<double> in_other(other, 2);
    const prepared_contraction run_one(describe<float>(one));
    const prepared_contraction run_other(describe<double>(other));
    std::vector<std::vector<float>> out_one(8, in_one.c);
    std::vector<std::vector<double>> out_other(8, in_other.c);
    auto both = [&](std::int64_t task, int) {
        const auto i = static_cast<std::size_t>(task / 2);
        if (task % 2 == 0) {
            run_one.run(in_one.a.data(), in_one.b.data(), out_one[i].data(), 1, 0);
        } else {
            run_other.run(in_other.a.data(), in_other.b.data(), out_other[i].data(), 1, 0);
        }
    };
    ricci::runtime::parallel_for(16, both);
    for (std::size_t i = 0; i < 8; ++i) {
        CHECK(error_of(one, in_one, out_one[i], 1, 0) == 0);
        CHECK(error_of(other, in_other, out_other[i], 1, 0) == 0);
    }
}
