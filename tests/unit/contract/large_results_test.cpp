// Results that do not stay in the caches: tiles that are put together before they are written, and
// products that are transposed into place; on every SIMD target.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "src/contract/blocked.hpp"
#include "src/contract/folded_rows.hpp"
#include "src/contract/index_groups.hpp"
#include "src/contract/transposed_output.hpp"
#include "src/kernels/gemm/gemm.hpp"
#include "src/runtime/cache_sizes.hpp"
#include "tests/catch.hpp"
#include "tests/unit/contract/contract_check.hpp"

namespace {

using namespace ricci::testing;
using namespace ricci::contractions;
using ricci::kernels::gemm_kernels;

// Whole numbers, whose sums are exact, in memory that begins with a cache line.
template <class T>
class whole_numbers {
public:
    whole_numbers(std::int64_t count, unsigned seed)
        : memory_(static_cast<std::size_t>(count) + 16) {
        const auto past = reinterpret_cast<std::uintptr_t>(memory_.data()) % 64;
        start_ = past == 0 ? 0 : (64 - past) / sizeof(T);
        std::mt19937 random(seed);
        for (std::int64_t i = 0; i < count; ++i)
            data()[i] = static_cast<T>(static_cast<int>(random() % 7) - 3);
    }
    T* data() { return memory_.data() + start_; }

private:
    std::vector<T> memory_;
    std::size_t start_ = 0;
};

std::int64_t elements(const pattern& p, stride member) { return reach_of(p, member).high + 1; }

// Runs a contraction of as many elements as are written past the caches, and looks at all of C.
template <class T, class Run>
void check_exactly(const pattern& p, T beta, Run run) {
    whole_numbers<T> a(elements(p, &contraction_loop::a), 1),
        b(elements(p, &contraction_loop::b), 2);
    const std::int64_t count = elements(p, &contraction_loop::c);
    whole_numbers<T> c(count, 3), expected(count, 3);
    std::vector<contraction_loop> all;
    for (const loops* group : {&p.batch, &p.m, &p.n})
        all.insert(all.end(), group->begin(), group->end());
    const auto scale = [&](std::int64_t, std::int64_t, std::int64_t at) {
        expected.data()[at] *= beta;
    };
    walk(all, 0, 0, 0, 0, scale);
    all.insert(all.end(), p.k.begin(), p.k.end());
    const auto add = [&](std::int64_t at_a, std::int64_t at_b, std::int64_t at) {
        expected.data()[at] += 2 * a.data()[at_a] * b.data()[at_b];
    };
    walk(all, 0, 0, 0, 0, add);
    run(a.data(), b.data(), c.data());
    CHECK(std::equal(c.data(), c.data() + count, expected.data()));
}

}  // namespace

TEST_CASE("rows of a large result that are shorter than a cache line, on every target",
          "[contract]") {
    on_every_target([&] {
        // C[f][d][b][a] of A[b][k] and B[d][a][k]: (b, a) are whole lines, and a alone is not.
        const auto check_rows = [&](std::int64_t f, std::int64_t d, std::int64_t b, std::int64_t a,
                                    std::int64_t k, std::int64_t gap, bool folds) {
            const std::int64_t page = b * a + gap;
            const pattern p = {{},
                               {{f, b * k, 0, d * page}, {b, k, 0, a}},
                               {{d, 0, a * k, page}, {a, 0, k, 1}},
                               {{k, 1, 1, 0}}};
            INFO(f << " x " << d << " x " << b << " x " << a << ", gap " << gap);
            const index_groups groups = groups_of<float>(p);
            const auto& table = gemm_kernels<float>();
            const blocked<float> how(groups, table);
            if (table.lanes == 16) {
                const folded_rows rows =
                    fold_rows(flatten(groups.m, &contraction_loop::c),
                              flatten(groups.n, &contraction_loop::c), table.mr, 16);
                CHECK((rows.step == a) == folds);
            }
            for (const float beta : {0.0f, 1.0f})
                check_exactly<float>(p, beta, [&](const float* x, const float* y, float* c) {
                    how.run(x, y, c, 2, beta);
                });
        };
        check_rows(20, 250, 24, 24, 2, 0, true);
        check_rows(21, 120, 44, 20, 1, 0, true);
        check_rows(9, 520, 60, 8, 2, 0, true);
        check_rows(20, 250, 24, 24, 1, 16, true);
        check_rows(20, 250, 24, 24, 1, 3, true);
        check_rows(20, 250, 24, 21, 1, 0, false);
        check_rows(150, 31, 24, 24, 1, 0, true);
    });
}

