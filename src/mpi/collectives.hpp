// What ranks do together, in MPI's words.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <string>

#include <ricci/array.hpp>

#include "src/mpi/distribution.hpp"
#include "src/mpi/placement.hpp"

namespace ricci::mpi {

/// `to` = the fold of what all ranks have in `from`; both lie row-major, apart.
void all_reduce(MPI_Comm comm, const array& from, array& to, fold how);
/// `to` = the parts of all ranks along an axis, one behind the other.
void all_gather(MPI_Comm comm, const array& from, array& to, std::size_t axis,
                const distribution& parts);
/// `to` = this rank's part of the fold of what all ranks have in `from`.
void reduce_scatter(MPI_Comm comm, const array& from, array& to, std::size_t axis, fold how,
                    const distribution& parts);

/// Elements of one array into another of the same extents, whatever their strides.
void copy_elements(const array& from, array& to);
/// The elements [before, before + count) of an axis, as an array that looks at the same memory.
array part_of(const array& whole, std::size_t axis, std::int64_t before, std::int64_t count);
/// Every element is what a fold of nothing is.
void fill_with_nothing(array& a, fold how);

}  // namespace ricci::mpi
