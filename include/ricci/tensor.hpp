// Tensors that own their memory: extents at run time, or in the type.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <ricci/detail/compile_error.hpp>
#include <ricci/element.hpp>
#include <ricci/extents.hpp>
#include <ricci/view.hpp>

namespace ricci {

/// Leaves elements as they are in memory.
struct uninitialised {};

namespace detail {

/// Zeroed memory for the product of `extents` elements, aligned to 64 bytes. Throws ricci::error
/// when the size in bytes is not representable, std::bad_alloc when there is no memory.
void* allocate_elements(const std::size_t* extents, std::size_t rank, std::size_t element_size);
void release_elements(void* memory) noexcept;

/// Says to prepared programs what has become of a tensor's memory. There is one only for a tensor that was
/// bound to such a program; both have a part in it. It goes with the memory where the tensor is moved to,
/// and stays with the tensor, too.
class memory_watch;
/// `to` takes part in what `from` watches, and leaves what it has had: the memory of that one is given up.
void follow_watch(memory_watch*& to, memory_watch* from) noexcept;
/// The tensor goes; `owner`: and memory with it.
void end_watch(memory_watch* watch, bool owner) noexcept;

/// Owned memory that moves and does not copy.
template <class T>
class element_storage {
public:
    element_storage() = default;
    element_storage(const std::size_t* extents, std::size_t rank)
        : data_(static_cast<T*>(allocate_elements(extents, rank, sizeof(T)))) {}
    element_storage(element_storage&& other) noexcept : data_(other.data_) {
        if (other.watch_ != nullptr) follow_watch(watch_, other.watch_);
        other.data_ = nullptr;
    }
    element_storage& operator=(element_storage&& other) noexcept {
        if (this == &other) return *this;
        if (watch_ != other.watch_) follow_watch(watch_, other.watch_);
        release_elements(data_);
        data_ = other.data_;
        other.data_ = nullptr;
        return *this;
    }
    ~element_storage() {
        if (watch_ != nullptr) end_watch(watch_, data_ != nullptr);
        release_elements(data_);
    }
    T* get() const { return data_; }
    memory_watch** watch() const { return &watch_; }

private:
    T* data_ = nullptr;
    mutable memory_watch* watch_ = nullptr;  // one may be set for a tensor that is only read
};

/// Fixed tensors up to this size are kept in the object itself.
inline constexpr std::size_t most_bytes_inside = 8192;

/// `Count` elements whose number is known, inside the object or in memory of their own.
template <class T, std::size_t Count, bool Inside = (Count * sizeof(T) <= most_bytes_inside)>
class fixed_storage {
public:
    fixed_storage() : storage_(&count, 1) {}
    explicit fixed_storage(uninitialised) : fixed_storage() {}
    T* get() { return storage_.get(); }
    const T* get() const { return storage_.get(); }
    memory_watch** watch() const { return storage_.watch(); }

private:
    static constexpr std::size_t count = Count;
    element_storage<T> storage_;
};
template <class T, std::size_t Count>
class fixed_storage<T, Count, true> {
public:
    fixed_storage() : elements_{} {}
    explicit fixed_storage(uninitialised) {}
    T* get() { return elements_; }
    const T* get() const { return elements_; }
    constexpr memory_watch** watch() const { return nullptr; }  // it has no other memory, ever

private:
    alignas(64) T elements_[Count > 0 ? Count : 1];
};

/// Why a tensor is not copied.
struct copied_tensor {
    static constexpr text_view text() {
        return "a tensor is not copied by itself: write x.clone() for a copy, auto& for a "
               "reference, "
               "std::move(x) to hand it over";
    }
};
/// A tensor itself, whether it may be written or not.
template <class T, class Tensor>
concept same_tensor = std::is_same_v<std::remove_const_t<T>, Tensor>;

/// Where a tensor has its watch, if it ever has one.
struct watch_of {
    memory_watch** place;
    template <class Tensor>
    constexpr explicit watch_of(const Tensor& t) : place(t.storage_.watch()) {}
};

}  // namespace detail

/// Owns `Rank` axes of elements, row-major, 64-byte aligned, zeroed at construction. Moves; copies
/// only by clone(). A moved-from tensor may only be assigned to or destroyed.
template <class T, int Rank>
class tensor {
    static_assert(element_of<T>::supported, RICCI_ELEMENT_TYPES);
    static_assert(Rank >= 0, "a rank is not negative");

public:
    using element_type = T;
    static constexpr int rank = Rank;

