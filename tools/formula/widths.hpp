// How wide letters are, before a browser chooses the font.
#pragma once

#include <string_view>

namespace ricci::formula {

/// The width of a text in the size of its letters: in the widest of the fonts that our pages and
/// pictures ask for, so that nothing which has this much room is cut off. `slanted`: as variables
/// of formulas, which these fonts have letters of their own for.
double width_of_text(std::string_view text, bool slanted);

}  // namespace ricci::formula
