// What prepared programs know of the memory that tensors own: whether it is still theirs.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include <ricci/tensor.hpp>

namespace ricci::detail {

enum class memory_fate : std::uint8_t {
    there,
    replaced,   // the tensor has been given other memory
    destroyed,  // it is gone
};

/// Shared by a tensor, those that its memory has been moved to, and the programs that it is bound
/// to.
class memory_watch {
public:
    memory_fate fate() const { return fate_.load(std::memory_order_relaxed); }
    void end(memory_fate fate) { fate_.store(fate, std::memory_order_relaxed); }
    void share() { parts_.fetch_add(1, std::memory_order_relaxed); }
    void leave() {
        if (parts_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
    }

private:
    std::atomic<std::int32_t> parts_{1};
    std::atomic<memory_fate> fate_{memory_fate::there};
};

/// A program's part in the watch of a tensor, which is made where there is none.
class watched_memory {
public:
    watched_memory() = default;
    explicit watched_memory(memory_watch** place);
    watched_memory(const watched_memory& other) : watch_(other.watch_) {
        if (watch_ != nullptr) watch_->share();
    }
    watched_memory(watched_memory&& other) noexcept
        : watch_(std::exchange(other.watch_, nullptr)) {}
    watched_memory& operator=(watched_memory other) noexcept {
        std::swap(watch_, other.watch_);
        return *this;
    }
    ~watched_memory() {
        if (watch_ != nullptr) watch_->leave();
    }
    /// Gives the part to the caller.
    memory_watch* release() { return std::exchange(watch_, nullptr); }
    memory_fate fate() const { return watch_ == nullptr ? memory_fate::there : watch_->fate(); }

private:
    memory_watch* watch_ = nullptr;
};

}  // namespace ricci::detail