    /// A scalar for rank 0, otherwise a tensor without elements.
    tensor() {
        detail::row_major(extents_, strides_);
        if constexpr (Rank == 0) storage_ = {extents_.data(), Rank};
    }
    /// tensor<float, 2> X({n, 512}). Throws ricci::error when the size overflows.
    explicit tensor(const detail::extent_value (&extents)[Rank > 0 ? Rank : 1]) requires(Rank > 0) {
        for (std::size_t axis = 0; axis < Rank; ++axis) extents_[axis] = extents[axis].value;
        detail::row_major(extents_, strides_);
        storage_ = {extents_.data(), Rank};
    }
    /// The same from an array.
    template <class I>
    explicit tensor(const std::array<I, Rank>& extents)
        : extents_(detail::extent_list<Rank>(extents).values) {
        detail::row_major(extents_, strides_);
        storage_ = {extents_.data(), Rank};
    }
    tensor(tensor&&) noexcept = default;
    tensor& operator=(tensor&&) noexcept = default;
    // Never there, so that the next ones are found and say what to write.
    tensor(const tensor&) requires(Rank < 0) = default;
    tensor& operator=(const tensor&) requires(Rank < 0) = default;
    template <detail::same_tensor<tensor> Other, class Mistake = mistake_of<detail::copied_tensor>>
    tensor(Other&) = delete;
    template <detail::same_tensor<tensor> Other, class Mistake = mistake_of<detail::copied_tensor>>
    tensor& operator=(Other&) = delete;

    /// A copy with memory of its own.
    tensor clone() const {
        tensor copy(extents_);
        for (std::size_t k = 0, n = size(); k < n; ++k) copy.data()[k] = data()[k];
        return copy;
    }

    T* data() { return storage_.get(); }
    const T* data() const { return storage_.get(); }
    std::size_t size() const { return detail::product(extents_); }
    std::size_t extent(int axis) const { return extents_[static_cast<std::size_t>(axis)]; }
    const std::array<std::size_t, Rank>& extents() const { return extents_; }
    const std::array<std::ptrdiff_t, Rank>& strides() const { return strides_; }

    tensor_view<T, Rank> view() { return {data(), extents_, strides_}; }
    tensor_view<const T, Rank> view() const { return {data(), extents_, strides_}; }
    operator tensor_view<T, Rank>() { return view(); }
    operator tensor_view<const T, Rank>() const { return view(); }

    /// The element at the given position of each axis; not checked.
    template <class... Index>
    requires(sizeof...(Index) == Rank) T& operator()(Index... index) { return view()(index...); }
    template <class... Index>
    requires(sizeof...(Index) == Rank) const T& operator()(Index... index) const {
        return view()(index...);
    }

private:
    friend detail::watch_of;
    std::array<std::size_t, Rank> extents_{};
    std::array<std::ptrdiff_t, Rank> strides_{};
    detail::element_storage<T> storage_;
};

/// A tensor whose extents are part of its type, so that the compiler checks them. Up to 8 KiB of
/// elements are part of the object, and moving it moves them.
template <class T, std::size_t... Extents>
class fixed_tensor {
    static_assert(element_of<T>::supported, RICCI_ELEMENT_TYPES);

public:
    using element_type = T;
    static constexpr int rank = static_cast<int>(sizeof...(Extents));

    fixed_tensor() = default;
    /// Elements of no value yet, where they are about to be written.
    explicit fixed_tensor(uninitialised u) : storage_(u) {}
    fixed_tensor(fixed_tensor&&) noexcept = default;
    fixed_tensor& operator=(fixed_tensor&&) noexcept = default;
    // Never there, so that the next ones are found and say what to write.
    fixed_tensor(const fixed_tensor&) requires(sizeof(T) == 0) = default;
    fixed_tensor& operator=(const fixed_tensor&) requires(sizeof(T) == 0) = default;
    template <detail::same_tensor<fixed_tensor> Other,
              class Mistake = mistake_of<detail::copied_tensor>>
    fixed_tensor(Other&) = delete;
    template <detail::same_tensor<fixed_tensor> Other,
              class Mistake = mistake_of<detail::copied_tensor>>
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
