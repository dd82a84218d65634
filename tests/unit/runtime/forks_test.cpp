// Children of fork() compute, though their parent's threads are gone; long loops can be ended.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

#include "src/kernels/gemm/gemm_narrow.hpp"
#include "src/runtime/forks.hpp"
#include "src/runtime/interruption.hpp"
#include "src/runtime/parallel.hpp"
#include "src/runtime/turns.hpp"
#include "tests/catch.hpp"

namespace {

using namespace ricci::runtime;

std::int64_t count_tasks(std::int64_t tasks) {
    std::atomic<std::int64_t> ran{0};
    auto body = [&](std::int64_t, int) { ++ran; };
    parallel_for(tasks, body);
    return ran;
}

// Whether what a child does is true, in time.
template <class Work>
bool in_child(const Work& work) {
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);
        _exit(work() ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

struct worker_guard {
    explicit worker_guard(int count) { set_worker_count(count); }
    ~worker_guard() { set_worker_count(0); }
};

}  // namespace

TEST_CASE("a child of fork() runs all tasks on its only thread", "[forks]") {
    const worker_guard guard(3);
    REQUIRE(count_tasks(1000) == 1000);
    CHECK_FALSE(threads_lost());
    CHECK(in_child([] {
        set_worker_count(2);
        return threads_lost() && worker_count() == 1 && count_tasks(1000) == 1000;
    }));
    CHECK(count_tasks(1000) == 1000);
}

TEST_CASE("no child finds a mutex locked by a thread that it has not", "[forks]") {
    static forked_mutex mutex;
    std::atomic<bool> ends{false};
    std::thread other([&] {
        while (!ends) {
            const std::lock_guard guard(mutex);
            std::this_thread::sleep_for(std::chrono::microseconds(100));
        }
    });
    for (int k = 0; k < 20; ++k)
        CHECK(in_child([] {
            const std::lock_guard guard(mutex);
            return true;
        }));
    ends = true;
    other.join();
}

TEST_CASE("a child of fork() finds the kernels of bf16 while others look for them", "[forks]") {
    using ricci::kernels::narrow_gemm_kernels;
    const auto* const wanted = &narrow_gemm_kernels<ricci::bf16>();
    std::atomic<bool> ends{false};
    std::thread other([&] {
        while (!ends && &narrow_gemm_kernels<ricci::bf16>() == wanted) {
        }
    });
    for (int k = 0; k < 50; ++k)
        CHECK(in_child([&] { return &narrow_gemm_kernels<ricci::bf16>() == wanted; }));
    ends = true;
    other.join();
}

TEST_CASE("a loop is ended between tasks, and what follows is not", "[interruption]") {
    for (const int workers : {1, 4}) {
        const worker_guard guard(workers);
        std::atomic<std::int64_t> ran{0};
        auto body = [&](std::int64_t, int) {
            ++ran;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        };
        int asked = 0;
        {
            const interruption stop([](void* n) { return ++*static_cast<int*>(n) < 3; }, &asked);
            CHECK_THROWS_AS(parallel_for(100000, body), interrupted);
            CHECK_THROWS_AS(parallel_for(100000, body), interrupted);
        }
        CHECK(asked == 3);
        CHECK(ran < 50000);
        CHECK(count_tasks(100) == 100);
    }
}

TEST_CASE("loops within tasks are ended on every thread", "[interruption]") {
    const worker_guard guard(4);
    auto inner = [](std::int64_t, int) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    };
    auto outer = [&](std::int64_t, int) {
        const on_this_thread alone;
        parallel_for(100000, inner);
    };
    const interruption stop([](void*) { return false; }, nullptr);
    CHECK_THROWS_AS(parallel_for(4, outer), interrupted);
}

TEST_CASE("a loop is ended while its thread waits for the task of another", "[interruption]") {
    const worker_guard guard(2);
    // a loop on whichever thread does not ask, which does not come to its end
    constexpr int many = 100000;
    std::atomic<int> looked{0};
    const auto asking = std::this_thread::get_id();
    std::atomic<bool> other_began{false};
    auto body = [&](std::int64_t, int) {
        if (std::this_thread::get_id() == asking) {
            while (!other_began) std::this_thread::yield();
            return;
        }
        other_began = true;
        for (; looked < many; ++looked) {
            interruption::poll();
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    };
    const interruption stop([](void*) { return false; }, nullptr);
    CHECK_THROWS_AS(parallel_for(2, body), interrupted);
    CHECK(looked < many);
}

TEST_CASE("what the question throws ends the tasks of all threads", "[interruption]") {
    const worker_guard guard(4);
    std::atomic<std::int64_t> ran{0};
    auto body = [&](std::int64_t, int) {
        ++ran;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    };
    const interruption stop([](void*) -> bool { throw 7; }, nullptr);
    CHECK_THROWS_AS(parallel_for(1000000, body), int);
    CHECK(ran < 1000000);
}

TEST_CASE("loops whose tasks take turns run to their end", "[interruption]") {
    const worker_guard guard(2);
    turns order;
    order.reserve(50);
    std::atomic<int> ran{0};
    auto body = [&](turn& mine, std::int64_t task, int) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        if (task > 0 && !mine.wait_for(1)) return;
        ++ran;
    };
    const interruption stop([](void*) { return false; }, nullptr);
    parallel_for_in_turns(order, 50, body);
    CHECK(ran == 50);
}
