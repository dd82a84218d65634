// What is said of shapes that do not fit. Templates: files that ask for no shapes build nothing of
// it.
#pragma once

#include <cstdint>

#include <ricci/ir/mistake.hpp>
#include <ricci/ir/print.hpp>
#include <ricci/ir/program.hpp>

namespace ricci::ir {

template <class Program>
constexpr void in_equation(const Program& p, detail::text_builder& s, ref e) {
    if constexpr (has_words<Program>) {
        s << "in ";
        show(p, p.equations[e], s);
        s << " : ";
    }
}
/// Which axis gave an index its extent; none: the caller did.
constexpr void say_origin(const auto& p, detail::text_builder& s, ref name, std::int32_t axis) {
    if (name != none) s << " in axis " << axis << " of " << p.name(name);
    else s << " as the caller gave it";
}
constexpr mistake wrong_rank(const auto& p, ref name, std::int32_t rank, std::int32_t wanted) {
    detail::text_builder s;
    const name_symbol& known = p.names[name];
    if (known.kind == name_kind::plain) {
        s << p.name(name) << " has rank " << rank << " and the equations give it ";
    } else {  // its shape is that of the tensor that it is of
        s << p.name(known.of) << " has rank " << rank - known.numerator_rank << ", and "
          << p.name(name) << ", which has its axes, has ";
    }
    s << wanted << (wanted == 1 ? " index" : " indices");
    if (known.kind != name_kind::plain) s << " in the equations";
    return make_mistake(mistake_kind::rank, s);
}
/// An axis of a derivative, and the one of a tensor that it is of, whose extent it should have.
constexpr mistake wrong_derivative(const auto& p, ref name, std::int32_t axis, std::int64_t extent,
                                   ref of, std::int32_t there, std::int64_t its) {
    detail::text_builder s;
    s << "axis " << axis << " of " << p.name(name) << " has extent " << extent << " and axis "
      << there << " of " << p.name(of) << " has " << its
      << "; a derivative has the axes of what it is of";
    return make_mistake(mistake_kind::extents, s);
}
/// "i runs over axis 2 of v, which has rank 1"
constexpr mistake no_such_axis(const auto& p, ref e, ref i, std::int32_t rank) {
    const axis& along = p.indices[i].along;
    detail::text_builder s;
    in_equation(p, s, e);
    s << "the index " << p.index(i) << " runs over axis " << along.number << " of "
      << p.name(along.tensor) << ", which has rank " << rank << "; axes are numbered from 0";
    return make_mistake(mistake_kind::rank, s);
}
constexpr mistake too_many_elements(const auto& p, ref e, ref name) {
    detail::text_builder s;
    in_equation(p, s, e);
    s << p.name(name) << " has more elements than memory has addresses";
    return make_mistake(mistake_kind::extents, s);
}
constexpr mistake too_far_places(const auto& p, ref e, ref name, std::int32_t axis) {
    detail::text_builder s;
    in_equation(p, s, e);
    s << "the places in axis " << axis << " of " << p.name(name)
      << " are beyond what 64 bits can count";
    return make_mistake(mistake_kind::extents, s);
}
constexpr mistake unknown_extent(const auto& p, ref e, ref i) {
    detail::text_builder s;
    in_equation(p, s, e);
    ref name = p.equations[e].name;
    s << "the shapes do not give the extent of the index " << p.index(i) << "; bind it: \""
      << p.index(i) << "\"_i = ...";
    while (p.names[name].kind == name_kind::tangent) name = p.names[name].of;
    if (p.names[name].kind == name_kind::cotangent && p.names[name].of != none)
        s << ", or bind " << p.name(p.names[name].of) << ", whose shape this has";
    return make_mistake(mistake_kind::unknown_extent, s);
}

/// "nothing says which extent the index k has": conditions or letters say these two.
constexpr mistake two_extents(const auto& p, ref e, ref i, const auto& a, const auto& b) {
    detail::text_builder s;
    in_equation(p, s, e);
    s << "nothing says which extent the index " << p.index(i) << " has: " << a.extent;
    say_origin(p, s, a.name, a.axis);
    s << ", or " << b.extent;
    say_origin(p, s, b.name, b.axis);
    s << "; bind it: \"" << p.index(i) << "\"_i = ...";
    const auto& of = a.name != none ? a : b;
    if (of.name != none)
        s << ", or write its axis behind the equation: " << p.index(i)
          << " \\in \\operatorname{axis}_" << of.axis << "(" << p.name(of.name) << ")";
    return make_mistake(mistake_kind::extents, s);
}

}  // namespace ricci::ir
