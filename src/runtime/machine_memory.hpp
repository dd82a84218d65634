// How much memory there is.
#pragma once

namespace ricci::runtime {

/// Bytes that the machine has, whoever uses them; never 0.
double machine_memory();

}  // namespace ricci::runtime
