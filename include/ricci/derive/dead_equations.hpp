// Dropping equations that nobody needs, and keeping those that give indices their extents.
#pragma once

#include <cstdint>

#include <ricci/ir/compact.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::derive {

/// Which tensors are needed, by their names: for their values, or for their shapes alone.
template <class Program>
class needed_tensors {
public:
    constexpr explicit needed_tensors(const Program& p) : p_(p) {
        for (const ir::name_symbol& n : p.names) values_.push(n.kept), shapes_.push(false);
    }
    constexpr void add_value(ir::ref name) { values_[name] = true; }
    constexpr void add_shape(ir::ref name) { shapes_[name] = true; }
    constexpr bool has(ir::ref name) const { return values_[name] || shapes_[name]; }
    constexpr bool has_value(ir::ref name) const { return values_[name]; }

    /// Adds what the equations of those read that are needed already. Equations are in their order.
    constexpr void spread() {
        for (std::int32_t e = p_.equations.size(); e-- > 0;) {
            const ir::equation& q = p_.equations[e];
            if (!q.claim && has(q.name)) reach(q.body, values_[q.name] ? values_ : shapes_);
        }
    }

private:
    constexpr void reach(ir::ref n, detail::buffer<bool>& into) {
        const ir::node& x = p_.nodes[n];
        if (x.kind == ir::op::tensor) into[x.name] = true;
        detail::buffer<bool>& below = ir::is_power_of_zero(p_, x) ? shapes_ : into;
        for (std::int32_t k = 0; k < x.children.count; ++k)
            reach(p_.links[x.children.first + k], below);
    }

    const Program& p_;
    detail::buffer<bool> values_, shapes_;
};

/// A copy with the equations that define what is needed; of what is needed for its shape alone the
/// values are not computed.
template <class Program>
constexpr ir::program only_needed(Program& p, const needed_tensors<Program>& needed) {
    for (ir::ref n = 0; n < p.names.size(); ++n)
        p.names[n].shape_only = needed.has(n) && !needed.has_value(n);
    ir::program out;
    ir::importer copy(out, p);
    for (const ir::equation& q : p.equations)
        if (!q.claim && needed.has(q.name)) out.equations.push(copy.import(q));
    return out;
}

}  // namespace ricci::derive
