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
#include <new>
#include <utility>

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

/// The part of std::expected that callers use most: the same names, the same meaning. A union of
/// its own, because std::variant would cost every user's file its header.
template <class T, class E>
class expected {
public:
    using value_type = T;
    using error_type = E;

    expected(T value) : has_value_(true) {
        ::new (static_cast<void*>(&value_)) T(std::move(value));
    }
    expected(unexpected<E> error) : has_value_(false) {
        ::new (static_cast<void*>(&error_)) E(std::move(error).error());
    }
    expected(const expected& other) : has_value_(other.has_value_) {
        if (has_value_) ::new (static_cast<void*>(&value_)) T(other.value_);
        else ::new (static_cast<void*>(&error_)) E(other.error_);
    }
    expected(expected&& other) noexcept : has_value_(other.has_value_) { take(std::move(other)); }
    expected& operator=(expected other) noexcept {
        destroy();
        has_value_ = other.has_value_;
        take(std::move(other));
        return *this;
    }
    ~expected() { destroy(); }

    bool has_value() const noexcept { return has_value_; }
    explicit operator bool() const noexcept { return has_value_; }

    // Undefined where there is no value, as in the standard's type.
    T& operator*() & noexcept { return value_; }
    const T& operator*() const& noexcept { return value_; }
    T&& operator*() && noexcept { return std::move(value_); }
    T* operator->() noexcept { return &value_; }
    const T* operator->() const noexcept { return &value_; }

    T& value() & { return check(), **this; }
    const T& value() const& { return check(), **this; }
    T&& value() && { return check(), std::move(**this); }
    template <class U>
    T value_or(U&& other) const& {
        return has_value() ? **this : static_cast<T>(std::forward<U>(other));
    }

    // Undefined where there is a value.
    E& error() & noexcept { return error_; }
    constexpr const E& error() const& noexcept { return error_; }
    constexpr E&& error() && noexcept { return std::move(error_); }

private:
    void check() const {
        if (!has_value()) throw bad_expected_access();
    }

    void take(expected&& other) noexcept {
        if (has_value_) ::new (static_cast<void*>(&value_)) T(std::move(other.value_));
        else ::new (static_cast<void*>(&error_)) E(std::move(other.error_));
    }
    void destroy() noexcept {
        if (has_value_) value_.~T();
        else error_.~E();
    }

    bool has_value_;
    union {
        T value_;
        E error_;
    };
};

}  // namespace ricci

#endif
