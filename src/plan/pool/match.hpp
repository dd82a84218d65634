// Whether two expressions are the same but for the names of their loops.
#pragma once

#include <optional>
#include <vector>

#include "src/plan/pool/expression.hpp"
#include "src/plan/pool/form.hpp"

namespace ricci::plan {

/// What two expressions read where numbers say, with the names of the first one's loops in the
/// second there: for whom it is wanted may differ.
struct matching_lookup {
    expr first, second;
    loop_map names;
};
struct matching_loops {
    loop_map names;  // of what the first depends on, in the second
    std::vector<matching_lookup> lookups;
};

/// The names with which the first expression is the second, factors and terms in the same order;
/// nothing where there are none. Of loops that a place adds alike, i + j, the first is the first.
std::optional<matching_loops> match(const graph&, expr first, expr second);

/// The names of the second's loops in the first.
loop_map turned(const loop_map& names);

/// What stands among the loops of the second, among those of the first: what it binds is none of
/// these, nor of `others`.
expr brought_back(graph&, expr e, const loop_map& names, const loop_list& others = {});

/// The names that some loops of the first expression have in the second, where all others have the
/// same; empty: there are none.
loop_map own_names(const graph&, const loop_list& own, expr first, expr second);

/// The same with factors and terms in some order, the first that is found; `names`: of loops of the
/// first that have one already.
std::optional<loop_map> match_in_any_order(const graph&, forms&, expr first, expr second,
                                           loop_map names = {});

}  // namespace ricci::plan
