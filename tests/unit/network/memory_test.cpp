// What networks take of memory, by the peak that the system counts: orders are sought and run
// within a bound, each in a process of its own, and the peak may rise by the bound and a twentieth.
// RICCI_PRINT_MEMORY=1 prints by how much it does.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include <ricci/network.hpp>
#include <ricci/ricci.hpp>

#include "bench/network_generators.hpp"
#include "tests/catch.hpp"
#include "tests/few.hpp"

using namespace ricci;
using namespace ricci::bench;

namespace {

// A number of bytes that the system says of this process; 0 where it says none.
double said_of_process(const std::string& key) {
    std::ifstream file("/proc/self/status");
    for (std::string word; file >> word;)
        if (word == key + ":") {
            double kilobytes = 0;
            file >> kilobytes;
            return 1024 * kilobytes;
        }
    return 0;
}

struct memory_use {
    double rise = 0;    // of the peak
    std::string words;  // of what was refused
};

// By how much the peak rises while something is done in a process of its own.
memory_use use_of(const std::function<void()>& act) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        const double before = said_of_process("VmRSS");
        char line[512] = {};
        try {
            act();
        } catch (const std::exception& e) {
            std::snprintf(line + 32, sizeof line - 32, "%s", e.what());
        }
        std::snprintf(line, 32, "%.0f", said_of_process("VmHWM") - before);
        const bool is_written = write(ends[1], line, sizeof line) == sizeof line;
        _exit(is_written ? 0 : 1);
    }
    close(ends[1]);
    char line[512] = {};
    const bool is_read = read(ends[0], line, sizeof line) == sizeof line;
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    REQUIRE(is_read);
    REQUIRE(status == 0);
    return {std::atof(line), line + 32};
}

network product(std::size_t rows, std::size_t inner, std::size_t columns) {
    random_numbers random(1);
    network n;
    n.add(random_tensor({rows, inner}, random), {0, 1});
    n.add(random_tensor({inner, columns}, random), {1, 2});
    return n;
}

// Matrices between all pairs of five indices: whichever is summed first, four are left.
network pairs_of_five(std::size_t extent) {
    random_numbers random(2);
    network n;
    for (std::int64_t i = 0; i < 5; ++i)
        for (std::int64_t j = 0; j < i; ++j) n.add(random_tensor({extent, extent}, random), {i, j});
    return n;
}

// Numbers that are made of ten vectors each by way of four matrices, and multiplied.
constexpr std::int64_t numbers = 16, vectors = 10;
network sub_trees(std::size_t extent) {
    random_numbers random(4);
    network n;
    for (std::int64_t k = 0; k < numbers; ++k)
        for (std::int64_t vector = 0; vector < vectors; ++vector)
            n.add(random_tensor({extent}, random), {2 * k + vector % 2});
    return n;
}
contraction_order order_of_sub_trees(const network& n) {
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    const auto multiply = [&](std::size_t a, std::size_t b) {
        pairs.emplace_back(a, b);
        return n.size() + pairs.size() - 1;
    };
    std::vector<std::size_t> made;
    for (std::size_t v = 0; v < n.size(); v += vectors) {
        const std::size_t a = multiply(multiply(v, v + 1), multiply(v + 2, v + 3));
        const std::size_t b = multiply(multiply(v + 4, v + 5), multiply(v + 6, v + 7));
        made.push_back(multiply(multiply(multiply(a, b), v + 8), v + 9));
    }
    for (std::size_t k = 0; k + 1 < made.size(); k += 2)
        made.push_back(multiply(made[k], made[k + 1]));
    return contraction_order::from_ssa(n, pairs);
}

void run(const network& n, double bound, const std::string& how) {
    if (how == "sub-trees") {
        contract(n, order_of_sub_trees(n), {.memory = bound});
        return;
    }
    const contraction_order o = find_order(n, {.trials = 1, .memory = bound});
    if (how == "plain") contract(n, o, {.memory = bound});
    else if (how == "order") contract(n, o);
    else if (how == "scaled") contract_scaled(n, o);
    else if (how == "max_sum") contract(n, o, {.algebra = algebra::max_sum});
    else if (how == "logsumexp") contract(n, o, {.algebra = algebra::logsumexp_sum});
    else if (how == "argmax") argmax(n, o);
    else if (how == "gradient") gradient(n, o, {0, 1, 2});
    else if (how == "prepared") {
        prepared_network p = prepare(n, o);
        p();
        p.bind(1, n.operand(1));
        p();
    } else throw std::logic_error(how);
}

}  // namespace

TEST_CASE("the peak of memory keeps within the bound", "[memory]") {
    struct memory_case {
        const char* name;
        double bound;
        std::function<network()> made;
        std::vector<std::string> ways;
    };
    const std::vector<std::string> scalar_ways{"plain",  "order",    "scaled",  "max_sum",
                                               "argmax", "gradient", "prepared"};
    const std::vector<memory_case> cases{
        {"lattice",
         300e6,
         [] {
             return ising(box({4, 4, 5}, true), 0.2);
         },
         {"order", "argmax", "gradient"}},
        {"pairs of five", 270e6, [] { return pairs_of_five(66); }, scalar_ways},
        {"pairs, uneven", 290e6, [] { return pairs_of_five(67); }, {"order", "gradient"}},
        {"wide product",
         400e6,
         [] {
             network n = product(4000, 300, 9000);
             n.keep({0, 2});
             return n;
         },
         {"plain", "order", "scaled", "max_sum", "logsumexp", "prepared"}},
        {"deep product",
         300e6,
         [] {
             network n = product(300, 50000, 300);
             n.keep({2, 0});
             return n;
         },
         {"plain", "order", "scaled", "max_sum", "prepared"}},
        {"sub-trees", 260e6, [] { return sub_trees(990); }, {"sub-trees"}},
        {"fewer sub-trees", 180e6, [] { return sub_trees(990); }, {"sub-trees"}},
        {"outer product",
         400e6,
         [] {
             random_numbers random(3);
             network n;
             n.add(random_tensor({6000}, random), {0});
             n.add(random_tensor({7000}, random), {1});
             n.keep({1, 0});
             return n;
         },
         {"plain", "order", "scaled", "max_sum", "prepared"}},
    };
    if (said_of_process("VmHWM") == 0) return;
    for (const memory_case& c : cases)
        for (const std::string& way : c.ways)
            for (const int workers : {1, 2}) {
                // A lattice takes long.
                const bool is_long = testing::few() || c.name == std::string("lattice");
                if (workers == 1 && is_long) continue;
                const memory_use used = use_of([&] {
                    threads(workers);
                    run(c.made(), c.bound, way);
                });
                INFO(c.name << ", " << way << ", " << workers << " threads: " << used.words);
                if (std::getenv("RICCI_PRINT_MEMORY") != nullptr) {
                    std::printf("%-20s %-10s %d  %.2f of the bound %s\n", c.name, way.c_str(),
                                workers, used.rise / c.bound, used.words.c_str());
                    std::fflush(stdout);
                }
                CHECK(used.words.empty());
                CHECK(used.rise <= 1.05 * c.bound);
            }
}
