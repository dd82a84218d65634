// The spelling of derivatives: "dL/dX", "dA/dS", "d(dL/dX)/dX", and of tangents: "d/dt Y".
#pragma once

#include <cstdint>

#include <ricci/detail/text.hpp>

namespace ricci::ir {

using detail::text_view;

/// What stands on the two sides of the slash in "dA/dS"; both empty when it is no derivative.
struct derivative_parts {
    text_view numerator;
    text_view of;
};

/// "d/dt Y" as the tensor Y and what it moves along: t, or t with primes.
struct tangent_parts {
    text_view along;
    text_view of;
};
constexpr tangent_parts parts_of_tangent(text_view name) {
    if (name.size < 6 || !(name.slice(0, 4) == "d/dt")) return {};
    std::int32_t end = 4;
    while (end < name.size && name[end] == '\'') ++end;
    if (end + 1 >= name.size || name[end] != ' ') return {};
    return {name.slice(3, end), name.slice(end + 1, name.size)};
}

constexpr text_view without_brackets(text_view part) {
    const bool bracketed = part.size > 2 && part[0] == '(' && part[part.size - 1] == ')';
    return bracketed ? part.slice(1, part.size - 1) : part;
}

/// "dA/dS" in its parts, which lose brackets around them.
constexpr derivative_parts parts_of_derivative(text_view name) {
    if (name.size < 4 || name[0] != 'd') return {};
    std::int32_t depth = 0;
    for (std::int32_t k = 1; k + 2 < name.size; ++k) {
        if (name[k] == '(') ++depth;
        if (name[k] == ')') --depth;
        if (name[k] == '/' && name[k + 1] == 'd' && depth == 0 && k > 1)
            return {without_brackets(name.slice(1, k)),
                    without_brackets(name.slice(k + 2, name.size))};
    }
    return {};
}

/// The derivative of `numerator` by the tensor `of`; one of a derivative stands in brackets.
constexpr detail::text_builder cotangent_spelling(text_view numerator, text_view of) {
    const auto is_derivative = [](text_view part) {
        for (char c : part)
            if (c == '/') return true;
        return false;
    };
    detail::text_builder out;
    out << 'd';
    if (is_derivative(numerator)) out << '(' << numerator << ')';
    else out << numerator;
    out << "/d";
    if (is_derivative(of)) out << '(' << of << ')';
    else out << of;
    return out;
}

/// The directional derivative of the tensor `of` along `along`.
constexpr detail::text_builder tangent_spelling(text_view along, text_view of) {
    detail::text_builder out;
    out << "d/d" << along << ' ' << of;
    return out;
}

}  // namespace ricci::ir
