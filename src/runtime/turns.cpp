// Tasks of one loop that wait for what tasks before them have done.
#include "src/runtime/turns.hpp"

#include <cassert>
#include <thread>

namespace ricci::runtime {

void turns::reserve(std::int64_t tasks) {
    done_ = std::make_unique<std::atomic<std::int64_t>[]>(static_cast<std::size_t>(tasks));
    tasks_ = tasks;
}

void turns::start([[maybe_unused]] std::int64_t tasks) {
    assert(tasks <= tasks_);
    // Nobody waits yet: the threads that will are given their tasks after this.
    for (std::int64_t k = 0; k < tasks; ++k) done(k).store(0, std::memory_order_relaxed);
    failed_.store(false, std::memory_order_relaxed);
}

turn::~turn() {
    if (!returned_) order_.failed_.store(true, std::memory_order_release);
    advance(all);
}

// Looks for a failure as well: a loop on one thread does not begin what comes after a task that
// throws.
bool turn::wait_long(const std::atomic<std::int64_t>& other, std::int64_t done) const {
    assert(&other < &order_.done(task_));
    do {
        if (order_.failed_.load(std::memory_order_acquire)) return false;
        std::this_thread::yield();
    } while (other.load(std::memory_order_acquire) < done);
    return !order_.failed_.load(std::memory_order_acquire);
}

}  // namespace ricci::runtime
