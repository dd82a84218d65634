// The block of memory that a plan's intermediates live in.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

#include "src/plan/code/workspace.hpp"

namespace ricci::engine {

struct workspace_delete {
    void operator()(std::byte* memory) const {
        ::operator delete (memory, std::align_val_t{plan::workspace_alignment});
    }
};
using workspace_memory = std::unique_ptr<std::byte, workspace_delete>;

/// Null for no bytes. Throws std::bad_alloc.
inline workspace_memory allocate_workspace(std::size_t bytes) {
    if (bytes == 0) return nullptr;
    return workspace_memory(static_cast<std::byte*>(
        ::operator new (bytes, std::align_val_t{plan::workspace_alignment})));
}

}  // namespace ricci::engine
