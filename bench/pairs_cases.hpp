// The programs of bench_pairs, with what each is compared with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/pairs_loops.hpp"

namespace ricci::bench {

struct pairs_operand {
    std::string name;
    std::vector<std::size_t> extents;
    std::int32_t places = 0;  // not 0: whole numbers below it
    float mean = 0;           // of the elements; a scalar is this, or 1
    float spread = 0.3f;
};

struct pairs_case {
    std::string name = {}, text = {}, of = {};  // of: an output to differentiate, or nothing
    std::vector<std::string> by = {};
    std::vector<pairs_operand> operands = {};
    std::string plane = {};  // what a second program keeps, and so stores
    double flops = 0;        // as is usual in the field: none where memory is the bound
    double goal = 0;         // of the peak, at least; 0: none
    const pairs_loop* loop = nullptr;
    std::string by_products = {};  // the same in another form, by products, or nothing
    bool exact = false;            // distances
    bool finds_places = false;     // FAISS finds the same
    double bytes = 0;              // what has to be read, where that is the bound
};

/// All of them. Flops of a pair: 20 for forces, 16 for a kernel or a step of Sinkhorn's in three
/// dimensions, 8 for the nearest point, and 2 for each multiplication of a product.
std::vector<pairs_case> pairs_cases();

}  // namespace ricci::bench
