// From names and operands to the engine: checks at compile time, then an array of operands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <ricci/detail/bind/check.hpp>
#include <ricci/detail/inline.hpp>
#include <ricci/engine/executable.hpp>
#include <ricci/detail/bind/program_key.hpp>
#include <ricci/detail/bind/results.hpp>

namespace ricci::detail {

// What is known of each kind of binding -----------------------------------------------------------

/// What all bindings but those of tensors have in common.
struct no_tensor {
    using element_type = void;
    static constexpr bool is_tensor = false, is_index = false, temporary = false;
};

/// What is bound to no name.
template <class Bound>
struct binding_traits : no_tensor {
    static constexpr operand_facts facts() { return {operand_kind::unnamed, {}, -1}; }
};

template <std::uint64_t Hash, class T, int Rank, class Known, bool Temporary>
struct binding_traits<bound_tensor<Hash, T, Rank, Known, Temporary>> {
    using element_type = std::remove_const_t<T>;
    static constexpr bool is_tensor = true, is_index = false, temporary = Temporary;
    static constexpr operand_facts facts() {
        return {operand_kind::tensor, spelling<Hash>(), Rank,       element_v<T>,
                !std::is_const_v<T>,  Known::known,     Known::list};
    }
};
template <std::uint64_t Hash, bool Complex>
struct binding_traits<bound_number<Hash, Complex>> : no_tensor {
    static constexpr operand_facts facts() {
        constexpr element type = Complex ? element::c128 : element::f64;
        return {operand_kind::number, spelling<Hash>(), 0, type, false, false, nullptr};
    }
};
template <std::uint64_t Hash, unsuitable Why>
struct binding_traits<bound_nothing<Hash, Why>> : no_tensor {
    static constexpr operand_facts facts() {
        operand_facts f{operand_kind::unsuitable, spelling<Hash>(), -1};
        f.why = Why;
        return f;
    }
};
template <std::uint64_t Hash>
struct binding_traits<bound_index<Hash>> : no_tensor {
    static constexpr bool is_index = true;
    static constexpr operand_facts facts() {
        return {operand_kind::index, spelling<Hash>(), 0, element::f64, false, false, nullptr};
    }
};

/// The element type of the first tensor among operands; of `Whole` numbers only where asked for.
template <bool Whole, class... Bound>
struct first_element {
    using type = void;
};
template <bool Whole, class First, class... Rest>
struct first_element<Whole, First, Rest...> {
    using mine = typename binding_traits<First>::element_type;
    static constexpr bool here = binding_traits<First>::is_tensor && !std::is_same_v<mine, bool> &&
                                 (Whole || !std::is_integral_v<mine>);
    using type = std::conditional_t<here, mine, typename first_element<Whole, Rest...>::type>;
};

/// The element type of a call: that of its first tensor, where whole numbers that say positions or
/// are compared do not count, nor does bool; double where there is nothing else.
template <class... Bound>
struct call_element {
    using inexact = typename first_element<false, Bound...>::type;
    using any = typename first_element<true, Bound...>::type;
    using type = std::conditional_t<!std::is_void_v<inexact>, inexact,
                                    std::conditional_t<std::is_void_v<any>, double, any>>;
};

// Memory for what is computed on the way makes an output of it ------------------------------------

/// Whether a tensor that the program computes and does not give is bound.
template <std::uint64_t Program, class Bound>
constexpr bool binds_intermediate() {
    if constexpr (is_mistaken<Program> || !binding_traits<Bound>::is_tensor) {
        return false;
    } else {
        constexpr auto p = program_of<Program>.view();
        constexpr ir::ref n = p.find(spelling<Bound::hash>());
        return n != ir::none && p.definition(n) != ir::none && !is_output(p, n);
    }
}
template <std::uint64_t Program, class Names, class... Bound>
struct keeping {
    static constexpr std::uint64_t hash = Program;
};
template <std::uint64_t Program, std::uint64_t First, std::uint64_t... Names>
struct keeping<Program, name_list<First, Names...>> {
    static constexpr std::uint64_t hash =
        define_program<kept_names<Program, First, Names...>>::hash;
};
template <std::uint64_t Program, std::uint64_t... Names, class First, class... Rest>
struct keeping<Program, name_list<Names...>, First, Rest...> {
    template <bool Keeps, class Bound>
    struct next {
        using type = keeping<Program, name_list<Names...>, Rest...>;
    };
    template <class Bound>
    struct next<true, Bound> {
        using type = keeping<Program, name_list<Names..., Bound::hash>, Rest...>;
    };
    static constexpr std::uint64_t hash =
        next<binds_intermediate<Program, First>(), First>::type::hash;
};
/// The program in which what memory is bound to is an output.
template <std::uint64_t Program, class... Bound>
inline constexpr std::uint64_t keeping_bound = keeping<Program, name_list<>, Bound...>::hash;

/// What `Find` sees in the operands of a call.
template <class View, class Find, std::uint64_t Program, bool OutputsToo, class... Bound>
constexpr ir::mistake look_for_mistake() {
    const operand_facts operands[] = {binding_traits<Bound>::facts()..., {}};
    call_check<View> check(program_of<Program>.view(), operands, sizeof...(Bound), OutputsToo);
    return Find()(check);
}
/// Its words, if there is a mistake: those are made where one was found.
template <std::uint64_t Program, bool OutputsToo, class... Bound, class Find>
constexpr auto words_of_check(Find) {
    constexpr bool is_wrong = [] {
        if (is_mistaken<Program>) return false;  // that has been said
        return static_cast<bool>(
            look_for_mistake<ir::wordless_program, Find, Program, OutputsToo, Bound...>());
    }();
    kept_result made;
    if constexpr (is_wrong)
        made.mistake = look_for_mistake<ir::program_view, Find, Program, OutputsToo, Bound...>();
    return ir::freeze<ir::program_sizes{}>(made);
}
template <std::uint64_t Program, bool OutputsToo, class... Bound>
struct call_mistake {
    static constexpr auto words =
        words_of_check<Program, OutputsToo, Bound...>([](auto& check) { return check.run(); });
    static constexpr text_view text() { return words.text(); }
};

template <std::uint64_t Program, bool OutputsToo, class... Bound>
using mistake_in_call = mistake_of<call_mistake<Program, OutputsToo, Bound...>>;

// Outputs -----------------------------------------------------------------------------------------

/// Where the engine puts an output that the caller did not bind.
struct output_slot {
    ir::ref name;
    void* tensor;
    void* (*allocate)(void* tensor, const std::int64_t* extents);
};

template <class T, int Rank>
void* allocate_tensor(void* memory, const std::int64_t* extents) {
    std::array<std::int64_t, Rank> list{};
    for (std::size_t axis = 0; axis < Rank; ++axis) list[axis] = extents[axis];
    auto& made = *static_cast<tensor<T, Rank>*>(memory);
    made = tensor<T, Rank>(list);
    return made.data();
}

struct output_slots {
    const output_slot* slots;
    std::size_t count;

