// A run of a prepared program allocates nothing: this executable counts operator new, and malloc
// with its relatives where the C library lets them be replaced.
#include "tests/catch.hpp"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <new>
#include <string>

#include <ricci/network.hpp>
#include <ricci/repeat.hpp>
#include <ricci/ricci.hpp>

#include "tests/sanitized.hpp"
#include "tests/unit/dense.hpp"

namespace {

std::atomic<long> allocations{0};

}  // namespace

// The sanitizers bring their own malloc and operator new, and glibc gives the names to call it by.
#if defined(__GLIBC__) && !defined(RICCI_TEST_SANITIZED)
#define RICCI_TEST_COUNTS_MALLOC 1

extern "C" {
void* __libc_malloc(std::size_t);                 // NOLINT: glibc's names
void* __libc_calloc(std::size_t, std::size_t);    // NOLINT
void* __libc_realloc(void*, std::size_t);         // NOLINT
void* __libc_memalign(std::size_t, std::size_t);  // NOLINT

void* malloc(std::size_t size) {
    ++allocations;
    return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
    ++allocations;
    return __libc_calloc(count, size);
}
void* realloc(void* memory, std::size_t size) {
    ++allocations;
    return __libc_realloc(memory, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
    ++allocations;
    return __libc_memalign(alignment, size);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
    ++allocations;
    *memory = __libc_memalign(alignment, size);
    return *memory == nullptr ? ENOMEM : 0;
}
}
#elif !defined(RICCI_TEST_SANITIZED)
#define RICCI_TEST_COUNTS_NEW 1

// Not inlined: compilers otherwise take std::free on memory of operator new for a mistake.
[[gnu::noinline]] static void release(void* memory) { std::free(memory); }

void* operator new(std::size_t size) {
    ++allocations;
    if (void* memory = std::malloc(size ? size : 1)) return memory;
    throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
#endif

namespace {

using namespace ricci::literals;
using ricci::testing::random_tensor;

constexpr auto attention = R"(
    Q^{hia} = X^{ib} W_Q^{hba}
    K^{hja} = X^{jb} W_K^{hba}
    V^{hjc} = X^{jb} W_V^{hbc}
    S^{hij} = \frac{1}{\sqrt{d_k}} Q^{hia} K^{hja}
    A^{hij} = \frac{\exp(S^{hij})}{\sum_{j'} \exp(S^{hij'})}
    O^{hic} = A^{hij} V^{hjc}
    Y^{id}  = O^{hic} W_O^{hcd}
)"_eq;
constexpr auto decode = R"(
    A^{j} = \operatorname{softmax}_j(q^{a} K^{ja})
    o^{c} = A^{j} V^{jc}
)"_eq;
constexpr auto both = ricci::value_and_gradient(
    attention, "Y"_t, ricci::wrt("X"_t, "W_Q"_t, "W_K"_t, "W_V"_t, "W_O"_t));

}  // namespace

TEST_CASE("the count counts", "[allocation]") {
    const long before = allocations;
    const ricci::tensor<double, 2> t({5, 5});
    std::string text(1000, 'x');
    CHECK(t.size() + text.size() == 1025);
#if defined(RICCI_TEST_COUNTS_MALLOC) || defined(RICCI_TEST_COUNTS_NEW)
    CHECK(allocations - before >= 1);
#else
    CHECK(allocations == before);
#endif
}

TEST_CASE("a run of attention, forward and backward, allocates nothing", "[allocation]") {
    const auto x = random_tensor<float, 2>({130, 48}, 1),
               dy = random_tensor<float, 2>({130, 48}, 6);
    const auto wq = random_tensor<float, 3>({3, 48, 16}, 2),
               wk = random_tensor<float, 3>({3, 48, 16}, 3),
               wv = random_tensor<float, 3>({3, 48, 16}, 4),
               wo = random_tensor<float, 3>({3, 16, 48}, 5);
    for (const int threads : {1, 2}) {
        ricci::threads(threads);
        auto step = ricci::prepare(both, "X"_t = x, "W_Q"_t = wq, "W_K"_t = wk, "W_V"_t = wv,
                                   "W_O"_t = wo, "d_k"_t = 16, "dL/dY"_t = dy);
        step();  // threads, and what the threading library keeps for each, start with the first run
        step();
        const long before = allocations;
        for (int k = 0; k < 5; ++k) step();
        const long count = allocations - before;
        INFO(threads << " threads");
        CHECK(count == 0);
    }
    ricci::threads(0);
}

TEST_CASE("a run of one query whose keys are cut in parts allocates nothing", "[allocation]") {
    const auto k = random_tensor<float, 2>({9000, 64}, 1),
               v = random_tensor<float, 2>({9000, 64}, 2);
    const auto q = random_tensor<float, 1>({64}, 3);
    for (const int threads : {1, 2}) {
        ricci::threads(threads);
        CHECK(ricci::explain(decode, "q"_t = q, "K"_t = k, "V"_t = v).find("columns in parts of") !=
              std::string::npos);
        auto step = ricci::prepare(decode, "q"_t = q, "K"_t = k, "V"_t = v);
        step();
        step();
        const long before = allocations;
        for (int run = 0; run < 5; ++run) step();
        CHECK(allocations - before == 0);
    }
    ricci::threads(0);
}

