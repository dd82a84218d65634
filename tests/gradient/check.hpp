// Derived gradients against central differences of the forward program, every entry, in double.
#pragma once

#include "tests/catch.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <random>
#include <string>
#include <tuple>
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

/// Values spread evenly over [low, high] in random order: no two are near each other and none is
/// near 0 when the range is symmetric, so that no kink is within a step of the differences.
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
    detail::bound_index<Hash> bound;
};
template <std::uint64_t Hash>
case_index<Hash> extent(detail::bound_index<Hash> bound) {
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
constexpr detail::name_list<A..., B...> joined(detail::name_list<A...>, detail::name_list<B...>) {
    return {};
}
constexpr detail::name_list<> names_to_derive() { return {}; }
template <class First, class... Rest>
constexpr auto names_to_derive(const First*, const Rest*... rest) {
    if constexpr (First::derive)
        return joined(detail::name_list<First::hash>{}, names_to_derive(rest...));
    else return names_to_derive(rest...);
}

template <std::uint64_t Source, class List>
struct tangent_of_list;
template <std::uint64_t Source, std::uint64_t... Wrt>
struct tangent_of_list<Source, detail::name_list<Wrt...>> {
    using type = detail::define_program<detail::derived_tangent<Source, Wrt...>>;
};
template <std::uint64_t Source, class List>
using tangent_of = typename tangent_of_list<Source, List>::type;

/// The name of the derivative of the loss by the tensor of this hash.
template <std::uint64_t Hash>
struct derivative_name {
    static constexpr auto text = [] {
        constexpr std::int32_t size = detail::spelling<Hash>().size;
        detail::literal_text<static_cast<std::size_t>(size) + 5> out;
        for (std::size_t k = 0; k < 4; ++k) out.characters[k] = "dL/d"[k];
        for (std::int32_t k = 0; k < size; ++k) out.characters[4 + k] = detail::spelling<Hash>()[k];
        return out;
    }();
    using type = name<detail::define_name<text>::hash>;
};

/// "d/dt X", "d/dt dL/dX" for the tensor of this hash.
template <std::uint64_t Hash, bool OfDerivative = false>
struct tangent_name {
    static constexpr detail::text_view of =
        OfDerivative ? derivative_name<Hash>::text.view() : detail::spelling<Hash>();
    static constexpr auto text = [] {
        detail::literal_text<static_cast<std::size_t>(of.size) + 6> out;
        for (std::size_t k = 0; k < 5; ++k) out.characters[k] = "d/dt "[k];
        for (std::int32_t k = 0; k < of.size; ++k) out.characters[5 + k] = of[k];
        return out;
    }();
    using type = name<detail::define_name<text>::hash>;
};

/// A direction in which the inputs that are derived by move.
template <class... Inputs>
struct directions {
    std::tuple<Inputs...> values;
    explicit directions(const Inputs&... inputs) : values(copied(inputs)...) {
        std::mt19937 generator(11);
        const auto fill = [&]<class Input>(Input& in) {
            if constexpr (Input::derive)
                for (std::size_t k = 0; k < in.value.size(); ++k)
                    in.value.data()[k] =
                        0.6 * static_cast<double>(generator()) / 4294967296.0 - 0.3;
        };
        std::apply([&](Inputs&... in) { (fill(in), ...); }, values);
    }
    template <class Input>
    static Input copied(const Input& in) {
        if constexpr (requires { in.value; }) return Input{in.value.clone()};
        else return in;
    }
    template <std::uint64_t Hash, int Rank, bool Derive>
    static auto bound(case_input<Hash, Rank, Derive>& in) {
        if constexpr (Derive)
            return std::make_tuple(typename tangent_name<Hash>::type{} = in.value);
        else return std::tuple<>();
    }
    template <std::uint64_t Hash>
    static auto bound(case_index<Hash>&) {
        return std::tuple<>();
    }
    /// The bindings of "d/dt X" for every X.
    auto bindings() {
        return std::apply([](Inputs&... in) { return std::tuple_cat(bound(in)...); }, values);
    }
    /// Moves the inputs by t times the direction.
    void shift(double t, Inputs&... inputs) {
        const auto one = [&]<class Input>(Input& in, const Input& v) {
            if constexpr (Input::derive)
                for (std::size_t k = 0; k < in.value.size(); ++k)
                    in.value.data()[k] += t * v.value.data()[k];
        };
        std::apply([&](const Inputs&... v) { (one(inputs, v), ...); }, values);
    }
};

/// Forward mode against reverse mode: dY . (d/dt Y) = sum of dL/dX . (d/dt X), to rounding. Then
/// second order: the tangent of the gradient against differences of the gradient.
template <std::uint64_t Hash, int Rank, class... Inputs>
void check_tangent(equations<Hash>, const tensor<double, Rank>& dy, double along,
                   directions<Inputs...>& direction, Inputs&... inputs) {
    using namespace literals;
    using wrt_list = decltype(names_to_derive(&inputs...));
    constexpr auto forward = tangent(equations<Hash>{}, wrt_list{});
    INFO(to_latex(forward));
    const auto moves =
        std::apply([&](const auto&... given) { return forward(binding(inputs)..., given...); },
                   direction.bindings());
    const auto& moved = moves["d/dt Y"_t];
    REQUIRE(moved.extents() == dy.extents());
    double dot = 0, size = 1;
    for (std::size_t k = 0; k < dy.size(); ++k) {
        dot += dy.data()[k] * moved.data()[k];
        size += std::abs(dy.data()[k] * moved.data()[k]);
    }
    if (!(std::abs(dot - along) <= 1e-12 * size))
        FAIL("forward mode gives " << dot << " and reverse mode " << along);

    constexpr auto backward = gradient(equations<Hash>{}, "Y"_t, wrt_list{});
    using second = tangent_of<decltype(backward)::hash, wrt_list>;
    if constexpr (!detail::outcome_of<second::hash>.mistaken()) {
        constexpr auto curvature = equations<second::hash>{};
        INFO(to_latex(curvature));
        const auto bends = std::apply(
            [&](const auto&... given) {
                return curvature(binding(inputs)..., "dL/dY"_t = dy, given...);
            },
            direction.bindings());
        auto slopes = prepare(backward, binding(inputs)..., "dL/dY"_t = dy);
        const auto check_input = [&]<class Input>(Input&) {
            if constexpr (Input::derive) {
                const auto g = slopes[typename derivative_name<Input::hash>::type{}];
                const auto& got = bends[typename tangent_name<Input::hash, true>::type{}];
                REQUIRE(got.extents() == g.extents());
                std::vector<double> expected(got.size(), 0);
                constexpr double h = 1e-3;
                const auto add = [&](double t, double weight) {
                    direction.shift(t, inputs...);
                    slopes();
                    direction.shift(-t, inputs...);
                    for (std::size_t k = 0; k < expected.size(); ++k)
                        expected[k] += weight * g.data()[k];
                };
                add(h, 8 / (12 * h)), add(-h, -8 / (12 * h));
                add(2 * h, -1 / (12 * h)), add(-2 * h, 1 / (12 * h));
                double scale = 1;
                for (double x : expected) scale = std::max(scale, std::abs(x));
                for (std::size_t k = 0; k < got.size(); ++k)
                    if (!(std::abs(got.data()[k] - expected[k]) <= 1e-8 * scale))
                        FAIL("entry " << k << " of the tangent of "
                                      << derivative_name<Input::hash>::text.characters << " is "
                                      << got.data()[k] << ", by differences " << expected[k]);
            }
        };
        (check_input(inputs), ...);
    }
}

/// Compares dL/dinput for L = sum of dL/dY Y with differences, entry by entry, and along a random
/// direction of all inputs at once; then forward mode with that.
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
    directions<Inputs...> direction(inputs...);
    const auto inner = [&]<class Input>(const Input& v) {
        if constexpr (Input::derive) {
            const auto& g = results[typename derivative_name<Input::hash>::type{}];
            for (std::size_t k = 0; k < g.size(); ++k) along += v.value.data()[k] * g.data()[k];
        }
    };
    std::apply([&](const Inputs&... v) { (inner(v), ...); }, direction.values);
    const auto check_input = [&]<class Input>(Input& in) {
        if constexpr (Input::derive) {
            const auto& g = results[typename derivative_name<Input::hash>::type{}];
            REQUIRE(g.extents() == in.value.extents());
            double scale = 1;
            for (std::size_t k = 0; k < g.size(); ++k)
                scale = std::max(scale, std::abs(g.data()[k]));
            for (std::size_t k = 0; k < g.size(); ++k) {
                double& x = in.value.data()[k];
                const double expected = slope([&](double t) { x += t; });
                if (!(std::abs(g.data()[k] - expected) <= 2e-9 * scale))
                    FAIL("entry " << k << " of the derivative by "
                                  << derivative_name<Input::hash>::text.characters << " is "
                                  << g.data()[k] << ", by differences " << expected);
            }
        }
    };
    (check_input(inputs), ...);
    const double expected = slope([&](double t) { direction.shift(t, inputs...); });
    CHECK(std::abs(along - expected) <= 1e-8 * std::max(1.0, std::abs(along)));
    check_tangent(equations<Hash>{}, dy, along, direction, inputs...);
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
