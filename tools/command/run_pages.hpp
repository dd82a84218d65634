// What `ricci run` makes of a run beside saving its outputs, where the tool for that is built.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <ricci/program.hpp>

#include "command/run_options.hpp"

namespace ricci::command {

class command_line;

/// Pages of a run. They keep what the command line says of them.
class run_pages {
public:
    run_pages() = default;
    run_pages(const run_pages&) = delete;
    run_pages& operator=(const run_pages&) = delete;
    virtual ~run_pages() = default;

    /// Lines for --help.
    virtual std::string examples() const = 0;
    virtual void add_to(command_line& line) = 0;
    virtual bool wanted() const = 0;
    /// Throws ricci::error for operands of several runs, which a page alone shows together.
    virtual void check_single(const std::vector<std::string>& operands) const = 0;
    virtual void run(const program& p, const std::vector<std::string>& operands,
                     const run_options& options) const = 0;
};

/// `--show A=page.html`: tensors as heat maps, with the trace of a row.
std::shared_ptr<run_pages> heat_map_pages();

}  // namespace ricci::command
