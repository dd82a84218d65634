// What ranks do together, in MPI's words.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <ricci/array.hpp>

#include "src/placement/distribution.hpp"
#include "src/placement/placement.hpp"
#include "src/placement/windows.hpp"

namespace ricci::mpi {

/// Messages have counts of 31 bits: longer ones go in pieces of so many elements.
inline constexpr std::size_t longest = std::size_t{1} << 28;

/// What all ranks do together with certain arrays, in every run: it is made once, with all that it
/// needs. Arrays that are written lie row-major, as partial values do.
class collective {
public:
    virtual ~collective() = default;
    virtual void run() = 0;
    /// How many bytes the last run has handed to MPI, where numbers decide it; else, and before a
    /// run, -1.
    virtual std::int64_t sent() const { return -1; }
};

/// `to` = the fold of what all ranks have in `from`.
std::unique_ptr<collective> all_reduce(MPI_Comm comm, const array& from, const array& to, fold how);
/// `to` = the parts of all ranks along an axis, one behind the other.
std::unique_ptr<collective> all_gather(MPI_Comm comm, const array& from, const array& to,
                                       std::size_t axis, const distribution& parts);
/// `to` = this rank's part of the fold of what all ranks have in `from`.
std::unique_ptr<collective> reduce_scatter(MPI_Comm comm, const array& from, const array& to,
                                           std::size_t axis, fold how, const distribution& parts);

/// `to` = this rank's window of an axis of which all ranks have parts.
std::unique_ptr<collective> neighbours(MPI_Comm comm, const array& from, const array& to,
                                       std::size_t axis, const distribution& parts,
                                       const std::vector<window>& windows);

/// Elements of one array into another of the same extents, whatever their strides.
void copy_elements(const array& from, array& to);
/// The elements [before, before + count) of an axis, as an array that looks at the same memory.
array part_of(const array& whole, std::size_t axis, std::int64_t before, std::int64_t count);

}  // namespace ricci::mpi
