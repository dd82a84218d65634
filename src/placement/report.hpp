// A run on many ranks in words, with times by the model.
#pragma once

#include <string>
#include <vector>

#include <ricci/placement.hpp>

#include "src/placement/paper_run.hpp"

namespace ricci::mpi {

/// How fast a rank computes.
struct rank_speed {
    double flops = 50e9;               // a second
    std::vector<double> seconds = {};  // of the parts one by one, where they have been measured
    std::string words;                 // how that is known
};

/// A run in numbers.
struct run_figures {
    double seconds = 0, computing = 0;  // computing and exchanging; computing alone
    double one_rank = 0;                // seconds that one rank takes
    double handed = 0, sent = 0;        // bytes: to MPI, and at least through the network
    double memory = 0;                  // bytes: operands, results, what is stored, workspace

    double speedup() const { return one_rank / seconds; }
};
/// What is done when, one line each, and the figures. `flops_of_one`: what one rank alone computes.
struct run_report {
    std::string text;
    run_figures figures;
};
run_report report(const paper_run& run, const link& n, const rank_speed& speed,
                  double flops_of_one);
/// Beside the lower bound, of a program that is one product; nothing of others.
std::string words_of_bound(const paper_run& run);

/// "h over 8, b over 8".
std::string words_of_grid(const std::vector<std::string>& letters, const std::vector<int>& grid);
/// "1.5 MB", "20 us".
std::string words_of_bytes(double bytes);
std::string words_of_seconds(double seconds);

}  // namespace ricci::mpi
