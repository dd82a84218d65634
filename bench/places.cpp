// Programs whose places are more than letters: the time of each beside that of a peer in the same
// run, plain loops, a copy, a product or the peak, and the part of the peer's speed that is the
// goal. Results are compared with those of plain loops first; a wrong one ends the run with 1.
//   bench_places [THREADS] [--small] [NAME ...]
// With --small the extents are so small that every case is over in a blink. A name may be that of a
// group; of `cliffs`, programs that one letter could make slow, the worst ratio is told.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <ricci/program.hpp>
#include <ricci/ricci.hpp>

#include "bench/peak.hpp"
#include "bench/places_cases.hpp"
#include "bench/timing.hpp"

namespace {

using ricci::bench::peer;
using ricci::bench::place_case;
using ricci::bench::place_memory;
using ricci::bench::place_operand;

std::vector<std::size_t> shape_of(const place_case& c, const std::string& letters) {
    std::vector<std::size_t> all;
    for (const char x : letters) all.push_back(static_cast<std::size_t>(c.extents.at(x)));
    return all;
}

ricci::array random_array(const place_case& c, const place_operand& o, std::mt19937& generator) {
    ricci::array a(o.below != 0 ? ricci::element::i32 : ricci::element::f32,
                   std::span<const std::size_t>(shape_of(c, o.letters)));
    std::normal_distribution<float> normal(o.mean, o.spread == 0 ? 1 : o.spread);
    const long below = o.below != 0 ? c.extents.at(o.below) : 1;
    std::uniform_int_distribution<std::int32_t> place(0, static_cast<std::int32_t>(below - 1));
    void* const data = a.data();
    for (std::size_t k = 0; k < a.size(); ++k) {
        if (o.below != 0) static_cast<std::int32_t*>(data)[k] = place(generator);
        else static_cast<float*>(data)[k] = o.spread == 0 ? o.mean : normal(generator);
    }
    return a;
}

/// The operands of a case, and memory that its loops write.
class bound_case {
public:
    explicit bound_case(const place_case& c) : c_(c) {
        std::mt19937 generator(1);
        arrays_.reserve(c.operands.size());
        for (const auto& o : c.operands) {
            ricci::array& a = arrays_.emplace_back(random_array(c, o, generator));
            void* const data = a.data();
            if (o.below != 0) memory_.numbers[o.name] = static_cast<std::int32_t*>(data);
            else memory_.floats[o.name] = static_cast<float*>(data);
        }
        for (const char x : c.given)
            extents_.push_back({std::string(1, x), ricci::extent(c.extents.at(x))});
        for (const auto& o : c.outputs) {
            written_.emplace_back(static_cast<std::size_t>(c.size(o.letters)));
            memory_.floats[o.name] = written_.back().data();
        }
        memory_.extents = c.extents;
    }
    ricci::runner runner() const {
        const ricci::program forward = ricci::parse(c_.text).value();
        if (c_.of.empty()) return ricci::prepare(forward, read_by({forward}, extents_));
        // The shape of a derivative may be that of what only the forward program reads.
        const ricci::program p = ricci::gradient(forward, c_.of, c_.by);
        return ricci::prepare(p, read_by({forward, p}, extents_));
    }
    /// Another program of those operands that it reads, and of others.
    ricci::runner runner(const std::string& text, std::vector<ricci::named> operands) const {
        const ricci::program p = ricci::parse(text).value();
        return ricci::prepare(p, read_by({p}, std::move(operands)));
    }
    const place_memory& memory() const { return memory_; }

