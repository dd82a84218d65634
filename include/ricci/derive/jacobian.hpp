// Derivatives of tensors by tensors as equations: reverse mode with a delta for the first cotangent.
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
class tensor_derivatives {
public:
    constexpr tensor_derivatives(ir::program& p, text_view of) : p_(p) {
        of_ = p_.find(of);
        defined_ = p_.definition(of_);
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
            p_.equations[e] = q;
        }
    }

private:
    constexpr bool is_derivative(const ir::name_symbol& s) const {
        return s.kind == ir::name_kind::cotangent &&
               ir::parts_of_derivative(p_.text(s.text)).numerator == p_.name(of_);
    }
    /// An index of its own for every axis of A: the letter it has in its equation, with primes.
    constexpr void make_upper() {
        ir::index_set taken;
        for (ref i = 0; i < p_.indices.size(); ++i) taken.add(i);
        const ir::range left = p_.equations[defined_].positions;
        buffer<ir::position> list;
        for (std::int32_t k = 0; k < left.count; ++k) {
            ref letter = none;
            ir::for_each_index(p_, {left.first + k, 1}, [&](ref i) { letter = i; });
            if (letter == none) letter = p_.intern_index("p");
            const ref fresh = with_more_primes(p_, letter, taken);
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
            return ir::rebuild_node(p_, n, {}, [&](ref inside) { return seeded(inside); });
        if (x.name == seed_) {
            buffer<ref> deltas;
            for (std::int32_t k = 0; k < x.positions.count; ++k) {
                ir::index_set taken;
                for (ref i = 0; i < p_.indices.size(); ++i) taken.add(i);
                const auto primed = [&](ref i) { return with_more_primes(p_, i, taken); };
                const ir::position here = p_.positions[x.positions.first + k];
                const ir::position axis = p_.positions[upper_.first + k];
                deltas.push(is_at(p_, here, axis, primed));
            }
            return product_of(p_, deltas);
        }
        if (!is_derivative(p_.names[x.name])) return n;
        ir::node use = x;
        use.positions = with_upper(x.positions);
        return p_.nodes.push(use);
    }

    ir::program& p_;
    ref of_ = none;
    ref defined_ = none;
    ref seed_ = none;
    ir::range upper_{};
};

/// The equations that give dA/dS for the tensor A = `of` and every S of `wrt`, from the inputs.
constexpr derived jacobian(const ir::program_view& source, text_view of, const text_view* wrt,
                           std::int32_t wrt_count) {
    // Derivatives of A that the source holds are none of what A is made from.
    ir::program without(source);
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
    derived out = gradient(without, request);
    if (out.mistake) return out;
    tensor_derivatives(out.program, of).run();
    return out;
}

/// An equation for the tangent of a tensor that the program does not define is no claim, for there is
/// nothing to derive it from: it defines the tangent. So does one for a tangent that such equations
/// read. What forward mode prints reads back as equations that compute.
/// Whether there was one.
constexpr bool define_tangents(ir::program& p) {
    const auto is_tangent = [&](ref name) {
        return p.names[name].kind == ir::name_kind::tangent && p.definition(name) == none;
    };
    bool any = false;
    for (ir::equation& q : p.equations) {
        if (!q.claim || !is_tangent(q.name)) continue;
        ref of = q.name;
        while (p.names[of].kind != ir::name_kind::plain) of = p.names[of].of;
        if (p.definition(of) == none) q.claim = false, any = true;
    }
    for (std::int32_t e = p.equations.size(); any && e-- > 0;) {
        ir::equation& q = p.equations[e];
        if (!q.claim || !is_tangent(q.name)) continue;
        for (const ir::equation& other : p.equations)
            if (!other.claim && q.claim && ir::uses_name(p, other.body, q.name)) q.claim = false;
    }
    return any;
}

/// A program whose equations use derivatives of tensors that it defines, with the equations for those
/// derivatives: \frac{\partial A^{ij}}{\partial S^{kl}} on a right side asks for it.
class derivative_definitions {
public:
    constexpr derivative_definitions(ir::program& p, text_view text) : p_(p), text_(text) {}
    constexpr const ir::mistake& mistake() const { return mistake_; }

