// Times, and what the machine could do at best.
#pragma once

#include <vector>

#include "examples/gpt/weights.hpp"

namespace gpt {

/// Seconds since some time in the past.
double now();
/// Seconds that a call of f takes.
template <class F>
double seconds(F f) {
    const double start = now();
    f();
    return now() - start;
}
/// `times` not empty.
double median(std::vector<double> times);

/// The least time in which all weights that a next token takes can be read: they are summed.
double time_of_reading(const weights& m);
/// Operations a second of a product of 1024 x 1024 x 1024.
double rate_of_products();

}  // namespace gpt