TEST_CASE("products that are transposed into the result, on every target", "[contract]") {
    on_every_target([&] {
        if (gemm_kernels<float>().transpose == nullptr) return;
        std::mt19937 random(7);
        const auto size = [&](std::int64_t least, std::int64_t most) {
            return std::uniform_int_distribution<std::int64_t>(least, most)(random);
        };
        const auto check_transposed = [&]<class T>(T, const pattern& p, double alpha, double beta) {
            const transposed_output<T> how(groups_of<T>(p), gemm_kernels<T>());
            check_run<T>(p, 1, alpha, beta,
                         [&](const T* a, const T* b, T* c) { how.run(a, b, c, alpha, beta); });
        };
        for (int trial = 0; trial < 40; ++trial) {
            // A[g][x][z][k][y] and B[g][r][k] give C[g][y][r][z][x].
            const std::int64_t x = size(4, 60), y = size(4, 60), z = size(1, 6), r = size(1, 12),
                               k = size(1, 20), g = size(1, 2), gap = trial % 3;
            const std::int64_t ay = 1, ak = y + gap, az = k * ak, ax = z * az, ag = x * ax;
            const std::int64_t cz = x + (trial % 4 == 3 ? 5 : 0), cr = z * cz, cy = r * cr,
                               cg = y * cy + gap;
            const pattern p = {{{g, ag, r * k, cg}},
                               {{y, ay, 0, cy}, {z, az, 0, cz}, {x, ax, 0, 1}},
                               {{r, 0, k, cr}},
                               {{k, ak, 1, 0}}};
            INFO("trial " << trial << ": " << x << " " << y << " " << z << " " << r << " " << k);
            if (groups_of<float>(p).n.size() < 2 || x < gemm_kernels<float>().lanes) continue;
            const double beta = trial % 3 == 0 ? 0 : 0.5;
            check_transposed(float{}, p, -2, beta);
            if (x >= gemm_kernels<double>().lanes) check_transposed(double{}, p, 1, beta);
        }
    });
}

TEST_CASE("products that are transposed into whole lines of a large result", "[contract]") {
    // A[x][k][z][y] and B[r][k] give C[y][r][z][x], of which (z, x) are whole lines.
    const auto check_lines = [](std::int64_t x, std::int64_t y, std::int64_t z, std::int64_t r,
                                std::int64_t gap) {
        const std::int64_t k = 2, page = z * x + gap;
        const pattern p = {{},
                           {{y, 1, 0, r * page}, {z, y, 0, x}, {x, k * z * y, 0, 1}},
                           {{r, 0, k, page}},
                           {{k, z * y, 1, 0}}};
        INFO(x << " x " << y << " x " << z << " x " << r);
        const transposed_output<float> how(groups_of<float>(p), gemm_kernels<float>());
        for (const float beta : {0.0f, 1.0f})
            check_exactly<float>(p, beta, [&](const float* a, const float* b, float* c) {
                how.run(a, b, c, 2, beta);
            });
    };
    check_lines(72, 72, 60, 8, 0);
    check_lines(48, 50, 80, 12, 16);
    check_lines(40, 60, 100, 10, 0);
    check_lines(41, 60, 100, 10, 0);
    // Lines that are not cut into parts.
    check_lines(1024, 101, 11, 2, 0);
}

TEST_CASE("a large operand is transposed where that is less than the result", "[contract]") {
    const auto suits = [](std::int64_t x, std::int64_t y, std::int64_t outer, std::int64_t r,
                          std::int64_t k) {
        const pattern p = {
            {},
            {{y, 1, 0, outer * r * x}, {outer, y, 0, r * x}, {x, k * outer * y, 0, 1}},
            {{r, 0, k, x}},
            {{k, outer * y, 1, 0}}};
        return suits_transposed_output(groups_of<float>(p), gemm_kernels<float>());
    };
    const std::int64_t far = ricci::runtime::caches().second;
    CHECK(suits(32, 32, far / 1024, 8, 32));
    CHECK_FALSE(suits(32, 32, far / 1024, 32, 8));
    CHECK_FALSE(suits(32, 32, 1, 8, 32));
    CHECK_FALSE(suits(32, 8, far / 1024, 8, 32));
}

TEST_CASE("large results on any number of threads", "[contract]") {
    const worker_guard guard;
    const std::int64_t x = 48, y = 40, z = 30, r = 12;
    // One block after another, and each thread at blocks of its own.
    for (const std::int64_t batches : {1, 10}) {
        const std::int64_t k = batches == 1 ? 40 : 3;
        const pattern p = {{{batches, x * k * z * y, 0, y * r * z * x}},
                           {{y, 1, 0, r * z * x}, {z, y, 0, x}, {x, k * z * y, 0, 1}},
                           {{r, 0, k, z * x}},
                           {{k, z * y, 1, 0}}};
        const data<float> in(p, 11);
        const transposed_output<float> how(groups_of<float>(p), gemm_kernels<float>());
        check_threads(p, in,
                      [&](const float* a, const float* b, float* c) { how.run(a, b, c, 1, 0.5); });
    }
}
