// Allocations of one thread that are made to fail: failing_allocation_test.cpp replaces malloc.
#pragma once

namespace ricci::testing {

/// Those of the thread since this was set to 0, while `fails_at` is set: the number of the one that
/// fails; -1: none.
extern thread_local long allocations;
extern thread_local long fails_at;

}  // namespace ricci::testing
