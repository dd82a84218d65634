// Equations as a value: R"(...)"_eq, calling them, keeping tensors. What derives and proves is in
// <ricci/derivatives.hpp>.
#pragma once

#include <cstdint>
#include <type_traits>

#include <ricci/detail/bind/call.hpp>
#include <ricci/detail/bind/claims.hpp>

namespace ricci {

template <std::uint64_t Hash>
struct equations;

namespace detail {

/// Equations that are none, so that the compiler says what is wrong with them and nothing else.
template <std::uint64_t Hash, class Mistake>
struct mistaken_equations : equations<Hash> {};

/// The equations that `Maker` makes of the program `Source`. `type` names the mistake that they
/// have, since it is what g++ prints of a consteval function.
template <class Maker, std::uint64_t... Source>
struct made_equations {
    using mistake = typename mistake_or_claim<Maker, mistake_in<Maker, Source...>>::type;
    using type = std::conditional_t<is_a_mistake<mistake>, mistaken_equations<Maker::hash, mistake>,
                                    equations<Maker::hash>>;
};

template <literal_text>
struct claim_text {};

}  // namespace detail

/// A checked program of tensor equations. Has no state: the type is the program.
template <std::uint64_t Hash>
struct equations {
    static constexpr std::uint64_t hash = Hash;

    /// Computes the outputs. Binds every input, in any order: `f("X"_t = X, "d_k"_t = 64)`. Returns
    /// a Hana map by name. Mistakes that the types show stop the compilation; others throw
    /// ricci::error before anything is written.
    template <class... Bound, class Mistake = detail::mistake_in_call<Hash, false, Bound...>>
    RICCI_INLINE auto operator()(const Bound&... bound) const {
        using T = typename detail::call_element<Bound...>::type;
        results<Hash, T> outputs;
        detail::run_call<Hash, T>(outputs, 1, 0, bound...);
        return outputs;
    }
    template <class... Bound, class Mistake = detail::mistake_in_call<Hash, false, Bound...>>
    requires detail::is_a_mistake<Mistake> Mistake operator()(const Bound&...) const = delete;

    /// The same program with more outputs: tensors that it computes on the way.
    template <std::uint64_t... Names>
    consteval typename detail::made_equations<detail::kept_names<Hash, Names...>, Hash>::type keep(
        name<Names>...) const {
        using made = detail::made_equations<detail::kept_names<Hash, Names...>, Hash>;
        if constexpr (detail::is_a_mistake<typename made::mistake>)
            detail::these_equations_cannot_be_carried_out_as_written<typename made::mistake>();
        return {};
    }

    /// Whether one of the equations is `claim`, up to the names of indices, the order of factors
    /// and terms, deltas, constants and signs. A claim that cannot be read does not compile.
    consteval bool states(const char* claim) const {
        return detail::include_ricci_derivatives_hpp_to_prove<Hash>::proves(claim);
    }

    /// The same with the claim in the type: `static_assert(f.states<R"(...)">())` says the verdict,
    /// the numbers that refute the claim, and both normal forms.
    template <detail::literal_text Claim,
              class Judged =
                  detail::include_ricci_derivatives_hpp_to_prove<Hash, detail::claim_text<Claim>>>
    consteval typename Judged::type states() const {
        if constexpr (!Judged::readable)
            detail::these_equations_cannot_be_carried_out_as_written<typename Judged::mistake>();
        return {};
    }

    static constexpr ir::program_view program() { return detail::program_of<Hash>.view(); }
};

namespace literals {

/// Equations in index notation. A mistake in them is a mistake in the program: it does not compile,
/// and the message holds the equation with the place marked.
template <detail::literal_text Text>
consteval typename detail::made_equations<detail::parsed_text<Text>>::type operator""_eq() {
    using made = detail::made_equations<detail::parsed_text<Text>>;
    if constexpr (detail::is_a_mistake<typename made::mistake>)
        detail::these_equations_cannot_be_carried_out_as_written<typename made::mistake>();
    return {};
}

}  // namespace literals

}  // namespace ricci
