// How calls on networks take their arguments: operands of any kind, indices of any integer type,
// and what reports progress.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <ricci/array.hpp>

namespace ricci::detail {

/// An operand of a network: an array or a shape, a view, a tensor. What has a name is looked at and
/// has to live as long as the network is used; what has none is taken over. An array keeps its
/// memory itself.
class network_operand {
public:
    network_operand(const array& a) : value_(a) {}        // NOLINT: all implicit, as {a, b, c}
    network_operand(array&& a) : value_(std::move(a)) {}  // NOLINT
    template <class T, int Rank>
    network_operand(const tensor_view<T, Rank>& x) : value_(x) {}  // NOLINT
    template <class T, int Rank>
    network_operand(const tensor<T, Rank>& x) : value_(x.view()) {}  // NOLINT
    template <class T, int Rank>
    network_operand(tensor<T, Rank>&& x) : value_(std::move(x)) {}  // NOLINT
    template <class T, std::size_t... Extents>
    network_operand(const fixed_tensor<T, Extents...>& x) : value_(x.view()) {}  // NOLINT
    template <class T, std::size_t... Extents>
    network_operand(fixed_tensor<T, Extents...>&& x) : value_(std::move(x)) {}  // NOLINT

    const array& value() const& { return value_; }
    array&& value() && { return std::move(value_); }

private:
    array value_;
};

/// Operands by name: {{"A", a}, {"B", b}}, or a vector of such pairs.
struct named_operand {
    std::string name;
    network_operand value;
};
class named_operands {
public:
    named_operands(std::initializer_list<named_operand> list) : list_(list) {}   // NOLINT
    named_operands(std::vector<named_operand> list) : list_(std::move(list)) {}  // NOLINT
    named_operands(const std::vector<std::pair<std::string, array>>& list) {     // NOLINT
        for (const auto& [name, value] : list) list_.push_back({name, value});
    }

    std::size_t size() const { return list_.size(); }
    const named_operand* begin() const { return list_.data(); }
    const named_operand* end() const { return list_.data() + list_.size(); }

private:
    std::vector<named_operand> list_;
};

/// One number of an index in a braced list: any integer type, without the narrowing that braces
/// refuse.
struct index_number {
    template <std::integral I>
    constexpr index_number(I number) : value(static_cast<std::int64_t>(number)) {}  // NOLINT
    std::int64_t value;
};

template <class T>
concept list_of_integers = requires(const T& list) {
    { list.data() } -> std::convertible_to<const void*>;
    { list.size() } -> std::convertible_to<std::size_t>;
    requires std::integral<std::remove_cvref_t<decltype(*list.data())>>;
};

/// Numbers of indices: {0, 7}, or a vector, array or span of any integer type.
class index_list {
public:
    index_list() = default;
    index_list(std::initializer_list<index_number> list) {  // NOLINT
        numbers_.reserve(list.size());
        for (const index_number& i : list) numbers_.push_back(i.value);
    }
    template <list_of_integers List>
    index_list(const List& list)  // NOLINT
        : numbers_(list.data(), list.data() + list.size()) {}

    std::size_t size() const { return numbers_.size(); }
    const std::int64_t* begin() const { return numbers_.data(); }
    const std::int64_t* end() const { return numbers_.data() + numbers_.size(); }
    std::int64_t operator[](std::size_t k) const { return numbers_[k]; }

private:
    std::vector<std::int64_t> numbers_;
};

/// Who is told how far something has come, and says whether to go on. Of its own, since
/// <functional> would cost every user's file more than all of this.
class progress_function {
public:
    progress_function() = default;
    progress_function(std::nullptr_t) {}  // NOLINT
    template <class F>
    requires(!std::is_same_v<F, progress_function> &&
             std::is_invocable_r_v<bool, F&, double, double>) progress_function(F f) {  // NOLINT
        if constexpr (requires { f.operator bool(); })
            if (!f.operator bool()) return;
        state_ = std::make_shared<F>(std::move(f));
        call_ = [](void* state, double part, double seconds_left) -> bool {
            return (*static_cast<F*>(state))(part, seconds_left);
        };
    }
    explicit operator bool() const { return call_ != nullptr; }
    /// `part`, from 0 to 1, is done, and so many seconds are left, as far as one can say. False: it
    /// has to stop.
    bool operator()(double part, double seconds_left) const {
        return call_ == nullptr || call_(state_.get(), part, seconds_left);
    }

private:
    std::shared_ptr<void> state_;
    bool (*call_)(void*, double, double) = nullptr;
};

}  // namespace ricci::detail
