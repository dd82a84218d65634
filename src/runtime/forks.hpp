// What threads and locks become where a process is copied by fork(): the child has the thread alone
// that called it.
#pragma once

#include <mutex>

namespace ricci::runtime {

/// Threads begin to compute for others: a child that is made after this has lost them.
void note_threads();

/// Whether this process is such a child. Everything runs on the caller's thread then: who would ask
/// for the others might wait for ever.
bool threads_lost();

/// A mutex that no child finds locked by a thread that it has not: fork() waits until it is free.
/// For the life of the program; nobody who holds it may lock another one.
class forked_mutex {
public:
    forked_mutex();
    forked_mutex(const forked_mutex&) = delete;
    forked_mutex& operator=(const forked_mutex&) = delete;

    void lock() { mutex_.lock(); }
    void unlock() { mutex_.unlock(); }

private:
    friend struct forked_mutexes;
    std::mutex mutex_;
    forked_mutex* next_ = nullptr;
};

}  // namespace ricci::runtime
