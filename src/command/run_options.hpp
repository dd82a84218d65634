// What `run`, `grad --run` and `einsum` have in common: operands in, outputs to files or to the
// terminal.
#pragma once

#include <cstdint>
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
std::uint64_t bytes_of(const std::string& words);
/// 1.5 GB, in 1024.
std::string words_of_bytes(double bytes);

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

/// Plans, refuses what needs more memory than is allowed, runs, and then saves or prints all
/// outputs.
void run_and_save(const program& p, const std::vector<std::string>& operands,
                  const run_options& options);

}  // namespace ricci::command
