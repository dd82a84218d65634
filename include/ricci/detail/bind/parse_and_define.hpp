// From text to a program that computes: equations are read, and the derivatives in them derived.
#pragma once

#include <ricci/derive/definitions.hpp>
#include <ricci/notation/parse.hpp>

namespace ricci::detail {

/// Derives the derivatives that a program uses of tensors that it defines. A template, as all of
/// derive/definitions.hpp: texts without derivatives build nothing of it.
template <class Result>
constexpr void define_derivatives(Result& result, text_view text) {
    derive::derivative_definitions derivatives(result.program, text);
    bool more = derive::define_tangents(result.program);
    more = derivatives.run() || more;
    result.mistake = derivatives.mistake();
    if (more && !result.mistake) result.mistake = ir::order_equations(result.program, text);
    if (more && !result.mistake) result.mistake = notation::check_ranks(result.program, text);
    if (more && !result.mistake) ir::mark_shape_only(result.program);
}

/// Reads equations and derives the derivatives that they use of tensors that they define.
template <class Result = notation::parse_result>
constexpr Result parse_and_define(text_view text) {
    Result result = notation::parse_equations(text);
    if (!result.mistake && ir::speaks_of_derivatives(result.program))
        define_derivatives(result, text);
    return result;
}

}  // namespace ricci::detail
