// Which tensor a value is proportional to.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "src/plan/pool/expression.hpp"

namespace ricci::plan {

/// A tensor; no slot: none of those that are asked for. Nothing: the value depends on them in
/// another way than by a factor.
using tensor_factor = std::optional<slot_number>;

/// The one of some tensors that is a factor of an element-wise value, or of all of its terms, of
/// which 0 has any. `of_tensor`: which one a load has.
inline tensor_factor proportional_to(const graph& values, expr value,
                                     const std::function<tensor_factor(slot_number)>& of_tensor) {
    const auto& node = values[value];
    if (node.kind == kind::load) return of_tensor(node.source.slot);
    slot_number factor;
    std::size_t with_it = 0, zeros = 0;
    bool chooses = false;  // it says which case is taken
    for (std::size_t k = 0; k < node.arguments.size(); ++k) {
        const auto part = proportional_to(values, node.arguments[k], of_tensor);
        if (!part || (*part && factor && *part != factor)) return {};
        if (*part) factor = *part;
        if (*part) ++with_it;
        else if (k > 0 && values.is_constant(node.arguments[k], 0)) ++zeros;
        chooses = chooses || (k == 0 && *part);
    }
    const bool is_factor = with_it == 0 || (node.code == opcode::multiply && with_it == 1) ||
                           (node.code == opcode::add && with_it == node.arguments.size()) ||
                           (node.code == opcode::select && !chooses && with_it + zeros == 2);
    return is_factor ? tensor_factor(factor) : std::nullopt;
}

}  // namespace ricci::plan
