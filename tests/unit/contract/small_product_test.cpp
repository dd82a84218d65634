// Products of a few elements that lie anyhow, on every SIMD target: by run() and by their calls.
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "src/contract/direct.hpp"
#include "src/contract/index_groups.hpp"
#include "src/contract/small_product.hpp"
#include "src/kernels/gemm/gemm.hpp"
#include "tests/catch.hpp"
#include "tests/unit/contract/contract_check.hpp"

namespace {

using namespace ricci::testing;
using namespace ricci::contractions;
using ricci::kernels::gemm_kernels;

template <class T>
void run_calls(const strategy& how, const T* a, const T* b, T* c, double alpha, double beta) {
    call_list list;
    list.add_step(how.calls(alpha, beta));
    REQUIRE(list.has_calls(0));
    list.bind(0, a, b, c);
    list.run(0);
}

// Returns whether it is such a product.
template <class T>
bool check_small(const pattern& p, unsigned seed, double alpha, double beta) {
    const index_groups groups = groups_of<T>(p);
    if (!suits_small_product(groups, gemm_kernels<T>())) return false;
    const small_product<T> how(groups, gemm_kernels<T>());
    check_run<T>(p, seed, alpha, beta,
                 [&](const T* a, const T* b, T* c) { how.run(a, b, c, alpha, beta); });
    check_run<T>(p, seed, alpha, beta,
                 [&](const T* a, const T* b, T* c) { run_calls(how, a, b, c, alpha, beta); });
    return true;
}

// The sum over k of A(m, k) B(k, n), as contraction loops say, by its definition.
using complex = std::complex<double>;
complex by_definition(const contraction_loop& k, const complex* a, const complex* b,
                      bool conjugate_a, bool conjugate_b) {
    complex sum = 0;
    for (std::int64_t t = 0; t < k.extent; ++t) {
        const complex x = a[t * k.a], y = b[t * k.b];
        sum += (conjugate_a ? std::conj(x) : x) * (conjugate_b ? std::conj(y) : y);
    }
    return sum;
}

}  // namespace

TEST_CASE("products of a few elements in any layout, on every target", "[contract]") {
    on_every_target([] {
        std::mt19937 random(7);
        int small = 0;
        for (unsigned trial = 0; trial < 600; ++trial) {
            const pattern p = random_pattern(random, trial % 2 == 0 ? 64 : 600);
            INFO("pattern " << trial);
            const double beta = trial % 3 == 0 ? 0 : 0.5;
            small += check_small<double>(p, trial, trial % 5 == 0 ? 1 : -2, beta) ? 1 : 0;
            check_small<float>(p, trial + 1, 0.5, beta);
        }
        CHECK(small > 200);
    });
}

TEST_CASE("the calls of small matrices do what a run does, on every target", "[contract]") {
    on_every_target([] {
        if (gemm_kernels<double>().direct_rows[0] == 0 || !gemm_kernels<double>().direct_masks)
            return;
        int listed = 0;
        for (std::int64_t n = 1; n <= 40; ++n) {
            const std::int64_t m = 1 + n * 5 % 17, k = 1 + n * 3 % 11;
            const pattern p = product(m, n, k);
            const index_groups groups = groups_of<double>(p);
            if (!suits_direct(groups, gemm_kernels<double>())) continue;
            const direct<double> how(groups, gemm_kernels<double>());
            const double beta = n % 2 == 0 ? 0 : 0.5;
            if (how.calls(-2, beta).empty()) continue;
            ++listed;
            INFO(m << " x " << n << " x " << k);
            check_run<double>(p, 3, -2, beta, [&](const double* a, const double* b, double* c) {
                run_calls(how, a, b, c, -2, beta);
            });
        }
        CHECK(listed > 5);
    });
}

