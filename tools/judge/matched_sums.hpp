// Sums whose indices run over the same axes, as one sum.
#pragma once

#include <vector>

#include <ricci/ir/normal_term.hpp>
#include <ricci/ir/program.hpp>

namespace ricci::judge {

/// A term: the sum over some indices of what stands behind the sum sign.
struct summed {
    std::vector<ir::ref> indices;
    ir::ref body;
};
/// The terms of an expression as it is written, and those of a normal form.
std::vector<summed> terms_of(ir::program& p, ir::ref n);
std::vector<summed> terms_of(ir::program& p, const ir::normal_sum& sum);

/// Expressions, with the indices of the sums as free ones, so that the sum of terms is 0 where all
/// of them are 0 for all values of these. Of sums over one axis twice they are symmetric. `nested`:
/// sums over more indices are among those over fewer, \sum_{ij} x_{ij} as \sum_i (\sum_j x_{ij}).
std::vector<ir::ref> matched_sums(ir::program& p, std::vector<summed> terms, bool nested);

}  // namespace ricci::judge
