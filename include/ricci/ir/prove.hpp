// Whether an equation follows from a program: the algebra of it, without derivatives.
#pragma once

#include <cstdint>

#include <ricci/ir/compact.hpp>
#include <ricci/ir/normal.hpp>
#include <ricci/ir/placement.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::ir {

/// Maps the indices on one left side to those on another; false where the two differ in form.
template <class Program>
constexpr bool align_left_sides(const Program& p, range from, range to, index_map& renamed) {
    if (from.count != to.count) return false;
    detail::buffer<ref> a, b;
    for_each_index(p, from, [&](ref i) { a.push(i); });
    for_each_index(p, to, [&](ref i) { b.push(i); });
    for (std::int32_t k = 0; k < from.count; ++k) {
        const position &x = p.positions[from.first + k], &y = p.positions[to.first + k];
        if (x.kind != y.kind || x.offset != y.offset || x.terms.count != y.terms.count)
            return false;
    }
    for (std::int32_t k = 0; k < a.size(); ++k) renamed.set(a[k], b[k]);
    return true;
}

/// The body of an equation as it is at the positions `at` of a use, whose children are `read`; none
/// where that cannot be said.
template <class Program>
constexpr ref body_at(Program& p, const equation& e, range at, range read = {}) {
    placement places(p, read);
    for (std::int32_t k = 0; k < e.positions.count; ++k) {
        const position x = p.positions[e.positions.first + k], y = p.positions[at.first + k];
        if (!places.add(x, y)) return none;
        for (std::int32_t j = 0; j < k; ++j)  // a diagonal: not through a softmax
            if (y.kind == position_kind::index && p.positions[at.first + j].index == y.index &&
                (has_softmax_over(p, e.body, x.index) ||
                 has_softmax_over(p, e.body, p.positions[e.positions.first + j].index)))
                return none;
    }
    return places.apply(freshen_bound(p, e.body));
}

/// A copy in which the tensor that an equation defines is replaced by what defines it.
template <class Program>
constexpr ref opened(Program& p, ref n, const equation& e) {
    const node x = p.nodes[n];
    if (x.kind == op::tensor && x.name == e.name && x.positions.count == e.positions.count) {
        const ref body = body_at(p, e, x.positions, x.children);
        return body == none ? n : body;
    }
    return rebuild_children(p, n, [&](ref child) { return opened(p, child, e); });
}

/// Whether two expressions are equal by what a program defines. They are compared by the names that
/// they have first; on a difference the name that is defined last is opened in what differs, and so
/// on down, so that what both sides share stays closed.
template <class Program = program>
class comparison_by_layers {
public:
    constexpr explicit comparison_by_layers(Program& p) : p_(p) {
        const std::int32_t count = p.names.size();
        depth_.resize(count, -1);
    }
    /// At most `most_nodes` are compared at once, in `most_steps` altogether: what is opened can
    /// grow with every layer.
    constexpr bool run(ref a, ref b, std::int32_t most_nodes, std::int64_t most_steps) {
        const ref minus = p_.make(op::multiply, p_.number(-1), b);
        ref difference = p_.make(op::add, a, minus);
        for (std::int32_t layer = 0; layer < 64; ++layer) {
            normaliser normal(p_, most_steps);
            const normal_sum left = normal.normalise(difference);
            if (left.size() == 0) return true;
            if (layer == 0 && has_infinity(left)) {  // which cancels against nothing
                normaliser again(p_, most_steps);
                if (again.equal(a, b)) return true;
            }
            most_steps -= normal.steps();
            difference = normal.to_node(left);
            const ref e = last_defined(difference);
            if (e == none) return false;
            const equation q = p_.equations[e];
            closed_.push(q.name);
            gave_up_ = normal.gave_up() || written_size(p_, difference, most_nodes) >= most_nodes;
            if (gave_up_) return false;
            difference = opened(p_, difference, q);
        }
        return false;
    }
    constexpr bool gave_up() const { return gave_up_; }

private:
    constexpr bool has_infinity(const normal_sum& sum) const {
        for (std::int32_t k = 0; k < sum.size(); ++k)
            if (ir::has_infinity(p_, sum[k])) return true;
        return false;
    }
    /// The equation of the tensor in an expression that is furthest from the inputs, of those that
    /// were not opened yet.
    constexpr ref last_defined(ref n) {
        ref best = none;
        for_each_node(p_, n, [&](ref m) {
            const node x = p_.nodes[m];
            if (x.kind != op::tensor || is_closed(x.name)) return;
            const ref e = p_.definition(x.name);
            if (e != none && (best == none || depth(x.name) > depth(p_.equations[best].name)))
                best = e;
        });
        return best;
    }
    constexpr bool is_closed(ref name) const {
        for (ref c : closed_)
            if (c == name) return true;
        return false;
    }
    constexpr std::int32_t depth(ref name) {
        if (name >= depth_.size()) depth_.resize(name + 1, -1);
        if (depth_[name] >= 0) return depth_[name];
        depth_[name] = 0;  // also what a text says in a circle ends here
        const ref e = p_.definition(name);
        std::int32_t most = 0;
        if (e != none)
            for_each_node(p_, p_.equations[e].body, [&](ref m) {
                const node x = p_.nodes[m];
                if (x.kind != op::tensor) return;
                if (const std::int32_t d = depth(x.name) + 1; d > most) most = d;
            });
        return depth_[name] = most;
    }

