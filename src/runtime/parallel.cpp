// Running independent tasks on several threads with oneTBB; the only file that knows of it. Its
// twin on the standard library's threads is parallel_std.cpp.
#include "src/runtime/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include "src/runtime/forks.hpp"
#include "src/runtime/shared_tasks.hpp"

namespace ricci::runtime {
namespace {

// An arena of a chosen size. It is set up here, where one that could not be is given up: task_arena
// would do so when it is first used, and where memory fails it then, every later use waits for that
// one for ever.
struct limited_arena {
    explicit limited_arena(int count) : size(count), arena(count) { arena.initialize(); }
    int size;
    tbb::task_arena arena;
};

// The arena in force, none when the count was left to the machine. Arenas made earlier are kept,
// because another thread may still be running in one.
std::atomic<limited_arena*> limit{nullptr};
forked_mutex arenas_mutex;

std::vector<std::unique_ptr<limited_arena>>& arenas() {
    static auto* made = new std::vector<std::unique_ptr<limited_arena>>;
    return *made;
}

// Allows more threads than the machine has processors, when so many are asked for. Of several such
// controls the smallest counts, hence only one of ours at a time. The caller holds arenas_mutex.
void permit(int count) {
    constexpr auto parallelism = tbb::global_control::max_allowed_parallelism;
    static auto* permission = new std::unique_ptr<tbb::global_control>;
    const auto wanted = static_cast<std::size_t>(count);
    if (wanted <= tbb::global_control::active_value(parallelism)) return;
    permission->reset();
    *permission = std::make_unique<tbb::global_control>(parallelism, wanted);
}

// oneTBB has failed in the middle of a loop. Where it could not start a thread, the arena has a
// request for workers that nobody ends, and whoever makes the next one waits for that for ever.
std::atomic<bool> failed{false};

// Whether oneTBB is to be asked: it has found out what the machine has, and has not failed since.
// Where memory fails it meanwhile, it would wait for itself for ever when it is asked again: then
// it never is, and everything runs on the caller's thread.
bool has_threads() {
    if (failed.load(std::memory_order_relaxed)) return false;
    static const bool found = [] {
        try {
            return tbb::info::default_concurrency() > 0;
        } catch (...) {
            return false;
        }
    }();
    return found;
}

// Isolation keeps a thread that waits here from starting unrelated work of an enclosing loop.
void run_in_arena(std::int64_t count, int workers, shared_tasks& tasks) {
    const int callers = static_cast<int>(std::min<std::int64_t>(count, workers));
    tbb::this_task_arena::isolate([&] {
        tbb::parallel_for(
            0, callers, [&](int) { tasks.work(); }, tbb::simple_partitioner{});
    });
}

}  // namespace

int worker_count() {
    if (stays_here() || !has_threads()) return 1;
    if (const limited_arena* chosen = limit.load(std::memory_order_acquire)) return chosen->size;
    return std::max(1, tbb::this_task_arena::max_concurrency());
}

void set_worker_count(int count) {
    if (count <= 0) {
        limit.store(nullptr, std::memory_order_release);
        return;
    }
    if (threads_lost() || !has_threads()) return;
    const int wanted = std::min(count, slot_count / 2);
    const std::lock_guard guard(arenas_mutex);
    for (const auto& made : arenas()) {
        if (made->size == wanted) {
            limit.store(made.get(), std::memory_order_release);
            return;
        }
    }
    permit(wanted);
    arenas().push_back(std::make_unique<limited_arena>(wanted));
    limit.store(arenas().back().get(), std::memory_order_release);
}

void parallel_for(std::int64_t count, task_ref body) {
    if (count <= 0) return;
    if (count == 1 || stays_here() || !has_threads()) return run_here(count, body);
    limited_arena* const chosen = limit.load(std::memory_order_acquire);
    const int workers =
        chosen ? chosen->size : std::max(1, tbb::this_task_arena::max_concurrency());
    if (workers == 1) return run_here(count, body);
    note_threads();
    shared_tasks tasks(count, workers, body);
    try {
        if (chosen) chosen->arena.execute([&] { run_in_arena(count, workers, tasks); });
        else run_in_arena(count, workers, tasks);
    } catch (...) {
        // No task lets anything out: there was no memory, or no thread, for another worker. Those
        // that had begun are through; what is left is for this thread.
        failed.store(true, std::memory_order_relaxed);
        tasks.work();
    }
    tasks.finish();
}

}  // namespace ricci::runtime
