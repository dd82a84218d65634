// Folds up to each element, and linear recurrences, against plain loops in long double: types,
// folds, strides, both directions, in place; long rows; any number of threads.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "src/runtime/parallel.hpp"
#include "src/scan/scan.hpp"
#include "tests/catch.hpp"
#include "tests/few.hpp"

namespace {

using ricci::element;
using ricci::elementwise::prepared_scan;
using ricci::steps::fold;

constexpr fold folds[] = {fold::sum, fold::product, fold::maximum, fold::minimum,
                          fold::logsumexp};  // of floating-point numbers

long double joined(fold f, long double x, long double y) {
    if (f == fold::sum) return x + y;
    if (f == fold::product) return x * y;
    if (std::isnan(x) || std::isnan(y)) return std::numeric_limits<long double>::quiet_NaN();
    if (f == fold::logsumexp) {
        const auto most = std::max(x, y);
        return std::isinf(most) ? most : most + std::log(std::exp(x - most) + std::exp(y - most));
    }
    return f == fold::maximum ? std::max(x, y) : std::min(x, y);
}

/// A scan over three loops of memory that is dense, its axes in any order.
template <class T>
struct random_scan {
    std::vector<std::int64_t> extents, order;
    std::size_t along = 0;
    bool backwards = false;
    fold folding = fold::sum;
    ricci::steps::operand out, in;
    std::vector<T> from, to;

    explicit random_scan(unsigned seed) {
        std::mt19937 random(seed);
        const auto below = [&](std::size_t n) { return random() % n; };
        std::int64_t size = 1;
        for (int l = 0; l < 3; ++l) {
            extents.push_back(static_cast<std::int64_t>(below(l == 0 ? 40 : 12)));
            size *= extents.back();
        }
        along = below(3);
        backwards = below(2) == 0;
        folding = folds[below(std::is_floating_point_v<T> ? 5 : 4)];
        for (auto* o : {&out, &in}) {
            std::vector<std::size_t> axes{0, 1, 2};
            std::shuffle(axes.begin(), axes.end(), random);
            o->strides.assign(3, 0);
            std::int64_t step = 1;
            for (const std::size_t l : axes) {
                o->strides[l] = step;
                step *= std::max<std::int64_t>(extents[l], 1);
            }
        }
        from.resize(static_cast<std::size_t>(size));
        to.resize(from.size());
        for (auto& x : from) {
            x = static_cast<T>(static_cast<int>(below(9)) - 4);
            if constexpr (std::is_floating_point_v<T>) {
                x += static_cast<T>(std::uniform_real_distribution<double>(0, 1)(random));
                if (below(200) == 0) x = std::numeric_limits<T>::infinity();
                if (below(300) == 0) x = std::numeric_limits<T>::quiet_NaN();
            }
        }
    }
    prepared_scan prepared() const {
        return prepared_scan({ricci::element_v<T>, folding, backwards, extents, along, out, in});
    }
    /// Calls f(places of the loops) for all rows.
    template <class F>
    void each_row(F f) const {
        std::vector<std::int64_t> at(3, 0);
        const std::size_t a = (along + 1) % 3, b = (along + 2) % 3;
        for (at[a] = 0; at[a] < extents[a]; ++at[a])
            for (at[b] = 0; at[b] < extents[b]; ++at[b]) f(at);
    }
    static std::size_t place(const ricci::steps::operand& o, const std::vector<std::int64_t>& at) {
        std::int64_t all = o.offset;
        for (std::size_t l = 0; l < 3; ++l) all += at[l] * o.strides[l];
        return static_cast<std::size_t>(all);
    }
    void check(const std::vector<T>& got) const {
        each_row([&](std::vector<std::int64_t> at) {
            const std::int64_t n = extents[along];
            long double folded = 0, size = 0;
            for (std::int64_t k = 0; k < n; ++k) {
                at[along] = backwards ? n - 1 - k : k;
                const auto x = static_cast<long double>(from[place(in, at)]);
                folded = k == 0 ? x : joined(folding, folded, x);
                size = folding == fold::product ? std::abs(folded) : size + std::abs(x);
                const auto y = static_cast<long double>(got[place(out, at)]);
                const bool whole = std::is_integral_v<T>;
                if (whole && std::abs(folded) > 1e9L) break;  // goes round
                const long double error =
                    whole ? 0 : 64 * static_cast<long double>(std::numeric_limits<T>::epsilon());
                const bool same = folded == y || (std::isnan(folded) && std::isnan(y)) ||
                                  std::abs(folded - y) <= error * (1 + size);
                if (!same && !std::isfinite(size)) continue;
                CAPTURE(k, folded, y, static_cast<int>(folding), backwards);
                REQUIRE(same);
            }
        });
    }
};

template <class T>
void check_all() {
    for (unsigned seed = 0; seed < ricci::testing::few_or(150u, 400u); ++seed) {
        random_scan<T> s(seed);
        CAPTURE(seed);
        s.prepared().run(s.to.data(), s.from.data());
        s.check(s.to);
        const auto first = s.to;
        ricci::runtime::set_worker_count(3);
        s.prepared().run(s.to.data(), s.from.data());
        ricci::runtime::set_worker_count(0);
        REQUIRE((first.empty() ||
                 std::memcmp(first.data(), s.to.data(), first.size() * sizeof(T)) == 0));
        s.out = s.in;  // in place
        auto memory = s.from;
        s.prepared().run(memory.data(), memory.data());
        s.check(memory);
    }
}

/// The largest error of a sum, of the sum of all sizes until there.
template <class T>
long double error_of_long_row(std::size_t n) {
    std::vector<T> x(n), y(n);
    std::mt19937 random(1);
    for (auto& v : x) v = static_cast<T>(std::uniform_real_distribution<double>(-1, 2)(random));
    const std::vector<std::int64_t> extents{static_cast<std::int64_t>(n)};
    const ricci::steps::operand row{0, {1}};
    prepared_scan({ricci::element_v<T>, fold::sum, false, extents, 0, row, row})
        .run(y.data(), x.data());
    long double sum = 0, size = 0, worst = 0;
    for (std::size_t k = 0; k < n; ++k) {
        sum += static_cast<long double>(x[k]);
        size += std::abs(static_cast<long double>(x[k]));
        worst = std::max(worst, std::abs(static_cast<long double>(y[k]) - sum) / size);
    }
    return worst / static_cast<long double>(std::numeric_limits<T>::epsilon());
}

}  // namespace

