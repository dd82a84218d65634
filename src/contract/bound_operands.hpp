// The operands of a contraction as its prepared loops walk them.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include <ricci/engine/number.hpp>

#include "src/contract/index_groups.hpp"

namespace ricci::contractions {

/// Operands are stored narrower than they are computed in: packing widens, and a sum over k is
/// complete before it is rounded.
template <class T, class Stored>
inline constexpr bool widens = !std::is_same_v<T, Stored>;

/// What a strategy that computes in T runs on: operands stored as `Stored`,
/// C = alpha * product + beta * C.
template <class T, class Stored>
struct bound_operands {
    const Stored* a = nullptr;
    const Stored* b = nullptr;
    Stored* c = nullptr;
    T alpha = T{1};
    T beta = T{0};
    const std::int64_t* a_list = nullptr;  // where an operand is read through a list
    const std::int64_t* b_list = nullptr;
};

/// The operands of strategy::run, with A and B exchanged where `origin` says so, each from where
/// its walk starts.
template <class T, class Stored = T>
bound_operands<T, Stored> bind(const walk_origin& origin, const void* a, const void* b, void* c,
                               const engine::number& alpha, const engine::number& beta) {
    if (origin.swapped) std::swap(a, b);
    return {static_cast<const Stored*>(a) + origin.a, static_cast<const Stored*>(b) + origin.b,
            static_cast<Stored*>(c) + origin.c, alpha.as<T>(), beta.as<T>()};
}

}  // namespace ricci::contractions
