// expected<T, E>: a value, or the reason why there is none. std::expected where the library has it.
#pragma once

#include <version>

#if defined(__cpp_lib_expected)

#include <expected>

namespace ricci {

using std::expected;
using std::unexpected;

}  // namespace ricci

#else

#include <exception>
#include <utility>
#include <variant>

namespace ricci {

/// Marks an error, so that it can be told from a value.
template <class E>
class unexpected {
public:
    constexpr explicit unexpected(E error) : error_(std::move(error)) {}
    constexpr const E& error() const& noexcept { return error_; }
    constexpr E&& error() && noexcept { return std::move(error_); }

private:
    E error_;
};

/// What value() throws where there is none.
class bad_expected_access : public std::exception {
public:
    const char* what() const noexcept override { return "ricci::expected holds no value"; }
};

/// The part of std::expected that callers use most: the same names, the same meaning.
template <class T, class E>
class expected {
public:
    using value_type = T;
    using error_type = E;

    constexpr expected(T value) : held_(std::in_place_index<0>, std::move(value)) {}
    constexpr expected(unexpected<E> error)
        : held_(std::in_place_index<1>, std::move(error).error()) {}

    constexpr bool has_value() const noexcept { return held_.index() == 0; }
    constexpr explicit operator bool() const noexcept { return has_value(); }

    // Undefined where there is no value, as in the standard's type.
    constexpr T& operator*() & noexcept { return *std::get_if<0>(&held_); }
    constexpr const T& operator*() const& noexcept { return *std::get_if<0>(&held_); }
    constexpr T&& operator*() && noexcept { return std::move(*std::get_if<0>(&held_)); }
    constexpr T* operator->() noexcept { return std::get_if<0>(&held_); }
    constexpr const T* operator->() const noexcept { return std::get_if<0>(&held_); }

    constexpr T& value() & { return check(), **this; }
    constexpr const T& value() const& { return check(), **this; }
    constexpr T&& value() && { return check(), std::move(**this); }
    template <class U>
    constexpr T value_or(U&& other) const& {
        return has_value() ? **this : static_cast<T>(std::forward<U>(other));
    }

    // Undefined where there is a value.
    constexpr E& error() & noexcept { return *std::get_if<1>(&held_); }
    constexpr const E& error() const& noexcept { return *std::get_if<1>(&held_); }
    constexpr E&& error() && noexcept { return std::move(*std::get_if<1>(&held_)); }

private:
    constexpr void check() const {
        if (!has_value()) throw bad_expected_access();
    }

    std::variant<T, E> held_;
};

}  // namespace ricci

#endif
