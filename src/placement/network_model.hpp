// What collectives take on a network: Hockney's model, a latency for each message and a time for
// each byte, with the algorithms that MPI libraries use (Thakur, Rabenseifner, Gropp: Optimization
// of collective communication operations in MPICH, 2005). Links are of each rank's own, and fold
// nothing of what they carry.
#pragma once

#include <algorithm>
#include <cmath>

#include <ricci/placement.hpp>

#include "src/placement/placement.hpp"

namespace ricci::mpi {

/// Messages that one rank sends after another: recursive doubling or halving.
inline double rounds_of(int ranks) { return std::ceil(std::log2(static_cast<double>(ranks))); }

/// Whether ranks send each other what each of them reads, and not all the same.
inline bool is_between_pairs(exchange_kind kind) { return kind >= exchange_kind::neighbours; }

/// How many bytes a rank sends at least, where the tensor that is folded or gathered has `whole`,
/// or others are sent as much.
inline double bytes_moved(exchange_kind kind, double whole, int ranks) {
    if (is_between_pairs(kind)) return whole;
    const double others = static_cast<double>(ranks - 1) / ranks;
    return (kind == exchange_kind::all_reduce ? 2 : 1) * whole * others;
}

/// Seconds. An all-reduce of what is short goes whole in each round (recursive doubling); otherwise
/// it is a reduce-scatter and an all-gather.
inline double seconds_of(exchange_kind kind, double whole, int ranks, const link& n) {
    if (ranks < 2) return 0;
    const double moved = bytes_moved(kind, whole, ranks) / n.bandwidth;
    if (kind == exchange_kind::own_places) return 0;
    if (is_between_pairs(kind))  // one message to each side, or to each other rank
        return (numbers_decide(kind) ? ranks - 1 : 2) * n.latency + moved;
    if (kind != exchange_kind::all_reduce) return rounds_of(ranks) * n.latency + moved;
    return std::min(rounds_of(ranks) * (n.latency + whole / n.bandwidth),
                    2 * rounds_of(ranks) * n.latency + moved);
}

}  // namespace ricci::mpi
