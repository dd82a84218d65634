// The steps of a body, in order, before its values have places in memory.
#pragma once

#include <cstdint>
#include <vector>

#include "src/bodies/body.hpp"

namespace ricci::bodies {

/// An argument before its place in memory is known: of a leaf, or a block or a result by number.
struct place {
    int leaf = -1, block = -1, result = -1;
};

struct step {
    int id = kernels::body_id::end;
    int fold = -1;  // its state is x
    place x, y, z;
    std::uint32_t apart = 0;  // z where it is no place
    bool stores_block() const { return id == kernels::body_id::store && x.block >= 0; }
};

struct generated {
    std::vector<step> steps;
    int blocks = 0;  // of memory, which values share
};

generated generate(const body& what);

}  // namespace ricci::bodies
