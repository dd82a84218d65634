// Contractions of every element type but float and double, on every SIMD target: random patterns
// against loops in long double or, for whole numbers, in exact arithmetic modulo 2^32 and 2^64.
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <ricci/element.hpp>

#include "src/contract/contraction.hpp"
#include "src/kernels/elementwise/convert.hpp"
#include "src/runtime/parallel.hpp"
#include "tests/catch.hpp"
#include "tests/unit/contract/contract_patterns.hpp"
#include "tests/unit/contract/settings.hpp"
#include "tests/unit/other_types.hpp"

namespace {

using namespace ricci::testing;
using ricci::bf16;
using ricci::f16;
using ricci::contractions::kernel_choice;
using ricci::contractions::prepared_contraction;
using ricci::engine::number;

template <class T>
constexpr bool whole = std::is_integral_v<T>;
template <class T>
constexpr bool complex = ricci::is_complex(ricci::element_v<T>);

// What the oracle computes in.
template <class T>
using exact =
    std::conditional_t<whole<T>, std::uint64_t,
                       std::conditional_t<complex<T>, std::complex<long double>, long double>>;

template <class T>
exact<T> exactly(T x) {
    if constexpr (complex<T>) return {x.real(), x.imag()};
    else if constexpr (whole<T>) return static_cast<std::uint64_t>(x);
    else return static_cast<long double>(static_cast<float>(x));
}

template <class T>
T random_number(std::mt19937_64& random) {
    std::uniform_real_distribution<float> value(-1, 1);
    if constexpr (whole<T>) {
        return static_cast<T>(random());
    } else if constexpr (complex<T>) {
        using part = typename T::value_type;
        const float re = value(random), im = value(random);
        return T(static_cast<part>(re), static_cast<part>(im));
    } else {
        return T(value(random));
    }
}

// The unit of rounding of the stored type, and of the sums.
template <class T>
constexpr long double stored_epsilon = 0;
template <>
constexpr long double stored_epsilon<bf16> = 0x1p-8L;
template <>
constexpr long double stored_epsilon<f16> = 0x1p-11L;
template <class T>
constexpr long double sum_epsilon = std::numeric_limits<float>::epsilon();
template <>
constexpr long double sum_epsilon<std::complex<double>> = std::numeric_limits<double>::epsilon();

template <class T>
struct operands {
    std::vector<T> a, b, c;
    std::int64_t a0 = 0, b0 = 0, c0 = 0;

    operands(const pattern& p, unsigned seed) {
        std::mt19937_64 random(seed);
        const auto fill = [&](std::vector<T>& to, std::int64_t& start, stride member) {
            const reach r = reach_of(p, member);
            start = -r.low;
            to.resize(static_cast<std::size_t>(r.high - r.low + 1));
            for (T& x : to) x = random_number<T>(random);
        };
        fill(a, a0, &contraction_loop::a);
        fill(b, b0, &contraction_loop::b);
        fill(c, c0, &contraction_loop::c);
    }
};

struct way {
    number alpha = 1, beta = 0;
    bool conjugate_a = false, conjugate_b = false;
    kernel_choice kernels = kernel_choice::best;
};

template <class T>
std::vector<T> run(const pattern& p, const operands<T>& in, const way& w) {
    std::vector<T> out = in.c;
    const prepared_contraction prepared(
        {ricci::element_v<T>, p.batch, p.m, p.n, p.k, w.conjugate_a, w.conjugate_b}, w.kernels);
    prepared.run(in.a.data() + in.a0, in.b.data() + in.b0, out.data() + in.c0, w.alpha, w.beta);
    return out;
}

// The number of elements that are wrong, or changed although the contraction does not reach them.
template <class T>
int wrong(const pattern& p, const operands<T>& in, const std::vector<T>& out, const way& w) {
    std::vector<exact<T>> sum(out.size(), exact<T>(0));
    std::vector<long double> size(out.size(), 0);
    std::vector<bool> reached(out.size(), false);
    loops all, free;
    for (const loops* group : groups_of(p)) all.insert(all.end(), group->begin(), group->end());
    for (const loops* group : {&p.batch, &p.m, &p.n}) {
        free.insert(free.end(), group->begin(), group->end());
    }
    auto add = [&](std::int64_t ia, std::int64_t ib, std::int64_t ic) {
        const auto c = static_cast<std::size_t>(in.c0 + ic);
        exact<T> x = exactly(in.a[static_cast<std::size_t>(in.a0 + ia)]);
        exact<T> y = exactly(in.b[static_cast<std::size_t>(in.b0 + ib)]);
        if constexpr (complex<T>) {
            if (w.conjugate_a) x = std::conj(x);
            if (w.conjugate_b) y = std::conj(y);
        }
        sum[c] += x * y;
        if constexpr (!whole<T>) size[c] += std::abs(x) * std::abs(y);
    };
    walk(all, 0, 0, 0, 0, add);
    auto mark = [&](std::int64_t, std::int64_t, std::int64_t ic) {
        reached[static_cast<std::size_t>(in.c0 + ic)] = true;
    };
    walk(free, 0, 0, 0, 0, mark);
    long double depth = 1;
    for (const contraction_loop& loop : p.k) depth *= static_cast<long double>(loop.extent);

    const auto alpha = w.alpha.as<exact<T>>(), beta = w.beta.as<exact<T>>();
    int count = 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
        if (!reached[i]) {
            count += std::memcmp(&out[i], &in.c[i], sizeof(T)) != 0;
            continue;
        }
        const exact<T> expected = alpha * sum[i] + beta * exactly(in.c[i]);
        if constexpr (whole<T>) {
            count += out[i] != static_cast<T>(expected);
        } else {
            const long double scale = std::abs(alpha) * size[i] + std::abs(beta * exactly(in.c[i]));
            const long double allowed = (2 * depth + 8) * sum_epsilon<T> * scale +
                                        stored_epsilon<T> * std::abs(expected) + 0x1p-25L;
            count += !(std::abs(exactly(out[i]) - expected) <= allowed);
        }
    }
    return count;
}

