// Only with -Dtargets=own, where each file of kernels is compiled with this in front: a program
// that has kernels asks for their target before main, however the library is linked to it.
#pragma once

namespace ricci::kernels {

/// True; ends the program, in one sentence, on a processor without the target of all kernels.
bool own_target_is_here();

[[maybe_unused]] static const bool has_own_target = own_target_is_here();

}  // namespace ricci::kernels
