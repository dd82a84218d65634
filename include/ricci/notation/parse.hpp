// Text to program: the list of passes, in order. The same at compile time and at run time.
#pragma once

#include <ricci/ir/compact.hpp>
#include <ricci/ir/eliminate.hpp>
#include <ricci/ir/keep_lines.hpp>
#include <ricci/ir/letters_beside_names.hpp>
#include <ricci/ir/mistake.hpp>
#include <ricci/ir/needed.hpp>
#include <ricci/ir/nesting.hpp>
#include <ricci/ir/order.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/notation/heights.hpp>
#include <ricci/notation/hints.hpp>
#include <ricci/notation/origins.hpp>
#include <ricci/notation/parts.hpp>
#include <ricci/notation/recognise.hpp>
#include <ricci/notation/resolve.hpp>
#include <ricci/notation/statement.hpp>
#include <ricci/notation/verify.hpp>

namespace ricci::notation {

/// A program, or the first mistake in its text.
struct parse_result {
    ir::program program;
    ir::mistake mistake;
};

/// The passes between the parser's program and one whose sums are explicit and in order.
constexpr ir::mistake check(ir::program& p, text_view text, statement_parser& parser) {
    detail::buffer<styled_definition>& functions = parser.definitions();
    // functions first: they know their equations by number
    ir::mistake found = call_settler(p, text, functions).run();
    if (!found) found = part_joiner(p, text).run();
    if (found) return found;
    if (p.equations.empty())
        return ir::make_mistake(ir::mistake_kind::unexpected, text, 0, text.size,
                                "this text defines functions only, and no tensor");
    if (!functions.empty()) call_binder(p, functions).run();
    implied_sums sums;
    for (ir::equation& e : p.equations)
        if (!found) found = resolver(p, text, sums).run(e);
    for (styled_definition& d : functions)
        if (!found && d.kind == definition_kind::function)
            found = resolver(p, text, sums).run(d.body, d.parameters, d.over, d.source);
    // a tensor of two ranks is said first: it is what goes wrong with sums most often
    if (found) {
        ir::mistake ranks = check_ranks(p, text);
        return static_cast<ir::mistake&&>(ranks ? ranks : found);
    }
    found =
        height_reader(p, text, sums, functions, parser.beside(), parser.inverses(), parser.orders())
            .run();
    if (!found && p.equations.empty())
        return ir::make_mistake(ir::mistake_kind::unexpected, text, 0, text.size,
                                "this text declares a metric only, and defines no tensor");
    if (!found && !functions.empty()) {
        call_writer writer(p, text, functions);
        for (ir::equation& e : p.equations)
            e.body = ir::prime_shadowed(p, writer.write(e.body), e.positions);
        found = writer.mistake();
    }
    if (!found) found = check_ranks(p, text);
    if (!found) found = origin_settler(p, text).run();
    if (!found) found = check_definitions(p, text);
    if (!found) found = check_places_of_extrema(p, text);
    if (!found) found = say_axes(p, text, parser.axes());
    if (!found) found = ir::order_equations(p, text);
    if (!found) found = ir::keep_defined(p, text);
    return found;
}

/// Reads equations. Cost: linear in the text but for the checks between equations.
constexpr parse_result parse_equations(detail::text_view text) {
    parse_result result;
    statement_parser parser(text, tokenizer(text).run());
    parser.run();
    if (parser.failed()) {
        result.mistake = parser.mistake();
        return result;
    }
    ir::program p = parser.take();
    result.mistake = ir::check_nesting(p, text);
    if (!result.mistake) result.mistake = check(p, text, parser);
    if (result.mistake) {
        hint_at_label(text, parser.word_like(), result.mistake);
        return result;
    }
    ir::index_set letters;
    for (const ir::equation& e : p.equations) ir::add_indices(p, e.body, letters);
    for (ir::equation& e : p.equations) e.body = ir::eliminate_deltas(p, recognise(p, e.body));
    ir::part_letters_from_names(p);
    ir::mark_shape_only(p);
    result.program = ir::compact(p);
    // The l of \delta^{il}, which is eliminated, stays a letter of the text: the caller may bind it,
    // and nothing that is derived takes it for another axis.
    for (ir::ref i = 0; i < letters.end(); ++i)
        if (letters.has(i)) result.program.intern_index(p.index(i));
    return result;
}

}  // namespace ricci::notation
