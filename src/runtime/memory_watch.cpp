// The watches of tensors: tensors are moved and destroyed, programs take part and leave.
#include "src/runtime/memory_watch.hpp"

#include <mutex>

#include "src/runtime/forks.hpp"

namespace ricci::detail {

void follow_watch(memory_watch*& to, memory_watch* from) noexcept {
    if (from != nullptr) from->share();
    if (to != nullptr) {
        to->end(memory_fate::replaced);
        to->leave();
    }
    to = from;
}

void end_watch(memory_watch* watch, bool owner) noexcept {
    if (owner) watch->end(memory_fate::destroyed);
    watch->leave();
}

namespace {

// Two threads may prepare programs with the same tensor.
runtime::forked_mutex places;

}  // namespace

watched_memory::watched_memory(memory_watch** place) {
    if (place == nullptr) return;
    const std::lock_guard guard(places);
    memory_watch*& known = *place;
    // One that has ended is of memory that has come here from a tensor which has got other memory
    // since.
    if (known == nullptr || known->fate() != memory_fate::there) {
        auto* const made = new memory_watch;
        if (known != nullptr) known->leave();
        known = made;
    }
    watch_ = known;
    watch_->share();
}

}  // namespace ricci::detail