    /// What is wrong with the results beside those of the loops, or nothing.
    std::string difference(const ricci::runner& run) const {
        c_.loops(memory_);
        for (std::size_t o = 0; o < c_.outputs.size(); ++o) {
            const ricci::array got = run[c_.outputs[o].name];
            const auto& want = written_[o];
            if (got.size() != want.size()) return c_.outputs[o].name + " has another size";
            const void* const data = got.data();
            const float* const mine = static_cast<const float*>(data);
            float size = 1;
            for (const float x : want) size = std::max(size, std::abs(x));
            for (std::size_t k = 0; k < want.size(); ++k)
                if (!(std::abs(mine[k] - want[k]) <= 1e-4f * size))
                    return fmt::format("element {} of {} is {} instead of {}", k,
                                       c_.outputs[o].name, mine[k], want[k]);
        }
        return {};
    }

private:
    std::vector<ricci::named> read_by(const std::vector<ricci::program>& programs,
                                      std::vector<ricci::named> operands) const {
        for (std::size_t k = 0; k < c_.operands.size(); ++k) {
            const auto reads = [&](const ricci::program& p) {
                for (const auto& input : p.inputs())
                    if (input.name == c_.operands[k].name) return true;
                return false;
            };
            if (std::any_of(programs.begin(), programs.end(), reads))
                operands.push_back({c_.operands[k].name, arrays_[k]});
        }
        return operands;
    }

    const place_case& c_;
    std::vector<ricci::array> arrays_;
    std::vector<ricci::named> extents_;
    std::vector<std::vector<float>> written_;
    place_memory memory_;
};

struct timed {
    double mine = 0, other = 0;
};

/// What takes half a second is run once: a cliff would take minutes.
template <class First, class Second>
timed time_both(First&& first, Second&& second) {
    const auto begin = std::chrono::steady_clock::now();
    first();
    const std::chrono::duration<double> once = std::chrono::steady_clock::now() - begin;
    if (once.count() > 0.5)
        return {once.count(), ricci::bench::time_in_turns([] {}, second, second, 3, 0.01).second};
    const auto [mine, other] = ricci::bench::time_in_turns([] {}, first, second, 7, 0.05);
    return {mine, other};
}

timed time_beside_product(const place_case& c, ricci::runner& run) {
    const auto n = static_cast<std::size_t>(c.size("nhw")),
               k = static_cast<std::size_t>(c.size("ckl")),
               m = static_cast<std::size_t>(c.size("o"));
    const ricci::array a(ricci::element::f32, {m, k}), b(ricci::element::f32, {k, n});
    for (const ricci::array* x : {&a, &b}) {
        void* const data = const_cast<ricci::array*>(x)->data();
        std::fill_n(static_cast<float*>(data), x->size(), 0.5f);
    }
    auto product =
        ricci::prepare(ricci::parse("C^{ij} = A^{ik} B^{kj}").value(), {{"A", a}, {"B", b}});
    timed t = time_both(run, product);
    t.other *= c.times;
    return t;
}

/// Rows are gathered first, and multiplied then.
timed time_beside_parts(const place_case& c, const bound_case& bound, ricci::runner& run) {
    auto rows = bound.runner(c.rows_first, {});
    rows();
    auto product = bound.runner(c.product_then, {{"T", rows["T"]}});
    timed t = time_both(run, [&] {
        rows();
        product();
    });
    t.other *= c.times;
    return t;
}

timed time_beside(const place_case& c, const bound_case& bound, ricci::runner& run, double peak) {
    switch (c.beside) {
        case peer::loops:
            return time_both(run, [&] { c.loops(bound.memory()); });
        case peer::copy: {
            const std::vector<float> from(static_cast<std::size_t>(c.size(c.copied)), 1.0f);
            std::vector<float> to(from.size());
            const auto copy = [&] {
                std::memcpy(to.data(), from.data(), from.size() * sizeof(float));
            };
            return time_both(run, copy);
        }
        case peer::rows: {
            const std::vector<float> from(static_cast<std::size_t>(c.size("va")), 1.0f);
            std::vector<float> to(static_cast<std::size_t>(c.size("ia")));
            return time_both(run, [&] {
                ricci::bench::gather_rows(from.data(), bound.memory().places("x"), to.data(),
                                          c.extents.at('i'), c.extents.at('a'));
            });
        }
        case peer::product:
            return time_beside_product(c, run);
        case peer::apart:
            return time_beside_parts(c, bound, run);
        case peer::peak:
            break;
    }
    const timed t = time_both(run, [] {});
    return {t.mine, 2 * c.counted_times * c.size(c.counted) / peak * 1e-9};
}

/// The peer's time over the program's, or nothing where the results are wrong.
std::optional<double> measure(const place_case& c, int threads, double peak) {
    const bound_case bound(c);
    auto run = bound.runner();
    run();
    const std::string wrong = c.loops == nullptr ? "" : bound.difference(run);
    if (!wrong.empty()) {
        fmt::print("{:26} WRONG: {}\n", c.name, wrong);
        return std::nullopt;
    }
    peak = std::max(peak, ricci::bench::peak_gflops<float>(threads));
    const timed t = time_beside(c, bound, run, peak);
    static constexpr const char* words[] = {"loops", "copy", "rows", "product", "apart", "peak"};
    const double gflops = 2 * c.counted_times * c.size(c.counted) / t.mine * 1e-9;
    const std::string of_peak = c.counted.empty() ? "" : fmt::format("{:.2f}", gflops / peak);
    const std::string goal = c.goal == 0 ? "" : fmt::format("{:.2f}", c.goal);
    fmt::print("{:26} {:10.3f} {:10.3f} {:8} {:8.3f} {:>8} {:>8}{}\n", c.name, t.mine * 1e3,
               t.other * 1e3, words[static_cast<std::size_t>(c.beside)], t.other / t.mine, goal,
               of_peak, c.loops == nullptr ? "  not compared" : "");
    std::fflush(stdout);
    return t.other / t.mine;
}

// Whether there is a case of each name; says which there are otherwise.
bool all_there(const std::vector<std::string>& names, const std::vector<place_case>& cases) {
    std::string all;
    const auto add = [&](const std::string& name) {
        if (!name.empty() && (all + " ").find(" " + name + " ") == std::string::npos)
            all += " " + name;
    };
    for (const place_case& c : cases) add(c.group), add(c.name);
    for (const std::string& name : names)
        if ((all + " ").find(" " + name + " ") == std::string::npos) {
            fmt::print(stderr, "there is no case {}; there are{}\n", name, all);
            return false;
        }
    return true;
}

}  // namespace

