// Random networks beyond the range of their elements, with their results by loops over all indices in a type
// with a wider one.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include <ricci/network.hpp>

#include "bench/networks/lattices.hpp"
#include "tests/catch.hpp"

namespace ricci::testing::scaled_networks {

// Exponents of ten to 4931.
using wide = std::complex<long double>;

inline wide element_of(const array& a, std::size_t k) {
    switch (a.type()) {
        case element::f64:
            return static_cast<const double*>(a.data())[k];
        case element::f32:
            return static_cast<const float*>(a.data())[k];
        case element::c64:
            return static_cast<const std::complex<float>*>(a.data())[k];
        default:
            return static_cast<const std::complex<double>*>(a.data())[k];
    }
}

inline void set_element(array& a, std::size_t k, wide to) {
    const auto re = static_cast<double>(to.real()), im = static_cast<double>(to.imag());
    if (a.type() == element::f64) static_cast<double*>(a.data())[k] = re;
    if (a.type() == element::f32) static_cast<float*>(a.data())[k] = static_cast<float>(re);
    if (a.type() == element::c128) static_cast<std::complex<double>*>(a.data())[k] = {re, im};
    if (a.type() == element::c64)
        static_cast<std::complex<float>*>(a.data())[k] = {static_cast<float>(re),
                                                          static_cast<float>(im)};
}

/// A random network, with tensors that can be multiplied by what is far from 1.
struct drawn_network {
    std::mt19937_64 random;
    element type;
    std::vector<std::size_t> extents;
    std::vector<std::vector<std::int64_t>> axes;
    std::vector<array> operands;
    std::vector<std::int64_t> open;

    drawn_network(std::uint64_t seed, element of_type) : random(seed), type(of_type) {
        const std::size_t tensors = 1 + below(6), indices = 1 + below(6);
        for (std::size_t i = 0; i < indices; ++i) extents.push_back(1 + below(3));
        for (std::size_t t = 0; t < tensors; ++t) {
            axes.emplace_back();
            for (std::size_t k = below(4); k > 0; --k)
                axes.back().push_back(static_cast<std::int64_t>(below(indices)));
        }
        for (std::size_t i = 0; i < indices; ++i)
            if (has(static_cast<std::int64_t>(i)) && open.size() < 3 && below(3) == 0)
                open.push_back(static_cast<std::int64_t>(i));
        std::shuffle(open.begin(), open.end(), random);
    }
    std::size_t below(std::size_t n) { return random() % n; }
    bool has(std::int64_t i) const {
        return std::any_of(axes.begin(), axes.end(), [&](const auto& list) {
            return std::find(list.begin(), list.end(), i) != list.end();
        });
    }
    /// One more index, in all tensors: its number.
    std::int64_t run_through(std::size_t extent) {
        extents.push_back(extent);
        const auto i = static_cast<std::int64_t>(extents.size() - 1);
        for (auto& list : axes)
            list.insert(list.begin() + static_cast<std::ptrdiff_t>(below(list.size() + 1)), i);
        if (below(2) == 0) open.insert(open.begin(), i);
        return i;
    }
    void draw() {
        for (const auto& list : axes) {
            std::vector<std::size_t> shape;
            for (const auto i : list) shape.push_back(extents[static_cast<std::size_t>(i)]);
            array a(type, shape);
            for (std::size_t k = 0; k < a.size(); ++k)
                set_element(a, k,
                            {0.5L + static_cast<long double>(below(1000)) / 500 - 1.0L,
                             static_cast<long double>(below(1000)) / 500 - 1.0L});
            operands.push_back(std::move(a));
        }
    }
    void multiply(std::size_t tensor, long double by) {
        for (std::size_t k = 0; k < operands[tensor].size(); ++k)
            set_element(operands[tensor], k, element_of(operands[tensor], k) * by);
    }
    /// What lies at one place of an index.
    void multiply(std::size_t tensor, std::int64_t index, std::size_t place, long double by) {
        each_place(axes[tensor], [&](const auto& at) {
            if (at.at(index) != place) return;
            const std::size_t k = offset(axes[tensor], at);
            set_element(operands[tensor], k, element_of(operands[tensor], k) * by);
        });
    }
    network made() const {
        network n;
        for (std::size_t k = 0; k < operands.size(); ++k) n.add(operands[k], axes[k]);
        n.keep(open);
        return n;
    }
    contraction_order order(std::size_t slices) {
        std::vector<std::size_t> left;
        for (std::size_t k = 0; k < operands.size(); ++k) left.push_back(k);
        std::vector<std::pair<std::size_t, std::size_t>> all;
        for (std::size_t next = left.size(); left.size() > 1; ++next) {
            std::shuffle(left.begin(), left.end(), random);
            all.push_back({left[left.size() - 1], left[left.size() - 2]});
            left.resize(left.size() - 2);
            left.push_back(next);
        }
        const network n = made();
        std::vector<sliced_index> cut;
        for (const auto i : n.indices())
            if (cut.size() < slices && n.extent(i) > 1)
                cut.push_back({i, 2 + static_cast<std::int64_t>(below(n.extent(i) - 1))});
        return contraction_order::from_ssa(n, all, cut);
    }

