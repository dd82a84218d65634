// What derives and proves: gradients, tangents and Jacobians of equations, the derivatives that
// texts speak of, and claims.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <ricci/derive/jacobian.hpp>
#include <ricci/derive/prove.hpp>
#include <ricci/derive/tangent.hpp>
#include <ricci/detail/bind/parse_and_define.hpp>
#include <ricci/equations.hpp>

namespace ricci {

namespace detail {

/// A text with the derivatives that it uses.
template <literal_text Text>
struct include_ricci_derivatives_hpp_to_derive<parsed_text<Text>> {
    static constexpr ir::program_sizes room = parsed_text<Text>::room;
    static constexpr auto make() { return parse_and_define(Text.view()); }
};

template <std::uint64_t Source, std::uint64_t Of, bool WithValue, std::uint64_t... Wrt>
struct derived_gradient {
    static constexpr std::uint64_t hash = mix_all(mix(mix(Source, WithValue ? 2 : 1), Of), Wrt...);
    static constexpr ir::program_sizes room = outcome_of<Source>.program.used.times(6);
    static constexpr auto make() {
        constexpr text_view wrt[] = {spelling<Wrt>()..., {}};
        return derive::gradient(outcome_of<Source>.program.view(),
                                {spelling<Of>(), wrt, sizeof...(Wrt), WithValue});
    }
};

template <std::uint64_t Source, std::uint64_t Of, std::uint64_t... Wrt>
struct derived_jacobian {
    static constexpr std::uint64_t hash = mix_all(mix(mix(Source, 5), Of), Wrt...);
    static constexpr ir::program_sizes room = outcome_of<Source>.program.used.times(6);
    static constexpr auto make() {
        constexpr text_view wrt[] = {spelling<Wrt>()..., {}};
        return derive::jacobian(program_of<Source>.view(), spelling<Of>(), wrt, sizeof...(Wrt));
    }
};

template <std::uint64_t Source, std::uint64_t... Wrt>
struct derived_tangent {
    static constexpr std::uint64_t hash = mix_all(mix(Source, 4), Wrt...);
    static constexpr ir::program_sizes room = outcome_of<Source>.program.used.times(6);
    static constexpr auto make() {
        constexpr text_view wrt[] = {spelling<Wrt>()..., {}};
        return derive::tangent(program_of<Source>.view(), wrt, sizeof...(Wrt));
    }
};

template <std::uint64_t Hash>
struct include_ricci_derivatives_hpp_to_prove<Hash, void> {
    /// What is to be said of a claim that a text makes.
    template <std::int32_t Equation>
    static consteval said_of_claim say() {
        said_of_claim out{};
        const derive::judgement j = derive::judge_claim(outcome_of<Hash>.program.view(), Equation);
        const text_builder all = derive::words_of(j);
        const text_view words = all;
        out.count = words.size < out.most_words ? words.size : out.most_words;
        for (std::int32_t k = 0; k < out.count; ++k) out.words[k] = words[k];
        return out;
    }
    static consteval bool proves(const char* claim) {
        const auto parsed = notation::parse_equations(claim);
        if (parsed.mistake) throw "the claim has a mistake";
        return derive::proves(outcome_of<Hash>.program.view(), parsed.program);
    }
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
struct include_ricci_derivatives_hpp_to_prove<Hash, claim_text<Claim>> {
    static constexpr bool readable = words_of_claim<Hash, Claim>::readable;
    using mistake = mistake_of<words_of_claim<Hash, Claim>>;
    using type = std::conditional_t<is_a_mistake<mistake>, unproved_claim<mistake>, std::true_type>;
};

}  // namespace detail

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

}  // namespace ricci