template <class T>
void check(const pattern& p, unsigned seed, const way& w) {
    const operands<T> in(p, seed);
    CHECK(wrong(p, in, run(p, in, w), w) == 0);
}

template <class T>
void check_random(unsigned seed, std::int64_t largest, kernel_choice kernels) {
    INFO("seed " << seed << ", " << ricci::name_of(ricci::element_v<T>));
    std::mt19937 random(seed);
    const pattern p = random_pattern(random, largest);
    way w;
    w.kernels = kernels;
    const number factors[] = {1, 0, 2, -3, complex<T> ? number(0.5, -2) : number(3)};
    w.alpha = factors[random() % 5];
    w.beta = factors[random() % 5];
    w.conjugate_a = complex<T> && random() % 2 == 0;
    w.conjugate_b = complex<T> && random() % 2 == 0;
    check<T>(p, seed, w);
}

template <class T>
void check_shapes() {
    INFO(ricci::name_of(ricci::element_v<T>));
    way w;
    w.beta = 2;
    w.conjugate_a = complex<T>;
    check<T>(product(40, 60, 1100), 1, {});             // several blocks of k
    check<T>(product(13, 130, 600, true, true), 2, w);  // the same, other layouts
    check<T>(product(6, 16, 9000, false, true), 3, w);  // k is split
    check<T>(product(1, 300, 500), 4, w);               // vector-matrix
    check<T>(product(300, 1, 500, true), 5, {});        // matrix-vector
    check<T>(product(1, 1, 30000), 6, w);               // dot
    check<T>(product(5, 7, 0), 7, w);                   // nothing is summed
    check<T>({{{80, 30, 60, 50}}, {{5, 6, 0, 10}}, {{10, 0, 6, 1}}, {{6, 1, 1, 0}}}, 8, w);
    check<T>({{{45, 1, 1, 1}}, {{13, 3150, 0, 315}}, {{7, 0, 45, 45}}, {{70, 45, 315, 0}}}, 10, w);
    check<T>({{{9, 1, 630, 1}}, {{5, 630, 0, 81}}, {{9, 0, 70, 9}}, {{70, 9, 1, 0}}}, 11, {});
    check<T>({{{3, 2400, 1800, 12}}, {{4, 600, 0, 3}}, {{3, 0, 600, 1}}, {{600, 1, 1, 0}}}, 9, w);
}

template <class T>
void check_threads() {
    INFO(ricci::name_of(ricci::element_v<T>));
    const pattern lanes{
        {{45, 1, 1, 1}}, {{33, 3150, 0, 1350}}, {{30, 0, 45, 45}}, {{70, 45, 1350, 0}}};
    for (const pattern& p :
         {product(150, 90, 700), product(16, 16, 9000), product(1, 1, 60000), lanes}) {
        const operands<T> in(p, 11);
        std::vector<T> first;
        for (const int workers : {1, 2, 5}) {
            ricci::runtime::set_worker_count(workers);
            const std::vector<T> out = run(p, in, {});
            if (first.empty()) first = out;
            CHECK(std::memcmp(first.data(), out.data(), out.size() * sizeof(T)) == 0);
        }
    }
}