    Program& p_;
    detail::buffer<std::int32_t>
        depth_;                   // by name: the equations below it; -1 until it is asked for
    detail::buffer<ref> closed_;  // names that were opened, where that was possible
    bool gave_up_ = false;
};

/// The right side of a claim with the indices that `stated`, an equation of the same tensor, has on
/// its left; none where the two left sides differ in form.
template <class Program>
constexpr ref aligned(Program& p, const equation& claim, const equation& stated) {
    index_map renamed;
    if (!align_left_sides(p, claim.positions, stated.positions, renamed)) return none;
    return rename_indices(p, freshen_bound(p, claim.body), renamed);
}

/// Equations that are claimed, beside a program that may imply them. Tensors that the claims define
/// and the program does not know are abbreviations; dS stands for dL/dS where the program has that.
template <class Program = program>
class claim_set {
public:
    constexpr claim_set(const program_view& source, const program_view& claims) : p_(source) {
        const std::int32_t known = p_.names.size();
        importer copy(p_, claims);
        for (ref k = 0; k < claims.equations.size(); ++k) {
            const equation& e = claims.equations[k];
            equation q = copy.import(e);
            q.name = long_name(q.name);
            q.body = with_long_names(q.body);
            const bool unknown =
                !q.claim && q.name >= known && p_.names[q.name].kind == name_kind::plain;
            // One that nothing uses is a claim about a tensor that is not there.
            if (unknown && is_used(claims, e)) p_.equations.push(q);
            else claims_.push(q), numbers_.push(k);
        }
    }

    constexpr Program& scratch() { return p_; }
    constexpr const detail::buffer<equation>& claims() const { return claims_; }
    /// Which equation of the text the claim number `k` is.
    constexpr ref number(std::int32_t k) const { return numbers_[k]; }

private:
    static constexpr bool is_used(const program_view& claims, const equation& e) {
        for (const equation& other : claims.equations)
            if (uses_name(claims, other.body, e.name)) return true;
        return false;
    }
    constexpr ref long_name(ref name) const {
        const text_view text = p_.name(name);
        if (text.size < 2 || text[0] != 'd' || p_.names[name].kind != name_kind::plain ||
            p_.definition(name) != none)
            return name;
        const ref found = p_.find(cotangent_spelling("L", text.slice(1, text.size)));
        return found == none ? name : found;
    }
    constexpr ref with_long_names(ref n) {
        const node x = p_.nodes[n];
        if (x.kind == op::tensor) {
            const ref name = long_name(x.name);
            if (name == x.name) return n;
            node renamed = x;
            renamed.name = name;
            return p_.nodes.push(renamed);
        }
        return rebuild_children(p_, n, [&](ref child) { return with_long_names(child); });
    }

    Program p_;
    detail::buffer<equation> claims_;
    detail::buffer<ref> numbers_;
};

}  // namespace ricci::ir
