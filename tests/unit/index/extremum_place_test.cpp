// Places of the largest and the smallest values against plain loops: types, strides, equal values,
// infinities and NaN, rows that are long, short and side by side; any number of threads.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "src/index/extremum_place.hpp"
#include "src/runtime/parallel.hpp"
#include "tests/catch.hpp"

namespace {

using ricci::element;
using ricci::elementwise::prepared_extremum_place;

/// A search along the last of three loops of memory that is dense, its axes in any order.
template <class T>
struct random_search {
    std::vector<std::int64_t> extents;
    ricci::steps::operand out, in;
    bool largest = true;
    std::vector<T> from;

    explicit random_search(unsigned seed) {
        std::mt19937 random(seed);
        const auto below = [&](unsigned n) { return static_cast<std::int64_t>(random() % n); };
        extents = {below(6), below(70), 1 + below(seed % 3 == 0 ? 600 : 40)};
        largest = below(2) == 0;
        std::vector<std::size_t> axes{0, 1, 2};
        std::shuffle(axes.begin(), axes.end(), random);
        in.strides.assign(3, 0);
        out.strides = {extents[1], 1, 0};
        if (below(2) == 0) out.strides = {1, extents[0], 0};
        std::int64_t step = 1;
        for (const std::size_t l : axes) {
            in.strides[l] = step;
            step *= std::max<std::int64_t>(extents[l], 1);
        }
        const bool strange = below(3) == 0;
        const auto values = static_cast<unsigned>(below(2) == 0 ? 5 : 5000);  // many equal, or few
        for (std::int64_t k = 0; k < step; ++k) {
            auto x = static_cast<T>(below(values) - 3);
            if constexpr (std::is_floating_point_v<T>) {
                constexpr auto infinity = std::numeric_limits<T>::infinity();
                if (strange && below(8) == 0) x = below(2) == 0 ? infinity : -infinity;
                if (strange && below(40) == 0) x = std::numeric_limits<T>::quiet_NaN();
            }
            from.push_back(x);
        }
    }
    /// NaN is beyond all numbers, the first one alone.
    std::int32_t place_at(std::int64_t i, std::int64_t j) const {
        const auto value = [&](std::int64_t k) {
            return from[static_cast<std::size_t>(i * in.strides[0] + j * in.strides[1] +
                                                 k * in.strides[2])];
        };
        std::int64_t best = 0;
        for (std::int64_t k = 1; k < extents[2]; ++k) {
            const T x = value(k), y = value(best);
            if (y != y) break;
            if (x != x || (largest ? x > y : x < y)) best = k;
        }
        return static_cast<std::int32_t>(best);
    }
    std::vector<std::int32_t> found() const {
        std::vector<std::int32_t> to(static_cast<std::size_t>(extents[0] * extents[1]), -1);
        prepared_extremum_place({ricci::element_v<T>, largest, extents, out, in})
            .run(to.data(), from.data());
        return to;
    }
};

template <class T>
void check_searches() {
    for (unsigned seed = 0; seed < 300; ++seed) {
        const random_search<T> search(seed);
        const auto got = search.found();
        bool same = true;
        for (std::int64_t i = 0; i < search.extents[0]; ++i)
            for (std::int64_t j = 0; j < search.extents[1]; ++j) {
                const auto at =
                    static_cast<std::size_t>(i * search.out.strides[0] + j * search.out.strides[1]);
                same = same && got[at] == search.place_at(i, j);
            }
        INFO("seed " << seed);
        CHECK(same);
    }
}

TEST_CASE("the place of an extremum is the first one of equal values") {
    check_searches<float>();
    check_searches<double>();
    check_searches<std::int32_t>();
    check_searches<std::int64_t>();
}

TEST_CASE("places of extrema are the same with any number of threads") {
    const std::int64_t rows = 500, columns = 700;
    std::vector<float> x(static_cast<std::size_t>(rows * columns));
    std::mt19937 random(7);
    for (float& value : x) value = static_cast<float>(random() % 100);
    const std::vector<std::int64_t> extents{rows, columns};
    for (const bool lines : {true, false}) {
        const std::vector<std::int64_t> strides{lines ? columns : 1, lines ? 1 : rows};
        const prepared_extremum_place search(
            {element::f32, true, extents, {0, {1, 0}}, {0, {strides[0], strides[1]}}});
        std::vector<std::vector<std::int32_t>> found;
        for (const int threads : {1, 2, 5}) {
            ricci::runtime::set_worker_count(threads);
            found.emplace_back(static_cast<std::size_t>(rows));
            search.run(found.back().data(), x.data());
        }
        ricci::runtime::set_worker_count(0);
        CHECK(found[0] == found[1]);
        CHECK(found[0] == found[2]);
    }
}

TEST_CASE("places of extrema are refused of complex numbers and of nothing") {
    const std::vector<std::int64_t> extents{3}, none{0};
    CHECK_THROWS(prepared_extremum_place({element::c64, true, extents, {0, {0}}, {0, {1}}}));
    CHECK_THROWS(prepared_extremum_place({element::f32, true, none, {0, {0}}, {0, {1}}}));
}

}  // namespace
