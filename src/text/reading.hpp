// The front end as functions: each of its big passes is compiled once, in one file.
#pragma once

#include <string>

#include <ricci/detail/text.hpp>
#include <ricci/derive/judge.hpp>
#include <ricci/notation/parse.hpp>

namespace ricci::detail {

/// Reads equations; nothing is derived for the derivatives that they may use, and no claim is
/// proved.
notation::parse_result read_equations(text_view text);

/// Reads equations and derives the derivatives that they use.
notation::parse_result define_equations(text_view text);

/// What is known of `claims`, and the same as a yes or no.
derive::judgement judge_claims(const ir::program_view& p, const ir::program& claims);
/// The claim number `claim` on numbers, whatever a proof says.
derive::judgement try_claims(const ir::program_view& p, const ir::program& claims,
                             std::int32_t claim);
bool proves_claims(const ir::program_view& p, const ir::program& claims);

}  // namespace ricci::detail
