// Derivatives of tensors by tensors: reverse mode that begins with a delta.
#pragma once

#include <cstdint>

#include <ricci/derive/gradient.hpp>
#include <ricci/derive/places.hpp>
#include <ricci/derive/tidy.hpp>
#include <ricci/ir/compact.hpp>
#include <ricci/ir/eliminate.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::derive {

/// Makes of the equations for "dA/dS", in which A is a loss, those for a tensor A: every cotangent
/// gets the indices of A in front of its own.
/// `AxisOf`: gives the axis that stands for an axis of a tensor.
template <class Program, class AxisOf>
class tensor_derivatives {
public:
    constexpr tensor_derivatives(Program& p, text_view of, const AxisOf& axis_of)
        : p_(p), of_(of), axis_of_(axis_of) {
        const ref name = p_.find(of);
        if (name != none) defined_ = p_.definition(name);
        seed_ = p_.find(ir::cotangent_spelling(of, of));
    }
    constexpr void run() {
        make_upper();
        for (ir::name_symbol& s : p_.names)
            if (is_derivative(s)) s.numerator_rank = upper_.count;
        const std::int32_t count = p_.equations.size();
        for (ref e = 0; e < count; ++e) {
            ir::equation q = p_.equations[e];
            if (!is_derivative(p_.names[q.name])) continue;
            q.positions = with_upper(q.positions);
            q.body = ir::eliminate_deltas(p_, flattened(p_, seeded(q.body)));
            q.body = ir::prime_shadowed(p_, q.body, q.positions);
            p_.equations[e] = q;
        }
    }

private:
    constexpr bool is_derivative(const ir::name_symbol& s) const {
        return s.kind == ir::name_kind::cotangent &&
               ir::parts_of_derivative(p_.text(s.text)).numerator == of_;
    }
    /// An index of its own for every axis of A: the letter it has in its equation, with primes,
    /// where it is that letter's alone.
    constexpr void make_upper() {
        if (defined_ == none) return;
        needed_tensors<Program> needed(p_);
        needed.add_shape(p_.equations[defined_].name);
        needed.spread();
        ir::index_set taken;
        for (const ir::equation& q : p_.equations)
            if (!q.claim && needed.has(q.name)) taken.merge(ir::indices_of(p_, q));
        const ir::range left = p_.equations[defined_].positions;
        buffer<ir::position> list;
        for (std::int32_t k = 0; k < left.count; ++k) {
            const ir::position& axis = p_.positions[left.first + k];
            const bool plain = axis.kind == ir::position_kind::index;
            const ref letter = plain ? axis.index : p_.intern_index("p");
            const ref fresh = index_like(p_, with_more_primes(p_, letter, taken),
                                         axis_of_(p_.equations[defined_].name, k));
            taken.add(fresh);
            list.push(ir::index_position(fresh));
        }
        upper_ = {p_.positions.size(), list.size()};
        p_.positions.append(list.data(), list.size());
    }
    constexpr ir::range with_upper(ir::range at) {
        const ir::range out{p_.positions.size(), upper_.count + at.count};
        for (std::int32_t k = 0; k < upper_.count; ++k)
            p_.positions.push(ir::position(p_.positions[upper_.first + k]));
        for (std::int32_t k = 0; k < at.count; ++k)
            p_.positions.push(ir::position(p_.positions[at.first + k]));
        return out;
    }
    /// dA/dA is a delta for each axis; the other derivatives get the indices of A.
    constexpr ref seeded(ref n) {
        const ir::node x = p_.nodes[n];
        if (x.kind != op::tensor)
            return ir::rebuild_children(p_, n, [&](ref inside) { return seeded(inside); });
        if (x.name == seed_) {
            buffer<ref> deltas;
            for (std::int32_t k = 0; k < x.positions.count; ++k) {
                ir::index_set taken;
                for (ref i = 0; i < p_.indices.size(); ++i) taken.add(i);
                const auto extent_of = [&](ref i) {
                    return count_over(p_, with_more_primes(p_, i, taken));
                };
                const ir::position here = p_.positions[x.positions.first + k];
                const ir::position axis = p_.positions[upper_.first + k];
                deltas.push(is_at(p_, here, axis, extent_of));
            }
            return product_of(p_, deltas);
        }
        if (!is_derivative(p_.names[x.name])) return n;
        ir::node use = x;
        use.positions = with_upper(x.positions);
        return p_.nodes.push(use);
    }

    Program& p_;
    text_view of_;
    const AxisOf& axis_of_;
    ref defined_ = none;
    ref seed_ = none;
    ir::range upper_{};
};

/// The equations that give dA/dS for the tensor A = `of` and every S of `wrt`, from the inputs.
/// `Copy`: what it works on; a parameter, so that nothing is instantiated before this is.
template <class Source, class Copy = ir::program>
constexpr derived jacobian(const Source& source, text_view of, const text_view* wrt,
                           std::int32_t wrt_count) {
    // Derivatives of A that the source holds are none of what A is made from.
    Copy without(source);
    for (ir::equation& q : without.equations) {
        const auto holds = [&](ref name) {
            const ir::name_symbol& s = without.names[name];
            return s.kind == ir::name_kind::cotangent &&
                   ir::parts_of_derivative(without.name(name)).numerator == of;
        };
        bool found = holds(q.name);
        ir::for_each_node(without, q.body, [&](ref n) {
            const ir::node& x = without.nodes[n];
            found = found || (x.kind == op::tensor && holds(x.name));
        });
        if (found) q.claim = true;
    }
    gradient_request request;
    request.of = of;
    request.wrt = wrt;
    request.wrt_count = wrt_count;
    request.loss = of;
    request.jacobian = true;
    return reverse_mode(without, request).run([&](Copy& derived, const auto& axis_of) {
        tensor_derivatives(derived, of, axis_of).run();
    });
}

}  // namespace ricci::derive
