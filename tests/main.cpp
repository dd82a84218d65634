// The main function of every Catch2 executable where the system has version 2, which is headers
// only.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
