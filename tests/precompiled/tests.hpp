// What nearly all tests include, compiled once for those that are compiled in the same way. Each file
// includes what it needs nevertheless.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/catch.hpp"
