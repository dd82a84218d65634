#include "src/plan/read/matrices.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <ricci/ir/rewrite.hpp>
#include <ricci/ir/solutions.hpp>
#include "src/plan/trees/canonical.hpp"
#include "src/plan/trees/cofactors.hpp"
#include "src/plan/read/grown_program.hpp"
#include "src/plan/trees/hiding_conditions.hpp"

namespace ricci::plan {
namespace {

/// What a function needs of a matrix. Where brackets do not hide one, a hidden one that needs the
/// same fails no call that would not fail anyway.
enum class need : char { inverse = 'i', cholesky = 'c', numbers = 'n' };

need need_of(const ir::node& function) {
    switch (static_cast<ir::reduction>(function.detail)) {
        case ir::reduction::cholesky:
            return need::cholesky;
        case ir::reduction::inverse:
        case ir::reduction::solve:
            return need::inverse;
        default:
            return need::numbers;
    }
}

ir::program with_solutions_in_sums(const ir::program_view& program, const ir::shape_table& shapes) {
    ir::program written(program);
    write_cofactors(written, shapes);
    for (ir::equation& e : written.equations)
        if (ir::computes(program, e)) e.body = ir::solution_writer(written, false).write(e.body);
    return written;
}

class matrix_lifting {
public:
    matrix_lifting(const ir::program_view& program, const ir::shape_table& shapes)
        : p_(program),
          written_(with_solutions_in_sums(program, shapes)),
          to_(written_.view()),
          shapes_(shapes),
          conditions_(written_.view()) {
        for (ir::ref e = 0; e < p_.equations.size(); ++e)
            if (ir::computes(p_, p_.equations[e])) note_unhidden(e, written_.equations[e].body);
    }

    /// The copy; `origins` says for each of its equations which one it was or was taken from.
    ir::program rewritten(std::vector<ir::ref>& origins) {
        rewrite_equations(p_, to_, made_, origins, [&](ir::ref e, ir::ref) {
            return lifted(e, written_.equations[e].body, {}, true);
        });
        return std::move(to_);
    }

private:
    /// A tensor with an equation of its own, and which of the free indices stands at each axis.
    struct lifted_tensor {
        ir::ref name;
        std::vector<std::size_t> axes;
    };

    /// Notes what is needed of matrices whatever brackets say.
    void note_unhidden(ir::ref e, ir::ref n) {
        const ir::node& x = written_.nodes[n];
        if (!conditions_.holds_matrix(n) || ir::is_power_of_zero(written_, x)) return;
        if (ir::is_of_matrix(x)) unhidden_.insert(needed(e, x));
        for (std::int32_t k = 0; k < x.children.count; ++k)
            if (conditions_.above(x, k).empty())
                note_unhidden(e, written_.links[x.children.first + k]);
    }
    std::string needed(ir::ref e, const ir::node& function) const {
        const canonical_form form =
            canonical(written_, written_.links[function.children.first],
                      [&](ir::ref i) { return shapes_.index_extent(e, i); });
        return static_cast<char>(need_of(function)) + form.spelling;
    }
    /// Whether the program fails where a function that nothing hides fails.
    bool is_needed_anyway(ir::ref e, const ir::node& function) const {
        const std::string key = needed(e, function), matrix = key.substr(1);
        if (unhidden_.contains(key)) return true;
        return need_of(function) == need::numbers &&
               unhidden_.contains(static_cast<char>(need::inverse) + matrix);
    }

