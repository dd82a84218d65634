// Tiles of squared distances against sums of squared differences in long double: points anywhere,
// points that coincide or nearly do, clusters far from 0, numbers whose squares overflow, infinities
// and NaN; with and without weights, for all ways in which points lie in memory, by the kernels of
// this processor and by plain loops. Which side is the rows changes no bit.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "src/fused/group.hpp"
#include "src/runtime/parallel.hpp"
#include "src/steps/fused.hpp"
#include "tests/catch.hpp"

namespace {

using namespace ricci;
using steps::loop_role;

/// How element (i, k) of points lies: of two loops of k, the inner one has `inner` steps.
struct layout {
    const char* name;
    bool transposed = false;  // points lie side by side
    std::int64_t gap = 0;     // between elements
    std::int64_t outer = 1;   // loops of k that are two
};

template <class T>
struct points {
    std::int64_t count = 0, width = 0;
    std::vector<T> values;  // [count][width]

    T operator()(std::int64_t i, std::int64_t k) const {
        return values[static_cast<std::size_t>(i * width + k)];
    }
    T& operator()(std::int64_t i, std::int64_t k) {
        return values[static_cast<std::size_t>(i * width + k)];
    }
};

template <class T>
struct placed {
    std::vector<T> memory;
    std::int64_t of_point = 0, of_outer = 0, of_inner = 0;
};

template <class T>
placed<T> place(const points<T>& p, const layout& how) {
    const std::int64_t step = 1 + how.gap, inner = p.width / how.outer;
    placed<T> result;
    result.of_inner = how.transposed ? p.count * step : step;
    // A hole behind each run: the two loops are not one.
    result.of_outer = (inner + (how.outer > 1 ? 3 : 0)) * result.of_inner;
    result.of_point = how.transposed ? step : how.outer * result.of_outer;
    result.memory.assign(
        static_cast<std::size_t>(p.count * result.of_point + how.outer * result.of_outer + 1),
        T(7));
    for (std::int64_t i = 0; i < p.count; ++i)
        for (std::int64_t k = 0; k < p.width; ++k)
            result.memory[static_cast<std::size_t>(
                i * result.of_point + k / inner * result.of_outer + k % inner * result.of_inner)] =
                p(i, k);
    return result;
}

/// The distances of all pairs, [a.count][b.count].
template <class T>
std::vector<T> distances(const points<T>& a, const points<T>& b, const std::vector<T>& weights,
                         const layout& how, bool exact, fused::kernel_choice kernels) {
    auto x = place(a, how), z = place(b, how);
    auto w = weights;
    std::vector<T> result(static_cast<std::size_t>(a.count * b.count), T(99));
    steps::fused_group group;
    group.type = element_v<T>;
    group.loops = {{a.count, loop_role::row}, {b.count, loop_role::column}};
    std::vector<void*> bases;
    const auto add = [&](T* memory, std::int64_t row, std::int64_t column) {
        steps::operand o;
        o.strides = {row, column};
        group.operands.push_back(std::move(o));
        bases.push_back(memory);
        return static_cast<std::int32_t>(bases.size()) - 1;
    };
    steps::tile_product p;
    p.is_distance = true;
    p.exact = exact;
    p.a = add(x.memory.data(), x.of_point, 0);
    p.b = add(z.memory.data(), 0, z.of_point);
    if (!w.empty()) p.weights = add(w.data(), 0, 0);
    const std::int64_t inner = a.width / how.outer;
    p.contracted = {{how.outer, x.of_outer, z.of_outer, inner}, {inner, x.of_inner, z.of_inner, 1}};
    group.products.push_back(p);
    steps::tile_consumer c;
    c.tile = 0;
    c.summed = loop_role::batch;
    c.output = add(result.data(), b.count, 1);
    group.consumers.push_back(c);
    const std::vector<double> numbers{1, 1};
    fused::prepared_group(group, kernels).run(bases.data(), numbers.data());
    return result;
}

template <class T>
points<T> random_points(std::int64_t count, std::int64_t width, unsigned seed, T centre = 0) {
    points<T> p{count, width, {}};
    std::mt19937 generator(seed);
    std::normal_distribution<double> normal;
    for (std::int64_t k = 0; k < count * width; ++k)
        p.values.push_back(centre + static_cast<T>(normal(generator)));
    return p;
}

/// Of points that are finite: each distance is as near to what it is as the documentation says.
template <class T>
void check_bound(const std::vector<T>& got, const points<T>& a, const points<T>& b,
                 const std::vector<T>& weights) {
    const long double unit = std::numeric_limits<T>::epsilon() / 2.0L;
    const auto width = static_cast<long double>(a.width);
    long double worst = 0;
    for (std::int64_t i = 0; i < a.count; ++i)
        for (std::int64_t j = 0; j < b.count; ++j) {
            long double sum = 0, size = 0;
            for (std::int64_t k = 0; k < a.width; ++k) {
                const long double d = static_cast<long double>(a(i, k)) - b(j, k);
                const long double w = weights.empty() ? 1 : weights[static_cast<std::size_t>(k)];
                sum += w * d * d;
                size += std::abs(w) * d * d;
            }
            const long double error =
                std::abs(got[static_cast<std::size_t>(i * b.count + j)] - sum);
            const long double least = std::numeric_limits<T>::min();
            worst = std::max(worst, error / std::max(size, least));
        }
    const bool positive = std::all_of(weights.begin(), weights.end(), [](T w) { return w >= 0; });
    CHECK(worst <= (positive ? 1024 * (2 * width + 4) : 2 * width + 4) * unit);
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

template <class T>
std::vector<T> transposed(const std::vector<T>& m, std::int64_t rows, std::int64_t columns) {
    std::vector<T> result(m.size());
    for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < columns; ++j)
            result[static_cast<std::size_t>(i * columns + j)] =
                m[static_cast<std::size_t>(j * rows + i)];
    return result;
}

const std::vector<layout> layouts = {{"lines", false, 0, 1},
                                     {"side by side", true, 0, 1},
                                     {"gaps", false, 2, 1},
                                     {"two loops", false, 0, 2}};

/// Calls with points of every kind that are finite.
template <class T>
void for_kinds(std::int64_t rows, std::int64_t columns, std::int64_t width,
               const std::function<void(const char*, const points<T>&, const points<T>&)>& visit) {
    const auto a = random_points<T>(rows, width, 1);
    visit("anywhere", a, random_points<T>(columns, width, 2));
    auto near = random_points<T>(columns, width, 3);
    for (std::int64_t j = 0; j < columns; ++j)
        for (std::int64_t k = 0; k < width; ++k) {
            // The same points, points beside them, and others
            const T x = a(j % rows, k);
            if (j % 3 == 0) near(j, k) = x;
            if (j % 3 == 1) near(j, k) = x + x / 64 / static_cast<T>(1 + j);
        }
    visit("coincident", a, near);
    visit("far from 0", random_points<T>(rows, width, 4, 1000),
          random_points<T>(columns, width, 5, 1000));
    visit("two clusters", random_points<T>(rows, width, 6, 100),
          random_points<T>(columns, width, 7, -100));
    auto huge = a, large = near;
    const T scale = std::sqrt(std::numeric_limits<T>::max()) / 8 / static_cast<T>(width);
    for (T& x : huge.values) x *= scale;
    for (T& x : large.values) x *= scale;
    visit("huge", huge, large);
}

struct problem {
    std::int64_t rows, columns, width;
};

template <class T>
void check_all(const std::vector<problem>& sizes) {
    for (const auto& s : sizes)
        for (const layout& how : layouts)
            for (const auto kernels : {fused::kernel_choice::best, fused::kernel_choice::scalar})
                for_kinds<T>(
                    s.rows, s.columns, s.width,
                    [&](const char* kind, const points<T>& a, const points<T>& b) {
                        INFO(s.rows << " x " << s.columns << ", " << s.width << " " << how.name
                                    << " " << kind);
                        const auto got = distances<T>(a, b, {}, how, false, kernels);
                        check_bound(got, a, b, {});
                        CHECK(same_bits(transposed(distances<T>(b, a, {}, how, false, kernels),
                                                   a.count, b.count),
                                        got));
                        std::vector<T> weights(static_cast<std::size_t>(s.width));
                        for (std::size_t k = 0; k < weights.size(); ++k)
                            weights[k] = static_cast<T>(k % 5) / 3;
                        const bool exact = how.gap == 0;
                        for (const T first : {T(2), T(-2)}) {
                            weights[0] = first;
                            check_bound(distances<T>(a, b, weights, how, exact, kernels), a, b,
                                        weights);
                            check_bound(distances<T>(a, b, weights, how, !exact, kernels), a, b,
                                        weights);
                        }
                    });
}

/// What is no number, or infinite, or beyond the range of squares.
template <class T>
void check_extremes() {
    const T infinity = std::numeric_limits<T>::infinity(),
            nan = std::numeric_limits<T>::quiet_NaN(),
            beyond = std::sqrt(std::numeric_limits<T>::max()) * 2;
    auto a = random_points<T>(60, 32, 1), b = random_points<T>(45, 32, 2);
    a(3, 5) = nan, b(7, 0) = nan;
    a(10, 31) = infinity, b(20, 31) = infinity, b(21, 4) = -infinity;
    a(40, 2) = b(30, 2) = beyond;  // the square overflows, the difference is small
    for (const bool weighted : {false, true})
        for (const auto kernels : {fused::kernel_choice::best, fused::kernel_choice::scalar}) {
            const std::vector<T> weights(weighted ? 32 : 0, T(1));
            const auto got = distances<T>(a, b, weights, layouts[0], false, kernels);
            const auto exact = distances<T>(a, b, weights, layouts[0], true, kernels);
            std::int64_t wrong = 0;
            for (std::size_t k = 0; k < got.size(); ++k) {
                const T x = got[k], y = exact[k];
                const bool close = std::abs(x - y) <= std::abs(y) / 256;
                wrong += (std::isnan(y) ? std::isnan(x) : x == y || close) ? 0 : 1;
            }
            CHECK(wrong == 0);
            CHECK(std::isnan(got[3 * 45 + 1]));
            CHECK(std::isnan(got[1 * 45 + 7]));
            CHECK(got[1 * 45 + 21] == infinity);
            CHECK(std::isnan(got[10 * 45 + 20]));
            CHECK(got[40 * 45 + 30] < 1000);
        }
}

}  // namespace

TEST_CASE("distances of points are within their bound") {
    const std::vector<problem> sizes{{5, 7, 16}, {49, 70, 18}, {130, 33, 64}, {3, 150, 100}};
    check_all<float>(sizes);
    check_all<double>(sizes);
}

TEST_CASE("distances of wide points, whose rows are packed in blocks, are within their bound") {
    check_all<float>({{20, 35, 1030}, {17, 19, 4200}});
    check_all<double>({{5, 9, 4100}});
}

TEST_CASE("distances of what is infinite or no number") {
    check_extremes<float>();
    check_extremes<double>();
}

TEST_CASE("distances have the same bits on any number of threads") {
    const auto a = random_points<float>(700, 40, 1, 5), b = random_points<float>(900, 40, 2, 5);
    runtime::set_worker_count(1);
    const auto first = distances<float>(a, b, {}, layouts[0], false, fused::kernel_choice::best);
    for (const int threads : {2, 5}) {
        runtime::set_worker_count(threads);
        CHECK(same_bits(distances<float>(a, b, {}, layouts[0], false, fused::kernel_choice::best),
                        first));
    }
    runtime::set_worker_count(0);
}
