// How long networks and orders of hundreds of thousands of tensors take as data: built, scored,
// turned into paths and JSON and back, read from files. bench_network_data [variables]
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <ricci/network_files.hpp>

#include "bench/network_generators.hpp"
#include "bench/timing.hpp"

namespace {

using namespace ricci;

template <class Act>
auto timed(const char* what, const Act& act) {
    const auto start = std::chrono::steady_clock::now();
    auto result = act();
    fmt::print("{:<44} {:8.3f} s\n", what, bench::seconds_since(start));
    return result;
}

using pair_list = std::vector<std::pair<std::size_t, std::size_t>>;

// From left to right: the front of products grows to thousands of indices.
pair_list left_to_right(std::size_t tensors) {
    pair_list ssa;
    for (std::size_t k = 1; k < tensors; ++k) ssa.emplace_back(k == 1 ? 0 : tensors + k - 2, k);
    return ssa;
}

std::string formula_text(std::size_t variables, std::size_t clauses) {
    bench::random_numbers random(1);
    std::string text = fmt::format("p cnf {} {}\n", variables, clauses);
    for (std::size_t v = 1; v <= variables; ++v) text += fmt::format("c p weight {} 0.25 0\n", v);
    for (std::size_t k = 0; k < clauses; ++k) {
        for (int j = 0; j < 3; ++j)
            text +=
                fmt::format("{}{} ", random.below(2) == 0 ? "-" : "", 1 + random.below(variables));
        text += "0\n";
    }
    return text;
}

std::string model_text(std::size_t variables) {
    bench::random_numbers random(1);
    std::string text = fmt::format("MARKOV\n{}\n", variables);
    for (std::size_t v = 0; v < variables; ++v) text += "4 ";
    text += fmt::format("\n{}\n", variables);
    for (std::size_t v = 0; v < variables; ++v)
        text += fmt::format("3 {} {} {}\n", v, (v + 1) % variables, (v + 2) % variables);
    for (std::size_t v = 0; v < variables; ++v) {
        text += "\n64\n";
        for (int k = 0; k < 64; ++k) text += fmt::format(" {:.6f}", random.unit());
    }
    return text;
}

std::string json_text(const network& n) {
    std::string text = "{\"inputs\": [";
    for (std::size_t k = 0; k < n.size(); ++k) {
        text += k == 0 ? "[" : ",\n[";
        bool first = true;
        for (const std::int64_t i : n.indices(k))
            text += fmt::format("{}\"i{}\"", std::exchange(first, false) ? "" : ", ", i);
        text += "]";
    }
    text += "], \"output\": [], \"size_dict\": {";
    bool first = true;
    for (const std::int64_t i : n.indices())
        text += fmt::format("{}\"i{}\": 2", std::exchange(first, false) ? "" : ", ", i);
    return text + "}}";
}

void read_file(const char* what, const std::filesystem::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
    fmt::print("{}: {:.1f} MB\n", what, static_cast<double>(text.size()) * 1e-6);
    const network n = timed("  read", [&] { return load_network(path); });
    fmt::print("  {} tensors, {} indices\n", n.size(), n.indices().size());
    std::filesystem::remove(path);
}

}  // namespace

int main(int count, char** words) {
    const auto variables = static_cast<std::size_t>(count > 1 ? std::atol(words[1]) : 194000);
    const network n = timed("a formula, built", [&] { return bench::wide_formula(variables, 1); });
    fmt::print("{} tensors, {} indices\n", n.size(), n.indices().size());
    const network copy = timed("copied", [&] { return n; });
    const pair_list ssa = left_to_right(n.size());
    const contraction_order o =
        timed("an order from SSA, scored", [&] { return contraction_order::from_ssa(n, ssa); });
    const pair_list path = timed("its path", [&] { return o.path(); });
    timed("an order from the path, scored", [&] { return contraction_order::from_path(n, path); });
    const std::string json = timed("its JSON", [&] { return o.json(); });
    timed("an order from JSON, scored", [&] { return contraction_order::from_json(n, json); });
    const auto folder = std::filesystem::temp_directory_path();
    read_file("DIMACS", folder / "ricci_bench.cnf", formula_text(variables, 2 * variables));
    read_file("UAI", folder / "ricci_bench.uai", model_text(variables / 2));
    read_file("JSON", folder / "ricci_bench.json", json_text(n));
}
