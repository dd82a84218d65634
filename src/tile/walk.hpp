// Walking a nest of loops in chunks, with the element that each operand has reached.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ricci::elementwise {

/// A loop cut into chunks; stride[k] is of operand k, for one iteration.
struct axis {
    std::int64_t extent = 1;
    std::int64_t chunk = 1;
    std::vector<std::int64_t> stride;

    std::int64_t count() const { return (extent + chunk - 1) / chunk; }
};

/// Chunks of all axes, the last one fastest.
struct walk {
    std::vector<axis> axes;

    std::int64_t steps() const {
        std::int64_t product = 1;
        for (const axis& a : axes) product *= a.count();
        return product;
    }
};

/// Loops of more than one iteration: 2^63 elements have no more.
inline constexpr std::size_t most_axes = 64;

class cursor {
public:
    /// `at` holds one number for each operand and is the caller's; it starts at `origin` plus what
    /// `index` steps of the walk add.
    cursor(const walk& walk, std::size_t operands, std::int64_t* at, const std::int64_t* origin,
           std::int64_t index)
        : walk_(walk), operands_(operands), at_(at) {
        for (std::size_t k = 0; k < operands_; ++k) at_[k] = origin[k];
        for (std::size_t i = walk_.axes.size(); i-- > 0;) {
            const axis& a = walk_.axes[i];
            const std::int64_t count = a.count();
            position_[i] = index % count;
            index /= count;
            if (position_[i] != 0) move(a, position_[i] * a.chunk);
        }
    }

    /// Goes on to the next chunk and says which axis moved; those behind it began again.
    std::size_t next() {
        for (std::size_t i = walk_.axes.size(); i-- > 0;) {
            const axis& a = walk_.axes[i];
            if (++position_[i] < a.count()) {
                move(a, a.chunk);
                return i;
            }
            if (position_[i] > 1) move(a, -(position_[i] - 1) * a.chunk);
            position_[i] = 0;
        }
        return 0;
    }

    /// Iterations of the current chunk of an axis.
    std::int64_t size(std::size_t i) const {
        const axis& a = walk_.axes[i];
        const std::int64_t left = a.extent - position_[i] * a.chunk;
        return left < a.chunk ? left : a.chunk;
    }

    /// The first iteration of the current chunk of an axis.
    std::int64_t first(std::size_t i) const { return position_[i] * walk_.axes[i].chunk; }

    /// Whether the current chunk of an axis is its first, and its last.
    bool at_begin(std::size_t i) const { return position_[i] == 0; }
    bool at_end(std::size_t i) const { return position_[i] + 1 == walk_.axes[i].count(); }

private:
    void move(const axis& a, std::int64_t iterations) {
        for (std::size_t k = 0; k < operands_; ++k) at_[k] += iterations * a.stride[k];
    }

    const walk& walk_;
    std::size_t operands_;
    std::int64_t* at_;
    std::int64_t position_[most_axes];
};

}  // namespace ricci::elementwise
