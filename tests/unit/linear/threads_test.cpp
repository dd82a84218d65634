// Factors and solutions are bitwise the same on any number of threads, and running allocates
// nothing while loans are held.
#include <atomic>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <random>

#include "tests/catch.hpp"
#include "tests/sanitized.hpp"
#include "tests/unit/contract/settings.hpp"
#include "tests/unit/linear/matrices.hpp"

#ifndef RICCI_TEST_SANITIZED

namespace {
std::atomic<std::int64_t> allocations{0};
}  // namespace

void* operator new(std::size_t bytes) {
    ++allocations;
    if (void* p = std::malloc(bytes == 0 ? 1 : bytes)) return p;
    throw std::bad_alloc();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }

#endif

namespace {

using namespace ricci;
using namespace ricci::testing;
using steps::factor_kind;

template <class T>
void check_threads(std::int64_t count, std::int64_t n, std::int64_t sides, factor_kind kind) {
    const worker_guard guard;
    std::mt19937 random(static_cast<unsigned>(n));
    matrices<T> k(count, n, n, 0), y(count, n, sides, 0), x(count, n, sides, 0);
    randomise(k, kind, random);
    y.randomise(random);
    steps::linear_solve what;
    what.kind = kind;
    std::vector<T> first;
    for (const int threads : {1, 2, 3, 7}) {
        runtime::set_worker_count(threads);
        const factored<T> f(k, kind);
        f.solve(what, y, x);
        if (threads == 1) first = x.memory;
        CAPTURE(count, n, sides, static_cast<int>(kind), threads, sizeof(T));
        CHECK(std::memcmp(first.data(), x.memory.data(), first.size() * sizeof(T)) == 0);
    }
}

}  // namespace

TEST_CASE("the same bits on any number of threads") {
    for (const factor_kind kind : {factor_kind::lu, factor_kind::cholesky, factor_kind::upper}) {
        check_threads<double>(1, 500, 300, kind);
        check_threads<double>(1, 500, 1, kind);
        check_threads<float>(1, 300, 200, kind);
        check_threads<std::complex<double>>(1, 200, 100, kind);
        check_threads<double>(60, 70, 9, kind);
        check_threads<std::complex<float>>(5, 150, 40, kind);
        check_threads<float>(3000, 8, 3, kind);
    }
}

#ifndef RICCI_TEST_SANITIZED

TEST_CASE("running allocates nothing") {
    const worker_guard guard;
    for (const int threads : {1, 2})
        for (const auto& [count, n, sides] :
             {std::array<std::int64_t, 3>{1, 300, 100}, {1, 300, 1}, {20, 60, 5}, {200, 6, 3}})
            for (const factor_kind kind : {factor_kind::lu, factor_kind::cholesky}) {
                runtime::set_worker_count(threads);
                std::mt19937 random(1);
                matrices<double> k(count, n, n, 0), y(count, n, sides, 0), x(count, n, sides, 1);
                randomise(k, kind, random);
                y.randomise(random);
                const steps::matrix_loop batch{count, k.step};
                const steps::side_loop sides_of_batch{count, x.step, y.step};
                const steps::side_loop columns{sides, x.column, y.column};
                const linear::prepared_factorization factors(
                    {element::f64, kind, n, k.row, k.column, {&batch, 1}});
                steps::linear_solve what;
                what.kind = kind;
                what.size = n;
                what.x_row = x.row;
                what.y_row = y.row;
                what.batch = {&sides_of_batch, 1};
                what.columns = {&columns, 1};
                const linear::prepared_solve solve(what);
                const factor_memory memory(linear::factor_bytes(element::f64, kind, n, count));
                runtime::loan_book book;
                factors.list_loans(book);
                solve.list_loans(book);
                const runtime::held_memory held(book);
                // Threads and their memory come into being.
                (void)factors.run(k.data(), memory.data());
                solve.run(memory.data(), y.data(), x.data());
                const std::int64_t before = allocations;
                const auto failed = factors.run(k.data(), memory.data());
                solve.run(memory.data(), y.data(), x.data());
                const std::int64_t after = allocations;
                CAPTURE(threads, count, n, sides, static_cast<int>(kind));
                // oneTBB may allocate for its own tasks with more than one thread.
                if (threads == 1) CHECK(after == before);
                CHECK_FALSE(failed);
            }
}

#endif
