// From text to a program whose claims hold: the whole front end, in one call.
#pragma once

#include <ricci/derive/definitions.hpp>
#include <ricci/derive/prove.hpp>
#include <ricci/notation/parse.hpp>

namespace ricci {

/// Reads equations and derives the derivatives that they use of tensors that they define.
constexpr notation::parse_result parse_and_define(detail::text_view text) {
    notation::parse_result result = notation::parse_equations(text);
    if (result.mistake) return result;
    bool more = derive::define_tangents(result.program);
    derive::derivative_definitions derivatives(result.program, text);
    more = derivatives.run() || more;
    result.mistake = derivatives.mistake();
    if (more && !result.mistake) result.mistake = ir::order_equations(result.program, text);
    if (more && !result.mistake) result.mistake = notation::check_ranks(result.program, text);
    return result;
}

/// Reads equations, and proves what they claim of themselves.
constexpr notation::parse_result parse_and_prove(detail::text_view text) {
    notation::parse_result result = parse_and_define(text);
    if (!result.mistake) result.mistake = derive::check_claims(result.program, text);
    return result;
}

}  // namespace ricci
