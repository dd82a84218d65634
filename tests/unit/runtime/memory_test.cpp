// What is said of the machine's memory.
#include "src/runtime/machine_memory.hpp"
#include "tests/catch.hpp"

using namespace ricci;

TEST_CASE("what is free is some of the machine's memory") {
    CHECK(runtime::machine_memory() > 0);
    CHECK(runtime::free_memory() > 0);
    CHECK(runtime::free_memory() <= runtime::machine_memory());
}
