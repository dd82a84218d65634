// Random orders of indices, each beside its best way with one transposition.
#include "bench/layouts.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "bench/bound_case.hpp"
#include "bench/cases.hpp"
#include "bench/timing.hpp"
#include "src/runtime/parallel.hpp"

namespace ricci::bench {
namespace {

constexpr int order_count = 200;

struct labelled {
    std::string a, b, c, extents;
};

// The best of a few runs.
double seconds_of(const std::string& text, const std::string& extents) {
    bound_case<float> which(sized_case({"layouts", text.c_str(), extents.c_str()}));
    const auto run = [&] { which.run(); };
    return durations_in_turns([] {}, run, [] {}, 5, 0.002).first.best;
}
double seconds_of(const labelled& one) {
    return seconds_of(one.a + "," + one.b + "->" + one.c, one.extents);
}
double seconds_of_transposition(const std::string& from, const std::string& to,
                                const std::string& extents) {
    std::string own;  // of these letters alone
    for (const char letter : from) {
        const std::size_t at = extents.find(std::string{letter, '='});
        own += (own.empty() ? "" : " ") + extents.substr(at, extents.find(' ', at) - at);
    }
    return seconds_of(from + "->" + to, own);
}

// One or two indices of rows, of columns and of the sum, in any order, now and then with a batch.
labelled random_order(std::mt19937& random) {
    const auto pick = [&](int low, int high) {
        return std::uniform_int_distribution<int>(low, high)(random);
    };
    labelled made;
    while (true) {
        made = {};
        double flops = 2;
        char letter = 'a';
        for (int group = 0; group < 4; ++group)
            for (int i = 0, count = group == 3 ? pick(0, 3) / 3 : pick(1, 2); i < count; ++i) {
                const int extent = pick(0, 1) == 0 ? pick(3, 24) : pick(16, 200);
                if (group != 1) made.a += letter;
                if (group != 0) made.b += letter;
                if (group != 2) made.c += letter;
                made.extents +=
                    fmt::format("{}{}={}", made.extents.empty() ? "" : " ", letter, extent);
                ++letter;
                flops *= extent;
            }
        if (flops >= 1e6 && flops <= 1e8) break;
    }
    for (std::string* const labels : {&made.a, &made.b, &made.c})
        std::shuffle(labels->begin(), labels->end(), random);
    return made;
}

// The least time of the others.
double best_of_others(const labelled& given) {
    double best = 1e9;
    for (std::string labelled::*const which : {&labelled::a, &labelled::b, &labelled::c}) {
        std::string other = given.*which;
        std::sort(other.begin(), other.end());
        do {
            if (other == given.*which) continue;
            labelled turned = given;
            turned.*which = other;
            const double turned_time = seconds_of(turned);
            // A transposition takes time besides.
            if (turned_time >= best) continue;
            const bool result = which == &labelled::c;
            best = std::min(best, turned_time + seconds_of_transposition(
                                                    result ? other : given.*which,
                                                    result ? given.*which : other, given.extents));
        } while (std::next_permutation(other.begin(), other.end()));
    }
    return best;
}

}  // namespace

void measure_layouts(int threads) {
    runtime::set_worker_count(threads);
    std::mt19937 random(1);
    std::vector<std::pair<double, std::string>> ratios;
    for (int i = 0; i < order_count; ++i) {
        const labelled given = random_order(random);
        const double ratio = seconds_of(given) / best_of_others(given);
        ratios.emplace_back(ratio,
                            fmt::format("{},{}->{} {}", given.a, given.b, given.c, given.extents));
    }
    std::sort(ratios.begin(), ratios.end());
    fmt::print(
        "layouts: time to that with one transposition, {} orders: median {:.2f}, "
        "95th percentile {:.2f}, worst {:.2f}\n",
        order_count, ratios[ratios.size() / 2].first, ratios[ratios.size() * 95 / 100].first,
        ratios.back().first);
    for (std::size_t i = ratios.size() - 8; i < ratios.size(); ++i)
        fmt::print("  {:5.2f}  {}\n", ratios[i].first, ratios[i].second);
}

}  // namespace ricci::bench
