// Lines that keep a tensor: a name with its indices and nothing else makes an output of it.
#pragma once

#include <cstdint>

#include <ricci/ir/mistake.hpp>
#include <ricci/ir/program.hpp>

namespace ricci::ir {

/// Whether a claim is such a line: it says of a tensor that it is itself, in one place of the text.
template <class Program>
constexpr bool is_keep_line(const Program& p, const equation& e) {
    const node& x = p.nodes[e.body];
    return e.claim && x.kind == op::tensor && x.name == e.name && e.source.end > 0 &&
           x.source.begin == e.source.begin && x.source.end == e.source.end;
}

/// What is said where nothing defines the tensor of such a line.
template <class Program>
constexpr mistake nothing_to_keep(const Program& p, const equation& line, text_view text) {
    detail::text_builder s;
    s << "nothing defines " << p.name(line.name)
      << ", so that it cannot be kept as an output; an equation is written name = expression";
    return make_mistake(mistake_kind::unknown_name, text, line.source.begin, line.source.end, s);
}

/// Marks the tensors of the lines that keep one, and removes the lines. Derivatives that nothing
/// defines yet are left, as they may be derived.
constexpr mistake keep_defined(program& p, text_view text) {
    bool any = false;
    for (const equation& e : p.equations) any = any || is_keep_line(p, e);
    if (!any) return {};
    detail::buffer<equation> rest;
    for (const equation& e : p.equations) {
        const bool defined = p.definition(e.name) != none;
        if (!is_keep_line(p, e) || (!defined && p.names[e.name].kind != name_kind::plain)) {
            rest.push(e);
            continue;
        }
        if (!defined) return nothing_to_keep(p, e, text);
        p.names[e.name].kept = true;
    }
    p.equations = static_cast<detail::buffer<equation>&&>(rest);
    return {};
}

}  // namespace ricci::ir
