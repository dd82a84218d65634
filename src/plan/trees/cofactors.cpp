#include "src/plan/trees/cofactors.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

#include <ricci/detail/buffer.hpp>
#include <ricci/ir/rewrite.hpp>
#include <ricci/ir/solutions.hpp>

#include "src/plan/trees/canonical.hpp"

namespace ricci::plan {
namespace {

bool is_determinant(const ir::node& x) {
    return x.kind == ir::op::reduce &&
           x.detail == static_cast<std::uint8_t>(ir::reduction::determinant);
}

class cofactor_writer {
public:
    cofactor_writer(ir::program& program, const ir::shape_table& shapes)
        : p_(program), shapes_(shapes) {}

    ir::ref write(ir::ref e, ir::ref n) {
        if (p_.nodes[n].kind == ir::op::multiply) n = with_cofactors(e, n);
        return ir::rebuild_children(p_, n, [&](ir::ref child) { return write(e, child); });
    }

private:
    /// A factor that is the determinant of a matrix.
    struct determinant {
        canonical_form matrix;
        std::vector<ir::ref> indices;  // of the matrix, as they are called where the factor stands
        ir::ref row, column;           // in matrix.free
    };

    void add_factors(ir::ref n, detail::buffer<ir::ref>& factors) const {
        const ir::node& x = p_.nodes[n];
        if (x.kind != ir::op::multiply) return static_cast<void>(factors.push(n));
        for (std::int32_t k = 0; k < x.children.count; ++k)
            add_factors(p_.links[x.children.first + k], factors);
    }

    // Each determinant goes into the first factor that has an inverse for it.
    ir::ref with_cofactors(ir::ref e, ir::ref n) {
        detail::buffer<ir::ref> factors, left;
        add_factors(n, factors);
        bool changed = false;
        for (std::int32_t k = 0; k < factors.size(); ++k) {
            bool taken = false;
            if (const auto found = determinant_in(e, factors[k])) {
                const ir::index_set free = ir::free_indices(p_, factors[k]);
                for (std::int32_t j = 0; j < factors.size() && !taken; ++j) {
                    const ir::ref made = j == k ? ir::none : times(e, factors[j], *found, free);
                    taken = made != ir::none;
                    if (!taken) continue;
                    if (j < k) std::replace(left.begin(), left.end(), factors[j], made);
                    factors[j] = made;
                }
            }
            if (!taken) left.push(factors[k]);
            changed = changed || taken;
        }
        if (!changed) return n;
        return left.size() == 1 ? left[0] : p_.make(ir::op::multiply, 0, left.data(), left.size());
    }

    std::optional<determinant> determinant_in(ir::ref e, ir::ref n) const {
        const ir::node& x = p_.nodes[n];
        if (is_determinant(x)) return determinant_of(e, x, nullptr, nullptr);
        if (x.kind != ir::op::tensor || x.children.count > 0) return std::nullopt;
        const ir::ref defined = p_.definition(x.name);
        if (defined == ir::none) return std::nullopt;
        const ir::equation& q = p_.equations[defined];
        if (!is_determinant(p_.nodes[q.body]) || !is_plain(q.positions) || !is_plain(x.positions))
            return std::nullopt;
        return determinant_of(defined, p_.nodes[q.body], &q.positions, &x.positions);
    }
    bool is_plain(ir::range at) const {
        for (std::int32_t k = 0; k < at.count; ++k)
            if (p_.positions[at.first + k].kind != ir::position_kind::index) return false;
        return true;
    }
    // `left`, `here`: the places of a tensor where it is defined and where it is read, if it is
    // one.
    determinant determinant_of(ir::ref e, const ir::node& x, const ir::range* left,
                               const ir::range* here) const {
        determinant made{
            matrix_of(e, x), {}, p_.links[x.indices.first], p_.links[x.indices.first + 1]};
        for (ir::ref i : made.matrix.free) {
            for (std::int32_t k = 0; left != nullptr && k < left->count; ++k)
                if (p_.positions[left->first + k].index == i) {
                    i = p_.positions[here->first + k].index;
                    break;
                }
            made.indices.push_back(i);
        }
        return made;
    }
    canonical_form matrix_of(ir::ref e, const ir::node& function) const {
        return canonical(p_, p_.links[function.children.first],
                         [&](ir::ref i) { return shapes_.index_extent(e, i); });
    }

    /// `n` with its inverse of the same matrix multiplied by the determinant; none where it has
    /// none. `free`: the indices of the determinant, which no sum on the way may bind.
    ir::ref times(ir::ref e, ir::ref n, const determinant& by, const ir::index_set& free) {
        const ir::node x = p_.nodes[n];
        if (ir::is_inverse(x)) {
            if (!is_of(by, matrix_of(e, x), x)) return ir::none;
            return p_.reduce(ir::reduction::cofactors, x.indices, p_.links[x.children.first]);
        }
        const bool is_sum =
            x.kind == ir::op::reduce && x.detail == static_cast<std::uint8_t>(ir::reduction::sum);
        if (!is_sum && x.kind != ir::op::multiply) return ir::none;
        for (std::int32_t k = 0; is_sum && k < x.indices.count; ++k)
            if (free.has(p_.links[x.indices.first + k])) return ir::none;
        ir::ref found = ir::none;
        const ir::ref made = ir::rebuild_children(p_, n, [&](ir::ref child) {
            if (found != ir::none) return child;
            found = times(e, child, by, free);
            return found == ir::none ? child : found;
        });
        return found == ir::none ? ir::none : made;
    }
    // A matrix and its transpose have one determinant.
    static bool is_of(const determinant& d, const canonical_form& matrix, ir::ref row,
                      ir::ref column) {
        for (std::size_t k = 0; k < matrix.free.size(); ++k) {
            const ir::ref theirs = d.matrix.free[k];
            const ir::ref wanted = theirs == d.row      ? row
                                   : theirs == d.column ? column
                                                        : d.indices[k];
            if (matrix.free[k] != wanted) return false;
        }
        return true;
    }
    bool is_of(const determinant& d, const canonical_form& matrix, const ir::node& inverse) const {
        const ir::ref row = p_.links[inverse.indices.first],
                      column = p_.links[inverse.indices.first + 1];
        return d.matrix.spelling == matrix.spelling && d.matrix.free.size() == matrix.free.size() &&
               (is_of(d, matrix, row, column) || is_of(d, matrix, column, row));
    }

    ir::program& p_;
    const ir::shape_table& shapes_;
};

}  // namespace

void write_cofactors(ir::program& program, const ir::shape_table& shapes) {
    if (!std::any_of(program.nodes.begin(), program.nodes.end(), is_determinant) ||
        !ir::has_inverse(program))
        return;
    cofactor_writer writer(program, shapes);
    for (ir::ref e = 0; e < program.equations.size(); ++e) {
        const ir::equation q = program.equations[e];
        if (ir::computes(program, q)) program.equations[e].body = writer.write(e, q.body);
    }
}

}  // namespace ricci::plan
