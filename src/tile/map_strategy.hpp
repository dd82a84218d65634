// What carries out a map or a copy: the strategy of one element type, or a transposition.
#pragma once

#include <cstddef>

namespace ricci::elementwise {

class map_strategy {
public:
    virtual ~map_strategy() = default;
    /// `bases`: the first element of each operand, the output's first.
    virtual void run(void* const* bases) const = 0;
    /// What each of its tasks lends while it runs.
    virtual std::size_t lent_bytes() const { return 0; }
};

}  // namespace ricci::elementwise
