// Small matrices that are read and written where they lie, on every SIMD target.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "src/contract/blocked.hpp"
#include "src/contract/direct.hpp"
#include "src/contract/index_groups.hpp"
#include "src/kernels/gemm/gemm.hpp"
#include "src/runtime/cache_sizes.hpp"
#include "tests/catch.hpp"
#include "tests/unit/contract/contract_check.hpp"

namespace {

using namespace ricci::testing;
using namespace ricci::contractions;
using ricci::kernels::gemm_kernels;

// A[g][l][m][k], B[l][k][n], C[g][l][m][n] with so much room behind each row; A may be turned.
pattern batches_of(std::int64_t g, std::int64_t l, std::int64_t m, std::int64_t n, std::int64_t k,
                   std::int64_t gap, bool a_turned) {
    const std::int64_t a_row = a_turned ? 1 : k + gap, a_step = a_turned ? m + gap : 1;
    const std::int64_t a = a_turned ? k * a_step : m * a_row, row = n + gap;
    return {{{g, l * a, 0, l * m * row}, {l, a, k * row, m * row}},
            {{m, a_row, 0, row}},
            {{n, 0, 1, 1}},
            {{k, a_step, row, 0}}};
}

template <class T>
void check_direct(const pattern& p, unsigned seed, double alpha, double beta) {
    const index_groups groups = groups_of<T>(p);
    REQUIRE(suits_direct(groups, gemm_kernels<T>()));
    const direct<T> how(groups, gemm_kernels<T>());
    check_run<T>(p, seed, alpha, beta,
                 [&](const T* a, const T* b, T* c) { how.run(a, b, c, alpha, beta); });
}

// Numbers that end where a page begins that nobody may touch.
class guarded {
public:
    explicit guarded(std::size_t count)
        : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))),
          bytes_((count * sizeof(float) + page_ - 1) / page_ * page_) {
        void* const at = mmap(nullptr, bytes_ + page_, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        REQUIRE(at != MAP_FAILED);
        memory_ = static_cast<std::byte*>(at);
        REQUIRE(mprotect(memory_ + bytes_, page_, PROT_NONE) == 0);
        first_ = reinterpret_cast<float*>(memory_ + bytes_) - count;
    }
    guarded(const guarded&) = delete;
    guarded& operator=(const guarded&) = delete;
    ~guarded() { munmap(memory_, bytes_ + page_); }
    float* data() const { return first_; }

private:
    std::size_t page_, bytes_;
    std::byte* memory_ = nullptr;
    float* first_ = nullptr;
};

}  // namespace

TEST_CASE("small matrices of many batches, on every target", "[contract]") {
    on_every_target([&] {
        if (gemm_kernels<float>().direct_rows[0] == 0) return;
        std::mt19937 random(3);
        const auto size = [&](std::int64_t most) {
            return std::uniform_int_distribution<std::int64_t>(2, most)(random);
        };
        for (int trial = 0; trial < 60; ++trial) {
            const std::int64_t most = trial % 3 == 0 ? 5 : trial % 3 == 1 ? 24 : 67;
            const std::int64_t m = size(most), n = 2 + size(2 * most), k = size(most);
            const std::int64_t batches = trial % 4 == 0 ? 1 : 1 + 3000 / (m * n * k);
            INFO(batches << " of " << m << " x " << n << " x " << k);
            const pattern p = batches_of(trial % 5 == 0 ? 3 : 1, batches, m, n, k,
                                         trial % 2 == 0 ? 0 : 3, trial % 7 == 0);
            const double beta = trial % 3 == 0 ? 0 : 0.5;
            check<float>(p, 1, -2, beta);
            check<double>(p, 2, 1, beta);
        }
        if (!gemm_kernels<float>().direct_masks) return;
        check_direct<float>(batches_of(2, 40, 13, 37, 11, 2, false), 3, 1, 0);
        check_direct<double>(batches_of(1, 2, 20, 31, 32, 0, true), 4, 2, 1);
        // One operand for all batches, and lines of B that go backwards.
        pattern shared = batches_of(1, 20, 9, 21, 10, 0, false);
        shared.batch[1].b = 0;
        check_direct<float>(shared, 5, 1, 0);
        shared.k[0].b = -shared.k[0].b;
        check_direct<float>(shared, 6, 0.5, 1);
    });
}

