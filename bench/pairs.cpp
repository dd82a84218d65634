// Programs over all pairs of rows and columns, whose planes nobody stores, beside the same program
// with its plane kept, which stores it; loops written by hand; forms of the same by products; FAISS,
// where it was found; and the bytes that have to be read. Times are the least of several in turns:
// processor time on one thread, and what a clock shows on more, which are set beside one.
//   bench_pairs [THREADS] [NAME ...]
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <ricci/program.hpp>
#include <ricci/ricci.hpp>

#include "bench/pairs_cases.hpp"
#include "bench/pairs_faiss.hpp"
#include "bench/peak.hpp"
#include "bench/timing.hpp"

namespace {

using ricci::bench::pairs_case;
using ricci::bench::pairs_memory;
using ricci::bench::pairs_operand;

ricci::array random_array(const pairs_operand& o, std::mt19937& generator) {
    ricci::array a(o.places != 0 ? ricci::element::i32 : ricci::element::f32,
                   std::span<const std::size_t>(o.extents));
    std::normal_distribution<float> normal(o.mean, o.spread);
    std::uniform_int_distribution<std::int32_t> place(0, std::max(o.places, 1) - 1);
    // Weights and variances are above 0.
    const auto number = [&] {
        return o.mean > 0 ? std::abs(normal(generator)) : normal(generator);
    };
    void* const data = a.data();
    for (std::size_t k = 0; k < a.size(); ++k) {
        if (o.places != 0) static_cast<std::int32_t*>(data)[k] = place(generator);
        else
            static_cast<float*>(data)[k] =
                o.extents.empty() ? (o.mean != 0 ? o.mean : 1) : number();
    }
    return a;
}

/// What a hand-written loop reads and writes.
struct loop_memory {
    pairs_memory all;
    std::vector<float> out, out_columns;
    std::vector<std::int32_t> places;

    loop_memory(const std::vector<ricci::named>& operands,
                const std::vector<ricci::array>& arrays) {
        for (std::size_t k = 0; k < operands.size(); ++k) {
            const std::string& name = operands[k].name;
            const void* const data = arrays[k].data();
            const auto* const from = static_cast<const float*>(data);
            if (name == "x") all.x = from, all.rows = all.columns = arrays[k].extents()[0];
            if (name == "z") all.z = from, all.columns = arrays[k].extents()[0];
            if (name == "v" || name == "m" || name == "g") all.v = from;
            if (name == "\\epsilon") all.epsilon = *from;
        }
        out.resize(3 * all.rows);
        out_columns.resize(all.columns);
        places.resize(all.rows);
        all.out = out.data();
        all.out_columns = out_columns.data();
        all.places = places.data();
    }
};

double element_of(const ricci::array& a, std::size_t k) {
    const void* const data = a.data();
    return a.type() == ricci::element::i32
               ? static_cast<double>(static_cast<const std::int32_t*>(data)[k])
               : static_cast<double>(static_cast<const float*>(data)[k]);
}

/// The largest errors of the program and of the loop, of the largest number, in some rows.
std::pair<double, double> errors(const pairs_case& c, const ricci::array& mine,
                                 const loop_memory& m) {
    const std::size_t width = c.loop->width;
    const bool is_place = mine.type() == ricci::element::i32;
    double size = 0, first = 0, second = 0;
    for (std::size_t row = 0; row < m.all.rows; row += 61) {
        double want[3] = {};
        c.loop->reference(m.all, row, want);
        for (std::size_t a = 0; a < width; ++a) {
            const std::size_t k = row * width + a;
            const double loop =
                is_place ? static_cast<double>(m.places[k]) : static_cast<double>(m.out[k]);
            size = std::max(size, std::abs(want[a]));
            first = std::max(first, std::abs(element_of(mine, k) - want[a]));
            second = std::max(second, std::abs(loop - want[a]));
        }
    }
    return {first / size, second / size};
}

/// Adds up what a program of some bytes has to read, shared out among threads.
class reading {
public:
    reading(const std::vector<ricci::array>& arrays, int threads) : arrays_(arrays) {
        sums_.resize(static_cast<std::size_t>(threads));
    }
    void operator()() {
        std::vector<std::thread> others;
        for (std::size_t k = 1; k < sums_.size(); ++k) others.emplace_back([this, k] { read(k); });
        read(0);
        for (auto& other : others) other.join();
    }

private:
    void read(std::size_t thread) {
        float part[64] = {};
        for (const auto& a : arrays_) {
            const void* const data = a.data();
            const float* const from = static_cast<const float*>(data);
            const std::size_t lines = a.size() / 64, count = sums_.size();
            for (std::size_t k = lines * thread / count; k < lines * (thread + 1) / count; ++k)
                for (std::size_t l = 0; l < 64; ++l) part[l] += from[k * 64 + l];
        }
        for (const float p : part) sums_[thread] += p;
    }

