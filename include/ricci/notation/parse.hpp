// Text to program: the list of passes, in order. The same at compile time and at run time.
#pragma once

#include <ricci/ir/compact.hpp>
#include <ricci/ir/mistake.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/notation/claims.hpp>
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
    result.mistake = check_ranks(p, text);
    if (!result.mistake) result.mistake = check_definitions(p, text);
    for (ir::equation& e : p.equations)
        if (!result.mistake) result.mistake = resolver(p, text).run(e);
    if (!result.mistake) result.mistake = order_equations(p, text);
    if (result.mistake) return result;
    for (ir::equation& e : p.equations) e.body = recognise(p, e.body);
    result.mistake = check_claims(p, text);
    if (!result.mistake) result.program = ir::compact(p);
    return result;
}

}  // namespace ricci::notation
