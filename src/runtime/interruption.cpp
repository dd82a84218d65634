#include "src/runtime/interruption.hpp"

namespace ricci::runtime {
namespace {

constexpr std::chrono::milliseconds between_questions{20};

thread_local char thread_mark = 0;  // whose address says which thread this is

}  // namespace

thread_local constinit interruption* interruption::here = nullptr;

interruption::interruption(bool (*goes_on)(void*), void* context)
    : goes_on_(goes_on),
      context_(context),
      owner_(&thread_mark),
      next_(std::chrono::steady_clock::now() + between_questions),
      mine_(this) {}

interruption::~interruption() = default;

void interruption::check() {
    if (stopped_.load(std::memory_order_relaxed)) throw interrupted{};
    if (!asks_here()) return;
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return;
    next_ = now + between_questions;
    bool goes_on = false;
    try {
        goes_on = goes_on_(context_);
    } catch (...) {
        stopped_.store(true, std::memory_order_relaxed);
        throw;
    }
    if (goes_on) return;
    stopped_.store(true, std::memory_order_relaxed);
    throw interrupted{};
}

bool interruption::asks_here() const { return owner_ == &thread_mark; }

}  // namespace ricci::runtime
