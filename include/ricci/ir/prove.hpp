// Whether an equation follows from a program: the algebra of it, without derivatives.
#pragma once

#include <cstdint>

#include <ricci/ir/compact.hpp>
#include <ricci/ir/normal.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::ir {

/// Maps the indices on one left side to those on another; false where the two differ in form.
constexpr bool align_left_sides(const program& p, range from, range to, index_map& renamed) {
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

/// The body of an equation as it is at the positions `at` of a use; none where the left side is not
/// made of plain indices.
constexpr ref body_at(program& p, const equation& e, range at) {
    index_map renamed;
    for (std::int32_t k = 0; k < e.positions.count; ++k) {
        const position &x = p.positions[e.positions.first + k], &y = p.positions[at.first + k];
        if (x.kind != position_kind::index || y.kind != position_kind::index) return none;
        for (std::int32_t j = 0; j < k; ++j)  // a diagonal: not through a softmax
            if (p.positions[at.first + j].index == y.index &&
                (has_softmax_over(p, e.body, x.index) ||
                 has_softmax_over(p, e.body, p.positions[e.positions.first + j].index)))
                return none;
        renamed.set(x.index, y.index);
    }
    return rename_indices(p, freshen_bound(p, e.body), renamed);
}

/// A copy in which tensors are replaced by what defines them, as far as `chosen(equation)` wants.
template <class Chosen>
constexpr ref inline_definitions(program& p, ref n, const Chosen& chosen,
                                 std::int32_t deepest = 64) {
    const node x = p.nodes[n];
    if (x.kind == op::tensor) {
        for (ref e = 0; e < p.equations.size(); ++e) {
            const equation q = p.equations[e];
            if (q.name != x.name || q.claim || q.positions.count != x.positions.count || !chosen(q))
                continue;
            const ref body = body_at(p, q, x.positions);
            return body == none || deepest == 0 ? n
                                                : inline_definitions(p, body, chosen, deepest - 1);
        }
        return n;
    }
    return rebuild_node(p, n, {},
                        [&](ref child) { return inline_definitions(p, child, chosen, deepest); });
}

/// Whether two expressions of a program are equal, if need be with every definition written out.
constexpr bool follows(program& p, ref a, ref b) {
    if (normaliser(p).equal(a, b)) return true;
    const auto all = [](const equation&) { return true; };
    const ref left = inline_definitions(p, a, all), right = inline_definitions(p, b, all);
    constexpr std::int32_t most = 2000;
    if ((left == a && right == b) || written_size(p, left, most) >= most ||
        written_size(p, right, most) >= most)
        return false;
    return normaliser(p).equal(left, right);
}

/// Equations that are claimed, beside a program that may imply them. Tensors that the claims define
/// and the program does not know are abbreviations; dS stands for dL/dS where the program has that.
class claim_set {
public:
    constexpr claim_set(const program_view& source, const program_view& claims) : p_(source) {
        const std::int32_t known = p_.names.size();
        importer copy(p_, claims);
        for (const equation& e : claims.equations) {
            equation q = copy.import(e);
            q.name = long_name(q.name);
            q.body = with_long_names(q.body);
            const bool unknown =
                !q.claim && q.name >= known && p_.names[q.name].kind == name_kind::plain;
            // One that nothing uses is a claim about a tensor that is not there.
            if (unknown && is_used(claims, e)) p_.equations.push(q);
            else claims_.push(q);
        }
    }

    constexpr program& scratch() { return p_; }
    constexpr const detail::buffer<equation>& claims() const { return claims_; }

    /// Whether an equation of the program, or an abbreviation, is the claim.
    constexpr bool is_stated(const equation& claim) {
        for (ref e = 0; e < p_.equations.size(); ++e) {
            const equation stated = p_.equations[e];
            index_map renamed;
            if (stated.claim || stated.name != claim.name ||
                !align_left_sides(p_, claim.positions, stated.positions, renamed))
                continue;
            const ref body = rename_indices(p_, freshen_bound(p_, claim.body), renamed);
            if (follows(p_, stated.body, body)) return true;
        }
        return false;
    }

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
        return rebuild_node(p_, n, {}, [&](ref child) { return with_long_names(child); });
    }

    program p_;
    detail::buffer<equation> claims_;
};

}  // namespace ricci::ir
