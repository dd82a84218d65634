// The invariants of a loop around the steps of a plan, checked.
#pragma once

#include "src/plan/schedule/plan.hpp"

namespace ricci::plan {

/// Throws std::logic_error, with the pass, where one of these does not hold:
/// - every loop has passes, and says of each slot that moves how far it does;
/// - what moves is memory of the caller's, and moves once; outputs alone are added up;
/// - every step runs in all passes in which what it reads is another, and in which another step
///   writes anew what it adds to;
/// - an intermediate that is made less often than it is read lasts; once the workspace is laid out,
///   it shares no byte with another one.
void verify_loop(const program_plan& plan, const char* pass);

}  // namespace ricci::plan
