// The subcommands of `ricci`: each lives in files of its own and registers itself here.
#pragma once

#include <memory>

namespace CLI {
class App;
}

namespace ricci::command {

class run_pages;

/// What a command ends with, for scripts.
enum exit_code : int { done = 0, mistaken = 1, refuted = 2, suspect = 3 };

/// Each adds one subcommand to `app`; what it is called with leaves its exit code in `code`.
void add_check(CLI::App& app, int& code);
void add_draw(CLI::App& app, int& code);
void add_einsum(CLI::App& app, int& code);
void add_explain(CLI::App& app, int& code);
void add_grad(CLI::App& app, int& code);
void add_order(CLI::App& app, int& code);
/// `pages`: see run_pages; none where the tool for them is left out.
void add_run(CLI::App& app, int& code, const std::shared_ptr<run_pages>& pages);
void add_show(CLI::App& app, int& code);

}  // namespace ricci::command