    /// `above`: the conditions in the copy under which the node counts.
    ir::ref lifted(ir::ref e, ir::ref n, std::vector<ir::ref> above, bool whole) {
        const ir::node written = to_.nodes[n];
        if (!conditions_.holds_matrix(n) || ir::is_power_of_zero(to_, written)) return n;
        drop_rebound(written, above);
        std::int32_t which = 0;
        const ir::ref inside = ir::rebuild_children(to_, n, [&](ir::ref child) {
            auto here = above;
            if (conditions_.holds_matrix(child))
                for (const hiding_condition& c : conditions_.above(written, which))
                    here.push_back(factor_of(e, c, above));
            ++which;
            return lifted(e, child, std::move(here), false);
        });
        if (!ir::is_of_matrix(written)) return inside;
        ir::node function = to_.nodes[inside];
        detail::buffer<ir::ref> operands;
        for (std::int32_t k = 0; k < function.children.count; ++k) {
            ir::ref child = to_.links[function.children.first + k];
            if (k > 0) child = guarded_side(e, child, above);
            else if (!is_needed_anyway(e, written))
                child = guarded_matrix(e, child, function, above);
            operands.push(is_plain(child) ? child : defined(e, child, function.indices));
        }
        function.children = to_.add_links(operands);
        const ir::ref made = to_.nodes.push(function);
        return whole && has_plain_left_side(e) ? made : defined(e, made, {});
    }
    /// A condition as one node of the copy.
    ir::ref factor_of(ir::ref e, const hiding_condition& c, const std::vector<ir::ref>& above) {
        detail::buffer<ir::ref> all;
        for (const ir::ref n : c.all) all.push(lifted(e, n, above, false));
        const ir::ref product =
            all.size() == 1 ? all[0] : to_.make(ir::op::multiply, 0, all.data(), all.size());
        if (c.holds) return product;
        return to_.make(ir::op::apply, static_cast<std::uint8_t>(ir::function::logical_not),
                        &product, 1);
    }
    /// What a node binds is another index than that of a condition outside.
    void drop_rebound(const ir::node& x, std::vector<ir::ref>& above) const {
        std::erase_if(above, [&](ir::ref c) {
            const ir::index_set free = ir::free_indices(to_, c);
            for (std::int32_t k = 0; k < ir::bound_count(x); ++k)
                if (free.has(to_.links[x.indices.first + k])) return true;
            return false;
        });
    }
    /// Where some of the conditions' places want what has these indices; none where they all do.
    ir::ref wanted_at(ir::ref e, const ir::index_set& indices, const std::vector<ir::ref>& above) {
        detail::buffer<ir::ref> factors, others;
        for (const ir::ref c : above) factors.push(c);
        if (factors.empty()) return ir::none;
        ir::ref count = factors.size() == 1
                            ? factors[0]
                            : to_.make(ir::op::multiply, 0, factors.data(), factors.size());
        const ir::index_set free = ir::free_indices(to_, count);
        for (ir::ref i = 0; i < free.end(); ++i)
            if (free.has(i) && !indices.has(i)) others.push(i);
        if (others.empty() && factors.size() == 1 && to_.nodes[count].kind == ir::op::compare)
            return count;
        if (!others.empty()) count = to_.reduce(ir::reduction::sum, to_.add_links(others), count);
        const ir::ref ordered[] = {to_.number(0), count};
        const ir::ref wanted =
            to_.make(ir::op::compare, static_cast<std::uint8_t>(ir::comparison::less), ordered, 2);
        // by itself where it sums over a letter that what it stands beside may have, too
        return others.empty() ? wanted : defined(e, wanted, {});
    }
    /// The matrix where the conditions want it anywhere. Elsewhere the unit matrix, which has an
    /// inverse and a factor that nobody reads.
    ir::ref guarded_matrix(ir::ref e, ir::ref matrix, const ir::node& function,
                           const std::vector<ir::ref>& above) {
        const ir::ref a = to_.links[function.indices.first],
                      b = to_.links[function.indices.first + 1];
        ir::index_set batch = ir::free_indices(to_, matrix);
        batch.remove(a), batch.remove(b);
        const bool somewhere = std::all_of(above.begin(), above.end(),
                                           [&](ir::ref c) { return holds_somewhere(c, batch); });
        const ir::ref wanted = somewhere ? ir::none : wanted_at(e, batch, above);
        if (wanted == ir::none) return matrix;
        const ir::ref first = ir::first_of(to_, matrix, a, b);
        ir::node unit = ir::blank_node(ir::op::delta);
        unit.positions = {to_.positions.size(), 2};
        to_.positions.push(ir::index_position(first == b ? b : a));
        to_.positions.push(ir::index_position(first == b ? a : b));
        const ir::ref parts[] = {matrix, wanted, to_.nodes.push(unit)};
        return to_.make(ir::op::choose, 0, parts, 3);
    }
    /// A right-hand side, which may read places that exist only where the conditions are true.
    ir::ref guarded_side(ir::ref e, ir::ref side, const std::vector<ir::ref>& above) {
        const ir::ref wanted =
            is_plain(side) ? ir::none : wanted_at(e, ir::free_indices(to_, side), above);
        return wanted == ir::none ? side : to_.make(ir::op::multiply, wanted, side);
    }
    /// Of places alone, as [j \le i] of rows and columns, or \delta^{bc} of which one is no batch:
    /// taken to hold for some of them.
    bool holds_somewhere(ir::ref condition, const ir::index_set& batch) const {
        const ir::index_set free = ir::free_indices(to_, condition);
        bool inside = false, outside = false;
        for (ir::ref i = 0; i < free.end(); ++i)
            if (free.has(i)) (batch.has(i) ? inside : outside) = true;
        if (to_.nodes[condition].kind == ir::op::delta) return outside;
        bool of_places = outside && !inside;
        ir::for_each_node(to_, condition, [&](ir::ref n) {
            of_places = of_places && to_.nodes[n].kind != ir::op::tensor;
        });
        return of_places;
    }
    /// A tensor that is read at different indices, and nowhere else.
    bool is_plain(ir::ref n) const {
        const ir::node& x = to_.nodes[n];
        return x.kind == ir::op::tensor && x.children.count == 0 && are_plain(x.positions);
    }
    bool are_plain(ir::range at) const {
        for (std::int32_t k = 0; k < at.count; ++k) {
            const ir::position& q = to_.positions[at.first + k];
            if (q.kind != ir::position_kind::index) return false;
            for (std::int32_t j = 0; j < k; ++j)
                if (to_.positions[at.first + j].index == q.index) return false;
        }
        return true;
    }
    bool has_plain_left_side(ir::ref e) const { return are_plain(p_.equations[e].positions); }

