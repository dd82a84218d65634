// A tensor whose element type and rank are known at run time, and a list of such by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <ricci/detail/export.hpp>
#include <ricci/element.hpp>
#include <ricci/error.hpp>
#include <ricci/tensor.hpp>
#include <ricci/view.hpp>

namespace ricci {

namespace detail {

/// What prepared programs know of an array object: whether it still has the memory that they read.
/// Every object has its own; it goes along where the object is moved, and not where it is copied.
class array_watch {
public:
    array_watch() = default;
    array_watch(const array_watch&) noexcept {}
    array_watch(array_watch&& other) noexcept { follow(other.watch_); }
    array_watch& operator=(const array_watch&) noexcept {
        if (watch_ != nullptr) follow_watch(watch_, nullptr);
        return *this;
    }
    array_watch& operator=(array_watch&& other) noexcept {
        if (watch_ != other.watch_) follow(other.watch_);
        return *this;
    }
    ~array_watch() {
        // the memory of an array lives as long as somebody reads it: this is no end of it
        if (watch_ != nullptr) end_watch(watch_, false);
    }
    memory_watch** place() const { return &watch_; }

private:
    void follow(memory_watch* other) noexcept {
        if (watch_ != nullptr || other != nullptr) follow_watch(watch_, other);
    }
    mutable memory_watch* watch_ = nullptr;  // one may be set for an array that is only read
};

}  // namespace detail

/// Elements of one type along any number of axes, all known at run time. A copy is another name for
/// the same memory, as in numpy, which lives as long as one of them does; clone() copies elements.
class RICCI_EXPORT array {
public:
    /// No elements: double, one axis of extent 0.
    array() : extents_{0}, strides_{1} {}
    /// Zeroed memory of its own, row-major, 64-byte aligned: array(element::f32, {n, 512}). Throws
    /// ricci::error where the size overflows, std::bad_alloc where there is no memory.
    array(element type, std::initializer_list<detail::extent_value> extents);
    array(element type, std::span<const std::size_t> extents);
    array(element type, const std::vector<std::size_t>& extents)
        : array(type, std::span<const std::size_t>(extents)) {}

    /// Looks at the memory of a view, which has to live as long as this and its copies.
    template <class T, int Rank>
    array(const tensor_view<T, Rank>& view)  // NOLINT: implicit, as views are
        : array(element_v<T>, view.data(), view.extents(), view.strides(), nullptr) {
        writable_ = !std::is_const_v<T>;
    }
    /// Takes over a tensor with its memory.
    template <class T, int Rank>
    array(tensor<T, Rank>&& t)  // NOLINT
        : array(taken_over(std::make_shared<tensor<T, Rank>>(std::move(t)))) {}
    template <class T, std::size_t... Extents>
    array(fixed_tensor<T, Extents...>&& t)  // NOLINT
        : array(taken_over(std::make_shared<fixed_tensor<T, Extents...>>(std::move(t)))) {}
    /// A tensor that has a name keeps its memory: say whether to look at it, array(x.view()), or to
    /// take it over, array(std::move(x)).
    template <class T, int Rank>
    array(const tensor<T, Rank>&) = delete;
    template <class T, std::size_t... Extents>
    array(const fixed_tensor<T, Extents...>&) = delete;

    /// An array over memory that `owner` keeps alive; strides in elements, 0 and negative too.
    static array over(std::shared_ptr<void> owner, element type, void* data,
                      std::span<const std::size_t> extents, std::span<const std::int64_t> strides,
                      bool writable = true);

    element type() const { return type_; }
    std::size_t rank() const { return extents_.size(); }
    /// The number of elements.
    std::size_t size() const;
    std::span<const std::size_t> extents() const { return extents_; }
    std::size_t extent(std::size_t axis) const { return extents_[axis]; }
    /// In elements, not bytes.
    std::span<const std::int64_t> strides() const { return strides_; }
    /// Whether elements lie row-major and side by side.
    bool is_contiguous() const;
    /// Whether this says a shape and has no memory.
    bool is_shape() const { return shape_only_; }