// Sweeps over states of many sites call the same step thousands of times.
TEST_CASE("a run of a network with other values allocates nothing", "[allocation]") {
    constexpr std::int64_t sites = 12;
    ricci::network n;
    std::vector<ricci::array> tensors;
    for (std::int64_t k = 0; k < sites; ++k) {
        tensors.emplace_back(ricci::element::f64, std::vector<std::size_t>{4, 2, 4});
        n.add(tensors.back(), {k, 100 + k, k + 1});
    }
    for (std::int64_t k = 0; k < sites; ++k) {
        tensors.emplace_back(ricci::element::f64, std::vector<std::size_t>{4, 2, 4});
        n.add(tensors.back(), {200 + k, 100 + k, 201 + k});
    }
    n.keep({std::int64_t{0}, sites, std::int64_t{200}, 200 + sites});
    for (const int threads : {1, 2}) {
        ricci::threads(threads);
        ricci::prepared_network p = ricci::prepare(n, ricci::find_order(n, {.trials = 1}));
        const auto run = [&] {
            for (std::size_t k = 0; k < tensors.size(); ++k) {
                tensors[k].as<double, 3>()(1, 1, 1) += 1;
                p.bind(k, tensors[k]);
            }
            p();
        };
        run();
        run();
        const long before = allocations;
        for (int k = 0; k < 5; ++k) run();
        CHECK(allocations - before == 0);
    }
    ricci::threads(0);
}

// Parts of it run at the same time, a thread each.
TEST_CASE("a run of a network in parts allocates nothing", "[allocation]") {
    constexpr std::size_t count = 256, extent = 32;
    ricci::network n;
    std::vector<ricci::array> tensors;
    std::vector<std::pair<std::size_t, std::size_t>> by_twos;
    for (std::size_t k = 0; k < count; ++k) {
        tensors.emplace_back(ricci::element::f64, std::vector<std::size_t>{extent, extent});
        n.add(tensors.back(), {k, k + 1});
        if (k + 1 < count) by_twos.emplace_back(2 * k, 2 * k + 1);
    }
    n.keep({std::size_t{0}, count});
    const auto order = ricci::contraction_order::from_ssa(n, by_twos);
    for (const int threads : {1, 2}) {  // more are begun by the first, at any time
        ricci::threads(threads);
        ricci::prepared_network p = ricci::prepare(n, order);
        const auto run = [&](std::size_t changed) {
            for (std::size_t k = 0; k < changed; ++k) {
                tensors[k].as<double, 2>()(1, 1) += 1;
                p.bind(k, tensors[k]);
            }
            p();
        };
        run(count);
        run(count);
        const long before = allocations;
        for (int k = 0; k < 5; ++k) run(k % 2 == 0 ? count : 3);
        CHECK(allocations - before == 0);
    }
    ricci::threads(0);
}

// Layers go on from one memory to the next, add up what they share, and copy what lies otherwise.
TEST_CASE("a run of layers, forward and back, allocates nothing", "[allocation]") {
    constexpr auto layer = R"(
        P^{a}  = g^m v^{ma}
        Y^{ia} = X^{ia} + \tanh(X^{ib} W^{ba} + P^a) U^a + E^{n^i a}
    )"_eq;
    constexpr auto layers = ricci::repeat(layer, 5, "l"_i, ricci::from("Y"_t), ricci::to("X"_t),
                                          ricci::shared("g"_t, "v"_t, "U"_t, "E"_t));
    constexpr auto slopes =
        ricci::value_and_gradient(layers, "Y"_t, ricci::wrt("X"_t, "W"_t, "v"_t, "U"_t, "E"_t));
    const auto x = random_tensor<float, 2>({16, 12}, 1), dy = random_tensor<float, 2>({12, 16}, 2),
               v = random_tensor<float, 2>({9, 16}, 3), e = random_tensor<float, 2>({4, 16}, 4);
    const auto w = random_tensor<float, 3>({5, 16, 16}, 5);
    const auto g = random_tensor<float, 1>({9}, 6), u = random_tensor<float, 1>({16}, 7);
    ricci::tensor<std::int32_t, 2> n({5, 12});
    for (std::size_t k = 0; k < n.size(); ++k) n.data()[k] = static_cast<std::int32_t>(k % 4);
    const ricci::tensor_view<const float, 2> turned(x.data(), {12, 16}, {1, 12});
    for (const int threads : {1, 2}) {
        ricci::threads(threads);
        auto step = ricci::prepare(slopes, "X"_t = turned, "W"_t = w, "g"_t = g, "v"_t = v,
                                   "U"_t = u, "E"_t = e, "n"_t = n, "dL/dY"_t = dy);
        step();
        step();
        const long before = allocations;
        for (int run = 0; run < 5; ++run) step();
        CHECK(allocations - before == 0);
    }
    ricci::threads(0);
}
