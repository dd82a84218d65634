// One text for one and for many: equations whose inputs get a first axis.
#pragma once

#include <cstdint>

#include <ricci/derivatives.hpp>
#include <ricci/detail/bind/batched_program.hpp>

namespace ricci {

namespace detail {

template <std::uint64_t Source, std::uint64_t Index, std::uint64_t... Names>
struct derived_batch {
    static constexpr std::uint64_t hash = mix_all(mix(mix(Source, 6), Index), Names...);
    static constexpr ir::program_sizes room = outcome_of<Source>.program.used.times(2);
    static constexpr auto make() {
        constexpr detail::text_view of[] = {spelling<Names>()..., {}};
        return batched_program(outcome_of<Source>.program.view(), of, sizeof...(Names),
                               spelling<Index>());
    }
};

}  // namespace detail

/// The inputs that get an axis.
template <std::uint64_t... Hashes>
consteval detail::name_list<Hashes...> of(name<Hashes>...) {
    return {};
}

/// The same equations for many: the inputs `of(...)`, and every tensor that depends on them, get a
/// first axis with the index, which has to be new. As if they had been written so: they are
/// checked, printed, differentiated and planned like any others. Claims in the text are left out.
template <std::uint64_t Hash, std::uint64_t Index, std::uint64_t... Names>
consteval typename detail::made_equations<detail::derived_batch<Hash, Index, Names...>, Hash>::type
batch(equations<Hash>, index_name<Index>, detail::name_list<Names...>) {
    using made = detail::made_equations<detail::derived_batch<Hash, Index, Names...>, Hash>;
    if constexpr (detail::is_a_mistake<typename made::mistake>)
        detail::these_equations_cannot_be_carried_out_as_written<typename made::mistake>();
    return {};
}

}  // namespace ricci