TEST_CASE("a list runs what is due in its order, up to what has no calls") {
    // Powers of a matrix, each from the one before; what is not due is not written.
    constexpr std::size_t steps = 10, without_calls = 6, left_out = 3;
    const std::vector<double> a{1, 2, -1, 1};
    const pattern p = product(2, 2, 2);
    const small_product<double> alike(groups_of<double>(p), gemm_kernels<double>());
    const direct<double> dense(groups_of<double>(p), gemm_kernels<double>());
    const auto is_due = [](std::size_t step) { return step != left_out; };
    std::vector<const strategy*> ways{&alike};
    if (gemm_kernels<double>().direct_masks) ways.push_back(&dense);
    for (const strategy* const how : ways) {
        std::vector<std::vector<double>> powers(steps + 1, std::vector<double>(4, 0));
        powers[0] = a;
        powers[left_out + 1] = powers[without_calls + 1] = {3, 1, 4, 1};
        auto wanted = powers;
        call_list list;
        for (std::size_t k = 0; k < steps; ++k) {
            // Two shapes: a factor of -1 in every fourth step.
            const double alpha = k % 4 == 0 ? -1 : 1;
            list.add_step(k == without_calls ? std::vector<product_call>() : how->calls(alpha, 0));
            if (list.has_calls(k)) list.bind(k, powers[k].data(), a.data(), powers[k + 1].data());
            if (k != without_calls && is_due(k))
                how->run(wanted[k].data(), a.data(), wanted[k + 1].data(), alpha, 0);
        }
        CHECK_FALSE(list.has_calls(without_calls));
        CHECK(list.run(0, steps, is_due) == without_calls);
        CHECK(list.run(without_calls + 1, steps, is_due) == steps);
        CHECK(powers == wanted);
        CHECK(powers[steps] != std::vector<double>(4, 0));
    }
}

TEST_CASE("a factor of -0 is another shape than one of 0") {
    const pattern p = product(1, 1, 1);
    const small_product<double> how(groups_of<double>(p), gemm_kernels<double>());
    const double one = 1;
    std::vector<double> results(2, 7);
    call_list list;
    for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) {
        list.add_step(how.calls(k == 0 ? 0.0 : -0.0, 0));
        list.bind(k, &one, &one, &results[k]);
    }
    list.run(0, 2, [](std::size_t) { return true; });
    CHECK_FALSE(std::signbit(results[0]));
    CHECK(std::signbit(results[1]));
}

TEST_CASE("small complex products conjugate what is to be conjugated", "[contract]") {
    const std::int64_t m = 3, n = 4, k = 5;
    std::vector<complex> a(m * k), b(k * n);
    double t = 0;
    for (auto* const tensor : {&a, &b})
        for (complex& x : *tensor) {
            t += 1;
            x = {std::sin(t), std::cos(2 * t)};
        }
    for (const int turned : {0, 1, 2, 3})
        for (const int conjugated : {0, 1, 2, 3}) {
            pattern p = product(m, n, k, turned % 2 == 1, turned >= 2, turned == 1);
            contraction what = describe<complex>(p);
            what.conjugate_a = conjugated % 2 == 1;
            what.conjugate_b = conjugated >= 2;
            const prepared_contraction how(what);
            CHECK(how.words().rfind("small product", 0) == 0);
            std::vector<complex> c(m * n, complex(1, -1));
            const complex alpha(0.5, 2), beta(-1, 0.25);
            how.run(a.data(), b.data(), c.data(), alpha, beta);
            for (std::int64_t i = 0; i < m; ++i)
                for (std::int64_t j = 0; j < n; ++j) {
                    const complex sum =
                        by_definition(p.k[0], a.data() + i * p.m[0].a, b.data() + j * p.n[0].b,
                                      what.conjugate_a, what.conjugate_b);
                    const complex wanted = alpha * sum + beta * complex(1, -1);
                    const auto place = static_cast<std::size_t>(i * p.m[0].c + j * p.n[0].c);
                    CHECK(std::abs(c[place] - wanted) < 1e-13);
                }
        }
}

TEST_CASE("many batches and long sums are no small products", "[contract]") {
    const auto suits = [](const pattern& p) {
        return suits_small_product(groups_of<float>(p), gemm_kernels<float>());
    };
    CHECK_FALSE(suits(product(40, 40, 2)));
    CHECK_FALSE(suits(product(1, 1, 100)));
    CHECK_FALSE(suits(product(2, 0, 2)));
    pattern batches = product(2, 2, 2);
    batches.batch = {{500, 4, 4, 4}};
    CHECK_FALSE(suits(batches));
}
