// Contractions of given patterns, run and compared with plain loops.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "src/contract/contraction.hpp"
#include "src/contract/index_groups.hpp"
#include "src/kernels/gemm/gemm.hpp"
#include "src/runtime/parallel.hpp"
#include "tests/catch.hpp"
#include "tests/unit/contract/contract_patterns.hpp"
#include "tests/unit/contract/settings.hpp"
#include "tests/unit/guarded.hpp"
#include "src/steps/contraction.hpp"

namespace ricci::testing {

using contractions::kernel_choice;
using contractions::prepared_contraction;
using steps::contraction;

template <class T>
struct data {
    guarded_array<T> a, b, c;
    std::int64_t a0 = 0, b0 = 0, c0 = 0;

    data(const pattern& p, unsigned seed) {
        std::mt19937 random(seed);
        std::uniform_real_distribution<double> value(-1, 1);
        const auto fill = [&](guarded_array<T>& to, std::int64_t& start, stride member) {
            const reach r = reach_of(p, member);
            start = -r.low;
            to = guarded_array<T>(static_cast<std::size_t>(r.count()),
                                  seed % 2 == 0 ? guarded_end::last : guarded_end::first);
            for (T& x : to) x = static_cast<T>(value(random));
        };
        fill(a, a0, &contraction_loop::a);
        fill(b, b0, &contraction_loop::b);
        fill(c, c0, &contraction_loop::c);
    }
};

template <class T>
contraction describe(const pattern& p) {
    return {ricci::element_v<T>, p.batch, p.m, p.n, p.k};
}

// The largest error in units of what rounding may cost, or infinity when an element that the
// contraction does not reach has changed.
template <class T>
double error_of(const pattern& p, const data<T>& in,
                const std::type_identity_t<guarded_array<T>>& out, double alpha, double beta) {
    std::vector<long double> sum(out.size(), 0), size(out.size(), 0);
    std::vector<bool> reached(out.size(), false);
    std::vector<contraction_loop> all;
    for (const loops* group : groups_of(p)) all.insert(all.end(), group->begin(), group->end());
    auto add = [&](std::int64_t ia, std::int64_t ib, std::int64_t ic) {
        const auto c = static_cast<std::size_t>(in.c0 + ic);
        const long double product =
            static_cast<long double>(in.a[static_cast<std::size_t>(in.a0 + ia)]) *
            static_cast<long double>(in.b[static_cast<std::size_t>(in.b0 + ib)]);
        sum[c] += product;
        size[c] += std::fabs(product);
    };
    walk(all, 0, 0, 0, 0, add);
    std::vector<contraction_loop> free;
    std::int64_t depth = 1;
    for (const loops* group : {&p.batch, &p.m, &p.n}) {
        free.insert(free.end(), group->begin(), group->end());
    }
    for (const contraction_loop& loop : p.k) depth *= loop.extent;
    auto mark = [&](std::int64_t, std::int64_t, std::int64_t ic) {
        reached[static_cast<std::size_t>(in.c0 + ic)] = true;
    };
    walk(free, 0, 0, 0, 0, mark);

    double worst = 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
        if (!reached[i]) {
            if (std::memcmp(&out[i], &in.c[i], sizeof(T)) != 0) {
                return std::numeric_limits<double>::infinity();
            }
            continue;
        }
        const long double old =
            beta == 0 ? 0 : static_cast<long double>(beta) * static_cast<long double>(in.c[i]);
        const long double expected = static_cast<long double>(alpha) * sum[i] + old;
        const long double allowed =
            (static_cast<long double>(depth) + 4) *
            static_cast<long double>(std::numeric_limits<T>::epsilon()) *
            (std::fabs(static_cast<long double>(alpha)) * size[i] + std::fabs(old) + 1e-30L);
        const long double error = std::fabs(static_cast<long double>(out[i]) - expected);
        if (!(error <= allowed)) worst = std::max(worst, static_cast<double>(error / allowed));
        if (std::isnan(out[i])) return std::numeric_limits<double>::infinity();
    }
    return worst;
}

// run(a, b, c) is what carries the contraction out.
template <class T, class Run>
void check_run(const pattern& p, unsigned seed, double alpha, double beta, Run run) {
    const data<T> in(p, seed);
    guarded_array<T> out = in.c;
    if (beta == 0) {
        // C must not be read: what is there before does not matter, not even when it is a NaN.
        auto poison = [&](std::int64_t, std::int64_t, std::int64_t ic) {
            out[static_cast<std::size_t>(in.c0 + ic)] = std::numeric_limits<T>::quiet_NaN();
        };
        std::vector<contraction_loop> free;
        for (const loops* group : {&p.batch, &p.m, &p.n}) {
            free.insert(free.end(), group->begin(), group->end());
        }
        walk(free, 0, 0, 0, 0, poison);
    }
    run(in.a.data() + in.a0, in.b.data() + in.b0, out.data() + in.c0);
    CHECK(error_of(p, in, out, alpha, beta) == 0);
}

template <class T>
void check(const pattern& p, unsigned seed, double alpha, double beta,
           kernel_choice kernels = kernel_choice::best) {
    const prepared_contraction prepared(describe<T>(p), kernels);
    check_run<T>(p, seed, alpha, beta,
                 [&](const T* a, const T* b, T* c) { prepared.run(a, b, c, alpha, beta); });
}

/// The groups that a contraction for T makes of a pattern.
template <class T>
contractions::index_groups groups_of(const pattern& p) {
    return contractions::make_index_groups(describe<T>(p), kernels::gemm_kernels<T>().lanes);
}

/// Runs body(a, b, c), which is to compute A B + C / 2, on several numbers of threads: right, and
/// the same bit for bit.
template <class T, class Body>
void check_threads(const pattern& p, const data<T>& in, Body body) {
    guarded_array<T> first;
    for (const int workers : {1, 2, 3, 5}) {
        runtime::set_worker_count(workers);
        guarded_array<T> out = in.c;
        body(in.a.data() + in.a0, in.b.data() + in.b0, out.data() + in.c0);
        if (first.size() == 0) first = out;
        CHECK(std::memcmp(first.data(), out.data(), out.size() * sizeof(T)) == 0);
    }
    CHECK(error_of(p, in, first, 1, 0.5) == 0);
}

}  // namespace ricci::testing
