// Products in other algebras beside plain loops: random operands and layouts, and what every
// element of C has to be.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "src/contract/algebra/algebra_product.hpp"
#include "src/contract/index_groups.hpp"
#include "src/contract/offsets.hpp"

namespace ricci::testing {

using contractions::loop_list;
using contractions::place;
using steps::contraction_loop;
using steps::sum_algebra;

/// The loops of a product, and how much memory the operands take: element 0 of each is `a_first`
/// and so on elements from where its memory begins.
struct algebra_case {
    loop_list batch, m, n, k;
    std::int64_t a_first = 0, b_first = 0, c_first = 0;
    std::int64_t a_size = 1, b_size = 1, c_size = 1;
};

template <class T>
steps::algebra_product product_of(const algebra_case& c, sum_algebra algebra, bool places) {
    steps::algebra_product what;
    what.type = sizeof(T) == 4 ? element::f32 : element::f64;
    what.algebra = algebra;
    what.batch = c.batch;
    what.m = c.m;
    what.n = c.n;
    what.k = c.k;
    what.places = places;
    return what;
}

/// Gives the loops of one operand strides: in a random order, with gaps, some of them backwards.
inline void lay_out_operand(std::vector<contraction_loop*> loops,
                            std::int64_t contraction_loop::*stride, std::int64_t& first,
                            std::int64_t& size, std::mt19937& random, bool scattered) {
    std::shuffle(loops.begin(), loops.end(), random);
    std::int64_t step = scattered && random() % 4 == 0 ? 2 : 1;
    size = 1;
    first = 0;
    for (contraction_loop* loop : loops) {
        const bool backwards = scattered && random() % 6 == 0;
        loop->*stride = backwards ? -step : step;
        if (backwards) first += (loop->extent - 1) * step;
        size += (loop->extent - 1) * step;
        step *= loop->extent;
        if (scattered && random() % 3 == 0) step += static_cast<std::int64_t>(random() % 5);
    }
}

/// Loops of these extents; `lone`: some of k are of one operand alone.
inline algebra_case laid_out(algebra_case c, std::mt19937& random, bool scattered, bool lone) {
    std::vector<contraction_loop*> a, b, to;
    for (contraction_loop& loop : c.batch)
        for (auto* list : {&a, &b, &to}) list->push_back(&loop);
    for (contraction_loop& loop : c.m)
        for (auto* list : {&a, &to}) list->push_back(&loop);
    for (contraction_loop& loop : c.n)
        for (auto* list : {&b, &to}) list->push_back(&loop);
    for (contraction_loop& loop : c.k) {
        const auto which = lone ? random() % 3 : 0;
        if (which != 1) a.push_back(&loop);
        if (which != 2) b.push_back(&loop);
    }
    lay_out_operand(a, &contraction_loop::a, c.a_first, c.a_size, random, scattered);
    lay_out_operand(b, &contraction_loop::b, c.b_first, c.b_size, random, scattered);
    lay_out_operand(to, &contraction_loop::c, c.c_first, c.c_size, random, scattered);
    return c;
}

inline loop_list random_loops(std::int64_t most, std::mt19937& random) {
    loop_list loops;
    std::int64_t left = most;
    for (auto l = random() % 3; l > 0 && left > 0; --l) {
        const std::int64_t extent = 1 + static_cast<std::int64_t>(random()) % left;
        loops.push_back({extent, 0, 0, 0});
        left /= extent;
    }
    return loops;
}

/// What operands hold besides normal numbers.
struct contents {
    double width = 2;             // the standard deviation
    double minus_infinities = 0;  // shares
    double plus_infinities = 0;
    double nans = 0;
};

/// Numbers of a standard normal distribution, drawn once: operands of all targets together have a
/// hundred times as many, and drawing those takes longer than their products.
inline const std::vector<double>& normal_numbers() {
    static const std::vector<double> numbers = [] {
        std::mt19937 random(1);
        std::normal_distribution<double> normal;
        std::vector<double> drawn(65521);
        for (double& x : drawn) x = normal(random);
        return drawn;
    }();
    return numbers;
}

template <class T>
std::vector<T> random_operand(std::int64_t size, const contents& what, std::mt19937& random) {
    const std::vector<double>& normal = normal_numbers();
    const bool is_normal = what.minus_infinities + what.plus_infinities + what.nans == 0;
    constexpr T infinity = std::numeric_limits<T>::infinity();
    std::vector<T> x(static_cast<std::size_t>(size));
    // From anywhere in the list, so that no two operands are alike.
    std::size_t next = random() % normal.size();
    for (T& each : x) {
        each = static_cast<T>(what.width * normal[next]);
        if (++next == normal.size()) next = 0;
        if (is_normal) continue;
        double at = static_cast<double>(random()) / 4294967296.0;
        if ((at -= what.minus_infinities) < 0) each = -infinity;
        else if ((at -= what.plus_infinities) < 0) each = infinity;
        else if ((at -= what.nans) < 0) each = std::numeric_limits<T>::quiet_NaN();
    }
    return x;
}

/// The offsets of a group's iterations in one operand, as the descriptor orders them.
inline std::vector<std::int64_t> places_of(const loop_list& loops,
                                           std::int64_t contraction_loop::*stride) {
    return contractions::flatten(loops, stride).offset;
}

/// Calls go(position of C, offsets of A and B there) for every element of C.
template <class Go>
void for_each_element(const algebra_case& c, Go go) {
    const auto count = [](const loop_list& loops) { return contractions::iterations(loops); };
    for (std::int64_t x = 0; x < count(c.batch); ++x) {
        for (std::int64_t i = 0; i < count(c.m); ++i) {
            for (std::int64_t j = 0; j < count(c.n); ++j) {
                const auto batch = contractions::locate(c.batch, x);
                const auto row = contractions::locate(c.m, i),
                           column = contractions::locate(c.n, j);
                go(c.c_first + batch.c + row.c + column.c, c.a_first + batch.a + row.a,
                   c.b_first + batch.b + column.b);
            }
        }
    }
}

/// The extremum of all terms in their order, NaN where one is, and where it is first.
template <class T>
struct plain_extremum {
    plain_extremum(sum_algebra algebra, T start, place at)
        : is_minimum(algebra == sum_algebra::minimum), value(start), where(at) {}
    void take(T x, place at) {
        const bool better = is_minimum ? x < value : x > value;
        if (!better && !(std::isnan(x) && !std::isnan(value))) return;
        value = x;
        where = at;
    }
    bool is_minimum;
    T value;
    place where;
};

}  // namespace ricci::testing
