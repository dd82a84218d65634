// Small contractions with extents in their types, beside Eigen's matrices of fixed size: both are
// compiled in this file, for the instructions that its flags allow.
#include "bench/small.hpp"

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <string_view>
#include <type_traits>

#include <fmt/core.h>

#ifdef RICCI_BENCH_EIGEN
#include <Eigen/Core>
#endif

#include "bench/static_case.hpp"
#include "bench/timing.hpp"

namespace ricci::bench {
namespace {

// What is at p counts as read, and whatever memory holds as written.
inline void keep(const void* p) { asm volatile("" : : "r"(p) : "memory"); }

#ifdef RICCI_BENCH_EIGEN

constexpr bool has_peer = true;

template <std::size_t Rows, std::size_t Columns>
using matrix = Eigen::Matrix<float, static_cast<int>(Rows), static_cast<int>(Columns),
                             Columns == 1 ? Eigen::ColMajor : Eigen::RowMajor>;

template <std::size_t Rows, std::size_t Columns>
matrix<Rows, Columns> matrix_at(const float* p) {
    return Eigen::Map<const matrix<Rows, Columns>>(p);
}

/// The same contraction of Eigen's matrices; a tensor of three axes is an array of them.
template <std::size_t Number>
class peer {
    using ours = static_case<Number>;
    static constexpr std::string_view text = ours::which.text;
    static constexpr bool chain = text == "ij,jk,kl->il";
    static constexpr bool middle = text == "ijk,jl->ilk";
    static_assert(chain || middle || text == "ij,jk->ik", "say how Eigen computes this");

    static constexpr std::size_t i = ours::extent('i'), j = ours::extent('j'),
                                 k = ours::extent('k');
    static constexpr std::size_t l = chain || middle ? ours::extent('l') : 1;

public:
    explicit peer(const ours& from) : b_(matrix_at < j, middle ? l : k > (from.operand(1))) {
        if constexpr (middle) {
            for (std::size_t n = 0; n < i; ++n)
                a_[n] = matrix_at<j, k>(from.operand(0) + n * j * k);
        } else {
            a_[0] = matrix_at<i, j>(from.operand(0));
            if constexpr (chain) c_ = matrix_at<k, l>(from.operand(2));
        }
    }
    void run() {
        if constexpr (chain) {
            out_[0].noalias() = (a_[0] * b_).eval() * c_;
        } else if constexpr (middle) {
            for (std::size_t n = 0; n < i; ++n) out_[n].noalias() = b_.transpose() * a_[n];
        } else {
            out_[0].noalias() = a_[0] * b_;
        }
    }
    const float* result() const { return out_[0].data(); }

private:
    static constexpr std::size_t pieces = middle ? i : 1;
    std::conditional_t<middle, matrix<j, k>, matrix<i, j>> a_[pieces];
    std::conditional_t<middle, matrix<j, l>, matrix<j, k>> b_;
    matrix<chain ? k : 1, chain ? l : 1> c_;
    std::conditional_t<middle, matrix<l, k>, matrix<i, chain ? l : k>> out_[pieces];
};

#else

constexpr bool has_peer = false;

template <std::size_t Number>
struct peer {
    explicit peer(const static_case<Number>&) {}
    void run() {}
    const float* result() const { return nullptr; }
};

#endif

template <std::size_t Number>
void measure(double peak) {
    static_case<Number> ours;
    peer<Number> theirs(ours);
    // Operands are loaded for every product: anybody could have written to them in between.
    keep(&ours), keep(&theirs);
    const auto run = [&] {
        const auto out = ours.run();
        keep(out.data());
    };
    const auto run_peer = [&] {
        theirs.run();
        keep(theirs.result());
    };
    const auto [time, peer_time] = durations_in_turns([] {}, run, run_peer, 31, 2e-3);
    bool right = true;
    if constexpr (has_peer) {
        const auto out = ours.run();
        for (std::size_t n = 0; n < out.size(); ++n)
            right = right && std::abs(out.data()[n] - theirs.result()[n]) <= 1e-3f;
    }
    const contraction_case& which = static_case<Number>::which;
    // Three operands are multiplied as two products.
    const sized_case sizes(which);
    const double products =
        static_case<Number>::operands == 3
            ? 2.0 * static_cast<double>(sizes.extent('i') * sizes.extent('j') * sizes.extent('k'))
            : static_cast<double>(sizes.iterations());
    const double rate = 2e-9 * products / time.best;
    fmt::print("{:<20} {:<18} {:<26}    {:10.1f} {:10.1f} {:8.1f} {:<7} {:6.3f}", "float",
               which.text, which.extents, time.median * 1e9, time.best * 1e9, rate, "GFLOP/s",
               rate / peak);
    if (has_peer) fmt::print(" {:8.3f}{}\n", peer_time.best / time.best, right ? "" : " DIFFERS");
    else fmt::print("        -\n");
    std::fflush(stdout);
}

}  // namespace

void measure_small(double peak) {
    fmt::print("# extents in the types, nanoseconds; vectors of {} bytes; peer: {}\n",
               small::vector_bytes, has_peer ? "Eigen" : "none");
    for_static_cases([&]<std::size_t Number>() { measure<Number>(peak); });
}

}  // namespace ricci::bench
