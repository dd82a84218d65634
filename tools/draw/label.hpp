// Words of a diagram, set as in print: names with lowered labels, Greek letters, primes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <ricci/ir/program.hpp>

namespace ricci::draw {

/// A piece of a label on the line (0), below it (-1) or above it (1); above what is above (2),
/// below what is above (3), and the same with the signs changed.
struct run {
    std::string text;
    int level = 0;
    bool roman = false;  // a word, which is not slanted
};
using label = std::vector<run>;

/// The label of a canonical name: W_Q, \hat{\beta}', dL/dX.
label label_of_name(std::string_view name);
/// The expression in a few words, for what holds no tensor: 1/√d_k, [j ≤ i].
label label_of_expression(const ir::program_view& p, ir::ref n);
/// The letters of an index.
label label_of_index(const ir::program_view& p, ir::ref index);

/// The word in the box of a function; arguments that are numbers stand in it, and are taken off the
/// list.
label word_of_function(const ir::program_view& p, const ir::node& x,
                       std::vector<ir::ref>& arguments);

/// Without levels: W_Q, x^2.
std::string plain_text(const label& words);
/// How wide it is, in the size of its letters.
double width_of(const label& words);

void append(label& to, const label& more);

}  // namespace ricci::draw
