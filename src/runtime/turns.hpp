// Tasks of one loop that wait for what tasks before them have done: the one way to wait for a task.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>

#include "src/runtime/interruption.hpp"
#include "src/runtime/parallel.hpp"

namespace ricci::runtime {

/// How far each task of a loop is. One loop at a time uses it.
class turns {
public:
    /// Makes room for loops of so many tasks. Not while one is at work.
    void reserve(std::int64_t tasks);

private:
    friend class turn;
    template <class Body>
    friend void parallel_for_in_turns(turns& order, std::int64_t count, Body& body);

    void start(std::int64_t tasks);
    std::atomic<std::int64_t>& done(std::int64_t task) const {
        return done_[static_cast<std::size_t>(task)];
    }

    std::unique_ptr<std::atomic<std::int64_t>[]> done_;
    std::int64_t tasks_ = 0;
    std::atomic<bool> failed_{false};
};

/// A task's part in the order. However the task ends, nobody waits for it any longer: its
/// destructor says that everything is done, and where the task has thrown, that the loop has
/// failed.
class turn {
public:
    turn(turns& order, std::int64_t task) : order_(order), task_(task) {}
    turn(const turn&) = delete;
    turn& operator=(const turn&) = delete;
    ~turn();

    /// Says that so much is done; what the task has written until then is seen by those who waited
    /// for it. May not shrink.
    void advance(std::int64_t done) { order_.done(task_).store(done, std::memory_order_release); }

    /// Waits until the task that is so many before this one has done so much, or has ended. False
    /// where a task of the loop has failed: what this one waits for may never be there. The task
    /// then returns without touching what it wanted to add to.
    [[nodiscard]] bool wait_for(std::int64_t before, std::int64_t done = all) const {
        const auto& other = order_.done(task_ - before);
        if (other.load(std::memory_order_acquire) < done) return wait_long(other, done);
        return !order_.failed_.load(std::memory_order_acquire);
    }

    static constexpr std::int64_t all = std::numeric_limits<std::int64_t>::max();

private:
    template <class Body>
    friend void parallel_for_in_turns(turns& order, std::int64_t count, Body& body);

    bool wait_long(const std::atomic<std::int64_t>& other, std::int64_t done) const;

    turns& order_;
    std::int64_t task_;
    bool returned_ = false;
};

/// parallel_for for a callable `void(turn& mine, std::int64_t task, int worker)`. `order` has room
/// for `count` tasks or more.
template <class Body>
void parallel_for_in_turns(turns& order, std::int64_t count, Body& body) {
    order.start(count);
    auto task = [&](std::int64_t number, int worker) {
        turn mine(order, number);
        body(mine, number, worker);
        mine.returned_ = true;
    };
    // a task that were left out would be waited for
    const interruption::on_thread unasked(nullptr);
    parallel_for(count, task);
}

}  // namespace ricci::runtime
