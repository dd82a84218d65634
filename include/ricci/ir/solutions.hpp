// Inverses as they are written: \operatorname{solve}_{ij}(K^{ij}, y^i) and (K^{-1})^{ij}.
#pragma once

#include <cstdint>

#include <ricci/ir/program.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::ir {

constexpr bool is_inverse(const node& x) {
    return x.kind == op::reduce && x.detail == static_cast<std::uint8_t>(reduction::inverse);
}
constexpr bool has_inverse(const program_view& p) {
    for (const node& x : p.nodes)
        if (is_inverse(x)) return true;
    return false;
}

/// Whether an inverse is printed as a power of its matrix: (K^{-1})^{ij} of a tensor that is K
/// alone.
constexpr bool is_power_of_name(const program_view& p, const node& inverse) {
    const node& matrix = p.nodes[p.links[inverse.children.first]];
    if (matrix.kind != op::tensor || matrix.positions.count != 2) return false;
    if (p.names[matrix.name].kind != name_kind::plain) return false;
    for (const char c : p.name(matrix.name))
        if (c == '_' || c == '^' || c == '\'' || c == ' ') return false;
    for (std::int32_t k = 0; k < 2; ++k)
        if (p.at(matrix.positions, k).kind != position_kind::index) return false;
    return p.at(matrix.positions, 0).index != p.at(matrix.positions, 1).index;
}

/// Writes sums over an inverse as solutions, and other inverses as solutions for a unit matrix.
/// What comes out is printed, or planned; derivatives are taken before.
template <class Program = program>
class solution_writer {
public:
    /// `lone`: whether inverses that stand alone are written so, too.
    constexpr explicit solution_writer(Program& p, bool lone = true) : p_(p), lone_(lone) {}

    constexpr ref write(ref n) {
        const node x = p_.nodes[n];
        if (x.kind == op::reduce && x.detail == static_cast<std::uint8_t>(reduction::sum)) {
            const ref grouped = regrouped(x);
            if (grouped != none) return write(grouped);
        }
        const ref inside = rebuild_children(p_, n, [&](ref child) { return write(child); });
        const node& y = p_.nodes[inside];
        return lone_ && is_inverse(y) && !is_power_of_name(p_, y) ? column_of(y) : inside;
    }

private:
    constexpr bool lists(const range& indices, ref index) const {
        for (std::int32_t k = 0; k < indices.count; ++k)
            if (p_.links[indices.first + k] == index) return true;
        return false;
    }
    constexpr ref product(const detail::buffer<ref>& factors) {
        return factors.size() == 1 ? factors[0]
                                   : p_.make(op::multiply, 0, factors.data(), factors.size());
    }
    constexpr ref summed(const detail::buffer<ref>& over, ref body) {
        return over.empty() ? body : p_.reduce(reduction::sum, p_.add_links(over), body);
    }

    constexpr bool holds_inverse(ref n) const {
        const node& x = p_.nodes[n];
        bool found = is_inverse(x);
        for (std::int32_t k = 0; k < x.children.count && !found; ++k)
            found = holds_inverse(p_.links[x.children.first + k]);
        return found;
    }
    constexpr void add_factors(ref n, detail::buffer<ref>& factors) const {
        const node& x = p_.nodes[n];
        if (x.kind != op::multiply) {
            factors.push(n);
            return;
        }
        for (std::int32_t k = 0; k < x.children.count; ++k)
            add_factors(p_.links[x.children.first + k], factors);
    }
    /// The sum with one of its inverses as a solution; none where it has none that can be one.
    constexpr ref regrouped(const node x) {
        node body = p_.nodes[p_.links[x.children.first]];
        if (body.kind != op::multiply) return none;
        detail::buffer<ref> factors;
        add_factors(p_.links[x.children.first], factors);
        body.children = p_.add_links(factors);
        // those first whose right-hand sides need no other one: (K^{-1})^{ij} (K^{-1})^{jk} z^k is
        // two solutions
        for (std::int32_t pass = 0; pass < 2; ++pass)
            for (std::int32_t k = 0; k < body.children.count; ++k)
                for (std::int32_t side = 0; side < 2; ++side) {
                    const node inverse = p_.nodes[p_.links[body.children.first + k]];
                    if (!is_inverse(inverse)) continue;
                    const ref row = p_.links[inverse.indices.first + side];
                    const ref column = p_.links[inverse.indices.first + 1 - side];
                    if (!lists(x.indices, row)) continue;
                    const ref found = with_solution(x, body, k, row, column, pass == 0);
                    if (found != none) return found;
                }
        return none;
    }
    /// Factors with the row are the right-hand side, which may not have the column.
    constexpr ref with_solution(const node& sum, const node& body, std::int32_t which, ref row,
                                ref column, bool plain) {
        const node inverse = p_.nodes[p_.links[body.children.first + which]];
        detail::buffer<ref> right, others;
        index_set inside, outside;
        collect_free(p_, p_.links[body.children.first + which], outside);
        for (std::int32_t k = 0; k < body.children.count; ++k) {
            if (k == which) continue;
            const ref factor = p_.links[body.children.first + k];
            const index_set mine = free_indices(p_, factor);
            if (mine.has(row) && (mine.has(column) || (plain && holds_inverse(factor))))
                return none;
            (mine.has(row) ? right : others).push(factor);
            (mine.has(row) ? inside : outside).merge_once(mine);
        }
        if (right.empty()) return none;
        detail::buffer<ref> summed_inside, summed_outside;
        for (std::int32_t k = 0; k < sum.indices.count; ++k) {
            const ref i = p_.links[sum.indices.first + k];
            if (i == row) continue;
            (inside.has(i) && !outside.has(i) ? summed_inside : summed_outside).push(i);
        }
        others.push(solution_of(p_, p_.links[inverse.children.first],
                                summed(summed_inside, product(right)), row, column));
        return summed(summed_outside, product(others));
    }
    /// The inverse at (i, j): \operatorname{solve}_{i'j}(K^{i'j}, \delta^{i'i}).
    constexpr ref column_of(const node x) {
        const ref row = p_.links[x.indices.first], column = p_.links[x.indices.first + 1];
        detail::text_builder spelling;
        spelling << p_.index(row);
        do spelling << '\'';
        while (p_.find_index(spelling) != none);
        const ref fresh = p_.intern_index(spelling);
        index_map renamed;
        renamed.set(row, fresh);
        node delta = blank_node(op::delta);
        delta.positions = {p_.positions.size(), 2};
        p_.positions.push(index_position(fresh));
        p_.positions.push(index_position(row));
        return solution_of(p_, rename_indices(p_, p_.links[x.children.first], renamed),
                           p_.nodes.push(delta), fresh, column);
    }

    Program& p_;
    bool lone_;
};

/// The program as it is printed, where it has inverses.
template <class Program, class Owned = program>
constexpr Owned with_solutions(const Program& p) {
    Owned written(p);
    for (equation& e : written.equations) e.body = solution_writer(written).write(e.body);
    return written;
}

}  // namespace ricci::ir
