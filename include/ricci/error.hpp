// What run-time mistakes throw.
#pragma once

#include <stdexcept>

#include <ricci/detail/export.hpp>

namespace ricci {

/// A call that cannot be carried out: what() names the equation, the index, the tensors and the
/// two extents. Thrown before anything is written.
class RICCI_EXPORT error : public std::invalid_argument {
public:
    using std::invalid_argument::invalid_argument;
};

}  // namespace ricci