template <class S>
void check_conversions() {
    INFO(ricci::name_of(ricci::element_v<S>));
    const auto& kernels = ricci::kernels::conversions<S>();
    std::vector<S> all(65536), back(65536);
    std::vector<float> wide(65536);
    for (std::size_t k = 0; k < all.size(); ++k)
        all[k] = S::from_bits(static_cast<std::uint16_t>(k));
    kernels.widen(wide.data(), all.data(), all.size());
    int wrong_wide = 0, wrong_back = 0;
    kernels.narrow(back.data(), wide.data(), wide.size());
    for (std::size_t k = 0; k < all.size(); ++k) {
        const float value = all[k];
        const bool nan = value != value;
        wrong_wide += nan ? wide[k] == wide[k] : std::memcmp(&value, &wide[k], sizeof value) != 0;
        const float again = back[k];
        wrong_back += nan ? again == again : back[k].bits() != all[k].bits();
    }
    CHECK(wrong_wide == 0);
    CHECK(wrong_back == 0);

    // Floats of every size, ties and their neighbours among them.
    std::mt19937 random(3);
    std::vector<float> values;
    for (int k = 0; k < 200000; ++k) {
        auto bits = static_cast<std::uint32_t>(random());
        if (k % 3 == 1) bits &= 0xfffff000u;
        if (k % 3 == 2) bits = (bits & 0xffff8000u) | (random() % 3 == 0 ? 1u : 0u);
        if (k % 2 == 0) bits = (bits & 0x8fffffffu) | 0x30000000u;  // within the range of f16
        float value = 0;
        std::memcpy(&value, &bits, sizeof value);
        values.push_back(value);
    }
    for (const float edge : {65504.0f, 65519.99f, 65520.0f, 0x1p-24f, 0x1p-25f, 0x1.8p-25f,
                             0x1.ffcp-15f, 0x1.ffep-15f, 0x1p-14f, 0x1.fffffep127f})
        values.push_back(edge), values.push_back(-edge);
    std::vector<S> narrow(values.size());
    for (std::size_t n : {std::size_t{1}, std::size_t{13}, values.size()}) {
        kernels.narrow(narrow.data(), values.data(), n);
        int wrong = 0;
        for (std::size_t k = 0; k < n; ++k) {
            const S expected(values[k]);
            const float got = narrow[k];
            wrong += values[k] == values[k] ? narrow[k].bits() != expected.bits() : got == got;
        }
        CHECK(wrong == 0);
    }
}

}  // namespace

TEST_CASE("random contractions of every element type, on every target", "[contract]") {
    on_every_target([&] {
        for_other_types([]<class T>() {
            for (unsigned seed = 0; seed < 60; ++seed)
                check_random<T>(seed, 6000, kernel_choice::best);
        });
    });
}

TEST_CASE("random contractions of every element type with the scalar kernels", "[contract]") {
    for_other_types([]<class T>() {
        for (unsigned seed = 500; seed < 540; ++seed)
            check_random<T>(seed, 5000, kernel_choice::scalar);
    });
}

TEST_CASE("blocks of every kind for every element type", "[contract]") {
    on_every_target([&] { for_other_types([]<class T>() { check_shapes<T>(); }); });
}

TEST_CASE("no element type's result depends on the number of threads", "[contract]") {
    const worker_guard restore;
    for_other_types([]<class T>() { check_threads<T>(); });
}

TEST_CASE("a sum of 16-bit numbers is rounded once", "[contract]") {
    // In bf16, 256 + 1 would be 256 again.
    const std::int64_t n = 3000;
    const std::vector<bf16> ones(static_cast<std::size_t>(n), bf16(1));
    for (const pattern& p : {product(1, 1, n), product(8, 8, n / 8)}) {
        const operands<bf16> in(p, 1);
        std::vector<bf16> c(in.c.size());
        prepared_contraction({ricci::element::bf16, p.batch, p.m, p.n, p.k})
            .run(ones.data(), ones.data(), c.data(), 1, 0);
        for (const bf16 x : c) CHECK(x == bf16(p.k[0].extent));
    }
}

TEST_CASE("conversions of 16-bit numbers, on every target", "[contract]") {
    on_every_target([&] {
        check_conversions<bf16>();
        check_conversions<f16>();
    });
}
