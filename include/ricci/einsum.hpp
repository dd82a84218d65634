// One contraction from an einsum string: ricci::einsum<"ib,hba->hia">(X, W).
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include <ricci/bind/call.hpp>
#include <ricci/notation/einsum.hpp>

namespace ricci {

/// result = alpha * sum of products + beta * result. Any numbers, complex ones for complex tensors.
struct scaling {
    plan::number alpha = 1;
    plan::number beta = 0;
};

template <literal_text Text, std::int32_t... Ranks>
struct parsed_einsum {
    static constexpr std::uint64_t compute_hash() {
        std::uint64_t h = mix(detail::hash_of(Text.view()), 4);
        ((h = mix(h, static_cast<std::uint64_t>(Ranks))), ...);
        return h;
    }
    static constexpr std::uint64_t hash = compute_hash();
    static constexpr ir::program_sizes room =
        ir::sizes_for_text(Text.view().size + 12 * static_cast<std::int32_t>(1 + sizeof...(Ranks)) +
                           ((8 * Ranks) + ... + 0));
    static constexpr auto make() {
        const std::int32_t ranks[] = {Ranks..., 0};
        return notation::parse_einsum(Text.view(), ranks, sizeof...(Ranks));
    }
};

/// The hash of the name of operand number K.
template <std::size_t K>
struct einsum_operand {
    static constexpr auto text = [] {
        constexpr std::int32_t size = notation::operand_name(K).size();
        literal_text<static_cast<std::size_t>(size) + 1> out;
        const detail::text_builder name = notation::operand_name(K);
        for (std::int32_t k = 0; k < size; ++k) out.characters[k] = name.view()[k];
        return out;
    }();
    static constexpr std::uint64_t hash = define_name<text>::hash;
};
inline constexpr std::uint64_t einsum_result = define_name<literal_text("result")>::hash;

template <class Operand>
inline constexpr int operand_rank = decltype(bind_operand<0>(std::declval<Operand&>()))::rank;
template <class Operand>
requires(bindable_number<Operand>) inline constexpr int operand_rank<Operand> = 0;

/// Checks the string and the operands' types, then calls `body(program hash, bindings...)`.
template <std::uint64_t Program, class... Bound>
RICCI_INLINE auto einsum_call(const Bound&... bound) {
    report_mistake<call_mistake<Program, false, Bound...>>();
    using T = typename call_element<Bound...>::type;
    results<Program, T> outputs;
    run_call<Program, T>(outputs, 1, 0, bound...);
    return std::move(outputs)[name<einsum_result>{}];
}
template <std::uint64_t Program, class... Bound>
RICCI_INLINE void einsum_call_into(scaling scale, const Bound&... bound) {
    report_mistake<call_mistake<Program, true, Bound...>>();
    using T = typename call_element<Bound...>::type;
    results<Program, T> outputs;
    run_call<Program, T>(outputs, scale.alpha, scale.beta, bound...);
}

template <literal_text Text, class... Operands>
consteval std::uint64_t einsum_program() {
    using parsed = define_program<parsed_einsum<Text, operand_rank<Operands>...>>;
    report_mistake<words_of_outcome<parsed::hash>>();
    return parsed::hash;
}

template <literal_text Text, class... Operands, std::size_t... K>
RICCI_INLINE auto einsum_indexed(std::index_sequence<K...>, const Operands&... operands) {
    constexpr std::uint64_t program = einsum_program<Text, Operands...>();
    return einsum_call<program>(bind_operand<einsum_operand<K>::hash>(operands)...);
}
template <literal_text Text, class Out, class... Operands, std::size_t... K>
RICCI_INLINE void einsum_into_indexed(std::index_sequence<K...>, scaling scale, Out&& out,
                                      const Operands&... operands) {
    constexpr std::uint64_t program = einsum_program<Text, Operands...>();
    einsum_call_into<program>(scale, bind_operand<einsum_result>(out),
                              bind_operand<einsum_operand<K>::hash>(operands)...);
}

/// A new tensor that holds the contraction, by numpy's rules except that an extent of 1 is not
/// broadcast. Operands are tensors, fixed tensors, views and numbers, of one element type. Throws
/// ricci::error where extents disagree.
template <literal_text Text, class... Operands>
RICCI_INLINE auto einsum(const Operands&... operands) {
    return einsum_indexed<Text>(std::index_sequence_for<Operands...>{}, operands...);
}

/// Writes the contraction to `out`, which overlaps no operand.
template <literal_text Text, class Out, class First, class... Operands>
requires(!std::is_same_v<First, scaling>) RICCI_INLINE
    void einsum_into(Out&& out, const First& first, const Operands&... operands) {
    einsum_into_indexed<Text>(std::index_sequence_for<First, Operands...>{}, scaling{}, out, first,
                              operands...);
}
/// out = alpha * contraction + beta * out: `einsum_into<"...">(Q, {.alpha = 2, .beta = 1}, X, W)`.
template <literal_text Text, class Out, class... Operands>
RICCI_INLINE void einsum_into(Out&& out, scaling scale, const Operands&... operands) {
    einsum_into_indexed<Text>(std::index_sequence_for<Operands...>{}, scale, out, operands...);
}

}  // namespace ricci
