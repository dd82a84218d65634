// An equality in a bracket removes a loop: the sum over p of [p = i + 1] x^p is x^{i+1}, where that
// is a place of p, and nothing elsewhere; and of [p = i + k] x^i w^k over i and k it is the sum
// over k of x^{p-k} w^k. What is left is read at places with edges. It does not matter who wrote
// the bracket: a user, the derivative of a tensor that is read at such a place, or a batch.
#pragma once

#include <cstdint>

#include "src/plan/pool/conditions.hpp"

namespace ricci::plan {

/// Whether a factor beside an equality of places, `difference` = 0, has all of the summed loops
/// that it is made of: what there is for each of their iterations is added up where it belongs,
/// each read once.
bool adds_rows(const graph&, const place& difference, const loop_list& over, expr_span factors);

/// Whether an equality of a free loop and of a summed one with a stride, [p = 2q + k], is solved
/// for k, so that the sum is over all q; or kept, as who knows what p is may compute the even and
/// the odd p apart.
enum class strided : std::uint8_t { kept, solved };

/// The sum of `body` over some loops without an equality that one of them solves, or over the parts
/// of loops where inequalities between them can hold at all; none: there is nothing of the kind.
expr solved_sum(graph&, const loop_list& over, expr body, strided how = strided::kept);
/// The same of another fold: of a maximum, a minimum, a product or a log-sum-exp.
expr solved_fold(graph&, fold, const loop_list& over, expr body);
/// Whether a sum is one over the few places of a window once what is folded in its factors is in
/// memory; until then it stays as it is.
bool waits_for_folds(graph&, const loop_list& over, expr body);

}  // namespace ricci::plan
