// Element-wise equations beside plain loops: the time of each, the bytes a second that it reads and
// writes, and its speed as a multiple of the loop's. Results are compared first; a wrong one ends
// the run with 1.
//   bench_maps [ELEMENTS] [NAME]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include <fmt/core.h>

#include <ricci/array.hpp>
#include <ricci/program.hpp>
#include <ricci/ricci.hpp>

#include "bench/maps_loops.hpp"
#include "bench/timing.hpp"

namespace {

using ricci::bench::map_case;

constexpr const char* names[] = {"X", "Y", "Z", "W"};

class workload {
public:
    explicit workload(std::size_t count) : result_(ricci::element::f32, {count}) {
        std::mt19937 generator(1);
        std::normal_distribution<float> normal;
        for (int k = 0; k < 4; ++k) {
            inputs_.push_back(ricci::array(ricci::element::f32, {count}));
            float* const data = numbers(inputs_.back());
            for (std::size_t i = 0; i < count; ++i) data[i] = normal(generator);
        }
        expected_.resize(count);
        memory_ = {numbers(inputs_[0]), numbers(inputs_[1]), numbers(inputs_[2]),
                   numbers(inputs_[3]), expected_.data(),    count};
    }

    /// False: a result is wrong.
    bool run(const map_case& c) {
        const ricci::program p = ricci::parse(c.text).value();
        std::vector<ricci::named> operands;
        for (const auto& input : p.inputs())
            for (std::size_t k = 0; k < inputs_.size(); ++k)
                if (input.name == names[k]) operands.push_back({names[k], inputs_[k]});
        operands.push_back({"R", result_});
        ricci::runner step = ricci::prepare(p, operands);
        step();
        c.loop(memory_);
        for (std::size_t i = 0; i < expected_.size(); ++i) {
            const float got = numbers(result_)[i], want = expected_[i];
            if (!(std::abs(got - want) <= 1e-5f * (1 + std::abs(want)))) {
                fmt::print("{}: element {} is {} instead of {}\n", c.name, i, got, want);
                return false;
            }
        }
        const auto [mine, loop] =
            ricci::bench::durations_in_turns([] {}, [&] { step(); }, [&] { c.loop(memory_); });
        const double bytes = 4.0 * c.streams * static_cast<double>(expected_.size());
        fmt::print("{:20} {:10.2f} us {:8.1f} GB/s {:8.2f} of the loop's speed\n", c.name,
                   mine.best * 1e6, bytes / mine.best * 1e-9, loop.best / mine.best);
        return true;
    }

private:
    static float* numbers(ricci::array& a) {
        void* const data = a.data();
        return static_cast<float*>(data);
    }

    std::vector<ricci::array> inputs_;
    ricci::array result_;
    std::vector<float> expected_;
    ricci::bench::map_memory memory_;
};

}  // namespace

int main(int argc, char** argv) {
    const std::size_t count = argc > 1 ? std::stoul(argv[1]) : 65536;
    const std::string only = argc > 2 ? argv[2] : "";
    ricci::threads(1);
    workload w(count);
    for (std::size_t k = 0; k < ricci::bench::map_case_count; ++k) {
        const map_case& c = ricci::bench::map_cases[k];
        if (!only.empty() && only != c.name) continue;
        if (!w.run(c)) return EXIT_FAILURE;
    }
}
