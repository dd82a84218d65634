// Products over (maximum, +), (minimum, +) and (logsumexp, +): the rate of pairs of an addition and
// a maximum beside that of the same in registers, measured in turns with it; log-sum-exp beside
// this library's ordinary product of the same shape; and equations of them, with terms and gradients,
// beside the product alone. Times are medians; rates and fractions are of
// the best of each, since a machine that others use slows down what takes longer.
//   bench_algebras [THREADS]
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include <fmt/core.h>

#include <ricci/array.hpp>
#include <ricci/program.hpp>
#include <ricci/ricci.hpp>

#include "bench/timing.hpp"
#include "src/contract/algebra/algebra_product.hpp"
#include "src/contract/contraction.hpp"
#include "src/kernels/peak.hpp"

namespace {

using namespace ricci;
using steps::contraction_loop;
using steps::sum_algebra;

// C[batch, m, n], dense, from A[batch, m, k] and B[batch, k, n], dense.
struct shape {
    std::int64_t batch, m, n, k;
};

struct dense_loops {
    explicit dense_loops(const shape& s)
        : batch{s.batch, s.m * s.k, s.k * s.n, s.m * s.n},
          m{s.m, s.k, 0, s.n},
          n{s.n, 0, 1, 1},
          k{s.k, 1, s.n, 0} {}
    contraction_loop batch, m, n, k;
};

template <class T>
constexpr element type_of = sizeof(T) == 4 ? element::f32 : element::f64;

template <class T>
std::vector<T> random_numbers(std::int64_t count, unsigned seed) {
    std::mt19937 generator(seed);
    std::normal_distribution<T> normal(0, 2);
    std::vector<T> numbers(static_cast<std::size_t>(count));
    for (T& x : numbers) x = normal(generator);
    return numbers;
}

template <class T>
struct operands {
    explicit operands(const shape& s)
        : a(random_numbers<T>(s.batch * s.m * s.k, 1)),
          b(random_numbers<T>(s.batch * s.k * s.n, 2)),
          c(static_cast<std::size_t>(s.batch * s.m * s.n)),
          places(c.size()) {}
    std::vector<T> a, b, c;
    std::vector<contractions::place> places;
};

// Operations in registers that are timed at a time; those of all threads are compared with so many
// times those of one.
constexpr std::int64_t peak_rounds = 100'000;

template <class T>
void measure_extremum(const char* name, const shape& s, sum_algebra algebra, bool places,
                      int threads) {
    const dense_loops loops(s);
    steps::algebra_product what;
    what.type = type_of<T>;
    what.algebra = algebra;
    what.batch = {&loops.batch, 1};
    what.m = {&loops.m, 1};
    what.n = {&loops.n, 1};
    what.k = {&loops.k, 1};
    what.places = places;
    operands<T> x(s);
    const contractions::prepared_algebra_product product(what);
    const auto run = [&] {
        product.run(x.a.data(), x.b.data(), x.c.data(), places ? x.places.data() : nullptr);
    };
    double count = 0;
    const auto [mine, peak] = bench::durations_in_turns(
        [] {}, run,
        [&] { count = static_cast<double>(kernels::add_maximum_rounds<T>(peak_rounds)); }, 9, 0.02);
    const double operations =
        2.0 * static_cast<double>(s.batch * s.m) * static_cast<double>(s.n * s.k);
    fmt::print("{:16} {:6} {:5} x {:4} x {:4} x {:4} {:12.3f} {:9.2f} {:9.2f}   {}\n", name,
               sizeof(T) == 4 ? "float" : "double", s.batch, s.m, s.n, s.k, mine.median * 1e6,
               operations / mine.best * 1e-9,
               operations / mine.best / (count / peak.best * threads), product.words());
}

template <class T>
void measure_logsumexp(const shape& s) {
    const dense_loops loops(s);
    steps::algebra_product what;
    what.type = type_of<T>;
    what.algebra = sum_algebra::logsumexp;
    what.batch = {&loops.batch, 1};
    what.m = {&loops.m, 1};
    what.n = {&loops.n, 1};
    what.k = {&loops.k, 1};
    steps::contraction ordinary;
    ordinary.type = what.type;
    ordinary.batch = what.batch;
    ordinary.m = what.m;
    ordinary.n = what.n;
    ordinary.k = what.k;
    operands<T> x(s);
    const contractions::prepared_algebra_product product(what);
    const contractions::prepared_contraction plain(ordinary);
    const auto run = [&] { product.run(x.a.data(), x.b.data(), x.c.data()); };
    const auto run_plain = [&] {
        plain.run(x.a.data(), x.b.data(), x.c.data(), engine::number(1.0), engine::number(0.0));
    };
    const auto [mine, other] = bench::durations_in_turns([] {}, run, run_plain, 9, 0.02);
    const double operations =
        2.0 * static_cast<double>(s.batch * s.m) * static_cast<double>(s.n * s.k);
    fmt::print("{:16} {:6} {:5} x {:4} x {:4} x {:4} {:12.3f} {:9.2f} {:9.2f}   {}\n", "logsumexp",
               sizeof(T) == 4 ? "float" : "double", s.batch, s.m, s.n, s.k, mine.median * 1e6,
               operations / mine.best * 1e-9, other.best / mine.best, product.words());
}

/// An equation of A, B and C, and whether its gradients are computed with it.
struct written_product {
    const char* name;
    sum_algebra algebra;
    const char* text;
    bool gradients = false;
};

// How much of the rate of the product alone an equation has: 1 where it takes as long.
template <class T>
void measure_equation(const written_product& w, const shape& s) {
    const dense_loops loops(s);
    steps::algebra_product what;
    what.type = type_of<T>;
    what.algebra = w.algebra;
    what.m = {&loops.m, 1};
    what.n = {&loops.n, 1};
    what.k = {&loops.k, 1};
    operands<T> x(s);
    const contractions::prepared_algebra_product product(what);
    const auto m = static_cast<std::size_t>(s.m), n = static_cast<std::size_t>(s.n),
               k = static_cast<std::size_t>(s.k);
    array a(type_of<T>, {m, k}), b(type_of<T>, {k, n}), c(type_of<T>, {n}), g(type_of<T>, {m, n});
    std::copy(x.a.begin(), x.a.end(), static_cast<T*>(a.data()));
    std::copy(x.b.begin(), x.b.end(), static_cast<T*>(b.data()));
    const program values = parse(w.text).value();
    std::vector<named> bound{{"A", a}, {"B", b}};
    for (const tensor_info& t : values.inputs())
        if (t.name == "c") bound.push_back({"c", c});
    if (w.gradients) bound.push_back({"dL/dC", g});
    runner step =
        prepare(w.gradients ? value_and_gradient(values, "C", {"A", "B"}) : values, bound);
    const auto [mine, alone] = bench::durations_in_turns(
        [] {}, [&] { step(); }, [&] { product.run(x.a.data(), x.b.data(), x.c.data()); }, 5, 0.02);
    fmt::print("{:16} {:6} {:5} x {:4} x {:4} x {:4} {:12.3f} {:9} {:9.2f}   {}\n", w.name,
               sizeof(T) == 4 ? "float" : "double", s.batch, s.m, s.n, s.k, mine.median * 1e6, "",
               alone.best / mine.best, w.text);
}

template <class T>
void measure_equations() {
    const written_product all[] = {
        {"equation", sum_algebra::maximum, R"(C^{ik} = \max_j(A^{ij} + B^{jk}))"},
        {"terms", sum_algebra::maximum, R"(C^{ik} = \max_j(A^{ij} - 2 B^{jk} + c^k))"},
        {"gradients", sum_algebra::maximum, R"(C^{ik} = \max_j(A^{ij} + B^{jk}))", true},
        {"equation", sum_algebra::logsumexp,
         R"(C^{ik} = \operatorname{logsumexp}_j(A^{ij} + B^{jk}))"},
        {"terms", sum_algebra::logsumexp,
         R"(C^{ik} = \operatorname{logsumexp}_j(A^{ij} - 2 B^{jk} + c^k))"},
        {"gradients", sum_algebra::logsumexp,
         R"(C^{ik} = \operatorname{logsumexp}_j(A^{ij} + B^{jk}))", true},
    };
    for (const written_product& w : all)
        for (const shape& s : {shape{1, 400, 400, 400}, shape{1, 64, 64, 64},
                               shape{1, 2000, 1, 2000}, shape{1, 1, 2000, 2000}})
            measure_equation<T>(w, s);
}

template <class T>
void measure_all(int threads) {
    const std::vector<shape> shapes = {
        {1, 1000, 1000, 1000}, {1, 256, 256, 256}, {1, 100, 100, 100}, {1, 32, 32, 32},
        {1, 16, 16, 16},       {1, 8, 8, 8},       {1, 4, 4, 4},       {1, 2, 2, 2},
        {1000, 2, 2, 2},       {1000, 8, 8, 8},    {1, 2000, 1, 2000}, {1, 1, 2000, 2000},
        {100000, 1, 1, 1},     {1, 4, 4096, 64},   {64, 64, 64, 64},
    };
    for (const shape& s : shapes)
        measure_extremum<T>("maximum", s, sum_algebra::maximum, false, threads);
    for (const shape& s : shapes)
        measure_extremum<T>("with places", s, sum_algebra::maximum, true, threads);
    measure_extremum<T>("minimum", shapes[0], sum_algebra::minimum, false, threads);
    for (const shape& s : shapes)
        if (s.k > 1) measure_logsumexp<T>(s);
    measure_equations<T>();
}

}  // namespace

int main(int count, char** words) {
    const int threads = count > 1 ? std::atoi(words[1]) : 1;
    ricci::threads(threads);
    fmt::print("{:16} {:6} {:27} {:>12} {:>9} {:>9}\n", "product", "type", "batch x m x n x k",
               "us", "Gop/s", "of peak");
    measure_all<double>(threads);
    measure_all<float>(threads);
}
