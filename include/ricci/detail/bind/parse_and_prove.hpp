// From text to a program whose claims hold: the whole front end, in one call.
#pragma once

#include <ricci/detail/bind/parse_and_define.hpp>
#include <ricci/derive/prove.hpp>

namespace ricci::detail {

/// Reads equations, and proves what they claim of themselves.
constexpr notation::parse_result parse_and_prove(text_view text) {
    notation::parse_result result = parse_and_define(text);
    if (!result.mistake) result.mistake = derive::check_claims(result.program, text);
    return result;
}

}  // namespace ricci::detail
