// What is done before and after fork(): locks are taken and given back, and children are told of
// threads that they have not.
#include "src/runtime/forks.hpp"

#include <atomic>

#include <pthread.h>

namespace ricci::runtime {
namespace {

std::atomic<bool> started{false};
std::atomic<bool> lost{false};

}  // namespace

// All there are, the newest first. The list only grows.
struct forked_mutexes {
    static constinit std::atomic<forked_mutex*> newest;
    static forked_mutex* locked;  // the list as it was when a fork began

    static void add(forked_mutex* m) {
        m->next_ = newest.load();
        while (!newest.compare_exchange_weak(m->next_, m)) {
        }
    }
    static void lock_all() {
        locked = newest.load();
        for (forked_mutex* m = locked; m != nullptr; m = m->next_) m->lock();
    }
    static void unlock_all() {
        for (forked_mutex* m = locked; m != nullptr; m = m->next_) m->unlock();
    }
    static void in_child() {
        unlock_all();
        if (started.load(std::memory_order_relaxed)) lost.store(true, std::memory_order_relaxed);
    }
};
constinit std::atomic<forked_mutex*> forked_mutexes::newest{nullptr};
forked_mutex* forked_mutexes::locked = nullptr;

namespace {

void watch_forks() {
    // Without memory for a note of it nothing is called, as in a program that never forks.
    [[maybe_unused]] static const int noted = pthread_atfork(
        &forked_mutexes::lock_all, &forked_mutexes::unlock_all, &forked_mutexes::in_child);
}

}  // namespace

void note_threads() {
    if (started.load(std::memory_order_relaxed)) return;
    watch_forks();
    started.store(true, std::memory_order_relaxed);
}

bool threads_lost() { return lost.load(std::memory_order_relaxed); }

forked_mutex::forked_mutex() {
    watch_forks();
    forked_mutexes::add(this);
}

}  // namespace ricci::runtime
