// Formulas as MathML, which browsers set without scripts and fonts of ours.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "formula/formula.hpp"

namespace ricci::formula {

/// What a formula takes, in the size of its letters: its width, and what is above and below the
/// line. An estimate, since the browser chooses the font; more rather than less.
struct box {
    double width = 0, above = 0, below = 0;
};
box box_of(const tree& formula);

/// The parts of a row as lines that are no wider than so many letters, broken before signs of sums
/// and relations, or between factors.
std::vector<tree> in_lines(const tree& formula, double width);

/// A <math> element; its alttext is the LaTeX. `lines` are below each other, all but the first set
/// in.
std::string mathml(const std::vector<tree>& lines, std::string_view latex);
/// The same of one line.
std::string mathml(std::string_view latex);

}  // namespace ricci::formula
