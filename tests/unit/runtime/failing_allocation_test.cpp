// Every allocation of a call made to fail, one after another: the call either computes what it
// should or throws before it has written anything, and the next one computes. Those of a first run
// each in a process of its own, in which nothing has run before: threads start there, too.
#include "tests/catch.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include <ricci/ricci.hpp>

#include "tests/sanitized.hpp"
#include "tests/unit/dense.hpp"
#include "tests/unit/runtime/failing_allocations.hpp"

// The sanitizers bring their own malloc, and glibc gives the names to call it by.
#if defined(__GLIBC__) && !defined(RICCI_TEST_SANITIZED)

#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// Of the thread that calls; what other threads need is not the call's.
thread_local long ricci::testing::allocations = 0;
thread_local long ricci::testing::fails_at = -1;

namespace {

using ricci::testing::allocations;
using ricci::testing::fails_at;

bool fails() {
    if (fails_at < 0 || allocations++ != fails_at) return false;
    errno = ENOMEM;
    return true;
}

}  // namespace

extern "C" {
void* __libc_malloc(std::size_t);                 // NOLINT: glibc's names
void* __libc_calloc(std::size_t, std::size_t);    // NOLINT
void* __libc_realloc(void*, std::size_t);         // NOLINT
void* __libc_memalign(std::size_t, std::size_t);  // NOLINT

void* malloc(std::size_t size) { return fails() ? nullptr : __libc_malloc(size); }
void* calloc(std::size_t count, std::size_t size) {
    return fails() ? nullptr : __libc_calloc(count, size);
}
void* realloc(void* memory, std::size_t size) {
    return fails() ? nullptr : __libc_realloc(memory, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
    return fails() ? nullptr : __libc_memalign(alignment, size);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
    *memory = fails() ? nullptr : __libc_memalign(alignment, size);
    return *memory == nullptr ? ENOMEM : 0;
}
void* mmap(void* at, std::size_t size, int protection, int flags, int file, off_t offset) noexcept {
    if (fails()) return MAP_FAILED;
    return reinterpret_cast<void*>(::syscall(SYS_mmap, at, size, protection, flags, file, offset));
}
}

namespace {

using namespace ricci::literals;
using ricci::testing::random_tensor;
template <int Rank>
using tensor = ricci::tensor<float, Rank>;

constexpr auto attention = R"(
    Q^{hia} = X^{ib} W_Q^{hba}
    K^{hja} = X^{jb} W_K^{hba}
    V^{hjc} = X^{jb} W_V^{hbc}
    S^{hij} = \frac{1}{\sqrt{d_k}} Q^{hia} K^{hja}
    A^{hij} = \operatorname{softmax}_j(S^{hij})
    O^{hic} = A^{hij} V^{hjc}
    Y^{id}  = O^{hic} W_O^{hcd}
)"_eq;
constexpr auto with_gradients =
    ricci::value_and_gradient(attention, "Y"_t, ricci::wrt("X"_t, "W_Q"_t, "W_V"_t));
constexpr auto heads = R"(
    S^{hij} = Q^{hia} K^{hja}
    O^{hic} = \operatorname{softmax}_j(S^{hij}) V^{hjc}
)"_eq;
constexpr auto of_heads = ricci::gradient(heads, "O"_t, ricci::wrt("Q"_t, "K"_t, "V"_t));
constexpr auto rows = R"(
    Z^{ia} = E^{x_i a}
    n^{a} = \sum_i (Z^{ia})^2
    L^{ia} = \frac{Z^{ia}}{\sqrt{n^{a}}}
)"_eq.keep("Z"_t, "n"_t);

// What a program writes, and how many numbers that is.
struct output {
    float* data;
    std::size_t size;
};
using outputs = std::vector<output>;

template <int Rank>
output all_of(tensor<Rank>& t) {
    return {t.data(), t.size()};
}

template <class... Extents>
auto zeros(Extents... extents) {
    constexpr int rank = sizeof...(Extents);
    return tensor<rank>(std::array{static_cast<std::size_t>(extents)...});
}
template <class... Extents>
auto drawn(std::uint32_t seed, Extents... extents) {
    constexpr int rank = sizeof...(Extents);
    return random_tensor<float, rank>({static_cast<std::size_t>(extents)...}, seed);
}

