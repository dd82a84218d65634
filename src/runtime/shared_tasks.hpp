// What every way to run tasks on threads is made of: worker slots, and tasks that threads share out
// among themselves. To be included by parallel.cpp and its twin alone.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>

#include "src/runtime/float_settings.hpp"
#include "src/runtime/interruption.hpp"
#include "src/runtime/parallel.hpp"

namespace ricci::runtime {

inline constexpr int slot_count = 256;

/// Holds a worker slot. A thread returns to the slot it had before, whose buffers are warm in its
/// caches, and only looks further when that one is taken.
class slot_lease {
public:
    slot_lease();
    ~slot_lease();
    slot_lease(const slot_lease&) = delete;
    slot_lease& operator=(const slot_lease&) = delete;
    int slot() const { return slot_; }

private:
    int slot_ = 0;
};

/// Whether loops that this thread begins stay on it.
bool stays_here();

/// All tasks on the calling thread, up to one that throws.
void run_here(std::int64_t count, const task_ref& body);

/// The tasks of one call: every thread that helps takes the next few from a counter until none are
/// left.
class shared_tasks {
public:
    shared_tasks(std::int64_t count, int workers, const task_ref& body)
        : count_(count),
          grain_(std::max<std::int64_t>(1, count / (static_cast<std::int64_t>(workers) * 32))),
          body_(body) {}

    /// Nothing leaves this by an exception: others may wait for a task that this thread has taken.
    void work() noexcept;

    /// Once all threads are through: says what the first task that failed has thrown.
    void finish() const {
        if (thrown_) std::rethrow_exception(thrown_);
    }

private:
    void run(std::int64_t task, int worker) noexcept;
    void share_out() noexcept;
    void ask_until_done() noexcept;
    void fail(std::exception_ptr thrown) noexcept;

    std::int64_t count_, grain_;
    const task_ref& body_;
    float_settings settings_ = float_settings::here();
    interruption* asked_ = interruption::current();
    std::atomic<std::int64_t> next_{0};
    std::atomic<std::int64_t> through_{0};  // counted where somebody is asked
    std::atomic<bool> failed_{false};
    std::exception_ptr thrown_;
};

}  // namespace ricci::runtime
