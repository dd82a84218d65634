// Equations as a value: R"(...)"_eq, calling them, keeping tensors, claims.
#pragma once

#include <cstdint>

#include <ricci/bind/call.hpp>
#include <ricci/derive/prove.hpp>

namespace ricci {

/// A checked program of tensor equations. Has no state: the type is the program.
template <std::uint64_t Hash>
struct equations {
    static constexpr std::uint64_t hash = Hash;

    /// Computes the outputs. Binds every input, in any order: `f("X"_t = X, "d_k"_t = 64)`. Returns a
    /// Hana map by name. Mistakes that the types show stop the compilation; others throw
    /// ricci::error before anything is written.
    template <class... Bound>
    RICCI_INLINE auto operator()(const Bound&... bound) const {
        report_mistake<call_mistake<Hash, false, Bound...>>();
        using T = typename call_element<Bound...>::type;
        results<Hash, T> outputs;
        run_call<Hash, T>(outputs, 1, 0, bound...);
        return outputs;
    }

    /// The same program with more outputs: tensors that it computes on the way.
    template <std::uint64_t... Names>
    consteval auto keep(name<Names>...) const {
        using kept = define_program<kept_names<Hash, Names...>>;
        if constexpr (!is_mistaken<Hash>) report_mistake<words_of_outcome<kept::hash>>();
        return equations<kept::hash>{};
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
consteval auto gradient(equations<Hash>, name<Of>, name_list<Wrt...>) {
    using derived = define_program<derived_gradient<Hash, Of, false, Wrt...>>;
    if constexpr (!is_mistaken<Hash>) report_mistake<words_of_outcome<derived::hash>>();
    return equations<derived::hash>{};
}

/// As gradient, and gives the value of `of` too.
template <std::uint64_t Hash, std::uint64_t Of, std::uint64_t... Wrt>
consteval auto value_and_gradient(equations<Hash>, name<Of>, name_list<Wrt...>) {
    using derived = define_program<derived_gradient<Hash, Of, true, Wrt...>>;
    if constexpr (!is_mistaken<Hash>) report_mistake<words_of_outcome<derived::hash>>();
    return equations<derived::hash>{};
}

/// Forward mode: d/dt Y for every output Y, along the direction "d/dt x"_t of every x of `by`; takes
/// what `source` takes and those directions.
template <std::uint64_t Hash, std::uint64_t... Wrt>
consteval auto tangent(equations<Hash>, name_list<Wrt...>) {
    using derived = define_program<derived_tangent<Hash, Wrt...>>;
    if constexpr (!is_mistaken<Hash>) report_mistake<words_of_outcome<derived::hash>>();
    return equations<derived::hash>{};
}

/// The derivative of the tensor `of` by every x of `by`, of the axes of `of` and then those of x:
/// takes what `source` takes and gives "d(of)/dx"_t. What it stores is as large as that.
template <std::uint64_t Hash, std::uint64_t Of, std::uint64_t... Wrt>
consteval auto jacobian(equations<Hash>, name<Of>, name_list<Wrt...>) {
    using derived = define_program<derived_jacobian<Hash, Of, Wrt...>>;
    if constexpr (!is_mistaken<Hash>) report_mistake<words_of_outcome<derived::hash>>();
    return equations<derived::hash>{};
}

namespace literals {

/// Equations in index notation. A mistake in them is a mistake in the program: it does not compile,
/// and the message holds the equation with the place marked.
template <literal_text Text>
consteval auto operator""_eq() {
    using parsed = define_program<parsed_text<Text>>;
    report_mistake<words_of_outcome<parsed::hash>>();
    return equations<parsed::hash>{};
}

}  // namespace literals
}  // namespace ricci
