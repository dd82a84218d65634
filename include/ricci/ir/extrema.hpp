// Places of extrema: what the functions that give them make of a tensor.
#pragma once

#include <ricci/ir/program.hpp>

namespace ricci::ir {

/// Whether the value is a place of the axis that the reduction runs over: a whole number. It stands
/// alone on the right of an equation.
constexpr bool gives_place(reduction r) { return r == reduction::argmax || r == reduction::argmin; }
constexpr bool gives_place(const node& x) {
    return x.kind == op::reduce && gives_place(static_cast<reduction>(x.detail));
}

/// Whether the tensor is one of places: its elements are whole numbers of 32 bits, whatever others
/// hold.
template <class Program>
constexpr bool is_of_places(const Program& p, ref name) {
    const ref e = p.definition(name);
    return e != none && gives_place(p.nodes[p.equations[e].body]);
}

}  // namespace ricci::ir
