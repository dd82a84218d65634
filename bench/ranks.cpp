// Ranks of one thread each against one rank of as many threads, on one machine, in turns:
//   mpirun -n 2 --bind-to none build/bench/bench_ranks [MEASUREMENTS [attention|lattice]]
// Prints the time of each, and their ratio: 1.00 is as fast.
#include <mpi.h>
#include <sched.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <fmt/core.h>

#include <ricci/mpi.hpp>
#include <ricci/network.hpp>
#include <ricci/engine/executable.hpp>

#include "bench/timing.hpp"

namespace {

using ricci::array;
using ricci::named;

int rank_of_world() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}
int ranks_of_world() {
    int ranks = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    return ranks;
}

/// Waits for the others without taking a core from them, as MPI's own barrier may.
void meet() {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    for (int done = 0; done == 0;) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (done == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    MPI_Barrier(MPI_COMM_WORLD);  // so that all begin together
}

array drawn(std::vector<std::size_t> extents, unsigned seed) {
    array a(ricci::element::f32, extents);
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> uniform(-1, 1);
    for (std::size_t k = 0; k < a.size(); ++k) static_cast<float*>(a.data())[k] = uniform(random);
    return a;
}

/// A rank's part of the first axis.
array part_of(const array& whole) {
    const auto ranks = static_cast<std::size_t>(ranks_of_world());
    const auto rank = static_cast<std::size_t>(rank_of_world());
    std::vector<std::size_t> extents(whole.extents().begin(), whole.extents().end());
    const std::size_t before = extents[0] * rank / ranks;
    extents[0] = extents[0] * (rank + 1) / ranks - before;
    const auto* const first = static_cast<const float*>(whole.data()) +
                              static_cast<std::int64_t>(before) * whole.strides()[0];
    return array::over(nullptr, whole.type(), const_cast<float*>(first), extents, whole.strides())
        .clone();
}

/// `alone` is run by rank 0, `together` by all.
void compare(const std::string& name, int measurements, const std::function<void()>& alone,
             const std::function<void()>& together) {
    const int ranks = ranks_of_world();
    std::vector<double> one, many, ratios;
    for (int k = 0; k <= measurements; ++k) {
        meet();
        auto start = std::chrono::steady_clock::now();
        if (rank_of_world() == 0) {
            ricci::engine::set_threads(ranks);
            start = std::chrono::steady_clock::now();
            alone();
        }
        const double a = ricci::bench::seconds_since(start);
        meet();
        ricci::engine::set_threads(1);
        meet();
        start = std::chrono::steady_clock::now();
        together();
        double mine = ricci::bench::seconds_since(start), b = 0;
        MPI_Allreduce(&mine, &b, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        if (k == 0) continue;  // what is made once
        one.push_back(a);
        many.push_back(b);
        ratios.push_back(b / a);
    }
    if (rank_of_world() != 0) return;
    const auto of_one = ricci::bench::summary(one), of_many = ricci::bench::summary(many);
    fmt::print("{:34} {:9.2f} {:9.2f}   {:5.2f} {:8.2f}\n", name, 1e3 * of_one.best,
               1e3 * of_many.best, of_many.best / of_one.best, ricci::bench::median(ratios));
    std::fflush(stdout);
}

void compare_program(const std::string& name, const ricci::program& p,
                     const std::vector<named>& whole, const std::vector<std::string>& shared,
                     int measurements) {
    std::vector<named> mine;
    for (const named& o : whole) {
        mine.push_back(o);
        for (const std::string& s : shared)
            if (s == o.name) mine.back().value = part_of(o.value.value());
    }
    ricci::engine::set_threads(1);
    auto together = ricci::mpi::prepare(MPI_COMM_WORLD, p, {"h"}, mine);
    ricci::engine::set_threads(ranks_of_world());
    auto alone = ricci::prepare(p, whole);
    compare(
        name, measurements, [&] { alone(); }, [&] { together(); });
}

void attention(std::size_t places, std::size_t heads, int measurements) {
    const ricci::program p = ricci::parse(R"(
        Q^{hia} = X^{ib} W_Q^{hba}
        K^{hja} = X^{jb} W_K^{hba}
        V^{hjc} = X^{jb} W_V^{hbc}
        S^{hij} = \frac{1}{\sqrt{d_k}} Q^{hia} K^{hja}
        A^{hij} = \operatorname{softmax}_j(S^{hij})
        O^{hic} = A^{hij} V^{hjc}
        Y^{ib} = O^{hic} W_O^{hcb})")
                                 .value();
    const std::size_t width = 64 * heads;
    std::vector<named> whole{
        {"X", drawn({places, width}, 1)},      {"W_Q", drawn({heads, width, 64}, 2)},
        {"W_K", drawn({heads, width, 64}, 3)}, {"W_V", drawn({heads, width, 64}, 4)},
        {"W_O", drawn({heads, 64, width}, 5)}, {"d_k", 64}};
    const std::vector<std::string> weights{"W_Q", "W_K", "W_V", "W_O"};
    const std::string size = fmt::format(", {} places, {} heads", places, heads);
    compare_program("forward" + size, p, whole, weights, measurements);
    const ricci::program both = value_and_gradient(p, "Y", {"X", "W_Q", "W_K", "W_V", "W_O"});
    whole.push_back({"dL/dY", drawn({places, width}, 6)});
    compare_program("with gradients" + size, both, whole, weights, measurements);
}

/// A square lattice whose neighbours share an index.
void network(std::size_t side, std::size_t extent, double memory, int measurements) {
    ricci::network n;
    const auto down = [&](std::size_t i, std::size_t j) {
        return static_cast<std::int64_t>(2 * (i * side + j));
    };
    const auto right = [&](std::size_t i, std::size_t j) { return down(i, j) + 1; };
    for (std::size_t i = 0; i < side; ++i)
        for (std::size_t j = 0; j < side; ++j) {
            std::vector<std::int64_t> indices;
            if (i > 0) indices.push_back(down(i - 1, j));
            if (j > 0) indices.push_back(right(i, j - 1));
            if (i + 1 < side) indices.push_back(down(i, j));
            if (j + 1 < side) indices.push_back(right(i, j));
            n.add(drawn(std::vector<std::size_t>(indices.size(), extent),
                        static_cast<unsigned>(i * side + j)),
                  indices);
        }
    n.keep({});
    const auto order = ricci::find_order(n, {.trials = 60, .memory = memory, .seed = 1});
    const ricci::contract_options how{.memory = 16 * memory};
    compare(
        fmt::format("lattice of {} x {}, {} slices", side, side, order.slices()), measurements,
        [&] { ricci::contract(n, order, how); },
        [&] { ricci::mpi::contract(MPI_COMM_WORLD, n, order, how); });
}

}  // namespace

int main(int count, char** words) {
    MPI_Init(&count, &words);
    const int measurements = count > 1 ? std::stoi(words[1]) : 15;
    if (rank_of_world() == 0) {
        cpu_set_t cores;
        sched_getaffinity(0, sizeof cores, &cores);
        if (CPU_COUNT(&cores) < ranks_of_world())
            fmt::print("this rank may run on {} of the cores alone: give mpirun --bind-to none\n",
                       CPU_COUNT(&cores));
        fmt::print("{:34} {:>9} {:>9}   {:>5} {:>8}\n", "milliseconds of the best",
                   fmt::format("{} threads", ranks_of_world()),
                   fmt::format("{} ranks", ranks_of_world()), "ratio", "median");
    }
    const std::string what = count > 2 ? words[2] : "";
    if (what != "lattice") {
        attention(512, 8, measurements);
        attention(2048, 8, measurements);
    }
    if (what != "attention") network(10, 4, 1e6, measurements);
    MPI_Finalize();
}
