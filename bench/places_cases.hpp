// The programs of bench_places, with what each is compared with.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "bench/places_loops.hpp"

namespace ricci::bench {

/// What a program is timed beside.
enum class peer : std::uint8_t {
    loops,    // its plain loops
    copy,     // a copy of `amount` floats
    rows,     // a gather of as many rows as X has, `amount` floats
    product,  // `amount` times this library's product of `product`
    apart,    // the program `rows_first`, then `product_then`
    peak,     // the fused multiply-adds of `flops`
};

struct place_operand {
    std::string name, letters;  // a letter for the extent of each axis
    char below = 0;             // not 0: whole numbers below that extent
    float mean = 0, spread = 0.5f;
};

struct place_case {
    std::string name, text, of;  // of: an output to differentiate, or nothing
    std::string group;           // what several cases are named by at once
    std::vector<std::string> by;
    std::vector<place_operand> operands, outputs;
    std::string given;  // letters whose extents no operand says
    std::map<char, long> extents, small;
    place_loops loops = nullptr;  // what checks the results, where there are some
    peer beside = peer::loops;
    double goal = 0;  // the peer's time over the program's, at least; 0: none

    /// The product of some extents.
    double size(const std::string& letters) const {
        double all = 1;
        for (const char x : letters) all *= static_cast<double>(extents.at(x));
        return all;
    }
    std::string rows_first, product_then;  // two programs that do the same; the first gives T
    std::string copied;                    // letters of what is copied
    double times = 1;                      // as often
    std::string counted;                   // letters of the multiplications, 2 operations each
    double counted_times = 1;
};

/// The case with its gradients: the slope is an operand, and the derivatives are the outputs.
place_case gradients(place_case c, const std::string& of, std::vector<std::string> by,
                     place_loops loops, double goal);

/// All of them, with extents that are run in a blink where `small` says so.
std::vector<place_case> place_cases(bool small);

/// Programs that one letter could make slow, each beside the least work that gives its result.
std::vector<place_case> cliff_cases();

}  // namespace ricci::bench
