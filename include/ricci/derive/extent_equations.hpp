// The equations of tensors that are there for their shapes alone: each gives an index the extent
// that it has where the source binds it.
#pragma once

#include <cstdint>

#include <ricci/derive/tidy.hpp>
#include <ricci/ir/primes.hpp>

namespace ricci::derive {

using detail::buffer;
using ir::none;
using ir::ref;

/// What has no axis to run over, as i in \sum_i x^{2i}, would be one of a tensor that is what the
/// sign stands before. It is defined where an equation comes to need it, and for its shape alone.
template <class Program>
struct extent_giver {
    ref name;
    ref index;
    ref body;
    ref before;  // the tensor whose equation has the sign
    std::int32_t place;
    ir::axis partner;  // of the index of its letter that it has its extent from, unless it is given
    bool by_letter;    // before anything in the body says it
};

/// What says the extent: what the sign stands before, and beside it a count of the index whose
/// extent its letter shares; of what is its letter's before all else that count alone.
template <class Program>
constexpr ref extent_body(Program& p, const extent_giver<Program>& g) {
    if (g.partner.tensor == none) return g.body;
    ir::index_set all;
    if (!g.by_letter) ir::add_indices(p, g.body, all);
    for (ref i = 0, last = all.end(); i < last; ++i)
        if (all.has(i) && ir::letter_of(p, i) == ir::letter_of(p, g.index) &&
            p.indices[i].along == g.partner)
            return g.body;
    all.add(g.index);
    const ref fresh = with_more_primes(p, g.index, all);
    const ref both[] = {count_over(p, index_like(p, fresh, g.partner)), g.body};
    return g.by_letter ? both[0] : p.make(op::multiply, 0, both, 2);
}

template <class Program>
constexpr ir::equation extent_equation(Program& p, const extent_giver<Program>& g) {
    const ref body = extent_body(p, g);
    const ir::index_set free = ir::free_indices(p, body);
    const ir::range at{p.positions.size(), 0};
    p.positions.push(ir::index_position(g.index));
    for (ref i = 0, last = free.end(); i < last; ++i)
        if (free.has(i) && i != g.index) p.positions.push(ir::index_position(i));
    return {g.name, {at.first, p.positions.size() - at.first}, body, false, {}};
}

}  // namespace ricci::derive
