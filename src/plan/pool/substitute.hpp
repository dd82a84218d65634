// Expressions put to use at other indices, and read back: what stands for which index.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include <ricci/ir/program.hpp>

namespace ricci::plan {

/// What stands at the axes where an expression has the index `from`.
struct index_value {
    ir::ref from = ir::none;
    ir::position at{};          // an index, a fixed place, or gathered
    ir::ref number = ir::none;  // gathered: the node that says the place
    bool whole = false;         // an index that runs over as many places as `from`
};

/// The free indices of an expression, each once.
std::vector<ir::ref> free_indices_of(const ir::program& p, ir::ref n);

/// A copy of the expression `n` with values for its free indices. Every index that the copy binds
/// is `fresh(index)`, a new one. Nothing where a value cannot stand: a number in the arithmetic of
/// a place, or where a row is softened.
std::optional<ir::ref> substituted(ir::program& p, ir::ref n,
                                   const std::vector<index_value>& values,
                                   const std::function<ir::ref(ir::ref)>& fresh);

/// The values of the indices `open` with which `pattern`, of a program that grew from the same one,
/// is the expression `n`, up to the names of indices that both bind and the order of factors and
/// terms; nothing where there are none. `whole` is left to the caller.
std::optional<std::vector<index_value>> matched(const ir::program& of_pattern, ir::ref pattern,
                                                const ir::program& p, ir::ref n,
                                                const std::vector<ir::ref>& open);
inline std::optional<std::vector<index_value>> matched(const ir::program& p, ir::ref pattern,
                                                       ir::ref n,
                                                       const std::vector<ir::ref>& open) {
    return matched(p, pattern, p, n, open);
}

}  // namespace ricci::plan
