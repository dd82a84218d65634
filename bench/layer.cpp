// Speed of a whole multi-head attention layer, forward and forward with all gradients, beside the
// same layer written by hand: cblas_sgemm for the products, loops for softmax. Both in one process,
// measured in turns. Run with OPENBLAS_CORETYPE=SkylakeX to see OpenBLAS's AVX-512 kernels where it
// chooses others.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#ifdef RICCI_BENCH_OPENBLAS
#include <cblas.h>
#endif

#include <fmt/core.h>

#include <ricci/ricci.hpp>

#include "bench/peak.hpp"
#include "bench/timing.hpp"

using namespace ricci::literals;

namespace {

constexpr auto attention = R"(
    Q^{hia} = X^{ib} W_Q^{hba}
    K^{hja} = X^{jb} W_K^{hba}
    V^{hjc} = X^{jb} W_V^{hbc}
    S^{hij} = \frac{1}{\sqrt{d_k}} Q^{hia} K^{hja}
    A^{hij} = \frac{\exp(S^{hij})}{\sum_{j'} \exp(S^{hij'})}
    O^{hic} = A^{hij} V^{hjc}
    Y^{id}  = O^{hic} W_O^{hcd}
)"_eq;
constexpr auto with_gradients = ricci::value_and_gradient(
    attention, "Y"_t, ricci::wrt("X"_t, "W_Q"_t, "W_K"_t, "W_V"_t, "W_O"_t));

struct sizes {
    std::size_t n, model, heads;
    std::size_t width() const { return model / heads; }
    /// Of the products alone: four projections, scores and values; twice that again for the
    /// gradients.
    double forward_gflop() const {
        const double rows = static_cast<double>(n), columns = static_cast<double>(model);
        return 1e-9 * (8 * rows * columns * columns + 4 * rows * rows * columns);
    }
    double both_gflop() const { return 3 * forward_gflop(); }
};

template <int Rank>
ricci::tensor<float, Rank> random_tensor(const std::array<std::size_t, Rank>& extents,
                                         double deviation, unsigned seed) {
    ricci::tensor<float, Rank> t(extents);
    std::mt19937 generator(seed);
    std::normal_distribution<float> normal(0, static_cast<float>(deviation));
    for (std::size_t k = 0; k < t.size(); ++k) t.data()[k] = normal(generator);
    return t;
}

struct operands {
    explicit operands(const sizes& s)
        : x(random_tensor<2>({s.n, s.model}, 1, 1)),
          wq(weights(s, 2)),
          wk(weights(s, 3)),
          wv(weights(s, 4)),
          wo(random_tensor<3>({s.heads, s.width(), s.model},
                              1 / std::sqrt(static_cast<double>(s.model)), 5)),
          dy(random_tensor<2>({s.n, s.model}, 1, 6)) {}
    static ricci::tensor<float, 3> weights(const sizes& s, unsigned seed) {
        return random_tensor<3>({s.heads, s.model, s.width()},
                                1 / std::sqrt(static_cast<double>(s.model)), seed);
    }
    ricci::tensor<float, 2> x;
    ricci::tensor<float, 3> wq, wk, wv, wo;
    ricci::tensor<float, 2> dy;
};

#ifdef RICCI_BENCH_OPENBLAS

/// The layer by hand, as somebody with a BLAS writes it: all memory allocated before, heads side by
/// side in the columns of Q, K, V and O, so that each projection is one product.
class by_hand {
public:
    by_hand(const sizes& s, const operands& data)
        : n_(s.n),
          model_(s.model),
          heads_(s.heads),
          width_(s.width()),
          x_(data.x.data()),
          wo_(data.wo.data()),
          dy_(data.dy.data()) {
        const ricci::tensor<float, 3>* from[] = {&data.wq, &data.wk, &data.wv};
        for (int which = 0; which < 3;
             ++which) {  // [model][heads * width], as its owner would store it
            w_[which].resize(model_ * model_);
            for (std::size_t h = 0; h < heads_; ++h)
                for (std::size_t b = 0; b < model_; ++b)
                    for (std::size_t a = 0; a < width_; ++a)
                        w_[which][b * model_ + h * width_ + a] = (*from[which])(h, b, a);
        }
        for (auto* v : {&q_, &k_, &v_, &o_, &y, &dq_, &dk_, &dv_, &do_, &dx})
            v->resize(n_ * model_);
        for (auto* v : {&dwq, &dwk, &dwv, &dwo}) v->resize(model_ * model_);
        a_.resize(heads_ * n_ * n_);
        ds_.resize(n_ * n_);
    }

