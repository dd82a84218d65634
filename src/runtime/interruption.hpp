// A way to end long work from within: between tasks the thread that began it asks whether to go on.
#pragma once

#include <atomic>
#include <chrono>

namespace ricci::runtime {

/// What loops throw where the answer was no. Their tasks may have been begun, ended or left out.
struct interrupted {};

/// While one lives, loops that its thread begins, and loops within their tasks on any thread, look
/// between tasks whether to go on. Asked is on its thread alone, every few hundredths of a second,
/// while it waits for tasks of others too. Loops whose tasks wait for each other are run to their
/// end.
class interruption {
public:
    /// `goes_on(context)`: what it throws ends the work, too.
    interruption(bool (*goes_on)(void*), void* context);
    ~interruption();
    interruption(const interruption&) = delete;
    interruption& operator=(const interruption&) = delete;

    /// That of this thread, or none.
    static interruption* current() { return here; }

    /// Throws `interrupted` where the work is to end.
    void check();

    /// The same for this thread's, where it has one: in loops within a task that may take long.
    static void poll() {
        if (here != nullptr) here->check();
    }

    /// Whether the answer was no, or the question failed.
    bool is_stopped() const { return stopped_.load(std::memory_order_relaxed); }

    /// Whether this thread is the one that asks.
    bool asks_here() const;

    /// While one lives, its thread looks at this one, or at none.
    class on_thread {
    public:
        explicit on_thread(interruption* that) : before_(here) { here = that; }
        ~on_thread() { here = before_; }
        on_thread(const on_thread&) = delete;
        on_thread& operator=(const on_thread&) = delete;

    private:
        interruption* before_;
    };

private:
    static thread_local constinit interruption* here;

    bool (*goes_on_)(void*);
    void* context_;
    const void* owner_;  // an address of the thread that asks
    std::chrono::steady_clock::time_point next_;
    std::atomic<bool> stopped_{false};
    on_thread mine_;
};

}  // namespace ricci::runtime
