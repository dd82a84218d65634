// A program as text: LaTeX that the parser reads back.
#pragma once

#include <ricci/ir/latex_printer.hpp>
#include <ricci/ir/needed.hpp>
#include <ricci/ir/print_heights.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/ir/solutions.hpp>

namespace ricci::ir {

/// A program in which mistakes are looked for and not said: what prints equations is built where
/// one was found.
struct wordless_program : program_view {
    static constexpr bool is_wordless = true;
    constexpr wordless_program(const program_view& p) : program_view(p) {}
};
template <class Program>
inline constexpr bool has_words = !requires {
    Program::is_wordless;
};

/// One equation in the notation. `Owned` is a parameter for what depends on nothing not to be built
/// where this is read.
template <class Program, class Owned = program>
constexpr void to_latex(const Program& p, const equation& e, detail::text_builder& out) {
    if (has_inverse(p)) {
        Owned written(p);
        equation one = e;
        one.body = solution_writer(written).write(e.body);
        latex_printer(written, out).equation_line(one);
    } else {
        latex_printer(p, out).equation_line(e);
    }
    latex_printer(p, out).axes(e);
}
/// One equation as a message shows it: what came from an einsum string, as that string.
constexpr void show(const auto& p, const equation& e, detail::text_builder& out) {
    if (p.find("operand 1") == none) return to_latex(p, e, out);
    const auto positions = [&](range at) {
        for (std::int32_t k = 0; k < at.count; ++k) out << p.index(p.at(at, k).index);
    };
    bool first = true;
    for (ref name = 0; name < p.names.size(); ++name) {
        if (name == e.name) continue;
        out << (first ? "" : ",");
        first = false;
        for (const node& n : p.nodes)
            if (n.kind == op::tensor && n.name == name) {
                positions(n.positions);
                break;
            }
    }
    out << "->";
    positions(e.positions);
}
constexpr void to_latex_lines(const auto& p, detail::text_builder& out);

/// Every equation, a line each; what is claimed of a tensor stands on the line that defines it.
template <class Program, class Owned = program>
constexpr void to_latex(const Program& p, detail::text_builder& out) {
    if (!has_inverse(p)) return to_latex_lines(p, out);
    const Owned written = with_solutions(p);
    to_latex_lines(written, out);
}
/// The same, of a program whose inverses are written as solutions.
constexpr void to_latex_lines(const auto& p, detail::text_builder& out) {
    latex_printer printer(p, out, !prints_at_two_heights(p));
    detail::buffer<ref> claims;
    for (ref e = 0; e < p.equations.size(); ++e)
        if (p.equations[e].claim) claims.push(e);
    for (const equation& e : p.equations) {
        if (e.claim && p.definition(e.name) != none) continue;
        printer.equation_line(e);
        for (const ref c : claims) {
            const equation& claim = p.equations[c];
            if (claim.name != e.name || e.claim) continue;
            out << " \\Leftrightarrow ";
            printer.equation_line(claim);
        }
        printer.axes(e);
        out << '\n';
        // an output that nothing reads needs no line to keep it
        if (e.claim || !p.names[e.name].kept || !is_read(p, e.name)) continue;
        printer.tensor(e.name, e.positions);
        out << '\n';
    }
}

}  // namespace ricci::ir
