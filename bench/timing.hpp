// Medians of running times; two bodies are timed in turns, so that a drift of the machine's speed
// meets both.
#pragma once

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

namespace ricci::bench {

inline double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The median; `values` not empty.
inline double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// How often a body is repeated for one measurement to last about `seconds`.
template <class Body>
int repetitions_for(double seconds, Body&& body) {
    body();
    const auto start = std::chrono::steady_clock::now();
    body();
    const double once = std::max(seconds_since(start), 1e-8);
    return static_cast<int>(std::clamp(seconds / once, 1.0, 1e6));
}

/// Seconds that a call of a body takes.
struct duration {
    double median = 0;
    double best = 0;
};

inline duration summary(const std::vector<double>& values) {
    return {median(values), *std::min_element(values.begin(), values.end())};
}

/// Seconds a call of each body takes, of measurements taken in turns. `before_first` is run,
/// untimed, before each measurement of the first body.
template <class Before, class First, class Second>
std::pair<duration, duration> durations_in_turns(Before&& before_first, First&& first,
                                                 Second&& second, int measurements = 15,
                                                 double seconds = 0.01) {
    before_first();
    const int repeat_first = repetitions_for(seconds, first);
    const int repeat_second = repetitions_for(seconds, second);
    std::vector<double> of_first, of_second;
    for (int i = 0; i < measurements; ++i) {
        before_first();
        first();
        auto start = std::chrono::steady_clock::now();
        for (int r = 0; r < repeat_first; ++r) first();
        of_first.push_back(seconds_since(start) / repeat_first);
        start = std::chrono::steady_clock::now();
        for (int r = 0; r < repeat_second; ++r) second();
        of_second.push_back(seconds_since(start) / repeat_second);
    }
    return {summary(of_first), summary(of_second)};
}

/// The medians of the same.
template <class Before, class First, class Second>
std::pair<double, double> time_in_turns(Before&& before_first, First&& first, Second&& second,
                                        int measurements = 15, double seconds = 0.01) {
    const auto times = durations_in_turns(before_first, first, second, measurements, seconds);
    return {times.first.median, times.second.median};
}

/// What this thread has had of a processor: what others take of the machine does not count.
inline double processor_seconds() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// The least time of a call of each body, in turns, of measurements of about `seconds`. `alone`: in
/// processor time, as all work is on this thread. The first round says how often each is called, and
/// counts where a call takes that long; what has had ten times that is called no more.
inline std::vector<double> least_in_turns(const std::vector<std::function<void()>>& bodies,
                                          int rounds, double seconds, bool alone) {
    const auto begin = std::chrono::steady_clock::now();
    const auto now = [&] { return alone ? processor_seconds() : seconds_since(begin); };
    std::vector<double> least(bodies.size(), 1e9), had(bodies.size(), 0);
    std::vector<int> times(bodies.size(), 1);
    for (int round = 0; round < rounds; ++round)
        for (std::size_t k = 0; k < bodies.size(); ++k) {
            if (round > 1 && had[k] > 10 * seconds) continue;
            const double start = now();
            for (int n = 0; n < times[k]; ++n) bodies[k]();
            const double took = now() - start, once = took / times[k];
            if (round > 0 || once > seconds) least[k] = std::min(least[k], once);
            had[k] += took;
            times[k] = static_cast<int>(std::clamp(seconds / (once + 1e-9), 1.0, 1e5));
        }
    return least;
}

/// What to do before a measurement that follows a call of OpenBLAS: its threads keep their
/// processors busy for about 120 ms after one, waiting for the next.
inline void let_peer_rest(int threads) {
    if (threads > 1) std::this_thread::sleep_for(std::chrono::milliseconds(200));
}

}  // namespace ricci::bench
