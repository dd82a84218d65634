// What a thread does between two steps of a program that it runs: for who has something under way
// that gets on only where it is asked for, as messages of MPI do.
#pragma once

#include <ricci/detail/export.hpp>

namespace ricci::engine {

/// While it lives, programs that this thread runs call it between their steps. It may not throw,
/// nor run programs itself.
class RICCI_EXPORT between_steps {
public:
    using function = void (*)(void* context);
    between_steps(function call, void* context) noexcept;
    ~between_steps();
    between_steps(const between_steps&) = delete;
    between_steps& operator=(const between_steps&) = delete;

private:
    function call_before_;
    void* context_before_;
};

}  // namespace ricci::engine
