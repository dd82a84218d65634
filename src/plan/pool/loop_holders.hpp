// How many factors of a product have each of its loops: what a sum may take away is seen without
// looking at all other factors again.
#pragma once

#include <cstdint>

#include "src/plan/pool/expression.hpp"
#include "src/plan/pool/loops.hpp"

namespace ricci::plan {

class loop_holders {
public:
    loop_holders(const graph& values, const expr_list& factors);

    /// All loops that the factors had at first.
    const loop_list& loops() const { return loops_; }
    /// How many factors have one of these loops now.
    std::int32_t operator[](loop l) const { return counts_[place_of(l)]; }
    /// A factor more, of some of these loops, or one less.
    void add(const loop_list& factor);
    void remove(const loop_list& factor);

private:
    std::size_t place_of(loop l) const;

    loop_list loops_;
    short_list<std::int32_t, 6> counts_;
};

}  // namespace ricci::plan
