// A program checked, planned and allocated once, to be run many times.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include <ricci/detail/export.hpp>
#include <ricci/equations.hpp>
#include <ricci/prepare_options.hpp>

namespace ricci {

namespace detail {

/// The words of the mistake in operands that a prepared program is to take, if there is one.
template <std::uint64_t Program, class T, class... Bound>
struct rebinding_mistake {
    static constexpr auto words = words_of_check<Program, true, Bound...>(
        [](auto& check) { return check.run_rebinding(element_v<T>); });
    static constexpr detail::text_view text() { return words.text(); }
};

struct temporary_operand {
    static constexpr detail::text_view text() {
        return "a prepared program reads its operands later: bind a tensor that has a name, not a "
               "temporary one";
    }
};
template <std::uint64_t Hash, class T, class... Bound>
using mistake_in_binding =
    std::conditional_t<(binding_traits<Bound>::temporary || ...), mistake_of<temporary_operand>,
                       mistake_of<rebinding_mistake<Hash, T, Bound...>>>;
template <std::uint64_t Hash, class... Bound>
using mistake_in_prepare =
    std::conditional_t<(binding_traits<Bound>::temporary || ...), mistake_of<temporary_operand>,
                       mistake_in_call<Hash, true, Bound...>>;
/// Where memory that is bound to what is computed on the way makes an output of it.
template <std::uint64_t Hash, class... Bound>
using mistake_in_keeping = mistake_in_prepare<keeping_bound<Hash, Bound...>, Bound...>;

}  // namespace detail

/// Runs a program on the operands it was prepared with. A run allocates nothing, unless there are
/// more threads than before or other programs run meanwhile: then before it writes anything. It
/// reads the operands' current contents, which have to be there: that a ricci::tensor (or a
/// fixed_tensor of more than 8 KiB) has been destroyed or given other memory since is noticed, and
/// an error; whoever binds a view, a container or a small fixed_tensor answers for it. A tensor
/// that is moved takes its memory along, and the program goes on with that.
template <std::uint64_t Hash, class T>
class prepared {
public:
    template <class... Bound>
    RICCI_INLINE explicit prepared(const Bound&... bound)
        : executable_(detail::plan_call<Hash, T>(outputs_, 1, 0, bound...)) {
        (view_bound(bound), ...);
    }

    template <class... Bound>
    RICCI_INLINE explicit prepared(const prepare_options& options, const Bound&... bound)
        : executable_(detail::with_request<Hash, T>(
              outputs_, 1, 0,
              [&](engine::request r) {
                  r.exact_distances = options.exact_distances;
                  return engine::executable(r);
              },
              detail::output_numbers<Hash>{}, bound...)) {
        (view_bound(bound), ...);
    }

    /// Layer by layer.
    template <class... Bound>
    explicit prepared(const engine::layering& layers, const prepare_options& options,
                      const Bound&... bound)
        : executable_(detail::with_request<Hash, T>(
              outputs_, 1, 0,
              [&](engine::request r) {
                  r.layers = &layers;
                  r.exact_distances = options.exact_distances;
                  return engine::executable(r);
              },
              detail::output_numbers<Hash>{}, bound...)) {
        (view_bound(bound), ...);
    }

    /// Throws ricci::error, before anything is written, where a tensor that was bound is gone.
    void operator()() { executable_.run(); }

    /// Binds other operands, outputs, numbers or extents of indices than before, several at once
    /// where they depend on each other: step.bind("K"_t = K, "V"_t = V). Plans anew only where
    /// extents, strides or numbers differ. What has been asked of outputs before, whose extents
    /// change, is no longer there. Throws ricci::error where a call would, and everything stays as
    /// it was.
    template <class... Bound, class Mistake = detail::mistake_in_binding<Hash, T, Bound...>>
    RICCI_INLINE void bind(const Bound&... bound) {
        results<Hash, T> made;
        constexpr auto numbers = detail::output_numbers<Hash>{};
        detail::with_request<Hash, T>(
            made, 1, 0, [this](const engine::request& r) { executable_.bind(r); }, numbers,
            bound...);
        take(made, numbers);
        (view_bound(bound), ...);
    }
    template <class... Bound, class Mistake = detail::mistake_in_binding<Hash, T, Bound...>>
    requires detail::is_a_mistake<Mistake> Mistake bind(const Bound&...)
    = delete;

    /// An output: a view of the caller's memory where it was bound, otherwise of memory of its own.
    template <std::uint64_t Name,
              class Mistake = detail::mistake_of<detail::no_such_result<Hash, Name>>>
    decltype(auto) operator[](name<Name> key) {
        executable_.check();
        auto view = outputs_[key].view();
        if (const bound_output* bound = &bound_[output_number<Name>]; bound->data != nullptr) {
            constexpr int rank = decltype(view)::rank;
            detail::extent_list<rank> extents;
            detail::stride_list<rank> strides;
            for (std::size_t axis = 0; axis < rank; ++axis) {
                extents.values[axis] = static_cast<std::size_t>(bound->extents[axis]);
                strides.values[axis] = static_cast<std::ptrdiff_t>(bound->strides[axis]);
            }
            view = {static_cast<typename decltype(view)::element_type*>(bound->data), extents,
                    strides};
        }
        using constant_view = const decltype(view);  // so that auto& is a view, too
        return static_cast<constant_view>(view);
    }
    template <std::uint64_t Name,
              class Mistake = detail::mistake_of<detail::no_such_result<Hash, Name>>>
    requires detail::is_a_mistake<Mistake> Mistake operator[](name<Name>) = delete;

