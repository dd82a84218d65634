// Spelling an expression so that equal ones are spelt alike, whatever their indices are called: by
// that ranks exchange once what several equations fold.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <ricci/ir/program.hpp>

namespace ricci::mpi {

/// Two expressions with one spelling are the same function of their free indices, in the order of
/// `free`. Different spellings may still mean the same: factors that differ in their indices alone
/// keep the order in which they are written.
struct canonical_form {
    std::string spelling;
    std::vector<ir::ref> free;  // by first appearance
};

/// `extent(index)` tells indices of different length apart.
canonical_form spelled(const ir::program_view& program, ir::ref expression,
                       const std::function<std::int64_t(ir::ref)>& extent);

}  // namespace ricci::mpi
