// Running independent tasks on several threads of the standard library: the twin of parallel.cpp,
// chosen by
// -Dthreads=std, for builds in which a tool watches every thread.
//
// What differs: there is no arena around a call, so that threads(0) means what the machine has; and
// what is asked for is a limit of one call, so that calls at the same moment share the threads of
// the one that asked for most, and each runs at least on the thread that made it.
#include "src/runtime/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "src/runtime/forks.hpp"
#include "src/runtime/shared_tasks.hpp"

namespace ricci::runtime {
namespace {

// A call that other threads may help with. It lies on its caller's stack.
struct open_call {
    shared_tasks& tasks;
    int places;                  // for so many more threads
    int helping = 0;             // at this moment
    open_call* outer = nullptr;  // the next one in the list of open calls
};

class thread_pool {
public:
    // Runs the tasks on this thread, and on so many others as come in time.
    void run(shared_tasks& tasks, int helpers) {
        open_call call{tasks, helpers};
        {
            const std::lock_guard guard(mutex_);
            start_threads(helpers);
            call.outer = calls_;
            calls_ = &call;
        }
        opened_.notify_all();
        tasks.work();
        // Nobody begins to help any more; those who do have tasks that they will finish, since a
        // task waits for none but those before it.
        std::unique_lock lock(mutex_);
        close(call);
        left_.wait(lock, [&] { return call.helping == 0; });
    }

private:
    // Threads stay until the program ends. Where the system gives none, there is less help.
    void start_threads(int wanted) {
        try {
            for (; threads_ < wanted; ++threads_) std::thread([this] { help(); }).detach();
        } catch (...) {
        }
    }

    void help() {
        std::unique_lock lock(mutex_);
        for (;;) {
            open_call* call = nullptr;
            opened_.wait(lock, [&] { return (call = newest_with_place()) != nullptr; });
            --call->places;
            ++call->helping;
            lock.unlock();
            call->tasks.work();
            lock.lock();
            if (--call->helping == 0) left_.notify_all();
        }
    }

    // The newest: loops within tasks come before those around them.
    open_call* newest_with_place() const {
        open_call* call = calls_;
        while (call != nullptr && call->places == 0) call = call->outer;
        return call;
    }

    void close(const open_call& call) {
        open_call** at = &calls_;
        while (*at != &call) at = &(*at)->outer;
        *at = call.outer;
    }

    std::mutex mutex_;
    std::condition_variable opened_, left_;
    open_call* calls_ = nullptr;
    int threads_ = 0;
};

// Never destroyed: its threads wait for calls while the program ends.
thread_pool& pool() {
    static auto& instance = *new thread_pool;
    return instance;
}

std::atomic<int> limit{0};

}  // namespace

int worker_count() {
    if (stays_here()) return 1;
    const int chosen = limit.load(std::memory_order_acquire);
    if (chosen > 0) return chosen;
    return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, slot_count / 2);
}

void set_worker_count(int count) {
    limit.store(std::clamp(count, 0, slot_count / 2), std::memory_order_release);
}

void parallel_for(std::int64_t count, task_ref body) {
    if (count <= 0) return;
    const int workers = count == 1 ? 1 : worker_count();
    if (workers == 1) return run_here(count, body);
    note_threads();
    shared_tasks tasks(count, workers, body);
    pool().run(tasks, static_cast<int>(std::min<std::int64_t>(count, workers)) - 1);
    tasks.finish();
}

}  // namespace ricci::runtime