TEST_CASE("small matrices whose columns fill half of a vector, on every target", "[contract]") {
    // C[l][n][m] of A[l][k][m] and B[l][n][k]: along m all lies next to each other, along n nothing.
    const auto turned = [](std::int64_t l, std::int64_t m, std::int64_t n, std::int64_t k) {
        return pattern{{{l, k * m, n * k, n * m}}, {{m, 1, 0, 1}}, {{n, 0, k, m}}, {{k, m, 1, 0}}};
    };
    const auto check_both = [&](auto zero) {
        using T = decltype(zero);
        const auto& table = gemm_kernels<T>();
        if (table.direct_rows[0] == 0 || !table.direct_masks || table.lanes < 4) return;
        const std::int64_t half = table.lanes / 2, two = 2 * table.lanes;
        const pattern p = turned(600, half, two, 4);
        CHECK_THAT(prepared_contraction(describe<T>(p)).words(), Contains("direct product"));
        check<T>(p, 1, 1, 0);
        check<T>(p, 2, -2, 0.5);
        // The same with A and B in each other's places.
        const pattern other{{{600, two * 4, 4 * half, two * half}},
                            {{two, 4, 0, half}},
                            {{half, 0, 1, 1}},
                            {{4, 1, half, 0}}};
        CHECK_THAT(prepared_contraction(describe<T>(other)).words(), Contains("direct product"));
        check<T>(other, 3, 1.5, 1);
        for (const std::int64_t m : {half - 1, half + 1})
            for (const std::int64_t k : {1, 3, 40}) check<T>(turned(50, m, two + 3, k), 4, 1, 0.5);
    };
    on_every_target([&] {
        check_both(float{});
        check_both(double{});
    });
}

TEST_CASE("small matrices that come from memory, on every target", "[contract]") {
    on_every_target([&] {
        if (gemm_kernels<double>().direct_rows[0] == 0) return;
        // 20 MB: more than is left to the processor to fetch. Rows and columns make several panels;
        // batches are one loop or two, and no multiple of a run.
        for (const bool a_turned : {false, true}) {
            check_direct<double>(batches_of(1, 7001, 10, 16, 8, 0, a_turned), 1, 1, 0);
            check_direct<double>(batches_of(3, 2003, 10, 16, 8, 2, a_turned), 2, -2, 0.5);
        }
    });
}

TEST_CASE("nothing behind small matrices is touched, on every target", "[contract]") {
    on_every_target([&] {
        for (std::int64_t n = 2; n <= 70; ++n) {
            const std::int64_t m = 1 + n % 9, k = 2 + n % 5;
            const pattern p = product(m, n, k);
            const data<float> in(p, 1);
            const guarded a(in.a.size()), b(in.b.size()), c(in.c.size());
            std::copy(in.a.begin(), in.a.end(), a.data());
            std::copy(in.b.begin(), in.b.end(), b.data());
            std::copy(in.c.begin(), in.c.end(), c.data());
            prepared_contraction(describe<float>(p)).run(a.data(), b.data(), c.data(), 1, 0.5);
            const std::vector<float> out(c.data(), c.data() + in.c.size());
            INFO(m << " x " << n << " x " << k);
            CHECK(error_of(p, in, out, 1, 0.5) == 0);
        }
    });
}

