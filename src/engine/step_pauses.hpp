// Between two steps: whoever has asked for it is called.
#pragma once

#include <ricci/engine/between_steps.hpp>

namespace ricci::engine {

struct step_pause {
    between_steps::function call = nullptr;
    void* context = nullptr;
};
/// Of the calling thread.
step_pause& pause_of_thread() noexcept;

inline void pause_between_steps() {
    if (const step_pause p = pause_of_thread(); p.call != nullptr) p.call(p.context);
}

}  // namespace ricci::engine
