// What the sides of a statement look like, and what follows from that.
#pragma once

#include <string>
#include <vector>

#include "check/check_definitions.hpp"
#include "check/paper_spelling.hpp"
#include "check/paper_symbols.hpp"
#include "papers/paper_statements.hpp"

namespace ricci::papers {

/// Why a statement of one side is no equation.
std::string why_no_equation(const statement& s);
/// What a sign says that is none of equality.
std::string why_other(const std::string& sign);
/// A statement on one line.
std::string source_of(const statement& s);
/// The letter that makes no sense as an index, if it may be a label or an exponent instead;
/// "bare:R" for a name that stands with indices and without.
std::string letter_to_read_anew(const reading& r, const spelling_context& context);
/// Whether a spelt side is one derivative, and no more.
bool is_derivative(const std::string& text);
/// ", from A, B and C": what a definition is made of.
std::string made_from(const std::vector<used_name>& uses);
/// What is known of a statement before its sides are spelt.
spelling_context context_of(const statement& s, const symbols& names);
/// Whether the name on the left stands on the right too.
bool stands_again(const statement& s);
/// x^2 alone.
bool is_power(const tokens& side);
/// Whether a spelt side is made of digits alone.
bool is_plain_number(const std::string& text);
/// (12)(23) = (123): permutations.
bool is_of_cycles(const statement& s);
/// Whether a script of any side holds arithmetic.
bool has_steps(const statement& s);
/// Whether a mistake says that an equation is right and computes what the notation does not.
bool beyond_notation(const std::string& words);
/// What stands in parentheses on the left side, without spaces.
std::string arguments_of(const tokens& left);

}  // namespace ricci::papers