    /// Whether there was one to define.
    constexpr bool run() {
        const ref first = wanted();
        if (first == none) return false;
        const buffer<ref> outputs = find_outputs();
        for (ref name = first; name != none && !mistake_; name = wanted()) define(name);
        for (ir::name_symbol& s : p_.names) s.shape_only = false;  // what defines them is here
        // That a derivative is taken of a tensor is no use of it: it stays an output.
        for (ref name : outputs) p_.names[name].kept = true;
        return true;
    }

private:
    /// A derivative that an equation reads, that nothing defines, and whose numerator is defined.
    constexpr ref wanted() {
        for (const ir::equation& q : p_.equations) {
            if (q.claim) continue;
            ref found = none;
            ir::for_each_node(p_, q.body, [&](ref n) {
                const ir::node& x = p_.nodes[n];
                if (found == none && x.kind == op::tensor) found = definable(x.name);
            });
            if (found != none) return found;
        }
        return none;
    }
    /// The name itself, or the derivative above in it that has to be defined before; none otherwise.
    constexpr ref definable(ref name) const {
        const ir::name_symbol& s = p_.names[name];
        if (s.kind != ir::name_kind::cotangent || p_.definition(name) != none) return none;
        const ref above = p_.find(ir::parts_of_derivative(p_.name(name)).numerator);
        if (above == none) return none;
        return p_.definition(above) != none ? name : definable(above);
    }
    constexpr buffer<ref> find_outputs() const {
        buffer<ref> outputs;
        for (const ir::equation& q : p_.equations) {
            if (q.claim) continue;
            bool used = false;
            for (const ir::equation& other : p_.equations)
                used = used || (!other.claim && ir::uses_name(p_, other.body, q.name));
            if (!used) outputs.push(q.name);
        }
        return outputs;
    }
    constexpr void define(ref name) {
        detail::text_builder of, by;  // copies: the program's text moves as it grows
        of << ir::parts_of_derivative(p_.name(name)).numerator;
        by << p_.name(p_.names[name].of);
        const std::int32_t rank = p_.equations[p_.definition(p_.find(of))].positions.count;
        if (p_.names[name].numerator_rank != rank) return wrong_rank(name, of, rank);
        const text_view wrt[] = {by};
        const derived d = jacobian(p_, of, wrt, 1);
        if (d.mistake) return zero(name);
        ir::importer copy(p_, d.program);
        for (const ir::equation& e : d.program.equations) {
            const ref known = p_.find(d.program.name(e.name));
            if (known != none && p_.definition(known) != none) continue;
            const ir::equation q = copy.import(e);
            p_.names[q.name].kept = false;
            p_.equations.push(q);
        }
    }
    constexpr void wrong_rank(ref name, text_view of, std::int32_t rank) {
        ir::source_span at{};
        for (const ir::node& x : p_.nodes)
            if (x.kind == op::tensor && x.name == name) at = x.source;
        detail::text_builder s;
        s << of << " has " << p_.names[name].numerator_rank << " indices in this derivative and "
          << rank << " where it is defined";
        mistake_ = ir::make_mistake(ir::mistake_kind::rank, text_, at.begin, at.end, s);
    }
    /// The derivative of what does not depend on the tensor, in the shapes of the two.
    constexpr void zero(ref name) {
        std::int32_t rank = 0;
        for (const ir::node& x : p_.nodes)
            if (x.kind == op::tensor && x.name == name) rank = x.positions.count;
        buffer<ir::position> list;
        ir::index_set taken;
        for (ref i = 0; i < p_.indices.size(); ++i) taken.add(i);
        for (std::int32_t k = 0; k < rank; ++k) {
            const ref fresh = with_more_primes(p_, p_.intern_index("p"), taken);
            taken.add(fresh);
            list.push(ir::index_position(fresh));
        }
        const ir::range at{p_.positions.size(), list.size()};
        p_.positions.append(list.data(), list.size());
        p_.equations.push({name, at, p_.number(0), false, {}});
    }

    ir::program& p_;
    text_view text_;
    ir::mistake mistake_;
};

}  // namespace ricci::derive