    /// Of the first element. Throws ricci::error where the memory may only be read, as that of a
    /// view of const elements; a shape has none.
    void* data();
    const void* data() const { return data_; }

    /// A view of the elements: a.as<float, 2>(), or as<const float, 2>() of memory that is only
    /// read. Throws ricci::error where type or rank are others.
    template <class T, int Rank>
    tensor_view<T, Rank> as() {
        check_is(element_v<T>, Rank, !std::is_const_v<T>);
        return view_as<T, Rank>();
    }
    template <class T, int Rank>
    tensor_view<const T, Rank> as() const {
        check_is(element_v<T>, Rank, false);
        return view_as<const T, Rank>();
    }

    /// A copy with memory of its own, row-major.
    array clone() const;
    /// A copy with elements of another type. Real numbers are rounded to the nearest; whole numbers
    /// wrap and have to come from whole numbers or boolean. Throws ricci::error for what would lose
    /// a part of the numbers: complex to real, real to whole.
    array converted(element type) const;

    bool is_writable() const { return writable_; }
    /// Where prepared programs look whether this object still has the memory that it had.
    detail::memory_watch** watch() const { return watch_.place(); }

private:
    friend array shape(element type, std::span<const std::size_t> extents);
    template <class Extents, class Strides>
    array(element type, const void* data, const Extents& extents, const Strides& strides,
          std::shared_ptr<void> owner)
        : type_(type),
          data_(const_cast<void*>(data)),
          extents_(extents.begin(), extents.end()),
          strides_(strides.begin(), strides.end()),
          owner_(std::move(owner)) {}
    template <class Tensor>
    static array taken_over(std::shared_ptr<Tensor> t) {
        Tensor& x = *t;
        return array(element_v<typename Tensor::element_type>, x.data(), x.extents(), x.strides(),
                     std::move(t));
    }
    template <class T, int Rank>
    tensor_view<T, Rank> view_as() const {
        detail::extent_list<Rank> extents;
        detail::stride_list<Rank> strides;
        for (std::size_t axis = 0; axis < Rank; ++axis) {
            extents.values[axis] = extents_[axis];
            strides.values[axis] = static_cast<std::ptrdiff_t>(strides_[axis]);
        }
        return {static_cast<T*>(data_), extents, strides};
    }
    void check_is(element type, int rank, bool written) const;

    element type_ = element::f64;
    bool writable_ = true;
    bool shape_only_ = false;
    void* data_ = nullptr;
    std::vector<std::size_t> extents_;
    std::vector<std::int64_t> strides_;
    std::shared_ptr<void> owner_;
    detail::array_watch watch_;
};

/// Extents without memory: to plan and to explain with, never to run.
RICCI_EXPORT array shape(element type, std::span<const std::size_t> extents);
inline array shape(element type, std::initializer_list<detail::extent_value> extents) {
    std::vector<std::size_t> list;
    for (const detail::extent_value& e : extents) list.push_back(e.value);
    return shape(type, std::span<const std::size_t>(list));
}

/// Arrays by name, in the order in which they were added: the results of a program, the contents of
/// a file.
class RICCI_EXPORT arrays {
public:
    using value_type = std::pair<std::string, array>;

    arrays() = default;
    arrays(std::initializer_list<value_type> list);

    /// The array of this name. Throws ricci::error, with the names there are, where there is none.
    array& operator[](std::string_view name);
    const array& operator[](std::string_view name) const;
    bool contains(std::string_view name) const { return find(name) < list_.size(); }
    /// Adds an array, or puts it in the place of the one of this name.
    void set(std::string name, array value);
    /// Adds an array of a name that the caller knows not to be there yet: nobody looks whether it
    /// is.
    void add(std::string name, array value) {
        list_.emplace_back(std::move(name), std::move(value));
    }

    std::size_t size() const { return list_.size(); }
    bool empty() const { return list_.empty(); }
    auto begin() { return list_.begin(); }
    auto end() { return list_.end(); }
    auto begin() const { return list_.begin(); }
    auto end() const { return list_.end(); }

private:
    std::size_t find(std::string_view name) const;

    std::vector<value_type> list_;
};

}  // namespace ricci