    const std::vector<ricci::array>& arrays_;
    std::vector<float> sums_;
};

ricci::runner prepared(const pairs_case& c, const std::string& text, bool keep,
                       const std::vector<ricci::named>& operands, ricci::memory_needed& needed) {
    ricci::program p = ricci::parse(text).value();
    if (!c.of.empty()) p = ricci::value_and_gradient(p, c.of, c.by);
    if (keep) p = p.keep({c.plane});
    needed = ricci::memory_of(p, operands);
    return ricci::prepare(p, operands, {.exact_distances = c.exact});
}

/// One program and all that is timed beside it.
class measurement {
public:
    measurement(const pairs_case& c, int threads) : c_(c), threads_(threads) {
        std::mt19937 generator(1);
        for (const auto& o : c.operands) arrays_.push_back(random_array(o, generator));
        for (std::size_t k = 0; k < arrays_.size(); ++k)
            operands_.push_back({c.operands[k].name, arrays_[k]});
    }

    void print(double& peak) {
        ricci::memory_needed needed, kept;
        auto fused = prepared(c_, c_.text, false, operands_, needed);
        auto stored = prepared(c_, c_.text, true, operands_, kept);
        add("", [&] { fused(); });
        add("", [&] { stored(); });
        if (threads_ > 1)
            add("one", [&] {
                ricci::threads(1);
                fused();
                ricci::threads(threads_);
            });
        loop_memory loop(operands_, arrays_);
        if (c_.loop != nullptr && threads_ == 1) add("loop", [&] { c_.loop->run(loop.all); });
        ricci::memory_needed other;
        ricci::runner products = prepared(c_, c_.by_products.empty() ? c_.text : c_.by_products,
                                          false, operands_, other);
        if (!c_.by_products.empty()) add("products", [&] { products(); });
        reading bytes(arrays_, threads_);
        if (c_.bytes > 0) add("reading", [&] { bytes(); });
        ricci::bench::faiss_nearest faiss(threads_);
        if (c_.finds_places && faiss.exists()) add("FAISS", [&] { faiss.run(loop.all, width()); });

        const auto least = ricci::bench::least_in_turns(bodies_, 6, 0.05, threads_ == 1);
        peak = std::max(peak, ricci::bench::peak_gflops<float>(threads_));
        print(least, peak, needed, kept);
        if (c_.loop != nullptr && threads_ == 1) {
            const auto [mine, hand] = errors(c_, fused[c_.loop->output], loop);
            fmt::print("; errors {:.1e}, {:.1e}", mine, hand);
        }
        fmt::print("\n");
        std::fflush(stdout);
    }

private:
    void add(const char* name, std::function<void()> body) {
        names_.push_back(name);
        bodies_.push_back(std::move(body));
    }
    std::size_t width() const { return arrays_[0].extents()[1]; }

    void print(const std::vector<double>& least, double peak, const ricci::memory_needed& needed,
               const ricci::memory_needed& kept) const {
        const double mib = 1024 * 1024, rate = c_.flops / least[0] * 1e-9;
        const auto part = [](double x) { return x > 0 ? fmt::format("{:.2f}", x) : std::string(); };
        fmt::print("{:26} {:10.3f} {:8.2f} {:>10} {:>8} {:>6} {:10.2f} {:10.2f}  ", c_.name,
                   least[0] * 1e3, least[0] / least[1], rate > 0 ? fmt::format("{:.1f}", rate) : "",
                   part(rate / peak), part(c_.goal), static_cast<double>(needed.workspace) / mib,
                   static_cast<double>(kept.workspace + kept.outputs - needed.outputs) / mib);
        for (std::size_t k = 2; k < least.size(); ++k)
            fmt::print("{}{} {:.2f}", k > 2 ? ", " : "", names_[k], least[k] / least[0]);
    }

    const pairs_case& c_;
    int threads_;
    std::vector<ricci::array> arrays_;
    std::vector<ricci::named> operands_;
    std::vector<const char*> names_;
    std::vector<std::function<void()>> bodies_;
};

}  // namespace

int main(int count, char** words) {
    const int threads = count > 1 ? std::atoi(words[1]) : 1;
    ricci::threads(threads);
    double peak = ricci::bench::peak_gflops<float>(threads);
    fmt::print("{} threads, float; the peak is {:.0f} GFLOP/s", threads, peak);
    if (threads > 1)
        fmt::print(", {:.2f} times that of one", peak / ricci::bench::peak_gflops<float>(1));
    fmt::print("\nbeside it: how many times as long another takes\n");
    fmt::print("{:26} {:>10} {:>8} {:>10} {:>8} {:>6} {:>10} {:>10}  {}\n", "program", "ms",
               "stored", "GFLOP/s", "of peak", "goal", "MiB", "stored", "beside it");
    for (const auto& c : ricci::bench::pairs_cases()) {
        bool wanted = count < 3;
        for (int k = 2; k < count; ++k) wanted = wanted || c.name == words[k];
        if (wanted) measurement(c, threads).print(peak);
    }
}
