// Random programs: the engine's results from the text are those of the interpreter from the
// meaning.
#include <string>

#include "tests/catch.hpp"
#include "tests/property/generator.hpp"
#include "tests/property/run.hpp"
#include "tests/property/settings.hpp"
#include "tests/property/shrink.hpp"

using namespace ricci::testing;

TEST_CASE("random programs mean what they say") {
    const unsigned first = first_seed(), count = program_count(3000);
    unsigned failures = 0;
    for (unsigned seed = first; seed < first + count && failures < 5; ++seed) {
        const random_program p = generator(seed, {}).run();
        if (check_run(p).empty()) continue;
        ++failures;
        const random_program small = shrinker(check_run).run(p);
        UNSCOPED_INFO(describe(small, check_run(small)));
        CHECK(false);
    }
    CHECK(failures == 0);
}