TEST_CASE("folds up to each element, and from each on") {
    check_all<float>();
    check_all<double>();
    check_all<std::int32_t>();
    check_all<std::int64_t>();
}

TEST_CASE("long sums are as exact as their type") {
    CHECK(error_of_long_row<float>(3000000) < 1);
    CHECK(error_of_long_row<double>(3000000) < 4);
}

namespace {

/// The largest error of a linear recurrence, of what it would be of sizes. A decay that has no
/// number stands where none is read.
template <class T>
long double error_of_recurrence(unsigned seed, std::int64_t n, bool backwards,
                                bool logarithms = false) {
    constexpr std::int64_t rows = 11;
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> numbers(-1, 1);
    std::vector<T> x(static_cast<std::size_t>(rows * n)), decay(x.size()), y(x.size());
    for (auto& v : x) v = static_cast<T>(numbers(random));
    for (auto& v : decay)
        v = random() % 4 == 0 ? T{0} : random() % 2 == 0 ? T{1} : static_cast<T>(numbers(random));
    if (logarithms)
        for (auto& v : decay) v = std::log(std::abs(v));  // -infinity of 0
    const std::vector<std::int64_t> extents{n, rows};
    const ricci::steps::operand lines{0, {1, n}}, columns{0, {rows, 1}};
    const auto at = [&](std::int64_t r, std::int64_t k) {
        return static_cast<std::size_t>(k * rows + r);
    };
    const std::int64_t start = backwards ? n - 1 : 0;
    for (std::int64_t r = 0; r < rows; ++r)
        decay[at(r, start)] = std::numeric_limits<T>::quiet_NaN();
    const prepared_scan scan({ricci::element_v<T>, fold::sum, backwards, extents, 0, lines, lines,
                              true, columns, logarithms});
    scan.run(y.data(), x.data(), decay.data());
    auto in_place = x;
    scan.run(in_place.data(), in_place.data(), decay.data());
    REQUIRE(std::memcmp(in_place.data(), y.data(), y.size() * sizeof(T)) == 0);
    long double worst = 0;
    for (std::int64_t r = 0; r < rows; ++r) {
        long double sum = 0, size = 0;
        for (std::int64_t k = 0; k < n; ++k) {
            const std::int64_t i = backwards ? n - 1 - k : k;
            const auto by = static_cast<long double>(decay[at(r, i)]);
            const auto c = k == 0 ? 0.0L : logarithms ? std::exp(by) : by;
            const auto place = static_cast<std::size_t>(r * n + i);
            sum = static_cast<long double>(x[place]) + c * sum;
            size = std::abs(static_cast<long double>(x[place])) + std::abs(c) * size;
            if (size > 0)
                worst = std::max(worst, std::abs(static_cast<long double>(y[place]) - sum) / size);
        }
    }
    return worst / static_cast<long double>(std::numeric_limits<T>::epsilon());
}

}  // namespace

