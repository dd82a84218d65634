// Speed of contractions beside OpenBLAS, where it is installed: the cases of bench/cases.hpp, run
// by the engine as ricci::einsum runs them. Run with OPENBLAS_CORETYPE=SkylakeX to see OpenBLAS's
// AVX-512 kernels where it chooses others.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include <fmt/core.h>

#include <ricci/element.hpp>

#include "bench/blas.hpp"
#include "bench/bound_case.hpp"
#include "bench/calls.hpp"
#include "bench/cases.hpp"
#include "bench/convolutions.hpp"
#include "bench/layouts.hpp"
#include "bench/peak.hpp"
#include "bench/small.hpp"
#include "bench/timing.hpp"
#include "src/kernels/gemm/gemm.hpp"
#include "src/runtime/parallel.hpp"

namespace {

using namespace ricci::bench;

struct settings {
    std::vector<int> threads;
    std::vector<std::string> groups;  // none: all of them
    std::string text;                 // only cases whose text contains it
    std::vector<std::string> types;   // none: all of them
    bool quick = false;
    bool alone = false;
};

// Bytes that have to move: every operand once.
template <class T>
double bytes_of(const sized_case& which) {
    double total = 0;
    for (std::size_t k = 0; k < which.labels.size(); ++k) {
        // A diagonal touches one element of each row.
        double elements = 1;
        for (const auto& [label, extent] : which.extents)
            if (which.labels[k].find(label) != std::string::npos)
                elements *= static_cast<double>(extent);
        total += elements * sizeof(T);
    }
    return total;
}

template <class T>
constexpr bool complex = ricci::is_complex(ricci::element_v<T>);

// What the type's peak is that of: 16-bit numbers are computed with in float.
template <class T>
using peak_type = std::conditional_t<(sizeof(T) / (complex<T> ? 2 : 1) > 4), double, float>;

// Whether the two agree; a peer that computes something else would be no peer.
template <class T>
bool alike(const elements<T>& x, const elements<T>& y) {
    double largest = 0, worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        largest = std::max(largest, static_cast<double>(std::abs(x[i])));
        worst = std::max(worst, static_cast<double>(std::abs(x[i] - y[i])));
    }
    return worst <= 1e-3 * std::max(1.0, largest);
}

// Seconds that a case takes, and the peer beside it; 0 where there is none.
struct times {
    duration ours;
    double peer = 0;
    bool copies = false, right = true;
};

template <class T>
times time_beside_peer(const sized_case& which, bound_case<T>& ours, int threads,
                       const settings& s) {
    times found;
    const auto run = [&] { ours.run(); };
    if constexpr (blas_has<T>) {
        blas_case<T> theirs(which);
        if (!s.alone && theirs.possible()) {
            const elements<T> result(ours.result().size());
            set_blas_threads(threads);
            const auto run_peer = [&] {
                theirs.run(ours.operand(0).data(), ours.operand(1).data(), result.data());
            };
            const auto before = [&] {
                let_peer_rest(threads);
                run();  // our own threads have gone to sleep meanwhile
            };
            const auto both = durations_in_turns(before, run, run_peer);
            found.ours = both.first;
            found.peer = both.second.best;
            found.copies = theirs.copies();
            found.right = alike(ours.result(), result);
            return found;
        }
    }
    found.ours = durations_in_turns([] {}, run, [] {}).first;
    return found;
}

// How long float takes for the same, measured in turns, as a part of what T takes.
template <class T>
double time_beside_float(const sized_case& which, bound_case<T>& ours) {
    bound_case<float> floats(which);
    const auto [own, other] =
        durations_in_turns([] {}, [&] { ours.run(); }, [&] { floats.run(); }, 9);
    return own.best / other.best;
}

template <class T>
void measure(const contraction_case& chosen, int threads, double peak, const settings& s) {
    const sized_case which(chosen);
    bound_case<T> ours(which);
    ricci::runtime::set_worker_count(threads);
    const times found = time_beside_peer(which, ours, threads, s);
    const duration time = found.ours;
    double rate = 0, of_limit = 0;
    if (chosen.by == bound::memory) {
        // A copy of as many bytes: what moves both ways counts twice.
        const double bytes = bytes_of<T>(which);
        const auto half = static_cast<std::size_t>(bytes / 2);
        const elements<char> from(half), to(half);
        const auto copy = [&] { std::memcpy(to.data(), from.data(), from.size()); };
        const double copy_time = durations_in_turns([] {}, copy, [] {}).first.best;
        rate = bytes * 1e-9 / time.best;
        of_limit = copy_time / time.best;
    } else {
        const double operations = complex<T> ? 8e-9 : 2e-9;
        rate = operations * static_cast<double>(which.iterations()) / time.best;
        of_limit = rate / peak;
    }
    fmt::print("{:<20} {:<18} {:<26} {:2} {:10.3f} {:10.3f} {:8.1f} {:<7} {:6.3f}",
               ricci::name_of(ricci::element_v<T>), chosen.text, chosen.extents, threads,
               time.median * 1e3, time.best * 1e3, rate,
               chosen.by == bound::memory ? "GB/s" : "GFLOP/s", of_limit);
    if (found.peer > 0)
        fmt::print(" {:8.3f}{}{}", found.peer / time.best, found.copies ? " by copies" : "",
                   found.right ? "" : " DIFFERS");
    else fmt::print("        -");
    if (chosen.with == types::every && !std::is_same_v<T, float>)
        fmt::print("  {:.2f} times float", time_beside_float<T>(which, ours));
    fmt::print("\n");
    std::fflush(stdout);
}

