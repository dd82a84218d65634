// Writing past the caches what comes in pieces: whole lines, wherever the pieces begin and end.
#pragma once

#include <algorithm>
#include <cstdint>

#include "src/kernels/elementwise/elementwise.hpp"
#include "src/runtime/caches.hpp"

namespace ricci::elementwise {

/// What follows a piece in memory may come next: its line is written when it is whole. A line that
/// is written in two halves would be fetched first.
template <class T>
class line_writer {
public:
    explicit line_writer(const kernels::elementwise_table<T>& kernels) : kernels_(kernels) {}

    void put(T* to, const T* from, std::int64_t n) {
        if (to != end_) put_kept();
        end_ = to + n;
        if (kept_ > 0) {
            const std::int64_t count = std::min(line - kept_, n);
            std::copy_n(from, count, line_ + kept_);
            kept_ += count;
            if (kept_ < line) return;
            kernels_.copy_past(line_, 0, to + count - line, 0, 1, line);
            kept_ = 0;
            to += count;
            from += count;
            n -= count;
        }
        const std::int64_t rest = in_line(end_);
        // Too little to reach the end of a line whose beginning was not put.
        const std::int64_t whole = rest <= n ? n - rest : n;
        kernels_.copy_past(from, 0, to, 0, 1, whole);
        kept_ = n - whole;
        std::copy_n(from + whole, kept_, line_);
    }

    /// To be called after the last piece.
    void finish() {
        put_kept();
        end_ = nullptr;
        kernels_.end_streams();
    }

private:
    static constexpr auto line = static_cast<std::int64_t>(runtime::line_bytes / sizeof(T));

    static std::int64_t in_line(const T* p) {
        return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(p) % runtime::line_bytes /
                                         sizeof(T));
    }

    void put_kept() {
        std::copy_n(line_, kept_, end_ - kept_);
        kept_ = 0;
    }

    const kernels::elementwise_table<T>& kernels_;
    T* end_ = nullptr;       // of the last piece
    std::int64_t kept_ = 0;  // elements before it that wait for the rest of their line
    alignas(runtime::line_bytes) T line_[line];
};

}  // namespace ricci::elementwise