TEST_CASE("linear recurrences, in both directions") {
    for (const std::int64_t n : {1, 2, 7, 8, 9, 1000})
        for (const bool backwards : {false, true}) {
            CAPTURE(n, backwards);
            CHECK(error_of_recurrence<float>(static_cast<unsigned>(n), n, backwards) < 1);
            CHECK(error_of_recurrence<double>(static_cast<unsigned>(n), n, backwards) < 4);
            CHECK(error_of_recurrence<float>(static_cast<unsigned>(n), n, backwards, true) < 1);
            CHECK(error_of_recurrence<double>(static_cast<unsigned>(n), n, backwards, true) < 50);
        }
}

// One row, with one decay for all: beside loops in long double, with infinity among the elements.
TEST_CASE("a decay that is the same everywhere") {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    for (const std::int64_t n : {1, 2, 4, 5, 6, 9, 1003})
        for (const float decay : {0.0f, 0.95f, -1.01f, 1e-30f, 1e30f, infinity})
            for (const bool backwards : {false, true})
                for (const bool spoilt : {false, true}) {
                    CAPTURE(n, decay, backwards, spoilt);
                    std::mt19937 random(static_cast<unsigned>(n));
                    std::uniform_real_distribution<float> numbers(0.5f, 1);
                    std::vector<float> x(static_cast<std::size_t>(n)), y(x.size());
                    for (float& v : x) v = numbers(random);
                    if (spoilt) x[x.size() / 2] = infinity;
                    const std::vector<std::int64_t> extents{n};
                    const ricci::steps::operand line{0, {1}}, one{0, {0}};
                    const prepared_scan scan({ricci::element::f32, fold::sum, backwards, extents, 0,
                                              line, line, true, one, false});
                    scan.run(y.data(), x.data(), &decay);
                    scan.run(x.data(), x.data(), &decay);
                    CHECK(std::memcmp(x.data(), y.data(), y.size() * sizeof(float)) == 0);
                    for (float& v : x) v = 0;
                    random.seed(static_cast<unsigned>(n));
                    for (float& v : x) v = numbers(random);
                    if (spoilt) x[x.size() / 2] = infinity;
                    long double sum = 0;
                    for (std::int64_t k = 0; k < n; ++k) {
                        const auto at = static_cast<std::size_t>(backwards ? n - 1 - k : k);
                        sum = x[at] + (k == 0 ? 0 : static_cast<long double>(decay) * sum);
                        const auto want = static_cast<float>(sum);
                        if (want != want) CHECK(y[at] != y[at]);
                        else if (std::isinf(want)) CHECK(y[at] == want);
                        else if (std::isfinite(sum) && std::abs(sum) < 1e38L)
                            CHECK(std::abs(y[at] - sum) <= 1e-6L * std::abs(sum));
                    }
                }
}

TEST_CASE("what cannot be scanned is refused") {
    const std::vector<std::int64_t> extents{4};
    const ricci::steps::operand row{0, {1}};
    CHECK_THROWS(prepared_scan({element::c64, fold::sum, false, extents, 0, row, row}));
    CHECK_THROWS(prepared_scan({element::f32, fold::softmax, false, extents, 0, row, row}));
    CHECK_THROWS(
        prepared_scan({element::f32, fold::maximum, false, extents, 0, row, row, true, row}));
    CHECK_THROWS(prepared_scan({element::i32, fold::sum, false, extents, 0, row, row, true, row}));
}
