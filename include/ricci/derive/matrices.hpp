// Derivatives of functions of matrices, in the same functions: with N^{ij} for the inverse at (j,
// i), dN^{ij} = -N^{aj} dK^{ab} N^{ib}, and of the logarithm of a determinant N^{ij} dK^{ij}.
#pragma once

#include <ricci/derive/differentiation.hpp>

namespace ricci::derive {

template <class Program = ir::program>
class matrix_derivatives : protected differentiation<Program> {
    using rules = differentiation<Program>;

protected:
    using factors = typename rules::factors;
    using rules::rules, rules::child, rules::p_, rules::prime_all, rules::primed,
        rules::product_of_others, rules::share_of_place, rules::sum_primed, rules::value_of,
        rules::weights_of;

    static constexpr bool is_determinant(const ir::node& x) {
        return x.detail == static_cast<std::uint8_t>(reduction::determinant);
    }
    constexpr ref inverse_over(ref row, ref column, ref body) {
        return ir::inverse_of(p_, body, row, column, {});
    }
    /// What a determinant, or its logarithm, changes by an element of the matrix.
    constexpr ref slope_of_determinant(ref n) {
        const ir::node x = p_.nodes[n];
        const ref inverse =
            inverse_over(p_.links[x.indices.first], p_.links[x.indices.first + 1], child(n, 0));
        return is_determinant(x) ? expression_builder(p_).times(value_of(n), inverse) : inverse;
    }
    /// What a reduction changes by a change of its body at one place, where that is a number.
    constexpr ref slope_below(ref n) {
        switch (static_cast<reduction>(p_.nodes[n].detail)) {
            case reduction::logsumexp:
                return weights_of(n);
            case reduction::product:
                return product_of_others(n);
            case reduction::maximum:
            case reduction::minimum:
                return share_of_place(n);
            default:
                return slope_of_determinant(n);
        }
    }
    /// The cotangent of a matrix by that of its inverse; and what the inverse changes by a change
    /// of the matrix: -N^{i'j} G^{i'j'} N^{ij'}, both.
    constexpr ref through_inverse(ref n, ref change) {
        expression_builder b(p_);
        const ir::node x = p_.nodes[n];
        const ir::index_map renamed = prime_all(x);
        const ref i = p_.links[x.indices.first], j = p_.links[x.indices.first + 1];
        ir::index_map row, column;
        row.set(i, renamed(i));
        column.set(j, renamed(j));
        const ref y = value_of(n);
        const ref left = ir::rename_indices(p_, y, row);
        const ref right = ir::rename_indices(p_, y, column);
        const ref inside = ir::rename_indices(p_, change, renamed);
        return b.times(b.number(-1), sum_primed(x, renamed, b.times(b.times(left, inside), right)));
    }

    // Cholesky factors: Iain Murray, Differentiation of the Cholesky decomposition (2016).

    /// 1 below the diagonal, one half on it, 0 above.
    constexpr ref lower_half(ref row, ref column) {
        expression_builder b(p_);
        const ref below =
            b.compare(ir::comparison::less, p_.position_of(column), p_.position_of(row));
        const ref on =
            b.compare(ir::comparison::equal, p_.position_of(row), p_.position_of(column));
        return b.plus(below, b.times(b.number(0.5), on));
    }
    /// An expression of the two indices of a node, at two others.
    constexpr ref at(ref expression, const ir::node& x, ref row, ref column) {
        ir::index_map renamed;
        renamed.set(p_.links[x.indices.first], row);
        renamed.set(p_.links[x.indices.first + 1], column);
        return ir::rename_indices(p_, expression, renamed);
    }
    /// Over two indices, or over one that is given twice.
    constexpr ref summed(ref a, ref b, ref body) {
        const ref over[] = {a, b};
        return p_.reduce(reduction::sum, p_.add_links(over, a == b ? 1 : 2), body);
    }
    /// The cotangent of the lower triangle of a matrix by that of its factor:
    /// S = L^{-T} \Phi(L^T G) L^{-1}, and S + S^T below the diagonal, S on it.
    constexpr ref through_factor(ref n, ref cotangent) {
        expression_builder b(p_);
        const ir::node x = p_.nodes[n];
        const ref i = p_.links[x.indices.first], j = p_.links[x.indices.first + 1];
        const ref factor = value_of(n);
        const ref k = primed(i), l = primed(j), m = primed(i);
        const ref product = summed(m, m, b.times(at(factor, x, m, k), at(cotangent, x, m, l)));
        const ref half = b.times(lower_half(k, l), product);
        const auto both_sides = [&](ref row, ref column) {
            const ref left = inverse_over(row, k, at(factor, x, row, k));
            const ref right = inverse_over(column, l, at(factor, x, column, l));
            return summed(k, l, b.times(b.times(left, half), right));
        };
        return b.times(lower_half(i, j), b.plus(both_sides(i, j), both_sides(j, i)));
    }
    /// What a factor changes by a change of the lower triangle of its matrix: L \Phi(L^{-1} dK
    /// L^{-T}).
    constexpr ref change_of_factor(ref n, ref change) {
        expression_builder b(p_);
        const ir::node x = p_.nodes[n];
        const ref i = p_.links[x.indices.first], j = p_.links[x.indices.first + 1];
        const ref factor = value_of(n);
        const ref k = primed(i), r = primed(i), c = primed(j);
        const ref mirrored = b.plus(b.times(lower_half(r, c), at(change, x, r, c)),
                                    b.times(lower_half(c, r), at(change, x, c, r)));
        const ref left = inverse_over(r, k, at(factor, x, r, k));
        const ref right = inverse_over(c, j, at(factor, x, c, j));
        const ref inside = summed(r, c, b.times(b.times(left, mirrored), right));
        return summed(k, k, b.times(b.times(at(factor, x, i, k), lower_half(k, j)), inside));
    }
};

}  // namespace ricci::derive
