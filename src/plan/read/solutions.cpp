#include "src/plan/read/solutions.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <ricci/detail/buffer.hpp>
#include <ricci/ir/rewrite.hpp>
#include <ricci/ir/solutions.hpp>

#include "src/plan/pool/substitute.hpp"
#include "src/plan/read/grown_program.hpp"

namespace ricci::plan {
namespace {

bool is_determinant(const ir::node& x) {
    return x.kind == ir::op::reduce &&
           x.detail == static_cast<std::uint8_t>(ir::reduction::determinant);
}

/// Writes each product of \det_{ij}(K^{ij}), or of a tensor that is defined as that, and of the
/// inverse of the same K as the cofactors of K. That is what the gradient of a determinant says:
/// the product is the same where K has an inverse, and what it tends to where it has none.
class cofactor_writer {
public:
    explicit cofactor_writer(ir::program& program) : p_(program) {}

    ir::ref write(ir::ref n) {
        if (p_.nodes[n].kind == ir::op::multiply) n = with_cofactors(n);
        return ir::rebuild_children(p_, n, [&](ir::ref child) { return write(child); });
    }

private:
    /// A factor that is the determinant of a matrix.
    struct determinant {
        ir::ref matrix, row, column;
        std::vector<ir::ref> free;     // the indices of the matrix,
        std::vector<ir::ref> indices;  // and what they are called where the factor stands
    };

    void add_factors(ir::ref n, detail::buffer<ir::ref>& factors) const {
        const ir::node& x = p_.nodes[n];
        if (x.kind != ir::op::multiply) return static_cast<void>(factors.push(n));
        for (std::int32_t k = 0; k < x.children.count; ++k)
            add_factors(p_.links[x.children.first + k], factors);
    }

    // Each determinant goes into the first factor that has an inverse for it.
    ir::ref with_cofactors(ir::ref n) {
        detail::buffer<ir::ref> factors, left;
        add_factors(n, factors);
        bool changed = false;
        for (std::int32_t k = 0; k < factors.size(); ++k) {
            bool taken = false;
            if (const auto found = determinant_in(factors[k])) {
                const ir::index_set free = ir::free_indices(p_, factors[k]);
                for (std::int32_t j = 0; j < factors.size() && !taken; ++j) {
                    const ir::ref made = j == k ? ir::none : times(factors[j], *found, free);
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

    std::optional<determinant> determinant_in(ir::ref n) const {
        const ir::node& x = p_.nodes[n];
        if (is_determinant(x)) return determinant_of(x, nullptr, nullptr);
        if (x.kind != ir::op::tensor || x.children.count > 0) return std::nullopt;
        const ir::ref defined = p_.definition(x.name);
        if (defined == ir::none) return std::nullopt;
        const ir::equation& q = p_.equations[defined];
        if (!is_determinant(p_.nodes[q.body]) || !is_plain(q.positions) || !is_plain(x.positions))
            return std::nullopt;
        return determinant_of(p_.nodes[q.body], &q.positions, &x.positions);
    }
    bool is_plain(ir::range at) const {
        for (std::int32_t k = 0; k < at.count; ++k)
            if (p_.positions[at.first + k].kind != ir::position_kind::index) return false;
        return true;
    }
    // `left`, `here`: the places of a tensor where it is defined and where it is read, if it is
    // one.
    determinant determinant_of(const ir::node& x, const ir::range* left,
                               const ir::range* here) const {
        const ir::ref matrix = p_.links[x.children.first];
        determinant made{matrix,
                         p_.links[x.indices.first],
                         p_.links[x.indices.first + 1],
                         free_indices_of(p_, matrix),
                         {}};
        for (ir::ref i : made.free) {
            for (std::int32_t k = 0; left != nullptr && k < left->count; ++k)
                if (p_.positions[left->first + k].index == i) {
                    i = p_.positions[here->first + k].index;
                    break;
                }
            made.indices.push_back(i);
        }
        return made;
    }

    /// `n` with its inverse of the same matrix multiplied by the determinant; none where it has
    /// none. `free`: the indices of the determinant, which no sum on the way may bind.
    ir::ref times(ir::ref n, const determinant& by, const ir::index_set& free) {
        const ir::node x = p_.nodes[n];
        if (ir::is_inverse(x)) {
            if (!is_of(by, x)) return ir::none;
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
            found = times(child, by, free);
            return found == ir::none ? child : found;
        });
        return found == ir::none ? ir::none : made;
    }
    // A matrix and its transpose have one determinant.
    bool is_of(const determinant& d, const ir::node& inverse) const {
        const auto found = matched(p_, d.matrix, p_.links[inverse.children.first], d.free);
        if (!found) return false;
        const ir::ref row = p_.links[inverse.indices.first],
                      column = p_.links[inverse.indices.first + 1];
        const auto is = [&](ir::ref first, ir::ref second) {
            for (std::size_t k = 0; k < found->size(); ++k) {
                const ir::ref wanted = d.free[k] == d.row      ? first
                                       : d.free[k] == d.column ? second
                                                               : d.indices[k];
                if ((*found)[k] != wanted) return false;
            }
            return true;
        };
        return is(row, column) || is(column, row);
    }

    ir::program& p_;
};

}  // namespace

std::optional<ir::program> write_solutions(const ir::program_view& program,
                                           ir::shape_table& shapes) {
    if (!ir::has_inverse(program)) return std::nullopt;
    ir::program made(program);
    cofactor_writer cofactors(made);
    ir::solution_writer solutions(made, false);
    const bool has_determinant =
        std::any_of(program.nodes.begin(), program.nodes.end(), is_determinant);
    for (ir::ref e = 0; e < made.equations.size(); ++e) {
        if (!ir::computes(program, made.equations[e])) continue;
        ir::ref body = made.equations[e].body;
        if (has_determinant) body = cofactors.write(body);
        made.equations[e].body = solutions.write(body);
    }
    carry_over(program, made, {}, shapes);
    return made;
}

}  // namespace ricci::plan
