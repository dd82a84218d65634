#include "module/one_run.hpp"

#include <pthread.h>

#include <ricci/error.hpp>

namespace ricci::python {
namespace {

std::atomic<unsigned> process{1};  // of a child it is another number than of its parent

[[maybe_unused]] const int counted = pthread_atfork(nullptr, nullptr, [] { ++process; });

}  // namespace

void one_run::lock() {
    const unsigned mine = process.load(std::memory_order_relaxed);
    for (unsigned held = 0; !holder_.compare_exchange_strong(held, mine); held = 0) {
        if (held != mine)
            throw error(
                "ricci: another thread was running this when os.fork copied the process, and its "
                "run "
                "has no end here: prepare it anew in the child, or fork while nothing runs.");
        holder_.wait(held);
    }
}

void one_run::unlock() {
    holder_.store(0);
    holder_.notify_one();
}

}  // namespace ricci::python
