// Equations as a value: R"(...)"_eq, calling them, keeping tensors, claims.
#pragma once

#include <cstdint>
#include <type_traits>

#include <ricci/bind/call.hpp>
#include <ricci/derive/prove.hpp>

namespace ricci {

template <std::uint64_t Hash>
struct equations;

/// Equations that are none, so that the compiler says what is wrong with them and nothing else.
template <std::uint64_t Hash, class Mistake>
struct mistaken_equations : equations<Hash> {};

/// The equations that `Maker` makes of the program `Source`. `type` names the mistake that they have,
/// since it is what g++ prints of a consteval function.
template <class Maker, std::uint64_t... Source>
struct made_equations {
    using mistake = mistake_in<Maker, Source...>;
    using type = std::conditional_t<is_a_mistake<mistake>, mistaken_equations<Maker::hash, mistake>,
                                    equations<Maker::hash>>;
};

/// A checked program of tensor equations. Has no state: the type is the program.
template <std::uint64_t Hash>
struct equations {
    static constexpr std::uint64_t hash = Hash;

    /// Computes the outputs. Binds every input, in any order: `f("X"_t = X, "d_k"_t = 64)`. Returns a
    /// Hana map by name. Mistakes that the types show stop the compilation; others throw
    /// ricci::error before anything is written.
    template <class... Bound, class Mistake = mistake_in_call<Hash, false, Bound...>>
    RICCI_INLINE auto operator()(const Bound&... bound) const {
        using T = typename call_element<Bound...>::type;
        results<Hash, T> outputs;
        run_call<Hash, T>(outputs, 1, 0, bound...);
        return outputs;
    }
    template <class... Bound, class Mistake = mistake_in_call<Hash, false, Bound...>>
    requires is_a_mistake<Mistake> Mistake operator()(const Bound&...) const = delete;

    /// The same program with more outputs: tensors that it computes on the way.
    template <std::uint64_t... Names>
    consteval typename made_equations<kept_names<Hash, Names...>, Hash>::type keep(
        name<Names>...) const {
        using made = made_equations<kept_names<Hash, Names...>, Hash>;
        if constexpr (is_a_mistake<typename made::mistake>)
            these_equations_cannot_be_carried_out_as_written<typename made::mistake>();
        return {};
    }

    /// Whether one of the equations is `claim`, up to the names of indices, the order of factors and
    /// terms, deltas, constants and signs. A claim that cannot be read does not compile.
    consteval bool states(const char* claim) const {
        const auto parsed = notation::parse_equations(claim);
        if (parsed.mistake) throw "the claim has a mistake";
        return derive::proves(outcome_of<Hash>.program.view(), parsed.program);
    }

    static constexpr ir::program_view program() { return program_of<Hash>.view(); }
};

/// dL/dx for every x of `by`, as equations: takes what `source` takes and "dL/d(of)"_t.
template <std::uint64_t Hash, std::uint64_t Of, std::uint64_t... Wrt>
consteval typename made_equations<derived_gradient<Hash, Of, false, Wrt...>, Hash>::type gradient(
    equations<Hash>, name<Of>, name_list<Wrt...>) {
    using made = made_equations<derived_gradient<Hash, Of, false, Wrt...>, Hash>;
    if constexpr (is_a_mistake<typename made::mistake>)
        these_equations_cannot_be_carried_out_as_written<typename made::mistake>();
    return {};
}

/// As gradient, and gives the value of `of` too.
template <std::uint64_t Hash, std::uint64_t Of, std::uint64_t... Wrt>
consteval typename made_equations<derived_gradient<Hash, Of, true, Wrt...>, Hash>::type
value_and_gradient(equations<Hash>, name<Of>, name_list<Wrt...>) {
    using made = made_equations<derived_gradient<Hash, Of, true, Wrt...>, Hash>;
    if constexpr (is_a_mistake<typename made::mistake>)
        these_equations_cannot_be_carried_out_as_written<typename made::mistake>();
    return {};
}

/// Forward mode: d/dt Y for every output Y, along the direction "d/dt x"_t of every x of `by`; takes
/// what `source` takes and those directions.
template <std::uint64_t Hash, std::uint64_t... Wrt>
consteval typename made_equations<derived_tangent<Hash, Wrt...>, Hash>::type tangent(
    equations<Hash>, name_list<Wrt...>) {
    using made = made_equations<derived_tangent<Hash, Wrt...>, Hash>;
    if constexpr (is_a_mistake<typename made::mistake>)
        these_equations_cannot_be_carried_out_as_written<typename made::mistake>();
    return {};
}

/// The derivative of the tensor `of` by every x of `by`, of the axes of `of` and then those of x:
/// takes what `source` takes and gives "d(of)/dx"_t. What it stores is as large as that.
template <std::uint64_t Hash, std::uint64_t Of, std::uint64_t... Wrt>
consteval typename made_equations<derived_jacobian<Hash, Of, Wrt...>, Hash>::type jacobian(
    equations<Hash>, name<Of>, name_list<Wrt...>) {
    using made = made_equations<derived_jacobian<Hash, Of, Wrt...>, Hash>;
    if constexpr (is_a_mistake<typename made::mistake>)
        these_equations_cannot_be_carried_out_as_written<typename made::mistake>();
    return {};
}

namespace literals {

/// Equations in index notation. A mistake in them is a mistake in the program: it does not compile,
/// and the message holds the equation with the place marked.
template <literal_text Text>
consteval typename made_equations<parsed_text<Text>>::type operator""_eq() {
    using made = made_equations<parsed_text<Text>>;
    if constexpr (is_a_mistake<typename made::mistake>)
        these_equations_cannot_be_carried_out_as_written<typename made::mistake>();
    return {};
}

}  // namespace literals
}  // namespace ricci
