// Making an output of a tensor that is computed on the way.
#pragma once

#include <ricci/ir/mistake.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::detail {

/// What an equation was there for the shape of is computed from now on, with what it reads.
constexpr void compute(ir::program& p, ir::ref name) {
    if (!p.names[name].shape_only) return;
    p.names[name].shape_only = false;
    ir::for_each_node(p, p.equations[p.definition(name)].body, [&](ir::ref n) {
        const ir::ref read = p.nodes[n].kind == ir::op::tensor ? p.nodes[n].name : ir::none;
        if (read != ir::none) compute(p, read);
    });
}

/// Keeps the tensor of this canonical name; the mistake where the program does not define it.
constexpr ir::mistake keep_name(ir::program& p, text_view name) {
    const ir::ref n = p.find(name);
    if (n == ir::none || p.definition(n) == ir::none) {
        text_builder s;
        s << "the equations define no tensor " << name << ", so it cannot be kept";
        return ir::make_mistake(ir::mistake_kind::unknown_name, s);
    }
    p.names[n].kept = true;
    compute(p, n);
    return {};
}

}  // namespace ricci::detail
