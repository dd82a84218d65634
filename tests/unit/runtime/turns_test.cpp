// Tasks that wait for tasks before them: the order holds, and nobody waits for one that has failed.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <vector>

#include "src/runtime/parallel.hpp"
#include "src/runtime/turns.hpp"
#include "tests/catch.hpp"
#include "tests/unit/runtime/time_limit.hpp"

namespace {

using namespace ricci::runtime;
using ricci::testing::time_limit;

struct worker_guard {
    ~worker_guard() { set_worker_count(0); }
};

struct task_failed : std::runtime_error {
    explicit task_failed(std::int64_t which) : std::runtime_error("failed"), task(which) {}
    std::int64_t task;
};

constexpr int worker_counts[] = {1, 2, 3, 8};

/// What tasks have added one after another: without a lock, which only the order makes right.
class shared_list {
public:
    void add(std::int64_t number) {
        if (inside_.exchange(true)) ++mistakes_;
        numbers_.push_back(number);
        inside_ = false;
    }
    const std::vector<std::int64_t>& numbers() const { return numbers_; }
    int mistakes() const { return mistakes_; }

private:
    std::vector<std::int64_t> numbers_;
    std::atomic<bool> inside_{false};
    std::atomic<int> mistakes_{0};
};

/// The first numbers 0, 1, 2 ..., however many.
bool counts_up(const std::vector<std::int64_t>& numbers) {
    for (std::size_t k = 0; k < numbers.size(); ++k)
        if (numbers[k] != static_cast<std::int64_t>(k)) return false;
    return true;
}

// Times of tasks differ, so that later ones are there first.
void work_for_a_while(std::int64_t task) {
    if (task % 3 == 0) std::this_thread::sleep_for(std::chrono::microseconds(50));
}

}  // namespace

TEST_CASE("tasks add one after another, in order", "[turns]") {
    const worker_guard guard;
    const time_limit limit(60);
    turns order;
    order.reserve(200);
    for (const int workers : worker_counts) {
        set_worker_count(workers);
        for (const std::int64_t tasks : {0, 1, 2, 37, 200}) {
            shared_list list;
            auto body = [&](turn& mine, std::int64_t task, int) {
                work_for_a_while(task);
                if (task > 0 && !mine.wait_for(1)) throw std::logic_error("nothing has failed");
                list.add(task);
            };
            parallel_for_in_turns(order, tasks, body);
            CHECK(static_cast<std::int64_t>(list.numbers().size()) == tasks);
            CHECK(counts_up(list.numbers()));
            CHECK(list.mistakes() == 0);
        }
    }
}

TEST_CASE("tasks follow one another from step to step", "[turns]") {
    const worker_guard guard;
    const time_limit limit(60);
    constexpr std::int64_t tasks = 20, steps = 30;
    turns order;
    order.reserve(tasks);
    for (const int workers : worker_counts) {
        set_worker_count(workers);
        std::vector<shared_list> places(steps);
        auto body = [&](turn& mine, std::int64_t task, int) {
            for (std::int64_t step = 0; step < steps; ++step) {
                work_for_a_while(task + step);
                if (task > 0 && !mine.wait_for(1, step + 1))
                    throw std::logic_error("nothing has failed");
                places[static_cast<std::size_t>(step)].add(task);
                mine.advance(step + 1);
            }
        };
        parallel_for_in_turns(order, tasks, body);
        for (const shared_list& place : places) {
            CHECK(place.numbers().size() == tasks);
            CHECK(counts_up(place.numbers()));
            CHECK(place.mistakes() == 0);
        }
    }
}

TEST_CASE("nobody waits for a task that fails, wherever it is", "[turns]") {
    const worker_guard guard;
    const time_limit limit(120);
    constexpr std::int64_t tasks = 100, steps = 6;
    turns order;
    order.reserve(tasks);
    for (const int workers : worker_counts) {
        set_worker_count(workers);
        for (const std::int64_t bad : {0, 1, 7, 50, 99}) {
            for (std::int64_t bad_step = -1; bad_step <= steps; ++bad_step) {
                std::vector<shared_list> places(steps);
                auto body = [&](turn& mine, std::int64_t task, int) {
                    if (task == bad && bad_step < 0) throw task_failed(task);
                    for (std::int64_t step = 0; step < steps; ++step) {
                        if (task > 0 && !mine.wait_for(1, step + 1)) return;
                        if (task == bad && step == bad_step) throw task_failed(task);
                        places[static_cast<std::size_t>(step)].add(task);
                        mine.advance(step + 1);
                    }
                    if (task == bad) throw task_failed(task);
                };
                std::int64_t failed = -1;
                try {
                    parallel_for_in_turns(order, tasks, body);
                } catch (const task_failed& e) {
                    failed = e.task;
                }
                CHECK(failed == bad);
                // What was added is in order, and later tasks do not go on without the one that
                // failed.
                for (std::int64_t step = 0; step < steps; ++step) {
                    const shared_list& place = places[static_cast<std::size_t>(step)];
                    CHECK(counts_up(place.numbers()));
                    CHECK(place.mistakes() == 0);
                    if (step >= bad_step)
                        CHECK(static_cast<std::int64_t>(place.numbers().size()) <= bad);
                }
            }
        }
        // The same order serves the next loop.
        shared_list list;
        auto body = [&](turn& mine, std::int64_t task, int) {
            if (task == 0 || mine.wait_for(1)) list.add(task);
        };
        parallel_for_in_turns(order, tasks, body);
        CHECK(list.numbers().size() == tasks);
        CHECK(counts_up(list.numbers()));
    }
}

TEST_CASE("a failure ends the waiting for tasks that are at work or never begin", "[turns]") {
    const worker_guard guard;
    const time_limit limit(60);
    turns order;
    order.reserve(3);
    set_worker_count(3);
    // The first task fails while the second is at work, and the third waits for that one. Whether
    // there are three threads at that moment is the machine's to say: then the second task goes on
    // alone.
    std::atomic<bool> waiting{false}, back{false}, in_vain{false};
    const auto within = [](int seconds, const std::atomic<bool>& flag) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
        while (!flag && std::chrono::steady_clock::now() < end) std::this_thread::yield();
        return flag.load();
    };
    auto body = [&](turn& mine, std::int64_t task, int) {
        if (task == 0) {
            within(2, waiting);
            throw task_failed(0);
        }
        if (task == 1) {
            if (within(2, waiting) && !within(30, back)) in_vain = true;
            return;
        }
        waiting = true;
        const bool there = mine.wait_for(1);
        back = true;
        if (there) in_vain = true;
    };
    CHECK_THROWS_AS(parallel_for_in_turns(order, 3, body), task_failed);
    CHECK_FALSE(in_vain);
}
