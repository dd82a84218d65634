// Which indices to share out over which grid of ranks, decided on paper: nothing here is of MPI.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include <ricci/detail/export.hpp>
#include <ricci/program.hpp>

namespace ricci::mpi {

/// What one rank can send: a message of n bytes takes latency + n / bandwidth.
struct link {
    double bandwidth = 12.5e9;  // bytes a second
    double latency = 2e-6;      // seconds
};

struct choose_options {
    link network = {};
    double speed = 50e9;  // what a rank computes, in floating-point operations a second
    /// Bytes that a rank has, for its operands, results and what it stores meanwhile.
    double memory = std::numeric_limits<double>::infinity();
    /// Ranks together begin with one copy of each operand and end with one of each result, so that
    /// what is to be whole on several ranks is sent to them first; otherwise it is there.
    bool one_copy = false;
    std::size_t dimensions = 3;  // of the grid, at most
    /// The indices that are shared out, in this order, over all ranks; none: the best ones.
    std::vector<std::string> letters = {};
};

/// A grid of ranks, and the index that is shared out over each of its dimensions: as
/// MPI_Cart_create and prepare() take them.
struct choice {
    std::vector<std::string> letters;
    std::vector<int> grid;
    double seconds = 0;  // of a run, by the model
    double bytes = 0;    // that a rank sends
    double memory = 0;   // bytes of a rank
    std::string why;     // what was compared, in words
};

/// Of all ways to share out up to three indices over at most so many ranks the one that takes
/// least by the model, within the memory of a rank; of those that take the same the one that sends
/// least. Operands are shapes of whole tensors. Asks no machine: the same wherever it is called.
/// Throws ricci::error where nothing fits.
RICCI_EXPORT choice choose_for(int ranks, const program& p, ricci::detail::operand_list shapes,
                               const choose_options& options = {});

}  // namespace ricci::mpi
