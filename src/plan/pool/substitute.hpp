// Whether an expression is another one at other indices: what stands for which index.
#pragma once

#include <optional>
#include <vector>

#include <ricci/ir/program.hpp>

namespace ricci::plan {

/// The free indices of an expression, each once.
std::vector<ir::ref> free_indices_of(const ir::program& p, ir::ref n);

/// What the indices `open` are called where `pattern` is the expression `n`, up to the names of
/// indices that both bind and the order of factors and terms; nothing where there are none.
std::optional<std::vector<ir::ref>> matched(const ir::program& p, ir::ref pattern, ir::ref n,
                                            const std::vector<ir::ref>& open);

}  // namespace ricci::plan
