// How much memory there is.
#pragma once

namespace ricci::runtime {

/// Bytes that the machine has, whoever uses them; never 0.
double machine_memory();

/// Bytes that this process can still have without taking them from others: what the system has free
/// or can free at once, within what its group of processes is given. All of the machine's where the
/// system does not say. Reads files: some tens of microseconds.
double free_memory();

}  // namespace ricci::runtime