    static void* allocate(void* context, ir::ref name, std::int32_t, const std::int64_t* extents) {
        const auto& all = *static_cast<const output_slots*>(context);
        for (std::size_t k = 0; k < all.count; ++k)
            if (all.slots[k].name == name)
                return all.slots[k].allocate(all.slots[k].tensor, extents);
        return nullptr;
    }
};

// The request -------------------------------------------------------------------------------------

/// The operands of a call as the engine takes them.
template <std::size_t Room>
struct operand_arrays {
    engine::operand inputs[Room + 1];
    engine::operand outputs[Room + 1];
    engine::index_extent indices[Room + 1];
    std::int32_t input_count = 0, output_count = 0, index_count = 0;
};

template <std::uint64_t Program, std::uint64_t Hash>
inline constexpr ir::ref name_number = program_of<Program>.view().find(spelling<Hash>());
template <std::uint64_t Program, std::uint64_t Hash>
inline constexpr ir::ref number_of_index = [] {
    const auto p = program_of<Program>.view();
    for (ir::ref i = 0; i < p.indices.size(); ++i)
        if (p.index(i) == spelling<Hash>()) return i;
    return ir::none;
}();
template <std::uint64_t Program, std::uint64_t Hash>
inline constexpr bool is_input_name =
    program_of<Program>.view().definition(name_number<Program, Hash>) == ir::none;

template <std::uint64_t Program, std::size_t Room, std::uint64_t Hash, class T, int Rank,
          class Known, bool Temporary>
RICCI_INLINE void add_operand(operand_arrays<Room>& all,
                              const bound_tensor<Hash, T, Rank, Known, Temporary>& b) {
    engine::operand o;
    o.name = name_number<Program, Hash>;
    o.rank = Rank;
    o.data = const_cast<std::remove_const_t<T>*>(b.data);
    o.extents = b.extents;
    o.strides = b.strides;
    o.watch = b.watch;
    using element_type = std::remove_const_t<T>;
    o.is_positions = std::is_integral_v<element_type>;
    o.positions = element_v<element_type>;
    if constexpr (is_input_name<Program, Hash>) all.inputs[all.input_count++] = o;
    else all.outputs[all.output_count++] = o;
}
template <std::uint64_t Program, std::size_t Room, std::uint64_t Hash, bool Complex>
RICCI_INLINE void add_operand(operand_arrays<Room>& all, const bound_number<Hash, Complex>& b) {
    engine::operand o;
    o.name = name_number<Program, Hash>;
    o.value = b.value;
    all.inputs[all.input_count++] = o;
}
template <std::uint64_t Program, std::size_t Room, std::uint64_t Hash>
RICCI_INLINE void add_operand(operand_arrays<Room>& all, const bound_index<Hash>& b) {
    all.indices[all.index_count++] = {number_of_index<Program, Hash>, b.extent};
}

/// Calls body(request) with the request for operands. Outputs that are not bound go to `outputs`.
template <std::uint64_t Program, class T, class Body, std::size_t... K, class... Bound>
RICCI_INLINE auto with_request(results<Program, T>& outputs, const engine::number& alpha,
                               const engine::number& beta, Body body, std::index_sequence<K...>,
                               const Bound&... bound) {
    using list = program_outputs<Program>;
    operand_arrays<sizeof...(Bound)> all;
    (add_operand<Program>(all, bound), ...);
    engine::request r;
    r.program = program_of<Program>.view();
    r.program_key = Program;
    r.type = element_v<T>;
    r.inputs = all.inputs;
    r.input_count = all.input_count;
    r.outputs = all.outputs;
    r.output_count = all.output_count;
    r.index_extents = all.indices;
    r.index_extent_count = all.index_count;
    r.alpha = alpha;
    r.beta = beta;
    const output_slot slots[] = {
        {list::template name_of<K>, &boost::hana::at_key(outputs, typename list::template key<K>{}),
         &allocate_tensor<typename list::template element<K, T>, list::template rank<K>>}...};
    output_slots memory{slots, sizeof...(K)};
    r.allocate = &output_slots::allocate;
    r.context = &memory;
    return body(r);
}

/// An executable for operands, whose outputs go to `outputs` unless they are bound.
template <std::uint64_t Program, class T, class... Bound>
RICCI_INLINE engine::executable plan_call(results<Program, T>& outputs, const engine::number& alpha,
                                          const engine::number& beta, const Bound&... bound) {
    return with_request<Program, T>(
        outputs, alpha, beta, [](const engine::request& r) { return engine::executable(r); },
        std::make_index_sequence<static_cast<std::size_t>(program_outputs<Program>::count)>{},
        bound...);
}

/// Executes at once.
template <std::uint64_t Program, class T, class... Bound>
RICCI_INLINE void run_call(results<Program, T>& outputs, const engine::number& alpha,
                           const engine::number& beta, const Bound&... bound) {
    with_request<Program, T>(
        outputs, alpha, beta, [](const engine::request& r) { engine::run(r); },
        std::make_index_sequence<static_cast<std::size_t>(program_outputs<Program>::count)>{},
        bound...);
}

}  // namespace ricci::detail
