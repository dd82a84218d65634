// Derived gradients against central differences of the forward program, every entry, in double.
#pragma once

#include "tests/catch.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include <ricci/ricci.hpp>

namespace ricci::testing {

/// An input of a case; `Derive` when the case differentiates by it.
template <std::uint64_t Hash, int Rank, bool Derive>
struct case_input {
    static constexpr std::uint64_t hash = Hash;
    static constexpr bool derive = Derive;
    tensor<double, Rank> value;
};

/// Values spread evenly over [low, high] in random order: no two are near each other and none is near
/// 0 when the range is symmetric, so that no kink is within a step of the differences.
template <int Rank>
tensor<double, Rank> spread(const std::array<std::size_t, Rank>& extents, unsigned seed, double low,
                            double high) {
    tensor<double, Rank> t(extents);
    std::vector<double> values;
    const double n = static_cast<double>(t.size());
    const double offset = seed % 2 == 0 ? 0.5 : 0.2;
    for (std::size_t k = 0; k < t.size(); ++k)
        values.push_back(low + (high - low) * (static_cast<double>(k) + offset) / n);
    std::mt19937 generator(seed);
    std::shuffle(values.begin(), values.end(), generator);
    std::copy(values.begin(), values.end(), t.data());
    return t;
}

template <std::size_t Rank>
std::array<std::size_t, Rank> as_array(const std::size_t (&extents)[Rank]) {
    std::array<std::size_t, Rank> out{};
    std::copy(extents, extents + Rank, out.begin());
    return out;
}

/// A tensor to differentiate by, with values in [low, high].
template <std::uint64_t Hash, std::size_t Rank>
auto by(name<Hash>, const std::size_t (&extents)[Rank], double low = -1, double high = 1) {
    return case_input<Hash, static_cast<int>(Rank), true>{spread<static_cast<int>(Rank)>(
        as_array(extents), static_cast<unsigned>(Hash % 1000), low, high)};
}
template <std::uint64_t Hash, class Number>
auto by(name<Hash>, Number value) {
    case_input<Hash, 0, true> out;
    out.value() = static_cast<double>(value);
    return out;
}
/// A tensor that stays as it is.
template <std::uint64_t Hash, std::size_t Rank>
auto given(name<Hash>, const std::size_t (&extents)[Rank], double low = -1, double high = 1) {
    return case_input<Hash, static_cast<int>(Rank), false>{spread<static_cast<int>(Rank)>(
        as_array(extents), static_cast<unsigned>(Hash % 1000), low, high)};
}
template <std::uint64_t Hash, class Number>
auto given(name<Hash>, Number value) {
    case_input<Hash, 0, false> out;
    out.value() = static_cast<double>(value);
    return out;
}
/// The extent of an index that the shapes do not give.
template <std::uint64_t Hash>
struct case_index {
    static constexpr bool derive = false;
    bound_index<Hash> bound;
};
template <std::uint64_t Hash>
case_index<Hash> extent(bound_index<Hash> bound) {
    return {bound};
}

template <std::uint64_t Hash, int Rank, bool Derive>
auto binding(case_input<Hash, Rank, Derive>& in) {
    return name<Hash>{} = in.value;
}
template <std::uint64_t Hash>
auto binding(case_index<Hash>& in) {
    return in.bound;
}

template <std::uint64_t... A, std::uint64_t... B>
constexpr name_list<A..., B...> joined(name_list<A...>, name_list<B...>) {
    return {};
}
constexpr name_list<> names_to_derive() { return {}; }
template <class First, class... Rest>
constexpr auto names_to_derive(const First*, const Rest*... rest) {
    if constexpr (First::derive) return joined(name_list<First::hash>{}, names_to_derive(rest...));
    else return names_to_derive(rest...);
}

/// The name of the derivative of the loss by the tensor of this hash.
template <std::uint64_t Hash>
struct derivative_name {
    static constexpr auto text = [] {
        constexpr std::int32_t size = spelling<Hash>().size;
        literal_text<static_cast<std::size_t>(size) + 5> out;
        for (std::size_t k = 0; k < 4; ++k) out.characters[k] = "dL/d"[k];
        for (std::int32_t k = 0; k < size; ++k) out.characters[4 + k] = spelling<Hash>()[k];
        return out;
    }();
    using type = name<define_name<text>::hash>;
};

/// Compares dL/dinput for L = sum of dL/dY Y with differences, entry by entry, and along a random
/// direction of all inputs at once.
template <std::uint64_t Hash, class... Inputs>
void check_gradient(equations<Hash> f, Inputs... inputs) {
    using namespace literals;
    constexpr auto derived =
        value_and_gradient(equations<Hash>{}, "Y"_t, decltype(names_to_derive(&inputs...)){});
    INFO(to_latex(derived));

    auto forward = prepare(f, binding(inputs)...);
    forward();
    const auto y = forward["Y"_t];
    constexpr int rank = decltype(y)::rank;
    tensor<double, rank> dy(y.extents());
    std::mt19937 generator(7);
    const auto random = [&] { return 2 * static_cast<double>(generator()) / 4294967296.0 - 1; };
    for (std::size_t k = 0; k < dy.size(); ++k) dy.data()[k] = random();
    const auto loss = [&] {
        forward();
        double sum = 0;  // y is row-major: the library's own memory
        for (std::size_t k = 0; k < dy.size(); ++k) sum += dy.data()[k] * y.data()[k];
        return sum;
    };
    const auto slope = [&](auto&& shift) {  // of the loss, by differences of fourth order
        constexpr double h = 1e-3;
        const auto at = [&](double t) {
            shift(t);
            const double value = loss();
            shift(-t);
            return value;
        };
        return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
    };

    const auto results = derived(binding(inputs)..., "dL/dY"_t = dy);
    bool same_value = true;
    for (std::size_t k = 0; k < dy.size(); ++k)
        same_value = same_value && std::abs(results["Y"_t].data()[k] - y.data()[k]) < 1e-13;
    CHECK(same_value);

    double along = 0;
    std::vector<std::vector<double>> direction;
    const auto check_input = [&]<class Input>(Input& in) {
        if constexpr (Input::derive) {
            const auto& g = results[typename derivative_name<Input::hash>::type{}];
            REQUIRE(g.extents() == in.value.extents());
            double scale = 1;
            for (std::size_t k = 0; k < g.size(); ++k)
                scale = std::max(scale, std::abs(g.data()[k]));
            direction.emplace_back();
            for (std::size_t k = 0; k < g.size(); ++k) {
                double& x = in.value.data()[k];
                const double expected = slope([&](double t) { x += t; });
                if (!(std::abs(g.data()[k] - expected) <= 2e-9 * scale))
                    FAIL("entry " << k << " of the derivative by "
                                  << derivative_name<Input::hash>::text.characters << " is "
                                  << g.data()[k] << ", by differences " << expected);
                direction.back().push_back(0.3 * random());
                along += direction.back().back() * g.data()[k];
            }
        }
    };
    (check_input(inputs), ...);
    const double expected = slope([&](double t) {
        std::size_t number = 0;
        const auto shift = [&]<class Input>(Input& in) {
            if constexpr (Input::derive) {
                const auto& v = direction[number++];
                for (std::size_t k = 0; k < v.size(); ++k) in.value.data()[k] += t * v[k];
            }
        };
        (shift(inputs), ...);
    });
    CHECK(std::abs(along - expected) <= 1e-8 * std::max(1.0, std::abs(along)));
}

}  // namespace ricci::testing

/// A case: the equations' text, which defines Y, and its inputs. A section, so that one that fails
/// hides no other.
#define CHECK_GRADIENT(TEXT, ...)                                                      \
    SECTION(TEXT) {                                                                    \
        constexpr auto equations_of_the_case = ricci::literals::operator""_eq<TEXT>(); \
        ricci::testing::check_gradient(equations_of_the_case, __VA_ARGS__);            \
    }                                                                                  \
    static_assert(true, "so that a semicolon ends a case")
