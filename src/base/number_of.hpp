// A number that says which of several things is meant, and of which kind: it is no integer.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace ricci {

/// The place of a `Kind` in the table of them, from 0, or none. Numbers of different kinds are
/// types of their own that neither convert into each other nor into integers; `Kind` is a tag.
template <class Kind>
class number_of {
public:
    static const number_of none;

    constexpr number_of() = default;
    constexpr explicit number_of(std::int32_t number) : number_(number) {}
    constexpr explicit number_of(std::size_t place) : number_(static_cast<std::int32_t>(place)) {}

    /// Whether it is the number of something.
    constexpr explicit operator bool() const { return number_ >= 0; }
    /// -1: none.
    constexpr std::int32_t number() const { return number_; }
    /// Where in a table it is; not of none.
    constexpr std::size_t index() const { return static_cast<std::size_t>(number_); }

    friend constexpr bool operator==(number_of, number_of) = default;
    friend constexpr auto operator<=>(number_of, number_of) = default;

private:
    std::int32_t number_ = -1;
};

template <class Kind>
constexpr number_of<Kind> number_of<Kind>::none{};

}  // namespace ricci

template <class Kind>
struct std::hash<ricci::number_of<Kind>> {
    std::size_t operator()(ricci::number_of<Kind> n) const {
        return std::hash<std::int32_t>()(n.number());
    }
};
