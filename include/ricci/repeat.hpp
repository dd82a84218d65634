// Layers: one text carried out many times, each time on what it gave before.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include <ricci/derivatives.hpp>
#include <ricci/derive/repeat.hpp>
#include <ricci/detail/bind/batched_program.hpp>
#include <ricci/detail/export.hpp>
#include <ricci/prepared.hpp>

namespace ricci {

namespace detail {

template <std::uint64_t Hash>
struct from_name {};
template <std::uint64_t Hash>
struct to_name {};
template <std::uint64_t... Hashes>
struct shared_names {};

}  // namespace detail

/// What a layer gives to the next.
template <std::uint64_t Hash>
consteval detail::from_name<Hash> from(name<Hash>) {
    return {};
}
/// The input that it takes it as.
template <std::uint64_t Hash>
consteval detail::to_name<Hash> to(name<Hash>) {
    return {};
}
/// Inputs that are the same for all layers.
template <std::uint64_t... Hashes>
consteval detail::shared_names<Hashes...> shared(name<Hashes>...) {
    return {};
}
/// Whether a gradient stores what it needs of every layer, or makes it again on the way back.
enum class on_the_way_back : bool { stored, recomputed };
inline constexpr on_the_way_back recompute = on_the_way_back::recomputed;

namespace detail {

/// How layers follow on each other, as types.
template <std::uint64_t Layer, std::uint64_t Index, std::uint64_t From, std::uint64_t To,
          std::uint64_t... Shared>
struct layer_types {
    static constexpr std::uint64_t layer = Layer;
    static constexpr std::uint64_t from = From;
    static constexpr detail::text_view shared[] = {spelling<Shared>()..., {}};
    static constexpr derive::layer_names names() {
        return {spelling<From>(), spelling<To>(), spelling<Index>(), shared, sizeof...(Shared)};
    }
    static constexpr ir::ref shared_refs[] = {name_number<Layer, Shared>..., ir::none};
    static constexpr std::uint64_t hash =
        mix_all(mix(mix(mix(mix(Layer, 7), Index), From), To), Shared...);
};

struct no_layer_index {
    static constexpr detail::text_view text() {
        return "the index of the layers is a letter, as l, or a Greek one, as \\lambda";
    }
};

template <class Types>
struct derived_layers {
    static constexpr std::uint64_t hash = mix(Types::hash, 1);
    static constexpr ir::program_sizes room = outcome_of<Types::layer>.program.used.times(2);
    static constexpr derive::derived make() {
        if (!spells_an_index(Types::names().index)) {
            derive::derived out;
            out.mistake = ir::make_mistake(ir::mistake_kind::unexpected, no_layer_index::text());
            return out;
        }
        return derive::repeat(outcome_of<Types::layer>.program.view(), Types::names());
    }
};
template <class Types, std::uint64_t Of, bool WithValue, std::uint64_t... Wrt>
struct derived_layers_gradient {
    static constexpr std::uint64_t hash =
        mix_all(mix(mix(Types::hash, WithValue ? 3 : 2), Of), Wrt...);
    static constexpr ir::program_sizes room = outcome_of<Types::layer>.program.used.times(8);
    static constexpr auto make() {
        constexpr detail::text_view wrt[] = {spelling<Wrt>()..., {}};
        return derive::repeat_gradient(outcome_of<Types::layer>.program.view(), Types::names(),
                                       spelling<Of>(), wrt, sizeof...(Wrt), WithValue);
    }
};
template <class Types, std::uint64_t... Wrt>
struct derived_layers_tangent {
    static constexpr std::uint64_t hash = mix_all(mix(Types::hash, 4), Wrt...);
    static constexpr ir::program_sizes room = outcome_of<Types::layer>.program.used.times(8);
    static constexpr auto make() {
        constexpr detail::text_view wrt[] = {spelling<Wrt>()..., {}};
        return derive::repeat_tangent(outcome_of<Types::layer>.program.view(), Types::names(), wrt,
                                      sizeof...(Wrt));
    }
};

}  // namespace detail

/// Equations that are carried out layer by layer. Called, prepared and explained as equations are;
/// the number of layers is known at run time.
/// `Stated` makes the equations of one layer, where they are not the text's own.
template <std::uint64_t Hash, class Types, engine::layering::result_kind Computes,
          class Stated = void>
class layers_of_equations {
public:
    constexpr layers_of_equations(std::int64_t count, on_the_way_back back)
        : count_(count), back_(back) {}

