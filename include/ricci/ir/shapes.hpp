// From the operands' shapes to the extent of every index in every equation and the shape of every
// tensor. Works with what is known: at compile time some extents may be open.
#pragma once

#include <cstdint>

#include <ricci/detail/buffer.hpp>
#include <ricci/ir/mistake.hpp>
#include <ricci/ir/print.hpp>
#include <ricci/ir/program.hpp>

namespace ricci::ir {

inline constexpr std::int64_t open_extent = -1;

/// Shapes of names and extents of indices; `open_extent` where unknown.
class shape_table {
public:
    constexpr explicit shape_table(const program_view& p)
        : names_(p.names.size()), indices_(p.indices.size()) {
        for (ref n = 0; n < names_; ++n) ranks_.push(-1), first_.push(0);
        for (std::int32_t k = 0; k < p.equations.size() * indices_; ++k) {
            extents_.push(open_extent);
            origins_.push({});
        }
        for (ref i = 0; i < indices_; ++i) given_.push(open_extent);
    }

    /// Declares the shape of a bound tensor; extents may be open.
    constexpr void set_shape(ref name, std::int32_t rank, const std::int64_t* extents) {
        ranks_[name] = rank;
        first_[name] = axes_.size();
        axes_.append(extents, rank);
    }
    /// `"h"_i = 8`.
    constexpr void set_index(ref index, std::int64_t extent) { given_[index] = extent; }

    /// -1 when the name's shape is not known at all.
    constexpr std::int32_t rank(ref name) const { return ranks_[name]; }
    constexpr std::int64_t extent(ref name, std::int32_t axis) const {
        return axes_[first_[name] + axis];
    }
    constexpr const std::int64_t* extents(ref name) const { return axes_.data() + first_[name]; }
    /// Extent of an index within equation number `e`.
    constexpr std::int64_t index_extent(ref e, ref index) const {
        return extents_[e * indices_ + index];
    }

private:
    friend struct shape_inference;
    struct origin {
        ref name = none;
        std::int32_t axis = 0;
    };

    std::int32_t names_;
    std::int32_t indices_;
    detail::buffer<std::int32_t> ranks_;
    detail::buffer<std::int32_t> first_;
    detail::buffer<std::int64_t> axes_;
    detail::buffer<std::int64_t> extents_;
    detail::buffer<origin> origins_;
    detail::buffer<std::int64_t> given_;
};

/// One pass over the equations in their order; the only friend that fills a table.
struct shape_inference {
    const program_view& p;
    shape_table& t;
    bool complete;  // every extent has to be known in the end
    mistake found = {};
    std::int32_t round_ = 0;

    constexpr void run() {
        for (ref e = 0; e < p.equations.size() && !found; ++e) {
            const equation& q = p.equations[e];
            if (q.claim) continue;
            for (ref i = 0; i < p.indices.size(); ++i) t.extents_[e * t.indices_ + i] = t.given_[i];
            shape_of_derivative(q.name);
            // Plain positions first, then what shares a letter; merged and affine positions are
            // solved with what is known by then, twice because one may give another its extents.
            for (round_ = 0; round_ <= last_round && !found; ++round_) {
                for_each_node(p, q.body, [&](ref n) {
                    const node& x = p.nodes[n];
                    if (x.kind == op::tensor) see(e, x.name, x.positions);
                });
                if (t.ranks_[q.name] >= 0) see(e, q.name, q.positions);
                share_primed(e);
            }
            if (!found) define(e);
        }
    }

private:
    static constexpr std::int32_t last_round = 3;

    constexpr std::int64_t& extent(ref e, ref i) { return t.extents_[e * t.indices_ + i]; }