    std::size_t offset(const std::vector<std::int64_t>& list,
                       const std::map<std::int64_t, std::size_t>& at) const {
        std::size_t k = 0;
        for (const auto i : list) k = k * extents[static_cast<std::size_t>(i)] + at.at(i);
        return k;
    }
    template <class Visit>
    void each_place(const std::vector<std::int64_t>& list, const Visit& visit) const {
        std::map<std::int64_t, std::size_t> at;
        std::size_t all = 1;
        for (const auto i : list)
            if (at.emplace(i, 0).second) all *= extents[static_cast<std::size_t>(i)];
        for (std::size_t k = 0; k < all; ++k) {
            std::size_t rest = k;
            for (auto& [i, place] : at) {
                place = rest % extents[static_cast<std::size_t>(i)];
                rest /= extents[static_cast<std::size_t>(i)];
            }
            visit(at);
        }
    }
    /// The result, and the sums of absolute values.
    std::pair<std::vector<wide>, std::vector<long double>> brute_force() const {
        std::size_t results = 1;
        for (const auto i : open) results *= extents[static_cast<std::size_t>(i)];
        std::vector<wide> sums(results);
        std::vector<long double> sizes(results);
        std::vector<std::int64_t> all;
        for (std::size_t i = 0; i < extents.size(); ++i)
            if (has(static_cast<std::int64_t>(i))) all.push_back(static_cast<std::int64_t>(i));
        each_place(all, [&](const auto& at) {
            wide product = 1;
            for (std::size_t t = 0; t < operands.size(); ++t)
                product *= element_of(operands[t], offset(axes[t], at));
            sums[offset(open, at)] += product;
            sizes[offset(open, at)] += std::abs(product);
        });
        return {sums, sizes};
    }
};

const element reals_and_complex[] = {element::f64, element::c128, element::f32, element::c64};
inline bool is_single(element type) { return type == element::f32 || type == element::c64; }

inline void check_form(const scaled& got) {
    CHECK(got.exponent10 == std::floor(got.exponent10));
    long double largest = 0;
    for (std::size_t k = 0; k < got.mantissa.size(); ++k)
        largest = std::max(largest, std::abs(element_of(got.mantissa, k)));
    if (largest == 0) {
        CHECK(got.exponent10 == 0);
    } else {
        CHECK(largest >= 1 - 1e-15L);
        CHECK(largest < 10 + 1e-14L);
    }
}

inline void check_is(const scaled& got, const drawn_network& r) {
    check_form(got);
    const auto [wanted, sizes] = r.brute_force();
    REQUIRE(got.mantissa.size() == wanted.size());
    const long double unit = std::pow(10.0L, static_cast<long double>(got.exponent10));
    const long double precision = is_single(r.type) ? 2e-6L : 1e-14L;
    const long double lost = is_single(r.type) ? 1e-36L : 1e-300L;
    for (std::size_t k = 0; k < wanted.size(); ++k) {
        const wide mantissa = wanted[k] / unit;
        INFO("wanted " << static_cast<double>(mantissa.real()) << ", got "
                       << static_cast<double>(element_of(got.mantissa, k).real()));
        CHECK(std::abs(element_of(got.mantissa, k) - mantissa) <=
              precision * (sizes[k] / unit) + lost);
    }
}

inline double value_of(const array& a, std::size_t k = 0) {
    return static_cast<double>(element_of(a, k).real());
}
inline double log10_of(const scaled& s) { return std::log10(value_of(s.mantissa)) + s.exponent10; }

inline array tensor_of(const std::vector<std::size_t>& extents, const std::vector<double>& values) {
    return bench::tensor_of(extents, values);
}

}  // namespace ricci::testing::scaled_networks