    /// The steps in words.
    std::string explain() const { return executable_.explain(); }

private:
    static constexpr std::size_t most_axes = 16;
    struct bound_output {
        void* data = nullptr;
        std::int64_t extents[most_axes] = {};
        std::int64_t strides[most_axes] = {};
    };

    template <class Bound>
    RICCI_INLINE void view_bound(const Bound& b) {
        if constexpr (detail::binding_traits<Bound>::is_tensor) {
            if constexpr (!detail::is_input_name<Hash, Bound::hash>) {
                static_assert(Bound::rank <= static_cast<int>(most_axes),
                              "an output of prepare has at most 16 axes");
                bound_output& out = bound_[output_number<Bound::hash>];
                out.data =
                    const_cast<std::remove_const_t<std::remove_pointer_t<decltype(b.data)>>*>(
                        b.data);
                for (int axis = 0; axis < Bound::rank; ++axis) {
                    out.extents[axis] = b.extents[axis];
                    out.strides[axis] = b.strides[axis];
                }
            }
        }
    }
    /// Outputs that have got other memory, as their extents are others.
    template <std::size_t... K>
    void take(results<Hash, T>& made, std::index_sequence<K...>) {
        const auto take_one = [](auto& to, auto& from) {
            if constexpr (std::remove_reference_t<decltype(to)>::rank > 0)
                if (from.data() != nullptr) to = std::move(from);
        };
        (take_one(boost::hana::second(boost::hana::at_c<K>(outputs_.storage)),
                  boost::hana::second(boost::hana::at_c<K>(made.storage))),
         ...);
    }
    /// Where among the outputs a name is.
    template <std::uint64_t Name>
    static constexpr std::size_t output_number = [] {
        std::size_t k = 0;
        while (detail::program_outputs<Hash>::at(k) != detail::name_number<Hash, Name>) ++k;
        return k;
    }();

    results<Hash, T> outputs_;
    engine::executable executable_;
    bound_output bound_[static_cast<std::size_t>(detail::program_outputs<Hash>::count)];
};

/// Checks, plans and allocates for `bound`, which may hold outputs too: those are written to the
/// memory bound, and memory that is bound to what is computed on the way makes an output of it.
/// Throws ricci::error where a call would.
template <std::uint64_t Hash, class... Bound,
          class Mistake = detail::mistake_in_keeping<Hash, Bound...>>
RICCI_INLINE auto prepare(equations<Hash>, const Bound&... bound) {
    using T = typename detail::call_element<Bound...>::type;
    return prepared<detail::keeping_bound<Hash, Bound...>, T>(bound...);
}
/// The same with options, which stand in front of the operands.
template <std::uint64_t Hash, class... Bound,
          class Mistake = detail::mistake_in_keeping<Hash, Bound...>>
RICCI_INLINE auto prepare(equations<Hash>, const prepare_options& options, const Bound&... bound) {
    using T = typename detail::call_element<Bound...>::type;
    return prepared<detail::keeping_bound<Hash, Bound...>, T>(options, bound...);
}
template <std::uint64_t Hash, class... Bound,
          class Mistake = detail::mistake_in_keeping<Hash, Bound...>>
requires detail::is_a_mistake<Mistake> Mistake prepare(equations<Hash>, const Bound&...)
= delete;

/// The plan in words: equations, steps, contraction path, index groups, kernels, FLOPs, bytes,
/// workspace. Allocates nothing of what the program would: a view of any memory with strides of 0
/// may stand for an operand that there is no room for.
template <
    std::uint64_t Hash, class... Bound,
    class Mistake = detail::mistake_in_call<detail::keeping_bound<Hash, Bound...>, true, Bound...>>
RICCI_INLINE std::string explain(equations<Hash>, const Bound&... bound) {
    using T = typename detail::call_element<Bound...>::type;
    constexpr std::uint64_t kept = detail::keeping_bound<Hash, Bound...>;
    results<kept, T> outputs;
    return detail::with_request<kept, T>(
        outputs, 1, 0, [](const engine::request& r) { return engine::explain(r); },
        detail::output_numbers<kept>{}, bound...);
}
template <std::uint64_t Hash, class... Bound,
          class Mistake =
              detail::mistake_in_call<detail::keeping_bound<Hash, Bound...>, true, Bound...>>
requires detail::is_a_mistake<Mistake> Mistake explain(equations<Hash>, const Bound&...)
= delete;

/// How many threads ricci runs on; 0 means as many as the machine, or the enclosing oneTBB arena,
/// has.
inline void threads(int count) { engine::set_threads(count); }

/// The equations of a program in LaTeX, a line each.
RICCI_EXPORT std::string to_latex(const ir::program_view& program);
template <std::uint64_t Hash>
std::string to_latex(equations<Hash>) {
    return to_latex(detail::program_of<Hash>.view());
}
/// The equations in plain text: Q[h,i,a] = sum(b) X[i,b] * W_Q[h,b,a].
RICCI_EXPORT std::string to_text(const ir::program_view& program);
template <std::uint64_t Hash>
std::string to_text(equations<Hash>) {
    return to_text(detail::program_of<Hash>.view());
}

}  // namespace ricci
