// What `run`, `grad --run` and `einsum` have in common: operands in, outputs to files or to the
// terminal.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <ricci/program.hpp>

namespace ricci::command {

class command_line;

struct run_options {
    std::vector<std::string> outputs;  // Y=y.npy, or all.npz
    std::string type;                  // "": the widest of the operands
    std::string memory;                // 8G; "": no bound
    int threads = 0;
    bool json = false;

    void add_to(command_line& line);
};

/// Bytes of "8G", "512M", "100000"; K, M, G, T count in 1024. Throws ricci::error for what is none.
double bytes_of(const std::string& words);

/// 3x4, or "a number".
std::string words_of_extents(const array& a);

/// Where one output, or all of them, is saved.
struct output_file {
    std::string name;  // "" for all outputs
    std::string path;
};
/// Reads the words behind -o. Throws ricci::error for a name without a file, and for two files of
/// one output.
std::vector<output_file> read_outputs(const std::vector<std::string>& words);

/// The program with the tensors kept that are to be saved. Throws ricci::error for one that it does
/// not define.
program with_outputs(const program& p, const std::vector<output_file>& files);

/// One run: what it was given, as it was computed with, and what came out.
struct computed {
    std::vector<named> operands;
    arrays results;
    std::vector<std::string> said;  // a line for each operand that was converted
};
/// Plans, refuses what needs more memory than is allowed, and runs. Lines of what was converted go
/// to standard error, but for JSON, and but for those that were said before.
computed compute(const program& asked, const std::vector<std::string>& operands,
                 const run_options& options, const std::vector<std::string>& before = {});
/// Saves outputs, in files that are put into their places together, and nothing without files.
void save_outputs(const arrays& results, const std::vector<output_file>& files);
/// Prints which output is in which file, or as JSON all of them, or the outputs themselves where
/// there are no files.
void say_outputs(const arrays& results, const std::vector<output_file>& files,
                 const std::vector<std::string>& said, bool json);

/// Plans, refuses what needs more memory than is allowed, runs, and then saves or prints all
/// outputs.
void run_and_save(const program& p, const std::vector<std::string>& operands,
                  const run_options& options);

}  // namespace ricci::command