int main(int count, char** words) {
    int threads = 1;
    bool small = false, right = true;
    std::vector<std::string> names;
    for (int k = 1; k < count; ++k) {
        const std::string word = words[k];
        if (word == "--small") small = true;
        else if (std::atoi(words[k]) > 0) threads = std::atoi(words[k]);
        else names.push_back(word);
    }
    const auto cases = ricci::bench::place_cases(small);
    if (!all_there(names, cases)) return 1;
    ricci::threads(threads);
    const double peak = ricci::bench::peak_gflops<float>(threads);
    fmt::print("{} threads, float; the peak is {:.0f} GFLOP/s; loops and copies run on one\n",
               threads, peak);
    fmt::print("{:26} {:>10} {:>10} {:8} {:>8} {:>8} {:>8}\n", "program", "ms", "peer ms", "peer",
               "speed", "goal", "of peak");
    struct {
        double speed = std::numeric_limits<double>::infinity();
        std::string name;
    } worst;
    for (const auto& c : cases) {
        const auto named = [&](const std::string& x) {
            return std::find(names.begin(), names.end(), x) != names.end();
        };
        if (!names.empty() && !named(c.name) && !named(c.group)) continue;
        try {
            const auto speed = measure(c, threads, peak);
            right = speed && right;
            if (speed && c.group == "cliffs" && *speed < worst.speed) worst = {*speed, c.name};
        } catch (const std::exception& e) {
            fmt::print("{:26} FAILED: {}\n", c.name, e.what());
            right = false;
        }
    }
    if (!worst.name.empty()) fmt::print("cliffs: worst {:.3f}, {}\n", worst.speed, worst.name);
    return right ? 0 : 1;
}