    void forward() {
        product(n_, model_, model_, x_, model_, w_[0].data(), model_, q_.data(), model_);
        product(n_, model_, model_, x_, model_, w_[1].data(), model_, k_.data(), model_);
        product(n_, model_, model_, x_, model_, w_[2].data(), model_, v_.data(), model_);
        const float scale = 1 / std::sqrt(static_cast<float>(width_));
        for (std::size_t h = 0; h < heads_; ++h) {
            float* a = a_.data() + h * n_ * n_;
            const std::size_t at = h * width_;
            cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, as(n_), as(n_), as(width_), scale,
                        q_.data() + at, as(model_), k_.data() + at, as(model_), 0, a, as(n_));
            for (std::size_t i = 0; i < n_; ++i) softmax(a + i * n_);
            product(n_, width_, n_, a, n_, v_.data() + at, model_, o_.data() + at, model_);
        }
        product(n_, model_, model_, o_.data(), model_, wo_, model_, y.data(), model_);
    }
    void forward_and_backward() {
        forward();
        transposed_right(n_, model_, model_, dy_, model_, wo_, model_, 1, 0, do_.data(), model_);
        transposed_left(model_, model_, n_, o_.data(), model_, dy_, model_, 1, dwo.data(), model_);
        const float scale = 1 / std::sqrt(static_cast<float>(width_));
        for (std::size_t h = 0; h < heads_; ++h) {
            const float* a = a_.data() + h * n_ * n_;
            const std::size_t at = h * width_;
            transposed_left(n_, width_, n_, a, n_, do_.data() + at, model_, 1, dv_.data() + at,
                            model_);
            transposed_right(n_, n_, width_, do_.data() + at, model_, v_.data() + at, model_, 1, 0,
                             ds_.data(), n_);
            for (std::size_t i = 0; i < n_; ++i) softmax_slope(a + i * n_, ds_.data() + i * n_);
            cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, as(n_), as(width_), as(n_),
                        scale, ds_.data(), as(n_), k_.data() + at, as(model_), 0, dq_.data() + at,
                        as(model_));
            transposed_left(n_, width_, n_, ds_.data(), n_, q_.data() + at, model_, scale,
                            dk_.data() + at, model_);
        }
        transposed_left(model_, model_, n_, x_, model_, dq_.data(), model_, 1, dwq.data(), model_);
        transposed_left(model_, model_, n_, x_, model_, dk_.data(), model_, 1, dwk.data(), model_);
        transposed_left(model_, model_, n_, x_, model_, dv_.data(), model_, 1, dwv.data(), model_);
        transposed_right(n_, model_, model_, dq_.data(), model_, w_[0].data(), model_, 1, 0,
                         dx.data(), model_);
        transposed_right(n_, model_, model_, dk_.data(), model_, w_[1].data(), model_, 1, 1,
                         dx.data(), model_);
        transposed_right(n_, model_, model_, dv_.data(), model_, w_[2].data(), model_, 1, 1,
                         dx.data(), model_);
    }

    std::vector<float> y, dx, dwq, dwk, dwv, dwo;

private:
    static blasint as(std::size_t size) { return static_cast<blasint>(size); }
    static void product(std::size_t m, std::size_t n, std::size_t k, const float* a,
                        std::size_t lda, const float* b, std::size_t ldb, float* c,
                        std::size_t ldc) {
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, as(m), as(n), as(k), 1, a, as(lda),
                    b, as(ldb), 0, c, as(ldc));
    }
    static void transposed_left(std::size_t m, std::size_t n, std::size_t k, const float* a,
                                std::size_t lda, const float* b, std::size_t ldb, float alpha,
                                float* c, std::size_t ldc) {
        cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, as(m), as(n), as(k), alpha, a, as(lda),
                    b, as(ldb), 0, c, as(ldc));
    }
    static void transposed_right(std::size_t m, std::size_t n, std::size_t k, const float* a,
                                 std::size_t lda, const float* b, std::size_t ldb, float alpha,
                                 float beta, float* c, std::size_t ldc) {
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, as(m), as(n), as(k), alpha, a, as(lda),
                    b, as(ldb), beta, c, as(ldc));
    }
    void softmax(float* row) const {
        float largest = row[0], sum = 0;
        for (std::size_t j = 1; j < n_; ++j) largest = std::max(largest, row[j]);
        for (std::size_t j = 0; j < n_; ++j) sum += row[j] = std::exp(row[j] - largest);
        for (std::size_t j = 0; j < n_; ++j) row[j] /= sum;
    }
    /// dS = A (dA - sum A dA), over dA.
    void softmax_slope(const float* a, float* row) const {
        float sum = 0;
        for (std::size_t j = 0; j < n_; ++j) sum += a[j] * row[j];
        for (std::size_t j = 0; j < n_; ++j) row[j] = a[j] * (row[j] - sum);
    }

    std::size_t n_, model_, heads_, width_;
    const float *x_, *wo_, *dy_;
    std::vector<float> w_[3];
    std::vector<float> q_, k_, v_, o_, dq_, dk_, dv_, do_, a_, ds_;
};