    /// Binds `to` of the first layer, and every other input with a first axis for the layers, but
    /// those that they share; gives `from` of the last, and other outputs with that axis. Throws
    /// ricci::error where a call of equations does.
    template <class... Bound, class Mistake = detail::mistake_in_call<Hash, false, Bound...>>
    auto operator()(const Bound&... bound) const {
        using T = typename detail::call_element<Bound...>::type;
        results<Hash, T> outputs;
        const engine::layering how = layering();
        detail::with_request<Hash, T>(
            outputs, 1, 0,
            [&](engine::request r) {
                r.layers = &how;
                engine::run(r);
            },
            detail::output_numbers<Hash>{}, bound...);
        return outputs;
    }
    template <class... Bound, class Mistake = detail::mistake_in_call<Hash, false, Bound...>>
    requires detail::is_a_mistake<Mistake> Mistake operator()(const Bound&...) const = delete;

    /// Whether an equation of every layer is `claim`.
    consteval bool states(const char* claim) const {
        if constexpr (std::is_void_v<Stated>) return equations<Types::layer>{}.states(claim);
        else return typename detail::made_equations<Stated, Types::layer>::type{}.states(claim);
    }

    static constexpr ir::program_view program() { return detail::program_of<Hash>.view(); }
    constexpr std::int64_t count() const { return count_; }
    constexpr on_the_way_back back() const { return back_; }
    constexpr engine::layering layering() const {
        engine::layering how;
        how.layer = detail::program_of<Types::layer>.view();
        how.from = how.layer.find(Types::names().from);
        how.to = how.layer.find(Types::names().to);
        how.shared = Types::shared_refs;
        how.shared_count = Types::names().shared_count;
        how.index = Types::names().index;
        how.count = count_;
        how.computes = Computes;
        how.recompute = back_ == on_the_way_back::recomputed;
        return how;
    }

private:
    std::int64_t count_;
    on_the_way_back back_;
};

namespace detail {

/// Layers that are none, so that the compiler says what is wrong with them and nothing else.
template <std::uint64_t Hash, class Types, engine::layering::result_kind Computes, class Mistake>
class mistaken_layers : public layers_of_equations<Hash, Types, Computes> {
    using layers_of_equations<Hash, Types, Computes>::layers_of_equations;
};

// How many layers there are is known at run time, so that what makes them is called then, and
// cannot stop the compilation itself as a consteval function does. What is called with a mistake is
// deleted instead, here as where equations are called.
template <class Maker, class Types, engine::layering::result_kind Computes, class Stated = void>
struct made_layers {
    using made = made_equations<Maker, Types::layer>;
    using mistake = typename made::mistake;
    using type = std::conditional_t<is_a_mistake<mistake>,
                                    mistaken_layers<Maker::hash, Types, Computes, mistake>,
                                    layers_of_equations<Maker::hash, Types, Computes, Stated>>;
};

/// `count` layers of these equations: what each gives as `from` the next takes as `to`:
/// repeat(layer, 12, "l"_i, ricci::from("Y"_t), ricci::to("X"_t), ricci::shared("d_k"_t)). The
/// compiler reads one layer, however many there are.
template <class Types>
using repeated_layers =
    made_layers<derived_layers<Types>, Types, engine::layering::result_kind::values>;

}  // namespace detail

template <std::uint64_t Hash, std::uint64_t Index, std::uint64_t From, std::uint64_t To,
          std::uint64_t... Shared,
          class Mistake = typename detail::repeated_layers<
              detail::layer_types<Hash, Index, From, To, Shared...>>::mistake>
constexpr auto repeat(equations<Hash>, std::int64_t count, index_name<Index>,
                      detail::from_name<From>, detail::to_name<To>,
                      detail::shared_names<Shared...> = {},
                      on_the_way_back back = on_the_way_back::stored) ->
    typename detail::repeated_layers<detail::layer_types<Hash, Index, From, To, Shared...>>::type {
    return typename detail::repeated_layers<
        detail::layer_types<Hash, Index, From, To, Shared...>>::type(count, back);
}
template <std::uint64_t Hash, std::uint64_t Index, std::uint64_t From, std::uint64_t To,
          std::uint64_t... Shared,
          class Mistake = typename detail::repeated_layers<
              detail::layer_types<Hash, Index, From, To, Shared...>>::mistake>
requires detail::is_a_mistake<Mistake> Mistake repeat(equations<Hash>, std::int64_t,
                                                      index_name<Index>, detail::from_name<From>,
                                                      detail::to_name<To>,
                                                      detail::shared_names<Shared...> = {},
                                                      on_the_way_back = on_the_way_back::stored)
= delete;
template <std::uint64_t Hash, std::uint64_t Index, std::uint64_t From, std::uint64_t To,
          class Mistake =
              typename detail::repeated_layers<detail::layer_types<Hash, Index, From, To>>::mistake>
constexpr auto repeat(equations<Hash> layer, std::int64_t count, index_name<Index> index,
                      detail::from_name<From> given, detail::to_name<To> taken,
                      on_the_way_back back) ->
    typename detail::repeated_layers<detail::layer_types<Hash, Index, From, To>>::type {
    return repeat(layer, count, index, given, taken, detail::shared_names<>{}, back);
}
template <std::uint64_t Hash, std::uint64_t Index, std::uint64_t From, std::uint64_t To,
          class Mistake =
              typename detail::repeated_layers<detail::layer_types<Hash, Index, From, To>>::mistake>
requires detail::is_a_mistake<Mistake> Mistake repeat(equations<Hash>, std::int64_t,
                                                      index_name<Index>, detail::from_name<From>,
                                                      detail::to_name<To>, on_the_way_back)
= delete;

namespace detail {

template <class Types, std::uint64_t Of, bool WithValue, std::uint64_t... Wrt>
using made_gradient_of_layers = made_layers<derived_layers_gradient<Types, Of, WithValue, Wrt...>,
                                            Types, engine::layering::result_kind::gradient,
                                            derived_gradient<Types::layer, Of, WithValue, Wrt...>>;
template <class Types, std::uint64_t... Wrt>
using made_tangent_of_layers =
    made_layers<derived_layers_tangent<Types, Wrt...>, Types,
                engine::layering::result_kind::tangent, derived_tangent<Types::layer, Wrt...>>;

struct second_derivative_words {
    static constexpr text_view text() { return derive::no_second_derivative; }
};
template <engine::layering::result_kind Computes>
using mistake_in_second_derivative =
    std::conditional_t<Computes == engine::layering::result_kind::values, correct,
                       mistake_of<second_derivative_words>>;

}  // namespace detail

/// dL/dx of the last layer's `of` for every x of `by`, through all layers: of what there is one of
/// for each layer with the axis of the layers, of what they share the sum over them.
template <
    std::uint64_t Hash, class Types, std::uint64_t Of, std::uint64_t... Wrt,
    class Mistake = typename detail::made_gradient_of_layers<Types, Of, false, Wrt...>::mistake>
constexpr auto gradient(
    layers_of_equations<Hash, Types, engine::layering::result_kind::values> layers, name<Of>,
    detail::name_list<Wrt...>) ->
    typename detail::made_gradient_of_layers<Types, Of, false, Wrt...>::type {
    using made = detail::made_gradient_of_layers<Types, Of, false, Wrt...>;
    return typename made::type(layers.count(), layers.back());
}
template <std::uint64_t Hash, class Types, std::uint64_t Of, std::uint64_t... Wrt,
          class Mistake =
              typename detail::made_gradient_of_layers<Types, Of, false, Wrt...>::mistake>
requires detail::is_a_mistake<Mistake> Mistake
gradient(layers_of_equations<Hash, Types, engine::layering::result_kind::values>, name<Of>,
         detail::name_list<Wrt...>)
= delete;

/// As gradient, and gives the value of `of` too.
template <
    std::uint64_t Hash, class Types, std::uint64_t Of, std::uint64_t... Wrt,
    class Mistake = typename detail::made_gradient_of_layers<Types, Of, true, Wrt...>::mistake>
constexpr auto value_and_gradient(
    layers_of_equations<Hash, Types, engine::layering::result_kind::values> layers, name<Of>,
    detail::name_list<Wrt...>) ->
    typename detail::made_gradient_of_layers<Types, Of, true, Wrt...>::type {
    using made = detail::made_gradient_of_layers<Types, Of, true, Wrt...>;
    return typename made::type(layers.count(), layers.back());
}
template <std::uint64_t Hash, class Types, std::uint64_t Of, std::uint64_t... Wrt,
          class Mistake =
              typename detail::made_gradient_of_layers<Types, Of, true, Wrt...>::mistake>
requires detail::is_a_mistake<Mistake> Mistake
value_and_gradient(layers_of_equations<Hash, Types, engine::layering::result_kind::values>,
                   name<Of>, detail::name_list<Wrt...>)
= delete;

/// Forward mode through all layers, along "d/dt x"_t of every x of `by`; what the first layer takes
/// has to be among them. Gives the value too.
template <std::uint64_t Hash, class Types, std::uint64_t... Wrt,
          class Mistake = typename detail::made_tangent_of_layers<Types, Wrt...>::mistake>
constexpr auto tangent(
    layers_of_equations<Hash, Types, engine::layering::result_kind::values> layers,
    detail::name_list<Wrt...>) -> typename detail::made_tangent_of_layers<Types, Wrt...>::type {
    using made = detail::made_tangent_of_layers<Types, Wrt...>;
    return typename made::type(layers.count(), layers.back());
}
template <std::uint64_t Hash, class Types, std::uint64_t... Wrt,
          class Mistake = typename detail::made_tangent_of_layers<Types, Wrt...>::mistake>
requires detail::is_a_mistake<Mistake> Mistake
tangent(layers_of_equations<Hash, Types, engine::layering::result_kind::values>,
        detail::name_list<Wrt...>)
= delete;

// What is derived from layers is differentiated no more.
template <std::uint64_t Hash, class Types, engine::layering::result_kind Computes, class Stated,
          std::uint64_t Of, std::uint64_t... Wrt,
          class Mistake = detail::mistake_in_second_derivative<Computes>>
requires detail::is_a_mistake<Mistake> Mistake
gradient(layers_of_equations<Hash, Types, Computes, Stated>, name<Of>, detail::name_list<Wrt...>)
= delete;
template <std::uint64_t Hash, class Types, engine::layering::result_kind Computes, class Stated,
          std::uint64_t Of, std::uint64_t... Wrt,
          class Mistake = detail::mistake_in_second_derivative<Computes>>
requires detail::is_a_mistake<Mistake> Mistake value_and_gradient(
    layers_of_equations<Hash, Types, Computes, Stated>, name<Of>, detail::name_list<Wrt...>)
= delete;
template <std::uint64_t Hash, class Types, engine::layering::result_kind Computes, class Stated,
          std::uint64_t... Wrt, class Mistake = detail::mistake_in_second_derivative<Computes>>
requires detail::is_a_mistake<Mistake> Mistake
tangent(layers_of_equations<Hash, Types, Computes, Stated>, detail::name_list<Wrt...>)
= delete;

/// Checks, plans and allocates, as for equations; one layer is planned for all.
template <std::uint64_t Hash, class Types, engine::layering::result_kind Computes, class Stated,
          class... Bound, class Mistake = detail::mistake_in_prepare<Hash, Bound...>>
auto prepare(const layers_of_equations<Hash, Types, Computes, Stated>& layers,
             const Bound&... bound) {
    return prepare(layers, prepare_options{}, bound...);
}
template <std::uint64_t Hash, class Types, engine::layering::result_kind Computes, class Stated,
          class... Bound, class Mistake = detail::mistake_in_prepare<Hash, Bound...>>
auto prepare(const layers_of_equations<Hash, Types, Computes, Stated>& layers,
             const prepare_options& options, const Bound&... bound) {
    using T = typename detail::call_element<Bound...>::type;
    return prepared<Hash, T>(layers.layering(), options, bound...);
}
template <std::uint64_t Hash, class Types, engine::layering::result_kind Computes, class Stated,
          class... Bound, class Mistake = detail::mistake_in_prepare<Hash, Bound...>>
requires detail::is_a_mistake<Mistake> Mistake
prepare(const layers_of_equations<Hash, Types, Computes, Stated>&, const Bound&...)
= delete;

/// The plan of a layer in words, and what is stored between them.
template <std::uint64_t Hash, class Types, engine::layering::result_kind Computes, class Stated,
          class... Bound, class Mistake = detail::mistake_in_call<Hash, true, Bound...>>
std::string explain(const layers_of_equations<Hash, Types, Computes, Stated>& layers,
                    const Bound&... bound) {
    using T = typename detail::call_element<Bound...>::type;
    results<Hash, T> outputs;
    const engine::layering how = layers.layering();
    return detail::with_request<Hash, T>(
        outputs, 1, 0,
        [&](engine::request r) {
            r.layers = &how;
            return engine::explain(r);
        },
        detail::output_numbers<Hash>{}, bound...);
}
template <std::uint64_t Hash, class Types, engine::layering::result_kind Computes, class Stated,
          class... Bound, class Mistake = detail::mistake_in_call<Hash, true, Bound...>>
requires detail::is_a_mistake<Mistake> Mistake
explain(const layers_of_equations<Hash, Types, Computes, Stated>&, const Bound&...)
= delete;

namespace detail {
RICCI_EXPORT std::string layers_in_latex(const ir::program_view& signature,
                                         const engine::layering& how);
RICCI_EXPORT std::string layers_in_text(const ir::program_view& signature,
                                        const engine::layering& how);
}  // namespace detail

/// The equations of each layer, below a comment that says how one follows on another.
template <std::uint64_t Hash, class Types, engine::layering::result_kind Computes, class Stated>
std::string to_latex(const layers_of_equations<Hash, Types, Computes, Stated>& layers) {
    return detail::layers_in_latex(layers.program(), layers.layering());
}
template <std::uint64_t Hash, class Types, engine::layering::result_kind Computes, class Stated>
std::string to_text(const layers_of_equations<Hash, Types, Computes, Stated>& layers) {
    return detail::layers_in_text(layers.program(), layers.layering());
}

}  // namespace ricci