    /// The expression as a tensor; its last axes are `last`, where it has these.
    ir::ref defined(ir::ref e, ir::ref body, ir::range last) {
        const canonical_form form =
            canonical(to_, body, [&](ir::ref i) { return shapes_.index_extent(e, i); });
        auto known = known_.find(form.spelling);
        if (known == known_.end()) {
            lifted_tensor made{new_name(to_), axes_of(form, last)};
            made_.push_back(
                {made.name, positions(made, form), body, false, p_.equations[e].source});
            known = known_.emplace(form.spelling, std::move(made)).first;
        }
        return to_.tensor(known->second.name, positions(known->second, form));
    }
    std::vector<std::size_t> axes_of(const canonical_form& form, ir::range last) const {
        const auto is_last = [&](std::size_t k) {
            for (std::int32_t l = 0; l < last.count; ++l)
                if (to_.links[last.first + l] == form.free[k]) return true;
            return false;
        };
        std::vector<std::size_t> axes;
        for (std::size_t k = 0; k < form.free.size(); ++k)
            if (!is_last(k)) axes.push_back(k);
        for (std::int32_t l = 0; l < last.count; ++l)
            for (std::size_t k = 0; k < form.free.size(); ++k)
                if (to_.links[last.first + l] == form.free[k]) axes.push_back(k);
        return axes;
    }
    ir::range positions(const lifted_tensor& t, const canonical_form& form) {
        const ir::range at{to_.positions.size(), static_cast<std::int32_t>(t.axes.size())};
        for (const auto k : t.axes) to_.positions.push(ir::index_position(form.free[k]));
        return at;
    }

    const ir::program_view& p_;
    const ir::program written_;  // its nodes have the same numbers in the copy
    ir::program to_;
    const ir::shape_table& shapes_;
    const hiding_conditions conditions_;
    std::unordered_set<std::string> unhidden_;
    std::unordered_map<std::string, lifted_tensor> known_;
    std::vector<ir::equation> made_;
};

}  // namespace

std::optional<ir::program> lift_matrices(const ir::program_view& program, ir::shape_table& shapes,
                                         std::vector<slot>& slots, element type) {
    const auto& nodes = program.nodes;
    if (std::none_of(nodes.begin(), nodes.end(),
                     [](const ir::node& x) { return ir::is_of_matrix(x); }))
        return std::nullopt;
    std::vector<ir::ref> origins;
    ir::program result = matrix_lifting(program, shapes).rewritten(origins);
    carry_over(program, result, origins, {}, shapes, slots, type);
    return result;
}

}  // namespace ricci::plan
