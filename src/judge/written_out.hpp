// Softmax and log-sum-exp by what they mean, as proofs of quotients and logarithms need them.
#pragma once

#include <ricci/ir/program.hpp>

namespace ricci::judge {

ir::program written_out(const ir::program_view& p);

}  // namespace ricci::judge
