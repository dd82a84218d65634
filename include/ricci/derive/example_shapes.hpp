// Small shapes for the inputs of a program of which only the equations are known: what a claim
// about it is tried on.
#pragma once

#include <cstdint>

#include <ricci/ir/axes.hpp>
#include <ricci/ir/rewrite.hpp>
#include <ricci/ir/shapes.hpp>

namespace ricci::derive {

/// Axes and indices that have to be of one extent are a class; each class gets an extent, and axes
/// that arithmetic fills are as long as it reaches.
template <class Program = ir::program_view>
class example_shapes {
    // Before its callers, where clang looks for it while it evaluates constants.
    /// Calls `visit(equation, name, positions)` for every tensor on a left or right side.
    template <class Visit>
    constexpr void each_use(const Visit& visit) const {
        for (std::int32_t e = 0; e < p_.equations.size(); ++e) {
            const ir::equation& q = p_.equations[e];
            visit(e, q.name, q.positions);
            ir::for_each_node(p_, q.body, [&](ir::ref n) {
                const ir::node& x = p_.nodes[n];
                if (x.kind == ir::op::tensor) visit(e, x.name, x.positions);
            });
        }
    }

public:
    /// Extents are `least`, or by turns `least` and one more. Two tensors that are compared are of
    /// one shape.
    constexpr example_shapes(const ir::program_view& p, std::int32_t least, bool by_turns,
                             ir::ref one = ir::none, ir::ref other = ir::none)
        : p_(p), indices_(p.indices.size()) {
        for (std::int32_t k = 0; k < p.equations.size() * indices_; ++k) same_.push(k);
        for (ir::ref n = 0; n < p.names.size(); ++n) first_.push(ir::none), ranks_.push(0);
        each_use([&](std::int32_t, ir::ref name, ir::range at) { see_name(name, at.count); });
        join_said();
        each_use([&](std::int32_t e, ir::ref name, ir::range at) {
            for (std::int32_t k = 0; k < at.count; ++k)
                if (p_.at(at, k).kind == ir::position_kind::index)
                    join(first_[name] + k, cell(e, p_.at(at, k).index));
        });
        if (one != ir::none && is_used(one) && is_used(other) && ranks_[one] == ranks_[other])
            for (std::int32_t k = 0; k < ranks_[one]; ++k) join(first_[one] + k, first_[other] + k);
        join_splits();
        for (ir::ref n = 0; n < p.names.size(); ++n) join_derivative(n);
        for (std::int32_t k = 0; k < same_.size(); ++k)
            extents_.push(least + (by_turns && k % 2 == 1 ? 1 : 0));
        for (std::int32_t round = 0; round < 8 && stretch(); ++round) {
        }
    }
    constexpr std::int32_t rank(ir::ref name) const { return ranks_[name]; }
    constexpr std::int64_t extent(ir::ref name, std::int32_t axis) const {
        return extents_[find(first_[name] + axis)];
    }
    /// Whether two axes of a tensor have to be of one extent.
    constexpr bool is_square(ir::ref name, std::int32_t a, std::int32_t b) const {
        return find(first_[name] + a) == find(first_[name] + b);
    }
    constexpr bool is_used(ir::ref name) const { return first_[name] != ir::none; }
    constexpr std::int64_t index_extent(std::int32_t e, ir::ref index) const {
        return extents_[find(e * indices_ + index)];
    }

