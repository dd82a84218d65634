// Making an output of a tensor that is computed on the way.
#pragma once

#include <ricci/ir/mistake.hpp>
#include <ricci/ir/program.hpp>

namespace ricci {

/// Keeps the tensor of this canonical name; the mistake where the program does not define it.
constexpr ir::mistake keep_name(ir::program& p, detail::text_view name) {
    const ir::ref n = p.find(name);
    if (n == ir::none || p.definition(n) == ir::none) {
        detail::text_builder s;
        s << "the equations define no tensor " << name << ", so it cannot be kept";
        return ir::make_mistake(ir::mistake_kind::unknown_name, s);
    }
    p.names[n].kept = true;
    return {};
}

}  // namespace ricci
