// What counts as a condition, 1 or 0 everywhere, and which conditions a product is hidden by: where
// one is false, the product is 0 whatever its other factors are.
#pragma once

#include <cstdint>

#include <ricci/ir/program.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::ir {

/// Whether a node is a bracket as written: a comparison, or the opposite of one.
constexpr bool is_bracket(const node& x) {
    return x.kind == op::compare ||
           (x.kind == op::apply && x.detail == static_cast<std::uint8_t>(function::logical_not));
}
/// Cases, brackets and numbers alone may leave out an index of the left side. Numbers of the caller
/// are some beside cases and brackets: n^{ij} = k may lack the indices of a tensor k.
template <class Program>
constexpr bool is_mask(const Program& p, ref body) {
    bool conditions = false, numbers = false, tensors = false;
    for_each_node(p, body, [&](ref n) {
        const node& x = p.nodes[n];
        conditions = conditions || is_bracket(x) || x.kind == op::choose;
        if (x.kind == op::tensor) (x.positions.count == 0 ? numbers : tensors) = true;
    });
    return !tensors && (conditions || !numbers);
}
/// Whether a bracket is a factor of a node, or of what stands above its stroke.
template <class Program>
constexpr bool has_bracket(const Program& p, ref n) {
    const node& x = p.nodes[n];
    if (x.kind == op::divide) return has_bracket(p, p.links[x.children.first]);
    if (x.kind != op::multiply) return is_bracket(x);
    for (std::int32_t k = 0; k < x.children.count; ++k)
        if (has_bracket(p, p.links[x.children.first + k])) return true;
    return false;
}
/// Which children of a node are in cases, or beside a bracket that multiplies them, so that places
/// which they read need not exist where that is false.
class guarded_children {
public:
    template <class Program>
    constexpr guarded_children(const Program& p, const node& x) {
        const bool logic =
            x.kind == op::compare && x.detail >= static_cast<std::uint8_t>(comparison::logical_and);
        all_ = x.kind == op::choose || logic;
        const bool quotient = x.kind == op::divide;
        if (!quotient && x.kind != op::multiply) return;
        for (std::int32_t k = 0; k < (quotient ? 1 : x.children.count) && brackets_ < 2; ++k)
            if (has_bracket(p, p.links[x.children.first + k])) {
                ++brackets_;
                bracket_ = k;
            }
    }
    constexpr bool operator()(std::int32_t k) const {
        return all_ || brackets_ > 1 || (brackets_ == 1 && bracket_ != k);
    }

private:
    bool all_ = false;
    std::int32_t brackets_ = 0;  // children that are brackets; two are as good as many
    std::int32_t bracket_ = 0;   // the only one
};

/// Which tensors are conditions by their definitions, as m is by m^i = [y_i >= 0]. A tensor is
/// defined above its uses; one of several parts is a condition if all of them are.
template <class Program>
class condition_names {
public:
    constexpr condition_names() = default;
    constexpr explicit condition_names(const Program& p) {
        is_.resize(p.names.size(), 0);
        for (ref e = 0; e < p.equations.size(); ++e) {
            const equation& q = p.equations[e];
            if (q.claim || p.names[q.name].shape_only) continue;
            const bool here = is_condition(p, q.body);
            if (!here || is_[q.name] == unknown) is_[q.name] = here ? yes : no;
        }
    }
    constexpr bool has(ref name) const { return name < is_.size() && is_[name] == yes; }

    constexpr bool is_condition(const Program& p, ref n) const {
        const node& x = p.nodes[n];
        switch (x.kind) {
            case op::compare:
            case op::delta:
                return true;
            case op::apply:
                return static_cast<function>(x.detail) == function::logical_not;
            case op::tensor:
                return has(x.name);
            case op::multiply:
                for (std::int32_t k = 0; k < x.children.count; ++k)
                    if (!is_condition(p, p.links[x.children.first + k])) return false;
                return x.children.count > 0;
            case op::choose:
                for (std::int32_t k = 0; k < x.children.count; k += 2) {
                    const node& value = p.nodes[p.links[x.children.first + k]];
                    if (value.kind != op::number || (value.value != 0 && value.value != 1))
                        return false;
                }
                return true;
            default:
                return false;
        }
    }
    /// Calls visit(condition) for each that is a factor of `n`, or of what stands above its stroke.
    template <class Visit>
    constexpr void for_each_hiding(const Program& p, ref n, Visit&& visit) const {
        const node& x = p.nodes[n];
        if (x.kind == op::multiply) {
            for (std::int32_t k = 0; k < x.children.count; ++k)
                for_each_hiding(p, p.links[x.children.first + k], visit);
        } else if (x.kind == op::divide) {
            for_each_hiding(p, p.links[x.children.first], visit);
        } else if (is_condition(p, n)) {
            visit(n);
        }
    }

private:
    static constexpr signed char unknown = 0, yes = 1, no = 2;
    detail::buffer<std::int32_t> is_;
};

}  // namespace ricci::ir
