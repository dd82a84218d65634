// Where a matrix of a batch could not be factored, and why.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <span>
#include <string>

namespace ricci::linear {

enum class failure_reason : std::uint8_t { singular, not_positive_definite, not_finite };

/// The first matrix of a batch that failed, and the column of the pivot that did.
struct failure {
    std::int64_t matrix = -1;  // none has failed
    std::int64_t column = 0;
    failure_reason reason = failure_reason::singular;

    explicit operator bool() const { return matrix >= 0; }

    /// "is singular: its pivot in column 3 is 0", with the place in the batch where `batch`, the
    /// extents of its loops, has any.
    std::string words(std::span<const std::int64_t> batch = {}) const;
};

/// The failure of the first matrix, whatever the order in which they are told.
class first_failure {
public:
    void tell(std::int64_t matrix, std::int64_t column, failure_reason reason) {
        const std::int64_t here =
            (matrix << 32) + (column << 2) + static_cast<std::int64_t>(reason);
        std::int64_t first = code_.load(std::memory_order_relaxed);
        while (here < first && !code_.compare_exchange_weak(first, here)) {
        }
    }
    failure what() const {
        const std::int64_t code = code_.load();
        if (code == none) return {};
        return {code >> 32, (code & 0xffffffff) >> 2, static_cast<failure_reason>(code & 3)};
    }

private:
    static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
    std::atomic<std::int64_t> code_{none};
};

}  // namespace ricci::linear
