// What ends a search: time, the caller, or an order that is good enough.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <thread>

#include "src/path/search.hpp"

namespace ricci::path {

/// Asked by all threads; the options are looked at while this lives.
class search_clock {
public:
    /// `operands`: of a network, whose order takes some time to be written at the end.
    search_clock(const search_options& options, std::int32_t operands)
        : options_(options),
          slices_end_(options.seconds - std::min(0.3 * options.seconds, 6e-7 * operands)),
          end_(slices_end_ - (std::isfinite(options.largest) ? 0.04 * options.seconds : 0)) {}

    double elapsed() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }
    bool timed() const { return options_.trials <= 0; }
    double end() const { return end_; }
    /// Until then slices may be chosen for a tree that is found at the end.
    double slices_end() const { return slices_end_; }
    double seconds_left() const { return end_ - elapsed(); }
    bool stopped() const { return stopped_.load(std::memory_order_relaxed); }
    void stop() { stopped_.store(true, std::memory_order_relaxed); }

    /// Whether there is time until `deadline`; tells the caller how far the search is.
    bool until(double deadline) {
        if (stopped()) return false;
        const double now = elapsed();
        report(now);
        return !timed() || now < deadline;
    }

    /// Ends the search where the best order takes no time beside the search itself.
    void judge_price(double log2_multiplications) {
        if (!timed() || options_.whole_time) return;
        constexpr double nominal_rate = 1e10, worth = 100, shortest = 0.02;
        const double worth_seconds =
            shortest + worth * std::exp2(std::min(log2_multiplications, 900.0)) / nominal_rate;
        if (elapsed() > worth_seconds) stop();
    }

private:
    void report(double now) {
        if (!options_.progress || std::this_thread::get_id() != caller_) return;
        if (now < next_report_) return;
        constexpr double between_reports = 0.02;
        next_report_ = now + between_reports;
        const double part = timed() ? std::min(1.0, now / std::max(end_, 1e-9)) : 0;
        if (!options_.progress(part, timed() ? std::max(0.0, seconds_left()) : 0)) stop();
    }

    const search_options& options_;
    double slices_end_, end_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    std::thread::id caller_ = std::this_thread::get_id();
    double next_report_ = 0;
    std::atomic<bool> stopped_{false};
};

}  // namespace ricci::path
