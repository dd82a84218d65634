// Tensors that own their memory, with extents in the type.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include <ricci/detail/compile_error.hpp>
#include <ricci/detail/element_storage.hpp>
#include <ricci/detail/owner.hpp>
#include <ricci/detail/text.hpp>
#include <ricci/detail/values.hpp>
#include <ricci/element.hpp>
#include <ricci/extents.hpp>
#include <ricci/view.hpp>

namespace ricci {

namespace detail {

/// Says that values are not as many as an extent.
template <std::size_t Axis, std::size_t Extent, std::size_t Given>
struct wrong_number_of_values {
    static constexpr auto sentence = [] {
        struct {
            char characters[160] = {};
            std::int32_t size = 0;
        } out;
        text_builder s;
        s << "axis " << static_cast<std::int64_t>(Axis) << " of this tensor has extent "
          << static_cast<std::int64_t>(Extent) << ", and the values given have "
          << static_cast<std::int64_t>(Given) << " there";
        for (const char c : s.view()) out.characters[out.size++] = c;
        return out;
    }();
    static constexpr text_view text() { return {sentence.characters, sentence.size}; }
};

/// How values in braces have to be arranged for these extents: one number is a scalar, a list of
/// numbers has rank 1, and of `first` lists each holds `second` rows.
template <std::size_t... Extents>
struct arrangement {
    static constexpr std::size_t first = 1, second = 1;
    template <class T>
    using row = element_value<T>;
    template <std::size_t... Lengths>
    static constexpr bool fits = false;
    template <std::size_t... Lengths>
    using mistake = wrong_number_of_values<0, 1, sizeof...(Lengths)>;
};
template <std::size_t First>
struct arrangement<First> : arrangement<> {
    static constexpr std::size_t first = First;
};
template <std::size_t First, std::size_t Second, std::size_t... Rest>
struct arrangement<First, Second, Rest...> {
    static constexpr std::size_t first = First, second = Second;
    template <class T>
    using row = typename array_of_values<T, Rest...>::type;

    /// Lists of these lengths are wrong: in their number, or one in its length.
    template <std::size_t... Lengths>
    static constexpr bool fits = sizeof...(Lengths) == First && ((Lengths == Second) && ...);
    static constexpr std::size_t other_than_second(std::initializer_list<std::size_t> lengths) {
        for (const std::size_t length : lengths)
            if (length != Second) return length;
        return Second;
    }
    template <std::size_t... Lengths>
    using mistake =
        std::conditional_t<sizeof...(Lengths) != First,
                           wrong_number_of_values<0, First, sizeof...(Lengths)>,
                           wrong_number_of_values<1, Second, other_than_second({Lengths...})>>;
};

}  // namespace detail

/// A tensor whose extents are part of its type, so that the compiler checks them. Up to 8 KiB of
/// elements are part of the object, and moving it moves them. In braces stand its values:
/// fixed_tensor<float, 2, 2> f = {{1, 2}, {3, 4}}; others than the extents ask for do not compile.
template <class T, std::size_t... Extents>
class fixed_tensor
    : public detail::owner_of_elements<fixed_tensor<T, Extents...>, T, sizeof...(Extents)> {
    using arrangement = detail::arrangement<Extents...>;
    using row = typename arrangement::template row<T>;
    static_assert(element_of<T>::supported, RICCI_ELEMENT_TYPES);

public:
    using element_type = T;
    static constexpr int rank = static_cast<int>(sizeof...(Extents));

    fixed_tensor() = default;
    /// Elements of no value yet, where they are about to be written.
    explicit fixed_tensor(uninitialised u) : storage_(u) {}
    /// A number for each place of the only axis, or the number of a scalar.
    template <detail::value_for<T>... V>
    requires(rank<2 && sizeof...(V)> 0 && sizeof...(V) == arrangement::first)
        fixed_tensor(const V&... values)  // NOLINT: implicit, = {1, 2}
        : storage_(uninitialised{}) {
        T* to = data();
        ((*to++ = detail::converted<T>(values)), ...);
    }
    /// A list for each place of the first axis.
    template <std::size_t... Lengths>
    requires(rank > 1 && arrangement::template fits<Lengths...>)
        fixed_tensor(const row (&... rows)[Lengths])  // NOLINT: implicit, = {{1, 2}, {3, 4}}
        : storage_(uninitialised{}) {
        T* to = data();
        ((to = detail::write_values(to, rows)), ...);
    }
    template <detail::value_for<T>... V,
              class Mistake = detail::mistake_of<
                  detail::wrong_number_of_values<0, arrangement::first, sizeof...(V)>>>
    requires(rank<2 && sizeof...(V)> 0 && sizeof...(V) != arrangement::first)
        fixed_tensor(const V&... values)
    = delete;
    template <std::size_t... Lengths,
              class Mistake =
                  detail::mistake_of<typename arrangement::template mistake<Lengths...>>>
    requires(rank > 1 && !arrangement::template fits<Lengths...>)
        fixed_tensor(const row (&... rows)[Lengths])
    = delete;
    fixed_tensor(fixed_tensor&&) noexcept = default;
    fixed_tensor& operator=(fixed_tensor&&) noexcept = default;
    // Never there, so that the next ones are found and say what to write.
    fixed_tensor(const fixed_tensor&) requires(sizeof(T) == 0) = default;
    fixed_tensor& operator=(const fixed_tensor&) requires(sizeof(T) == 0) = default;
    template <detail::same_tensor<fixed_tensor> Other,
              class Mistake = detail::mistake_of<detail::copied_tensor>>
    fixed_tensor(Other&) = delete;
    template <detail::same_tensor<fixed_tensor> Other,
              class Mistake = detail::mistake_of<detail::copied_tensor>>
    fixed_tensor& operator=(Other&) = delete;
    fixed_tensor clone() const {
        fixed_tensor copy;
        for (std::size_t k = 0; k < size(); ++k) copy.data()[k] = data()[k];
        return copy;
    }

    T* data() { return storage_.get(); }
    const T* data() const { return storage_.get(); }
    static constexpr std::size_t size() { return (std::size_t{1} * ... * Extents); }
    static constexpr std::array<std::size_t, sizeof...(Extents)> extents() { return {Extents...}; }
    static constexpr std::size_t extent(int axis) {
        return extents()[static_cast<std::size_t>(axis)];
    }
    static constexpr std::array<std::ptrdiff_t, sizeof...(Extents)> strides() {
        std::array<std::ptrdiff_t, sizeof...(Extents)> s{};
        detail::row_major(extents(), s);
        return s;
    }

    tensor_view<T, rank> view() { return {data(), extents(), strides()}; }
    tensor_view<const T, rank> view() const { return {data(), extents(), strides()}; }
    operator tensor_view<T, rank>() { return view(); }
    operator tensor_view<const T, rank>() const { return view(); }

    template <class... Index>
    requires(sizeof...(Index) == sizeof...(Extents)) T& operator()(Index... index) {
        return view()(index...);
    }
    template <class... Index>
    requires(sizeof...(Index) == sizeof...(Extents)) const T& operator()(Index... index) const {
        return view()(index...);
    }

private:
    friend detail::watch_of;
    detail::fixed_storage<T, size()> storage_;
};

}  // namespace ricci
