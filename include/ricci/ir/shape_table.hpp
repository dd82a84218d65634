// The shapes of a program's tensors, and the extent of every index in every equation.
#pragma once

#include <cstdint>

#include <ricci/detail/buffer.hpp>
#include <ricci/ir/program.hpp>

namespace ricci::ir {

inline constexpr std::int64_t open_extent = -1;

/// Shapes of names and extents of indices; `open_extent` where unknown. An index that several signs
/// bind in one equation has an extent below each: `\sum_k A^{ik} + \sum_k B^{ik}` is two sums.
class shape_table {
public:
    constexpr explicit shape_table(const program_view& p)
        : names_(p.names.size()), indices_(p.indices.size()) {
        for (ref n = 0; n < names_; ++n) ranks_.push(-1), first_.push(0);
        for (std::int32_t k = 0; k < p.equations.size() * indices_; ++k)
            cells_.push({open_extent, none, 0});
        for (ref i = 0; i < indices_; ++i)
            given_.push(p.indices[i].extent > 0 ? p.indices[i].extent : open_extent);
    }

    /// Declares the shape of a bound tensor; extents may be open.
    constexpr void set_shape(ref name, std::int32_t rank, const std::int64_t* extents) {
        ranks_[name] = rank;
        first_[name] = axes_.size();
        axes_.append(extents, rank);
    }
    /// `"h"_i = 8`.
    constexpr void set_index(ref index, std::int64_t extent) { given_[index] = extent; }

    /// Whether the caller, or the text, gave it.
    constexpr bool is_given(ref index) const { return given_[index] != open_extent; }

    /// -1 when the name's shape is not known at all.
    constexpr std::int32_t rank(ref name) const { return ranks_[name]; }
    constexpr std::int64_t extent(ref name, std::int32_t axis) const {
        return axes_[first_[name] + axis];
    }
    constexpr const std::int64_t* extents(ref name) const { return axes_.data() + first_[name]; }
    /// Extent of an index within equation number `e`: where it is free, or below the first sign
    /// that binds it.
    constexpr std::int64_t index_extent(ref e, ref index) const {
        return cells_[e * indices_ + index].extent;
    }
    constexpr void set_index_extent(ref e, ref index, std::int64_t extent) {
        cells_[e * indices_ + index].extent = extent;
    }
    /// Extent of an index below the reduction `node`, which binds it.
    constexpr std::int64_t bound_extent(ref e, ref node, ref index) const {
        for (const scope& s : scopes_)
            if (s.equation == e && s.node == node && s.index == index) return cells_[s.cell].extent;
        return index_extent(e, index);
    }
    /// Whether some index has another extent below a later sign than below the first.
    constexpr bool has_split_indices() const {
        for (const scope& s : scopes_)
            if (cells_[s.cell].extent != index_extent(s.equation, s.index)) return true;
        return false;
    }

private:
    template <class Program, class Table>
    friend struct shape_inference;
    template <class Program, class Table>
    friend struct lent_extents;
    template <class Program, class Table>
    friend struct extent_scopes;
    /// An extent, and the axis that gave it.
    struct cell {
        std::int64_t extent;
        ref name;
        std::int32_t axis;
    };
    /// A reduction that binds an index which another one of its equation has bound before.
    struct scope {
        ref equation;
        ref node;
        ref index;
        std::int32_t cell;
    };

    std::int32_t names_;
    std::int32_t indices_;
    detail::buffer<std::int32_t> ranks_;
    detail::buffer<std::int32_t> first_;
    detail::buffer<std::int64_t> axes_;
    detail::buffer<cell> cells_;
    detail::buffer<scope> scopes_;
    detail::buffer<std::int64_t> given_;
};

/// dL/dX has the shape of X, dA/dS that of A and then that of S. What is above may be no tensor of
/// the program, as the losses that a batch has one of each: its axes stay open, those of X do not.
constexpr void shape_of_derivative(const program_view& p, shape_table& t, ref name) {
    const name_symbol& s = p.names[name];
    if (s.kind == name_kind::plain || t.rank(name) >= 0) return;
    shape_of_derivative(p, t, s.of);
    if (t.rank(s.of) < 0) return;
    detail::buffer<std::int64_t> sizes;
    if (s.numerator_rank > 0) {
        const ref above = p.find(parts_of_derivative(p.name(name)).numerator);
        if (above != none) shape_of_derivative(p, t, above);
        const bool is_known = above != none && t.rank(above) == s.numerator_rank;
        for (std::int32_t k = 0; k < s.numerator_rank; ++k)
            sizes.push(is_known ? t.extents(above)[k] : open_extent);
    }
    sizes.append(t.extents(s.of), t.rank(s.of));
    t.set_shape(name, sizes.size(), sizes.data());
}

}  // namespace ricci::ir
