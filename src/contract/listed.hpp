// Contractions of operands that are read through lists.
#pragma once

#include "src/contract/row_list.hpp"
#include "src/contract/regrouped.hpp"
#include "src/steps/contraction.hpp"

namespace ricci::contractions {

inline bool has_lists(const steps::contraction& what) {
    return what.a_list != nullptr || what.b_list != nullptr;
}

/// A contraction whose strides are offsets with places in lists, as list_layout says.
struct listed {
    /// Throws std::invalid_argument for lists that are too long for their operands.
    explicit listed(const steps::contraction& what);

    operand_lists lists;
    regrouped loops;
};

}  // namespace ricci::contractions
