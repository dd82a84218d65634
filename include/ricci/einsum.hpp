// One contraction from an einsum string: ricci::einsum<"ib,hba->hia">(X, W).
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include <ricci/detail/bind/call.hpp>
#include <ricci/notation/einsum.hpp>

namespace ricci {

/// result = alpha * sum of products + beta * result. Any numbers, complex ones for complex tensors.
struct scaling {
    engine::number alpha = 1;
    engine::number beta = 0;
};

namespace detail {

template <literal_text Text, std::int32_t... Ranks>
struct parsed_einsum {
    static constexpr std::uint64_t hash =
        mix_all(mix(detail::hash_of(Text.view()), 4), static_cast<std::uint64_t>(Ranks)...);
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

/// What operand number K is bound to in an einsum.
template <std::size_t K, class Operand>
using einsum_binding =
    decltype(bind_operand<einsum_operand<K>::hash>(std::declval<const Operand&>()));

template <std::uint64_t Program, class Out, class... Bound>
struct mistake_in_einsum_call {
    using type =
        mistake_in_call<Program, true, decltype(bind_operand<einsum_result>(std::declval<Out>())),
                        Bound...>;
};
template <std::uint64_t Program, class... Bound>
struct mistake_in_einsum_call<Program, void, Bound...> {
    using type = mistake_in_call<Program, false, Bound...>;
};

/// The contraction of a string and operands, and what is wrong with the two. `Out`: void, or what
/// the result is written to.
template <class Numbers, literal_text Text, class Out, class... Operands>
struct einsum_of;
template <std::size_t... K, literal_text Text, class Out, class... Operands>
struct einsum_of<std::index_sequence<K...>, Text, Out, Operands...> {
    using parsed = parsed_einsum<Text, operand_rank<Operands>...>;
    static constexpr std::uint64_t program = parsed::hash;

    using mistake_in_text = mistake_in<parsed>;
    using mistake = typename std::conditional_t<
        is_a_mistake<mistake_in_text>, std::type_identity<mistake_in_text>,
        mistake_in_einsum_call<program, Out, einsum_binding<K, Operands>...>>::type;

    RICCI_INLINE static auto run(const Operands&... operands) {
        return run_bound(bind_operand<einsum_operand<K>::hash>(operands)...);
    }
    template <class Into>
    RICCI_INLINE static void run_into(scaling scale, Into& out, const Operands&... operands) {
        run_bound_into(scale, bind_operand<einsum_result>(out),
                       bind_operand<einsum_operand<K>::hash>(operands)...);
    }

private:
    template <class... Bound>
    RICCI_INLINE static auto run_bound(const Bound&... bound) {
        using T = typename call_element<Bound...>::type;
        results<program, T> outputs;
        run_call<program, T>(outputs, 1, 0, bound...);
        return std::move(outputs)[name<einsum_result>{}];
    }
    template <class... Bound>
    RICCI_INLINE static void run_bound_into(scaling scale, const Bound&... bound) {
        using T = typename call_element<Bound...>::type;
        results<program, T> outputs;
        run_call<program, T>(outputs, scale.alpha, scale.beta, bound...);
    }
};

template <literal_text Text, class Out, class... Operands>
using einsum_for = einsum_of<std::index_sequence_for<Operands...>, Text, Out, Operands...>;
template <literal_text Text, class Out, class... Operands>
using mistake_in_einsum = typename einsum_for<Text, Out, Operands...>::mistake;

}  // namespace detail

/// A new tensor that holds the contraction, by numpy's rules except that an extent of 1 is not
/// broadcast. Operands are tensors, fixed tensors, views and numbers, of one element type. Throws
/// ricci::error where extents disagree.
template <detail::literal_text Text, class... Operands,
          class Mistake = detail::mistake_in_einsum<Text, void, Operands...>>
RICCI_INLINE auto einsum(const Operands&... operands) {
    return detail::einsum_for<Text, void, Operands...>::run(operands...);
}
template <detail::literal_text Text, class... Operands,
          class Mistake = detail::mistake_in_einsum<Text, void, Operands...>>
requires detail::is_a_mistake<Mistake> Mistake einsum(const Operands&...)
= delete;

namespace detail {

template <class T>
concept no_scaling = !std::is_same_v<T, scaling>;

}  // namespace detail

/// Writes the contraction to `out`, which overlaps no operand.
template <detail::literal_text Text, class Out, detail::no_scaling First, class... Operands,
          class Mistake = detail::mistake_in_einsum<Text, Out&, First, Operands...>>
RICCI_INLINE void einsum_into(Out&& out, const First& first, const Operands&... operands) {
    detail::einsum_for<Text, Out&, First, Operands...>::run_into(scaling{}, out, first,
                                                                 operands...);
}
template <detail::literal_text Text, class Out, detail::no_scaling First, class... Operands,
          class Mistake = detail::mistake_in_einsum<Text, Out&, First, Operands...>>
requires detail::is_a_mistake<Mistake> Mistake einsum_into(Out&&, const First&, const Operands&...)
= delete;

/// out = alpha * contraction + beta * out: `einsum_into<"...">(Q, {.alpha = 2, .beta = 1}, X, W)`.
template <detail::literal_text Text, class Out, class... Operands,
          class Mistake = detail::mistake_in_einsum<Text, Out&, Operands...>>
RICCI_INLINE void einsum_into(Out&& out, scaling scale, const Operands&... operands) {
    detail::einsum_for<Text, Out&, Operands...>::run_into(scale, out, operands...);
}
template <detail::literal_text Text, class Out, class... Operands,
          class Mistake = detail::mistake_in_einsum<Text, Out&, Operands...>>
requires detail::is_a_mistake<Mistake> Mistake einsum_into(Out&&, scaling, const Operands&...)
= delete;

}  // namespace ricci
