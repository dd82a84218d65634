// Random programs that a test looks at, one after another.
#pragma once

#include "tests/catch.hpp"
#include "tests/property/generator.hpp"
#include "tests/property/settings.hpp"
#include "tests/property/shrink.hpp"

namespace ricci::testing {

/// Fails for every program of which `check` says that something is wrong, and shows the smallest
/// one found of which it still says so. Gives up after a few.
template <class Check>
void on_random_programs(unsigned count, const constructs& allowed, const Check& check) {
    const unsigned first = first_seed();
    unsigned failures = 0;
    for (unsigned seed = first; seed < first + count && failures < 5; ++seed) {
        const random_program p = generator(seed, allowed).run();
        const std::string wrong = check(p);
        if (wrong.empty()) continue;
        ++failures;
        const random_program small = shrinker(check).run(p);
        UNSCOPED_INFO(describe(small, check(small)) << "before it was made smaller: " << wrong);
        CHECK(false);
    }
    CHECK(failures == 0);
}

}  // namespace ricci::testing
