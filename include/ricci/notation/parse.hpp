// Text to program: the list of passes, in order. The same at compile time and at run time.
#pragma once

#include <ricci/ir/compact.hpp>
#include <ricci/ir/eliminate.hpp>
#include <ricci/ir/mistake.hpp>
#include <ricci/ir/order.hpp>
#include <ricci/ir/program.hpp>
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
constexpr void check(ir::program& p, detail::text_view text, ir::mistake& mistake) {
    mistake = check_ranks(p, text);
    if (!mistake) mistake = check_definitions(p, text);
    implied_sums sums;
    for (ir::equation& e : p.equations)
        if (!mistake) mistake = resolver(p, text, sums).run(e);
    if (!mistake) mistake = ir::order_equations(p, text);
}

/// `S_{masked}` reads as six indices; what goes wrong then is seldom seen to come from there.
constexpr void hint_at_label(detail::text_view word, ir::mistake& mistake) {
    using kind = ir::mistake_kind;
    const bool related = mistake.kind == kind::rank || mistake.kind == kind::index_once ||
                         mistake.kind == kind::index_missing ||
                         mistake.kind == kind::index_repeated;
    if (word.empty() || !related) return;
    mistake.words << "; if " << word << " is a label and no list of indices, write \\text{" << word
                  << "}";
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
    check(p, text, result.mistake);
    if (result.mistake) {
        hint_at_label(parser.word_like(), result.mistake);
        return result;
    }
    for (ir::equation& e : p.equations) e.body = ir::eliminate_deltas(p, recognise(p, e.body));
    result.program = ir::compact(p);
    return result;
}

}  // namespace ricci::notation
