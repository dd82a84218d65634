// Places that were written out as a sum over the axis, \sum_p [p = i - 1] x^p, read again.
#pragma once

#include <cstdint>

#include <ricci/ir/program.hpp>

namespace ricci::ir {

/// Whether the index is one that such a sum runs over: these have two primes.
constexpr bool is_written_out(const program_view& p, ref index) {
    const text_view s = p.index(index);
    return s.size > 2 && s.data[s.size - 1] == '\'' && s.data[s.size - 2] == '\'';
}

/// The index that such a sum runs over, of a condition [p = i - 1]; none of others.
constexpr ref written_axis(const program_view& p, const node& x) {
    if (x.kind != op::compare || x.detail != static_cast<std::uint8_t>(comparison::equal))
        return none;
    const node& axis = p.nodes[p.links[x.children.first]];
    if (axis.kind != op::position) return none;
    const ref index = p.at(axis.positions, 0).index;
    return is_written_out(p, index) ? index : none;
}

/// offset + sum of coefficient * index.
struct written_place {
    bool known = true;  // it is such a sum
    std::int64_t offset = 0;
    detail::buffer<affine_term> terms = {};
};

constexpr void add_written_place(const program_view& p, ref n, std::int32_t times,
                                 written_place& to) {
    const node& x = p.nodes[n];
    const auto whole = [](double v) {
        return v > -1e6 && v < 1e6 && v == static_cast<double>(static_cast<std::int32_t>(v));
    };
    if (x.kind == op::number && whole(x.value)) {
        to.offset += times * static_cast<std::int64_t>(x.value);
    } else if (x.kind == op::position) {
        const ref index = p.at(x.positions, 0).index;
        for (affine_term& t : to.terms)
            if (t.index == index) {
                t.coefficient += times;
                return;
            }
        to.terms.push({index, times});
    } else if (x.kind == op::multiply && x.children.count == 2 &&
               p.nodes[p.links[x.children.first]].kind == op::number &&
               whole(p.nodes[p.links[x.children.first]].value) && times == 1) {
        add_written_place(p, p.links[x.children.first + 1],
                          static_cast<std::int32_t>(p.nodes[p.links[x.children.first]].value), to);
    } else if (x.kind == op::add && times == 1) {
        for (std::int32_t k = 0; k < x.children.count; ++k)
            add_written_place(p, p.links[x.children.first + k], times, to);
    } else {
        to.known = false;
    }
}
/// The place in [p = place], also inside wrap, or clamp.
constexpr written_place read_written_place(const program_view& p, ref n) {
    for (const node* x = &p.nodes[n]; x->kind == op::apply && x->children.count == 2;
         x = &p.nodes[n])
        n = p.links[x->children.first +
                    (x->detail == static_cast<std::uint8_t>(function::modulo) ? 0 : 1)];
    written_place out;
    add_written_place(p, n, 1, out);
    return out;
}

}  // namespace ricci::ir
