// The memory of a task of a fused group: a worker's own, or some that is lent where it takes more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "src/runtime/buffers.hpp"
#include "src/runtime/loans.hpp"

namespace ricci::fused {

class task_memory {
public:
    task_memory(int worker, std::size_t bytes) {
        if (bytes > runtime::worker_bytes) lent_.emplace(bytes);
        data_ = lent_ ? lent_->data() : runtime::worker_memory(worker);
    }
    std::byte* data() const { return data_; }

    /// What so many tasks lend.
    static runtime::loan loan_of(std::size_t bytes, std::int64_t tasks) {
        return {bytes > runtime::worker_bytes ? bytes : 0, tasks};
    }

private:
    std::optional<runtime::lent_memory> lent_;
    std::byte* data_ = nullptr;
};

}  // namespace ricci::fused
