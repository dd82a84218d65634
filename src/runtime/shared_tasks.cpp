// Worker slots, and tasks that threads share out among themselves.
#include "src/runtime/shared_tasks.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <thread>
#include <utility>

#include <pthread.h>

#include "src/runtime/forks.hpp"
#include "src/runtime/interruption.hpp"

namespace ricci::runtime {
namespace {

// One flag a cache line, so that threads which keep to their own slot never share a line.
struct alignas(64) slot_flag {
    std::atomic<bool> taken{false};
};

std::array<slot_flag, slot_count> slots;

// Slots that are some thread's home. A thread that ends leaves its own to the next one, with the
// memory of that worker.
std::array<std::atomic<bool>, slot_count> homes;

thread_local int home = -1;

// How many scopes keep loops on this thread.
thread_local int staying = 0;

// Gives a home back when its thread ends: `number` is one more than that of the slot.
void leave_home(void* number) {
    const auto slot = reinterpret_cast<std::uintptr_t>(number) - 1;
    homes[slot].store(false, std::memory_order_relaxed);
    home = -1;
}

// What calls leave_home. Not the destructor of a thread_local: where there is no memory to note one
// down, glibc ends the process. Once the library is unloaded nothing is called any more.
struct home_key {
    pthread_key_t key{};
    bool made = pthread_key_create(&key, &leave_home) == 0;
    ~home_key() {
        if (made) pthread_key_delete(key);
    }
    bool note(int slot) const {
        const auto number = static_cast<std::uintptr_t>(slot) + 1;
        return made && pthread_setspecific(key, reinterpret_cast<void*>(number)) == 0;
    }
};

// With more threads than slots, or without memory for a note, some share one.
void find_home() {
    static const home_key at_end;
    for (home = 0; home < slot_count; ++home) {
        std::atomic<bool>& mine = homes[static_cast<std::size_t>(home)];
        if (mine.exchange(true, std::memory_order_relaxed)) continue;
        if (at_end.note(home)) return;
        mine.store(false, std::memory_order_relaxed);
        return;
    }
    static std::atomic<unsigned> shared{0};
    home = static_cast<int>(shared.fetch_add(1, std::memory_order_relaxed) % slot_count);
}

}  // namespace

on_this_thread::on_this_thread() { ++staying; }
on_this_thread::~on_this_thread() { --staying; }

bool stays_here() { return staying > 0 || threads_lost(); }

int worker_slots() { return slot_count; }

slot_lease::slot_lease() {
    if (home < 0) find_home();
    for (int tries = 0;; ++tries) {
        slot_ = (home + tries) % slot_count;
        std::atomic<bool>& taken = slots[static_cast<std::size_t>(slot_)].taken;
        if (!taken.load(std::memory_order_relaxed) &&
            !taken.exchange(true, std::memory_order_acquire)) {
            return;
        }
        if (tries % slot_count == slot_count - 1) std::this_thread::yield();
    }
}

slot_lease::~slot_lease() {
    slots[static_cast<std::size_t>(slot_)].taken.store(false, std::memory_order_release);
}

void run_here(std::int64_t count, const task_ref& body) {
    const slot_lease lease;
    for (std::int64_t task = 0; task < count; ++task) {
        interruption::poll();
        body(task, lease.slot());
    }
}

void shared_tasks::work() noexcept {
    if (next_.load(std::memory_order_relaxed) < count_) share_out();
    if (asked_ != nullptr && asked_->asks_here()) ask_until_done();
}

void shared_tasks::share_out() noexcept {
    const slot_lease lease;
    const with_float_settings as_caller(settings_);
    const interruption::on_thread asked_by_caller(asked_);
    for (;;) {
        const std::int64_t first = next_.fetch_add(grain_, std::memory_order_relaxed);
        if (first >= count_) return;
        const std::int64_t last = std::min(count_, first + grain_);
        for (std::int64_t task = first; task < last; ++task) run(task, lease.slot());
        if (asked_ != nullptr) through_.fetch_add(last - first, std::memory_order_release);
    }
}

void shared_tasks::run(std::int64_t task, int worker) noexcept {
    // an exception for each task that is left out would take longer than most tasks
    if (asked_ != nullptr && asked_->is_stopped() && failed_.load(std::memory_order_relaxed))
        return;
    try {
        if (asked_ != nullptr) asked_->check();
        body_(task, worker);
    } catch (...) {
        fail(std::current_exception());
    }
}

// Tasks of other threads may be long, and only this thread hears that they are to end. Most are
// over at once: for these it does not go to sleep.
void shared_tasks::ask_until_done() noexcept {
    constexpr int awake = 200;
    for (int turn = 0; through_.load(std::memory_order_acquire) < count_; ++turn) {
        if (turn < awake) std::this_thread::yield();
        else std::this_thread::sleep_for(std::chrono::microseconds(100));
        if (asked_->is_stopped()) continue;
        try {
            asked_->check();
        } catch (...) {
            fail(std::current_exception());
        }
    }
}

void shared_tasks::fail(std::exception_ptr thrown) noexcept {
    if (!failed_.exchange(true)) thrown_ = std::move(thrown);
}

}  // namespace ricci::runtime
