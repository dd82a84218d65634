// Tasks on several threads: each runs once, and no two at a time share a worker.
#include <algorithm>
#include <atomic>
#include <cfenv>
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "src/runtime/float_settings.hpp"
#include "src/runtime/parallel.hpp"
#include "tests/catch.hpp"

namespace {

using namespace ricci::runtime;

// Notices when two tasks that run at the same moment have the same worker.
class worker_check {
public:
    worker_check() : busy_(static_cast<std::size_t>(worker_slots())) {}
    void enter(int worker) {
        if (worker < 0 || worker >= worker_slots()) ++mistakes_;
        else if (busy_[static_cast<std::size_t>(worker)].exchange(true)) ++mistakes_;
    }
    void leave(int worker) { busy_[static_cast<std::size_t>(worker)] = false; }
    int mistakes() const { return mistakes_; }

private:
    std::vector<std::atomic<bool>> busy_;
    std::atomic<int> mistakes_{0};
};

struct worker_guard {
    ~worker_guard() { set_worker_count(0); }
};

void count_once(std::int64_t tasks, worker_check& workers) {
    std::vector<std::atomic<int>> ran(static_cast<std::size_t>(tasks));
    auto body = [&](std::int64_t task, int worker) {
        workers.enter(worker);
        ++ran[static_cast<std::size_t>(task)];
        std::this_thread::yield();
        workers.leave(worker);
    };
    parallel_for(tasks, body);
    int wrong = 0;
    for (const auto& times : ran) wrong += times != 1;
    CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("every task runs once, for any number of workers", "[parallel]") {
    const worker_guard guard;
    worker_check workers;
    for (const int count : {0, 1, 2, 3, 8}) {
        set_worker_count(count);
        CHECK(worker_count() >= 1);
        if (count > 0) CHECK(worker_count() == count);
        CHECK(worker_count() <= worker_slots());
        for (const std::int64_t tasks : {0, 1, 2, 7, 1000}) count_once(tasks, workers);
    }
    CHECK(workers.mistakes() == 0);
}

TEST_CASE("one worker stays on the calling thread", "[parallel]") {
    const worker_guard guard;
    set_worker_count(1);
    const auto caller = std::this_thread::get_id();
    int elsewhere = 0;
    std::int64_t next = 0;
    auto body = [&](std::int64_t task, int) {
        elsewhere += std::this_thread::get_id() != caller;
        elsewhere += task != next++;
    };
    parallel_for(100, body);
    CHECK(elsewhere == 0);
    CHECK(next == 100);
    set_worker_count(0);
    parallel_for(1, body);  // a single task is not worth another thread either
}

TEST_CASE("calls may be nested", "[parallel]") {
    const worker_guard guard;
    for (const int count : {0, 1, 3}) {
        set_worker_count(count);
        worker_check workers;
        std::atomic<int> ran{0};
        auto outer = [&](std::int64_t, int outer_worker) {
            workers.enter(outer_worker);
            auto inner = [&](std::int64_t, int worker) {
                workers.enter(worker);
                ++ran;
                workers.leave(worker);
            };
            parallel_for(20, inner);
            workers.leave(outer_worker);
        };
        parallel_for(10, outer);
        CHECK(ran == 200);
        CHECK(workers.mistakes() == 0);
    }
}

TEST_CASE("several threads may call at once", "[parallel]") {
    const worker_guard guard;
    for (const int count : {0, 1, 4}) {
        set_worker_count(count);
        worker_check workers;
        std::atomic<int> ran{0};
        std::vector<std::thread> callers;
        for (int caller = 0; caller < 4; ++caller) {
            callers.emplace_back([&] {
                auto body = [&](std::int64_t, int worker) {
                    workers.enter(worker);
                    ++ran;
                    std::this_thread::yield();
                    workers.leave(worker);
                };
                for (int i = 0; i < 20; ++i) parallel_for(13, body);
            });
        }
        for (std::thread& caller : callers) caller.join();
        CHECK(ran == 4 * 20 * 13);
        CHECK(workers.mistakes() == 0);
    }
}

TEST_CASE("what a task throws reaches the caller", "[parallel]") {
    const worker_guard guard;
    for (const int count : {1, 3}) {
        set_worker_count(count);
        auto body = [](std::int64_t task, int) {
            if (task == 5) throw std::runtime_error("five");
        };
        CHECK_THROWS_AS(parallel_for(50, body), std::runtime_error);
        worker_check workers;
        count_once(50, workers);
        CHECK(workers.mistakes() == 0);
    }
}

TEST_CASE("all threads round, and take tiny numbers for zeros, as the caller's does",
          "[parallel]") {
    const worker_guard guard;
    const auto rounded = [](int) {
        // Not at compile time, and not moved out of the task.
        volatile float one = 1, three = 3, tiny = 1e-38F, small = 0.01F;
        volatile float third = one / three, product = tiny * small;
        return std::pair(static_cast<float>(third), static_cast<float>(product));
    };
    using ricci::runtime::float_settings;
    using ricci::runtime::with_float_settings;
    for (const int count : {1, 2, 4}) {
        set_worker_count(count);
        for (const int direction : {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
            const with_float_settings before(float_settings::here());
            std::fesetround(direction);
#ifdef __SSE2__
            if (direction != FE_UPWARD) _mm_setcsr(_mm_getcsr() | 0x8040);  // tiny numbers are 0
#endif
            const auto here = rounded(0);
            std::atomic<int> different{0};
            auto body = [&](std::int64_t, int) {
                if (rounded(0) != here) ++different;
                std::this_thread::sleep_for(std::chrono::microseconds(20));
            };
            parallel_for(200, body);
            CHECK(std::fegetround() == direction);
            std::fesetround(FE_TONEAREST);
            CHECK(different == 0);
        }
    }
}

TEST_CASE("a thread that ends leaves its worker's memory to the next one", "[parallel]") {
    const worker_guard guard;
    set_worker_count(1);
    std::vector<std::atomic<bool>> used(static_cast<std::size_t>(worker_slots()));
    auto body = [&](std::int64_t, int worker) { used[static_cast<std::size_t>(worker)] = true; };
    for (int k = 0; k < 300; ++k) std::thread([&] { parallel_for(4, body); }).join();
    const auto count = std::count(used.begin(), used.end(), true);
    CHECK(count <= 2);
}

TEST_CASE("loops stay on a thread while it asks for that", "[parallel]") {
    const worker_guard guard;
    set_worker_count(4);
    {
        const on_this_thread outer;
        {
            const on_this_thread inner;
            CHECK(worker_count() == 1);
        }
        CHECK(worker_count() == 1);
        std::int64_t last = -1;
        bool in_order = true;
        auto body = [&](std::int64_t task, int) {
            in_order = in_order && task == last + 1;
            last = task;
        };
        parallel_for(1000, body);
        CHECK(in_order);
        CHECK(last == 999);
        // Other threads are not kept.
        int others = 0;
        std::thread([&] { others = worker_count(); }).join();
        CHECK(others == 4);
    }
    CHECK(worker_count() == 4);
}
