// Random networks, with their results by loops over all indices.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <ricci/network.hpp>

#include "tests/catch.hpp"
#include "tests/unit/network/naive_contraction.hpp"

namespace ricci::testing::drawn_networks {

using complex = std::complex<double>;

inline complex entry(const array& a, std::size_t k) {
    switch (a.type()) {
        case element::f64:
            return static_cast<const double*>(a.data())[k];
        case element::f32:
            return static_cast<const float*>(a.data())[k];
        case element::c128:
            return static_cast<const complex*>(a.data())[k];
        case element::i64:
            return static_cast<double>(static_cast<const std::int64_t*>(a.data())[k]);
        default:
            return entry(a.converted(element::f64), k);
    }
}

struct random_network {
    std::mt19937_64 random;
    std::map<std::int64_t, std::size_t> extents;
    std::vector<std::vector<std::int64_t>> axes;
    std::vector<bool> conjugate;
    std::vector<array> operands;
    std::vector<std::int64_t> open;
    element type;

    explicit random_network(std::uint64_t seed, element of_type, std::size_t most = 6)
        : random(seed), type(of_type) {
        const std::size_t tensors = 1 + below(most), indices = 1 + below(8);
        for (std::size_t i = 0; i < indices; ++i)
            extents[static_cast<std::int64_t>(7 * i)] = 1 + below(4);
        for (std::size_t t = 0; t < tensors; ++t) add(below(5));
        std::vector<std::int64_t> there;
        for (const auto& list : axes)
            for (const auto i : list)
                if (std::find(there.begin(), there.end(), i) == there.end()) there.push_back(i);
        std::shuffle(there.begin(), there.end(), random);
        for (const auto i : there)
            if (open.size() < 3 && below(3) == 0) open.push_back(i);
    }
    std::size_t below(std::size_t n) { return random() % n; }
    void add(std::size_t rank) {
        std::vector<std::int64_t> list;
        std::vector<std::size_t> shape;
        for (std::size_t k = 0; k < rank; ++k) {
            list.push_back(static_cast<std::int64_t>(7 * below(extents.size())));
            shape.push_back(extents.at(list.back()));
        }
        array a(element::c128, shape);
        for (std::size_t k = 0; k < a.size(); ++k)
            static_cast<complex*>(a.data())[k] = {static_cast<double>(below(9)) - 4,
                                                  static_cast<double>(below(9)) - 4};
        if (type != element::c128) {
            array real(element::i64, shape);
            for (std::size_t k = 0; k < a.size(); ++k)
                static_cast<std::int64_t*>(real.data())[k] =
                    static_cast<std::int64_t>(static_cast<complex*>(a.data())[k].real());
            a = type == element::i64 ? std::move(real) : real.converted(type);
        }
        axes.push_back(std::move(list));
        operands.push_back(std::move(a));
        conjugate.push_back(below(3) == 0);
    }

    network made() const {
        network n;
        for (std::size_t k = 0; k < operands.size(); ++k)
            conjugate[k] ? n.add_conjugate(operands[k], axes[k]) : n.add(operands[k], axes[k]);
        n.keep(open);
        return n;
    }
    std::vector<std::pair<std::size_t, std::size_t>> pairs() {
        std::vector<std::size_t> left;
        for (std::size_t k = 0; k < operands.size(); ++k) left.push_back(k);
        std::vector<std::pair<std::size_t, std::size_t>> all;
        for (std::size_t next = left.size(); left.size() > 1; ++next) {
            std::shuffle(left.begin(), left.end(), random);
            all.push_back({left[left.size() - 1], left[left.size() - 2]});
            left.resize(left.size() - 2);
            left.push_back(next);
        }
        return all;
    }
    contraction_order order(std::size_t slices) {
        const network n = made();
        const auto plain = contraction_order::from_ssa(n, pairs());
        std::string text = plain.json(), cut;
        std::vector<std::int64_t> there = n.indices();
        std::shuffle(there.begin(), there.end(), random);
        for (const auto i : there) {
            if (cut.size() >= slices * 20 || extents.at(i) < 2) continue;
            cut += fmt::format("{}{{\"index\": {}, \"parts\": {}}}", cut.empty() ? "" : ", ", i,
                               2 + below(extents.at(i) - 1));
        }
        const std::string none = "\"slices\": [";
        const auto at = text.find(none);
        REQUIRE(at != std::string::npos);
        text.insert(at + none.size(), cut);
        return contraction_order::from_json(n, text);
    }

    // In another algebra; the conjugate of a real number is the number.
    std::vector<double> brute_force(algebra a) const {
        std::size_t results = 1;
        for (const auto i : open) results *= extents.at(i);
        const double nothing = a == algebra::min_sum ? HUGE_VAL : -HUGE_VAL;
        std::vector<double> sums(results, nothing);
        each_place([&](const auto& at) {
            double term = 0;
            for (std::size_t t = 0; t < operands.size(); ++t)
                term += entry(operands[t], place(axes[t], at)).real();
            double& sum = sums[place(open, at)];
            if (a == algebra::min_sum) sum = std::min(sum, term);
            else if (a == algebra::max_sum) sum = std::max(sum, term);
            else sum = std::max(sum, term) + std::log1p(std::exp(-std::abs(sum - term)));
        });
        return sums;
    }
    template <class Visit>
    void each_place(const Visit& visit) const {
        std::size_t all = 1;
        for (const auto& [i, n] : extents)
            if (made_of(i)) all *= n;
        for (std::size_t k = 0; k < all; ++k) {
            std::map<std::int64_t, std::size_t> at;
            std::size_t rest = k;
            for (const auto& [i, n] : extents)
                if (made_of(i)) at[i] = rest % n, rest /= n;
            visit(at);
        }
    }
    std::vector<complex> brute_force() const {
        std::size_t results = 1;
        for (const auto i : open) results *= extents.at(i);
        std::vector<complex> sums(results);
        each_place([&](const auto& at) {
            complex product = 1;
            for (std::size_t t = 0; t < operands.size(); ++t) {
                const complex x = entry(operands[t], place(axes[t], at));
                product *= conjugate[t] ? std::conj(x) : x;
            }
            sums[place(open, at)] += product;
        });
        return sums;
    }
    bool made_of(std::int64_t i) const {
        for (const auto& list : axes)
            if (std::find(list.begin(), list.end(), i) != list.end()) return true;
        return false;
    }
    std::size_t place(const std::vector<std::int64_t>& list,
                      const std::map<std::int64_t, std::size_t>& at) const {
        std::size_t k = 0;
        for (const auto i : list) k = k * extents.at(i) + at.at(i);
        return k;
    }
};

inline array vector_of(const std::vector<double>& values) {
    array a(element::f64, {values.size()});
    std::copy(values.begin(), values.end(), static_cast<double*>(a.data()));
    return a;
}

inline void check_same(const array& got, const std::vector<complex>& wanted) {
    REQUIRE(got.size() == wanted.size());
    for (std::size_t k = 0; k < wanted.size(); ++k)
        CHECK(std::abs(entry(got, k) - wanted[k]) <=
              (got.type() == element::f32 ? 1e-5 : 1e-12) * (1 + std::abs(wanted[k])));
}

}  // namespace ricci::testing::drawn_networks
