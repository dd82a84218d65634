// How a thread's floating-point unit is set: rounding, tiny numbers as zeros, exceptions that trap.
#pragma once

#if defined(__SSE2__)
#include <xmmintrin.h>
#else
#include <cfenv>
#endif

namespace ricci::runtime {

#if defined(__SSE2__)

/// What is set, without the flags that say what has happened so far. Nothing here is computed with
/// x87.
class float_settings {
public:
    static float_settings here() { return float_settings(_mm_getcsr() & ~happened); }
    /// To nearest, no zeros for tiny numbers, no traps.
    static float_settings standard() { return float_settings(0x1f80); }
    void apply() const { _mm_setcsr(control_ | (_mm_getcsr() & happened)); }
    bool operator==(const float_settings&) const = default;

private:
    static constexpr unsigned happened = 0x3f;
    explicit float_settings(unsigned control) : control_(control) {}
    unsigned control_;
};

#else

class float_settings {
public:
    static float_settings here() {
        float_settings result;
        std::fegetenv(&result.environment_);
        return result;
    }
    static float_settings standard() {
        const float_settings before = here();
        std::fesetenv(FE_DFL_ENV);
        const float_settings result = here();
        before.apply();
        return result;
    }
    void apply() const { std::fesetenv(&environment_); }
    bool operator==(const float_settings&) const { return false; }  // padding and flags differ

private:
    std::fenv_t environment_{};
};

#endif

/// Sets this thread's unit as wanted, and back at the end.
class with_float_settings {
public:
    explicit with_float_settings(const float_settings& wanted)
        : before_(float_settings::here()), changed_(!(before_ == wanted)) {
        if (changed_) wanted.apply();
    }
    ~with_float_settings() {
        if (changed_) before_.apply();
    }
    with_float_settings(const with_float_settings&) = delete;
    with_float_settings& operator=(const with_float_settings&) = delete;

private:
    float_settings before_;
    bool changed_;
};

}  // namespace ricci::runtime