TEST_CASE("what is not small, not dense or in unequal steps is packed", "[contract]") {
    const auto suits = [](const pattern& p) {
        return suits_direct(groups_of<float>(p), gemm_kernels<float>());
    };
    CHECK(suits(product(64, 64, 64)));
    CHECK(suits(batches_of(3, 5, 20, 32, 20, 7, true)));
    CHECK_FALSE(suits(product(4000, 4000, 64)));
    CHECK_FALSE(suits(product(16, 16, 2000)));
    CHECK_FALSE(suits(product(40, 40, 40, false, true)));
    CHECK_FALSE(suits(product(20, 30, 0)));
    // Many batches of a sixteenth of the second cache each.
    const auto n = static_cast<std::int64_t>(
        std::sqrt(static_cast<double>(ricci::runtime::caches().second / 64)));
    CHECK_FALSE(suits(batches_of(1, 100, n, n, n, 0, false)));
    // 48 kB in a field of many times that.
    CHECK_FALSE(suits(batches_of(1, 1, 80, 80, 150, 2000, false)));
    pattern halves = product(20, 40, 10);
    halves.n = {{2, 0, 400, 100}, {20, 0, 1, 1}};
    CHECK_FALSE(suits(halves));
}

TEST_CASE("matrices may be packed although they are small, on every target", "[contract]") {
    on_every_target([&] {
        std::mt19937 random(5);
        for (int trial = 0; trial < 40; ++trial) {
            const auto size = [&] {
                return std::uniform_int_distribution<std::int64_t>(2, 67)(random);
            };
            const pattern p =
                batches_of(1, 1 + trial % 3, size(), size(), size(), trial % 4, trial % 2 == 0);
            const double beta = trial % 3 == 0 ? 0 : 0.5;
            const blocked<float> how(groups_of<float>(p), gemm_kernels<float>());
            check_run<float>(p, 1, 2, beta, [&](const float* a, const float* b, float* c) {
                how.run(a, b, c, 2, beta);
            });
        }
    });
}

TEST_CASE("rows that are asked for ahead are multiplied alike, on every target", "[contract]") {
    on_every_target([&] {
        const auto& table = gemm_kernels<float>();
        for (const std::int64_t depth : {1, 15, 16, 17, 64, 100}) {
            const std::int64_t columns = std::int64_t{ricci::kernels::max_vectors} * table.lanes;
            const pattern p = product(ricci::kernels::max_rows, columns, depth);
            const data<float> in(p, 1);
            std::vector<std::int64_t> rows, offsets;
            for (std::int64_t i = 0; i < ricci::kernels::max_rows; ++i) rows.push_back(i * columns);
            for (std::int64_t j = 0; j < columns; ++j) offsets.push_back(j);
            for (int r = 0; r < ricci::kernels::max_rows; ++r)
                for (int v = 0; v < ricci::kernels::max_vectors; ++v) {
                    if (table.gemm_in_place[r][v] == nullptr) continue;
                    std::vector<float> results[2] = {in.c, in.c};
                    for (const bool asks : {false, true}) {
                        ricci::kernels::output_tile<float> out;
                        out.origin = results[asks].data();
                        out.rows = rows.data();
                        out.columns = offsets.data();
                        out.column_count = (v + 1) * table.lanes;
                        out.adjacent = ~0u;
                        out.beta = 0.5f;
                        out.prefetch = true;
                        out.next.first = in.b.data();
                        table.gemm_in_place[r][v](depth, {in.a.data(), depth, 1, asks ? depth : 0},
                                                  in.b.data(), columns, out);
                    }
                    INFO(r + 1 << " rows, " << v + 1 << " vectors, depth " << depth);
                    CHECK(results[0] != std::vector<float>(in.c));
                    CHECK(results[0] == results[1]);
                }
        }
    });
}

TEST_CASE("small matrices on any number of threads", "[contract]") {
    const worker_guard guard;
    for (const pattern& p :
         {batches_of(2, 400, 16, 20, 24, 0, false), batches_of(1, 1, 150, 140, 170, 0, false)}) {
        const data<float> in(p, 11);
        const direct<float> how(groups_of<float>(p), gemm_kernels<float>());
        check_threads(p, in,
                      [&](const float* a, const float* b, float* c) { how.run(a, b, c, 1, 0.5); });
    }
}