void use_threads(int threads) { openblas_set_num_threads(threads); }
#else
/// Nothing to compare with.
class by_hand {
public:
    by_hand(const sizes&, const operands&) {}
    void forward() {}
    void forward_and_backward() {}
};
void use_threads(int) {}
#endif

void print(const sizes& s, const char* what, int threads, double gflop, double ours, double theirs,
           double peak) {
    fmt::print("N{:<5} D{:<4} H{:<3} {:<20} {:7} {:10.2f} {:9.1f} {:8.3f}", s.n, s.model, s.heads,
               what, threads, ours * 1e3, gflop / ours, gflop / ours / peak);
#ifdef RICCI_BENCH_OPENBLAS
    fmt::print(" {:10.2f} {:9.3f}\n", theirs * 1e3, theirs / ours);
#else
    static_cast<void>(theirs);
    fmt::print("          -         -\n");
#endif
    std::fflush(stdout);
}

/// The two layers have to compute the same before their times mean anything.
double largest_difference([[maybe_unused]] const by_hand& hand, [[maybe_unused]] const float* y,
                          [[maybe_unused]] const float* dx) {
    double worst = 0;
#ifdef RICCI_BENCH_OPENBLAS
    for (std::size_t k = 0; k < hand.y.size(); ++k)
        worst = std::max(worst, static_cast<double>(std::abs(hand.y[k] - y[k])));
    for (std::size_t k = 0; k < hand.dx.size(); ++k)
        worst = std::max(worst, static_cast<double>(std::abs(hand.dx[k] - dx[k])));
#endif
    return worst;
}

void measure(const sizes& s, int threads, double peak, int measurements) {
    const operands d(s);
    by_hand hand(s, d);
    ricci::threads(threads);
    use_threads(threads);
    auto forward = ricci::prepare(attention, "X"_t = d.x, "W_Q"_t = d.wq, "W_K"_t = d.wk,
                                  "W_V"_t = d.wv, "W_O"_t = d.wo, "d_k"_t = s.width());
    auto both =
        ricci::prepare(with_gradients, "X"_t = d.x, "W_Q"_t = d.wq, "W_K"_t = d.wk, "W_V"_t = d.wv,
                       "W_O"_t = d.wo, "d_k"_t = s.width(), "dL/dY"_t = d.dy);
    both();
    hand.forward_and_backward();
    const double difference = largest_difference(hand, both["Y"_t].data(), both["dL/dX"_t].data());
    if (difference > 1e-2) {
        fmt::print("the two layers differ by {:g}\n", difference);
        std::exit(1);
    }
    const auto rest = [&] { ricci::bench::let_peer_rest(threads); };
    const auto f = ricci::bench::time_in_turns(
        rest, [&] { forward(); }, [&] { hand.forward(); }, measurements);
    print(s, "forward", threads, s.forward_gflop(), f.first, f.second, peak);
    const auto b = ricci::bench::time_in_turns(
        rest, [&] { both(); }, [&] { hand.forward_and_backward(); }, measurements);
    print(s, "forward + gradients", threads, s.both_gflop(), b.first, b.second, peak);
}

}  // namespace

// Arguments: the numbers of threads to measure with (1 and 2 when none are given).
int main(int argc, char** argv) {
    std::vector<int> counts;
    for (int i = 1; i < argc; ++i) counts.push_back(std::atoi(argv[i]));
    if (counts.empty()) counts = {1, 2};
#ifdef RICCI_BENCH_OPENBLAS
    fmt::print("# peer: cblas_sgemm of OpenBLAS {}, and loops\n", openblas_get_corename());
#endif
    fmt::print("# GFLOP/s count the layer's products; exp and sums come on top\n");
    fmt::print("{:<37} {:>7} {:>10} {:>9} {:>8} {:>10} {:>9}\n", "layer, float", "threads",
               "median ms", "GFLOP/s", "of peak", "peer ms", "speed-up");
    for (const int threads : counts) {
        const double peak = ricci::bench::peak_gflops<float>(threads);
        fmt::print("# peak of {} thread(s): {:.1f} GFLOP/s\n", threads, peak);
        measure({1024, 512, 8}, threads, peak, 11);
        measure({512, 768, 12}, threads, peak, 11);
    }
}