    /// The shapes of all tensors and the extents of all indices, beside those that are set in
    /// `out`; false where they do not fit.
    constexpr bool infer(ir::shape_table& out) const {
        for (ir::ref n = 0; n < p_.names.size(); ++n) {
            if (!is_used(n) || p_.definition(n) != ir::none) continue;
            detail::buffer<std::int64_t> sizes;
            for (std::int32_t k = 0; k < ranks_[n]; ++k) sizes.push(extent(n, k));
            out.set_shape(n, sizes.size(), sizes.data());
        }
        ir::shape_table open(out), given(out);
        if (!ir::infer_shapes(p_, out, true)) return true;
        // some extents are not the inputs': those are given, as a caller would
        if (ir::infer_shapes(p_, open, false)) return false;
        for (std::int32_t e = 0; e < p_.equations.size(); ++e)
            for (ir::ref i = 0; i < indices_; ++i)
                if (open.index_extent(e, i) == ir::open_extent && is_seen(e, i))
                    given.set_index(i, index_extent(e, i));
        out = given;
        return !ir::infer_shapes(p_, out, true);
    }

private:
    constexpr std::int32_t cell(std::int32_t e, ir::ref index) const {
        return e * indices_ + index;
    }
    constexpr std::int32_t find(std::int32_t k) const {
        while (same_[k] != k) k = same_[k];
        return k;
    }
    constexpr void join(std::int32_t a, std::int32_t b) {
        const std::int32_t x = find(a), y = find(b);
        same_[x < y ? y : x] = x < y ? x : y;
    }
    constexpr void see_name(ir::ref name, std::int32_t rank) {
        if (first_[name] != ir::none) return;
        first_[name] = same_.size();
        ranks_[name] = rank;
        for (std::int32_t k = 0; k < rank; ++k) same_.push(same_.size());
    }
    /// Indices run over the axes that the text says, of tensors that may stand in no equation.
    constexpr void join_said() {
        if (!ir::says_axes(p_)) return;
        for (ir::ref n = 0; n < p_.names.size(); ++n) {
            const ir::name_symbol& s = p_.names[n];
            if (s.kind != ir::name_kind::plain && is_used(n) && ir::gives_axis(p_, s.of))
                see_name(s.of, ranks_[n] - s.numerator_rank);
        }
        for (ir::ref n = 0; n < p_.names.size(); ++n) {
            std::int32_t rank = 0;
            for (const ir::index_symbol& i : p_.indices)
                if (i.along.tensor == n && i.along.number >= rank) rank = i.along.number + 1;
            if (rank > 0) see_name(n, rank);
        }
        for (std::int32_t e = 0; e < p_.equations.size(); ++e)
            ir::for_each_said(p_, p_.equations[e], [&](ir::ref i) {
                const ir::axis& along = p_.indices[i].along;
                if (along.number < ranks_[along.tensor])
                    join(first_[along.tensor] + along.number, cell(e, i));
            });
    }
    /// (ha) at one axis in two equations: each letter is as long in both.
    constexpr void join_splits() {
        bool any = false;
        for (const ir::position& q : p_.positions) any = any || q.kind == ir::position_kind::merged;
        if (!any) return;
        each_use([&](std::int32_t e, ir::ref name, ir::range at) {
            each_use([&](std::int32_t other, ir::ref same, ir::range there) {
                if (same != name || at.count != there.count) return;
                for (std::int32_t k = 0; k < at.count; ++k) {
                    const ir::position &x = p_.at(at, k), &y = p_.at(there, k);
                    if (x.kind != ir::position_kind::merged || y.kind != x.kind ||
                        x.terms.count != y.terms.count)
                        continue;
                    for (std::int32_t t = 0; t < x.terms.count; ++t)
                        join(cell(e, p_.affine_terms[x.terms.first + t].index),
                             cell(other, p_.affine_terms[y.terms.first + t].index));
                }
            });
        });
    }
    /// dL/dX is as long as X, dA/dS as A and then S.
    constexpr void join_derivative(ir::ref n) {
        const ir::name_symbol& s = p_.names[n];
        if (s.kind == ir::name_kind::plain || !is_used(n) || s.of == ir::none) return;
        const std::int32_t upper = s.numerator_rank;
        if (is_used(s.of) && ranks_[s.of] + upper == ranks_[n])
            for (std::int32_t k = 0; k < ranks_[s.of]; ++k)
                join(first_[n] + upper + k, first_[s.of] + k);
        const ir::ref above =
            upper > 0 ? p_.find(ir::parts_of_derivative(p_.name(n)).numerator) : ir::none;
        if (above != ir::none && is_used(above) && ranks_[above] == upper)
            for (std::int32_t k = 0; k < upper; ++k) join(first_[n] + k, first_[above] + k);
    }
    /// Makes axes as long as what reads them; whether one changed.
    constexpr bool stretch() {
        bool changed = false;
        each_use([&](std::int32_t e, ir::ref name, ir::range at) {
            for (std::int32_t k = 0; k < at.count; ++k) {
                const ir::position& q = p_.at(at, k);
                if (q.kind == ir::position_kind::index || q.kind == ir::position_kind::gathered)
                    continue;
                std::int64_t length = q.kind == ir::position_kind::merged ? 1 : q.offset + 1;
                for (std::int32_t t = 0; t < q.terms.count; ++t) {
                    const ir::affine_term& term = p_.affine_terms[q.terms.first + t];
                    const std::int64_t n = index_extent(e, term.index);
                    if (q.kind == ir::position_kind::merged) length *= n;
                    else
                        length +=
                            (term.coefficient < 0 ? -term.coefficient : term.coefficient) * (n - 1);
                }
                std::int64_t& mine = extents_[find(first_[name] + k)];
                if (q.kind == ir::position_kind::merged ? mine == length : mine >= length) continue;
                mine = length;
                changed = true;
            }
        });
        return changed;
    }
    constexpr bool is_seen(std::int32_t e, ir::ref index) const {
        bool found = false;
        const auto look = [&](ir::ref i) { found = found || i == index; };
        ir::for_each_index(p_, p_.equations[e].positions, look);
        ir::for_each_node(p_, p_.equations[e].body, [&](ir::ref n) {
            const ir::node& x = p_.nodes[n];
            ir::for_each_index(p_, x.positions, look);
            for (std::int32_t k = 0; k < x.indices.count; ++k) look(p_.reduced(x, k));
        });
        return found;
    }

    Program p_;
    std::int32_t indices_;
    detail::buffer<std::int32_t>
        same_;  // by equation and index, then by axis: another of the class
    detail::buffer<std::int32_t> first_;  // by name: its first axis; none where nothing uses it
    detail::buffer<std::int32_t> ranks_;
    detail::buffer<std::int64_t> extents_;
};

}  // namespace ricci::derive
