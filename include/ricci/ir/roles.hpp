// What a tensor is to a program: an input, an output, and whether it holds places of an axis.
#pragma once

#include <cstdint>

#include <ricci/detail/buffer.hpp>
#include <ricci/ir/axes.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::ir {

constexpr bool is_input(const program_view& p, ref name) {
    if (p.definition(name) != none) return false;
    if (gives_axis(p, name)) return true;
    for (const equation& e : p.equations)
        if (!e.claim && uses_name(p, e.body, name)) return true;
    return false;
}
/// Marks the tensors that an expression reads.
constexpr void mark_read(const program_view& p, ref n, detail::buffer<bool>& read) {
    const node& x = p.nodes[n];
    if (x.kind == op::tensor) read[x.name] = true;
    for (std::int32_t k = 0; k < x.children.count; ++k) mark_read(p, p.child(x, k), read);
}
/// Defined, and not used by another equation or kept.
constexpr bool is_output(const program_view& p, ref name) {
    if (p.definition(name) == none || p.names[name].shape_only) return false;
    if (p.names[name].kept) return true;
    for (const equation& e : p.equations)
        if (!e.claim && uses_name(p, e.body, name)) return false;
    return true;
}
/// The same of all names at once, in the order of the names: is_input and is_output look through
/// all equations for each.
class roles {
public:
    constexpr explicit roles(const program_view& p) {
        defined_.resize(p.names.size(), false);
        used_.resize(p.names.size(), false);
        for (const equation& e : p.equations)
            if (!e.claim) {
                defined_[e.name] = true;
                mark_read(p, e.body, used_);
            }
        for (const index_symbol& i : p.indices)
            if (i.along.tensor != none) used_[i.along.tensor] = true;
    }
    constexpr bool is_input(ref name) const { return used_[name] && !defined_[name]; }
    constexpr bool is_output(const program_view& p, ref name) const {
        return defined_[name] && !p.names[name].shape_only && (p.names[name].kept || !used_[name]);
    }

private:
    detail::buffer<bool> defined_;
    detail::buffer<bool> used_;  // by an equation that is no claim
};
constexpr std::int32_t rank_of(const program_view& p, ref name) {
    const ref defined = p.definition(name);
    if (defined != none) return p.equations[defined].positions.count;
    std::int32_t rank = 0;
    for (const equation& e : p.equations)
        for_each_node(p, e.body, [&](ref n) {
            const node& x = p.nodes[n];
            if (x.kind == op::tensor && x.name == name) rank = x.positions.count;
        });
    return rank;
}

/// Whether the tensor stands as a condition somewhere below.
template <class Program>
constexpr bool has_truth_of(const Program& p, ref n, ref name) {
    const node& x = p.nodes[n];
    if (is_truth(x)) return p.nodes[p.links[x.children.first]].name == name;
    for (std::int32_t k = 0; k < x.children.count; ++k)
        if (has_truth_of(p, p.links[x.children.first + k], name)) return true;
    return false;
}

/// Whether every use of a tensor below a node takes its value for a place of an axis, x in
/// E^{x_i a}, or for nothing but its shape, as x^0 does, or is in a condition, which compares
/// numbers of any type.
constexpr bool only_places(const program_view& p, ref n, ref name) {
    const node& x = p.nodes[n];
    if (x.kind == op::compare || is_power_of_zero(p, x)) return true;
    for (std::int32_t k = 0; k < x.children.count; ++k) {
        const ref child = p.child(x, k);
        const bool is_name = p.nodes[child].kind == op::tensor && p.nodes[child].name == name;
        if ((is_name && x.kind != op::tensor) || !only_places(p, child, name)) return false;
    }
    return true;
}
constexpr bool holds_places(const program_view& p, ref name) {
    for (const equation& e : p.equations) {
        const node& x = p.nodes[e.body];
        if (e.claim) continue;
        if ((x.kind == op::tensor && x.name == name) || !only_places(p, e.body, name)) return false;
    }
    return true;
}

}  // namespace ricci::ir
