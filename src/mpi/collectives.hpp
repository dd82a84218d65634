// What ranks do together, in MPI's words.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <ricci/array.hpp>

#include "src/mpi/long_types.hpp"
#include "src/placement/distribution.hpp"
#include "src/placement/placement.hpp"
#include "src/placement/windows.hpp"

namespace ricci::mpi {

/// visit(first element, how many), piece by piece.
template <class Visit>
void for_each_piece(std::size_t elements, std::size_t most, const Visit& visit) {
    for (std::size_t k = 0; k < elements; k += most)
        visit(k, static_cast<int>(std::min(most, elements - k)));
}

/// What all ranks do together with certain arrays, in every run: it is made once, with all that it
/// needs. Arrays that are written lie row-major, as partial values do. All ranks begin theirs in
/// one order, and the same; what computes meanwhile reads nothing of what comes, and writes nothing
/// of what is sent.
class collective {
public:
    virtual ~collective() = default;
    virtual void start() = 0;
    /// Lets MPI go on with it.
    virtual void poll() {}
    virtual void finish() {}
    /// How many bytes the last run has handed to MPI, where numbers decide it; else, and before a
    /// run, -1.
    virtual std::int64_t sent() const { return -1; }
};

/// How the ranks of a communicator exchange things.
struct exchange_settings {
    MPI_Comm comm = MPI_COMM_NULL;
    std::size_t longest_bytes = longest;  // of a message: longer ones go in parts
    int tag = 0;                          // of messages from one rank to another
};

/// `to` = the fold of what all ranks have in `from`.
std::unique_ptr<collective> all_reduce(const exchange_settings& s, const array& from,
                                       const array& to, fold how);
/// `to` = the parts of all ranks along an axis, one behind the other.
std::unique_ptr<collective> all_gather(const exchange_settings& s, const array& from,
                                       const array& to, std::size_t axis,
                                       const distribution& parts);
/// `to` = this rank's part of the fold of what all ranks have in `from`.
std::unique_ptr<collective> reduce_scatter(const exchange_settings& s, const array& from,
                                           const array& to, std::size_t axis, fold how,
                                           const distribution& parts);

/// `to` = this rank's window of an axis of which all ranks have parts.
std::unique_ptr<collective> neighbours(const exchange_settings& s, const array& from,
                                       const array& to, std::size_t axis, const distribution& parts,
                                       const std::vector<window>& windows);

/// Elements of one array into another of the same extents, whatever their strides.
void copy_elements(const array& from, array& to);
/// The elements [before, before + count) of an axis, as an array that looks at the same memory.
array part_of(const array& whole, std::size_t axis, std::int64_t before, std::int64_t count);

}  // namespace ricci::mpi
