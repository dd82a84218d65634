// How good the orders are that the search finds, and how long it takes: a table of networks beside
// the best known orders.
//
//     bench_networks FOLDER [--seconds S] [--threads T] [--trials N] [--largest LOG2] [--seed K]
//                    [NAME ...]
//
// FOLDER has instances/NAME.txt and best.tsv; a NAME may also be one of a generated network, see
// network_generators.hpp.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "bench/network_files.hpp"
#include "bench/network_generators.hpp"
#include "bench/timing.hpp"
#include "src/path/search.hpp"

namespace {

struct known_order {
    double log10_multiplications = 0;
    double log2_largest = 0;
};

struct settings {
    std::string folder;
    ricci::path::search_options options;
    std::vector<std::string> names;
};

/// Names in the order of best.tsv, and what is known of them.
std::vector<std::pair<std::string, known_order>> read_known(const std::string& file) {
    std::ifstream in(file);
    std::vector<std::pair<std::string, known_order>> known;
    std::string line;
    for (std::getline(in, line); std::getline(in, line);) {
        std::istringstream words(line);
        std::string name, operands, multiplications, largest;
        words >> name >> operands >> multiplications >> largest;
        if (!name.empty())
            known.emplace_back(name, known_order{std::stod(multiplications), std::stod(largest)});
    }
    return known;
}

settings parse(int count, char** words) {
    settings s;
    s.options.whole_time = true;
    const auto number = [&](int k) { return k < count ? std::atof(words[k]) : 0.0; };
    for (int k = 1; k < count; ++k) {
        const std::string word = words[k];
        if (word == "--seconds") s.options.seconds = number(++k);
        else if (word == "--threads") s.options.threads = static_cast<int>(number(++k));
        else if (word == "--trials") s.options.trials = static_cast<std::int64_t>(number(++k));
        else if (word == "--largest") s.options.largest = std::exp2(number(++k));
        else if (word == "--seed") s.options.seed = static_cast<std::uint64_t>(number(++k));
        else if (word == "--objective")
            s.options.minimize = static_cast<ricci::path::objective>(static_cast<int>(number(++k)));
        else if (word == "--stop-early") s.options.whole_time = false;
        else if (s.folder.empty()) s.folder = word;
        else s.names.push_back(word);
    }
    return s;
}

void print_row(const std::string& name, const ricci::path::hypergraph& network,
               const settings& chosen, const known_order* known) {
    const auto start = std::chrono::steady_clock::now();
    const auto order = ricci::path::search_order(network, chosen.options);
    const double seconds = ricci::bench::seconds_since(start);
    const auto cost = ricci::path::cost_of(network, order);
    const double log10_multiplications = cost.log2_multiplications * std::log10(2.0);
    std::printf("%-22s %7d %8.3f %10.4f %8.1f %8.1f %7.1f %7.0f %8.3f", name.c_str(),
                network.operands(), seconds, log10_multiplications, cost.log2_largest_intermediate,
                cost.log2_largest_product, ricci::path::product_bound_log2(network),
                std::log2(cost.slices), cost.overhead);
    if (known)
        std::printf(" %10.3f %+9.4f%s", known->log10_multiplications,
                    log10_multiplications - known->log10_multiplications,
                    log10_multiplications > known->log10_multiplications + 0.05 ? " *" : "");
    std::printf("\n");
    std::fflush(stdout);
}

}  // namespace

int main(int count, char** words) {
    try {
        const settings chosen = parse(count, words);
        const auto known = read_known(chosen.folder + "/best.tsv");
        std::map<std::string, known_order> by_name(known.begin(), known.end());
        auto names = chosen.names;
        if (names.empty())
            for (const auto& [name, order] : known) names.push_back(name);
        std::printf("%-22s %7s %8s %10s %8s %8s %7s %7s %8s %10s %9s\n", "network", "n", "seconds",
                    "log10 mul", "largest", "product", "bound", "slices", "overhead", "best known",
                    "above");
        for (const auto& name : names) {
            auto network = ricci::bench::generated_network(name);
            if (network.operands() == 0)
                network = ricci::bench::read_network(chosen.folder + "/instances/" + name + ".txt");
            const auto found = by_name.find(name);
            print_row(name, network, chosen, found == by_name.end() ? nullptr : &found->second);
        }
    } catch (const std::exception& mistake) {
        std::fprintf(stderr, "%s\n", mistake.what());
        return 1;
    }
    return 0;
}
