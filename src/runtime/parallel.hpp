// Running independent tasks on several threads. The only interface to the threading library.
#pragma once

#include <cstdint>

namespace ricci::runtime {

/// A reference to a callable `void(std::int64_t task, int worker)`; does not own it, never
/// allocates.
class task_ref {
public:
    template <class F>
    task_ref(F& body)
        : object_(&body), call_([](void* object, std::int64_t task, int worker) {
              (*static_cast<F*>(object))(task, worker);
          }) {}
    void operator()(std::int64_t task, int worker) const { call_(object_, task, worker); }

private:
    void* object_;
    void (*call_)(void*, std::int64_t, int);
};

/// How many workers `parallel_for` may use at once: what `threads(n)` set, otherwise what the
/// enclosing oneTBB arena or the machine has.
int worker_count();

/// An upper bound for the `worker` passed to tasks plus one, for sizing one buffer a worker.
int worker_slots();

/// Sets the number of threads; 0 means as many as the machine (or the enclosing arena) has.
void set_worker_count(int count);

/// Runs tasks 0 .. count-1, each once. They begin in this order, so that one may wait for those
/// before it (by turns.hpp), and end in any. `worker` < worker_slots() is unique among the tasks
/// running at the same moment. Stays on the caller's thread when count is 1, one worker is allowed,
/// or no other can be had. How the work is cut into tasks must not depend on the number of workers.
/// All threads round, and take tiny numbers for zeros, as the caller's does. What a task throws
/// reaches the caller when every task has ended; with one worker those after it are not begun.
void parallel_for(std::int64_t count, task_ref body);

/// While one lives, loops that its thread begins stay on it, and worker_count() is 1 there: for
/// tasks that are large enough to keep a thread busy by themselves.
class on_this_thread {
public:
    on_this_thread();
    ~on_this_thread();
    on_this_thread(const on_this_thread&) = delete;
    on_this_thread& operator=(const on_this_thread&) = delete;
};

}  // namespace ricci::runtime
