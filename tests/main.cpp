// The main function of every Catch2 executable where the system has version 2, which is headers
// only.
#define CATCH_CONFIG_RUNNER
#include <cstdlib>

#include <catch2/catch.hpp>

int main(int count, char** words) {
    // What groups compute is tested where few rows and columns show it, which are quicker stored.
    setenv("RICCI_FUSE_ALL", "1", 0);
    return Catch::Session().run(count, words);
}
