// Random programs: the engine's results from the text are those of the interpreter from the
// meaning.
#include <string>

#include "tests/catch.hpp"
#include "tests/property/generator.hpp"
#include "tests/property/random_programs.hpp"
#include "tests/property/run.hpp"
#include "tests/property/settings.hpp"

using namespace ricci::testing;

TEST_CASE("random programs mean what they say") {
    on_random_programs(program_count(3000), {}, check_run);
}