struct attention_and_gradients {
    const tensor<2> x = drawn(1, 96, 24), dy = drawn(6, 96, 24);
    const tensor<3> wq = drawn(2, 2, 24, 16), wk = drawn(3, 2, 24, 16), wv = drawn(4, 2, 24, 16),
                    wo = drawn(5, 2, 16, 24);
    tensor<2> y = zeros(96, 24), dx = zeros(96, 24);
    tensor<3> dwq = zeros(2, 24, 16), dwv = zeros(2, 24, 16);

    outputs written() { return {all_of(y), all_of(dx), all_of(dwq), all_of(dwv)}; }
    auto prepare() {
        return ricci::prepare(with_gradients, "X"_t = x, "W_Q"_t = wq, "W_K"_t = wk, "W_V"_t = wv,
                              "W_O"_t = wo, "d_k"_t = 16, "dL/dY"_t = dy, "Y"_t = y, "dL/dX"_t = dx,
                              "dL/dW_Q"_t = dwq, "dL/dW_V"_t = dwv);
    }
};

// Sums over rows and over columns of the same tiles: blocks of columns that wait for one another.
struct column_sweeps {
    const tensor<3> q = drawn(1, 1, 300, 16), k = drawn(2, 1, 1300, 16), v = drawn(3, 1, 1300, 16),
                    d = drawn(4, 1, 300, 16);
    tensor<3> dq = zeros(1, 300, 16), dk = zeros(1, 1300, 16), dv = zeros(1, 1300, 16);

    outputs written() { return {all_of(dq), all_of(dk), all_of(dv)}; }
    auto prepare() {
        return ricci::prepare(of_heads, "Q"_t = q, "K"_t = k, "V"_t = v, "dL/dO"_t = d,
                              "dL/dQ"_t = dq, "dL/dK"_t = dk, "dL/dV"_t = dv);
    }
};

struct batches {
    const tensor<3> a = drawn(1, 90, 20, 30), b = drawn(2, 90, 30, 40);
    tensor<3> c = zeros(90, 20, 40);

    outputs written() { return {all_of(c)}; }
    auto prepare() {
        return [this] { ricci::einsum_into<"bij,bjk->bik">(c, a, b); };
    }
};

struct large_product {
    const tensor<2> a = drawn(1, 300, 200), b = drawn(2, 200, 310);
    tensor<2> c = zeros(300, 310);

    outputs written() { return {all_of(c)}; }
    auto prepare() {
        return [this] { ricci::einsum_into<"ij,jk->ik">(c, {.alpha = 2}, a, b); };
    }
};

struct gathered_rows {
    const tensor<2> e = drawn(1, 50, 200);
    ricci::tensor<std::int64_t, 1> at = [] {
        ricci::tensor<std::int64_t, 1> t(std::array<std::size_t, 1>{400});
        for (std::size_t k = 0; k < t.size(); ++k) t(k) = static_cast<std::int64_t>(k * 7 % 50);
        return t;
    }();
    tensor<2> z = zeros(400, 200), l = zeros(400, 200);
    tensor<1> n = zeros(200);

    outputs written() { return {all_of(z), all_of(n), all_of(l)}; }
    auto prepare() {
        return ricci::prepare(rows, "E"_t = e, "x"_t = at, "Z"_t = z, "n"_t = n, "L"_t = l);
    }
};

// What a child process has found out.
enum finding { fine, no_more_to_fail, written_and_thrown, wrong, next_is_wrong, thrown_otherwise };

const char* words_of(int status) {
    static const char* const words[] = {"",
                                        "",
                                        "it threw after an output was written",
                                        "it computed something else",
                                        "the next call is wrong",
                                        "it threw what is no std::bad_alloc"};
    if (WIFSIGNALED(status))
        return WTERMSIG(status) == SIGALRM ? "a call does not come back" : "it crashed";
    return words[WEXITSTATUS(status)];
}

constexpr float before = 12345;

