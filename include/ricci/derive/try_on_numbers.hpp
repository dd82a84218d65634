// A claim on numbers alone, which nobody asks a compiler for.
#pragma once

#include <cstdint>

#include <ricci/derive/judge.hpp>

namespace ricci::derive {

/// The equation number `claim` of the claims tried on numbers, whatever a proof says: `tried` holds
/// both sides.
template <class Source, class Claims>
constexpr judgement try_on_numbers(const Source& source, const Claims& claims,
                                   std::int32_t claim = 0, const effort& most = default_effort()) {
    ir::claim_set set(source, claims);
    const bool complex = speaks_of_complex_numbers(source) || speaks_of_complex_numbers(claims);
    ir::program scratch(set.scratch().view());
    std::int32_t which = 0;
    for (std::int32_t k = 0; k < set.claims().size(); ++k)
        if (set.number(k) == claim) which = k;
    return claim_judge(scratch, source.equations.size(), set.claims()[which], complex, most)
        .on_numbers();
}

}  // namespace ricci::derive
