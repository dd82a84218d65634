// The SIMD targets of this CPU by name, and how tests choose one of them.
#pragma once

#include <string>
#include <vector>

namespace ricci::kernels {

/// The targets that are compiled in and that this CPU has, best first.
std::vector<std::string> supported_targets();

/// Makes every dispatch from now on choose the named target; false when it is not supported.
bool force_target(const std::string& name);

/// As on a CPU that has none of the targets that are compiled in: the baseline serves.
void force_lesser_cpu();

/// Back to the best target of the CPU.
void reset_target();

}  // namespace ricci::kernels
