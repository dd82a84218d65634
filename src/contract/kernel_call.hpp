// A kernel with its arguments: what a small contraction comes to once its operands have addresses.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>

namespace ricci::contractions {

/// Calls a kernel with arguments that are stored beside it: nothing is decided or computed before
/// it. Runs on the calling thread, lends nothing.
class kernel_call {
public:
    /// `what()` carries it out. Stored here, so that a list of calls is one block of memory.
    template <class Call>
    explicit kernel_call(const Call& what)
        : run_([](const std::byte* stored) {
              (*std::launder(reinterpret_cast<const Call*>(stored)))();
          }) {
        static_assert(sizeof(Call) <= sizeof stored_ && alignof(Call) <= alignof(kernel_call) &&
                      std::is_trivially_copyable_v<Call> && std::is_trivially_destructible_v<Call>);
        new (stored_) Call(what);
    }
    void operator()() const { run_(stored_); }

private:
    void (*run_)(const std::byte*);
    alignas(8) std::byte stored_[184];
};

/// A contraction of more calls than this does not notice what comes before them.
inline constexpr std::size_t most_calls = 8;

}  // namespace ricci::contractions