    constexpr void see(ref e, ref name, range at) {
        if (t.ranks_[name] < 0 || found) return;
        if (t.ranks_[name] != at.count) return wrong_rank(name, at.count);
        for (std::int32_t axis = 0; axis < at.count && !found; ++axis) {
            const std::int64_t size = t.extent(name, axis);
            if (size == open_extent) continue;
            const position& q = p.at(at, axis);
            if (q.kind == position_kind::index) unify(e, q.index, size, name, axis);
            else if (round_ > 0) see_arithmetic(e, q, size, name, axis, round_ >= last_round);
        }
    }
    constexpr void unify(ref e, ref i, std::int64_t size, ref name, std::int32_t axis) {
        if (extent(e, i) == open_extent) {
            extent(e, i) = size;
            t.origins_[e * t.indices_ + i] = {name, axis};
        } else if (extent(e, i) != size) {
            const auto& before = t.origins_[e * t.indices_ + i];
            detail::text_builder s;
            in_equation(s, e);
            s << "the index " << p.index(i) << " has extent " << extent(e, i);
            if (before.name != none)
                s << " in axis " << before.axis << " of " << p.name(before.name);
            else s << " as the caller gave it";
            s << " and " << size << " in axis " << axis << " of " << p.name(name);
            found = make_mistake(mistake_kind::extents, s);
        }
    }
    constexpr void in_equation(detail::text_builder& s, ref e) {
        s << "in ";
        to_latex(p, p.equations[e], s);
        s << " : ";
    }
    constexpr void wrong_rank(ref name, std::int32_t wanted) {
        detail::text_builder s;
        s << p.name(name) << " has rank " << t.ranks_[name] << " and the equations give it "
          << wanted << (wanted == 1 ? " index" : " indices");
        found = make_mistake(mistake_kind::rank, s);
    }
    /// An axis that several indices, or arithmetic, fill: solved for the one index that is open.
    constexpr void see_arithmetic(ref e, const position& q, std::int64_t size, ref name,
                                  std::int32_t axis, bool last) {
        ref open = none;
        std::int64_t reach =
            q.kind == position_kind::merged ? 1 : q.offset;  // product, or least length - 1
        std::int32_t open_coefficient = 1;
        for (std::int32_t k = 0; k < q.terms.count; ++k) {
            const affine_term& term = p.affine_terms[q.terms.first + k];
            const std::int64_t n = extent(e, term.index);
            const std::int64_t count = term.coefficient < 0 ? -term.coefficient : term.coefficient;
            if (n == open_extent) {
                if (open != none) return;
                open = term.index;
                open_coefficient = static_cast<std::int32_t>(count);
            } else if (q.kind == position_kind::merged) {
                reach *= n;
            } else {
                reach += n > 0 ? count * (n - 1) : 0;
            }
        }
        if (open != none && q.kind == position_kind::merged) {
            if (reach > 0 && size % reach == 0) return unify(e, open, size / reach, name, axis);
        } else if (open != none) {
            if (open_coefficient > 0 && size > reach)
                return unify(e, open, (size - 1 - reach) / open_coefficient + 1, name, axis);
        } else if (!last) {
            return;
        } else if (q.kind == position_kind::merged ? reach == size
                                                   : (reach < size && q.offset >= 0)) {
            return;
        }
        if (!last) return;
        detail::text_builder s;
        in_equation(s, e);
        s << "axis " << axis << " of " << p.name(name) << " has extent " << size
          << ", and its indices ";
        if (q.kind == position_kind::merged) s << "make " << reach;
        else s << "reach from " << (q.offset < 0 ? q.offset : 0) << " to " << reach;
        found = make_mistake(mistake_kind::extents, s);
    }
    /// dL/dX has the shape of X.
    constexpr void shape_of_derivative(ref name) {
        const name_symbol& s = p.names[name];
        if (s.kind == name_kind::plain || s.numerator_rank > 0 || t.ranks_[name] >= 0) return;
        const std::int32_t rank = t.ranks_[s.of];
        if (rank < 0) return;
        detail::buffer<std::int64_t> sizes;
        for (std::int32_t axis = 0; axis < rank; ++axis) sizes.push(t.extent(s.of, axis));
        t.set_shape(name, rank, sizes.data());
    }
    constexpr text_view letter(ref index) const {
        text_view text = p.index(index);
        while (text.size > 0 && text[text.size - 1] == '\'') --text.size;
        return text;
    }
    /// j' ranges over as much as j where nothing else says how much.
    constexpr void share_primed(ref e) {
        for (ref i = 0; i < p.indices.size(); ++i) {
            if (extent(e, i) != open_extent) continue;
            // the letter itself first, then the letter with other primes
            for (std::int32_t pass = 0; pass < 2; ++pass)
                for (ref j = 0; j < p.indices.size(); ++j)
                    if (extent(e, i) == open_extent && letter(j) == letter(i) &&
                        (pass == 1 || letter(j).size == p.index(j).size))
                        extent(e, i) = extent(e, j);
        }
    }
    /// The shape of what the equation defines, and a complaint where an extent stays open.
    constexpr void define(ref e) {
        const equation& q = p.equations[e];
        for_each_index(p, q.positions, [&](ref i) { need(e, i); });
        for_each_node(p, q.body, [&](ref n) {
            const node& x = p.nodes[n];
            for_each_index(p, x.positions, [&](ref i) { need(e, i); });
            for (std::int32_t k = 0; k < x.indices.count; ++k) need(e, p.reduced(x, k));
        });
        if (found) return;
        if (t.ranks_[q.name] >= 0) return see(e, q.name, q.positions);
        detail::buffer<std::int64_t> sizes;
        for (std::int32_t axis = 0; axis < q.positions.count; ++axis)
            sizes.push(axis_length(e, p.at(q.positions, axis)));
        t.set_shape(q.name, q.positions.count, sizes.data());
    }
    constexpr void need(ref e, ref i) {
        if (!complete || found || extent(e, i) != open_extent) return;
        detail::text_builder s;
        in_equation(s, e);
        const equation& q = p.equations[e];
        s << "the shapes do not give the extent of the index " << p.index(i) << "; bind it: \""
          << p.index(i) << "\"_i = ...";
        if (p.names[q.name].kind == name_kind::cotangent && p.names[q.name].of != none)
            s << ", or bind " << p.name(p.names[q.name].of) << ", whose shape this has";
        found = make_mistake(mistake_kind::unknown_extent, s);
    }
    constexpr std::int64_t axis_length(ref e, const position& q) {
        if (q.kind == position_kind::index) return extent(e, q.index);
        if (q.kind == position_kind::fixed) return q.offset + 1;
        std::int64_t length = q.kind == position_kind::merged ? 1 : q.offset + 1;
        for (std::int32_t k = 0; k < q.terms.count; ++k) {
            const affine_term& term = p.affine_terms[q.terms.first + k];
            const std::int64_t n = extent(e, term.index);
            if (n == open_extent) return open_extent;
            if (q.kind == position_kind::merged) length *= n;
            else
                length +=
                    n > 0 ? (term.coefficient < 0 ? -term.coefficient : term.coefficient) * (n - 1)
                          : 0;
        }
        return length;
    }
};

/// Fills the table from the shapes that were set. Extents may stay open unless `complete`.
constexpr mistake infer_shapes(const program_view& p, shape_table& table, bool complete = true) {
    shape_inference inference{p, table, complete};
    inference.run();
    return static_cast<mistake&&>(inference.found);
}

}  // namespace ricci::ir
