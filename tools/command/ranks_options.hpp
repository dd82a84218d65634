// A program on many ranks, on paper: `ricci explain --ranks`.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <ricci/program.hpp>

#include "src/placement/report.hpp"

namespace ricci::command {

class command_line;

struct ranks_options {
    std::string ranks, network, speed, memory;
    std::vector<std::string> shard;
    bool one_copy = false;

    void add_to(command_line& line);
    bool is_asked() const { return !ranks.empty(); }
};

/// What is computed and exchanged when, and what it takes. Without letters, over the grid that
/// choose() takes. Throws ricci::error for words that cannot be read.
struct ranks_report {
    std::string text;
    std::vector<std::string> letters;
    std::vector<int> grid;
    mpi::run_figures figures;

    /// {"shard", "grid", "seconds", "computing", "one_rank", "handed", "sent", "memory"}
    nlohmann::json json() const;
};
ranks_report on_ranks(const program& p, const std::vector<named>& shapes,
                      const ranks_options& options);

}  // namespace ricci::command
