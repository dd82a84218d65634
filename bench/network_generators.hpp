// Networks from their definitions, for tests, measurements and examples: each with values, and where
// the value of the whole is known, the comment says it.
#pragma once

#include "bench/networks/circuits.hpp"
#include "bench/networks/lattices.hpp"
#include "bench/networks/models.hpp"
#include "bench/networks/parts.hpp"
#include "bench/networks/states.hpp"