// The numbers that a program gives, in memory that processes share.
class shared_numbers {
public:
    explicit shared_numbers(std::size_t size)
        : bytes_(size * sizeof(float)),
          data_(static_cast<float*>(::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                                           MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {}
    ~shared_numbers() { ::munmap(data_, bytes_); }
    shared_numbers(const shared_numbers&) = delete;
    shared_numbers& operator=(const shared_numbers&) = delete;

    void take(const outputs& from) {
        float* to = data_;
        for (const output& o : from) to = std::copy_n(o.data, o.size, to);
    }
    bool are(const outputs& others) const {
        const float* mine = data_;
        for (const output& o : others) {
            if (std::memcmp(mine, o.data, o.size * sizeof(float)) != 0) return false;
            mine += o.size;
        }
        return true;
    }

private:
    std::size_t bytes_;
    float* data_;
};

template <class Body>
int in_process(Body body) {
    const pid_t child = ::fork();
    if (child == 0) {
        ::alarm(20);
        std::_Exit(body());
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return status;
}

// Runs with one allocation that fails; `more` says whether there was one.
template <class Body>
finding with_failing(long number, const outputs& all, const shared_numbers& expected, bool& more,
                     Body body) {
    for (const output& o : all) std::fill_n(o.data, o.size, before);
    bool thrown = false;
    allocations = 0;
    fails_at = number;
    try {
        body();
        fails_at = -1;
    } catch (const std::bad_alloc&) {
        fails_at = -1;
        thrown = true;
    } catch (const std::exception& e) {
        fails_at = -1;
        std::fprintf(stderr, "%ld: %s\n", number, e.what());
        return thrown_otherwise;
    }
    more = allocations > number;
    if (!thrown) return expected.are(all) ? fine : wrong;
    for (const output& o : all)
        if (std::any_of(o.data, o.data + o.size, [](float x) { return x != before; }))
            return written_and_thrown;
    return fine;
}

// A first run, of what is prepared already where that can be told apart.
template <class Program>
finding first_run(long number, int threads, const shared_numbers& expected) {
    Program p;
    auto step = p.prepare();
    bool more = false;
    const finding found = with_failing(number, p.written(), expected, more, [&] {
        ricci::threads(threads);
        step();
    });
    if (found != fine) return found;
    step();
    if (!expected.are(p.written())) return next_is_wrong;
    return more ? fine : no_more_to_fail;
}

// What is planned and run anew, where threads are at work already.
template <class Program>
finding later_runs(const shared_numbers& expected, int threads) {
    Program p;
    ricci::threads(threads);
    p.prepare()();
    long number = 0;
    for (bool more = true; more; ++number) {
        ::alarm(20);  // each of them has its time
        more = false;
        const finding found =
            with_failing(number, p.written(), expected, more, [&] { p.prepare()(); });
        if (found != fine) {
            std::fprintf(stderr, "allocation %ld\n", number);
            return found;
        }
    }
    p.prepare()();
    return expected.are(p.written()) ? fine : next_is_wrong;
}

template <class Program>
void check(int threads) {
    std::size_t size = 0;
    for (const output& o : Program().written()) size += o.size;
    shared_numbers expected(size);
    REQUIRE(in_process([&] {
                ricci::threads(threads);
                Program p;
                p.prepare()();
                expected.take(p.written());
                return 0;
            }) == 0);
    CHECK(std::string(
              words_of(in_process([&] { return later_runs<Program>(expected, threads); }))) == "");
    std::string wrong_ones;
    long number = 0;
    // A known defect, very rare: where memory fails oneTBB for the list of a thread's tasks, which
    // is allocated once, its parallel_for has counted a task that nobody will run, and the caller
    // waits for ever. Such a call is told and made again; a second one is a failure.
    int lost = 0;
    const auto one_run = [&] {
        return in_process([&] { return first_run<Program>(number, threads, expected); });
    };
    for (; number < 10000; ++number) {
        int status = one_run();
        if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM && ++lost == 1) {
            WARN("allocation " << number << " failed, and the call did not come back");
            status = one_run();
        }
        if (WIFEXITED(status) && WEXITSTATUS(status) == no_more_to_fail) break;
        if (status != 0 && wrong_ones.size() < 2000)
            wrong_ones += std::to_string(number) + ": " + words_of(status) + "\n";
    }
    INFO(number << " allocations, " << threads << " threads");
    CHECK(number > 10);
    CHECK(wrong_ones == "");
}

}  // namespace

TEST_CASE("allocations of attention and its gradients fail", "[failing]") {
    check<attention_and_gradients>(GENERATE(0, 3));
}
TEST_CASE("allocations of sweeps over blocks of columns fail", "[failing]") {
    check<column_sweeps>(GENERATE(0, 3));
}
TEST_CASE("allocations of batches fail", "[failing]") { check<batches>(3); }
TEST_CASE("allocations of a large product fail", "[failing]") { check<large_product>(0); }
TEST_CASE("allocations of rows that are looked up fail", "[failing]") {
    check<gathered_rows>(GENERATE(0, 3));
}

#else
TEST_CASE("allocations cannot be made to fail here", "[failing]") { SUCCEED(); }
#endif
