// Equations as a value: R"(...)"_eq, calling them, keeping tensors, claims.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <ricci/detail/bind/call.hpp>
#include <ricci/detail/bind/claims.hpp>
#include <ricci/derive/prove.hpp>

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

/// What is to be said of a claim about the program `Hash`, if it is not proved.
template <std::uint64_t Hash, literal_text Claim>
struct words_of_claim {
    static constexpr bool readable = !notation::parse_equations(Claim.view()).mistake;
    static constexpr auto words = [] {
        notation::parse_result read = notation::parse_equations(Claim.view());
        if (read.mistake || is_mistaken<Hash>) return ir::freeze<ir::program_sizes{}>(read);
        derive::judgement found = derive::judge(outcome_of<Hash>.program.view(), read.program);
        if (found.sides.size() > 0) found.words << "; " << found.sides.view();
        if (found.verdict != derive::verdict::proved)
            read.mistake = ir::make_mistake(ir::mistake_kind::claim, found.words);
        read.program = {};
        return ir::freeze<ir::program_sizes{}>(read);
    }();
    static constexpr detail::text_view text() { return words.text(); }
};

/// A claim that is not proved: false, but with words in its type that a compiler prints where an
/// assertion asks for it.
template <class Mistake>
struct unproved_claim {
    constexpr bool operator!() const { return true; }
    template <std::same_as<bool> Bool, class Words = Mistake>
    operator Bool() const = delete;
};
template <std::uint64_t Hash, literal_text Claim>
struct judged_claim {
    using mistake = mistake_of<words_of_claim<Hash, Claim>>;
    using type = std::conditional_t<is_a_mistake<mistake>, unproved_claim<mistake>, std::true_type>;
};

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
        const auto parsed = notation::parse_equations(claim);
        if (parsed.mistake) throw "the claim has a mistake";
        return derive::proves(detail::outcome_of<Hash>.program.view(), parsed.program);
    }

    /// The same with the claim in the type: `static_assert(f.states<R"(...)">())` says the verdict,
    /// the numbers that refute the claim, and both normal forms.
    template <detail::literal_text Claim>
    consteval typename detail::judged_claim<Hash, Claim>::type states() const {
        if constexpr (!detail::words_of_claim<Hash, Claim>::readable)
            detail::these_equations_cannot_be_carried_out_as_written<
                typename detail::judged_claim<Hash, Claim>::mistake>();
        return {};
    }

    static constexpr ir::program_view program() { return detail::program_of<Hash>.view(); }
};

/// dL/dx for every x of `by`, as equations: takes what `source` takes and "dL/d(of)"_t.
template <std::uint64_t Hash, std::uint64_t Of, std::uint64_t... Wrt>
consteval
    typename detail::made_equations<detail::derived_gradient<Hash, Of, false, Wrt...>, Hash>::type
    gradient(equations<Hash>, name<Of>, detail::name_list<Wrt...>) {
    using made = detail::made_equations<detail::derived_gradient<Hash, Of, false, Wrt...>, Hash>;
    if constexpr (detail::is_a_mistake<typename made::mistake>)
        detail::these_equations_cannot_be_carried_out_as_written<typename made::mistake>();
    return {};
}

/// As gradient, and gives the value of `of` too.
template <std::uint64_t Hash, std::uint64_t Of, std::uint64_t... Wrt>
consteval
    typename detail::made_equations<detail::derived_gradient<Hash, Of, true, Wrt...>, Hash>::type
    value_and_gradient(equations<Hash>, name<Of>, detail::name_list<Wrt...>) {
    using made = detail::made_equations<detail::derived_gradient<Hash, Of, true, Wrt...>, Hash>;
    if constexpr (detail::is_a_mistake<typename made::mistake>)
        detail::these_equations_cannot_be_carried_out_as_written<typename made::mistake>();
    return {};
}

/// Forward mode: d/dt Y for every output Y, along the direction "d/dt x"_t of every x of `by`;
/// takes what `source` takes and those directions.
template <std::uint64_t Hash, std::uint64_t... Wrt>
consteval typename detail::made_equations<detail::derived_tangent<Hash, Wrt...>, Hash>::type
tangent(equations<Hash>, detail::name_list<Wrt...>) {
    using made = detail::made_equations<detail::derived_tangent<Hash, Wrt...>, Hash>;
    if constexpr (detail::is_a_mistake<typename made::mistake>)
        detail::these_equations_cannot_be_carried_out_as_written<typename made::mistake>();
    return {};
}

/// The derivative of the tensor `of` by every x of `by`, of the axes of `of` and then those of x:
/// takes what `source` takes and gives "d(of)/dx"_t. What it stores is as large as that.
template <std::uint64_t Hash, std::uint64_t Of, std::uint64_t... Wrt>
consteval typename detail::made_equations<detail::derived_jacobian<Hash, Of, Wrt...>, Hash>::type
jacobian(equations<Hash>, name<Of>, detail::name_list<Wrt...>) {
    using made = detail::made_equations<detail::derived_jacobian<Hash, Of, Wrt...>, Hash>;
    if constexpr (detail::is_a_mistake<typename made::mistake>)
        detail::these_equations_cannot_be_carried_out_as_written<typename made::mistake>();
    return {};
}

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