bool contains(const std::vector<std::string>& list, const std::string& word) {
    return list.empty() || std::find(list.begin(), list.end(), word) != list.end();
}

// The words for types on the command line.
template <class T>
constexpr const char* word_for = nullptr;
template <>
constexpr const char* word_for<float> = "float";
template <>
constexpr const char* word_for<double> = "double";
template <>
constexpr const char* word_for<std::complex<float>> = "c64";
template <>
constexpr const char* word_for<std::complex<double>> = "c128";
template <>
constexpr const char* word_for<ricci::bf16> = "bf16";
template <>
constexpr const char* word_for<ricci::f16> = "f16";
template <>
constexpr const char* word_for<std::int32_t> = "i32";
template <>
constexpr const char* word_for<std::int64_t> = "i64";

template <class F>
void for_types(F body) {
    body.template operator()<float>();
    body.template operator()<double>();
    body.template operator()<std::complex<float>>();
    body.template operator()<std::complex<double>>();
    body.template operator()<ricci::bf16>();
    body.template operator()<ricci::f16>();
    body.template operator()<std::int32_t>();
    body.template operator()<std::int64_t>();
}

bool is_type(const std::string& word) {
    bool found = false;
    for_types([&]<class T>() { found = found || word == word_for<T>; });
    return found;
}

void measure_all(int threads, const settings& s) {
    const double float_peak = peak_gflops<float>(threads);
    const double double_peak = peak_gflops<double>(threads);
    fmt::print("# peak of {} thread(s): float {:.1f} GFLOP/s, double {:.1f}\n", threads, float_peak,
               double_peak);
    fmt::print("# of a loop that loads its operands: float {:.1f} GFLOP/s, double {:.1f}\n",
               peak_gflops<float>(threads, factors::in_first_cache),
               peak_gflops<double>(threads, factors::in_first_cache));
    for_types([&]<class T>() {
        if (!contains(s.types, word_for<T>)) return;
        constexpr bool real = std::is_floating_point_v<T>;
        const double peak = std::is_same_v<peak_type<T>, float> ? float_peak : double_peak;
        for (const contraction_case& which : contraction_cases) {
            if (which.large && s.quick) continue;
            if (!real && which.with != types::every) continue;
            if (std::string(which.text).find(s.text) == std::string::npos) continue;
            // Extents in types have a table of their own.
            if (which.group == std::string("small") || !contains(s.groups, which.group)) continue;
            measure<T>(which, threads, peak, s);
        }
    });
    if (contains(s.groups, "small") && contains(s.types, "float") && threads == 1 && s.text.empty())
        measure_small(float_peak);
    if (contains(s.groups, "convolutions") && contains(s.types, "float"))
        measure_convolutions(threads, float_peak, s.text);
    // It takes minutes, and is asked for by name.
    if (!s.groups.empty() && contains(s.groups, "layouts")) measure_layouts(threads);
}

}  // namespace

// Arguments, in any order: the numbers of threads to measure with (1 and 2 when none are given);
// "quick" leaves out the largest cases, "alone" the peer, whose threads linger on the processors
// that ours need; "float", "double", "c64", "c128", "bf16", "f16", "i32" or "i64" for some of the
// element types; names of groups of bench/cases.hpp, "convolutions", "calls" or "layouts", for a part; "text=..." for the
// einsum strings that contain it.
int main(int argc, char** argv) {
    settings s;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (word == "quick") s.quick = true;
        else if (word == "alone") s.alone = true;
        else if (is_type(word)) s.types.push_back(word);
        else if (word.rfind("text=", 0) == 0) s.text = word.substr(5);
        else if (std::atoi(argv[i]) > 0) s.threads.push_back(std::atoi(argv[i]));
        else s.groups.push_back(word);
    }
    if (s.threads.empty()) s.threads = {1, 2};
    fmt::print("# kernels: {}; peer: OpenBLAS {}\n", ricci::kernels::gemm_kernels<float>().target,
               blas_core());
    fmt::print("{:<20} {:<18} {:<26} {:>2} {:>10} {:>10} {:>8} {:<7} {:>6} {:>8}\n", "type",
               "einsum", "extents", "th", "median ms", "best ms", "rate", "", "of max", "speed-up");
    const bool calls = contains(s.groups, "calls");
    for (const int n : s.threads) measure_all(n, s);
    if (calls && s.text.empty()) measure_calls();
}
