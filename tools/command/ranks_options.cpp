// A program on many ranks, on paper.
#include "command/ranks_options.hpp"

#include <charconv>
#include <optional>
#include <sstream>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <ricci/error.hpp>
#include <ricci/placement.hpp>

#include "command/command_line.hpp"
#include "command/part_speed.hpp"
#include "command/run_options.hpp"
#include "src/placement/paper_run.hpp"

namespace ricci::command {
namespace {

/// 25GB/s is 25e9: a number, a prefix in thousands, and the unit that is meant.
std::optional<double> quantity(const std::string& text, const std::string& unit) {
    double value = 0;
    const auto [rest, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (wrong != std::errc() || !(value > 0)) return std::nullopt;
    std::string behind(rest, text.data() + text.size());
    if (behind == unit) return value;
    static const std::string prefixes = "nuµmkMGTP";
    if (behind.rfind("µ", 0) == 0) behind.replace(0, std::string("µ").size(), "u");
    if (behind.empty() || behind.substr(1) != unit) return std::nullopt;
    switch (behind[0]) {
        case 'n':
            return value * 1e-9;
        case 'u':
            return value * 1e-6;
        case 'm':
            return value * 1e-3;
        case 'k':
            return value * 1e3;
        case 'M':
            return value * 1e6;
        case 'G':
            return value * 1e9;
        case 'T':
            return value * 1e12;
        case 'P':
            return value * 1e15;
        default:
            return std::nullopt;
    }
}

std::vector<std::string> cut(const std::string& text, char at) {
    std::vector<std::string> parts;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, at);) parts.push_back(part);
    return parts;
}

mpi::link network_of(const std::string& text) {
    mpi::link n;
    if (text.empty()) return n;
    const std::vector<std::string> parts = cut(text, ',');
    const auto bandwidth = quantity(parts[0], "B/s");
    const auto latency = parts.size() > 1 ? quantity(parts[1], "s") : std::optional(n.latency);
    if (!bandwidth || !latency || parts.size() > 2)
        throw error(fmt::format(
            "ricci: '{}' is no network: write a bandwidth and a latency, as 25GB/s,2us.", text));
    return {*bandwidth, *latency};
}

std::vector<int> grid_of(const std::string& text) {
    std::vector<int> grid;
    for (const std::string& part : cut(text, 'x')) {
        int extent = 0;
        const char* const end = part.data() + part.size();
        const auto [rest, wrong] = std::from_chars(part.data(), end, extent);
        if (wrong != std::errc() || rest != end || extent < 1 || extent > 1 << 20)
            throw error(fmt::format(
                "ricci: '{}' is no number of ranks: write 64, or a grid as 8x8.", text));
        grid.push_back(extent);
    }
    return grid;
}

double speed_given(const std::string& text) {
    const auto speed = quantity(text, "FLOP/s");
    if (!speed)
        throw error(fmt::format(
            "ricci: '{}' is no speed: write as 1.5TFLOP/s what a rank computes.", text));
    return *speed;
}

}  // namespace

void ranks_options::add_to(command_line& line) {
    line.option("--ranks", ranks, "N",
                "on so many ranks, 64 or a grid as 8x8: what they exchange and what a run takes");
    line.option("--shard", shard, "INDEX,...",
                "the indices that are shared out, one over each dimension of the grid; without it "
                "those that are best",
                ',');
    line.option("--network", network, "NETWORK", "bandwidth and latency: 12.5GB/s,2us");
    line.option("--speed", speed, "SPEED",
                "what a rank computes, 1.5TFLOP/s; measured on this machine unless it is said");
    line.option("--rank-memory", memory, "BYTES", "of a rank, 64G: what --shard is chosen within");
    line.flag("--one-copy", one_copy,
              "ranks begin with one copy of each operand among them, and end with one of each "
              "result");
}

ranks_report on_ranks(const program& p, const std::vector<named>& shapes,
                      const ranks_options& options) {
    std::vector<int> grid = grid_of(options.ranks);
    mpi::choose_options how;
    how.network = network_of(options.network);
    how.letters = options.shard;
    how.one_copy = options.one_copy;
    if (!options.memory.empty()) how.memory = bytes_of(options.memory);
    if (grid.size() > 1 && grid.size() != options.shard.size())
        throw error(fmt::format(
            "ricci: a grid of {} dimensions shares out as many indices, and --shard names {}.",
            grid.size(), options.shard.size()));
    std::string out;
    std::vector<std::string> letters = options.shard;
    if (grid.size() != letters.size()) {
        how.speed =
            options.speed.empty() ? speed_of_product(element::f32) : speed_given(options.speed);
        const mpi::choice best = mpi::choose_for(grid[0], p, shapes, how);
        out = "chosen: " + best.why + "\n";
        letters = best.letters;
        grid = best.grid;
    }
    const mpi::paper_run run(p, letters, grid, shapes);
    mpi::rank_speed speed;
    if (options.speed.empty()) {
        speed = speed_of_parts(p, shapes, run);
    } else {
        speed.flops = speed_given(options.speed);
        speed.words = fmt::format("{:.3g} GFLOP/s", speed.flops / 1e9);
    }
    const mpi::paper_run one(p, {letters[0]}, {1}, shapes);
    const mpi::run_report report = mpi::report(run, how.network, speed, mpi::work_of(one).flops);
    return {out + report.text, letters, grid, report.figures};
}

nlohmann::json ranks_report::json() const {
    return {{"shard", letters},
            {"grid", grid},
            {"seconds", figures.seconds},
            {"computing", figures.computing},
            {"one_rank", figures.one_rank},
            {"handed", figures.handed},
            {"sent", figures.sent},
            {"memory", figures.memory}};
}

}  // namespace ricci::command
